/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_GROUP_KERNEL_H
#define PH_FORCE_PAIRS_KERNELS_GROUP_KERNEL_H

/* Inner loops for two or three charges of molecule i at once, against one charge of the molecules j, as in water. What
 * belongs to j is loaded and stored once for all, and the ways from distance to force run side by side. The first of
 * three may also have a Lennard-Jones centre. */

#include "force/pairs/kernels/kernel.h"

enum { PH_GROUP_MAX = 3 };

/* As ph_kernel, with rows of positions to which forces are added; one term and one site for each charge of i */
typedef void ph_group_kernel(const struct ph_pair_term *const term[], size_t n, const struct ph_kernel_j *j,
                             struct ph_kernel_i i[]);

/* NULL where there is none: then take kernels for single sites. */
ph_group_kernel *ph_group_find(size_t n_sites, bool lennard_jones_first, enum ph_truncate truncate, bool energy);

#endif
