/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/group/group_template.h"
#include "force/pairs/kernels/group/groups.h"

PH_GROUP_FAMILY(ph_groups_lj_1_of_2, 2, 1, true)
PH_GROUP_FAMILY(ph_groups_lj_1_of_3, 3, 1, true)
