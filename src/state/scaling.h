/* SPDX-License-Identifier: MIT */
#ifndef PH_STATE_SCALING_H
#define PH_STATE_SCALING_H

/* Baths that scale momenta, see bath_chains.c and thermostat.h: how the kinetic energies of groups become factors, for
 * the processor and, in the same words, for other backends. Nothing here waits: random numbers do not depend on the
 * state, and are drawn before. */

#include "base/lanes.h"

/* Groups: momenta of translation, and of rotation about each body axis.
 *
 * Memory of a bath: the first of its numbers is the heat it has given to the system since the stage began. Noise has it
 * exactly, too, in as many numbers as base/numerics/exact.h has integers. A bath that scales has kinetic energies
 * instead, valid if the last number is not 0: kinetic energies of the momenta after the last scaling. Chains also have
 * positions and velocities. */
enum {
    PH_BATH_GROUPS = 4,
    PH_BATH_CHAIN_MAX = 5,

    PH_BATH_HEAT = 0,
    PH_BATH_EXACT_HEAT = 1,
    PH_BATH_KINETIC = PH_BATH_EXACT_HEAT,
    PH_BATH_POSITIONS = PH_BATH_KINETIC + PH_BATH_GROUPS,
    PH_BATH_VELOCITIES = PH_BATH_POSITIONS + PH_BATH_GROUPS * PH_BATH_CHAIN_MAX,
    PH_BATH_KNOWN = 47,
    PH_BATH_NUMBERS
};

/* One scaling of all momenta */
struct ph_scaling {
    double kT;
    double degrees[PH_BATH_GROUPS]; /* of freedom; 0 leaves a group alone */
    int chain;                      /* thermostats in the chain of each group; 0: factors are drawn */
    double time, substeps, inertia; /* of chains: how long, in so many parts; kT tau^2 */
    double keep;                    /* of factors that are drawn: remaining part of a kinetic energy, exp(-h/tau), */
    double normal[PH_BATH_GROUPS];  /* a normal number */
    double rest[PH_BATH_GROUPS];    /* and the squares of all others together */
};

/* ---- Chains ---- */

/* Loops over thermostats all at once, so that arrays they index are registers */
#ifdef __CUDACC__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* The first half of nine factors, and the middle one: order 6 (W. Kahan, R.-C. Li, Math. Comp. 66 (1997) 1089) */
PH_INLINE double ph_kahan_li(int k)
{
    return k == 0   ? 0.7985439909348299633989504
           : k == 1 ? 0.08221359629355080023149045
           : k == 2 ? -0.7062461725576393598099648
           : k == 3 ? 0.3325991367893594385997486
                    : 0.3921614440073141392792506;
}

/* One chain; arrays of the most that there may be, so that they are registers. `own`: of the first thermostat, which
 * has the inertia of all degrees of freedom, and of the others */
struct ph_chain {
    int length;
    double kT, degrees, inertia[2], per_inertia[2];
    double position[PH_BATH_CHAIN_MAX], velocity[PH_BATH_CHAIN_MAX];
};

/* Moves v_k for a time t, driven by its predecessor and slowed down by its successor. */
PH_INLINE void ph_chain_pull(int k, double kinetic, double t, struct ph_chain *chain)
{
    double *v = chain->velocity;
    double drag = 1.0, surplus = 2.0 * kinetic - chain->degrees * chain->kT;
    if (k + 1 < PH_BATH_CHAIN_MAX && k + 1 < chain->length)
        drag = ph_exp(-0.5 * t * v[k + 1]);
    if (k > 0)
        surplus = ph_fma(chain->inertia[k > 1] * v[k - 1], v[k - 1], -chain->kT);
    v[k] = ph_fma(v[k], drag, t * surplus * chain->per_inertia[k > 0]) * drag;
}

/* A symmetric step of second order; returns the factor of the momenta. */
PH_INLINE double ph_chain_substep(double t, double *kinetic, struct ph_chain *chain)
{
    UNROLL
    for (int k = PH_BATH_CHAIN_MAX - 1; k >= 0; --k)
        if (k < chain->length)
            ph_chain_pull(k, *kinetic, 0.5 * t, chain);
    const double factor = ph_exp(-t * chain->velocity[0]);
    *kinetic *= factor * factor;
    UNROLL
    for (int k = 0; k < PH_BATH_CHAIN_MAX; ++k)
        if (k < chain->length) {
            chain->position[k] = ph_fma(t, chain->velocity[k], chain->position[k]);
            ph_chain_pull(k, *kinetic, 0.5 * t, chain);
        }
    return factor;
}

PH_INLINE double ph_chain_factor(const struct ph_scaling *scaling, int group, double *kinetic, double *numbers)
{
    double *position = numbers + PH_BATH_POSITIONS + group * PH_BATH_CHAIN_MAX;
    double *velocity = numbers + PH_BATH_VELOCITIES + group * PH_BATH_CHAIN_MAX;
    struct ph_chain chain = {.length = scaling->chain, .kT = scaling->kT, .degrees = scaling->degrees[group]};
    chain.inertia[0] = chain.degrees * scaling->inertia;
    chain.inertia[1] = scaling->inertia;
    for (int k = 0; k < 2; ++k)
        chain.per_inertia[k] = 1.0 / chain.inertia[k];
    UNROLL
    for (int k = 0; k < PH_BATH_CHAIN_MAX; ++k) {
        chain.position[k] = position[k];
        chain.velocity[k] = velocity[k];
    }
    const double t = scaling->time / scaling->substeps;
    double factor = 1.0;
    for (double done = 0.0; done < scaling->substeps; done += 1.0)
        for (int k = -4; k <= 4; ++k)
            factor *= ph_chain_substep(ph_kahan_li(k < 0 ? -k : k) * t, kinetic, &chain);
    UNROLL
    for (int k = 0; k < PH_BATH_CHAIN_MAX; ++k) {
        position[k] = chain.position[k];
        velocity[k] = chain.velocity[k];
    }
    return factor;
}

#undef UNROLL

/* ---- Factors that are drawn ---- */

/* Kinetic energy K and f degrees of freedom, eq. (A7) of the reference with c = exp(-h/tau):
 *   K' = c K + (1-c) kT/2 sum_1^f R_i^2 + 2 R_1 sqrt(c (1-c) K kT/2),
 * whose sum over i > 1 is `rest`; the factor has the sign of R_1 + sqrt(c K / ((1-c) kT/2)). */
PH_INLINE double ph_drawn_factor(const struct ph_scaling *scaling, int group, double kinetic)
{
    const double bath = 0.5 * scaling->kT * (1.0 - scaling->keep);
    /* squared: all but `rest` */
    const double amplitude = sqrt(scaling->keep * kinetic) + scaling->normal[group] * sqrt(bath);
    return copysign(sqrt((amplitude * amplitude + bath * scaling->rest[group]) / kinetic), amplitude);
}

/* Returns the factor of a group with this kinetic energy, and updates the kinetic energy. *heat: its change if the
 * factor is drawn, 0 for chains */
PH_INLINE double ph_scaling_factor(const struct ph_scaling *scaling, int group, double *kinetic, double *numbers,
                                   double *heat)
{
    *heat = 0.0;
    if (!(scaling->degrees[group] > 0.0))
        return 1.0;
    if (scaling->chain > 0)
        return ph_chain_factor(scaling, group, kinetic, numbers);
    if (!(*kinetic > 0.0))
        return 1.0;
    const double factor = ph_drawn_factor(scaling, group, *kinetic);
    *heat = (factor * factor - 1.0) * *kinetic;
    *kinetic *= factor * factor;
    return factor;
}

PH_INLINE void ph_scaling_count_heat(const double heat[PH_BATH_GROUPS], double *numbers)
{
    double sum = 0.0;
    for (int group = 0; group < PH_BATH_GROUPS; ++group)
        sum += heat[group];
    numbers[PH_BATH_HEAT] += sum;
}

#endif
