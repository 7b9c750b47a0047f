/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LOOPS_SHARED_LOOP_H
#define PH_FORCE_PAIRS_LOOPS_SHARED_LOOP_H

#include "force/pairs/lists/tile.h"
#include "force/sites.h"

/* The pair loop over our tiles, where processes share them. Tiles without copies of molecules of others are done while
 * guests and sums travel: some before guests have come, some after sums have left. The sums of others' copies of our
 * molecules are here at the end. */
void ph_shared_loop(const struct ph_sites *sites, const struct ph_system *system, bool energy,
                    const struct ph_tiles *tiles);

#endif
