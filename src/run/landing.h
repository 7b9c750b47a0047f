/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_LANDING_H
#define PH_RUN_LANDING_H

/* Ends a stage with a bath at the energy whose mean temperature, at constant energy, equals the temperature of the
 * bath. */

/* Where a bath is simply taken away, the energy keeps its value of that instant. This value fluctuates by the
 * relative size 1/sqrt(C) for a heat capacity of C Boltzmann constants. The temperature is then off by as much, 3 %
 * for some hundred molecules. The right energy is the mean at this temperature, <U> + f kT/2 with f degrees of
 * freedom, up to terms of 1/f (Lebowitz, Percus, Verlet, Phys. Rev. 153 (1967) 250). */

/* The end of a stage therefore follows these rules.
 * - The mean of U is taken over the second half of the stage, one sample every PH_LANDING_EVERY steps.
 * - The point is the end of the last step of the stage. There the kinetic energy becomes K = <U> + f kT/2 - U, by
 *   scaling momenta of translation and about each body axis to their share of it. */

/* - Rotation about an axis without torque (the axis of a symmetric top with its forces on the axis) exchanges no energy
 *   with anything. Its share is f_axis kT/2, whatever U is.
 * - If K is, or would be, less than half of f kT/2, or more than one and a half, the state does not change. It is too
 *   far from equilibrium for momenta alone to mend it, or the system is too small to have a temperature. */

#include "dynamics/baths/bath.h"
#include "model/system.h"
#include "run/observables.h"

enum { PH_LANDING_EVERY = 10 };

/* Sums over the second half of a stage */
struct ph_landing {
    double potential, samples;
};

/* Whether U is needed after this step of a stage that begins after step `first` and ends with step `end` */
bool ph_landing_wants(int64_t first, int64_t end, int64_t step);
void ph_landing_add(struct ph_landing *landing, double potential);

/* Scales the momenta of a state whose forces and potential energy are known. False if the state is too far away, or
 * there was no sample: nothing is changed then. */
bool ph_landing_apply(const struct ph_landing *landing, double kT, const struct ph_degrees *degrees, double potential,
                      struct ph_state *state);

#endif
