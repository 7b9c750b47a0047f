/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/group/group_template.h"
#include "force/pairs/kernels/group/groups.h"

PH_GROUP_FAMILY(ph_groups_lj_2_of_2, 2, 2, true)
PH_GROUP_FAMILY(ph_groups_lj_2_of_3, 3, 2, true)
PH_GROUP_FAMILY(ph_groups_lj_3_of_3, 3, 3, true)
