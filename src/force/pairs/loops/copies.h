/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LOOPS_COPIES_H
#define PH_FORCE_PAIRS_LOOPS_COPIES_H

/* Sums over the copies of a molecule in all tiles, in the order of the tiles */

#include "force/pairs/lists/tile.h"
#include "force/pairs/loops/gather.h"

/* Sums the fields of all copies of molecule i. field_step: distance between fields of a copy if it is 1, as for lists.
 * Copies lie in several tiles, which are in the memory of another core or, in large systems, not in the cache at all.
 * So some copies of the next molecules are fetched too. */
PH_INLINE void ph_copies_sum_fields(const struct ph_tiles *tiles, size_t i, size_t n_fields, size_t field_step,
                                    double *restrict sum)
{
    double *const *at = tiles->copy_out;
    for (size_t f = 0; f < n_fields; ++f)
        sum[f] = 0.0;
    for (size_t c = tiles->first[i]; c < tiles->first[i + 1]; ++c) {
        const double *restrict out = at[c];
        if (field_step == 1) {
            __builtin_prefetch(at[c + PH_COPIES_AHEAD]);
            __builtin_prefetch(at[c + PH_COPIES_AHEAD] + n_fields - 1);
        }
        const size_t step = field_step == 1 ? 1 : tiles->tile[tiles->copy_tile[c]].field_step;
        for (size_t f = 0; f < n_fields; ++f)
            sum[f] += out[f * step];
    }
}

static inline void ph_copies_sum(const struct ph_tiles *tiles, size_t i, size_t n_fields, double *sum)
{
    if (tiles->tile[tiles->here[0]].field_step == 1) /* all tiles here have one layout */
        PH_FOR_FIELDS(n_fields, ph_copies_sum_fields(tiles, i, FIELDS, 1, sum))
    else
        ph_copies_sum_fields(tiles, i, n_fields, 0, sum);
}

#endif
