/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_SIMULATION_ABOUT_H
#define PH_RUN_SIMULATION_SIMULATION_ABOUT_H

/* The description of a run in its trajectory: input, models, methods, interactions, and the notes at its start */

#include "base/error.h"

struct ph_about;
struct ph_run_about;
struct ph_simulation;

/* The description refers to texts of the simulation. Destroy it also after a failure. */
enum ph_status ph_run_about_create(const struct ph_simulation *simulation, struct ph_run_about **about,
                                   struct ph_error *err);
const struct ph_about *ph_run_about_entries(const struct ph_run_about *about);
void ph_run_about_destroy(struct ph_run_about *about);

#endif
