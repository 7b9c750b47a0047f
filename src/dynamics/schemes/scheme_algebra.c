/* SPDX-License-Identifier: MIT */
#include "dynamics/schemes/scheme_algebra.h"

#include "base/room.h"

#include <string.h>

/* Finds the letters [A,x] with all x that are products of two earlier ones, by degree: the degree of x_k x_l is the sum
 * of both degrees plus one. */
static void find_letters(struct ph_algebra *algebra)
{
    algebra->letter[1] = 2; /* [A,B] */
    algebra->n_letters = 2;
    for (int degree = 4; degree <= algebra->degree; degree += 2) {
        const int known = algebra->n_letters;
        for (int k = 1; k < known; ++k)
            for (int l = 1; l <= k; ++l)
                if (algebra->letter[k] + algebra->letter[l] == degree) {
                    PH_ROOM(algebra->n_letters < PH_ALGEBRA_LETTERS);
                    algebra->letter[algebra->n_letters] = degree;
                    algebra->product[k][l] = algebra->product[l][k] = algebra->n_letters++;
                }
    }
}

void ph_algebra_init(enum ph_scheme_kind kind, int degree, struct ph_algebra *algebra)
{
    *algebra = (struct ph_algebra){.free = kind == PH_SCHEME_PRK};
    algebra->start = algebra->free ? 0 : 1;
    algebra->degree = degree + algebra->start;
    PH_ROOM(algebra->degree <= PH_ALGEBRA_DEGREE);
    algebra->letter[0] = algebra->letter[1] = 1;
    algebra->n_letters = 2;
    if (!algebra->free)
        find_letters(algebra);

    algebra->count[0] = algebra->begin[1] = 1; /* the empty word */
    for (int d = 1; d <= algebra->degree; ++d) {
        for (int l = 0; l < algebra->n_letters && algebra->letter[l] <= d; ++l) {
            algebra->first[d][l] = algebra->count[d];
            algebra->count[d] += algebra->count[d - algebra->letter[l]];
        }
        algebra->begin[d + 1] = algebra->begin[d] + algebra->count[d];
    }
    PH_ROOM(algebra->begin[algebra->degree + 1] <= PH_ALGEBRA_WORDS);
}

/* out += factor letter v */
static void write_in_front(const struct ph_algebra *algebra, int letter, int degree, long double factor,
                           const long double *v, long double *out)
{
    out += algebra->first[degree + algebra->letter[letter]][letter];
    for (size_t i = 0; i < algebra->count[degree]; ++i)
        out[i] += factor * v[i];
}

void ph_algebra_kick(const struct ph_algebra *algebra, int k, int degree, long double factor, const long double *v,
                     long double *out)
{
    if (algebra->free) {
        write_in_front(algebra, k, degree, factor, v, out);
        return;
    }
    const size_t *const first = algebra->first[degree], *const first_out =
                                                            algebra->first[degree + algebra->letter[k] - 1];
    for (int l = 0; l < algebra->n_letters && algebra->letter[l] <= degree; ++l) {
        const int rest = degree - algebra->letter[l];
        ph_algebra_kick(algebra, k, rest, factor, v + first[l], out + first_out[l]);
        if (l == 0)
            write_in_front(algebra, k, rest, -factor, v + first[l], out);
        else if (algebra->product[k][l] != 0 && rest > 0)
            ph_algebra_kick(algebra, algebra->product[k][l], rest, factor, v + first[l], out);
    }
}

/* a A + b B + c [B,[A,B]] */
struct generator {
    long double a, b, c;
};

static void apply(const struct ph_algebra *algebra, struct generator t, int lowest, const long double *v,
                  long double *out)
{
    const size_t *const begin = algebra->begin;
    memset(out, 0, begin[algebra->degree + 1] * sizeof *out);
    for (int d = lowest; d < algebra->degree; ++d) {
        if (t.a != 0.0L)
            write_in_front(algebra, 0, d, t.a, v + begin[d], out + begin[d + 1]);
        if (t.b != 0.0L)
            ph_algebra_kick(algebra, 1, d, t.b, v + begin[d], out + begin[d + 1]);
        if (t.c != 0.0L && d + 3 <= algebra->degree)
            ph_algebra_kick(algebra, 2, d, t.c, v + begin[d], out + begin[d + 3]);
    }
}

/* v <- exp(t) v, a finite sum since t raises the degree */
static void exponential(const struct ph_algebra *algebra, struct generator t, long double *v)
{
    const size_t words = algebra->begin[algebra->degree + 1];
    long double term[PH_ALGEBRA_WORDS], next[PH_ALGEBRA_WORDS];
    memcpy(term, v, words * sizeof *v);
    for (int j = 1; j <= algebra->degree - algebra->start; ++j) {
        apply(algebra, t, algebra->start + j - 1, term, next);
        for (size_t i = 0; i < words; ++i) {
            term[i] = next[i] / j;
            v[i] += term[i];
        }
    }
}

void ph_algebra_defect(const struct ph_algebra *algebra, const struct ph_scheme *scheme,
                       long double defect[PH_ALGEBRA_WORDS])
{
    const size_t words = algebra->begin[algebra->degree + 1];
    long double exact[PH_ALGEBRA_WORDS];
    memset(defect, 0, words * sizeof *defect);
    memset(exact, 0, words * sizeof *exact);
    defect[algebra->start] = exact[algebra->start] = 1.0L; /* the empty word, or A, the first of degree one */
    for (int k = 0; k < scheme->flows; ++k) {
        const struct ph_scheme_flow flow = ph_scheme_flow_at(scheme, k);
        exponential(algebra,
                    flow.kind == PH_FLOW_KICK ? (struct generator){.b = flow.x, .c = flow.c}
                                              : (struct generator){.a = flow.x},
                    defect);
    }
    exponential(algebra, (struct generator){.a = 1.0L, .b = 1.0L}, exact);
    for (size_t i = 0; i < words; ++i)
        defect[i] -= exact[i];
}
