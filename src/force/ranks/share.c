/* SPDX-License-Identifier: MIT */
#include "force/ranks/share_inside.h"

#include "base/hash.h"
#include "base/ranges.h"

#include <stdlib.h>
#include <string.h>

/* Frees the data that tiles drawn from these share with them. */
static void free_owners(struct ph_share *share)
{
    const struct ph_owners *owners = &share->owners;
    ph_team()->shared_buffer(share, 0);
    free(owners->first_tile);
    free(owners->n_tiles_of);
    free(owners->spent);
    free(owners->spent_by);
    free(owners->dealt);
    free(owners->first);
    free(owners->n_of);
    free(owners->molecule);
    free(owners->owner);
    free(owners->ours);
    free(owners->first_of);
    free(owners->seen);
    free(owners->first_place);
    free(owners->here_end);
    free(owners->number);
    free(share->here);
    free(share->of_molecules);
    free(share->names);
    free(share->some);
    free(owners->of_tiles);
}

void ph_share_destroy(struct ph_share *share)
{
    if (!share)
        return;
    if (!share->from)
        free_owners(share);
    free(share->away);
    free(share->inner);
    free(share->outer);
    free(share->out_tile);
    free(share->out_local);
    free(share->out);
    free(share->in);
    free(share->parcel_out);
    free(share->parcel_in);
    free(share->ghost);
    free(share->sent);
    free(share->rows_out);
    free(share->rows_in);
    free(share->ghosts_out);
    free(share->ghosts_in);
    free(share);
}

/* ---- Who owns what ---- */

/* Allocates the arrays for copies whose length does not depend on the number of copies. */
static bool reserve_parcels(size_t n_tiles, struct ph_share *share)
{
    const size_t size = ph_team()->size;
    share->inner = calloc(n_tiles, sizeof *share->inner);
    share->outer = calloc(n_tiles, sizeof *share->outer);
    share->parcel_out = calloc(size, sizeof *share->parcel_out);
    share->parcel_in = calloc(size, sizeof *share->parcel_in);
    share->ghosts_out = calloc(size, sizeof *share->ghosts_out);
    share->ghosts_in = calloc(size, sizeof *share->ghosts_in);
    return share->inner && share->outer && share->parcel_out && share->parcel_in && share->ghosts_out &&
           share->ghosts_in;
}

static struct ph_share *create(size_t n_tiles, const struct ph_system *system)
{
    const size_t size = ph_team()->size, n_molecules = system->n, n_species = system->n_species;
    struct ph_share *share = calloc(1, sizeof *share);
    if (!share)
        return NULL;
    struct ph_owners *owners = &share->owners;
    owners->n_tiles = n_tiles;
    owners->n_molecules = n_molecules;
    owners->n_species = n_species;
    share->id = system->id;
    share->place = system->place;
    share->shuffled = getenv("POLHODE_SHUFFLE_OWNERS") != NULL;
    owners->poisoned = getenv("POLHODE_POISON_OTHERS") != NULL;
    owners->first_tile = calloc(size + 1, sizeof *owners->first_tile);
    owners->n_tiles_of = calloc(size, sizeof *owners->n_tiles_of);
    owners->first = calloc(size + 1, sizeof *owners->first);
    owners->n_of = calloc(size, sizeof *owners->n_of);
    owners->molecule = malloc(n_molecules * sizeof *owners->molecule);
    owners->owner = malloc(n_molecules * sizeof *owners->owner);
    owners->spent = calloc(n_tiles, sizeof *owners->spent);
    owners->spent_by = malloc(size * sizeof *owners->spent_by);
    owners->dealt = malloc((size + 1) * sizeof *owners->dealt);
    owners->ours = malloc(n_molecules * sizeof *owners->ours);
    owners->seen = malloc(n_molecules * sizeof *owners->seen);
    owners->first_of = calloc(n_species + 1, sizeof *owners->first_of);
    owners->first_place = calloc(n_species + 1, sizeof *owners->first_place);
    owners->here_end = calloc(n_species + 1, sizeof *owners->here_end);
    owners->number = malloc(n_molecules * sizeof *owners->number);
    share->of_molecules = malloc(size * PH_SHARE_AT_A_TIME * PH_SHARE_ROWS * sizeof *share->of_molecules);
    share->names = malloc(size * PH_SHARE_AT_A_TIME * sizeof *share->names);
    share->some = calloc(size, sizeof *share->some);
    owners->of_tiles = malloc(PH_SHARE_OF_TILE * n_tiles * sizeof *owners->of_tiles);
    if (reserve_parcels(n_tiles, share) && owners->first_tile && owners->n_tiles_of && owners->first && owners->n_of &&
        owners->molecule && owners->owner && owners->spent && owners->spent_by && owners->dealt && owners->ours &&
        owners->seen && owners->first_of && owners->first_place && owners->here_end && owners->number &&
        share->of_molecules && share->names && share->some && owners->of_tiles) {
        memcpy(owners->first_place, system->first, (n_species + 1) * sizeof *owners->first_place);
        return share;
    }
    ph_share_destroy(share);
    return NULL;
}

void ph_share_own(const struct ph_system *system, size_t n, struct ph_share *share)
{
    struct ph_owners *owners = &share->owners;
    size_t k = 0;
    for (size_t s = 0; s <= system->n_species; owners->first_of[s++] = k)
        while (k < n && owners->ours[k] < system->first[s])
            ++k;
    owners->own = (struct ph_owned){.n = n,
                                    .molecule = owners->ours,
                                    .first = owners->first_of,
                                    .number = owners->distributed ? owners->number : NULL};
}

static struct ph_share *create_drawn(const struct ph_share *from)
{
    struct ph_share *share = calloc(1, sizeof *share);
    if (!share)
        return NULL;
    share->from = from;
    if (reserve_parcels(from->owners.n_tiles, share))
        return share;
    ph_share_destroy(share);
    return NULL;
}

enum ph_status ph_share_draw(enum ph_status status, const struct ph_share *from, struct ph_tiles *tiles,
                             struct ph_error *err)
{
    if (status == PH_OK && !tiles->share && !(tiles->share = create_drawn(from)))
        status = ph_no_memory(err, "sharing near pairs among processes");
    status = ph_team_agree(status, err);
    if (status != PH_OK)
        return status;
    tiles->share->owners = from->owners;
    return PH_OK;
}

static enum ph_status create_together(const struct ph_system *system, struct ph_tiles *tiles, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    if (!tiles->share && !(tiles->share = create(tiles->n, system)))
        status = ph_no_memory(err, "sharing %zu molecules among processes", system->n);
    status = ph_team_agree(status, err);
    if (status == PH_OK && tiles->share->plans == 0)
        tiles->share->shuffled = ph_team()->any(tiles->share->shuffled);
    return status;
}

enum ph_status ph_share_begin(const struct ph_system *system, struct ph_tiles *tiles, struct ph_error *err)
{
    const struct ph_team *team = ph_team();
    const enum ph_status status = create_together(system, tiles, err);
    if (status != PH_OK)
        return status;
    struct ph_share *share = tiles->share;
    for (size_t p = 0; p < team->size; ++p) {
        ph_range_of(system->n, p, team->size, &share->owners.first[p], &share->owners.first[p + 1]);
        share->owners.n_of[p] = share->owners.first[p + 1] - share->owners.first[p];
    }
    for (size_t k = 0; k < share->owners.n_of[team->rank]; ++k)
        share->owners.ours[k] = (uint32_t)(share->owners.first[team->rank] + k);
    ph_share_own(system, share->owners.n_of[team->rank], share);
    return PH_OK;
}

/* Checks first that all ranks have made the same cut, because ranks with different cuts could not communicate. */
enum ph_status ph_share_plan(const struct ph_system *system, const uint32_t *molecule, const size_t *begin,
                             struct ph_tiles *tiles, struct ph_error *err)
{
    const struct ph_team *team = ph_team();
    const size_t n_molecules = system->n;
    uint64_t cut = ph_hash_bytes(ph_hash_begin(), (tiles->n + 1) * sizeof *begin, begin);
    cut = molecule ? ph_hash_bytes(cut, n_molecules * sizeof *molecule, molecule) : cut;
    enum ph_status status = ph_team_same(cut, err);
    if (status != PH_OK)
        return status;
    status = create_together(system, tiles, err);
    struct ph_share *share = tiles->share;
    if (status != PH_OK)
        return status;
    ph_share_choose(tiles->share);
    size_t n = 0;
    for (size_t p = 0; p <= team->size; ++p)
        share->owners.first[p] = begin[share->owners.first_tile[p]];
    for (size_t p = 0; p < team->size; ++p) {
        share->owners.n_of[p] = share->owners.first[p + 1] - share->owners.first[p];
        for (size_t k = share->owners.first[p]; k < share->owners.first[p + 1]; ++k) {
            const uint32_t i = molecule ? molecule[k] : (uint32_t)k;
            share->owners.owner[i] = (uint32_t)p;
            if (p == team->rank)
                share->owners.molecule[k - share->owners.first[p]] = i;
        }
    }
    share->owners.distributed = false;
    for (size_t i = 0; i < n_molecules; ++i)
        if (share->owners.owner[i] == team->rank)
            share->owners.ours[n++] = (uint32_t)i;
    ph_share_own(system, n, share);
    return PH_OK;
}
