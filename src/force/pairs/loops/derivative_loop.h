/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LOOPS_DERIVATIVE_LOOP_H
#define PH_FORCE_PAIRS_LOOPS_DERIVATIVE_LOOP_H

/* All pairs of one tile: coordinates and their rates in, rates of forces on sites and of fields at dipoles out. */

#include "force/pairs/lists/tile.h"
#include "force/pairs/pair_table.h"

/* Beside a tile of the force pass. A molecule of a species with n fields has 2 n here: the fields, then their rates.
 * Field f of local l is at [f * field_step + l * in_step], or out_step. */
struct ph_derivative_tile {
    double *in, *out; /* owned */
    size_t field_step, in_step, out_step;
    size_t room; /* locals that the arrays hold */
};

/* Makes room for the locals of the tile, or does nothing. */
enum ph_status ph_derivative_reserve(const struct ph_pair_table *table, const struct ph_tile *tile,
                                     struct ph_derivative_tile *own, struct ph_error *err);

/* Fields and rates of molecule i are from moving[2 table->record i] on. */
void ph_derivative_loop(const struct ph_pair_table *table, const struct ph_system *system, const double *moving,
                        const struct ph_tiles *tiles, const struct ph_tile *tile, struct ph_derivative_tile *own);

#endif
