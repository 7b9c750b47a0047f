/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/kernel_template.h"
#include "force/pairs/kernels/kernels.h"

PH_KERNEL_SCREENED_FAMILY(ph_kernels_screened_charge_dipole, PH_KERNEL_SCREENED_CHARGE_DIPOLE)
PH_KERNEL_SCREENED_FAMILY(ph_kernels_screened_dipole_charge, PH_KERNEL_SCREENED_DIPOLE_CHARGE)
