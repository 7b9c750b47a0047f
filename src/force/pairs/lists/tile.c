/* SPDX-License-Identifier: MIT */
#include "force/pairs/lists/tile.h"

#include "base/lanes.h"
#include "base/threads.h"
#include "force/ranks/share.h"
#include "parallel/ranks.h"

#include <omp.h>
#include <stdlib.h>

static void free_tile(const struct ph_tile *tile)
{
    free(tile->molecule);
    free(tile->image);
    free(tile->couple);
    free(tile->begin);
    free(tile->part_end);
    free(tile->neighbour);
    free(tile->near);
    free(tile->in);
    free(tile->out);
}

void ph_tiles_clear(struct ph_tiles *tiles)
{
    for (size_t d = 0; d < tiles->n && tiles->tile; ++d) /* NULL: there was no memory for them */
        free_tile(&tiles->tile[d]);
    free(tiles->tile);
    free(tiles->here);
    free(tiles->first);
    free(tiles->copy_tile);
    free(tiles->copy_local);
    free(tiles->copy_out);
    for (int k = 0; k < 3; ++k) {
        free(tiles->built_at[k]);
        free(tiles->thinned_at[k]);
    }
    ph_share_destroy(tiles->share);
    *tiles = (struct ph_tiles){.n = 0, .shared = tiles->shared, .n_fields_drawn = tiles->n_fields_drawn};
}

/* Tiles are small enough that many threads and processes have something to share, and that a tile stays in the cache of
 * a core. Smaller ones have more copies, which take longer: docs/measurements/speed/cores.md. Tiles take the same time,
 * so that a power of two suits most machines. Independent of the number of threads and processes. */
size_t ph_tiles_count(size_t n, bool all_pairs)
{
    enum { FEW = 8, MANY = 32 }; /* of at least 62 and 125 molecules; then of about 350 */
    if (all_pairs)
        return n < 64 ? 1 : n / 32 < PH_TILES_ALL_PAIRS ? n / 32 : PH_TILES_ALL_PAIRS;
    const size_t few = n / 62 < FEW ? n / 62 : FEW, more = n / 250 < MANY ? n / 250 : MANY;
    const size_t many = (n + 5500) / 11000 * MANY;
    const size_t count = more > few ? more : few;
    return many > count ? many : count > 0 ? count : 1;
}

void ph_tiles_own(const struct ph_tiles *tiles, size_t *begin, size_t *end)
{
    *begin = 0;
    *end = tiles->n;
    if (tiles->share)
        ph_share_own_tiles(tiles->share, begin, end);
}

/* Lists the tiles in which this rank has molecules, and frees the memory of tiles where it has none any more. */
static enum ph_status list_here(struct ph_tiles *tiles, struct ph_error *err)
{
    const size_t n_away = tiles->share ? tiles->share->n_away : 0;
    const struct ph_copies *away = n_away > 0 ? tiles->share->away : NULL;
    size_t own, end, n = 0, k = 0;
    ph_tiles_own(tiles, &own, &end);
    uint32_t *here = malloc((end - own + n_away + 1) * sizeof *here);
    if (!here)
        return ph_no_memory(err, "the list of %zu tiles", end - own + n_away);
    for (; k < n_away && away[k].tile < own; ++k)
        here[n++] = away[k].tile;
    for (size_t d = own; d < end; ++d)
        here[n++] = (uint32_t)d;
    for (; k < n_away; ++k)
        here[n++] = away[k].tile;
    for (size_t before = 0, now = 0; before < tiles->n_here; ++before) {
        while (now < n && here[now] < tiles->here[before])
            ++now;
        if (now == n || here[now] != tiles->here[before]) {
            free_tile(&tiles->tile[tiles->here[before]]);
            tiles->tile[tiles->here[before]] = (struct ph_tile){.n_home = 0};
        }
    }
    for (k = 0; k < n; ++k)
        tiles->tile[here[k]].away = here[k] < own || here[k] >= end;
    free(tiles->here);
    tiles->here = here;
    tiles->n_here = n;
    return PH_OK;
}

static void *aligned_doubles(size_t n)
{
    const size_t line = 64 / sizeof(double);
    return aligned_alloc(64, (n + line - 1) / line * line * sizeof(double));
}

/* Enough room for a while: later lists have nearly the same size. */
static size_t roomy(size_t needed) { return needed + needed / 16 + 64; }

enum ph_status ph_tile_reserve(struct ph_tile *tile, size_t n_local, size_t n_fields, bool side_by_side,
                               struct ph_error *err)
{
    const size_t record = (n_fields + 1) / 2 * 2, row = (n_local + PH_LANES) / PH_LANES * PH_LANES;
    tile->n_local = n_local;
    tile->field_step = side_by_side ? 1 : row;
    tile->local_step = side_by_side ? record : 1;
    if (row > tile->room_locals) {
        const size_t room = (roomy(row) + PH_LANES - 1) / PH_LANES * PH_LANES;
        const size_t least = record < 4 ? 4 : record; /* thinning keeps centres and lists here */
        tile->room_locals = room;
        free(tile->in);
        free(tile->out);
        free(tile->molecule);
        free(tile->image);
        tile->in = aligned_doubles(least * room);
        tile->out = aligned_doubles(least * room);
        tile->molecule = malloc(room * sizeof *tile->molecule);
        tile->image = malloc(room);
    }
    if (!tile->in || !tile->out || !tile->molecule || !tile->image) {
        tile->room_locals = 0;
        return ph_no_memory(err, "a tile of %zu molecules", n_local);
    }
    memset(tile->image, PH_IMAGES * PH_IMAGES * PH_IMAGES / 2, n_local);
    return PH_OK;
}

enum ph_status ph_tile_reserve_lists(struct ph_tile *tile, size_t n_lists, size_t n_indices, size_t n_local,
                                     struct ph_error *err)
{
    tile->index_bytes = n_local <= (size_t)UINT16_MAX + 1 ? sizeof(uint16_t) : sizeof(uint32_t);
    const size_t bytes = (n_indices + 1) * tile->index_bytes;
    if (n_lists + 1 > tile->room_lists) {
        tile->room_lists = roomy(n_lists + 1);
        free(tile->couple);
        free(tile->begin);
        free(tile->part_end);
        tile->couple = malloc(tile->room_lists * sizeof *tile->couple);
        tile->begin = malloc(tile->room_lists * sizeof *tile->begin);
        tile->part_end = malloc(tile->room_lists * sizeof *tile->part_end);
    }
    if (bytes > tile->room_bytes) {
        tile->room_bytes = roomy(bytes);
        free(tile->neighbour);
        free(tile->near);
        tile->neighbour = malloc(tile->room_bytes);
        tile->near = malloc(tile->room_bytes);
    }
    if (tile->couple && tile->begin && tile->part_end && tile->neighbour && tile->near)
        return PH_OK;
    tile->room_lists = tile->room_bytes = 0;
    return ph_no_memory(err, "%zu neighbours", n_indices);
}

void ph_tile_unpack(const struct ph_tile *tile, const void *list, size_t begin, size_t n, uint32_t *restrict index)
{
    if (tile->index_bytes == sizeof(uint32_t)) {
        memcpy(index, (const uint32_t *)list + begin, n * sizeof *index);
        return;
    }
    const uint16_t *restrict packed = (const uint16_t *)list + begin;
    for (size_t k = 0; k < n; ++k)
        index[k] = packed[k];
}

void ph_tile_pack(const struct ph_tile *tile, size_t n, const uint32_t *restrict index, void *list, size_t begin)
{
    if (tile->index_bytes == sizeof(uint32_t)) {
        memcpy((uint32_t *)list + begin, index, n * sizeof *index);
        return;
    }
    uint16_t *restrict packed = (uint16_t *)list + begin;
    for (size_t k = 0; k < n; ++k)
        packed[k] = (uint16_t)index[k];
}

void ph_tiles_note_turns(const struct ph_system *system, double *const place[3])
{
    const size_t n = system->n;
#pragma omp for schedule(static) nowait
    for (size_t from = 0; from < n; from += PH_TURN)
        for (int k = 0; k < 3; ++k)
            memcpy(place[k] + from, system->r[k] + from, (ph_turn_end(from, n) - from) * sizeof(double));
}

void ph_tiles_note_places(const struct ph_system *system, const struct ph_owned *own, double *const place[3])
{
    const size_t n = system->n;
    if (own || n < PH_WORTH_COPIES) {
        for (int k = 0; k < 3; ++k)
            if (own)
                for (size_t m = 0; m < own->n; ++m)
                    place[k][own->molecule[m]] = system->r[k][own->molecule[m]];
            else
                memcpy(place[k], system->r[k], n * sizeof(double));
        return;
    }
#pragma omp parallel
    ph_tiles_note_turns(system, place);
}

/* ---- Tiles for threads ---- */

/* Returns true if this thread is the first to begin with a tile in a round. */
static bool begins(struct ph_tile *tile, unsigned round)
{
    unsigned before;
#pragma omp atomic read
    before = tile->round;
    if (before == round)
        return false;
#pragma omp atomic capture
    {
        before = tile->round;
        tile->round = round;
    }
    return before != round;
}

void ph_tiles_each(struct ph_tiles *tiles, ph_tile_work *work, const void *data)
{
    const size_t n = tiles->n_here, threads = (size_t)omp_get_num_threads(), thread = (size_t)omp_get_thread_num();
    const size_t own = n * thread / threads, end = n * (thread + 1) / threads;
    for (size_t k = own; k < end; ++k)
        if (begins(&tiles->tile[tiles->here[k]], tiles->round))
            work(data, tiles, &tiles->tile[tiles->here[k]]);
    for (size_t k = 1; k < n; ++k) { /* those before, which other threads may not have begun */
        struct ph_tile *tile = &tiles->tile[tiles->here[(own + n - k) % n]];
        if (begins(tile, tiles->round))
            work(data, tiles, tile);
    }
}

/* A range of consecutive places in use: all places, unless molecules are distributed (share.h). Ranges with a gap of at
 * most two places count as one, so that each has free places behind it. */
struct range {
    size_t begin, end, next; /* next: the species after these */
};

static bool next_range(const struct ph_tiles *tiles, size_t n_molecules, struct range *range)
{
    const struct ph_share *share = tiles->share;
    if (!share || !share->owners.distributed) {
        const bool first = range->end == 0;
        *range = (struct range){.end = n_molecules};
        return first && n_molecules > 0;
    }
    if (range->next == share->owners.n_species)
        return false;
    range->begin = share->owners.first_place[range->next];
    range->end = share->owners.here_end[range->next++];
    while (range->next < share->owners.n_species && share->owners.first_place[range->next] <= range->end + 2)
        range->end = share->owners.here_end[range->next++];
    return true;
}

/* Room for the table of copies */
static enum ph_status reserve_index(size_t n_molecules, struct ph_tiles *tiles, struct ph_error *err)
{
    size_t n_copies = 0;
    for (size_t k = 0; k < tiles->n_here; ++k)
        n_copies += tiles->tile[tiles->here[k]].n_local;
    if (!tiles->first)
        tiles->first = malloc((n_molecules + 2) * sizeof *tiles->first);
    if (n_copies > tiles->room_copies || !tiles->copy_tile) { /* a process may have no tile */
        tiles->room_copies = roomy(n_copies);
        free(tiles->copy_tile);
        free(tiles->copy_local);
        free(tiles->copy_out);
        tiles->copy_tile = malloc(tiles->room_copies * sizeof *tiles->copy_tile);
        tiles->copy_local = malloc(tiles->room_copies * sizeof *tiles->copy_local);
        tiles->copy_out = calloc(tiles->room_copies + PH_COPIES_AHEAD, sizeof *tiles->copy_out);
    }
    if (tiles->first && tiles->copy_tile && tiles->copy_local && tiles->copy_out)
        return PH_OK;
    tiles->room_copies = 0;
    return ph_no_memory(err, "the table of %zu copies of molecules", n_copies);
}

/* The table of copies, for molecules at places begin .. end - 1. A thread goes through all tiles for its part of the
 * molecules. This pays from several threads on, because memory is read in order, and written in places far apart. */
enum { WORTH_PARTS = 4 };

static void count_copies(struct ph_tiles *tiles, size_t begin, size_t end)
{
    uint32_t *count = tiles->first + 2; /* two places ahead, so that filling leaves the starts in place */
    for (size_t k = 0; k < tiles->n_here; ++k) {
        const struct ph_tile *tile = &tiles->tile[tiles->here[k]];
        for (size_t l = 0; l < tile->n_local; ++l)
            if (tile->molecule[l] >= begin && tile->molecule[l] < end)
                ++count[tile->molecule[l]];
    }
}

static void add_counts(size_t n_molecules, struct ph_tiles *tiles)
{
    struct range range = {.end = 0};
    uint32_t *count = tiles->first + 2;
    for (uint32_t before = 0; next_range(tiles, n_molecules, &range); before = tiles->first[range.end + 1]) {
        tiles->first[range.begin] = tiles->first[range.begin + 1] = before;
        for (size_t i = range.begin; i < range.end; ++i)
            count[i] += tiles->first[i + 1];
    }
}

static void enter_copies(struct ph_tiles *tiles, size_t begin, size_t end)
{
    uint32_t *next = tiles->first + 1;
    for (size_t k = 0; k < tiles->n_here; ++k) {
        const struct ph_tile *tile = &tiles->tile[tiles->here[k]];
        for (size_t l = 0; l < tile->n_local; ++l) {
            if (tile->molecule[l] < begin || tile->molecule[l] >= end)
                continue;
            const uint32_t place = next[tile->molecule[l]]++;
            tiles->copy_tile[place] = tiles->here[k];
            tiles->copy_local[place] = (uint32_t)l;
            tiles->copy_out[place] = tile->out + l * tile->local_step;
        }
    }
}

enum ph_status ph_tiles_index(size_t n_molecules, struct ph_tiles *tiles, struct ph_error *err)
{
    enum ph_status status = tiles->share ? PH_OK : list_here(tiles, err);
    if (status == PH_OK)
        status = reserve_index(n_molecules, tiles, err);
    if (status != PH_OK)
        return status;
    struct range range = {.end = 0};
    while (next_range(tiles, n_molecules, &range))
        memset(tiles->first + range.begin, 0, (range.end - range.begin + 2) * sizeof *tiles->first);
    const size_t threads = (size_t)omp_get_max_threads(), parts = threads < WORTH_PARTS ? 1 : threads;
    if (parts == 1 || n_molecules < PH_WORTH_COPIES) {
        count_copies(tiles, 0, SIZE_MAX);
        add_counts(n_molecules, tiles);
        enter_copies(tiles, 0, SIZE_MAX);
        return PH_OK;
    }
#pragma omp parallel for schedule(static)
    for (size_t p = 0; p < parts; ++p)
        count_copies(tiles, n_molecules * p / parts, n_molecules * (p + 1) / parts);
    add_counts(n_molecules, tiles);
#pragma omp parallel for schedule(static)
    for (size_t p = 0; p < parts; ++p)
        enter_copies(tiles, n_molecules * p / parts, n_molecules * (p + 1) / parts);
    return PH_OK;
}

/* Gives tiles of other ranks copies of our molecules only, with the same layout of fields as our own tiles. Allocates
 * the table of copies before ranks agree, so that no rank fails after that. */
enum ph_status ph_tiles_meet(enum ph_status status, size_t n_molecules, size_t n_fields, struct ph_tiles *tiles,
                             struct ph_error *err)
{
    const struct ph_share *share = tiles->share;
    status = ph_share_count(status, n_fields, tiles, err);
    if (status == PH_OK)
        status = list_here(tiles, err);
    for (size_t k = 0; status == PH_OK && k < share->n_away; ++k) {
        struct ph_tile *tile = &tiles->tile[share->away[k].tile];
        status = ph_tile_reserve(tile, share->away[k].n, n_fields, tiles->thinned_at[0] != NULL, err);
        tile->n_home = tile->n_couples = tile->pairs = 0;
    }
    if (status == PH_OK)
        status = reserve_index(n_molecules, tiles, err);
    status = ph_ranks_agree(status, err);
    return status == PH_OK ? ph_share_name(n_fields, tiles, err) : status;
}

enum ph_status ph_tiles_all_pairs(const struct ph_system *system, size_t n_fields, struct ph_tiles *tiles,
                                  struct ph_error *err)
{
    const size_t n = system->n;
    size_t begin[PH_TILES_ALL_PAIRS + 1] = {0};
    *tiles = (struct ph_tiles){.n = ph_tiles_count(n, true), .shared = tiles->shared};
    tiles->tile = calloc(tiles->n, sizeof *tiles->tile);
    enum ph_status status = tiles->tile ? PH_OK : ph_no_memory(err, "tiles");
    if (tiles->shared)
        status = ph_ranks_agree(status, err);
    if (status != PH_OK)
        return status;
    /* Row i has n-1-i pairs: cut where the area above is the tile's share. */
    for (size_t d = 0; d < tiles->n; ++d) {
        const double rest = sqrt(1.0 - (double)(d + 1) / (double)tiles->n);
        begin[d + 1] = d + 1 == tiles->n ? n : (size_t)((1.0 - rest) * (double)n);
    }
    if (tiles->shared)
        status = ph_share_plan(system, NULL, begin, tiles, err);
    size_t first, last;
    ph_tiles_own(tiles, &first, &last);
    for (size_t d = first; d < last && status == PH_OK; ++d) {
        const size_t start = begin[d], end = begin[d + 1];
        struct ph_tile *tile = &tiles->tile[d];
        status = ph_tile_reserve(tile, n - start, n_fields, false, err);
        if (status != PH_OK)
            break;
        tile->n_home = end - start;
        for (size_t l = 0; l < n - start; ++l)
            tile->molecule[l] = (uint32_t)(start + l);
        tile->pairs = (end - start) * (n - start) - (end - start) * (end - start + 1) / 2;
    }
    if (tiles->shared)
        status = ph_tiles_meet(status, n, n_fields, tiles, err);
    return status == PH_OK ? ph_tiles_index(n, tiles, err) : status;
}
