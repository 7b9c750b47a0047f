/* SPDX-License-Identifier: MIT */
#include "run/threads.h"

#include "force/longrange/ewald.h"
#include "force/longrange/mesh/mesh_choice.h"
#include "force/pairs/pairs.h"
#include "parallel/ranks.h"

#include <ctype.h>
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>

/* Pairs of sites that a thread has to have. They take 20 to 40 microseconds, and the loops of a step about ten more, to
 * begin and to wait for the last thread. */
static const double pairs_each = 4000.0;

/* Pairs of sites within the cutoff, if molecules fill the box evenly */
static double pairs_of_sites(const struct ph_system *system, const struct ph_interactions *interactions)
{
    const double n = (double)system->n, pi = 3.14159265358979323846, reach = interactions->cutoff;
    double sites = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        sites += (double)system->species[s].n_sites * (double)(system->first[s + 1] - system->first[s]) / n;
    const double all = 0.5 * n * n;
    const bool open = system->box.kind == PH_BOX_OPEN || interactions->truncation == PH_TRUNCATE_NONE;
    const double near = open ? all : 0.5 * n * n / system->box.volume * 4.0 / 3.0 * pi * reach * reach * reach;
    return sites * sites * fmin(near, all);
}

/* Pairs of sites that take the time of a mesh. Its grid follows from the box and the tolerance, so a gas may have much
 * mesh and few pairs. */
static double mesh_in_pairs(const struct ph_interactions *interactions)
{
    const struct ph_ewald_choice *mesh = &interactions->ewald; /* costs of 0 unless there is one */
    return (mesh->spread_cost + mesh->transform_cost + mesh->gather_cost) / ph_mesh_usual_costs.pair;
}

/* OpenMP leaves out a variable that is empty or no list of numbers from 1 on. */
static bool environment_chooses(void)
{
    const char *at = getenv("OMP_NUM_THREADS");
    while (at) {
        char *end;
        if (strtol(at, &end, 10) < 1)
            return false;
        while (isspace((unsigned char)*end))
            ++end;
        if (*end == '\0')
            return true;
        at = *end == ',' ? end + 1 : NULL;
    }
    return false;
}

int ph_threads_suitable(const struct ph_system *system, const struct ph_interactions *interactions)
{
    const int most = omp_get_max_threads();
    if (environment_chooses())
        return most;
    const double ranks = (double)ph_ranks_count(), waves = ph_is_ewald(interactions) ? 2.0 : 1.0;
    const double tiles = (double)ph_pairs_tiles(system, interactions);
    const double busy_pairs = fmin(tiles, pairs_of_sites(system, interactions) / pairs_each) * waves;
    const double busy = fmax(busy_pairs, mesh_in_pairs(interactions) / pairs_each) / ranks;
    return busy < 1.0 ? 1 : busy < (double)most ? (int)busy : most;
}
