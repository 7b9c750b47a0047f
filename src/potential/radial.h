/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_RADIAL_H
#define PH_POTENTIAL_RADIAL_H

/* Radial functions u(r) with w = -u'(r)/r, so that the force on i is w r, r = r_i - r_j; from 1/r and 1/r^2. The bend
 * x = -w'(r)/r says how the force changes when r moves with velocity v: by w v - x (r.v) r. */

#include "base/lanes.h"

struct ph_radial_value {
    double u, w;
};

struct ph_radial_bend {
    double u, w, x;
};

/* 12-6 Lennard-Jones: u = 4 eps [(sigma/r)^12 - (sigma/r)^6]. Expressions of the constants alone are written
 * separately, so that a loop over pairs computes them once. */
PH_INLINE struct ph_radial_value ph_lennard_jones(double four_epsilon, double sigma2, double inv_r2)
{
    const double sigma6 = sigma2 * sigma2 * sigma2, c6 = four_epsilon * sigma6, c12 = c6 * sigma6;
    const double i4 = inv_r2 * inv_r2, i6 = i4 * inv_r2;
    return (struct ph_radial_value){i6 * ph_fma(c12, i6, -c6), i4 * i4 * ph_fma(12.0 * c12, i6, -(6.0 * c6))};
}

/* The same from products of the constants, which a loop over pairs finds once */
PH_INLINE struct ph_radial_bend ph_lennard_jones_bend(double four_epsilon, double sigma2, double inv_r2)
{
    const double sigma6 = sigma2 * sigma2 * sigma2, c6 = four_epsilon * sigma6, c12 = c6 * sigma6;
    const double i4 = inv_r2 * inv_r2, i6 = i4 * inv_r2, i8 = i4 * i4;
    return (struct ph_radial_bend){i6 * ph_fma(c12, i6, -c6), i8 * ph_fma(12.0 * c12, i6, -(6.0 * c6)),
                                   i8 * inv_r2 * ph_fma(168.0 * c12, i6, -(48.0 * c6))};
}

/* u = 4 eps (sigma/r)^12 */
PH_INLINE struct ph_radial_value ph_soft_sphere_12(double four_epsilon, double sigma2, double inv_r2)
{
    const double sigma6 = sigma2 * sigma2 * sigma2, c12 = four_epsilon * (sigma6 * sigma6);
    const double i6 = inv_r2 * inv_r2 * inv_r2, u = c12 * (i6 * i6);
    return (struct ph_radial_value){u, 12.0 * u * inv_r2};
}

/* u = A (sigma/r)^n with any exponent */
PH_INLINE struct ph_radial_value ph_inverse_power(double a, double sigma2, double n, double inv_r2)
{
    const double u = a * ph_exp(0.5 * n * ph_log(sigma2 * inv_r2));
    return (struct ph_radial_value){u, n * u * inv_r2};
}

/* Of any single power r^-n: w = n u/r^2 is one of r^-(n+2) */
PH_INLINE struct ph_radial_bend ph_power_bend(struct ph_radial_value f, double n, double inv_r2)
{
    return (struct ph_radial_bend){f.u, f.w, (n + 2.0) * f.w * inv_r2};
}

#endif
