/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_TRUNCATION_H
#define PH_POTENTIAL_TRUNCATION_H

/* How a radial function h(r) ends at the cutoff. */

#include "base/lanes.h"

enum ph_truncate {
    PH_ENDLESS,  /* h */
    PH_INSIDE,   /* h, of pairs that are known to be inside: before a switch begins */
    PH_CUT,      /* h for r < rc */
    PH_SHIFTED,  /* h + c0 + c1 r for r < rc: shifted or force-shifted */
    PH_SWITCHED, /* S(r) h */
    PH_TRUNCATE_KINDS
};

/* How many derivatives of S are continuous: 2, 4, 6, all */
enum ph_switch_kind { PH_SWITCH_C2, PH_SWITCH_C4, PH_SWITCH_C6, PH_SWITCH_ALL, PH_SWITCH_KINDS };

/* S and dS/dx for x from 0 (S = 1) to 1 (S = 0), constant beyond. Polynomials: the one of degree 2k+1 whose first k
 * derivatives vanish at both ends; S' ~ -x^k (1-x)^k. Written as (1-x)^(k+1) sum_j binomial(k+j, j) x^j, all terms are
 * positive. In powers of x alone they cancel, and C6 would have an error of 4e-12 near x = 1. NaN counts as 0, which is
 * fewer instructions: 1/r of such a pair is not finite, and shows. All derivatives: S = 1 / (1 + exp(1/(1-x) -
 * 1/x)). */
PH_INLINE void ph_switch(enum ph_switch_kind kind, double x_free, double *value, double *slope)
{
    const double x = ph_min(ph_max(x_free, 0.0), 1.0), y = 1.0 - x, x2 = x * x, y2 = y * y;
    if (kind == PH_SWITCH_C2) {
        *value = y2 * y * ph_fma(x, ph_fma(x, 6.0, 3.0), 1.0);
        *slope = -30.0 * x2 * y2;
    } else if (kind == PH_SWITCH_C4) {
        const double p = ph_fma(x2 * x2, 70.0, ph_fma(x2, ph_fma(x, 35.0, 15.0), ph_fma(x, 5.0, 1.0)));
        *value = y2 * y2 * y * p;
        *slope = -630.0 * (x2 * y2) * (x2 * y2);
    } else if (kind == PH_SWITCH_C6) {
        const double low = ph_fma(x2, ph_fma(x, 84.0, 28.0), ph_fma(x, 7.0, 1.0)), xy2 = x2 * y2;
        const double p = ph_fma(x2 * x2, ph_fma(x2, 924.0, ph_fma(x, 462.0, 210.0)), low);
        *value = y2 * y2 * (y2 * y) * p;
        *slope = -12012.0 * xy2 * xy2 * xy2;
    } else {
        /* nearer to an end than 1/700, S differs from 1 or 0 by less than exp(-697) */
        const double inside = ph_min(1.0 - 1.0 / 700.0, ph_max(1.0 / 700.0, x_free));
        const double a = 1.0 / inside, b = 1.0 / (1.0 - inside), s = 1.0 / (1.0 + ph_exp(b - a));
        const double outside = x_free < 1.0 ? 1.0 : 0.0;
        *value = s * outside;
        *slope = -s * (1.0 - s) * ph_fma(a, a, b * b) * outside;
    }
}

/* d2S/dx2 of the same */
PH_INLINE double ph_switch_curvature(enum ph_switch_kind kind, double x_free)
{
    const double x = ph_min(ph_max(x_free, 0.0), 1.0), xy = x * (1.0 - x), turn = 2.0 * x - 1.0; /* -(x (1-x))' */
    if (kind == PH_SWITCH_C2)
        return 60.0 * xy * turn;
    if (kind == PH_SWITCH_C4)
        return 2520.0 * (xy * xy * xy) * turn;
    if (kind == PH_SWITCH_C6)
        return 72072.0 * (xy * xy) * (xy * xy * xy) * turn;
    const double inside = ph_min(1.0 - 1.0 / 700.0, ph_max(1.0 / 700.0, x_free));
    const double a = 1.0 / inside, b = 1.0 / (1.0 - inside), e = ph_exp(b - a), s = 1.0 / (1.0 + e);
    const double slope = ph_fma(a, a, b * b), bend = 2.0 * ph_fma(b * b, b, -(a * a * a)); /* of the exponent */
    const double value = s * (e * s) * ph_fma((1.0 - 2.0 * s) * slope, slope, -bend); /* e s = 1 - s, also if tiny */
    return x_free < 1.0 ? value : 0.0;
}

#endif
