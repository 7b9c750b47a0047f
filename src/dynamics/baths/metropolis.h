/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_BATHS_METROPOLIS_H
#define PH_DYNAMICS_BATHS_METROPOLIS_H

/* Steps that are accepted or rejected (generalised hybrid Monte Carlo: Horowitz, Phys. Lett. B 268 (1991) 247).
 *
 * Let Phi be a step and R the reversal of all momenta. If R Phi R Phi = 1, one gets from x only to R Phi x, and from
 * there only to x. Let Phi also keep the volume of phase space. Accept R Phi x with probability
 * min(1, exp(-(H(Phi x) - H(x))/kT)), and stay at x otherwise. Then flows of probability in both directions are equal.
 */

/* A second R, always, keeps the canonical distribution, too. Together the state becomes Phi x if accepted and R x if
 * not. This is exact for any step. It is exact for any error of the forces, too, if they are a function of positions:
 * the method samples the energy that it computes. Reversed momenta make the system go back where it came from. So steps
 * should be short enough for rejections to be rare.
 *
 * Phi is symmetric and reversible for every scheme; free flights and kicks keep volumes. A flow of the free body moves
 * (m, Q) to (m', Q D(m)). It keeps volumes if m -> m' does, as Poisson maps do. */

/* With bath.shadow, H is the shadow energy H + D of a scheme for which D depends on places alone (shadow.h). The noise
 * keeps its canonical distribution, too, because only kinetic energies depend on momenta. Errors of H + D are of order
 * h^4 instead of h^2, so more steps are accepted. Averages at H are <x w>/<w> with w = exp(D/kT). */

#include "dynamics/baths/bath.h"
#include "dynamics/integrators/integrator.h"
#include "rigid/flow.h"
#include "state/kept.h"

/* Returns why steps must not be accepted or rejected, as an end of a sentence about the flow of a scheme, or about the
 * integrator if it is not NULL; NULL if they may be */
const char *ph_metropolis_objection(const struct ph_flow *flow, const struct ph_integrator *integrator);

/* Potential energy of the state as it is, whether it is known (0 or 1), steps tried and accepted; energy before */
enum {
    PH_METROPOLIS_POTENTIAL,
    PH_METROPOLIS_KNOWN,
    PH_METROPOLIS_TRIED,
    PH_METROPOLIS_ACCEPTED,
    PH_METROPOLIS_BEFORE,
    PH_METROPOLIS_NUMBERS
};

/* Before a step: `kept` keeps the state as it is, until ph_kept_end. */
void ph_metropolis_begin(struct ph_kept *kept, struct ph_state *state, double numbers[PH_METROPOLIS_NUMBERS]);
/* Accepts or rejects step number `step`, which led to this potential energy, infinite if numbers failed. Returns false
 * if it is rejected: then positions and orientations are restored, momenta are reversed, and forces have to be
 * evaluated anew, while the potential energy stays known. */
bool ph_metropolis_decide(struct ph_kept *kept, const struct ph_bath_options *bath, uint64_t step, double potential,
                          struct ph_state *state, double numbers[PH_METROPOLIS_NUMBERS]);

#endif
