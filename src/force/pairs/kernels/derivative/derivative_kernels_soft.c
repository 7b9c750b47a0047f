/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/derivative/derivative_kernels.h"
#include "force/pairs/kernels/derivative/derivative_template.h"

PH_DERIVATIVE_FAMILY(ph_derivative_soft12, PH_KERNEL_SOFT_12, PH_KERNEL_NO_ELECTRIC)
PH_DERIVATIVE_FAMILY(ph_derivative_soft12_charge, PH_KERNEL_SOFT_12, PH_KERNEL_CHARGE_CHARGE)
PH_DERIVATIVE_FAMILY(ph_derivative_soft12_dipole, PH_KERNEL_SOFT_12, PH_KERNEL_DIPOLE_DIPOLE)
