/* SPDX-License-Identifier: MIT */
#ifndef PH_STATE_MOMENTA_H
#define PH_STATE_MOMENTA_H

/* What baths do to momenta of molecules in the memory of this process: of all, or of those in `own` unless it is NULL.
 * Groups are translation and rotation about each body axis (scaling.h). */

#include "force/owned.h"
#include "model/system.h"
#include "state/noise.h"
#include "state/scaling.h"

/* Kinetic energies of all groups, in the whole system. The sums are exact: they do not depend on who has which. */
void ph_momenta_kinetic(const struct ph_system *system, const struct ph_owned *own, double kinetic[PH_BATH_GROUPS]);
/* All momenta of each group times a number */
void ph_momenta_scale(const double factor[PH_BATH_GROUPS], const struct ph_owned *own, struct ph_system *system);
/* Factors that a scaling makes of kinetic energies and of the numbers of a bath, which it changes */
void ph_momenta_factors(const struct ph_scaling *scaling, const double kinetic[PH_BATH_GROUPS],
                        double numbers[PH_BATH_NUMBERS], double factor[PH_BATH_GROUPS]);
/* Friction and noise on every molecule; the heat that they get is added to *heat. */
void ph_momenta_shake(const struct ph_noise *noise, const struct ph_owned *own, struct ph_system *system,
                      struct ph_exact *heat);
/* Counts heat in the numbers of a bath. */
void ph_momenta_count_heat(const struct ph_exact *more, double numbers[PH_BATH_NUMBERS]);

#endif
