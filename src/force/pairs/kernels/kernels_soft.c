/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/kernel_template.h"
#include "force/pairs/kernels/kernels.h"

PH_KERNEL_FAMILY(ph_kernels_soft12, PH_KERNEL_SOFT_12, PH_KERNEL_NO_ELECTRIC)
PH_KERNEL_FAMILY(ph_kernels_soft12_charge, PH_KERNEL_SOFT_12, PH_KERNEL_CHARGE_CHARGE)
PH_KERNEL_FAMILY(ph_kernels_soft12_dipole, PH_KERNEL_SOFT_12, PH_KERNEL_DIPOLE_DIPOLE)
