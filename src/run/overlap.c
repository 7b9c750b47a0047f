/* SPDX-License-Identifier: MIT */
#include "run/overlap.h"

#include "base/plain.h"
#include "base/rotation.h"
#include "base/vec3.h"
#include "force/pairs/pair_table.h"
#include "run/closest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double overlaps_below = 0.75; /* of sigma */

struct search {
    const struct ph_system *system;
    double *sigma; /* owned; of any two sites, at row_of; 0 without a radial term */
    double worst;  /* distance over sigma */
    size_t pairs, place[2], site[2];
    double distance, its_sigma;
};

/* Of sites: of site a of species s with all others; site b of species t is in column row_of(t, b) */
static size_t row_of(size_t s, size_t a) { return s * PH_SITES_MAX + a; }

static double *sigma_of(const struct search *search, size_t s, size_t a, size_t t, size_t b)
{
    return &search->sigma[row_of(s, a) * search->system->n_species * PH_SITES_MAX + row_of(t, b)];
}

static enum ph_status tabulate(const struct ph_interactions *interactions, struct search *search, double *largest,
                               struct ph_error *err)
{
    const struct ph_system *system = search->system;
    const size_t n = system->n_species * PH_SITES_MAX;
    if (!(search->sigma = calloc(n * n, sizeof *search->sigma)))
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu kinds of sites.", n);
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t t = 0; t < system->n_species; ++t)
            for (size_t a = 0; a < system->species[s].n_sites; ++a)
                for (size_t b = 0; b < system->species[t].n_sites; ++b) {
                    struct ph_radial radial;
                    const enum ph_status status =
                        ph_combine(interactions, &system->species[s], a, &system->species[t], b, &radial, err);
                    if (status != PH_OK)
                        return status;
                    const double sigma = radial.kind == PH_RADIAL_NONE ? 0.0 : radial.sigma;
                    *sigma_of(search, s, a, t, b) = sigma;
                    *largest = fmax(*largest, sigma);
                }
    return PH_OK;
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
            if (!(distance < search->worst * sigma))
                continue;
            search->worst = distance / sigma;
            search->distance = distance;
            search->its_sigma = sigma;
            search->place[0] = i;
            search->place[1] = j;
            search->site[0] = a;
            search->site[1] = b;
        }
    search->pairs += overlap;
}

enum ph_status ph_overlap_find(const struct ph_system *system, const struct ph_interactions *interactions,
                               struct ph_overlap *overlap, struct ph_error *err)
{
    *overlap = (struct ph_overlap){.pairs = 0};
    struct search search = {.system = system, .worst = overlaps_below};
    double largest = 0.0;
    enum ph_status status = tabulate(interactions, &search, &largest, err);
    if (status == PH_OK && largest > 0.0)
        status = ph_near_pairs(system, overlaps_below * largest + 2.0 * extent_of(system), compare, &search, err);
    if (status == PH_OK && search.pairs > 0) {
        overlap->pairs = search.pairs;
        overlap->distance = search.distance;
        overlap->sigma = search.its_sigma;
        for (int side = 0; side < 2; ++side) {
            const struct ph_species *species = &system->species[ph_system_species_of(system, search.place[side])];
            overlap->molecule[side] = system->id[search.place[side]];
            snprintf(overlap->site[side], sizeof overlap->site[side], "%s.%s", species->name,
                     species->site[search.site[side]].name);
        }
    }
    free(search.sigma);
    return status == PH_ERR_MEMORY ? status : PH_OK;
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
