/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_KERNELS_H
#define PH_FORCE_PAIRS_KERNELS_KERNELS_H

/* The families of kernels, [truncate][rows][energy], by the file that instantiates them; only kernel.c reads this. */

#include "force/pairs/kernels/kernel.h"

typedef ph_kernel *const ph_kernel_family[PH_TRUNCATE_KINDS][PH_ROWS_KINDS][2];

extern ph_kernel_family ph_kernels_lj, ph_kernels_lj_charge, ph_kernels_lj_dipole;             /* kernels_lj.c */
extern ph_kernel_family ph_kernels_soft12, ph_kernels_soft12_charge, ph_kernels_soft12_dipole; /* kernels_soft.c */
extern ph_kernel_family ph_kernels_in_loop, ph_kernels_wca;                                    /* kernels_power.c */
/* kernels_electric.c */
extern ph_kernel_family ph_kernels_charge_charge, ph_kernels_charge_dipole, ph_kernels_dipole_charge,
    ph_kernels_dipole_dipole;
/* kernels_screened.c, kernels_screened_mixed.c */
extern ph_kernel_family ph_kernels_screened_charge_charge, ph_kernels_screened_charge_dipole,
    ph_kernels_screened_dipole_charge, ph_kernels_screened_dipole_dipole;
/* kernels_mixed.c: for rows of mixtures */
extern ph_kernel_family ph_kernels_mixed_lj, ph_kernels_mixed_lj_charge, ph_kernels_mixed_lj_dipole,
    ph_kernels_mixed_soft12_dipole;

#endif
