/* SPDX-License-Identifier: MIT */
#ifndef PH_INPUT_STAGES_H
#define PH_INPUT_STAGES_H

/* Completes the stages of an input, or makes them of `dynamics` where it lists none. */

#include "input/input.h"

/* Defaults that depend on other keys, and keys that do not go together. Copies the settings of the last stage into
 * input->dynamics. */
enum ph_status ph_input_finish_stages(struct ph_input *input, struct ph_error *err);

/* True if an extended Hamiltonian, of nose-poincare and andersen, moves the stage */
bool ph_input_is_extended(const struct ph_input_stage *stage);

/* "stages[2].thermostat" or "dynamics.thermostat", or the like, for messages about stage k: `part` is "thermostat", and
 * the place where it was written. */
void ph_input_stage_key(const struct ph_input *input, size_t k, const char *part, char key[PH_PATH],
                        char place[PH_PLACE]);
/* Sets the error about a key of stage k: its place and name, then these words. */
__attribute__((format(printf, 5, 6))) enum ph_status ph_refuse_stage(const struct ph_input *input, size_t k,
                                                                     const char *part, struct ph_error *err,
                                                                     const char *format, ...);

#endif
