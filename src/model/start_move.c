/* SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "model/start.h"

#include <math.h>

double ph_system_thermal_translation(const struct ph_system *system)
{
    return system->n > 1 ? 2.0 * ph_system_kinetic_translation(system) / (3.0 * (double)system->n - 3.0) : 0.0;
}

double ph_system_thermal_rotation(const struct ph_system *system)
{
    const size_t degrees = ph_system_degrees_rotation(system);
    return degrees > 0 ? 2.0 * ph_system_kinetic_rotation(system) / (double)degrees : 0.0;
}

static void draw_momenta(double kT, uint64_t seed, struct ph_system *system)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const double width = sqrt(kT * system->species[s].mass);
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            struct ph_random random = ph_random_stream(seed, PH_RANDOM_MOMENTUM, system->id[i]);
            for (int k = 0; k < 3; ++k)
                system->p[k][i] = width * ph_random_normal(&random);
        }
    }
}

static double whole_mass(const struct ph_system *system)
{
    double mass = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        mass += system->species[s].mass * (double)(system->first[s + 1] - system->first[s]);
    return mass;
}

static double whole_momentum(const struct ph_system *system, int k)
{
    double total = 0.0;
    for (size_t i = 0; i < system->n; ++i)
        total += system->p[k][i];
    return total;
}

double ph_start_drift(const struct ph_system *system)
{
    double square = 0.0;
    for (int k = 0; k < 3; ++k)
        square += whole_momentum(system, k) * whole_momentum(system, k);
    return 0.5 * square / whole_mass(system);
}

/* What rounding leaves goes in the second round. */
void ph_start_stop_drift(struct ph_system *system)
{
    const double mass = whole_mass(system);
    for (int round = 0; round < 2; ++round)
        for (int k = 0; k < 3; ++k) {
            const double velocity = whole_momentum(system, k) / mass;
            for (size_t s = 0; s < system->n_species; ++s)
                for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
                    system->p[k][i] -= system->species[s].mass * velocity;
        }
}

static void draw_spins(double kT, uint64_t seed, struct ph_system *system)
{
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            struct ph_random random = ph_random_stream(seed, PH_RANDOM_SPIN, system->id[i]);
            for (int k = 0; k < 3; ++k) /* an inertia of zero gives exactly none */
                system->m[k][i] = sqrt(kT * system->species[s].inertia[k]) * ph_random_normal(&random);
        }
}

static void scale(double factor, size_t n, double *const v[3])
{
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < n; ++i)
            v[k][i] *= factor;
}

void ph_start_move(double kT, bool exact, bool pinned, uint64_t seed, struct ph_system *system)
{
    draw_momenta(pinned ? 0.0 : kT, seed, system);
    if (system->n > 1)
        ph_start_stop_drift(system);
    else
        scale(0.0, system->n, system->p); /* fixing the total momentum of one molecule leaves none */
    draw_spins(kT, seed, system);
    if (!exact)
        return;
    const double translation = ph_system_thermal_translation(system), rotation = ph_system_thermal_rotation(system);
    if (translation > 0.0)
        scale(sqrt(kT / translation), system->n, system->p);
    if (rotation > 0.0)
        scale(sqrt(kT / rotation), system->n, system->m);
}
