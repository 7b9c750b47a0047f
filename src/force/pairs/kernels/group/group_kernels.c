/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/group/group_template.h"
#include "force/pairs/kernels/group/groups.h"

PH_GROUP_FAMILY(ph_groups_charges_2, 2, 0, true)
PH_GROUP_FAMILY(ph_groups_charges_3, 3, 0, true)
PH_GROUP_FAMILY(ph_groups_lj_2, 2, 2, false)
PH_GROUP_FAMILY(ph_groups_lj_3, 3, 3, false)
