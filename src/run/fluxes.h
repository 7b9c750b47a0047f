/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_FLUXES_H
#define PH_RUN_FLUXES_H

/* Fluxes of momentum and energy through a fluid of rigid molecules, from which transport coefficients follow. fluxes.c
 * has the derivation. */

#include "run/observables.h"
#include "state/state.h"

#include <stdbool.h>

/* Per volume, which is that of the box. Of each tensor the first index is the direction of transport, the second that
 * of the momentum. */
struct ph_fluxes {
    double momentum[3][3];        /* molecular: the pressure tensor of the series */
    double momentum_atomic[3][3]; /* of the mass points of molecules; symmetric but for external torques */
    double volume;
    double heat[3]; /* 0 if it was not asked for */
};

/* Of a state whose forces and energy were just evaluated, in a periodic box, with this pressure tensor. `heat` only if
 * ph_fluxes_no_heat is NULL. */
enum ph_status ph_fluxes_observe(struct ph_state *state, const double pressure[3][3], bool heat, struct ph_fluxes *out,
                                 struct ph_error *err);

/* Their columns in a file, of which the first need no heat flux; returns how many. Offsets are in struct ph_fluxes. */
enum { PH_FLUX_COLUMNS = 4, PH_FLUX_NUMBERS = 22 };
size_t ph_flux_columns(bool heat, const struct ph_column *columns[PH_FLUX_COLUMNS]);

/* Says why there is no heat flux with these interactions; NULL if there is one. */
const char *ph_fluxes_no_heat(const struct ph_system *system, const struct ph_interactions *interactions);

#endif
