/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_BATHS_METROPOLIS_H
#define PH_DYNAMICS_BATHS_METROPOLIS_H

/* Steps that are accepted or rejected (generalised hybrid Monte Carlo: Horowitz, Phys. Lett. B 268 (1991) 247).
 *
 * Let Phi be a step and R the reversal of all momenta. If R Phi R Phi = 1 and Phi keeps the volume of phase space, then
 * from x one can only get to R Phi x, and from there only to x: flows of probability in both directions are equal if R
 * Phi x is accepted with probability min(1, exp(-(H(Phi x) - H(x))/kT)), and the system stays at x if not. A second R,
 * always, keeps the canonical distribution, too; together the state becomes Phi x if accepted and R x if not. This is
 * exact for any step, and for any error of the forces as long as they are a function of positions: what is sampled is
 * the energy that is computed. Reversed momenta make the system go back where it came from: steps should be short
 * enough for rejections to be rare.
 *
 * Phi is symmetric and reversible for every scheme; free flights and kicks keep volumes. A flow of the free body moves
 * (m, Q) to (m', Q D(m)): it keeps them if m -> m' does, as Poisson maps do. */

#include "dynamics/baths/bath.h"
#include "dynamics/integrators/integrator.h"
#include "rigid/flow.h"

/* Why steps must not be accepted or rejected, as an end of a sentence about the flow of a scheme, or about the
 * integrator where that is not NULL; NULL if they may be */
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

struct ph_metropolis; /* opaque: a state to go back to, in rows that go with molecules (force/owned.h) */

enum ph_status ph_metropolis_create(const struct ph_system *system, struct ph_metropolis **out, struct ph_error *err);
void ph_metropolis_destroy(struct ph_metropolis *metropolis);

/* These, of r, p, m, q and images, whose numbers are small: whoever has a molecule when the step is rejected is who
 * brings it back. */
enum { PH_METROPOLIS_ROWS = 16 };
double *const *ph_metropolis_rows(const struct ph_metropolis *metropolis);

/* Keeps the state as it is, of molecules that this process has: `own`, NULL for all. */
void ph_metropolis_begin(struct ph_metropolis *metropolis, const struct ph_owned *own, const struct ph_system *system,
                         double numbers[PH_METROPOLIS_NUMBERS]);
/* Step number `step` led to a state of this potential energy, infinite where numbers failed; this process may have
 * other molecules since. False if it is rejected: positions and orientations are those kept, momenta are reversed, and
 * forces have to be evaluated anew, while the potential energy stays known. */
bool ph_metropolis_decide(struct ph_metropolis *metropolis, const struct ph_bath_options *bath, uint64_t step,
                          double potential, const struct ph_owned *own, struct ph_system *system,
                          double numbers[PH_METROPOLIS_NUMBERS]);

#endif
