/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/kernel_template.h"
#include "force/pairs/kernels/kernels.h"

PH_KERNEL_FAMILY(ph_kernels_lj, PH_KERNEL_LENNARD_JONES, PH_KERNEL_NO_ELECTRIC)
PH_KERNEL_FAMILY(ph_kernels_lj_charge, PH_KERNEL_LENNARD_JONES, PH_KERNEL_CHARGE_CHARGE)
PH_KERNEL_FAMILY(ph_kernels_lj_dipole, PH_KERNEL_LENNARD_JONES, PH_KERNEL_DIPOLE_DIPOLE)
