/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_ELECTRIC_H
#define PH_POTENTIAL_ELECTRIC_H

/* Radial functions of charges and dipoles, with w = -h'/r and x = -w'/r as in radial.h. k is the Coulomb constant times
 * the charges; rf and rf_zero, too, are multiplied by it, and belong to a reaction field, or are 0 (see
 * force/interactions.h). */

#include "potential/radial.h"

/* Two charges: u = h = k/r + rf r^2 - rf_zero */
PH_INLINE struct ph_radial_bend ph_charge_charge_bend(double k, double rf, double rf_zero, double r, double inv_r)
{
    const double inv_r2 = inv_r * inv_r, inv_r3 = k * inv_r * inv_r2;
    return (struct ph_radial_bend){ph_fma(rf * r, r, ph_fma(k, inv_r, -rf_zero)), ph_fma(-2.0, rf, inv_r3),
                                   3.0 * inv_r3 * inv_r2};
}

/* A charge and a dipole: u = (mu.n) h with h = k/r^2 - 2 rf r */
PH_INLINE struct ph_radial_bend ph_charge_dipole_bend(double k, double rf, double r, double inv_r)
{
    const double inv_r2 = inv_r * inv_r, square = k * inv_r2, fourth = square * inv_r2;
    return (struct ph_radial_bend){ph_fma(-2.0 * rf, r, square), 2.0 * ph_fma(rf, inv_r, fourth),
                                   2.0 * inv_r2 * ph_fma(rf, inv_r, 4.0 * fourth)};
}

/* Two dipoles: h = k/r^3; their reaction field is a constant, not part of h. */
PH_INLINE struct ph_radial_bend ph_dipole_dipole_bend(double k, double inv_r)
{
    const double inv_r2 = inv_r * inv_r, i3 = inv_r * inv_r2, w = 3.0 * k * (i3 * inv_r2);
    return (struct ph_radial_bend){k * i3, w, 5.0 * w * inv_r2};
}

#endif
