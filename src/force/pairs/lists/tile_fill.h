/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LISTS_TILE_FILL_H
#define PH_FORCE_PAIRS_LISTS_TILE_FILL_H

#include "force/pairs/lists/tile.h"
#include "force/pairs/pair_table.h"

/* The sites of a tile's molecules and of its copies, each shifted as its image is; what will be found for them is zero.
 */
void ph_tile_fill(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                  const double shift[][3], struct ph_tile *tile);

#endif
