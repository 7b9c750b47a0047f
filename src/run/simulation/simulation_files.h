/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_SIMULATION_FILES_H
#define PH_RUN_SIMULATION_SIMULATION_FILES_H

#include "run/simulation/simulation_parts.h"

/* Creates the trajectory of a simulation, or opens the existing one of a resumed run. */
enum ph_status ph_simulation_open(struct ph_simulation *simulation, bool overwrite, struct ph_error *err);
/* Opens a writer on each rank that writes frames. Every rank must call this, after rank 0 has opened the trajectory. */
enum ph_status ph_simulation_open_writer(struct ph_simulation *simulation, struct ph_error *err);

/* simulation_blocks.c: whether files are written some molecules at a time, and whether all ranks write them. Then every
 * rank must call the functions of simulation_together.c. ph_simulation_write_frame writes a frame if the plan wants one
 * at this step; rank 0 passes its `status` so far, and no flow may be pending. ph_simulation_write_checkpoint writes a
 * checkpoint of PH_CHECKPOINT_LARGE molecules or more. */
bool ph_simulation_collective(const struct ph_simulation *simulation);
bool ph_simulation_by_blocks(const struct ph_simulation *simulation);
bool ph_simulation_may_write_blocks(const struct ph_simulation *simulation); /* as far as files are concerned */
enum ph_status ph_simulation_write_frame(struct ph_simulation *simulation, enum ph_status status, struct ph_error *err);
enum ph_status ph_simulation_write_checkpoint(const struct ph_simulation *simulation, const struct ph_saved *saved,
                                              const struct ph_snapshot *state, const struct ph_checkpoint *checkpoint,
                                              struct ph_error *err);
/* simulation_blocks.c: as ph_state_hash, but every rank must call this */
enum ph_status ph_simulation_hash(const struct ph_simulation *simulation, uint64_t *hash, struct ph_error *err);

/* simulation_pending.c: output whose state is transferred from a backend during the next steps. Returns true if the
 * state supports this. */
bool ph_simulation_can_transfer(const struct ph_simulation *simulation);
/* Begins the frame of the present step, which may be pending from then on. Nothing may be pending before. */
enum ph_status ph_simulation_send_frame(struct ph_simulation *simulation, struct ph_error *err);
/* Begins a checkpoint of the present step, also while a frame of this step is pending. `wait`: nothing is pending
 * afterwards, and the system holds the present state */
enum ph_status ph_simulation_send_checkpoint(struct ph_simulation *simulation, bool wait, struct ph_error *err);
/* Writes pending output if its state has arrived; `wait`: waits for it. */
enum ph_status ph_simulation_deliver(struct ph_simulation *simulation, bool wait, struct ph_error *err);

#endif
