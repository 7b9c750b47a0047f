/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/derivative_kernels.h"
#include "force/pairs/kernels/derivative_template.h"

PH_DERIVATIVE_FAMILY(ph_derivative_soft, PH_KERNEL_SOFT, PH_KERNEL_NO_ELECTRIC)
PH_DERIVATIVE_FAMILY(ph_derivative_mie, PH_KERNEL_MIE, PH_KERNEL_NO_ELECTRIC)
PH_DERIVATIVE_ENDED_FAMILY(ph_derivative_wca, PH_KERNEL_WCA)
