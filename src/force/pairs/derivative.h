/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_DERIVATIVE_H
#define PH_FORCE_PAIRS_DERIVATIVE_H

/* How pair forces and torques change when molecules move: the pass after a force pass, over the same tiles. */

#include "force/pairs/derivative_loop.h"

/* Scratch, made on first use; all zero before */
struct ph_derivative {
    double *moving; /* owned; fields of each molecule and their rates, see derivative_loop.h */
    size_t n_tiles;
    struct ph_derivative_tile *tile; /* owned */
};

void ph_derivative_clear(struct ph_derivative *work);

/* `site` and `tiles` are as the force pass left them, with the forces on sites in tiles->tile[d].out. Velocities
 * of centres and angular velocities (space frame) in, rates of forces and torques (space frame) out. */
enum ph_status ph_derivative_evaluate(const struct ph_pair_table *table, const struct ph_system *system,
                                      const double *site, const struct ph_tiles *tiles, double *const velocity[3],
                                      double *const omega[3], struct ph_derivative *work, double *const force_rate[3],
                                      double *const torque_rate[3], struct ph_error *err);

#endif
