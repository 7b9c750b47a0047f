/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_JET_H
#define PH_POTENTIAL_JET_H

/* A function of r with its first and second derivative: forward differentiation. A formula of u(r) that is written with
 * these gives the force and the rates too. The compiler removes derivatives that nobody reads. */

#include "potential/radial.h"

struct ph_jet {
    double value, slope, curvature;
};

/* r itself */
PH_INLINE struct ph_jet ph_jet_r(double r) { return (struct ph_jet){r, 1.0, 0.0}; }

/* 1/r */
PH_INLINE struct ph_jet ph_jet_inverse(double inv_r)
{
    const double square = inv_r * inv_r;
    return (struct ph_jet){inv_r, -square, 2.0 * (square * inv_r)};
}

PH_INLINE struct ph_jet ph_jet_add(struct ph_jet a, struct ph_jet b)
{
    return (struct ph_jet){a.value + b.value, a.slope + b.slope, a.curvature + b.curvature};
}

/* a + c */
PH_INLINE struct ph_jet ph_jet_plus(struct ph_jet a, double c)
{
    return (struct ph_jet){a.value + c, a.slope, a.curvature};
}

/* c a */
PH_INLINE struct ph_jet ph_jet_times(double c, struct ph_jet a)
{
    return (struct ph_jet){c * a.value, c * a.slope, c * a.curvature};
}

PH_INLINE struct ph_jet ph_jet_product(struct ph_jet a, struct ph_jet b)
{
    return (struct ph_jet){a.value * b.value, ph_fma(a.slope, b.value, a.value * b.slope),
                           ph_fma(a.curvature, b.value, ph_fma(2.0 * a.slope, b.slope, a.value * b.curvature))};
}

PH_INLINE struct ph_jet ph_jet_exp(struct ph_jet a)
{
    const double e = ph_exp(a.value);
    return (struct ph_jet){e, e * a.slope, e * ph_fma(a.slope, a.slope, a.curvature)};
}

/* The radial function u as kernels want it: w = -u'/r, and x = -w'/r = (u'' + w)/r^2. Sites in one place have no
 * direction apart: w is NaN there, also if u is smooth. */
PH_INLINE struct ph_radial_bend ph_jet_bend(struct ph_jet u, double inv_r)
{
    const double inv_r2 = inv_r * inv_r, w = ph_fma(-u.slope, inv_r, 0.0 * (inv_r2 * inv_r2));
    return (struct ph_radial_bend){u.value, w, (u.curvature + w) * inv_r2};
}

#endif
