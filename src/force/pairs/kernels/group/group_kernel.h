/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_GROUP_GROUP_KERNEL_H
#define PH_FORCE_PAIRS_KERNELS_GROUP_GROUP_KERNEL_H

/* Inner loops for two or three sites of molecule i at once, against one site of the molecules j, as in water or carbon
 * dioxide. Data of j are loaded and stored once for all sites, and the computations from distance to force run side by
 * side. Sites have charges, and the first of them Lennard-Jones centres too; or these alone. */

#include "force/pairs/kernels/kernel.h"

enum { PH_GROUP_MAX = 3 };

/* As ph_kernel with PH_ROWS_ADD, with one term and one site for each site of i. The terms have one cutoff, one switch
 * and one reaction field. */
typedef void ph_group_kernel(const struct ph_pair_term *const term[], size_t n, const struct ph_kernel_j *j,
                             struct ph_kernel_i i[]);

/* The same for a combination that is decided at run time; only in builds with PH_KERNELS_AT_RUN_TIME */
void ph_group_any(size_t n_sites, size_t n_lj, bool charges, enum ph_truncate truncate, bool energy,
                  const struct ph_pair_term *const term[], size_t n, const struct ph_kernel_j *j,
                  struct ph_kernel_i i[]);

/* Finds a kernel for n_sites; the first n_lj have Lennard-Jones centres. If charges end by themselves, `truncate`
 * applies to these centres. NULL if there is none: then take kernels for single sites. */
ph_group_kernel *ph_group_find(size_t n_sites, size_t n_lj, bool charges, enum ph_truncate truncate, bool energy);

#endif
