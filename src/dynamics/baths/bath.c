/* SPDX-License-Identifier: MIT */
#include "dynamics/baths/bath.h"

#include "dynamics/baths/bath_kinds.h"

#include <string.h>

static const struct ph_bath_kind *const kinds[] = {&ph_bath_langevin, &ph_bath_langevin_middle, &ph_bath_metropolis,
                                                   &ph_bath_rescaling, &ph_bath_chains};

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

void ph_bath_count_degrees(const struct ph_system *system, size_t translation, size_t rotation,
                           double degrees[PH_BATH_GROUPS])
{
    degrees[0] = (double)translation;
    for (int group = 1; group < PH_BATH_GROUPS; ++group)
        degrees[group] = rotation > 0 ? (double)ph_bath_degrees(system, group) : 0.0;
}
