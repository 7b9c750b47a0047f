/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LOOPS_DERIVATIVE_H
#define PH_FORCE_PAIRS_LOOPS_DERIVATIVE_H

/* How pair forces and torques change when molecules move: the pass after a force pass, over the same tiles. */

#include "force/pairs/loops/derivative_loop.h"
#include "force/term.h"

/* Scratch, made on first use; all zero before */
struct ph_derivative {
    double *moving; /* owned; fields of each molecule and their rates, see derivative_loop.h */
    size_t n_tiles;
    struct ph_derivative_tile *tile; /* owned */
};

void ph_derivative_clear(struct ph_derivative *work);

/* `site` and `tiles` come from the last force pass; forces on sites are in tiles->tile[t].out. Adds to the rates. A
 * rank knows the motion of its own molecules, and adds to the rates of these. */
enum ph_status ph_derivative_add(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                                 const struct ph_tiles *tiles, const struct ph_rates *rates, struct ph_derivative *work,
                                 struct ph_error *err);

#endif
