/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_FREE_ENERGY_ENERGIES_H
#define PH_LAB_FREE_ENERGY_ENERGIES_H

/* Energies of the frames of a trajectory with other values of a key of its input: the force field of the run, made
 * again for each value. */

#include "lab/free_energy/recorded_input.h"

/* The model of a run with one value of the key */
struct ph_energy_state; /* opaque */

/* `set` is "key=value", or NULL for the input as it is. `like` is NULL, or a state whose Ewald sum is to be used. */
enum ph_status ph_energy_state_create(const struct ph_recording *recording, const struct ph_analysis_request *request,
                                      const char *set, const struct ph_energy_state *like, struct ph_energy_state **out,
                                      struct ph_error *err);
void ph_energy_state_destroy(struct ph_energy_state *state);

/* Computes the potential energy of a frame: centres, orientations and images. */
enum ph_status ph_energy_state_evaluate(struct ph_energy_state *state, const struct ph_recorded *snapshot,
                                        double *energy, struct ph_error *err);

#endif
