/* SPDX-License-Identifier: MIT */
/* The pair term where several ranks share the molecules: ownership. force_field_ranks.c collects data of other ranks.
 */

#include "force/pairs/pairs_inside.h"

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

void ph_pairs_vacate(const void *term, double *row)
{
    const struct ph_share *share = ((const struct ph_pairs *)term)->tiles.share;
    if (share)
        ph_share_vacate(share, sizeof *row, row);
}

bool ph_pairs_refused(const void *term) { return ((const struct ph_pairs *)term)->refused; }

void ph_pairs_give_back(void *term)
{
    struct ph_pairs *pairs = term;
    if (pairs->tiles.shared)
        ph_derivative_clear(&pairs->derivative);
}
