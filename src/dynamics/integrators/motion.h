/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_INTEGRATORS_MOTION_H
#define PH_DYNAMICS_INTEGRATORS_MOTION_H

/* Moves a system by a one-step integrator: the one loop for all of them. */

#include "dynamics/integrators/integrator.h"
#include "state/state.h"

struct ph_motion; /* opaque */

/* Neither system nor field is owned; both must outlive the motion. Fails if the integrator refuses linear rotors. */
enum ph_status ph_motion_create(struct ph_system *system, struct ph_force_field *field,
                                const struct ph_motion_options *options, struct ph_motion **out, struct ph_error *err);
void ph_motion_destroy(struct ph_motion *motion);

/* n steps. PH_ERR_NUMBERS if a step finds no solution of an equation; the state is then where the numbers failed. */
enum ph_status ph_motion_advance(struct ph_motion *motion, long n, struct ph_error *err);

/* Forces and torques of the present state, and energies unless `energy` is NULL */
enum ph_status ph_motion_know_forces(struct ph_motion *motion, struct ph_energy *energy, struct ph_error *err);

struct ph_state *ph_motion_state(const struct ph_motion *motion); /* that it moves */

struct ph_motion_counts ph_motion_counts(const struct ph_motion *motion);

#endif
