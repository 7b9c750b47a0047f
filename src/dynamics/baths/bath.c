/* SPDX-License-Identifier: MIT */
#define PH_FUSED /* the same factors for every backend, whatever the program is built for */
#include "dynamics/baths/bath.h"

#include "base/lanes.h"
#include "base/threads.h"
#include "dynamics/baths/bath_kinds.h"
#include "dynamics/moved.h"

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

void ph_bath_count_degrees(const struct ph_system *system, size_t translation, size_t rotation,
                           double degrees[PH_BATH_GROUPS])
{
    degrees[0] = (double)translation;
    for (int group = 1; group < PH_BATH_GROUPS; ++group)
        degrees[group] = rotation > 0 ? (double)ph_bath_degrees(system, group) : 0.0;
}

/* Of one species: what makes squares of momenta energies, in each group */
struct energies {
    const struct ph_system *system;
    double half_inverse[PH_BATH_GROUPS];
};

static void kinetic_turn(const struct ph_moved *turn, void *data, struct ph_exact *sums)
{
    const struct energies *energies = data;
    double *const *p = energies->system->p, *const *m = energies->system->m;
    const double *half_inverse = energies->half_inverse;
    const size_t n = turn->end - turn->begin;
    double kinetic[PH_BATH_GROUPS][PH_TURN];
    for (size_t k = 0; k < n; ++k) {
        const size_t i = ph_moved_at(turn, turn->begin + k);
        kinetic[0][k] = half_inverse[0] * (p[0][i] * p[0][i] + p[1][i] * p[1][i] + p[2][i] * p[2][i]);
        for (int x = 0; x < 3; ++x)
            kinetic[1 + x][k] = half_inverse[1 + x] * (m[x][i] * m[x][i]);
    }
    for (int group = 0; group < PH_BATH_GROUPS; ++group)
        if (half_inverse[group] > 0.0)
            ph_exact_add(n, kinetic[group], &sums[group]);
}

void ph_bath_kinetic(const struct ph_system *system, const struct ph_owned *own, double kinetic[PH_BATH_GROUPS])
{
    struct ph_exact sums[PH_BATH_GROUPS] = {{.spoilt = 0}};
    _Static_assert((int)PH_BATH_GROUPS <= (int)PH_MOVED_SUMS, "a sum for each group");
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_species *species = &system->species[s];
        struct energies energies = {.system = system, .half_inverse = {0.5 / species->mass}};
        for (int k = 0; k < 3; ++k)
            energies.half_inverse[1 + k] = species->inertia[k] > 0.0 ? 0.5 / species->inertia[k] : 0.0;
        ph_moved_sum(ph_moved_of(system, own, s), kinetic_turn, &energies, PH_BATH_GROUPS, sums);
    }
    if (own)
        ph_owned_add_up(PH_BATH_GROUPS, sums);
    for (int group = 0; group < PH_BATH_GROUPS; ++group)
        kinetic[group] = ph_exact_value(&sums[group]);
}

void ph_bath_factors(const struct ph_scaling *scaling, const double kinetic[PH_BATH_GROUPS],
                     double numbers[PH_BATH_NUMBERS], double factor[PH_BATH_GROUPS])
{
    double heat[PH_BATH_GROUPS];
    for (int group = 0; group < PH_BATH_GROUPS; ++group) {
        double becomes = kinetic[group];
        factor[group] = ph_scaling_factor(scaling, group, &becomes, numbers, &heat[group]);
    }
    ph_scaling_count_heat(heat, numbers);
    numbers[PH_BATH_KNOWN] = 0.0; /* here they are summed again */
}

static void scale_range(double factor, size_t begin, size_t end, double *restrict x)
{
    PH_SIMD
    for (size_t i = begin; i < end; ++i)
        x[i] *= factor;
}

static void scale_row(double factor, const struct ph_moved *turn, double *x)
{
    if (factor == 1.0)
        return;
    if (!turn->list)
        scale_range(factor, turn->begin, turn->end, x);
    for (size_t k = turn->begin; turn->list && k < turn->end; ++k)
        x[turn->list[k]] *= factor;
}

struct scaling {
    struct ph_system *system;
    const double *factor; /* of each group */
};

static void scale_turn(const struct ph_moved *turn, void *data)
{
    const struct scaling *scaling = data;
    for (int k = 0; k < 3; ++k) {
        scale_row(scaling->factor[0], turn, scaling->system->p[k]);
        scale_row(scaling->factor[1 + k], turn, scaling->system->m[k]);
    }
}

void ph_bath_scale(const double factor[PH_BATH_GROUPS], const struct ph_owned *own, struct ph_system *system)
{
    for (size_t s = 0; s < system->n_species; ++s)
        ph_moved_share(ph_moved_of(system, own, s), scale_turn, &(struct scaling){system, factor});
}
