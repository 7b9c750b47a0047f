/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/derivative/derivative_kernels.h"
#include "force/pairs/kernels/derivative/derivative_template.h"

PH_DERIVATIVE_SCREENED_FAMILY(ph_derivative_screened_charge_charge, PH_KERNEL_SCREENED_CHARGE_CHARGE)
PH_DERIVATIVE_SCREENED_FAMILY(ph_derivative_screened_dipole_dipole, PH_KERNEL_SCREENED_DIPOLE_DIPOLE)
