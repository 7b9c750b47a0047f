/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_SIMULATION_CHECKPOINT_H
#define PH_RUN_SIMULATION_SIMULATION_CHECKPOINT_H

/* Writes and loads checkpoints of a simulation. */

#include "run/simulation/simulation_parts.h"

/* Integers other than state and texts, in this order */
enum { PH_SAVED_COUNTS = 7 };

/* Last parameters chosen for long-range interactions, because another box would lead to others. Their expected error is
 * stored separately. */
enum { PH_SAVED_LONG_RANGE = 21 };

/* Fails if the ranks of the team do not hold the same state of the same run. */
enum ph_status ph_simulation_compare(const struct ph_simulation *simulation, bool whole, struct ph_error *err);
/* Writes a checkpoint of the present state; afterwards the system holds this state. Nothing may be pending. */
enum ph_status ph_simulation_save(struct ph_simulation *simulation, struct ph_error *err);
/* The same in two parts: ph_simulation_note records the data of the present step besides the state.
 * ph_simulation_write_saved writes a checkpoint of these and of the state, which may be an older one by then. */
void ph_simulation_note(struct ph_simulation *simulation, struct ph_saved *saved);
/* simulation_blocks.c: */
void ph_simulation_add_state(const struct ph_saved *saved, const struct ph_snapshot *state,
                             struct ph_checkpoint *checkpoint); /* arrays of molecules and related data */
enum ph_status ph_simulation_write_saved(struct ph_simulation *simulation, const struct ph_saved *saved,
                                         const struct ph_snapshot *state, struct ph_error *err);
/* simulation_load.c: loads a checkpoint into a simulation that is all zero. */
enum ph_status ph_simulation_load(struct ph_simulation *simulation, const char *file, const char *backend,
                                  struct ph_error *err);

#endif
