/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_EWALD_SUMS_H
#define PH_TESTS_EWALD_SUMS_H

/* Ewald sums of small systems in periodic boxes, and what two of them give */

#include "force_systems.h"

static const struct ph_radial none = {.kind = PH_RADIAL_NONE};
static const double pi = 3.14159265358979323846;

static inline double electric(const struct ph_energy *energy) { return energy->electric + energy->waves; }

static inline struct ph_interactions ewald(double cutoff, double tolerance)
{
    return (struct ph_interactions){.truncation = PH_TRUNCATE_CUT,
                                    .cutoff = cutoff,
                                    .electrostatics = PH_ELECTROSTATICS_EWALD,
                                    .epsilon_rf = INFINITY,
                                    .ewald = {.tolerance = tolerance},
                                    .coulomb = 1.7};
}

enum { MOST = 20 };
struct result {
    struct ph_energy energy;
    double force[6][MOST]; /* and torque */
};

static inline struct result result_of(struct ph_system *system, const struct ph_interactions *interactions)
{
    struct result result = {.energy = evaluate_once(system, interactions)};
    assert_true(system->n <= MOST);
    for (size_t i = 0; i < system->n; ++i)
        for (int x = 0; x < 3; ++x) {
            result.force[x][i] = system->f[x][i];
            result.force[x + 3][i] = system->t[x][i];
        }
    return result;
}

/* The largest difference of energies, virials, forces and torques */
static inline double distance(const struct result *one, const struct result *other)
{
    double off = fabs(electric(&one->energy) - electric(&other->energy));
    for (int k = 0; k < 6 * MOST; ++k)
        off = fmax(off, fabs(one->force[k / MOST][k % MOST] - other->force[k / MOST][k % MOST]));
    for (int k = 0; k < 9; ++k)
        off = fmax(off, fabs(one->energy.virial[k / 3][k % 3] - other->energy.virial[k / 3][k % 3]));
    return off;
}

static const struct {
    const char *name;
    const double (*shape)[3];
} boxes[] = {{"cube", cube_edges}, {"brick", brick_edges}, {"tilted", tilted_edges}};

#endif
