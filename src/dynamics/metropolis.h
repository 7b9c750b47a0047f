/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_METROPOLIS_H
#define PH_DYNAMICS_METROPOLIS_H

/* Steps that are accepted or rejected (generalised hybrid Monte Carlo: Horowitz, Phys. Lett. B 268 (1991) 247).
 *
 * A step that is reversible and keeps the volume of phase space is a proposal whose inverse, with momenta reversed, is
 * as likely as itself. Accepted with probability min(1, exp(-dH/kT)), and with all momenta reversed where it is
 * rejected, it keeps the canonical distribution exactly, however long it is. Reversed momenta make the system go back
 * where it came from: steps should be short enough for rejections to be rare. */

#include "dynamics/bath.h"

/* Potential energy of the state as it is, whether it is known (0 or 1), steps tried and accepted; energy before */
enum {
    PH_METROPOLIS_POTENTIAL,
    PH_METROPOLIS_KNOWN,
    PH_METROPOLIS_TRIED,
    PH_METROPOLIS_ACCEPTED,
    PH_METROPOLIS_BEFORE,
    PH_METROPOLIS_NUMBERS
};

struct ph_metropolis; /* opaque: a state to go back to */

enum ph_status ph_metropolis_create(const struct ph_system *system, struct ph_metropolis **out, struct ph_error *err);
void ph_metropolis_destroy(struct ph_metropolis *metropolis);

/* Keeps the state as it is. */
void ph_metropolis_begin(struct ph_metropolis *metropolis, const struct ph_system *system,
                         double numbers[PH_METROPOLIS_NUMBERS]);
/* Step number `step` led to a state of this potential energy, infinite where numbers failed. False if it is rejected:
 * positions and orientations are those kept, momenta are reversed, and forces have to be evaluated anew. */
bool ph_metropolis_decide(struct ph_metropolis *metropolis, const struct ph_bath_options *bath, uint64_t step,
                          double potential, struct ph_system *system, double numbers[PH_METROPOLIS_NUMBERS]);

#endif
