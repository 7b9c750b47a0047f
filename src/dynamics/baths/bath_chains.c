/* SPDX-License-Identifier: MIT */
/* Chains of Nose-Hoover thermostats, one for translation and one for each body axis that molecules can turn about. The
 * axes have chains of their own because some exchange energy with nothing else, see thermostat.h.
 *
 * The first thermostat of a chain scales a group of f momenta with kinetic energy K, the second one the first, and so
 * on. With positions xi_k and velocities v_k of the thermostats,
 *   p' = -v_1 p,   xi_k' = v_k,   Q_1 v_1' = 2 K - f kT - Q_1 v_1 v_2,
 *   Q_k v_k' = Q_(k-1) v_(k-1)^2 - kT - Q_k v_k v_(k+1), without the last term for the last. */

/* Masses are Q_1 = f kT tau^2 and Q_k = kT tau^2 (Martyna, Klein, Tuckerman, J. Chem. Phys. 97 (1992) 2635), with tau
 * the relaxation time in the input. Linearised about the mean, a kinetic energy that nothing else changes swings with
 * the frequency sqrt(2)/tau, a period of 4.4 tau. In a solid half of it goes to potential energy, and the period is
 * 2 pi tau. */

/* These equations alone, without the motion of the molecules, conserve
 *   K + sum_k Q_k v_k^2/2 + kT (f xi_1 + sum_(k>1) xi_k),
 * and keep the density exp(-(K + sum Q_k v_k^2/2)/kT) of momenta and velocities: its logarithm grows along them by f
 * v_1 + v_2 + ..., and they contract volumes at the same rate.
 *
 * The motion of the molecules keeps both, too. So here, as with noise, the two may be split: chains for h/2, a step
 * of the scheme, chains for h/2. If the half steps of the chains are exact, averages and the conserved energy have the
 * order of the scheme. */

/* They are done by the splitting of Martyna, Tuckerman, Tobias and Klein (Mol. Phys. 87 (1996) 1117), composed to
 * order 6 in substeps of at most tau/50 (scaling.h). Near the mean kinetic energies this leaves nothing beyond
 * rounding. Far from them, where chains are stiff, it leaves errors of 1e-10 of the energy.
 *
 * Thermostats begin at rest, at xi = 0. The energy of the whole then equals the energy of the system. Averages do not
 * depend on this energy if the motion is chaotic. That of a few free or harmonic molecules is not: chains are not for
 * them. */
#include "dynamics/baths/bath_kinds.h"

#include <math.h>

static double inertia(const struct ph_bath_options *bath)
{
    return bath->kT * bath->relaxation_time * bath->relaxation_time;
}

static enum ph_status half_step(const struct ph_bath_options *bath, double h, uint64_t step, struct ph_state *state,
                                double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    (void)step;
    struct ph_scaling scaling = {.kT = bath->kT,
                                 .chain = bath->chain,
                                 .time = 0.5 * h,
                                 .substeps = ceil(25.0 * fabs(h) / bath->relaxation_time),
                                 .inertia = inertia(bath)};
    memcpy(scaling.degrees, bath->degrees, sizeof scaling.degrees);
    return ph_state_scale(state, &scaling, numbers, err);
}

static double energy(const struct ph_bath_options *bath, const double numbers[PH_BATH_NUMBERS])
{
    double sum = 0.0;
    for (int group = 0; group < PH_BATH_GROUPS; ++group) {
        const double *position = numbers + PH_BATH_POSITIONS + group * PH_BATH_CHAIN_MAX;
        const double *v = numbers + PH_BATH_VELOCITIES + group * PH_BATH_CHAIN_MAX;
        for (int k = 0; k < bath->chain && bath->degrees[group] > 0.0; ++k) {
            const double share = k == 0 ? bath->degrees[group] : 1.0; /* degrees of freedom that it keeps at kT */
            sum += share * (0.5 * inertia(bath) * v[k] * v[k] + bath->kT * position[k]);
        }
    }
    return sum;
}

const struct ph_bath_kind ph_bath_chains = {
    .name = "nose-hoover",
    .summary = "chains of thermostats, one for translation and one for each axis of rotation",
    .reference = "Martyna, Klein, Tuckerman, J. Chem. Phys. 97 (1992) 2635",
    .documentation =
        "Momenta of translation, and those about each body axis, are scaled by the first of a chain of thermostats "
        "with masses f kT tau^2 and kT tau^2, tau the relaxation time: a kinetic energy left to itself swings about "
        "its mean with a period of 4.4 tau. Without noise, and with an energy that is conserved to the order of the "
        "scheme. Needs chaotic motion: a few harmonic or free molecules do not become canonical.",
    .keeps_momentum = true,
    .before = half_step,
    .after = half_step,
    .energy = energy,
};
