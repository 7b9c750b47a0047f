/* SPDX-License-Identifier: MIT */
#include "dynamics/bath.h"

#include "base/lanes.h"
#include "dynamics/bath_kinds.h"

#include <string.h>

static const struct ph_bath_kind *const kinds[] = {&ph_bath_langevin, &ph_bath_metropolis, &ph_bath_rescaling,
                                                   &ph_bath_chains};

size_t ph_bath_count(void) { return sizeof kinds / sizeof *kinds; }

const struct ph_bath_kind *ph_bath_at(size_t k) { return kinds[k]; }

const struct ph_bath_kind *ph_bath_find(const char *name)
{
    for (size_t k = 0; k < ph_bath_count(); ++k)
        if (strcmp(kinds[k]->name, name) == 0)
            return kinds[k];
    return NULL;
}

size_t ph_bath_degrees(const struct ph_system *system, int group)
{
    size_t degrees = 0;
    for (size_t s = 0; s < system->n_species && group > 0; ++s)
        if (system->species[s].inertia[group - 1] > 0.0)
            degrees += system->first[s + 1] - system->first[s];
    return group > 0 ? degrees : 3 * system->n;
}

static double kinetic_about(const struct ph_system *system, int k)
{
    double sum = 0.0;
    for (size_t s = 0; s < system->n_species; ++s) {
        if (!(system->species[s].inertia[k] > 0.0))
            continue;
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            sum += 0.5 * system->m[k][i] * system->m[k][i] / system->species[s].inertia[k];
    }
    return sum;
}

double ph_bath_kinetic(const struct ph_system *system, int group)
{
    return group > 0 ? kinetic_about(system, group - 1) : ph_system_kinetic_translation(system);
}

static void scale(double factor, size_t n, double *restrict x)
{
    PH_SIMD
    for (size_t i = 0; i < n; ++i)
        x[i] *= factor;
}

void ph_bath_scale(double factor, int group, struct ph_system *system)
{
    for (int k = 0; k < 3; ++k)
        if (group == 0)
            scale(factor, system->n, system->p[k]);
        else if (group == k + 1)
            scale(factor, system->n, system->m[k]);
}
