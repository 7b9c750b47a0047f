/* SPDX-License-Identifier: MIT */
#include "run/build/overlap.h"

#include "base/plain.h"
#include "base/rotation.h"
#include "base/vec3.h"
#include "force/pairs/pair_table.h"
#include "parallel/ranks.h"
#include "run/build/closest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double overlaps_below = 0.75; /* of sigma */

/* Result of the search: the number of overlapping pairs and the worst pair; among equals, the pair with the first
 * numbers */
struct found {
    size_t pairs, number[2], site[2];
    double worst; /* distance over sigma */
    double distance, sigma;
};

struct search {
    const struct ph_system *system;
    double *sigma; /* owned; of any two sites, at row_of; 0 without a radial term */
    double radius; /* centres of molecules that overlap are nearer */
    struct found found;
};

static bool is_worse(const struct found *a, const struct found *b)
{
    if (a->worst != b->worst)
        return a->worst < b->worst;
    return a->number[0] < b->number[0] || (a->number[0] == b->number[0] && a->number[1] < b->number[1]);
}

/* Of sites: of site a of species s with all others; site b of species t is in column row_of(t, b) */
static size_t row_of(size_t s, size_t a) { return s * PH_SITES_MAX + a; }

static double *sigma_of(const struct search *search, size_t s, size_t a, size_t t, size_t b)
{
    return &search->sigma[row_of(s, a) * search->system->n_species * PH_SITES_MAX + row_of(t, b)];
}

/* The farthest site of all from its centre */
static double extent_of(const struct ph_system *system)
{
    double extent = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            extent = fmax(extent, ph_vec3_norm(system->species[s].site[a].position));
    return extent;
}

/* Patches only attract. */
static bool has_core(const struct ph_angular *form)
{
    return form->kind != PH_ANGULAR_PATCH && ph_angular_size(form) > 0.0;
}

static enum ph_status begin(const struct ph_system *system, const struct ph_interactions *interactions,
                            struct search *search, struct ph_error *err)
{
    const size_t n = system->n_species * PH_SITES_MAX;
    double largest = 0.0;
    *search = (struct search){.system = system, .found.worst = overlaps_below};
    if (!(search->sigma = calloc(n * n, sizeof *search->sigma)))
        return ph_no_memory(err, "%zu kinds of sites", n);
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t t = 0; t < system->n_species; ++t)
            for (size_t a = 0; a < system->species[s].n_sites; ++a)
                for (size_t b = 0; b < system->species[t].n_sites; ++b) {
                    struct ph_radial radial;
                    const enum ph_status status =
                        ph_combine(interactions, &system->species[s], a, &system->species[t], b, &radial, err);
                    if (status != PH_OK)
                        return status;
                    const struct ph_angular *one = &system->species[s].site[a].angular;
                    const struct ph_angular *other = &system->species[t].site[b].angular;
                    const struct ph_angular *given =
                        ph_pair_given_angular(interactions, &system->species[s], a, &system->species[t], b, NULL);
                    const double of_both =
                        has_core(one) && has_core(other) ? 0.5 * (ph_angular_size(one) + ph_angular_size(other)) : 0.0;
                    const double sigma = fmax(ph_radial_size(&radial), given ? ph_angular_size(given) : of_both);
                    *sigma_of(search, s, a, t, b) = sigma;
                    largest = fmax(largest, sigma);
                }
    search->radius = largest > 0.0 ? overlaps_below * largest + 2.0 * extent_of(system) : 0.0;
    return PH_OK;
}

/* Sites of molecule i relative to its centre, in space */
static void place_sites(const struct ph_system *system, size_t i, double sites[PH_SITES_MAX][3])
{
    const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    for (size_t a = 0; a < species->n_sites; ++a)
        ph_quat_rotate(q, species->site[a].position, sites[a]);
}

static void compare(size_t i, size_t j, void *context)
{
    struct search *search = context;
    const struct ph_system *system = search->system;
    struct found worst = search->found;
    const size_t s = ph_system_species_of(system, i), t = ph_system_species_of(system, j);
    double of_i[PH_SITES_MAX][3], of_j[PH_SITES_MAX][3], centre[3];
    for (int k = 0; k < 3; ++k)
        centre[k] = system->r[k][i] - system->r[k][j];
    ph_box_minimum_image(&system->box, centre);
    place_sites(system, i, of_i);
    place_sites(system, j, of_j);
    bool overlap = false;
    for (size_t a = 0; a < system->species[s].n_sites; ++a)
        for (size_t b = 0; b < system->species[t].n_sites; ++b) {
            const double sigma = *sigma_of(search, s, a, t, b);
            double d[3];
            for (int k = 0; k < 3; ++k)
                d[k] = centre[k] + of_i[a][k] - of_j[b][k];
            const double distance = ph_vec3_norm(d);
            if (!(distance < overlaps_below * sigma))
                continue;
            overlap = true;
            const struct found this = {.number = {system->id[i], system->id[j]},
                                       .site = {a, b},
                                       .worst = distance / sigma,
                                       .distance = distance,
                                       .sigma = sigma};
            worst = is_worse(&this, &worst) ? this : worst;
        }
    worst.pairs = search->found.pairs + overlap;
    search->found = worst;
}

/* A pair of a list, which may have other images of the two as well */
static void compare_listed(size_t i, size_t j, const double d[3], void *context)
{
    const struct search *search = context;
    const uint32_t *id = search->system->id;
    if (ph_vec3_norm(d) < (1.0 + 1e-9) * search->radius)
        compare(id[i] < id[j] ? i : j, id[i] < id[j] ? j : i, context);
}

static void tell(const struct search *search, struct ph_overlap *overlap)
{
    const struct ph_system *system = search->system;
    const struct found *found = &search->found;
    if (found->pairs == 0)
        return;
    *overlap = (struct ph_overlap){.pairs = found->pairs, .distance = found->distance, .sigma = found->sigma};
    for (int side = 0; side < 2; ++side) {
        const struct ph_species *species = &system->species[ph_system_species_of(system, found->number[side])];
        overlap->molecule[side] = found->number[side];
        snprintf(overlap->site[side], sizeof overlap->site[side], "%s.%s", species->name,
                 species->site[found->site[side]].name);
    }
}

enum ph_status ph_overlap_find(const struct ph_system *system, const struct ph_interactions *interactions,
                               struct ph_overlap *overlap, struct ph_error *err)
{
    struct search search;
    *overlap = (struct ph_overlap){.pairs = 0};
    enum ph_status status = begin(system, interactions, &search, err);
    if (status == PH_OK && search.radius > 0.0)
        status = ph_near_pairs(system, search.radius, compare, &search, err);
    if (status == PH_OK)
        tell(&search, overlap);
    free(search.sigma);
    return status == PH_ERR_MEMORY ? status : PH_OK;
}

bool ph_overlap_listed(const struct ph_system *system, const struct ph_interactions *interactions)
{
    struct search search;
    const bool known = begin(system, interactions, &search, NULL) == PH_OK;
    free(search.sigma);
    return known && search.radius <= interactions->cutoff;
}

/* Adds what this rank has found to what the ranks before it have found. */
static void join_found(void *value, void *data)
{
    struct found *all = value;
    const struct found *ours = data;
    const size_t pairs = all->pairs + ours->pairs;
    *all = is_worse(ours, all) ? *ours : *all;
    all->pairs = pairs;
}

enum ph_status ph_overlap_find_listed(const struct ph_state *state, const struct ph_interactions *interactions,
                                      struct ph_overlap *overlap, struct ph_error *err)
{
    struct search search;
    *overlap = (struct ph_overlap){.pairs = 0};
    enum ph_status status = begin(ph_state_system(state), interactions, &search, err);
    if (status == PH_OK && search.radius > 0.0)
        ph_state_visit_pairs(state, compare_listed, &search);
    status = ph_ranks_agree(status, err);
    if (status == PH_OK) { /* small, and once in a run */
        struct found ours = search.found;
        search.found = (struct found){.worst = overlaps_below};
        ph_ranks_in_turn(sizeof search.found, &search.found, join_found, &ours);
        tell(&search, overlap);
    }
    free(search.sigma);
    return status;
}

enum { SENTENCES = 384 };

static void describe(const struct ph_overlap *overlap, char text[SENTENCES])
{
    char others[64] = "";
    if (overlap->pairs > 1)
        snprintf(others, sizeof others, ", and %zu other pair%s overlap%s", overlap->pairs - 1,
                 overlap->pairs > 2 ? "s" : "", overlap->pairs > 2 ? "" : "s");
    ph_snprintf(text, SENTENCES,
                "molecules %zu and %zu of the start overlap: %s and %s are %.3g apart, where their sigma is %.3g%s. "
                "Give system.start.minimise, or take a larger box or another start.",
                overlap->molecule[0], overlap->molecule[1], overlap->site[0], overlap->site[1], overlap->distance,
                overlap->sigma, others);
}

void ph_overlap_note(const struct ph_overlap *overlap, struct ph_build_notes *notes)
{
    char text[SENTENCES];
    if (overlap->pairs == 0)
        return;
    describe(overlap, text);
    ph_build_note(notes, "Warning: %s\n", text);
}

void ph_overlap_blame(const struct ph_overlap *overlap, struct ph_error *err)
{
    char text[SENTENCES];
    if (overlap->pairs == 0 || err->status != PH_ERR_NUMBERS)
        return;
    const struct ph_error inner = *err;
    describe(overlap, text);
    ph_error_set(err, inner.status, "%.300s The cause: %s", inner.text, text);
}
