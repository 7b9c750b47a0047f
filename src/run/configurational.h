/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_CONFIGURATIONAL_H
#define PH_RUN_CONFIGURATIONAL_H

/* The temperature of positions and orientations, whatever the momenta. kT is the mean of the squared gradient of the
 * potential energy over the mean of its Laplacian. configurational.c has the derivation. */

#include "state/state.h"

#include <stdbool.h>
#include <stdint.h>

/* Sums over all molecules: of centres, and of rotations about the axes of space */
struct ph_configurational {
    double squared_force, laplacian_translation; /* the Laplacians are estimates, right in the mean */
    double squared_torque, laplacian_rotation;
};

/* Of a state whose forces were just evaluated. Random signs are drawn by counter, from seed, step and the numbers of
 * molecules. With pinned centres the sums over these are 0. */
enum ph_status ph_configurational_observe(struct ph_state *state, bool pinned, uint64_t seed, int64_t step,
                                          struct ph_configurational *out, struct ph_error *err);

/* Where forces jump the Laplacian has parts that no state shows: that is an error, which names the key of the input. */
enum ph_status ph_configurational_check(const struct ph_system *system, const struct ph_interactions *interactions,
                                        struct ph_error *err);

#endif
