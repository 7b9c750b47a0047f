/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_START_PARTS_H
#define PH_RUN_SIMULATION_START_PARTS_H

/* The start of a run that the processes of a team make together: each has molecules of a range of numbers, and never
 * room for more (model/start.h). All call these, with a system of ph_build_reserved. Bits are those of one process. */

#include "force/force_field.h"
#include "input/input.h"
#include "model/system.h"

/* Positions, orientations and momenta as the input has them */
enum ph_status ph_start_parts_make(const struct ph_input *input, const struct ph_interactions *interactions,
                                   struct ph_system *system, struct ph_error *err);
/* Whether anything moves; momenta drawn anew, as ph_start_move */
bool ph_start_parts_moves(const struct ph_system *system);
enum ph_status ph_start_parts_move(double kT, bool exact, bool pinned, uint64_t seed, struct ph_system *system,
                                   struct ph_error *err);
/* As ph_start_stop_drift, later: molecules are with their owners */
enum ph_status ph_start_parts_stop_drift(struct ph_force_field *field, struct ph_system *system, struct ph_error *err);

#endif
