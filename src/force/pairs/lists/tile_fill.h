/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LISTS_TILE_FILL_H
#define PH_FORCE_PAIRS_LISTS_TILE_FILL_H

#include "force/pairs/lists/tile.h"
#include "force/pairs/pair_table.h"

/* Fills in the sites of a tile's molecules and copies, each with the shift of its image; sets results to zero. */
void ph_tile_fill(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                  const double shift[][3], struct ph_tile *tile);

#endif
