/* SPDX-License-Identifier: MIT */
/* Chains of Nose-Hoover thermostats, one for translation and one for each body axis that molecules can turn about. The
 * axes have chains of their own because some exchange energy with nothing else, see thermostat.h.
 *
 * A group of f momenta with kinetic energy K is scaled by the first thermostat of its chain, that by the second, and so
 * on; with positions xi_k and velocities v_k of the thermostats
 *   p' = -v_1 p,   xi_k' = v_k,   Q_1 v_1' = 2 K - f kT - Q_1 v_1 v_2,   Q_k v_k' = Q_(k-1) v_(k-1)^2 - kT - Q_k v_k
 * v_(k+1), without the last term for the last. Masses are Q_1 = f kT tau^2 and Q_k = kT tau^2 (Martyna, Klein,
 * Tuckerman, J. Chem. Phys. 97 (1992) 2635), tau the relaxation time that is asked for: linearised about the mean, a
 * kinetic energy that nothing else changes swings with the frequency sqrt(2)/tau, a period of 4.4 tau; where half of it
 * goes to potential energy, as in a solid, the period is 2 pi tau.
 *
 * These equations alone, without the motion of the molecules, conserve
 *   K + sum_k Q_k v_k^2/2 + kT (f xi_1 + sum_(k>1) xi_k),
 * and keep the density exp(-(K + sum Q_k v_k^2/2)/kT) of momenta and velocities: its logarithm grows along them by f
 * v_1 + v_2 + ..., which is just how fast they contract volumes. The motion of the molecules keeps both, too. So here,
 * as with noise, the two may be split:  chains for h/2, a step of the scheme, chains for h/2  has averages, and a
 * conserved energy, of the order of the scheme, provided that the half steps of the chains are exact. They are done by
 * the splitting of Martyna, Tuckerman, Tobias and Klein (Mol. Phys. 87 (1996) 1117), composed to order 6 (W. Kahan,
 * R.-C. Li, Math. Comp. 66 (1997) 1089) in substeps of at most tau/50. That leaves errors of 1e-10 of the energy when
 * kinetic energies are far from their means and chains are stiff, and nothing beyond rounding near them.
 *
 * Thermostats begin at rest, at xi = 0: the energy of the whole is then that of the system. Averages do not depend on
 * this energy if the motion is chaotic; a few free or harmonic molecules are not, and are no case for chains. */
#define PH_FUSED /* the same factors for every backend, whatever the program is built for */
#include "base/lanes.h"
#include "dynamics/bath_kinds.h"

#include <math.h>
#include <stdlib.h>

/* After the heat (none is counted) the numbers have degrees of freedom, positions and velocities of each group. */
enum { DEGREES = 1, POSITIONS = DEGREES + PH_BATH_GROUPS, LENGTH = PH_BATH_CHAIN_MAX };
enum { VELOCITIES = POSITIONS + PH_BATH_GROUPS * LENGTH };
_Static_assert(VELOCITIES + PH_BATH_GROUPS * LENGTH <= PH_BATH_NUMBERS, "room for all chains");

struct chain {
    int length;
    double kT, degrees, mass[LENGTH];
    double *position, *velocity; /* not owned: places in the numbers of the bath */
};

/* How many degrees of freedom thermostat k keeps at kT: those of the group, or the thermostat before it */
static double share(double degrees, int k) { return k == 0 ? degrees : 1.0; }

static double mass(const struct ph_bath_options *bath, double degrees, int k)
{
    return share(degrees, k) * bath->kT * bath->relaxation_time * bath->relaxation_time;
}

static struct chain chain_of(const struct ph_bath_options *bath, int group, double numbers[PH_BATH_NUMBERS])
{
    struct chain chain = {.length = bath->chain,
                          .kT = bath->kT,
                          .degrees = numbers[DEGREES + group],
                          .position = numbers + POSITIONS + group * LENGTH,
                          .velocity = numbers + VELOCITIES + group * LENGTH};
    for (int k = 0; k < chain.length; ++k)
        chain.mass[k] = mass(bath, chain.degrees, k);
    return chain;
}

static void begin(const struct ph_bath_options *bath, const struct ph_system *system, double numbers[PH_BATH_NUMBERS])
{
    for (int group = 0; group < PH_BATH_GROUPS; ++group) {
        const size_t degrees = group == 0 ? bath->translation : ph_bath_degrees(system, group);
        numbers[DEGREES + group] = group == 0 || bath->rotation > 0 ? (double)degrees : 0.0;
    }
}

/* ---- One chain ---- */

/* v_k for a time t, pulled by what is before it and slowed down by what is after */
static void pull(struct chain *chain, int k, double kinetic, double t)
{
    double *v = chain->velocity;
    const double drag = k + 1 < chain->length ? ph_exp(-0.5 * t * v[k + 1]) : 1.0;
    const double surplus =
        k == 0 ? 2.0 * kinetic - chain->degrees * chain->kT : chain->mass[k - 1] * v[k - 1] * v[k - 1] - chain->kT;
    v[k] = (v[k] * drag + t * surplus / chain->mass[k]) * drag;
}

/* A symmetric step of second order; returns the factor of the momenta. */
static double substep(struct chain *chain, double t, double *kinetic)
{
    for (int k = chain->length - 1; k >= 0; --k)
        pull(chain, k, *kinetic, 0.5 * t);
    const double factor = ph_exp(-t * chain->velocity[0]);
    *kinetic *= factor * factor;
    for (int k = 0; k < chain->length; ++k)
        chain->position[k] += t * chain->velocity[k];
    for (int k = 0; k < chain->length; ++k)
        pull(chain, k, *kinetic, 0.5 * t);
    return factor;
}

/* The first half of nine factors, and the middle one: order 6 */
static const double kahan_li[] = {0.3921614440073141392792506, 0.3325991367893594385997486,
                                  -0.7062461725576393598099648, 0.08221359629355080023149045,
                                  0.7985439909348299633989504};
enum { MIDDLE = sizeof kahan_li / sizeof *kahan_li - 1 };

static double advance(struct chain *chain, double t, double relaxation_time, double kinetic)
{
    const double substeps = ceil(50.0 * fabs(t) / relaxation_time);
    double factor = 1.0;
    for (double done = 0.0; done < substeps; done += 1.0)
        for (int k = -MIDDLE; k <= MIDDLE; ++k)
            factor *= substep(chain, kahan_li[MIDDLE - abs(k)] * t / substeps, &kinetic);
    return factor;
}

/* ---- All of them ---- */

static enum ph_status half_step(const struct ph_bath_options *bath, double h, uint64_t step, struct ph_momenta *momenta,
                                double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    (void)step;
    double kinetic[PH_BATH_GROUPS], factor[PH_BATH_GROUPS];
    const enum ph_status status = ph_momenta_kinetic(momenta, kinetic, err);
    for (int group = 0; group < PH_BATH_GROUPS && status == PH_OK; ++group) {
        factor[group] = 1.0;
        if (!(numbers[DEGREES + group] > 0.0))
            continue;
        struct chain chain = chain_of(bath, group, numbers);
        factor[group] = advance(&chain, 0.5 * h, bath->relaxation_time, kinetic[group]);
    }
    return status == PH_OK ? ph_momenta_scale(momenta, factor, err) : status;
}

static double energy(const struct ph_bath_options *bath, const double numbers[PH_BATH_NUMBERS])
{
    double sum = 0.0;
    for (int group = 0; group < PH_BATH_GROUPS; ++group) {
        const double degrees = numbers[DEGREES + group];
        const double *position = numbers + POSITIONS + group * LENGTH, *v = numbers + VELOCITIES + group * LENGTH;
        for (int k = 0; k < bath->chain && degrees > 0.0; ++k)
            sum += 0.5 * mass(bath, degrees, k) * v[k] * v[k] + share(degrees, k) * bath->kT * position[k];
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
    .begin = begin,
    .before = half_step,
    .after = half_step,
    .energy = energy,
};
