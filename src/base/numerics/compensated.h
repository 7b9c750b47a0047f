/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_NUMERICS_COMPENSATED_H
#define PH_BASE_NUMERICS_COMPENSATED_H

#include "base/lanes.h"

/* value += increment. The residual keeps the rounding error, and adds it to the next increment (Knuth's sum of two
 * numbers, in any order of size). */
PH_INLINE void ph_add_compensated(double increment, double *value, double *residual)
{
    const double d = increment + *residual, sum = *value + d, apparent = sum - *value;
    *residual = (*value - (sum - apparent)) + (d - apparent);
    *value = sum;
}

#endif
