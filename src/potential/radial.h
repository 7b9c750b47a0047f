/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_RADIAL_H
#define PH_POTENTIAL_RADIAL_H

/* Radial functions u(r) with w = -u'(r)/r, so that the force on i is w r, r = r_i - r_j; from 1/r and 1/r^2. */

#include "base/lanes.h"

struct ph_radial_value {
    double u, w;
};

/* 12-6 Lennard-Jones: u = 4 eps [(sigma/r)^12 - (sigma/r)^6] */
PH_INLINE struct ph_radial_value ph_lennard_jones(double four_epsilon, double sigma2, double inv_r2)
{
    const double s2 = sigma2 * inv_r2, s6 = s2 * s2 * s2, scaled = four_epsilon * s6;
    return (struct ph_radial_value){scaled * (s6 - 1.0), scaled * inv_r2 * ph_fma(12.0, s6, -6.0)};
}

/* u = 4 eps (sigma/r)^12 */
PH_INLINE struct ph_radial_value ph_soft_sphere_12(double four_epsilon, double sigma2, double inv_r2)
{
    const double s2 = sigma2 * inv_r2, s6 = s2 * s2 * s2, u = four_epsilon * s6 * s6;
    return (struct ph_radial_value){u, 12.0 * u * inv_r2};
}

/* u = A (sigma/r)^n with any exponent */
PH_INLINE struct ph_radial_value ph_inverse_power(double a, double sigma2, double n, double inv_r2)
{
    const double u = a * ph_exp(0.5 * n * ph_log(sigma2 * inv_r2));
    return (struct ph_radial_value){u, n * u * inv_r2};
}

#endif
