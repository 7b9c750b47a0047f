/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_SIMULATION_FILES_H
#define PH_RUN_SIMULATION_SIMULATION_FILES_H

#include "run/simulation/simulation_parts.h"

/* Makes the trajectory of a simulation, or opens that of one that goes on */
enum ph_status ph_simulation_open(struct ph_simulation *simulation, bool overwrite, struct ph_error *err);
/* Every process of a team, once the first has the trajectory: those who put numbers into it get a writer. */
enum ph_status ph_simulation_open_writer(struct ph_simulation *simulation, struct ph_error *err);

/* simulation_blocks.c: whether files are written some molecules at a time, and whether all processes do so. Then all
 * call those of simulation_together.c: a frame, if the plan wants one at this step, and the first process has `status`
 * so far, no flow pending; a checkpoint, of PH_CHECKPOINT_LARGE molecules or more */
bool ph_simulation_collective(const struct ph_simulation *simulation);
bool ph_simulation_by_blocks(const struct ph_simulation *simulation);
bool ph_simulation_may_write_blocks(const struct ph_simulation *simulation); /* as far as files are concerned */
enum ph_status ph_simulation_write_frame(struct ph_simulation *simulation, enum ph_status status, struct ph_error *err);
enum ph_status ph_simulation_write_checkpoint(const struct ph_simulation *simulation, const struct ph_saved *saved,
                                              const struct ph_snapshot *state, const struct ph_checkpoint *checkpoint,
                                              struct ph_error *err);
/* simulation_blocks.c: as ph_state_hash, for all processes */
enum ph_status ph_simulation_hash(const struct ph_simulation *simulation, uint64_t *hash, struct ph_error *err);

/* simulation_pending.c: output whose state crosses from a backend while steps go on. Where the state can do so: */
bool ph_simulation_crosses(const struct ph_simulation *simulation);
/* The frame of the present step, which may be pending from then on; nothing is pending before. */
enum ph_status ph_simulation_send_frame(struct ph_simulation *simulation, struct ph_error *err);
/* A checkpoint of the present step, likewise, also with a frame of this step pending; `wait`: nothing is pending then,
 * and the system is the present state */
enum ph_status ph_simulation_send_checkpoint(struct ph_simulation *simulation, bool wait, struct ph_error *err);
/* Writes what is pending, if it has arrived; `wait`: it has then. */
enum ph_status ph_simulation_deliver(struct ph_simulation *simulation, bool wait, struct ph_error *err);

#endif
