/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_MACHINES_EMULATED_FORCES_H
#define PH_ACCEL_MACHINES_EMULATED_FORCES_H

/* Forces of one molecule, part of machine_emulated.c: the work of the threads that share it on a device, one after the
 * other. */

#include "accel/functions/device_functions.h"

#include "accel/functions/site_functions.h"
#include "accel/functions/variants.h"
#include "accel/functions/water_functions.h"

/* All parts of the sums of the molecule in slot k, added as the threads of a device do it */
typedef void forces_function(bool energy, const struct ph_accel_view *v, uint32_t k);

PH_INLINE struct sums endless_part(struct formulas is, bool energy, const struct ph_accel_view *v, uint32_t k,
                                   uint32_t part)
{
    struct sums sums = no_sums();
    for (uint32_t l = first_of_part(v, part); l < first_of_part(v, part + 1); ++l)
        if (l != k)
            add_pair(is, energy, v->periodic, v, &v->slot[k], &v->slot[l], &sums);
    return sums;
}

PH_SPECIALISED void forces(struct formulas is, bool energy, const struct ph_accel_view *v, uint32_t k)
{
    struct sums part[PH_PARTS];
    for (uint32_t s = 0; s < PH_PARTS; ++s)
        part[s] = v->listed ? listed_part(is, energy, v, k, s) : endless_part(is, energy, v, k, s);
    for (int width = PH_PARTS / 2; width > 0; width /= 2)
        for (int s = 0; s < width; ++s)
            add_sums(energy, &part[s + width], &part[s]);
    finish_body(energy, v, k, &part[0]);
}

#define FORCES(name, radial, electric, truncate, field)                                                                \
    static void forces_##name(bool energy, const struct ph_accel_view *v, uint32_t k)                                  \
    {                                                                                                                  \
        const struct formulas is = {PH_KERNEL_##radial, PH_KERNEL_##electric, truncate, field};                        \
        forces(is, energy, v, k);                                                                                      \
    }
PH_VARIANTS(FORCES)
#define ENTRY(name, radial, electric, truncate, field) forces_##name,
static forces_function *const forces_of[] = {PH_VARIANTS(ENTRY)};

/* Pairs of one kind that wait */
struct waiting {
    double d[PH_LANES_TOGETHER * 5][3];
    uint32_t word[PH_LANES_TOGETHER * 5], count;
};

/* Those that came last go first, at most one for each thread. */
static void add_last_pairs(bool energy, const struct ph_accel_view *v, const struct ph_site_entry *entry, uint32_t k,
                           struct waiting *waiting, struct site_sums part[])
{
    const uint32_t most = PH_LANES_TOGETHER, many = waiting->count < most ? waiting->count : most;
    waiting->count -= many;
    for (uint32_t s = 0; s < many; ++s)
        add_waiting(energy, v, entry, k, waiting->d[waiting->count + s], waiting->word[waiting->count + s], &part[s]);
}

/* As the threads of a warp, one after the other */
static void forces_of_shape(bool energy, const struct ph_accel_view *v, uint32_t k)
{
    const struct ph_site_view *sites = &v->sites;
    const uint32_t partners = v->partners[k];
    const double *mine = sites->place + (size_t)k * sites->record;
    const bool images = meets_images(v, k);
    struct site_sums part[PH_LANES_TOGETHER];
    struct waiting waiting[PH_SHAPE_KINDS];
    double to[PH_LANES_TOGETHER][3 * PH_SHAPE_SITES];
    for (uint32_t s = 0; s < PH_LANES_TOGETHER; ++s)
        part[s] = no_site_sums();
    for (uint32_t kind = 0; kind < PH_SHAPE_KINDS; ++kind)
        waiting[kind].count = 0;
    for (uint32_t first = 0; first < partners + PH_LANES_TOGETHER; first += PH_LANES_TOGETHER) {
        const uint32_t left = first < partners ? partners - first : 0;
        const uint32_t many = left < PH_LANES_TOGETHER ? left : PH_LANES_TOGETHER;
        const bool ends = first >= partners;
        for (uint32_t s = 0; s < many; ++s)
            find_sites(ph_shape_sites(sites->shape), images, v, k, v->list[place_in_list(v, k, first + s)], to[s]);
        for (uint32_t kind = 0; kind < ph_shape_kinds(sites->shape); ++kind) {
            const struct ph_site_entry *entry = &sites->on_host[sites->entry_of[kind]];
            struct waiting *these = &waiting[kind];
            for (uint32_t m = 0; m < ph_shape_pairs(sites->shape, kind); ++m) {
                const uint32_t pair = ph_shape_pair(sites->shape, kind, m);
                const double *arm = mine + (size_t)3 * ph_pair_first(pair);
                for (uint32_t s = 0; s < many; ++s) {
                    double *d = these->d[these->count];
                    for (uint32_t x = 0; x < 3; ++x)
                        d[x] = to[s][3 * ph_pair_second(pair) + x] - arm[x];
                    these->word[these->count] = word_of_pair(pair, v->list[place_in_list(v, k, first + s)]);
                    these->count += is_near(entry->term.cut2, d);
                }
            }
            while (these->count >= PH_LANES_TOGETHER || (ends && these->count > 0))
                add_last_pairs(energy, v, entry, k, these, part);
        }
    }
    for (int width = PH_LANES_TOGETHER / 2; width > 0; width /= 2)
        for (int s = 0; s < width; ++s)
            add_site_sums(energy, &part[s + width], &part[s]);
    finish_sites(energy, v, k, &part[0]);
}

PH_SPECIALISED void water_forces(enum ph_shape shape, enum ph_water_field field, bool energy,
                                 const struct ph_accel_view *v, uint32_t k)
{
    struct site_sums part[PH_LANES_TOGETHER];
    for (uint32_t s = 0; s < PH_LANES_TOGETHER; ++s)
        part[s] = water_part(shape, field, energy, v, v->sites.water, k, s);
    for (int width = PH_LANES_TOGETHER / 2; width > 0; width /= 2)
        for (int s = 0; s < width; ++s)
            add_site_sums(energy, &part[s + width], &part[s]);
    finish_sites(energy, v, k, &part[0]);
}

static void forces_of_water(bool energy, const struct ph_accel_view *v, uint32_t k)
{
    const enum ph_shape shape = v->sites.shape;
    if (v->sites.water_field == PH_WATER_SMOOTH)
        shape == PH_SHAPE_XY2 ? water_forces(PH_SHAPE_XY2, PH_WATER_SMOOTH, energy, v, k)
                              : water_forces(PH_SHAPE_XY2M, PH_WATER_SMOOTH, energy, v, k);
    else
        shape == PH_SHAPE_XY2 ? water_forces(PH_SHAPE_XY2, PH_WATER_SPLIT, energy, v, k)
                              : water_forces(PH_SHAPE_XY2M, PH_WATER_SPLIT, energy, v, k);
}

static void forces_of_sites(bool energy, const struct ph_accel_view *v, uint32_t k)
{
    struct site_sums part[PH_PARTS];
    if (v->listed && v->sites.water_field != PH_NO_WATER) {
        forces_of_water(energy, v, k);
        return;
    }
    if (v->listed && v->sites.shape != PH_NO_SHAPE) {
        forces_of_shape(energy, v, k);
        return;
    }
    for (uint32_t s = 0; s < PH_PARTS; ++s)
        part[s] = energy ? site_part(v->sites.common, v->sites.is_rare, true, v, k, s)
                         : site_part(v->sites.common, v->sites.is_rare, false, v, k, s);
    for (int width = PH_PARTS / 2; width > 0; width /= 2)
        for (int s = 0; s < width; ++s)
            add_site_sums(energy, &part[s + width], &part[s]);
    finish_sites(energy, v, k, &part[0]);
}

#endif
