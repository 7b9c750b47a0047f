/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_LOAD_PARTS_H
#define PH_RUN_SIMULATION_LOAD_PARTS_H

/* Loads the state of a checkpoint on all ranks of a team together. Each rank reads its range of molecule numbers
 * (base/ranges.h) and never holds more. The list build then migrates molecules to their owners. Every rank must call
 * these, with a system that was reserved. The resulting bits are the same as on one rank. */

#include "force/force_field.h"
#include "output/checkpoint/checkpoint.h"

/* Reads the system. Fails unless molecules lie in the order of their numbers; otherwise they cannot be read in parts.
 */
enum ph_status ph_load_parts_system(const struct ph_checkpoint *checkpoint, struct ph_system *system,
                                    struct ph_error *err);
/* Then reads the other data of molecules: anchors; residuals, NULL without; and if `lists` is true, the list as it
 * was */
enum ph_status ph_load_parts_memory(const struct ph_checkpoint *checkpoint, bool lists, double *const *residuals,
                                    struct ph_system *system, struct ph_force_field *field, struct ph_error *err);

#endif
