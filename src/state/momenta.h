/* SPDX-License-Identifier: MIT */
#ifndef PH_STATE_MOMENTA_H
#define PH_STATE_MOMENTA_H

/* Operations of thermostats on the momenta of molecules in this process: of all, or of those in `own` unless it is
 * NULL. Groups are translation, and rotation about each of the three body axes (scaling.h). */

#include "base/numerics/exact.h"
#include "force/owned.h"
#include "model/system.h"
#include "state/noise.h"
#include "state/scaling.h"

/* Returns the kinetic energies of all groups, summed over all ranks. Sums are exact, so they do not depend on which
 * rank owns which molecule. Collective if `own` is not NULL. */
void ph_momenta_kinetic(const struct ph_system *system, const struct ph_owned *own, double kinetic[PH_BATH_GROUPS]);
/* Multiplies the momenta of each group by its factor. */
void ph_momenta_scale(const double factor[PH_BATH_GROUPS], const struct ph_owned *own, struct ph_system *system);
/* Computes the factors of a scaling from kinetic energies and the numbers of a thermostat, which it updates. */
void ph_momenta_factors(const struct ph_scaling *scaling, const double kinetic[PH_BATH_GROUPS],
                        double numbers[PH_BATH_NUMBERS], double factor[PH_BATH_GROUPS]);
/* Applies friction and noise to every molecule. Adds the energy that molecules gain to *heat. */
void ph_momenta_apply_noise(const struct ph_noise *noise, const struct ph_owned *own, struct ph_system *system,
                            struct ph_exact *heat);
/* Adds heat to the numbers of a thermostat. */
void ph_momenta_count_heat(const struct ph_exact *more, double numbers[PH_BATH_NUMBERS]);

#endif
