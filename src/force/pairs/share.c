/* SPDX-License-Identifier: MIT */
#include "force/pairs/share.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of a molecule, and of a tile, that go to all: two vectors; energies, virial and number of pairs */
enum { OF_MOLECULE = 6, OF_TILE = 12 };

void ph_share_destroy(struct ph_share *share)
{
    if (!share)
        return;
    free(share->first_tile);
    free(share->n_tiles_of);
    free(share->first);
    free(share->n_of);
    free(share->molecule);
    free(share->owner);
    free(share->n_copies);
    free(share->out_tile);
    free(share->out_local);
    free(share->out);
    free(share->in);
    free(share->parcel_out);
    free(share->parcel_in);
    free(share->of_molecules);
    free(share->of_tiles);
    free(share);
}

/* ---- Who owns what ---- */

static struct ph_share *create(size_t n_tiles, size_t n_molecules)
{
    const size_t size = ph_team()->size;
    struct ph_share *share = calloc(1, sizeof *share);
    if (!share)
        return NULL;
    share->n_tiles = n_tiles;
    share->n_molecules = n_molecules;
    share->first_tile = calloc(size + 1, sizeof *share->first_tile);
    share->n_tiles_of = calloc(size, sizeof *share->n_tiles_of);
    share->first = calloc(size + 1, sizeof *share->first);
    share->n_of = calloc(size, sizeof *share->n_of);
    share->molecule = malloc(n_molecules * sizeof *share->molecule);
    share->owner = malloc(n_molecules * sizeof *share->owner);
    share->n_copies = calloc(n_tiles, sizeof *share->n_copies);
    share->parcel_out = calloc(size, sizeof *share->parcel_out);
    share->parcel_in = calloc(size, sizeof *share->parcel_in);
    share->of_molecules = malloc(OF_MOLECULE * n_molecules * sizeof *share->of_molecules);
    share->of_tiles = malloc(OF_TILE * n_tiles * sizeof *share->of_tiles);
    if (share->first_tile && share->n_tiles_of && share->first && share->n_of && share->molecule && share->owner &&
        share->n_copies && share->parcel_out && share->parcel_in && share->of_molecules && share->of_tiles)
        return share;
    ph_share_destroy(share);
    return NULL;
}

/* Tiles have about the same number of molecules: each process gets as many, one more or less. That all processes have
 * made the same cut is checked first: they would not find together again. */
enum ph_status ph_share_plan(size_t n_molecules, const uint32_t *molecule, const size_t *begin, struct ph_tiles *tiles,
                             struct ph_error *err)
{
    const struct ph_team *team = ph_team();
    uint64_t cut = ph_hash_bytes(ph_hash_begin(), (tiles->n + 1) * sizeof *begin, begin);
    cut = molecule ? ph_hash_bytes(cut, n_molecules * sizeof *molecule, molecule) : cut;
    const enum ph_status status = ph_team_same(cut, err);
    if (status != PH_OK)
        return status;
    if (!tiles->share)
        tiles->share = create(tiles->n, n_molecules);
    struct ph_share *share = tiles->share;
    if (!share)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for sharing %zu molecules among processes.", n_molecules);
    for (size_t k = 0; k < n_molecules; ++k)
        share->molecule[k] = molecule ? molecule[k] : (uint32_t)k;
    for (size_t p = 0; p <= team->size; ++p) {
        share->first_tile[p] = tiles->n * p / team->size;
        share->first[p] = begin[share->first_tile[p]];
    }
    for (size_t p = 0; p < team->size; ++p) {
        share->n_tiles_of[p] = share->first_tile[p + 1] - share->first_tile[p];
        share->n_of[p] = share->first[p + 1] - share->first[p];
        for (size_t k = share->first[p]; k < share->first[p + 1]; ++k)
            share->owner[share->molecule[k]] = (uint32_t)p;
        for (size_t d = share->first_tile[p]; d < share->first_tile[p + 1]; ++d)
            tiles->tile[d].away = p != team->rank;
    }
    return PH_OK;
}

/* ---- Which copies travel ---- */

static bool reserve(size_t needed, size_t *room, uint32_t **tile, uint32_t **local, double **sums, size_t n_fields)
{
    if (needed <= *room)
        return true;
    *room = 0;
    const size_t larger = needed + needed / 8 + 64;
    free(*sums);
    *sums = malloc(larger * (n_fields + 1) * sizeof **sums); /* not nothing: names of molecules travel here too */
    if (tile) {
        free(*tile);
        free(*local);
        *tile = malloc(larger * sizeof **tile);
        *local = malloc(larger * sizeof **local);
    }
    if (!*sums || (tile && (!*tile || !*local)))
        return false;
    *room = larger;
    return true;
}

/* Of how many copies here each process owns the molecule: by tile, in count[d size + p]; in all */
static size_t count_out(const struct ph_share *share, const struct ph_tiles *tiles, uint32_t *count)
{
    const struct ph_team *team = ph_team();
    size_t n = 0;
    for (size_t d = share->first_tile[team->rank]; d < share->first_tile[team->rank + 1]; ++d) {
        const struct ph_tile *tile = &tiles->tile[d];
        memset(count + d * team->size, 0, team->size * sizeof *count);
        for (size_t l = tile->n_home; l < tile->n_local; ++l) {
            const size_t p = share->owner[tile->molecule[l]];
            count[d * team->size + p] += p != team->rank;
            n += p != team->rank;
        }
    }
    return n;
}

/* In the order of processes, then tiles, then locals */
static void list_out(struct ph_share *share, const struct ph_tiles *tiles)
{
    const struct ph_team *team = ph_team();
    share->n_out = share->n_parcels_out = 0;
    for (size_t p = 0; p < team->size; ++p) {
        const size_t before = share->n_out;
        for (size_t d = share->first_tile[team->rank]; d < share->first_tile[team->rank + 1] && p != team->rank; ++d)
            for (size_t l = tiles->tile[d].n_home; l < tiles->tile[d].n_local; ++l)
                if (share->owner[tiles->tile[d].molecule[l]] == p) {
                    share->out_tile[share->n_out] = (uint32_t)d;
                    share->out_local[share->n_out++] = (uint32_t)l;
                }
        if (share->n_out > before)
            share->parcel_out[share->n_parcels_out++] = (struct ph_parcel){.rank = p, .n = share->n_out - before};
    }
}

/* count[d size + p] copies in tile d are of molecules of process p. */
static void list_in(struct ph_share *share, const uint32_t *count)
{
    const struct ph_team *team = ph_team();
    share->n_in = share->n_parcels_in = 0;
    for (size_t p = 0; p < team->size; ++p) {
        const size_t before = share->n_in;
        for (size_t d = share->first_tile[p]; d < share->first_tile[p + 1]; ++d)
            share->n_in += share->n_copies[d] = count[d * team->size + team->rank];
        if (share->n_in > before)
            share->parcel_in[share->n_parcels_in++] = (struct ph_parcel){.rank = p, .n = share->n_in - before};
    }
}

/* Points the parcels at their parts of these arrays, of elements of so many bytes. */
static void address(const struct ph_share *share, size_t bytes, void *out, void *in)
{
    char *to = out, *from = in;
    for (size_t k = 0; k < share->n_parcels_out; to += share->parcel_out[k++].n * bytes)
        share->parcel_out[k].data = to;
    for (size_t k = 0; k < share->n_parcels_in; from += share->parcel_in[k++].n * bytes)
        share->parcel_in[k].data = from;
}

static void exchange(const struct ph_share *share, size_t bytes)
{
    ph_team()->begin_exchange(bytes, share->n_parcels_out, share->parcel_out, share->n_parcels_in, share->parcel_in);
    ph_team()->finish_exchange();
}

enum ph_status ph_share_count(enum ph_status status, size_t n_fields, const struct ph_tiles *tiles,
                              struct ph_error *err)
{
    const struct ph_team *team = ph_team();
    struct ph_share *share = tiles->share;
    uint32_t *count = malloc(tiles->n * team->size * sizeof *count);
    if (status == PH_OK && (!count || !reserve(count_out(share, tiles, count), &share->room_out, &share->out_tile,
                                               &share->out_local, &share->out, n_fields)))
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for copies of molecules of other processes.");
    status = ph_team_agree(status, err);
    if (status == PH_OK) {
        list_out(share, tiles);
        team->gather(team->size * sizeof *count, share->n_tiles_of, count);
        list_in(share, count);
        if (!reserve(share->n_in, &share->room_in, NULL, NULL, &share->in, n_fields))
            status = ph_error_set(err, PH_ERR_MEMORY, "No memory for sums of other processes.");
    }
    free(count);
    return status;
}

/* Names of molecules travel in the arrays that sums will. */
void ph_share_name(struct ph_tiles *tiles)
{
    const struct ph_share *share = tiles->share;
    uint32_t *out = (uint32_t *)(void *)share->out, *in = (uint32_t *)(void *)share->in;
    for (size_t k = 0; k < share->n_out; ++k)
        out[k] = tiles->tile[share->out_tile[k]].molecule[share->out_local[k]];
    address(share, sizeof *out, out, in);
    exchange(share, sizeof *out);
    for (size_t d = 0; d < tiles->n; ++d)
        for (size_t l = 0; tiles->tile[d].away && l < tiles->tile[d].n_local; ++l)
            tiles->tile[d].molecule[l] = *in++;
}

/* ---- What travels ---- */

void ph_share_exchange(const struct ph_tiles *tiles, size_t n_fields,
                       struct ph_share_sums (*sums)(size_t d, void *data), void *data)
{
    const struct ph_share *share = tiles->share;
    for (size_t k = 0; k < share->n_out; ++k) {
        const struct ph_share_sums from = sums(share->out_tile[k], data);
        for (size_t f = 0; f < n_fields; ++f)
            share->out[k * n_fields + f] = from.sum[f * from.field_step + share->out_local[k] * from.local_step];
    }
    address(share, n_fields * sizeof(double), share->out, share->in);
    exchange(share, n_fields * sizeof(double));
    const double *in = share->in;
    for (size_t d = 0; d < tiles->n; ++d) {
        if (!tiles->tile[d].away)
            continue;
        const struct ph_share_sums to = sums(d, data);
        for (size_t l = 0; l < tiles->tile[d].n_local; ++l)
            for (size_t f = 0; f < n_fields; ++f)
                to.sum[f * to.field_step + l * to.local_step] = *in++;
    }
}

void ph_share_spread(const struct ph_share *share, double *const a[3], double *const b[3])
{
    const struct ph_team *team = ph_team();
    double *const rows[OF_MOLECULE] = {a[0], a[1], a[2], b[0], b[1], b[2]};
    double(*numbers)[OF_MOLECULE] = (double(*)[OF_MOLECULE])share->of_molecules;
    for (size_t k = share->first[team->rank]; k < share->first[team->rank + 1]; ++k)
        for (size_t x = 0; x < OF_MOLECULE; ++x)
            numbers[k][x] = rows[x][share->molecule[k]];
    team->gather(sizeof *numbers, share->n_of, numbers);
    for (size_t k = 0; k < share->n_molecules; ++k)
        for (size_t x = 0; x < OF_MOLECULE; ++x)
            rows[x][share->molecule[k]] = numbers[k][x];
}

void ph_share_spread_tiles(struct ph_tiles *tiles)
{
    const struct ph_share *share = tiles->share;
    double(*numbers)[OF_TILE] = (double(*)[OF_TILE])share->of_tiles;
    for (size_t d = 0; d < tiles->n; ++d) {
        const struct ph_tile *tile = &tiles->tile[d];
        memcpy(numbers[d], tile->virial, sizeof tile->virial);
        numbers[d][9] = tile->energy_radial;
        numbers[d][10] = tile->energy_electric;
        numbers[d][11] = (double)tile->pairs;
    }
    ph_team()->gather(sizeof *numbers, share->n_tiles_of, numbers);
    for (size_t d = 0; d < tiles->n; ++d) {
        struct ph_tile *tile = &tiles->tile[d];
        memcpy(tile->virial, numbers[d], sizeof tile->virial);
        tile->energy_radial = numbers[d][9];
        tile->energy_electric = numbers[d][10];
        tile->pairs = (size_t)numbers[d][11];
    }
}
