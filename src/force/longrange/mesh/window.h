/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_MESH_WINDOW_H
#define PH_FORCE_LONGRANGE_MESH_WINDOW_H

/* The window that spreads a site to a grid: the window of bessel.h, `width` points wide. At the distance d from a
 * point, in points, it is W(d) = chi(2 d/width), scaled such that its integral is 1. With v = 1 - (2 d/width)^2,
 *
 *   W = v^m Q0(v),   dW/dv = v^(m-1) Q1(v),   d2W/dv2 = v^(m-2) Q2(v),
 *
 * and so on up to the fourth,
 *
 * and the Q are entire functions: polynomials to rounding. Where v < 0 there is no window: v = 0 gives 0. */

#include "base/lanes.h"

enum {
    PH_WINDOW_DEGREE = 22, /* of the polynomials, in 2v - 1 */
    PH_WINDOW_MOST = 20,   /* points */
    PH_WINDOW_ORDERS = 5   /* W and four derivatives */
};

struct ph_window {
    int m, width;
    double shape;
    double q[PH_WINDOW_ORDERS][PH_WINDOW_DEGREE + 1]; /* of 1, y, y^2, ... */
};

/* m >= 4, and more than the highest derivative that is asked for */
struct ph_window ph_window(int m, int width, double shape);

/* The transform of W for n waves in a grid of `points`: 1 for n = 0 */
double ph_window_transform(const struct ph_window *window, double n, int points);

/* W and its derivatives in d up to `order`, a constant, for `count` distances, a constant: of[o][k] */
PH_INLINE void ph_window_fill(const struct ph_window *window, int order, int count, const double *restrict d,
                              double (*restrict of)[3 * PH_WINDOW_MOST])
{
    PH_ALIGNED double power[3 * PH_WINDOW_MOST];
    const double c2 = 4.0 / ((double)window->width * window->width);
    PH_SIMD
    for (int k = 0; k < count; ++k)
        power[k] = 1.0;
    for (int p = order; p < window->m; ++p) {
        PH_SIMD
        for (int k = 0; k < count; ++k)
            power[k] *= ph_max(0.0, ph_fma(-c2 * d[k], d[k], 1.0));
    }
#define PH_Q(o, k) q##o = ph_fma(q##o, y, window->q[o][k])
#define PH_Q_ALL(o)                                                                                                    \
    PH_Q(o, 21), PH_Q(o, 20), PH_Q(o, 19), PH_Q(o, 18), PH_Q(o, 17), PH_Q(o, 16), PH_Q(o, 15), PH_Q(o, 14),            \
        PH_Q(o, 13), PH_Q(o, 12), PH_Q(o, 11), PH_Q(o, 10), PH_Q(o, 9), PH_Q(o, 8), PH_Q(o, 7), PH_Q(o, 6),            \
        PH_Q(o, 5), PH_Q(o, 4), PH_Q(o, 3), PH_Q(o, 2), PH_Q(o, 1), PH_Q(o, 0)
    PH_SIMD
    for (int k = 0; k < count; ++k) {
        const double v = ph_max(0.0, ph_fma(-c2 * d[k], d[k], 1.0)), y = ph_fma(2.0, v, -1.0);
        const double bend = -2.0 * c2, slope = bend * d[k]; /* of v in d */
        double q0 = window->q[0][22], q1 = window->q[1][22], q2 = window->q[2][22], q3 = window->q[3][22];
        double q4 = window->q[4][22];
        double last = power[k]; /* v^(m - order), then with each derivative less one power more */
        PH_Q_ALL(0);
        if (order >= 1)
            PH_Q_ALL(1);
        if (order >= 2)
            PH_Q_ALL(2);
        if (order >= 3)
            PH_Q_ALL(3);
        if (order >= 4) {
            PH_Q_ALL(4);
            q4 *= last;
            last *= v;
        }
        if (order >= 3) {
            q3 *= last;
            last *= v;
        }
        if (order >= 2) {
            q2 *= last;
            last *= v;
        }
        if (order >= 1) {
            q1 *= last;
            last *= v;
        }
        of[0][k] = q0 * last;
        if (order >= 1)
            of[1][k] = q1 * slope;
        if (order >= 2)
            of[2][k] = ph_fma(q2 * slope, slope, q1 * bend);
        if (order >= 3)
            of[3][k] = slope * ph_fma(q3 * slope, slope, 3.0 * bend * q2);
        if (order >= 4) {
            const double square = slope * slope;
            of[4][k] = ph_fma(square, ph_fma(q4, square, 6.0 * bend * q3), 3.0 * bend * bend * q2);
        }
    }
#undef PH_Q_ALL
#undef PH_Q
}

#endif
