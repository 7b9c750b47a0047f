/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/derivative/derivative_kernels.h"
#include "force/pairs/kernels/derivative/derivative_template.h"

PH_DERIVATIVE_FAMILY(ph_derivative_lj, PH_KERNEL_LENNARD_JONES, PH_KERNEL_NO_ELECTRIC)
PH_DERIVATIVE_FAMILY(ph_derivative_lj_charge, PH_KERNEL_LENNARD_JONES, PH_KERNEL_CHARGE_CHARGE)
PH_DERIVATIVE_FAMILY(ph_derivative_lj_dipole, PH_KERNEL_LENNARD_JONES, PH_KERNEL_DIPOLE_DIPOLE)
