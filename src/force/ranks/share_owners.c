/* SPDX-License-Identifier: MIT */
/* Chooses the owners of tiles. */
#include "force/ranks/share.h"

#include "base/random.h"
#include "parallel/team.h"

#include <stdlib.h>
#include <string.h>

void ph_share_deal(size_t n_tiles, const uint64_t *cost, uint64_t before, uint64_t sum, size_t n_processes,
                   int64_t *first_tile)
{
    size_t d = 0;
    for (size_t p = 1; p < n_processes; ++p) {
        const uint64_t most = 2 * (sum / n_processes * p + sum % n_processes * p / n_processes);
        for (; d < n_tiles && 2 * before + cost[d] <= most; ++d)
            before += cost[d];
        first_tile[p] = (int64_t)d;
    }
    first_tile[0] = 0;
    first_tile[n_processes] = (int64_t)n_tiles;
}

void ph_share_own_tiles(const struct ph_share *share, size_t *begin, size_t *end)
{
    *begin = share->owners.first_tile[ph_team()->rank];
    *end = share->owners.first_tile[ph_team()->rank + 1];
}

static int ascending(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

static void shuffle(const struct ph_share *share)
{
    const size_t size = ph_team()->size;
    const struct ph_owners *owners = &share->owners;
    struct ph_random random = ph_random_stream(owners->n_tiles, PH_RANDOM_TEST, share->plans);
    for (size_t p = 1; p < size; ++p)
        owners->first_tile[p] = ph_random_below(&random, owners->n_tiles + 1);
    qsort(owners->first_tile + 1, size - 1, sizeof *owners->first_tile, ascending);
    owners->first_tile[size] = owners->n_tiles;
}

/* Deals tiles by the time that they took on their last owners, which also compensates for slow ranks. Ignores small
 * differences, so that molecules do not migrate without need. */
static void balance(const struct ph_share *share)
{
    const double small = 1.03;
    const struct ph_team *team = ph_team();
    const struct ph_owners *owners = &share->owners;
    const size_t n = owners->n_tiles_of[team->rank];
    uint64_t *own = owners->spent + owners->first_tile[team->rank], most = 0, sum = 0, before = 0;
    owners->spent_by[team->rank] = 0;
    for (size_t d = 0; d < n; ++d)
        owners->spent_by[team->rank] += own[d];
    for (size_t p = 0; p < team->size; ++p)
        share->some[p] = 1;
    team->gather(sizeof *owners->spent_by, share->some, owners->spent_by);
    for (size_t p = 0; p < team->size; ++p) {
        before += p < team->rank ? owners->spent_by[p] : 0;
        most = owners->spent_by[p] > most ? owners->spent_by[p] : most;
        sum += owners->spent_by[p];
    }
    if ((double)most * (double)team->size > small * (double)sum) {
        ph_share_deal(n, own, before, sum, team->size, owners->dealt);
        team->sum_wide(team->size + 1, owners->dealt);
        for (size_t p = 0; p <= team->size; ++p)
            owners->first_tile[p] = (size_t)owners->dealt[p];
    }
    memset(own, 0, n * sizeof *own);
}

/* Gives each rank the same number of tiles at first, then balances by time every few list builds. */
static void choose_owners(struct ph_share *share)
{
    enum { EVERY = 4 };
    if (share->shuffled)
        shuffle(share);
    else if (share->plans == 0)
        for (size_t p = 0; p <= ph_team()->size; ++p)
            share->owners.first_tile[p] = share->owners.n_tiles * p / ph_team()->size;
    else if (share->plans % EVERY == 0)
        balance(share);
    ++share->plans;
}

void ph_share_choose(struct ph_share *share)
{
    const struct ph_owners *owners = &share->owners;
    choose_owners(share);
    for (size_t p = 0; p < ph_team()->size; ++p)
        owners->n_tiles_of[p] = owners->first_tile[p + 1] - owners->first_tile[p];
}
