/* SPDX-License-Identifier: MIT */
#define PH_FUSED /* the same factors for every backend, whatever the program is built for */
#include "state/momenta.h"

#include "base/lanes.h"
#include "base/threads.h"
#include "parallel/ranks.h"
#include "state/each.h"

#include <math.h>
#include <string.h>

/* ---- Kinetic energies ---- */

static void kinetic_terms(struct ph_range range, void *data, struct ph_exact *sums)
{
    const struct ph_system *system = data;
    const struct ph_species *species = &system->species[range.species];
    double *const *p = system->p, *const *m = system->m;
    double half_inverse[PH_BATH_GROUPS] = {0.5 / species->mass}; /* makes squares of momenta energies */
    for (int k = 0; k < 3; ++k)
        half_inverse[1 + k] = species->inertia[k] > 0.0 ? 0.5 / species->inertia[k] : 0.0;
    double kinetic[PH_BATH_GROUPS][PH_TURN];
    const size_t n = range.end - range.begin;
    for (size_t k = 0; k < n; ++k) {
        const size_t i = range.begin + k;
        kinetic[0][k] = half_inverse[0] * (p[0][i] * p[0][i] + p[1][i] * p[1][i] + p[2][i] * p[2][i]);
        for (int x = 0; x < 3; ++x)
            kinetic[1 + x][k] = half_inverse[1 + x] * (m[x][i] * m[x][i]);
    }
    for (int group = 0; group < PH_BATH_GROUPS; ++group)
        if (half_inverse[group] > 0.0)
            ph_exact_add(n, kinetic[group], &sums[group]);
}

void ph_momenta_kinetic(const struct ph_system *system, const struct ph_owned *own, double kinetic[PH_BATH_GROUPS])
{
    struct ph_exact sums[PH_BATH_GROUPS] = {{.spoilt = 0}};
    _Static_assert((int)PH_BATH_GROUPS <= (int)PH_EACH_SUMS, "a sum for each group");
    ph_each_sum(system, own, kinetic_terms, (void *)system, PH_BATH_GROUPS, sums);
    if (own)
        ph_ranks_add_up(PH_BATH_GROUPS, sums);
    for (int group = 0; group < PH_BATH_GROUPS; ++group)
        kinetic[group] = ph_exact_value(&sums[group]);
}

/* ---- Factors ---- */

void ph_momenta_factors(const struct ph_scaling *scaling, const double kinetic[PH_BATH_GROUPS],
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

static void scale_row(double factor, struct ph_range range, double *restrict x)
{
    if (factor == 1.0)
        return;
    PH_SIMD
    for (size_t i = range.begin; i < range.end; ++i)
        x[i] *= factor;
}

struct scaling {
    struct ph_system *system;
    const double *factor; /* of each group */
};

static void scale_range(struct ph_range range, void *data)
{
    const struct scaling *scaling = data;
    for (int k = 0; k < 3; ++k) {
        scale_row(scaling->factor[0], range, scaling->system->p[k]);
        scale_row(scaling->factor[1 + k], range, scaling->system->m[k]);
    }
}

void ph_momenta_scale(const double factor[PH_BATH_GROUPS], const struct ph_owned *own, struct ph_system *system)
{
    ph_each(system, own, scale_range, &(struct scaling){system, factor});
}

/* ---- Heat ---- */

/* The exact heat in these numbers; heat counted elsewhere (by a backend, in an old checkpoint) is known to rounding. */
static struct ph_exact exact_heat(const double numbers[PH_BATH_NUMBERS])
{
    struct ph_exact heat = {.spoilt = 0}, rounded = {.spoilt = 0};
    int64_t integers[PH_EXACT_NUMBERS];
    bool whole = true;
    for (int k = 0; k < PH_EXACT_NUMBERS; ++k) {
        const double x = numbers[PH_BATH_EXACT_HEAT + k];
        whole = whole && fabs(x) < 0x1p62;
        integers[k] = whole ? (int64_t)x : 0;
    }
    memcpy(&heat, integers, sizeof heat);
    if (whole && ph_exact_value(&heat) == numbers[PH_BATH_HEAT])
        return heat;
    ph_exact_add(1, &numbers[PH_BATH_HEAT], &rounded);
    return rounded;
}

void ph_momenta_count_heat(const struct ph_exact *more, double numbers[PH_BATH_NUMBERS])
{
    struct ph_exact heat = exact_heat(numbers);
    int64_t integers[PH_EXACT_NUMBERS];
    ph_exact_join(more, &heat);
    memcpy(integers, &heat, sizeof heat);
    for (int k = 0; k < PH_EXACT_NUMBERS; ++k)
        numbers[PH_BATH_EXACT_HEAT + k] = (double)integers[k];
    numbers[PH_BATH_HEAT] = ph_exact_value(&heat);
}
