/* SPDX-License-Identifier: MIT */
/* The pair term where several ranks share the molecules: ownership, and data for other ranks. */

#include "force/pairs/pairs_inside.h"

#include <assert.h>

struct ph_share *ph_pairs_owners(const struct ph_pairs *pairs)
{
    return pairs->of ? pairs->of->tiles.share : pairs->tiles.share;
}

const struct ph_owned *ph_pairs_known(const struct ph_pairs *pairs)
{
    return ph_pairs_owners(pairs) && pairs->sites->state ? &ph_pairs_owners(pairs)->owners.own : NULL;
}

bool ph_pairs_is_divided(const struct ph_pairs *pairs) { return pairs->tiles.shared && pairs->sites->state; }

void ph_pairs_vacate_state(const struct ph_pairs *pairs, const struct ph_system *system)
{
    const struct ph_tiles *tiles = &pairs->tiles;
    for (int k = 0; k < 3; ++k) {
        ph_share_vacate(tiles->share, sizeof(double), system->f[k]);
        ph_share_vacate(tiles->share, sizeof(double), system->t[k]);
        ph_share_vacate(tiles->share, sizeof(double), tiles->built_at[k]);
        ph_share_vacate(tiles->share, sizeof(double), tiles->thinned_at[k]);
        if (pairs->drawn)
            ph_share_vacate(tiles->share, sizeof(double), pairs->drawn->tiles.thinned_at[k]);
    }
    ph_share_vacate(tiles->share, pairs->sites->table.record * sizeof(double), pairs->sites->place);
}

const struct ph_owned *ph_pairs_owned(const void *term)
{
    const struct ph_pairs *pairs = term;
    if (ph_pairs_owners(pairs))
        ph_share_withdraw(ph_pairs_owners(pairs));
    return pairs->tiles.share ? &pairs->tiles.share->owners.own : NULL;
}

bool ph_pairs_has_owners(const void *term) { return ((const struct ph_pairs *)term)->tiles.share != NULL; }

void ph_pairs_vacate(const void *term, double *row)
{
    const struct ph_share *share = ((const struct ph_pairs *)term)->tiles.share;
    if (share)
        ph_share_vacate(share, sizeof *row, row);
}

enum ph_status ph_pairs_begin(void *term, const struct ph_system *system, struct ph_error *err)
{
    struct ph_pairs *pairs = term;
    pairs->stale = true;
    return ph_tiles_begin(system, &pairs->tiles, err);
}

bool ph_pairs_has_lists(const void *term) { return !((const struct ph_pairs *)term)->all_pairs; }

bool ph_pairs_show_all(const void *term)
{
    const struct ph_share *share = ((const struct ph_pairs *)term)->tiles.share;
    return !share || !share->owners.distributed || share->shown;
}

enum ph_status ph_pairs_collect(void *term, const struct ph_column_set *rows, struct ph_error *err)
{
    struct ph_pairs *pairs = term;
    struct ph_share *share = pairs->tiles.share;
    unsigned nothing = 0;
    const enum ph_status status = share ? ph_share_meet(share, &nothing, err) : PH_OK;
    if (status == PH_OK && share)
        ph_share_collect(share, rows);
    return status;
}

enum ph_status ph_pairs_read(void *term, const struct ph_column_set *rows, const struct ph_readers *readers,
                             ph_columns_reader *block, void *data, struct ph_error *err)
{
    struct ph_share *share = ((struct ph_pairs *)term)->tiles.share;
    unsigned nothing = 0;
    if (!share && !block) /* before the first list build, and without lists, each rank has all molecules */
        return PH_OK;
    assert(share);
    ph_share_withdraw(share);
    const enum ph_status status = ph_share_meet(share, &nothing, err);
    if (status != PH_OK)
        return status;
    return block ? ph_share_read(share, rows, readers, block, data, err) : ph_share_collect_first(share, rows, err);
}

enum ph_status ph_pairs_collect_memory(void *term, double *const anchor[3], bool first, struct ph_error *err)
{
    struct ph_pairs *pairs = term;
    struct ph_tiles *tiles = &pairs->tiles;
    double *const *const groups[] = {tiles->built_at, tiles->thinned_at, anchor,
                                     pairs->drawn ? pairs->drawn->tiles.thinned_at : NULL};
    enum { GROUPS = sizeof groups / sizeof *groups };
    double *row[3 * GROUPS];
    struct ph_column_set rows = {.n = 0, .row = row};
    if (!tiles->share || pairs->all_pairs)
        return PH_OK;
    for (size_t g = 0; g < GROUPS; ++g)
        for (int k = 0; k < 3 && groups[g] && groups[g][0]; ++k)
            row[rows.n++] = groups[g][k];
    if (first)
        return ph_share_collect_first(tiles->share, &rows, err);
    ph_share_collect(tiles->share, &rows);
    return PH_OK;
}

bool ph_pairs_refused(const void *term) { return ((const struct ph_pairs *)term)->refused; }

void ph_pairs_fail(void *term, const struct ph_error *failure)
{
    ph_share_fail(((struct ph_pairs *)term)->tiles.share, failure);
}

void ph_pairs_give_back(void *term)
{
    struct ph_pairs *pairs = term;
    if (pairs->tiles.shared)
        ph_derivative_clear(&pairs->derivative);
}
