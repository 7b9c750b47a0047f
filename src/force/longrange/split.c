/* SPDX-License-Identifier: MIT */
#include "force/longrange/split.h"

#include "base/library.h"
#include "force/longrange/mesh/bessel.h"

#include <pthread.h>

static const long double pi = 3.14159265358979323846264338L;

struct ph_split ph_split_of(const struct ph_interactions *interactions)
{
    const struct ph_ewald_choice *choice = &interactions->ewald;
    struct ph_split split = {.kind = choice->split, .a = choice->screening, .rc = interactions->cutoff};
    if (split.kind == PH_SPLIT_BESSEL) {
        split.b = choice->shape;
        split.m = ph_split_order(choice);
        split.scale = 1.0 / ph_bessel_transform(split.m, split.b * split.b);
    }
    return split;
}

double ph_split_wave(const struct ph_split *split, double k2, double *slope)
{
    if (split->kind == PH_SPLIT_GAUSS) {
        const double four_a2 = 4.0 * split->a * split->a, g = ph_exp(-k2 / four_a2);
        if (slope)
            *slope = -g / four_a2;
        return g;
    }
    const double rc2 = split->rc * split->rc, w = split->b * split->b - k2 * rc2;
    if (slope)
        *slope = -0.5 * rc2 * ph_bessel_transform(split->m + 1, w) * split->scale;
    return ph_bessel_transform(split->m, w) * split->scale;
}

/* ---- The part that pairs lack ---- */

/* It is smooth at r = 0: 2^(n+1) a^(2n+1)/sqrt(pi) times the integral of t^2n exp(-a^2 r^2 t^2) over [0, 1]. */
static double lack_of_gauss(int n, double a, double r)
{
    const double root_pi = 1.77245385090551602730, x2 = a * a * r * r, g = 2.0 * a / root_pi * ph_library_exp(-x2);
    if (x2 < 1.0) {
        double sum = 0.0, term = 1.0;
        for (int m = 0; m < 30; ++m) {
            sum += term / (2 * n + 2 * m + 1);
            term *= -x2 / (m + 1);
        }
        return 2.0 * a / root_pi * ph_library_pow(2.0 * a * a, n) * sum;
    }
    double b = ph_library_erf(a * r) / r, gauss = g;
    for (int k = 0; k < n; ++k) {
        b = ((2 * k + 1) * b - gauss) / (r * r);
        gauss *= 2.0 * a * a;
    }
    return b;
}

/* Gauss and Legendre's quadrature with 64 points over [-1, 1], of even functions: the points t > 0, and weights that
 * make it the integral over [0, 1]. Newton's method for the zeros of P_64: milliseconds where long double is emulated,
 * so it is done once. */
enum { POINTS = 64 };

static struct quadrature {
    long double t[POINTS / 2], weight[POINTS / 2];
} of_legendre;

static void make_quadrature(void)
{
    for (int i = 0; i < POINTS / 2; ++i) {
        long double t = cosl(pi * (i + 0.75L) / (POINTS + 0.5L)), slope = 1.0L;
        for (int newton = 0; newton < 8; ++newton) {
            long double before = 1.0L, here = t; /* P_0 and P_1 */
            for (int n = 1; n < POINTS; ++n) {
                const long double next = ((2 * n + 1) * t * here - n * before) / (n + 1);
                before = here;
                here = next;
            }
            slope = POINTS * (before - t * here) / (1.0L - t * t);
            t -= here / slope;
        }
        of_legendre.t[i] = t;
        of_legendre.weight[i] = 2.0L / ((1.0L - t * t) * slope * slope);
    }
}

static const struct quadrature *quadrature(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_quadrature);
    return &of_legendre;
}

/* Integral of t^2n chi^(n)(1 - s t^2) */
static long double integral(const struct ph_split *split, const struct quadrature *q, int n, long double s)
{
    long double sum = 0.0L;
    for (int i = 0; i < POINTS / 2; ++i) {
        const long double t2 = q->t[i] * q->t[i];
        long double term = q->weight[i] * ph_bessel_window(split->m - n, split->b, 1.0L - s * t2);
        for (int k = 0; k < n; ++k)
            term *= (split->m - k) * t2;
        sum += term;
    }
    return sum;
}

/* N/rc (2/rc^2)^n */
static long double prefactor(const struct ph_split *split, const struct quadrature *q, int n)
{
    long double factor = 1.0L / (split->rc * integral(split, q, 0, 1.0L));
    for (int k = 0; k < n; ++k)
        factor *= 2.0L / ((long double)split->rc * split->rc);
    return factor;
}

double ph_split_lack(const struct ph_split *split, int n, double r)
{
    if (split->kind == PH_SPLIT_GAUSS)
        return lack_of_gauss(n, split->a, r);
    if (r >= split->rc) { /* all of it */
        double bare = 1.0 / r;
        for (int k = 0; k < n; ++k)
            bare *= (2 * k + 1) / (r * r);
        return bare;
    }
    const struct quadrature *q = quadrature();
    const long double x = (long double)r / split->rc;
    return (double)(prefactor(split, q, n) * integral(split, q, n, x * x));
}

/* Interpolation at the zeros of T_(degree+1), in Chebyshev's polynomials and from these in powers of y */
struct ph_split_pairs ph_split_pairs(const struct ph_split *split)
{
    enum { N = PH_SPLIT_DEGREE + 1 };
    struct ph_split_pairs pairs = {.scale = 2.0 / (split->rc * split->rc)};
    const struct quadrature *q = quadrature();
    for (int n = 0; n < PH_SPLIT_FUNCTIONS && n <= split->m; ++n) {
        const long double factor = prefactor(split, q, n);
        long double sum[N] = {0.0L}; /* of f T_k over the zeros */
        for (int j = 0; j < N; ++j) {
            const long double y = cosl(pi * (j + 0.5L) / N), f = factor * integral(split, q, n, 0.5L * (1.0L + y));
            long double here = 1.0L, next = y;
            for (int k = 0; k < N; ++k) {
                sum[k] += f * here;
                const long double after = 2.0L * y * next - here;
                here = next;
                next = after;
            }
        }
        long double here[N] = {1.0L}, next[N] = {0.0L, 1.0L}, power[N] = {0.0L}; /* T_k, T_(k+1); their sum */
        for (int k = 0; k < N; ++k) {
            for (int l = N - 1; l >= 0; --l) {
                power[l] += (k == 0 ? 1.0L : 2.0L) / N * sum[k] * here[l];
                const long double after = (l > 0 ? 2.0L * next[l - 1] : 0.0L) - here[l];
                here[l] = next[l];
                next[l] = after;
            }
        }
        for (int l = 0; l < N; ++l)
            pairs.power[n][l] = (double)power[l];
    }
    return pairs;
}
