/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_SIMULATION_CHECKS_H
#define PH_RUN_SIMULATION_SIMULATION_CHECKS_H

/* Checks energies and temperatures during a run, and explains failures. */

#include "run/simulation/simulation_parts.h"

/* Returns kinetic energy plus |potential energy|, the measure of errors of the energy. */
double ph_energy_size(const struct ph_observables *o);
/* Fails if the conserved energy has left its bound. `before` is its value at the last row, of step_before. */
enum ph_status ph_simulation_check_energy(const struct ph_simulation *simulation, double before, int64_t step_before,
                                          struct ph_error *err);
/* Checks the temperature, because energy is not conserved with a thermostat. `ends`: the next stage begins. */
enum ph_status ph_simulation_check_heat(const struct ph_simulation *simulation, const struct ph_input_stage *stage,
                                        bool ends, struct ph_error *err);
/* Adds to an error the step and the time, an overlapping start if that is the cause, and the last checkpoint. */
void ph_simulation_explain(const struct ph_simulation *simulation, struct ph_error *err);

#endif
