/* SPDX-License-Identifier: MIT */
/* Builds for tests only compile each template once, and decide at run time instead of compile time: seconds in place of
 * minutes, the same arithmetic, and one place for a debugger to stop. Other builds have nothing here. */
#include "force/pairs/kernels/group/group_template.h"
#include "force/pairs/kernels/kernel_template.h"

#ifdef PH_KERNELS_AT_RUN_TIME

void ph_kernel_any(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                   enum ph_kernel_rows rows, bool energy, const struct ph_pair_term *term, size_t n,
                   const struct ph_kernel_j *j, struct ph_kernel_i *i)
{
    pair_kernel(radial, electric, truncate, rows, energy, term, n, j, i);
}

void ph_group_any(size_t n_sites, size_t n_lj, bool charges, enum ph_truncate truncate, bool energy,
                  const struct ph_pair_term *const term[], size_t n, const struct ph_kernel_j *j,
                  struct ph_kernel_i i[])
{
    group_kernel(n_sites, n_lj, charges, truncate, energy, term, n, j, i);
}

#endif
