/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/group/groups.h"

ph_group_kernel *ph_group_find(size_t n_sites, size_t n_lj, bool charges, enum ph_truncate truncate, bool energy)
{
    static const ph_group_family *const charged[PH_GROUP_MAX + 1][PH_GROUP_MAX + 1] = {
        [2] = {&ph_groups_charges_2, &ph_groups_lj_1_of_2, &ph_groups_lj_2_of_2},
        [3] = {&ph_groups_charges_3, &ph_groups_lj_1_of_3, &ph_groups_lj_2_of_3, &ph_groups_lj_3_of_3},
    };
    static const ph_group_family *const bare[PH_GROUP_MAX + 1] = {[2] = &ph_groups_lj_2, [3] = &ph_groups_lj_3};
    const ph_group_family *family = charges ? charged[n_sites][n_lj] : n_lj == n_sites ? bare[n_sites] : NULL;
    return family ? (*family)[truncate][energy] : NULL;
}
