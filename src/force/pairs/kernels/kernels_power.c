/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/kernel_template.h"
#include "force/pairs/kernels/kernels.h"

PH_KERNEL_FAMILY(ph_kernels_in_loop, PH_KERNEL_IN_LOOP, PH_KERNEL_NO_ELECTRIC)
PH_KERNEL_ENDED_FAMILY(ph_kernels_wca, PH_KERNEL_WCA)
