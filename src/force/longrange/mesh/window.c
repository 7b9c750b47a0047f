/* SPDX-License-Identifier: MIT */
#include "force/longrange/mesh/window.h"

#include "force/longrange/mesh/bessel.h"

/* Coefficients in powers of y of the polynomial through f at Chebyshev's points y = cos(pi (k + 1/2)/n) */
static void interpolate(int n, const long double *f, double *out)
{
    const long double pi = 3.14159265358979323846264L;
    long double before[PH_WINDOW_DEGREE + 1] = {1.0L}, here[PH_WINDOW_DEGREE + 1] = {0.0L, 1.0L}; /* T of j-1 and j */
    long double sum[PH_WINDOW_DEGREE + 1] = {0.0L};
    for (int j = 0; j < n; ++j) {
        long double c = 0.0L;
        for (int k = 0; k < n; ++k)
            c += f[k] * cosl(pi * j * (k + 0.5L) / n);
        c *= (j == 0 ? 1.0L : 2.0L) / n;
        const long double *t = j == 0 ? before : here;
        for (int p = 0; p < n; ++p)
            sum[p] += c * t[p];
        for (int p = n - 1; p >= 0 && j > 0; --p) {
            const long double next = (p > 0 ? 2.0L * here[p - 1] : 0.0L) - before[p];
            before[p] = here[p]; /* here[p-1] still belongs to T_j */
            here[p] = next;
        }
    }
    for (int p = 0; p < n; ++p)
        out[p] = (double)sum[p];
}

struct ph_window ph_window(int m, int width, double shape)
{
    enum { POINTS = PH_WINDOW_DEGREE + 1 };
    const long double pi = 3.14159265358979323846264L;
    struct ph_window window = {.m = m, .width = width, .shape = shape};
    /* the integral of v^m (1 + ...) over x is 2^(m+1) m! F_m(shape^2), see bessel.h */
    long double scale = 2.0L / width / (2.0L * (long double)ph_bessel_transform(m, shape * shape));
    for (int k = 1; k <= m; ++k)
        scale /= 2.0L * k;
    for (int order = 0; order < PH_WINDOW_ORDERS; ++order) {
        long double f[POINTS];
        for (int k = 0; k < POINTS; ++k) {
            const long double v = 0.5L + 0.5L * cosl(pi * (k + 0.5L) / POINTS);
            f[k] = scale * ph_bessel_window(m - order, shape, v);
            for (int p = 0; p < m - order; ++p)
                f[k] /= v;
        }
        interpolate(POINTS, f, window.q[order]);
        scale *= m - order;
    }
    return window;
}

double ph_window_transform(const struct ph_window *window, double n, int points)
{
    const double t = 3.14159265358979323846 * n * window->width / points, b2 = window->shape * window->shape;
    return ph_bessel_transform(window->m, b2 - t * t) / ph_bessel_transform(window->m, b2);
}
