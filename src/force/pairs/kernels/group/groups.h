/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_GROUP_GROUPS_H
#define PH_FORCE_PAIRS_KERNELS_GROUP_GROUPS_H

/* The families of kernels for groups, [truncate][energy], by the file that instantiates them; only group_kernel.c reads
 * this. lj_2_of_3: three charges, the first two with Lennard-Jones centres. */

#include "force/pairs/kernels/group/group_kernel.h"

typedef ph_group_kernel *const ph_group_family[PH_TRUNCATE_KINDS][2];

extern ph_group_family ph_groups_charges_2, ph_groups_charges_3, ph_groups_lj_2, ph_groups_lj_3; /* group_kernels.c */
extern ph_group_family ph_groups_lj_1_of_2, ph_groups_lj_1_of_3;                      /* group_kernels_lj.c */
extern ph_group_family ph_groups_lj_2_of_2, ph_groups_lj_2_of_3, ph_groups_lj_3_of_3; /* group_kernels_lj_more.c */

#endif
