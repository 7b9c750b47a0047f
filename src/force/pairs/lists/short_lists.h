/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LISTS_SHORT_LISTS_H
#define PH_FORCE_PAIRS_LISTS_SHORT_LISTS_H

/* Lists too short to fill vectors: pairs of many molecules are done together. */

#include "force/pairs/lists/tile.h"
#include "force/pairs/pair_table.h"

/* All molecules of species `own` with their neighbours of species s, of the kind that begins with species `kind` */
void ph_short_lists(const struct ph_pair_table *table, const struct ph_system *system, size_t own, size_t kind,
                    size_t s, bool energy, struct ph_tile *tile);

#endif
