/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_EXTERNAL_EXTERNAL_H
#define PH_FORCE_EXTERNAL_EXTERNAL_H

/* One-body fields: uniform electric field, gravity, a force on a body-fixed point, harmonic tethers, the gradient of
 * the gravity of a distant mass, and two fields of the literature on integrators that act on attitudes alone. */

#include "force/interactions.h"
#include "model/system.h"

bool ph_external_any(const struct ph_interactions *interactions);

/* Adds forces and torques of molecule i to force and torque (space frame); returns the energy. `anchor` is the place of
 * its tether (unwrapped), `unwrapped` its position with images. */
double ph_external_add(const struct ph_interactions *interactions, const struct ph_species *species, const double q[4],
                       const double unwrapped[3], const double anchor[3], double force[3], double torque[3]);

/* Adds the rates at which force and torque of the same molecule change when it moves with `velocity` and turns with
 * angular velocity `omega` (space frame). */
void ph_external_add_rates(const struct ph_interactions *interactions, const struct ph_species *species,
                           const double q[4], const double velocity[3], const double omega[3], double force_rate[3],
                           double torque_rate[3]);

#endif
