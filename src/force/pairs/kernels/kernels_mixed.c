/* SPDX-License-Identifier: MIT */
/* Mixtures of molecules that differ in constants alone */
#include "force/pairs/kernels/kernel_template.h"
#include "force/pairs/kernels/kernels.h"

PH_KERNEL_MIXED_FAMILY(ph_kernels_mixed_lj, PH_KERNEL_LENNARD_JONES, PH_KERNEL_NO_ELECTRIC)
PH_KERNEL_MIXED_FAMILY(ph_kernels_mixed_lj_charge, PH_KERNEL_LENNARD_JONES, PH_KERNEL_CHARGE_CHARGE)
PH_KERNEL_MIXED_FAMILY(ph_kernels_mixed_lj_dipole, PH_KERNEL_LENNARD_JONES, PH_KERNEL_DIPOLE_DIPOLE)
PH_KERNEL_MIXED_FAMILY(ph_kernels_mixed_soft12_dipole, PH_KERNEL_SOFT_12, PH_KERNEL_DIPOLE_DIPOLE)
