/* SPDX-License-Identifier: MIT */
#include "force/longrange/waves_share.h"

#include "base/array.h"
#include "force/longrange/waves.h"
#include "parallel/team.h"

#include <stdlib.h>

void ph_waves_share_clear(struct ph_waves_share *share)
{
    free(share->first_row);
    *share = (struct ph_waves_share){.first_row = NULL};
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

bool ph_waves_share_init(size_t block, const struct ph_waves *waves, struct ph_waves_share *share)
{
    const size_t size = ph_team()->size, rank = ph_team()->rank, padded = ph_padded(waves->sites->n);
    const size_t blocks = (padded + block - 1) / block;
    size_t *all = malloc(4 * (size + 1) * sizeof *all);
    if (!all)
        return false;
    *share = (struct ph_waves_share){
        .first_row = all, .n_waves = all + size + 1, .first_site = all + 2 * size + 2, .n_sites = all + 3 * size + 3};
    for (size_t p = 0, row = 0; p <= size; ++p) {
        while (row < waves->n_rows && waves->row[row].wave < waves->n_waves * p / size)
            ++row;
        share->first_row[p] = p == size ? waves->n_rows : row;
        share->first_site[p] = smaller(blocks * p / size * block, padded);
    }
    for (size_t p = 0; p < size; ++p) {
        const size_t from = share->first_row[p], to = share->first_row[p + 1];
        const size_t end = to < waves->n_rows ? waves->row[to].wave : waves->n_waves;
        share->n_waves[p] = from < to ? end - waves->row[from].wave : 0;
        share->n_sites[p] = share->first_site[p + 1] - share->first_site[p];
    }
    for (size_t k = 0; k < 2; ++k) {
        share->rows[k] = share->first_row[rank + k];
        share->sites[k] = share->first_site[rank + k];
    }
    return true;
}

void ph_waves_tell_sums(const struct ph_waves *waves, double *re, double *im)
{
    const struct ph_team *team = ph_team();
    team->gather(sizeof *re, waves->share.n_waves, re);
    team->gather(sizeof *im, waves->share.n_waves, im);
}

void ph_waves_tell_sites(const struct ph_waves *waves, double *const a[3], double *const b[3])
{
    const struct ph_team *team = ph_team();
    for (int k = 0; k < 3; ++k) {
        team->gather(sizeof *a[k], waves->share.n_sites, a[k]);
        if (waves->sites->dipoles)
            team->gather(sizeof *b[k], waves->share.n_sites, b[k]);
    }
}
