/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_SIMULATION_CHECKPOINT_H
#define PH_RUN_SIMULATION_SIMULATION_CHECKPOINT_H

/* A simulation to and from its checkpoint */

#include "run/simulation/simulation_parts.h"

/* Fails if the processes of the team do not hold the same state of the same run. */
enum ph_status ph_simulation_compare(const struct ph_simulation *simulation, bool whole, struct ph_error *err);
/* A checkpoint of the present state, which the system is then. Nothing may be pending. */
enum ph_status ph_simulation_save(struct ph_simulation *simulation, struct ph_error *err);
/* The same in two parts: what the present step has besides the state; a checkpoint of that and of the state, which need
 * not be the present one any more */
void ph_simulation_note(struct ph_simulation *simulation, struct ph_saved *saved);
/* simulation_blocks.c: */
void ph_simulation_add_state(const struct ph_saved *saved, const struct ph_snapshot *state,
                             struct ph_checkpoint *checkpoint); /* arrays of molecules, with what belongs to them */
enum ph_status ph_simulation_write_saved(struct ph_simulation *simulation, const struct ph_saved *saved,
                                         const struct ph_snapshot *state, struct ph_error *err);
/* Into a simulation that is all zero */
enum ph_status ph_simulation_load(struct ph_simulation *simulation, const char *file, const char *backend,
                                  struct ph_error *err);

#endif
