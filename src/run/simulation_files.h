/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_FILES_H
#define PH_RUN_SIMULATION_FILES_H

#include "run/simulation_parts.h"

/* Makes the trajectory of a simulation, or opens that of one that goes on */
enum ph_status ph_simulation_open(struct ph_simulation *simulation, bool overwrite, struct ph_error *err);
/* Every process of a team, once the first has the trajectory: if the input says so, files are written together. */
enum ph_status ph_simulation_open_writer(struct ph_simulation *simulation, struct ph_error *err);

/* simulation_together.c: what all processes of such a team call. A frame, if the plan wants one at this step, and the
 * first process has `status` so far; a checkpoint */
enum ph_status ph_simulation_write_frame(struct ph_simulation *simulation, enum ph_status status, struct ph_error *err);
enum ph_status ph_simulation_write_checkpoint(const struct ph_simulation *simulation,
                                              const struct ph_checkpoint *checkpoint, struct ph_error *err);

#endif
