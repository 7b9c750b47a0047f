/* SPDX-License-Identifier: MIT */
#include "force/pairs/loops/flux.h"

#include "base/array.h"
#include "base/vec3.h"
#include "force/energy.h"
#include "force/pairs/loops/two_molecules.h"
#include "force/ranks/share.h"
#include "parallel/ranks.h"

#include <stdlib.h>
#include <string.h>

/* Work of one thread on the pairs of a tile */
struct visit {
    const struct ph_pair_table *table;
    const struct ph_system *system;
    const double *site;
    const struct ph_rates *motion;
    double reach2;
    size_t species[2];            /* for which `two` is set up; SIZE_MAX: none yet */
    size_t first;                 /* molecule that it holds as the first one; SIZE_MAX: none */
    struct ph_two_molecules *two; /* owned */
    struct ph_pair_flux *sum;
};

static void read_vector(double *const rows[3], size_t i, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = rows[k][i];
}

/* Brings the two molecules of a pair into place. Lists have many neighbours of one molecule after each other. */
static void prepare(struct visit *visit, size_t i, size_t j)
{
    const struct ph_system *system = visit->system;
    const size_t of_i = ph_system_species_of(system, i), of_j = ph_system_species_of(system, j);
    double r[3];
    if (visit->species[0] != of_i || visit->species[1] != of_j) {
        ph_two_molecules_init(system, visit->table, of_i, of_j, visit->two);
        visit->species[0] = of_i;
        visit->species[1] = of_j;
        visit->first = SIZE_MAX;
    }
    if (visit->first != i) {
        read_vector(system->r, i, r);
        ph_two_molecules_set(visit->two, 0, visit->site + i * visit->table->record, r);
        visit->first = i;
    }
    read_vector(system->r, j, r);
    ph_two_molecules_set(visit->two, 1, visit->site + j * visit->table->record, r);
}

/* d = r_i - r_j */
static void add_pair(size_t i, size_t j, const double d[3], void *context)
{
    struct visit *visit = context;
    if (ph_vec3_dot(d, d) >= visit->reach2)
        return;
    prepare(visit, i, j);
    struct ph_two_forces pair;
    const double from_first[3] = {-d[0], -d[1], -d[2]};
    ph_two_molecules_forces(visit->two, from_first, &pair);
    double v[3], v_j[3], omega_i[3], omega_j[3];
    read_vector(visit->motion->velocity, i, v);
    read_vector(visit->motion->velocity, j, v_j);
    read_vector(visit->motion->omega, i, omega_i);
    read_vector(visit->motion->omega, j, omega_j);
    ph_vec3_add(1.0, v_j, v);
    /* pair.force acts on j, its opposite on i */
    const double power =
        ph_vec3_dot(omega_i, pair.torque[0]) - ph_vec3_dot(omega_j, pair.torque[1]) - ph_vec3_dot(v, pair.force);
    struct ph_pair_flux *sum = visit->sum;
    sum->energy += pair.energy;
    for (int k = 0; k < 3; ++k) {
        sum->current[k] += 0.5 * (pair.energy * v[k] + power * d[k]);
        for (int l = 0; l < 3; ++l)
            sum->virial[k][l] -= d[k] * pair.force[l];
    }
}

/* Velocities of ghosts come from the ranks that own them. */
static void fetch_ghosts(const struct ph_tiles *tiles, const struct ph_rates *motion)
{
    double *const rows[] = {motion->velocity[0], motion->velocity[1], motion->velocity[2],
                            motion->omega[0],    motion->omega[1],    motion->omega[2]};
    ph_share_begin_ghosts(tiles->share, sizeof rows / sizeof *rows, rows);
    ph_share_finish_ghosts(tiles->share, sizeof rows / sizeof *rows, rows);
}

static bool visit_tiles(const struct visit *about, const struct ph_tiles *tiles, struct ph_pair_flux *of_tile)
{
    bool good = true;
#pragma omp parallel reduction(&& : good)
    {
        struct visit visit = *about;
        visit.two = ph_array_create(sizeof *visit.two, 1);
        good = visit.two != NULL;
#pragma omp for schedule(dynamic)
        for (size_t k = 0; k < tiles->n_here; ++k) {
            visit.sum = &of_tile[tiles->here[k]];
            visit.first = visit.species[0] = SIZE_MAX;
            if (good)
                ph_tile_visit(visit.system, tiles, &tiles->tile[tiles->here[k]], add_pair, &visit);
        }
        free(visit.two);
    }
    return good;
}

enum { NUMBERS = sizeof(struct ph_pair_flux) / sizeof(double) };

enum ph_status ph_flux_of_pairs(const struct ph_pair_table *table, const struct ph_system *system, const double *site,
                                const struct ph_tiles *tiles, double reach, const struct ph_rates *motion,
                                struct ph_pair_flux *out, struct ph_error *err)
{
    const struct visit about = {
        .table = table, .system = system, .site = site, .motion = motion, .reach2 = reach * reach};
    struct ph_pair_flux *of_tile = calloc(tiles->n + 1, sizeof *of_tile);
    enum ph_status status = of_tile ? PH_OK : ph_no_memory(err, "the fluxes of %zu tiles", tiles->n);
    if (tiles->shared)
        status = ph_ranks_agree(status, err);
    if (status == PH_OK && tiles->share)
        fetch_ghosts(tiles, motion);
    if (status == PH_OK && !visit_tiles(&about, tiles, of_tile))
        status = ph_no_memory(err, "the fluxes of pairs");
    if (tiles->shared)
        status = ph_ranks_agree(status, err);
    if (status == PH_OK && tiles->shared)
        ph_ranks_merge(tiles->n * NUMBERS, (double *)of_tile);
    *out = (struct ph_pair_flux){.energy = 0.0};
    double *sum = (double *)out;
    for (size_t t = 0; t < tiles->n && status == PH_OK; ++t)
        for (size_t k = 0; k < NUMBERS; ++k)
            sum[k] += ((const double *)&of_tile[t])[k];
    free(of_tile);
    return status;
}
