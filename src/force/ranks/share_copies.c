/* SPDX-License-Identifier: MIT */
/* Counts the copies that ranks exchange, then finds their molecules. */
#include "force/ranks/share_inside.h"

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

/* Counts of copies before their molecules are known. For each rank: n_out entries for our tiles, which we send to it;
 * n_in entries for its tiles; `copies` in our tiles of its molecules; `last` as noted below; `next` free place */
struct counting {
    uint32_t *n_out, *n_in, *last;
    size_t *copies, *next;
    struct ph_copies *out; /* in the order of ranks, then tiles */
    struct ph_copies **next_entry;
    struct ph_parcel *to, *from;
};

static void counting_clear(struct counting *counting)
{
    free(counting->n_out);
    free(counting->n_in);
    free(counting->last);
    free(counting->copies);
    free(counting->next);
    free(counting->out);
    free(counting->next_entry);
    free(counting->to);
    free(counting->from);
}

static bool counting_init(struct counting *counting)
{
    const size_t size = ph_team()->size;
    counting->n_out = calloc(size, sizeof *counting->n_out);
    counting->n_in = calloc(size, sizeof *counting->n_in);
    counting->last = calloc(size, sizeof *counting->last);
    counting->copies = calloc(size, sizeof *counting->copies);
    counting->next = malloc(size * sizeof *counting->next);
    counting->next_entry = malloc(size * sizeof *counting->next_entry);
    counting->to = malloc(size * sizeof *counting->to);
    counting->from = malloc(size * sizeof *counting->from);
    return counting->n_out && counting->n_in && counting->last && counting->copies && counting->next &&
           counting->next_entry && counting->to && counting->from;
}

/* Counts the copies here of remote molecules and returns their number. Lists our tiles with and without such copies.
 * last[p]: 1 + the last tile with copies of molecules of rank p */
static size_t count_out(struct ph_share *share, const struct ph_tiles *tiles, struct counting *counting)
{
    const size_t rank = ph_team()->rank;
    size_t n = 0;
    share->n_inner = share->n_outer = 0;
    for (size_t d = share->owners.first_tile[rank]; d < share->owners.first_tile[rank + 1]; ++d) {
        const struct ph_tile *tile = &tiles->tile[d];
        const size_t before = n;
        for (size_t l = tile->n_home; l < tile->n_local; ++l) {
            const size_t p = share->owners.owner[tile->molecule[l]];
            if (p == rank)
                continue;
            counting->n_out[p] += counting->last[p] != d + 1;
            counting->last[p] = (uint32_t)d + 1;
            ++counting->copies[p];
            ++n;
        }
        if (n == before)
            share->inner[share->n_inner++] = (uint32_t)d;
        else
            share->outer[share->n_outer++] = (uint32_t)d;
    }
    return n;
}

static bool reserve_out(size_t n, size_t n_fields, struct ph_share *share, struct counting *counting)
{
    size_t n_entries = 0;
    for (size_t p = 0; p < ph_team()->size; ++p)
        n_entries += counting->n_out[p];
    counting->out = malloc((n_entries + 1) * sizeof *counting->out);
    return counting->out && reserve(n, &share->room_out, &share->out_tile, &share->out_local, &share->out, n_fields);
}

/* Lists copies of remote molecules in the order of ranks, then tiles, then locals. last[p]: 1 + the tile of the last
 * entry of rank p */
static void list_out(struct ph_share *share, const struct ph_tiles *tiles, struct counting *counting)
{
    const size_t rank = ph_team()->rank, size = ph_team()->size;
    struct ph_copies *entry = counting->out;
    share->n_out = share->n_parcels_out = 0;
    for (size_t p = 0; p < size; ++p) {
        counting->next[p] = share->n_out;
        counting->next_entry[p] = entry;
        entry += counting->n_out[p];
        share->n_out += counting->copies[p];
        if (counting->copies[p] > 0)
            share->parcel_out[share->n_parcels_out++] = (struct ph_parcel){.rank = p, .n = counting->copies[p]};
    }
    memset(counting->last, 0, size * sizeof *counting->last);
    for (size_t d = share->owners.first_tile[rank]; d < share->owners.first_tile[rank + 1]; ++d)
        for (size_t l = tiles->tile[d].n_home; l < tiles->tile[d].n_local; ++l) {
            const size_t p = share->owners.owner[tiles->tile[d].molecule[l]];
            if (p == rank)
                continue;
            const size_t k = counting->next[p]++;
            share->out_tile[k] = (uint32_t)d;
            share->out_local[k] = (uint32_t)l;
            if (counting->last[p] != d + 1)
                *counting->next_entry[p]++ = (struct ph_copies){.tile = (uint32_t)d};
            counting->last[p] = (uint32_t)d + 1;
            ++counting->next_entry[p][-1].n;
        }
}

static size_t parcels_of(const uint32_t *n, struct ph_copies *entries, struct ph_parcel *parcel)
{
    size_t k = 0;
    for (size_t p = 0; p < ph_team()->size; entries += n[p++])
        if (n[p] > 0)
            parcel[k++] = (struct ph_parcel){.rank = p, .n = n[p], .data = entries};
    return k;
}

/* Learns how many entries come from each rank, and allocates memory for them. */
static bool reserve_away(struct ph_share *share, struct counting *counting)
{
    share->n_away = 0;
    ph_team()->trade(sizeof *counting->n_out, counting->n_out, counting->n_in);
    for (size_t p = 0; p < ph_team()->size; ++p)
        share->n_away += counting->n_in[p];
    free(share->away);
    share->away = malloc((share->n_away + 1) * sizeof *share->away);
    return share->away != NULL;
}

/* Sends the entries to the owners of the molecules. Ours come in the order of ranks, and so of tiles. */
static void exchange_entries(struct ph_share *share, struct counting *counting)
{
    const struct ph_team *team = ph_team();
    const size_t n_to = parcels_of(counting->n_out, counting->out, counting->to);
    const size_t n_from = parcels_of(counting->n_in, share->away, counting->from);
    team->begin_exchange(sizeof *counting->out, n_to, counting->to, n_from, counting->from);
    team->finish_exchange();
    const struct ph_copies *entry = share->away;
    share->n_in = share->n_parcels_in = 0;
    for (size_t p = 0; p < team->size; ++p) {
        const size_t before = share->n_in;
        for (uint32_t k = 0; k < counting->n_in[p]; ++k)
            share->n_in += (entry++)->n;
        if (share->n_in > before)
            share->parcel_in[share->n_parcels_in++] = (struct ph_parcel){.rank = p, .n = share->n_in - before};
    }
}

static enum ph_status no_memory(struct ph_error *err)
{
    return ph_no_memory(err, "copies of molecules of other processes");
}

enum ph_status ph_share_count(enum ph_status status, size_t n_fields, const struct ph_tiles *tiles,
                              struct ph_error *err)
{
    struct ph_share *share = tiles->share;
    struct counting counting = {.n_out = NULL};
    if (status == PH_OK &&
        (!counting_init(&counting) || !reserve_out(count_out(share, tiles, &counting), n_fields, share, &counting)))
        status = no_memory(err);
    status = ph_team_agree(status, err);
    if (status == PH_OK) {
        list_out(share, tiles, &counting);
        status = ph_team_agree(reserve_away(share, &counting) ? PH_OK : no_memory(err), err);
    }
    if (status == PH_OK) {
        exchange_entries(share, &counting);
        if (!reserve(share->n_in, &share->room_in, NULL, NULL, &share->in, n_fields))
            status = ph_no_memory(err, "sums of other processes");
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

static bool reserve_ghosts(size_t n, size_t *room, uint32_t **list, double **rows)
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
static size_t list_ghosts(size_t n_parcels, const struct ph_parcel *copies, const uint32_t *name, uint32_t *seen,
                          uint32_t *list, struct ph_parcel *ghosts)
{
    size_t n = 0;
    for (size_t k = 0; k < n_parcels; name += copies[k++].n) {
        ghosts[k] = (struct ph_parcel){.rank = copies[k].rank};
        ghosts[k].n = list_once(copies[k].n, name, (uint32_t)copies[k].rank, seen, list + n);
        n += ghosts[k].n;
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
    share->shared_sums =
        share->from ? share->from->drawn_shared : ph_team()->shared_buffer(share, (own + drawn + 1) * sizeof(double));
    share->shared_ghosts = share->shared_sums ? share->shared_sums + of_sums(share, n_fields) : NULL;
    share->drawn_shared = share->shared_sums && n_fields_drawn > 0 ? share->shared_sums + own : NULL;
}

/* Numbers of molecules travel in the arrays that hold sums later. */
enum ph_status ph_share_name(size_t n_fields, struct ph_tiles *tiles, struct ph_error *err)
{
    struct ph_share *share = tiles->share;
    uint32_t *out = (uint32_t *)(void *)share->out, *in = (uint32_t *)(void *)share->in;
    struct ph_share_finder finder = {.first = NULL};
    const bool enough = reserve_ghosts(share->n_out, &share->room_ghosts, &share->ghost, &share->rows_in) &&
                        reserve_ghosts(share->n_in, &share->room_sent, &share->sent, &share->rows_out) &&
                        ph_share_find_places(share, &finder);
    const enum ph_status status =
        ph_team_agree(enough ? PH_OK : ph_no_memory(err, "molecules of other processes"), err);
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
        list_ghosts(share->n_parcels_in, share->parcel_in, in, share->owners.seen, share->sent, share->ghosts_out);
    mark_none(share->n_out, out, share->owners.seen);
    share->owners.own.n_ghosts =
        list_ghosts(share->n_parcels_out, share->parcel_out, out, share->owners.seen, share->ghost, share->ghosts_in);
    share->owners.own.ghost = share->ghost;
    for (size_t k = 0; k < share->n_away; in += share->away[k++].n)
        memcpy(tiles->tile[share->away[k].tile].molecule, in, share->away[k].n * sizeof *in);
    return PH_OK;
}
