/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_RANKS_MIGRATE_H
#define PH_FORCE_RANKS_MIGRATE_H

/* Migrates molecules to the ranks that own their cells, before a list build, where each rank knows only the state of
 * its own molecules.
 *
 * Each rank sorts its molecules into cells. The ranks choose owners of tiles and search together where the cells of
 * each rank begin (cut.h). Then each rank sends every molecule whose cell has a new owner to that owner, with its whole
 * state. It also sends the positions of its molecules in cells next to cells of another rank, because they are
 * candidates for the lists of that rank. Only the counts for the search go to all ranks. */

#include "force/pairs/lists/cells.h"
#include "force/ranks/share.h"

/* Needs an earlier list build (tiles->share). Rows in `state` are the present state, in the order of the old owners.
 * Sets the new owners. Fills `cells` with local molecules and candidates, in each cell in the same order as if this
 * rank held all molecules. All ranks return the same status; after a failure neither tiles nor cells can be used. */
enum ph_status ph_migrate(const struct ph_system *system, const struct ph_column_set *state, double radius,
                          struct ph_tiles *tiles, struct ph_cells *cells, struct ph_error *err);

#endif
