/* SPDX-License-Identifier: MIT */
/* Counts the copies that ranks exchange, then finds their molecules. */
#include "force/pairs/share/share_inside.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(size_t needed, size_t *room, uint32_t **tile, uint32_t **local, double **sums, size_t n_fields)
{
    if (needed <= *room)
        return true;
    *room = 0;
    const size_t larger = needed + needed / 8 + 64;
    free(*sums);
    *sums = malloc(larger * (n_fields + 1) * sizeof **sums); /* not empty: numbers of molecules travel here too */
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

/* Number of copies, in a tile of one rank, of molecules of another */
struct copies {
    uint32_t tile, n;
};

/* Counts of copies before their molecules are known. out: for our tiles, n_out[p] entries for rank p, in the order of
 * ranks. in: the same for tiles of other ranks. count: copies in each of our tiles, by the rank that owns the
 * molecule */
struct counting {
    uint32_t *n_out, *n_in, *count;
    struct copies *out, *in;
    struct ph_parcel *to, *from;
};

static void counting_clear(struct counting *counting)
{
    free(counting->n_out);
    free(counting->n_in);
    free(counting->count);
    free(counting->out);
    free(counting->in);
    free(counting->to);
    free(counting->from);
}

static bool counting_init(const struct ph_share *share, struct counting *counting)
{
    const size_t size = ph_team()->size, own = share->owners.n_tiles_of[ph_team()->rank];
    counting->n_out = calloc(size, sizeof *counting->n_out);
    counting->n_in = calloc(size, sizeof *counting->n_in);
    counting->count = malloc((own + 1) * size * sizeof *counting->count);
    counting->out = malloc((own + 1) * size * sizeof *counting->out);
    counting->in = malloc((share->owners.n_tiles + 1) * sizeof *counting->in);
    counting->to = malloc(size * sizeof *counting->to);
    counting->from = malloc(size * sizeof *counting->from);
    return counting->n_out && counting->n_in && counting->count && counting->out && counting->in && counting->to &&
           counting->from;
}

/* Counts the copies here of remote molecules and returns their number. Lists our tiles with and without such copies. */
static size_t count_out(struct ph_share *share, const struct ph_tiles *tiles, struct counting *counting)
{
    const struct ph_team *team = ph_team();
    const size_t first = share->owners.first_tile[team->rank], own = share->owners.n_tiles_of[team->rank];
    size_t n = 0, n_entries = 0;
    share->n_inner = share->n_outer = 0;
    memset(counting->count, 0, own * team->size * sizeof *counting->count);
    for (size_t d = first; d < first + own; ++d) {
        const struct ph_tile *tile = &tiles->tile[d];
        const size_t before = n;
        for (size_t l = tile->n_home; l < tile->n_local; ++l) {
            const size_t p = share->owners.owner[tile->molecule[l]];
            counting->count[(d - first) * team->size + p] += p != team->rank;
            n += p != team->rank;
        }
        if (n == before)
            share->inner[share->n_inner++] = (uint32_t)d;
        else
            share->outer[share->n_outer++] = (uint32_t)d;
    }
    for (size_t p = 0; p < team->size; ++p)
        for (size_t d = first; d < first + own; ++d) {
            const uint32_t copies = counting->count[(d - first) * team->size + p];
            counting->out[n_entries] = (struct copies){(uint32_t)d, copies};
            n_entries += copies > 0;
            counting->n_out[p] += copies > 0;
        }
    return n;
}

static size_t parcels_of(const uint32_t *n, struct copies *entries, struct ph_parcel *parcel)
{
    size_t k = 0;
    for (size_t p = 0; p < ph_team()->size; entries += n[p++])
        if (n[p] > 0)
            parcel[k++] = (struct ph_parcel){.rank = p, .n = n[p], .data = entries};
    return k;
}

/* Sends the counts to the owners of the molecules. Afterwards `in` has entries for remote tiles, in the order of
 * ranks. */
static void exchange_counts(struct counting *counting)
{
    const struct ph_team *team = ph_team();
    team->trade(sizeof *counting->n_out, counting->n_out, counting->n_in);
    const size_t n_to = parcels_of(counting->n_out, counting->out, counting->to);
    const size_t n_from = parcels_of(counting->n_in, counting->in, counting->from);
    team->begin_exchange(sizeof *counting->out, n_to, counting->to, n_from, counting->from);
    team->finish_exchange();
}

/* Lists copies of remote molecules in the order of ranks, then tiles, then locals. */
static void list_out(struct ph_share *share, const struct ph_tiles *tiles)
{
    const struct ph_team *team = ph_team();
    share->n_out = share->n_parcels_out = 0;
    for (size_t p = 0; p < team->size; ++p) {
        const size_t before = share->n_out;
        for (size_t d = share->owners.first_tile[team->rank];
             d < share->owners.first_tile[team->rank + 1] && p != team->rank; ++d)
            for (size_t l = tiles->tile[d].n_home; l < tiles->tile[d].n_local; ++l)
                if (share->owners.owner[tiles->tile[d].molecule[l]] == p) {
                    share->out_tile[share->n_out] = (uint32_t)d;
                    share->out_local[share->n_out++] = (uint32_t)l;
                }
        if (share->n_out > before)
            share->parcel_out[share->n_parcels_out++] = (struct ph_parcel){.rank = p, .n = share->n_out - before};
    }
}

static void list_in(struct ph_share *share, const struct counting *counting)
{
    const struct copies *entry = counting->in;
    memset(share->n_copies, 0, share->owners.n_tiles * sizeof *share->n_copies);
    share->n_in = share->n_parcels_in = 0;
    for (size_t p = 0; p < ph_team()->size; ++p) {
        const size_t before = share->n_in;
        for (uint32_t k = 0; k < counting->n_in[p]; ++k, ++entry)
            share->n_in += share->n_copies[entry->tile] = entry->n;
        if (share->n_in > before)
            share->parcel_in[share->n_parcels_in++] = (struct ph_parcel){.rank = p, .n = share->n_in - before};
    }
}

enum ph_status ph_share_count(enum ph_status status, size_t n_fields, const struct ph_tiles *tiles,
                              struct ph_error *err)
{
    struct ph_share *share = tiles->share;
    struct counting counting = {.count = NULL};
    if (status == PH_OK &&
        (!counting_init(share, &counting) || !reserve(count_out(share, tiles, &counting), &share->room_out,
                                                      &share->out_tile, &share->out_local, &share->out, n_fields)))
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for copies of molecules of other processes.");
    status = ph_team_agree(status, err);
    if (status == PH_OK) {
        list_out(share, tiles);
        exchange_counts(&counting);
        list_in(share, &counting);
        if (!reserve(share->n_in, &share->room_in, NULL, NULL, &share->in, n_fields))
            status = ph_error_set(err, PH_ERR_MEMORY, "No memory for sums of other processes.");
    }
    counting_clear(&counting);
    return status;
}

static void mark_none(size_t n, const uint32_t *name, uint32_t *seen)
{
    for (size_t k = 0; k < n; ++k)
        seen[name[k]] = UINT32_MAX;
}

/* Lists each of n names that is not marked yet, once, in the given order; marks them. */
static size_t list_once(size_t n, const uint32_t *name, uint32_t mark, uint32_t *seen, uint32_t *list)
{
    size_t once = 0;
    for (size_t k = 0; k < n; ++k)
        if (seen[name[k]] != mark) {
            seen[name[k]] = mark;
            list[once++] = name[k];
        }
    return once;
}

static bool reserve_guests(size_t n, size_t *room, uint32_t **list, double **rows)
{
    if (n < *room)
        return true;
    *room = 0;
    const size_t larger = n + n / 8 + 64;
    free(*list);
    free(*rows);
    *list = malloc(larger * sizeof **list);
    *rows = malloc(larger * PH_SHARE_ROWS * sizeof **rows);
    *room = *list && *rows ? larger : 0;
    return *room > 0;
}

/* Fills a parcel of ghosts for each parcel of copies, from the numbers of their molecules. The mark is the rank,
 * because one of our molecules may be a ghost on several ranks; a ghost here has one owner. Sender and receiver list
 * the same molecules in the same order: by tiles, then copies. */
static size_t list_guests(size_t n_parcels, const struct ph_parcel *copies, const uint32_t *name, uint32_t *seen,
                          uint32_t *list, struct ph_parcel *guests)
{
    size_t n = 0;
    for (size_t k = 0; k < n_parcels; name += copies[k++].n) {
        guests[k] = (struct ph_parcel){.rank = copies[k].rank};
        guests[k].n = list_once(copies[k].n, name, (uint32_t)copies[k].rank, seen, list + n);
        n += guests[k].n;
    }
    return n;
}

/* Requests shared memory for sums of so many fields and for rows. Tiles drawn from these get separate memory, because
 * the ranks that read from it may differ. */
static size_t of_sums(const struct ph_share *share, size_t n_fields) { return (share->n_out * n_fields + 7) / 8 * 8; }

static void borrow(size_t n_fields, size_t n_fields_drawn, struct ph_share *share)
{
    const size_t of_rows = share->n_in * PH_SHARE_ROWS, own = of_sums(share, n_fields) + of_rows;
    const size_t drawn = n_fields_drawn > 0 ? of_sums(share, n_fields_drawn) + of_rows : 0;
    share->sums_lent =
        share->from ? share->from->drawn_lent : ph_team()->lend(share, (own + drawn + 1) * sizeof(double));
    share->rows_lent = share->sums_lent ? share->sums_lent + of_sums(share, n_fields) : NULL;
    share->drawn_lent = share->sums_lent && n_fields_drawn > 0 ? share->sums_lent + own : NULL;
}

/* Numbers of molecules travel in the arrays that hold sums later. */
enum ph_status ph_share_name(size_t n_fields, struct ph_tiles *tiles, struct ph_error *err)
{
    struct ph_share *share = tiles->share;
    uint32_t *out = (uint32_t *)(void *)share->out, *in = (uint32_t *)(void *)share->in;
    struct ph_share_finder finder = {.first = NULL};
    const bool enough = reserve_guests(share->n_out, &share->room_guests, &share->guest, &share->rows_in) &&
                        reserve_guests(share->n_in, &share->room_sent, &share->sent, &share->rows_out) &&
                        ph_share_find_places(share, &finder);
    const enum ph_status status = ph_team_agree(
        enough ? PH_OK : ph_error_set(err, PH_ERR_MEMORY, "No memory for molecules of other processes."), err);
    if (status != PH_OK) {
        free(finder.first);
        return status;
    }
    borrow(n_fields, tiles->n_fields_drawn, share);
    for (size_t k = 0; k < share->n_out; ++k)
        out[k] = ph_share_number(share, tiles->tile[share->out_tile[k]].molecule[share->out_local[k]]);
    ph_share_exchange(share, sizeof *out, out, in);
    ph_team()->finish_exchange();
    for (size_t k = 0; k < share->n_in; ++k)
        in[k] = ph_share_place(share, &finder, in[k]);
    free(finder.first);
    for (size_t k = 0; k < share->n_out; ++k)
        out[k] = tiles->tile[share->out_tile[k]].molecule[share->out_local[k]];
    mark_none(share->n_in, in, share->owners.seen);
    share->n_sent =
        list_guests(share->n_parcels_in, share->parcel_in, in, share->owners.seen, share->sent, share->guests_out);
    mark_none(share->n_out, out, share->owners.seen);
    share->owners.own.n_guests =
        list_guests(share->n_parcels_out, share->parcel_out, out, share->owners.seen, share->guest, share->guests_in);
    share->owners.own.guest = share->guest;
    for (size_t d = 0; d < tiles->n; ++d)
        for (size_t l = 0; tiles->tile[d].away && l < tiles->tile[d].n_local; ++l)
            tiles->tile[d].molecule[l] = *in++;
    return PH_OK;
}
