/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_RADIAL_H
#define PH_POTENTIAL_RADIAL_H

/* Radial pair energies u(r) and their derivatives du/dr, from 1/r. */

#include "base/lanes.h"

/* 12-6 Lennard-Jones: u = 4 eps [(sigma/r)^12 - (sigma/r)^6] */
PH_INLINE void ph_lennard_jones(double four_epsilon, double sigma2, double inv_r, double *u, double *du)
{
    const double s2 = sigma2 * inv_r * inv_r, s6 = s2 * s2 * s2, scaled = four_epsilon * s6;
    *u = scaled * (s6 - 1.0);
    *du = -6.0 * scaled * inv_r * ph_fma(2.0, s6, -1.0);
}

/* u = 4 eps (sigma/r)^12 */
PH_INLINE void ph_soft_sphere_12(double four_epsilon, double sigma2, double inv_r, double *u, double *du)
{
    const double s2 = sigma2 * inv_r * inv_r, s6 = s2 * s2 * s2;
    *u = four_epsilon * s6 * s6;
    *du = -12.0 * *u * inv_r;
}

/* u = A (sigma/r)^n with any exponent */
PH_INLINE void ph_inverse_power(double a, double sigma2, double n, double inv_r, double *u, double *du)
{
    *u = a * ph_exp(0.5 * n * ph_log(sigma2 * inv_r * inv_r));
    *du = -n * *u * inv_r;
}

#endif
