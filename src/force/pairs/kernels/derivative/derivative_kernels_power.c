/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/derivative/derivative_kernels.h"
#include "force/pairs/kernels/derivative/derivative_template.h"

PH_DERIVATIVE_FAMILY(ph_derivative_in_loop, PH_KERNEL_IN_LOOP, PH_KERNEL_NO_ELECTRIC)
PH_DERIVATIVE_ENDED_FAMILY(ph_derivative_wca, PH_KERNEL_WCA)
