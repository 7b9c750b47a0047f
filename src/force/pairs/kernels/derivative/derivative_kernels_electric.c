/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/derivative/derivative_kernels.h"
#include "force/pairs/kernels/derivative/derivative_template.h"

PH_DERIVATIVE_FAMILY(ph_derivative_charge_charge, PH_KERNEL_NO_RADIAL, PH_KERNEL_CHARGE_CHARGE)
PH_DERIVATIVE_FAMILY(ph_derivative_charge_dipole, PH_KERNEL_NO_RADIAL, PH_KERNEL_CHARGE_DIPOLE)
PH_DERIVATIVE_FAMILY(ph_derivative_dipole_charge, PH_KERNEL_NO_RADIAL, PH_KERNEL_DIPOLE_CHARGE)
PH_DERIVATIVE_FAMILY(ph_derivative_dipole_dipole, PH_KERNEL_NO_RADIAL, PH_KERNEL_DIPOLE_DIPOLE)
