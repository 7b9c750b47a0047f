/* SPDX-License-Identifier: MIT */
#include "force/owned.h"

#include "parallel/team.h"

void ph_owned_add_up(size_t n, struct ph_exact *sums)
{
    ph_team()->sum_wide(n * PH_EXACT_NUMBERS, (int64_t *)sums);
    for (size_t k = 0; k < n; ++k)
        ph_exact_carry(&sums[k]);
}
