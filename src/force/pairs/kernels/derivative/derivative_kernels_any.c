/* SPDX-License-Identifier: MIT */
/* As kernels_any.c; templates have functions of the same names, so that each has a file of its own */
#include "force/pairs/kernels/derivative/derivative_template.h"

#ifdef PH_KERNELS_AT_RUN_TIME

void ph_derivative_any(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                       enum ph_kernel_rows rows, const struct ph_pair_term *term, size_t n,
                       const struct ph_derivative_j *j, struct ph_derivative_i *i)
{
    derivative_kernel(radial, electric, truncate, rows, term, n, j, i);
}

#endif
