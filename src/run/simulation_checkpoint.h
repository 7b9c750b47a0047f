/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_CHECKPOINT_H
#define PH_RUN_SIMULATION_CHECKPOINT_H

/* A simulation to and from its checkpoint */

#include "run/simulation_parts.h"

/* Fails if the processes of the team do not hold the same state of the same run. */
enum ph_status ph_simulation_compare(const struct ph_simulation *simulation, struct ph_error *err);
enum ph_status ph_simulation_save(struct ph_simulation *simulation, struct ph_error *err);
/* Into a simulation that is all zero */
enum ph_status ph_simulation_load(struct ph_simulation *simulation, const char *file, const char *backend,
                                  struct ph_error *err);

#endif
