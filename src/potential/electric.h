/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_ELECTRIC_H
#define PH_POTENTIAL_ELECTRIC_H

/* Radial functions of charges and dipoles, with w = -h'/r and x = -w'/r as in radial.h. k is the Coulomb constant times
 * the charges; rf and rf_zero, too, are multiplied by it, and belong to a reaction field, or are 0 (see
 * force/interactions.h). */

#include "potential/radial.h"

/* Screened charges: B0 = erfc(a r)/r, and B1, B2, ... each -1/r times the derivative of the one before. All follow from
 * B0 and g = (2 a/sqrt pi) exp(-a^2 r^2): r^2 B(n+1) = (2n+1) B(n) + (2 a^2)^n g, sums of positive terms. Two charges
 * have u = k B0, a charge and a dipole k (mu.d) B1, two dipoles k [(mu_i.mu_j) B1 - (mu_i.d)(mu_j.d) B2]. */
struct ph_screen {
    double b0, g;
};

PH_INLINE struct ph_screen ph_screen(double a, double r, double inv_r)
{
    const double two_over_root_pi = 1.12837916709551257390, x = a * r, gauss = ph_exp(-(x * x));
    return (struct ph_screen){ph_erfcx(x) * gauss * inv_r, two_over_root_pi * a * gauss};
}

/* B1 to B4 */
struct ph_screened {
    double b1, b2, b3, b4;
};

PH_INLINE struct ph_screened ph_screened(double a, struct ph_screen s, double inv_r2)
{
    const double two_a2 = 2.0 * a * a, g1 = two_a2 * s.g, g2 = two_a2 * g1, g3 = two_a2 * g2;
    const double b1 = (s.b0 + s.g) * inv_r2, b2 = ph_fma(3.0, b1, g1) * inv_r2;
    const double b3 = ph_fma(5.0, b2, g2) * inv_r2, b4 = ph_fma(7.0, b3, g3) * inv_r2;
    return (struct ph_screened){b1, b2, b3, b4};
}

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
