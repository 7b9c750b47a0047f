/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_STAGES_H
#define PH_RUN_SIMULATION_STAGES_H

/* The stages of a run: turns their description in the input into options of a mover. */

#include "dynamics/mover.h"
#include "input/input.h"
#include "model/units.h"
#include "run/build/methods.h"
#include "run/observables.h"

/* Returns the step after which stage k begins; stage n_stages "begins" where the run ends. */
int64_t ph_stage_first(const struct ph_input *input, size_t k);
/* Returns the stage that follows this step. */
size_t ph_stage_after(const struct ph_input *input, int64_t step);

/* NVE, NVT, NPT, NPH */
const char *ph_stage_ensemble(const struct ph_input_stage *stage);
/* Return NaN if the input gives none; a stage without a thermostat takes the temperature of the stage before it. */
double ph_stage_asked_temperature(const struct ph_input *input, size_t k);
double ph_stage_asked_pressure(const struct ph_input *input, size_t k);
/* Describes a stage in words, for logs and files: "NVT, langevin at 300, scheme ..., step 0.002" */
enum { PH_STAGE_WORDS = 512 };
void ph_stage_describe(const struct ph_input *input, size_t k, char words[PH_STAGE_WORDS]);

/* Counts the degrees of freedom in stage k. A bath that acts on each molecule separately also moves the centre of
 * mass. */
struct ph_degrees ph_stage_degrees(const struct ph_input *input, size_t k, const struct ph_system *system,
                                   const struct ph_interactions *interactions);

/* Checks that the stages are compatible with each other and with the system: for `check` and `run`. */
enum ph_status ph_stages_check(const struct ph_input *input, const struct ph_system *system,
                               const struct ph_interactions *interactions, struct ph_error *err);

/* Returns the options of the mover of stage k. */
enum ph_status ph_stage_options(const struct ph_input *input, size_t k, const struct ph_system *system,
                                const struct ph_interactions *interactions, struct ph_mover_options *options,
                                struct ph_error *err);

#endif
