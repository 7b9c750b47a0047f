/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_RANGES_H
#define PH_BASE_RANGES_H

/* Numbered things that several share: each has a range of whole blocks, but for the last one. Sums that are made of
 * each block apart do not depend on how many share, and no two write to one page of a file. */

#include <stddef.h>

enum { PH_RANGE_BLOCK = 4096 };

/* Which of n are of `rank`, of `size` that share them: begin .. end-1 */
static inline void ph_range_of(size_t n, size_t rank, size_t size, size_t *begin, size_t *end)
{
    const size_t blocks = (n + PH_RANGE_BLOCK - 1) / PH_RANGE_BLOCK;
    const size_t first = PH_RANGE_BLOCK * (blocks * rank / size), last = PH_RANGE_BLOCK * (blocks * (rank + 1) / size);
    *begin = first < n ? first : n;
    *end = last < n ? last : n;
}

#endif
