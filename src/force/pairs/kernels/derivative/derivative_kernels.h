/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_DERIVATIVE_DERIVATIVE_KERNELS_H
#define PH_FORCE_PAIRS_KERNELS_DERIVATIVE_DERIVATIVE_KERNELS_H

/* The families of derivative kernels, [truncate][rows], by the file that instantiates them; only derivative_kernel.c
 * reads this. */

#include "force/pairs/kernels/derivative/derivative_kernel.h"

typedef ph_derivative_kernel *const ph_derivative_family[PH_TRUNCATE_KINDS][PH_ROWS_KINDS];

/* derivative_kernels_lj.c */
extern ph_derivative_family ph_derivative_lj, ph_derivative_lj_charge, ph_derivative_lj_dipole;
/* derivative_kernels_soft.c */
extern ph_derivative_family ph_derivative_soft12, ph_derivative_soft12_charge, ph_derivative_soft12_dipole;
/* derivative_kernels_power.c */
extern ph_derivative_family ph_derivative_in_loop, ph_derivative_wca;
/* derivative_kernels_electric.c */
extern ph_derivative_family ph_derivative_charge_charge, ph_derivative_charge_dipole, ph_derivative_dipole_charge,
    ph_derivative_dipole_dipole;
/* derivative_kernels_screened.c, derivative_kernels_screened_mixed.c */
extern ph_derivative_family ph_derivative_screened_charge_charge, ph_derivative_screened_charge_dipole,
    ph_derivative_screened_dipole_charge, ph_derivative_screened_dipole_dipole;

#endif
