/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LOOPS_PAIR_LOOP_H
#define PH_FORCE_PAIRS_LOOPS_PAIR_LOOP_H

/* All pairs of one tile: coordinates in, forces on sites and fields at dipoles out, on request energies and virial. */

#include "force/pairs/lists/tile.h"
#include "force/pairs/loops/help.h"
#include "force/pairs/pair_table.h"

/* Field f of molecule i, positions and dipoles of its sites in space, is at site[i table->record + f]. help: threads
 * that may help; NULL: none */
void ph_pair_loop(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                  const struct ph_tiles *tiles, bool energy, struct ph_help *help, struct ph_tile *tile);

/* Helps other threads with their tiles, as long as that is worth it. For a thread of their team, after all tiles have
 * been begun, with the same arguments as ph_pair_loop and without energies */
void ph_pair_loop_help(const struct ph_pair_table *table, const struct ph_system *system, const struct ph_tiles *tiles,
                       struct ph_help *help);

#endif
