/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/derivative/derivative_kernels.h"
#include "force/pairs/kernels/derivative/derivative_template.h"

PH_DERIVATIVE_SCREENED_FAMILY(ph_derivative_screened_charge_dipole, PH_KERNEL_SCREENED_CHARGE_DIPOLE)
PH_DERIVATIVE_SCREENED_FAMILY(ph_derivative_screened_dipole_charge, PH_KERNEL_SCREENED_DIPOLE_CHARGE)
