/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_SHARE_SETTLE_H
#define PH_FORCE_PAIRS_SHARE_SETTLE_H

/* Molecules go where their cells belong, before lists are made, where each process knows the state of its own alone.
 *
 * Each process counts its molecules in each cell. The sums of all, integers, are what the system is cut into tiles by,
 * the same in every process, and owners of tiles are chosen. Then whoever has a molecule whose cell is now another's
 * sends it there with all of its state; and the positions of those in cells around cells of another, which are
 * candidates for its lists, go there too. So nothing but counts goes to all. */

#include "force/pairs/lists/cells.h"
#include "force/pairs/share/share.h"

/* Lists were made before (tiles->share), and owners are those of then, for whom `state` are rows of the present state.
 * Leaves new owners, and in cells those molecules that are ours or candidates, in the order of their places in each as
 * if all were here. All processes get the same status; after a failure neither tiles nor cells can be used. */
enum ph_status ph_settle(const struct ph_system *system, const struct ph_column_set *state, double radius,
                         struct ph_tiles *tiles, struct ph_cells *cells, struct ph_error *err);

#endif
