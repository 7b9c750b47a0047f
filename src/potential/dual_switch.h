/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_DUAL_SWITCH_H
#define PH_POTENTIAL_DUAL_SWITCH_H

/* Switches within angular forms, as functions of dual numbers. */

#include "potential/dual.h"

enum { PH_SMOOTHEST_SHAPE = 6 };

/* Constants of all switches of a form */
enum ph_switch_shape {
    PH_SHAPE_SMOOTHNESS, /* k */
    PH_SHAPE_STEEPNESS,  /* (2k + 1)!/(k!)^2 */
    PH_SHAPE_BINOMIAL,   /* (k + j over j) for j up to k, else 0 */
    PH_SHAPE_NUMBERS = PH_SHAPE_BINOMIAL + PH_SMOOTHEST_SHAPE + 1
};

/* smooth: 1, 2, 4 or 6 */
static inline void ph_shape_switch(double smooth, double shape[PH_SHAPE_NUMBERS])
{
    double binomial = 1.0;
    shape[PH_SHAPE_SMOOTHNESS] = smooth;
    for (int j = 0; j <= PH_SMOOTHEST_SHAPE; ++j) {
        shape[PH_SHAPE_BINOMIAL + j] = j <= smooth ? binomial : 0.0;
        if (j == smooth)
            shape[PH_SHAPE_STEEPNESS] = (2.0 * smooth + 1.0) * binomial;
        binomial = binomial * (smooth + j + 1) / (j + 1);
    }
}

/* The switches of potential/truncation.h with k = 1, 2, 4 or 6 continuous derivatives in one text, as loops have no
 * branches: S = y^(k+1) sum_j (k + j over j) x^j with y = 1 - x, and dS/dx = -(2k + 1)!/(k!)^2 (x y)^k. */
PH_SPECIALISED struct ph_dual ph_dual_switch(const double *shape, double on, double inverse, struct ph_dual a)
{
    const double free = (a.v - on) * inverse, x = ph_min(ph_max(free, 0.0), 1.0), y = 1.0 - x, xy = x * y;
    const double xy2 = xy * xy, y2 = y * y, smooth = shape[PH_SHAPE_SMOOTHNESS], *c = shape + PH_SHAPE_BINOMIAL;
    const double odd = smooth > 1.0 ? xy : 1.0, four = smooth > 2.0 ? xy2 : 1.0, six = smooth > 4.0 ? xy2 : 1.0;
    const double y_odd = smooth > 1.0 ? y : 1.0, y_four = smooth > 2.0 ? y2 : 1.0, y_six = smooth > 4.0 ? y2 : 1.0;
    const double below = odd * (four * six), falls = y2 * y_odd * (y_four * y_six); /* (x y)^(k-1) and y^(k+1) */
    const double high = ph_fma(x, ph_fma(x, c[6], c[5]), c[4]);
    const double low = ph_fma(x, ph_fma(x, ph_fma(x, ph_fma(x, high, c[3]), c[2]), c[1]), c[0]);
    const double steep = -shape[PH_SHAPE_STEEPNESS] * inverse * below; /* of which the part beside x y */
    const double turn = free > 0.0 && free < 1.0 ? smooth * inverse * (y - x) : 0.0;
    return ph_dual_chain(a, falls * low, steep * xy, steep * turn);
}

#endif
