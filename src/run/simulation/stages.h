/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_STAGES_H
#define PH_RUN_SIMULATION_STAGES_H

/* The stages of a run: from what the input says of them to what moves the system. */

#include "dynamics/mover.h"
#include "input/input.h"
#include "model/units.h"
#include "run/build/methods.h"
#include "run/observables.h"

/* Stage k begins after this step and at this time; stage n_stages "begins" where the run ends. */
int64_t ph_stage_first(const struct ph_input *input, size_t k);
double ph_stage_time(const struct ph_input *input, size_t k);
/* The stage that goes on after this step */
size_t ph_stage_after(const struct ph_input *input, int64_t step);

/* NVE, NVT, NPT, NPH */
const char *ph_stage_ensemble(const struct ph_input_stage *stage);
/* NaN where none is asked for; a stage without a thermostat is to have the temperature that the stage before it had */
double ph_stage_asked_temperature(const struct ph_input *input, size_t k);
double ph_stage_asked_pressure(const struct ph_input *input, size_t k);
/* In words, for logs and files: "NVT, langevin at 300, scheme ..., step 0.002" */
enum { PH_STAGE_WORDS = 512 };
void ph_stage_describe(const struct ph_input *input, size_t k, char words[PH_STAGE_WORDS]);

/* Degrees of freedom in stage k: a bath that acts on each molecule for itself also moves the centre of mass. */
struct ph_degrees ph_stage_degrees(const struct ph_input *input, size_t k, const struct ph_system *system,
                                   const struct ph_interactions *interactions);

/* Whether all that the stages ask for goes together, with each other and with the system: for `check` and `run`. */
enum ph_status ph_stages_check(const struct ph_input *input, const struct ph_system *system,
                               const struct ph_interactions *interactions, struct ph_error *err);

/* What moves the system in stage k */
enum ph_status ph_stage_options(const struct ph_input *input, size_t k, const struct ph_system *system,
                                const struct ph_interactions *interactions, struct ph_mover_options *options,
                                struct ph_error *err);

#endif
