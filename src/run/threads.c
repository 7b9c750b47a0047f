/* SPDX-License-Identifier: MIT */
#include "run/threads.h"

#include "force/longrange/ewald.h"
#include "force/pairs/pairs.h"
#include "parallel/ranks.h"

#include <math.h>
#include <omp.h>
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

int ph_threads_suitable(const struct ph_system *system, const struct ph_interactions *interactions)
{
    const int most = omp_get_max_threads();
    if (getenv("OMP_NUM_THREADS"))
        return most;
    const double ranks = (double)ph_ranks_count(), waves = ph_is_ewald(interactions) ? 2.0 : 1.0;
    const double tiles = (double)ph_pairs_tiles(system, interactions);
    const double busy = fmin(tiles, pairs_of_sites(system, interactions) / pairs_each) * waves / ranks;
    return busy < 1.0 ? 1 : busy < (double)most ? (int)busy : most;
}
