/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LOOPS_SHARED_LOOP_H
#define PH_FORCE_PAIRS_LOOPS_SHARED_LOOP_H

#include "force/pairs/lists/tile.h"
#include "force/sites.h"

/* Runs the pair loop over our tiles where ranks share them. Evaluates tiles without copies of remote molecules while
 * ghosts and sums travel: some before ghosts have arrived, some after sums have left. At the end the sums of copies of
 * our molecules on other ranks have arrived. */
void ph_shared_loop(const struct ph_sites *sites, const struct ph_system *system, bool energy,
                    const struct ph_tiles *tiles);

#endif
