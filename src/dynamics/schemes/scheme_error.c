/* SPDX-License-Identifier: MIT */
/* The size of a scheme's leading error term, as coefficients of brackets of A and B.
 *
 * Blanes and Moan measure schemes by  E = s |k|^(1/order)  with s evaluations per step and k the coefficients of the
 * leading error in a basis of the Lie algebra, on which the number depends. Here the basis is made of brackets
 * [L1,[L2,... [A,B]...]], those with B for L1 (L2, ...) before those with A, each that is independent of those before.
 * This gives their numbers, as E. Celledoni, F. Fasso, N. Safstrom, A. Zanna, SIAM J. Sci. Comput. 30 (2008) 2084 quote
 * them: s4-6 0.56, s6-10 1.12, srkn6-14a 0.63; only for srkn4-6b it gives 0.29 in place of 0.28. */

#include "dynamics/schemes/scheme_algebra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An element of degree n of the Lie algebra is a vector: first its part in the free Lie algebra, by words of degree n;
 * then, RKN, its part in X: the coefficient of x_k at count[n] + k. */
static size_t element_size(const struct ph_algebra *algebra, int degree)
{
    return algebra->count[degree] + PH_ALGEBRA_LETTERS;
}

/* Among words of a degree the index of word i, of the given lower degree, with a letter at its end */
static size_t with_at_end(const struct ph_algebra *algebra, int letter, int degree, size_t i)
{
    if (degree == 0)
        return algebra->first[algebra->letter[letter]][letter];
    int l = algebra->n_letters - 1; /* the first letter of the word */
    while (algebra->letter[l] > degree || algebra->first[degree][l] > i)
        --l;
    const size_t rest = with_at_end(algebra, letter, degree - algebra->letter[l], i - algebra->first[degree][l]);
    return algebra->first[degree + algebra->letter[letter]][l] + rest;
}

/* An element from its action on 1 (PRK) or on the word A (RKN), where w A shows w, and [A,x] shows -x */
static void read_element(const struct ph_algebra *algebra, int degree, const long double *made, long double *out)
{
    const size_t words = algebra->count[degree];
    memset(out, 0, element_size(algebra, degree) * sizeof *out);
    for (size_t i = 0; i < words; ++i)
        out[i] = made[algebra->free ? i : with_at_end(algebra, 0, degree, i)];
    for (int k = 1; k < algebra->n_letters && !algebra->free; ++k)
        if (algebra->letter[k] == degree + 1)
            out[words + (size_t)k] = -made[algebra->first[degree + 1][k]];
}

/* out = [A, v], where [A, x_k] is a letter; v is of `degree` */
static void bracket_with_a(const struct ph_algebra *algebra, int degree, const long double *v, long double *out)
{
    const size_t words = algebra->count[degree];
    memset(out, 0, element_size(algebra, degree + 1) * sizeof *out);
    memcpy(out, v, words * sizeof *v); /* A v: words with A in front are the first */
    for (size_t i = 0; i < words; ++i)
        out[with_at_end(algebra, 0, degree, i)] -= v[i];
    for (int k = 1; k < algebra->n_letters && !algebra->free; ++k)
        if (algebra->letter[k] == degree + 1)
            out[algebra->first[degree + 1][k]] += v[words + (size_t)k];
}

/* out = [B, v]. RKN: B commutes with X, and of B v A - v B A the second, v [A,B], shows nothing. */
static void bracket_with_b(const struct ph_algebra *algebra, int degree, const long double *v, long double *out)
{
    const int end = algebra->free ? 1 : 0;
    long double before[PH_ALGEBRA_WORDS] = {0.0L}, after[PH_ALGEBRA_WORDS] = {0.0L};
    for (size_t i = 0; i < algebra->count[degree]; ++i)
        before[with_at_end(algebra, end, degree, i)] = v[i];
    if (algebra->free) {
        ph_algebra_kick(algebra, 1, degree, 1.0L, v, after);
        for (size_t i = 0; i < algebra->count[degree + 1]; ++i)
            after[i] -= before[i];
    } else {
        ph_algebra_kick(algebra, 1, degree + 1, 1.0L, before, after);
    }
    read_element(algebra, degree + 1, after, out);
}

/* The bracket of a given degree; bit j of `letters`, counted from the innermost, is set where L is B */
static void nested_bracket(const struct ph_algebra *algebra, int degree, unsigned letters, double *out)
{
    long double v[PH_ALGEBRA_WORDS] = {0.0L}, next[PH_ALGEBRA_WORDS];
    v[algebra->free ? algebra->first[1][1] : algebra->count[1] + 1] = 1.0L; /* B */
    for (int d = 1; d < degree; ++d) {
        if (d > 1 && (letters >> (d - 2) & 1))
            bracket_with_b(algebra, d, v, next);
        else
            bracket_with_a(algebra, d, v, next);
        memcpy(v, next, element_size(algebra, d + 1) * sizeof *v);
    }
    for (size_t i = 0; i < element_size(algebra, degree); ++i)
        out[i] = (double)v[i];
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

/* Brackets of one number of B's: at most as many as there are ways to place them */
enum { CANDIDATES = 126 }; /* 9 over 4 */
struct basis {
    size_t size; /* of an element */
    int rank;
    double *q;                        /* orthonormal, one after the other; not owned */
    double r[CANDIDATES][CANDIDATES]; /* the brackets are q r */
};

/* Adds the bracket stored behind the last vector to the basis, unless it depends linearly on those before. */
static void take_in(struct basis *basis)
{
    static const double dependent = 1e-8; /* brackets have small integers as entries */
    const size_t n = basis->size;
    double *v = basis->q + (size_t)basis->rank * n;
    const double length = sqrt(dot(n, v, v));
    for (int i = 0; i < basis->rank; ++i) {
        const double *q = basis->q + (size_t)i * n;
        const double r = basis->r[i][basis->rank] = dot(n, q, v);
        for (size_t w = 0; w < n; ++w)
            v[w] -= r * q[w];
    }
    const double rest = sqrt(dot(n, v, v));
    if (!(rest > dependent * length))
        return;
    for (size_t w = 0; w < n; ++w)
        v[w] /= rest;
    basis->r[basis->rank][basis->rank] = rest;
    ++basis->rank;
}

/* Sum of squares of the coefficients of an element in the basis */
static double norm_square(const struct basis *basis, const double *element)
{
    double k[CANDIDATES], sum = 0.0;
    for (int i = basis->rank - 1; i >= 0; --i) {
        k[i] = dot(basis->size, basis->q + (size_t)i * basis->size, element);
        for (int j = i + 1; j < basis->rank; ++j)
            k[i] -= basis->r[i][j] * k[j];
        k[i] /= basis->r[i][i];
        sum += k[i] * k[i];
    }
    return sum;
}

/* With lower terms zero the leading error is the defect's own term. */
static void leading_error(const struct ph_algebra *algebra, const struct ph_scheme *scheme, int degree, double *out)
{
    long double defect[PH_ALGEBRA_WORDS], element[PH_ALGEBRA_WORDS];
    ph_algebra_defect(algebra, scheme, defect);
    read_element(algebra, degree, defect + algebra->begin[degree + algebra->start], element);
    for (size_t i = 0; i < element_size(algebra, degree); ++i)
        out[i] = (double)element[i];
}

/* |k|^2, by the number of B's: brackets that differ in it have no word in common */
static double sum_of_squares(const struct ph_algebra *algebra, int degree, const double *error, struct basis *basis)
{
    const int choices = degree - 2;
    double sum = 0.0;
    for (int kicks = 0; kicks <= choices; ++kicks) {
        basis->rank = 0;
        for (unsigned letters = 1u << choices; letters-- > 0;)
            if (__builtin_popcount(letters) == kicks) {
                nested_bracket(algebra, degree, letters, basis->q + (size_t)basis->rank * basis->size);
                take_in(basis);
            }
        sum += norm_square(basis, error);
    }
    return sum;
}

double ph_scheme_effective_error(const struct ph_scheme *scheme)
{
    if (ph_scheme_is_displaced(scheme))
        return NAN;
    const int degree = scheme->order + 1;
    const int passes = ph_scheme_evaluations(scheme) + ph_scheme_gradients(scheme);
    struct ph_algebra algebra;
    ph_algebra_init(scheme->kind, degree, &algebra);
    const size_t size = element_size(&algebra, degree);
    struct basis *basis = calloc(1, sizeof *basis);
    double *q = calloc((CANDIDATES + 1) * size, sizeof *q), *error = calloc(size, sizeof *error);
    double result = NAN;
    if (basis && q && error) {
        basis->size = size;
        basis->q = q;
        leading_error(&algebra, scheme, degree, error);
        result = passes * pow(sum_of_squares(&algebra, degree, error, basis), 0.5 / scheme->order);
    }
    free(basis);
    free(q);
    free(error);
    return result;
}
