/* SPDX-License-Identifier: MIT */
#include "force/pairs/loops/shared_loop.h"

#include "base/clock.h"
#include "force/pairs/loops/pair_loop.h"
#include "force/ranks/share.h"

#include <omp.h>

static struct ph_share_sums sums_of(size_t d, void *data)
{
    const struct ph_tile *tile = &((const struct ph_tiles *)data)->tile[d];
    return (struct ph_share_sums){tile->out, tile->field_step, tile->local_step};
}

/* Evaluates n tiles, which the threads share, and times each. The thread that may call MPI makes progress on
 * messages. */
static void loop(const struct ph_sites *sites, const struct ph_system *system, bool energy,
                 const struct ph_tiles *tiles, size_t n, const uint32_t *tile)
{
    double before =
        ph_clock_thread(); /* the end of one tile is the beginning of the next: the clock is a system call */
#pragma omp for schedule(dynamic)
    for (size_t k = 0; k < n; ++k) {
        ph_pair_loop(&sites->table, system, sites->place, tiles, energy, NULL, &tiles->tile[tile[k]]);
        const double now = ph_clock_thread();
        tiles->share->owners.spent[tile[k]] += (uint64_t)(1e9 * (now - before));
        before = now;
        if (omp_get_thread_num() == 0)
            ph_share_push();
    }
}

void ph_shared_loop(const struct ph_sites *sites, const struct ph_system *system, bool energy,
                    const struct ph_tiles *tiles)
{
    struct ph_share *share = tiles->share;
    const size_t n_fields = sites->table.n_fields, first_half = share->n_inner / 2;
    double *const places[] = {system->r[0], system->r[1], system->r[2], system->q[0],
                              system->q[1], system->q[2], system->q[3]};
#pragma omp parallel
    {
        loop(sites, system, energy, tiles, first_half, share->inner);
#pragma omp master
        ph_share_finish_ghosts(share, sizeof places / sizeof *places, places);
#pragma omp barrier
        if (sites->own)
            ph_sites_place_ghosts(system, sites);
        loop(sites, system, energy, tiles, share->n_outer, share->outer);
#pragma omp master
        ph_share_begin_sums(tiles, n_fields, sums_of, (void *)(uintptr_t)tiles);
        loop(sites, system, energy, tiles, share->n_inner - first_half, share->inner + first_half);
#pragma omp master
        ph_share_finish_sums(tiles, n_fields, sums_of, (void *)(uintptr_t)tiles);
    }
}
