/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_START_PARTS_H
#define PH_RUN_SIMULATION_START_PARTS_H

/* Makes the start of a run on all ranks of a team together. Each rank holds its range of molecule numbers and never
 * needs memory for more (model/start.h). Every rank must call these, from a writer of ph_state_write. The resulting
 * bits are the same as on one rank. */

#include "input/input.h"
#include "model/system.h"
#include "state/state.h"

/* Sets positions, orientations and momenta as in the input. */
enum ph_status ph_start_parts_make(const struct ph_input *input, const struct ph_interactions *interactions,
                                   struct ph_system *system, struct ph_error *err);
/* ph_start_parts_moves returns true if any molecule moves; begin .. end-1 are those of this rank. ph_start_parts_move
 * draws new momenta, as ph_start_move. */
bool ph_start_parts_moves(size_t begin, size_t end, const struct ph_system *system);
enum ph_status ph_start_parts_move(double kT, bool exact, bool pinned, uint64_t seed, struct ph_system *system,
                                   struct ph_error *err);
/* As ph_start_stop_drift, during a run. If a device has the molecules, bring them first (ph_state_bring). */
enum ph_status ph_start_parts_stop_drift(struct ph_state *state, struct ph_error *err);

#endif
