/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_LOAD_MOLECULES_H
#define PH_RUN_SIMULATION_LOAD_MOLECULES_H

/* Writes the molecules of a checkpoint to a state. Each process reads only the molecules that ph_state_write asks for.
 * The resulting bits do not depend on their number. */

#include "output/checkpoint/checkpoint.h"
#include "state/state.h"

/* `lists`: also restores pair lists as they were. `in_parts`: as of ph_state_in_parts; then it fails unless molecules
 * lie in the order of their numbers, because otherwise they cannot be read in parts. Every rank must call this. */
enum ph_status ph_load_molecules(const struct ph_checkpoint *checkpoint, bool lists, bool in_parts,
                                 struct ph_state *state, struct ph_error *err);

#endif
