/* SPDX-License-Identifier: MIT */
#include "force/pairs/share.h"

#include "base/hash.h"
#include "base/random.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of a tile that go to all: energies, virial and number of pairs */
enum { OF_TILE = 12 };

void ph_share_destroy(struct ph_share *share)
{
    if (!share)
        return;
    free(share->first_tile);
    free(share->n_tiles_of);
    free(share->spent);
    free(share->first);
    free(share->n_of);
    free(share->molecule);
    free(share->owner);
    free(share->n_copies);
    free(share->inner);
    free(share->outer);
    free(share->out_tile);
    free(share->out_local);
    free(share->out);
    free(share->in);
    free(share->parcel_out);
    free(share->parcel_in);
    free(share->ours);
    free(share->guest);
    free(share->first_of);
    free(share->sent);
    free(share->seen);
    free(share->rows_out);
    free(share->rows_in);
    free(share->guests_out);
    free(share->guests_in);
    free(share->of_molecules);
    free(share->of_tiles);
    free(share);
}

/* ---- Who owns what ---- */

static struct ph_share *create(size_t n_tiles, size_t n_molecules, size_t n_species)
{
    const size_t size = ph_team()->size;
    struct ph_share *share = calloc(1, sizeof *share);
    if (!share)
        return NULL;
    share->n_tiles = n_tiles;
    share->n_molecules = n_molecules;
    share->shuffled = getenv("POLHODE_SHUFFLE_OWNERS") != NULL;
    share->first_tile = calloc(size + 1, sizeof *share->first_tile);
    share->n_tiles_of = calloc(size, sizeof *share->n_tiles_of);
    share->first = calloc(size + 1, sizeof *share->first);
    share->n_of = calloc(size, sizeof *share->n_of);
    share->molecule = malloc(n_molecules * sizeof *share->molecule);
    share->owner = malloc(n_molecules * sizeof *share->owner);
    share->n_copies = calloc(n_tiles, sizeof *share->n_copies);
    share->spent = calloc(n_tiles, sizeof *share->spent);
    share->inner = calloc(n_tiles, sizeof *share->inner);
    share->outer = calloc(n_tiles, sizeof *share->outer);
    share->parcel_out = calloc(size, sizeof *share->parcel_out);
    share->parcel_in = calloc(size, sizeof *share->parcel_in);
    share->guests_out = calloc(size, sizeof *share->guests_out);
    share->guests_in = calloc(size, sizeof *share->guests_in);
    share->ours = malloc(n_molecules * sizeof *share->ours);
    share->seen = malloc(n_molecules * sizeof *share->seen);
    share->first_of = calloc(n_species + 1, sizeof *share->first_of);
    share->of_molecules = malloc(PH_SHARE_ROWS * n_molecules * sizeof *share->of_molecules);
    share->of_tiles = malloc(OF_TILE * n_tiles * sizeof *share->of_tiles);
    if (share->first_tile && share->n_tiles_of && share->first && share->n_of && share->molecule && share->owner &&
        share->n_copies && share->spent && share->inner && share->outer && share->parcel_out && share->parcel_in &&
        share->guests_out && share->guests_in && share->ours && share->seen && share->first_of && share->of_molecules &&
        share->of_tiles)
        return share;
    ph_share_destroy(share);
    return NULL;
}

/* Ours in the order of the system */
static void list_ours(const struct ph_system *system, struct ph_share *share)
{
    const size_t rank = ph_team()->rank;
    size_t n = 0;
    for (size_t s = 0; s < system->n_species; ++s) {
        share->first_of[s] = n;
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            if (share->owner[i] == rank)
                share->ours[n++] = (uint32_t)i;
    }
    share->first_of[system->n_species] = n;
    share->own = (struct ph_owned){.n = n, .molecule = share->ours, .first = share->first_of};
}

void ph_share_deal(size_t n_tiles, const uint64_t *cost, size_t n_processes, size_t *first_tile)
{
    uint64_t sum = 0, before = 0;
    for (size_t d = 0; d < n_tiles; ++d)
        sum += cost[d];
    size_t p = 1;
    for (size_t d = 0; d < n_tiles; before += cost[d++])
        while (p < n_processes &&
               2 * before + cost[d] > 2 * (sum / n_processes * p + sum % n_processes * p / n_processes))
            first_tile[p++] = d;
    for (; p <= n_processes; ++p)
        first_tile[p] = n_tiles;
    first_tile[0] = 0;
}

static int ascending(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

static void shuffle(const struct ph_share *share)
{
    const size_t size = ph_team()->size;
    struct ph_random random = ph_random_stream(share->n_tiles, PH_RANDOM_TEST, share->plans);
    for (size_t p = 1; p < size; ++p)
        share->first_tile[p] = ph_random_below(&random, share->n_tiles + 1);
    qsort(share->first_tile + 1, size - 1, sizeof *share->first_tile, ascending);
    share->first_tile[size] = share->n_tiles;
}

/* By the time that tiles have taken where they were, which makes up for processes that are slower too. Small
 * differences are left, so that owners do not change for nothing. */
static void balance(const struct ph_share *share)
{
    const double small = 1.03;
    const struct ph_team *team = ph_team();
    team->gather(sizeof *share->spent, share->n_tiles_of, share->spent);
    uint64_t most = 0, sum = 0;
    for (size_t p = 0; p < team->size; ++p) {
        uint64_t own = 0;
        for (size_t d = share->first_tile[p]; d < share->first_tile[p + 1]; ++d)
            own += share->spent[d];
        most = own > most ? own : most;
        sum += own;
    }
    if ((double)most * (double)team->size > small * (double)sum)
        ph_share_deal(share->n_tiles, share->spent, team->size, share->first_tile);
    memset(share->spent, 0, share->n_tiles * sizeof *share->spent);
}

/* As many tiles for each at first; then, every few lists, by time */
static void choose_owners(struct ph_share *share)
{
    enum { EVERY = 4 };
    if (share->shuffled)
        shuffle(share);
    else if (share->plans == 0)
        for (size_t p = 0; p <= ph_team()->size; ++p)
            share->first_tile[p] = share->n_tiles * p / ph_team()->size;
    else if (share->plans % EVERY == 0)
        balance(share);
    ++share->plans;
}

/* That all processes have made the same cut is checked first: they would not find together again. */
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
    if (!tiles->share)
        tiles->share = create(tiles->n, n_molecules, system->n_species);
    struct ph_share *share = tiles->share;
    if (!share)
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for sharing %zu molecules among processes.", n_molecules);
    status = ph_team_agree(status, err);
    if (status != PH_OK)
        return status;
    if (share->plans == 0)
        share->shuffled = team->any(share->shuffled);
    for (size_t k = 0; k < n_molecules; ++k)
        share->molecule[k] = molecule ? molecule[k] : (uint32_t)k;
    choose_owners(share);
    for (size_t p = 0; p <= team->size; ++p)
        share->first[p] = begin[share->first_tile[p]];
    for (size_t p = 0; p < team->size; ++p) {
        share->n_tiles_of[p] = share->first_tile[p + 1] - share->first_tile[p];
        share->n_of[p] = share->first[p + 1] - share->first[p];
        for (size_t k = share->first[p]; k < share->first[p + 1]; ++k)
            share->owner[share->molecule[k]] = (uint32_t)p;
        for (size_t d = share->first_tile[p]; d < share->first_tile[p + 1]; ++d)
            tiles->tile[d].away = p != team->rank;
    }
    list_ours(system, share);
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

/* Of how many copies here each process owns the molecule: by tile, in count[d size + p]; in all. So which tiles have
 * any
 */
static size_t count_out(struct ph_share *share, const struct ph_tiles *tiles, uint32_t *count)
{
    const struct ph_team *team = ph_team();
    size_t n = 0;
    share->n_inner = share->n_outer = 0;
    for (size_t d = share->first_tile[team->rank]; d < share->first_tile[team->rank + 1]; ++d) {
        const struct ph_tile *tile = &tiles->tile[d];
        const size_t before = n;
        memset(count + d * team->size, 0, team->size * sizeof *count);
        for (size_t l = tile->n_home; l < tile->n_local; ++l) {
            const size_t p = share->owner[tile->molecule[l]];
            count[d * team->size + p] += p != team->rank;
            n += p != team->rank;
        }
        if (n == before)
            share->inner[share->n_inner++] = (uint32_t)d;
        else
            share->outer[share->n_outer++] = (uint32_t)d;
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

/* Points the parcels at their parts of an array of elements of so many bytes. */
static void address(size_t n_parcels, struct ph_parcel *parcels, size_t bytes, void *array)
{
    char *part = array;
    for (size_t k = 0; k < n_parcels; part += parcels[k++].n * bytes)
        parcels[k].data = part;
}

/* Of copies: numbers of so many bytes for each */
static void begin_exchange(const struct ph_share *share, size_t bytes, void *out, void *in)
{
    address(share->n_parcels_out, share->parcel_out, bytes, out);
    address(share->n_parcels_in, share->parcel_in, bytes, in);
    ph_team()->begin_exchange(bytes, share->n_parcels_out, share->parcel_out, share->n_parcels_in, share->parcel_in);
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

/* Of these n names those that are not yet marked, each once, in the order in which they come; marks them */
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

/* Parcels of guests, one for each of those of copies, from their names. A molecule of ours may be a guest of several
 * processes, so the mark is that of the process; guests have one owner each. Both ends list the same names in the same
 * order, that of the tiles and their copies. */
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

/* Names of molecules travel in the arrays that sums will. */
enum ph_status ph_share_name(struct ph_tiles *tiles, struct ph_error *err)
{
    struct ph_share *share = tiles->share;
    uint32_t *out = (uint32_t *)(void *)share->out, *in = (uint32_t *)(void *)share->in;
    const bool enough = reserve_guests(share->n_out, &share->room_guests, &share->guest, &share->rows_in) &&
                        reserve_guests(share->n_in, &share->room_sent, &share->sent, &share->rows_out);
    const enum ph_status status = ph_team_agree(
        enough ? PH_OK : ph_error_set(err, PH_ERR_MEMORY, "No memory for molecules of other processes."), err);
    if (status != PH_OK)
        return status;
    for (size_t k = 0; k < share->n_out; ++k)
        out[k] = tiles->tile[share->out_tile[k]].molecule[share->out_local[k]];
    begin_exchange(share, sizeof *out, out, in);
    ph_team()->finish_exchange();
    memset(share->seen, 0xff, share->n_molecules * sizeof *share->seen);
    share->n_sent = list_guests(share->n_parcels_in, share->parcel_in, in, share->seen, share->sent, share->guests_out);
    memset(share->seen, 0xff, share->n_molecules * sizeof *share->seen);
    share->own.n_guests =
        list_guests(share->n_parcels_out, share->parcel_out, out, share->seen, share->guest, share->guests_in);
    share->own.guest = share->guest;
    for (size_t d = 0; d < tiles->n; ++d)
        for (size_t l = 0; tiles->tile[d].away && l < tiles->tile[d].n_local; ++l)
            tiles->tile[d].molecule[l] = *in++;
    return PH_OK;
}

/* ---- What travels ---- */

void ph_share_begin_sums(const struct ph_tiles *tiles, size_t n_fields,
                         struct ph_share_sums (*sums)(size_t d, void *data), void *data)
{
    const struct ph_share *share = tiles->share;
    for (size_t k = 0; k < share->n_out; ++k) {
        const struct ph_share_sums from = sums(share->out_tile[k], data);
        for (size_t f = 0; f < n_fields; ++f)
            share->out[k * n_fields + f] = from.sum[f * from.field_step + share->out_local[k] * from.local_step];
    }
    begin_exchange(share, n_fields * sizeof(double), share->out, share->in);
}

void ph_share_finish_sums(const struct ph_tiles *tiles, size_t n_fields,
                          struct ph_share_sums (*sums)(size_t d, void *data), void *data)
{
    const double *in = tiles->share->in;
    ph_team()->finish_exchange();
    for (size_t d = 0; d < tiles->n; ++d) {
        if (!tiles->tile[d].away)
            continue;
        const struct ph_share_sums to = sums(d, data);
        for (size_t l = 0; l < tiles->tile[d].n_local; ++l)
            for (size_t f = 0; f < n_fields; ++f)
                to.sum[f * to.field_step + l * to.local_step] = *in++;
    }
}

static void pack(size_t n, const uint32_t *molecule, size_t n_rows, double *const rows[], double *numbers)
{
    for (size_t k = 0; k < n; ++k)
        for (size_t x = 0; x < n_rows; ++x)
            numbers[k * n_rows + x] = rows[x][molecule[k]];
}

static void unpack(size_t n, const uint32_t *molecule, size_t n_rows, const double *numbers, double *const rows[])
{
    for (size_t k = 0; k < n; ++k)
        for (size_t x = 0; x < n_rows; ++x)
            rows[x][molecule[k]] = numbers[k * n_rows + x];
}

void ph_share_invite(struct ph_share *share, size_t n_rows, double *const rows[])
{
    const size_t bytes = n_rows * sizeof(double);
    pack(share->n_sent, share->sent, n_rows, rows, share->rows_out);
    address(share->n_parcels_in, share->guests_out, bytes, share->rows_out);
    address(share->n_parcels_out, share->guests_in, bytes, share->rows_in);
    ph_team()->begin_exchange(bytes, share->n_parcels_in, share->guests_out, share->n_parcels_out, share->guests_in);
    share->invited = true;
}

void ph_share_welcome(struct ph_share *share, size_t n_rows, double *const rows[])
{
    if (!share->invited)
        return;
    ph_team()->finish_exchange();
    unpack(share->own.n_guests, share->guest, n_rows, share->rows_in, rows);
    share->invited = false;
}

void ph_share_collect(const struct ph_share *share, size_t n_rows, double *const rows[])
{
    const struct ph_team *team = ph_team();
    const size_t first = share->first[team->rank], n = share->n_of[team->rank];
    double *numbers = share->of_molecules;
    for (size_t done = 0; done < n_rows; done += PH_SHARE_ROWS) {
        const size_t some = n_rows - done < PH_SHARE_ROWS ? n_rows - done : PH_SHARE_ROWS;
        pack(n, share->molecule + first, some, rows + done, numbers + first * some);
        team->gather(some * sizeof *numbers, share->n_of, numbers);
        unpack(share->n_molecules, share->molecule, some, numbers, rows + done);
    }
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

void ph_share_fail(struct ph_share *share, const struct ph_error *failure)
{
    if (share->failure.status == PH_OK)
        share->failure = *failure;
}

enum ph_status ph_share_meet(struct ph_share *share, unsigned *bits, struct ph_error *err)
{
    const unsigned failed = ~(UINT_MAX >> 1);
    const unsigned all = ph_team()->any(*bits | (share->failure.status != PH_OK ? failed : 0));
    *bits = all & ~failed;
    if (!(all & failed))
        return PH_OK;
    struct ph_error failure = share->failure;
    share->failure = (struct ph_error){.status = PH_OK};
    const enum ph_status status = ph_team_agree(failure.status, &failure);
    return ph_error_set(err, status, "%s", failure.text);
}
