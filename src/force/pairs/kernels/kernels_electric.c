/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/kernel_template.h"
#include "force/pairs/kernels/kernels.h"

PH_KERNEL_FAMILY(ph_kernels_charge_charge, PH_KERNEL_NO_RADIAL, PH_KERNEL_CHARGE_CHARGE)
PH_KERNEL_FAMILY(ph_kernels_charge_dipole, PH_KERNEL_NO_RADIAL, PH_KERNEL_CHARGE_DIPOLE)
PH_KERNEL_FAMILY(ph_kernels_dipole_charge, PH_KERNEL_NO_RADIAL, PH_KERNEL_DIPOLE_CHARGE)
PH_KERNEL_FAMILY(ph_kernels_dipole_dipole, PH_KERNEL_NO_RADIAL, PH_KERNEL_DIPOLE_DIPOLE)
