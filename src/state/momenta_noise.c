/* SPDX-License-Identifier: MIT */
#include "base/lanes.h"
#include "base/random.h"
#include "base/threads.h"
#include "state/each.h"
#include "state/momenta.h"

#include <string.h>

struct noise {
    const struct ph_noise *noise;
    struct ph_system *system;
};

PH_DISPATCHED static void mix(double keep, double width, double half_inverse, const double *restrict xi,
                              double *restrict x, double *restrict heat)
{
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        ph_noise_mix(keep, width, half_inverse, xi[l], &x[l], &heat[l]);
}

/* PH_LANES molecules with these numbers */
static void apply_noise(const struct ph_noise *noise, const struct ph_noise_kind *kind, const uint32_t *number,
                        double *const x[6], double heat[PH_LANES])
{
    PH_ALIGNED double xi[6][PH_LANES];
    ph_random_normals(noise->seed, PH_RANDOM_LANGEVIN, noise->index, number, xi);
    for (int k = 0; k < 6; ++k)
        mix(kind->keep[k], kind->width[k], kind->half_inverse[k], xi[k], x[k], heat);
}

/* The last molecules of a range, fewer than PH_LANES, in a block of their own; the others of the block are not there.
 */
static void noise_few(const struct ph_noise *noise, const struct ph_noise_kind *kind, size_t n, const uint32_t *number,
                      double *const x[6], double heat[PH_LANES])
{
    PH_ALIGNED double copy[6][PH_LANES] = {{0.0}};
    double *const lanes[6] = {copy[0], copy[1], copy[2], copy[3], copy[4], copy[5]};
    uint32_t numbers[PH_LANES] = {0};
    memcpy(numbers, number, n * sizeof *numbers);
    for (int k = 0; k < 6; ++k)
        memcpy(copy[k], x[k], n * sizeof **copy);
    apply_noise(noise, kind, numbers, lanes, heat);
    for (int k = 0; k < 6; ++k)
        memcpy(x[k], copy[k], n * sizeof **copy);
}

static void noise_range(struct ph_range range, void *data, struct ph_exact *sum)
{
    const struct noise *noise = data;
    const struct ph_system *system = noise->system;
    const struct ph_species *species = &system->species[range.species];
    const struct ph_noise_kind kind = ph_noise_kind_of(noise->noise, species->mass, species->inertia);
    PH_ALIGNED double heat[PH_TURN + PH_LANES] = {0.0};
    for (size_t i = range.begin; i < range.end; i += PH_LANES) {
        double *const x[6] = {system->p[0] + i, system->p[1] + i, system->p[2] + i,
                              system->m[0] + i, system->m[1] + i, system->m[2] + i};
        if (range.end - i >= PH_LANES)
            apply_noise(noise->noise, &kind, system->id + i, x, heat + (i - range.begin));
        else
            noise_few(noise->noise, &kind, range.end - i, system->id + i, x, heat + (i - range.begin));
    }
    ph_exact_add(range.end - range.begin, heat, sum);
}

void ph_momenta_apply_noise(const struct ph_noise *noise, const struct ph_owned *own, struct ph_system *system,
                            struct ph_exact *heat)
{
    ph_each_sum(system, own, noise_range, &(struct noise){noise, system}, 1, heat);
}
