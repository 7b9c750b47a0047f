/* SPDX-License-Identifier: MIT */
#include "force/pairs/share/share_inside.h"

#include "base/hash.h"
#include "base/random.h"
#include "base/ranges.h"
#include "force/pairs/loops/gather.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* OF_TILE: numbers of a tile that all ranks get (energies and virial). AT_A_TIME: molecules of each rank that one
 * gather handles, to limit memory */
enum { OF_TILE = 11, AT_A_TIME = 256 };

/* Frees the data that tiles drawn from these share with them. */
static void free_owners(struct ph_share *share)
{
    const struct ph_owners *owners = &share->owners;
    ph_team()->lend(share, 0);
    free(owners->first_tile);
    free(owners->n_tiles_of);
    free(owners->spent);
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
    free(share->n_copies);
    free(share->inner);
    free(share->outer);
    free(share->out_tile);
    free(share->out_local);
    free(share->out);
    free(share->in);
    free(share->parcel_out);
    free(share->parcel_in);
    free(share->guest);
    free(share->sent);
    free(share->rows_out);
    free(share->rows_in);
    free(share->guests_out);
    free(share->guests_in);
    free(share);
}

/* ---- Who owns what ---- */

/* Allocates the arrays for copies whose length does not depend on the number of copies. */
static bool reserve_parcels(size_t n_tiles, struct ph_share *share)
{
    const size_t size = ph_team()->size;
    share->n_copies = calloc(n_tiles, sizeof *share->n_copies);
    share->inner = calloc(n_tiles, sizeof *share->inner);
    share->outer = calloc(n_tiles, sizeof *share->outer);
    share->parcel_out = calloc(size, sizeof *share->parcel_out);
    share->parcel_in = calloc(size, sizeof *share->parcel_in);
    share->guests_out = calloc(size, sizeof *share->guests_out);
    share->guests_in = calloc(size, sizeof *share->guests_in);
    return share->n_copies && share->inner && share->outer && share->parcel_out && share->parcel_in &&
           share->guests_out && share->guests_in;
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
    owners->ours = malloc(n_molecules * sizeof *owners->ours);
    owners->seen = malloc(n_molecules * sizeof *owners->seen);
    owners->first_of = calloc(n_species + 1, sizeof *owners->first_of);
    owners->first_place = calloc(n_species + 1, sizeof *owners->first_place);
    owners->here_end = calloc(n_species + 1, sizeof *owners->here_end);
    owners->number = malloc(n_molecules * sizeof *owners->number);
    share->of_molecules = malloc(size * AT_A_TIME * PH_SHARE_ROWS * sizeof *share->of_molecules);
    share->names = malloc(size * AT_A_TIME * sizeof *share->names);
    share->some = calloc(size, sizeof *share->some);
    owners->of_tiles = malloc(OF_TILE * n_tiles * sizeof *owners->of_tiles);
    if (reserve_parcels(n_tiles, share) && owners->first_tile && owners->n_tiles_of && owners->first && owners->n_of &&
        owners->molecule && owners->owner && owners->spent && owners->ours && owners->seen && owners->first_of &&
        owners->first_place && owners->here_end && owners->number && share->of_molecules && share->names &&
        share->some && owners->of_tiles) {
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
    owners->own = (struct ph_owned){
        .n = n, .molecule = owners->ours, .first = owners->first_of, .number = owners->apart ? owners->number : NULL};
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
    team->gather(sizeof *owners->spent, owners->n_tiles_of, owners->spent);
    uint64_t most = 0, sum = 0;
    for (size_t p = 0; p < team->size; ++p) {
        uint64_t own = 0;
        for (size_t d = owners->first_tile[p]; d < owners->first_tile[p + 1]; ++d)
            own += owners->spent[d];
        most = own > most ? own : most;
        sum += own;
    }
    if ((double)most * (double)team->size > small * (double)sum)
        ph_share_deal(owners->n_tiles, owners->spent, team->size, owners->first_tile);
    memset(owners->spent, 0, owners->n_tiles * sizeof *owners->spent);
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

void ph_share_choose(const size_t *begin, struct ph_tiles *tiles)
{
    const struct ph_team *team = ph_team();
    struct ph_share *share = tiles->share;
    const struct ph_owners *owners = &share->owners;
    choose_owners(share);
    for (size_t p = 0; p <= team->size; ++p)
        owners->first[p] = begin[owners->first_tile[p]];
    for (size_t p = 0; p < team->size; ++p) {
        owners->n_tiles_of[p] = owners->first_tile[p + 1] - owners->first_tile[p];
        owners->n_of[p] = owners->first[p + 1] - owners->first[p];
        for (size_t d = owners->first_tile[p]; d < owners->first_tile[p + 1]; ++d)
            tiles->tile[d].away = p != team->rank;
    }
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
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for sharing near pairs among processes.");
    status = ph_team_agree(status, err);
    if (status != PH_OK)
        return status;
    tiles->share->owners = from->owners;
    for (size_t p = 0; p < ph_team()->size; ++p)
        for (size_t d = from->owners.first_tile[p]; d < from->owners.first_tile[p + 1]; ++d)
            tiles->tile[d].away = p != ph_team()->rank;
    return PH_OK;
}

static enum ph_status create_together(const struct ph_system *system, struct ph_tiles *tiles, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    if (!tiles->share && !(tiles->share = create(tiles->n, system)))
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for sharing %zu molecules among processes.", system->n);
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
    ph_share_choose(begin, tiles);
    size_t n = 0;
    for (size_t p = 0; p < team->size; ++p)
        for (size_t k = share->owners.first[p]; k < share->owners.first[p + 1]; ++k) {
            const uint32_t i = molecule ? molecule[k] : (uint32_t)k;
            share->owners.owner[i] = (uint32_t)p;
            if (p == team->rank)
                share->owners.molecule[k - share->owners.first[p]] = i;
        }
    share->owners.apart = false;
    for (size_t i = 0; i < n_molecules; ++i)
        if (share->owners.owner[i] == team->rank)
            share->owners.ours[n++] = (uint32_t)i;
    ph_share_own(system, n, share);
    return PH_OK;
}

/* ---- What travels ---- */

void ph_share_address(size_t n_parcels, struct ph_parcel *parcels, size_t bytes, void *array)
{
    char *part = array;
    for (size_t k = 0; k < n_parcels; part += parcels[k++].n * bytes)
        parcels[k].data = part;
}

void ph_share_exchange(const struct ph_share *share, size_t bytes, void *out, void *in)
{
    ph_share_address(share->n_parcels_out, share->parcel_out, bytes, out);
    ph_share_address(share->n_parcels_in, share->parcel_in, bytes, in);
    ph_team()->begin_exchange(bytes, share->n_parcels_out, share->parcel_out, share->n_parcels_in, share->parcel_in);
}

/* Begins the exchange before or after an evaluation, with n_numbers for each entry. Uses shared memory if the team
 * provides it. */
static void send(const struct ph_share *share, size_t n_out, struct ph_parcel *parcel_out, size_t n_in,
                 struct ph_parcel *parcel_in, size_t n_numbers, double *out, double *in)
{
    const size_t bytes = n_numbers * sizeof(double);
    ph_share_address(n_out, parcel_out, bytes, out);
    ph_share_address(n_in, parcel_in, bytes, in);
    if (share->sums_lent)
        ph_team()->begin_loan(bytes, n_out, parcel_out, n_in, parcel_in);
    else
        ph_team()->begin_exchange(bytes, n_out, parcel_out, n_in, parcel_in);
}

/* Copies the fields of one copy after the other out of its sums, or back. */
PH_INLINE void pack_sums(const struct ph_share *share, size_t begin, size_t end, struct ph_share_sums from,
                         size_t field_step, size_t n_fields, double *restrict out)
{
    out += begin * n_fields;
    for (size_t k = begin; k < end; ++k, out += n_fields) {
        const double *restrict sum = from.sum + share->out_local[k] * from.local_step;
        for (size_t f = 0; f < n_fields; ++f)
            out[f] = sum[f * field_step];
    }
}

PH_INLINE void unpack_sums(size_t n, const double *restrict in, struct ph_share_sums to, size_t field_step,
                           size_t n_fields)
{
    for (size_t l = 0; l < n; ++l)
        for (size_t f = 0; f < n_fields; ++f)
            to.sum[f * field_step + l * to.local_step] = in[l * n_fields + f];
}

void ph_share_begin_sums(const struct ph_tiles *tiles, size_t n_fields,
                         struct ph_share_sums (*sums)(size_t d, void *data), void *data)
{
    const struct ph_share *share = tiles->share;
    double *out = share->sums_lent ? share->sums_lent : share->out;
    for (size_t begin = 0, end; begin < share->n_out; begin = end) {
        for (end = begin + 1; end < share->n_out && share->out_tile[end] == share->out_tile[begin];)
            ++end;
        const struct ph_share_sums from = sums(share->out_tile[begin], data);
        if (from.field_step == 1)
            PH_FOR_FIELDS(n_fields, pack_sums(share, begin, end, from, 1, FIELDS, out))
        else
            pack_sums(share, begin, end, from, from.field_step, n_fields, out);
    }
    send(share, share->n_parcels_out, share->parcel_out, share->n_parcels_in, share->parcel_in, n_fields, out,
         share->in);
}

void ph_share_finish_sums(const struct ph_tiles *tiles, size_t n_fields,
                          struct ph_share_sums (*sums)(size_t d, void *data), void *data)
{
    const struct ph_parcel *parcel = tiles->share->parcel_in;
    size_t done = 0; /* copies of this parcel that are done; it holds the tiles of one rank, one after the other */
    ph_team()->finish_exchange();
    for (size_t d = 0; d < tiles->n; ++d) {
        const size_t n = tiles->tile[d].n_local;
        if (!tiles->tile[d].away || n == 0)
            continue;
        if (done == parcel->n) {
            ++parcel;
            done = 0;
        }
        const double *in = (const double *)parcel->data + done * n_fields;
        const struct ph_share_sums to = sums(d, data);
        if (to.field_step == 1)
            PH_FOR_FIELDS(n_fields, unpack_sums(n, in, to, 1, FIELDS))
        else
            unpack_sums(n, in, to, to.field_step, n_fields);
        done += n;
    }
}

PH_INLINE void pack_rows(size_t n, const uint32_t *molecule, size_t n_rows, double *const rows[],
                         double *restrict numbers)
{
    for (size_t k = 0; k < n; ++k)
        for (size_t x = 0; x < n_rows; ++x)
            numbers[k * n_rows + x] = rows[x][molecule[k]];
}

PH_INLINE void unpack_rows(size_t n, const uint32_t *molecule, size_t n_rows, const double *restrict numbers,
                           double *const rows[])
{
    for (size_t k = 0; k < n; ++k)
        for (size_t x = 0; x < n_rows; ++x)
            rows[x][molecule[k]] = numbers[k * n_rows + x];
}

/* Positions and orientations, exchanged before every evaluation. A constant number lets the compiler unroll the
 * loops. */
enum { PLACES = 7 };

static void pack(size_t n, const uint32_t *molecule, size_t n_rows, double *const rows[], double *numbers)
{
    if (n_rows == PLACES)
        pack_rows(n, molecule, PLACES, rows, numbers);
    else
        pack_rows(n, molecule, n_rows, rows, numbers);
}

static void unpack(size_t n, const uint32_t *molecule, size_t n_rows, const double *numbers, double *const rows[])
{
    if (n_rows == PLACES)
        unpack_rows(n, molecule, PLACES, numbers, rows);
    else
        unpack_rows(n, molecule, n_rows, numbers, rows);
}

void ph_share_invite(struct ph_share *share, size_t n_rows, double *const rows[])
{
    double *out = share->rows_lent ? share->rows_lent : share->rows_out;
    pack(share->n_sent, share->sent, n_rows, rows, out);
    send(share, share->n_parcels_in, share->guests_out, share->n_parcels_out, share->guests_in, n_rows, out,
         share->rows_in);
    share->invited = true;
}

void ph_share_welcome(struct ph_share *share, size_t n_rows, double *const rows[])
{
    if (!share->invited)
        return;
    ph_team()->finish_exchange();
    const uint32_t *guest = share->guest;
    for (size_t k = 0; k < share->n_parcels_out; guest += share->guests_in[k++].n)
        unpack(share->guests_in[k].n, guest, n_rows, share->guests_in[k].data, rows);
    share->invited = false;
}

static void pack_images(size_t n, const uint32_t *molecule, int32_t *const image[3], int32_t (*numbers)[3])
{
    for (size_t k = 0; k < n; ++k)
        for (int x = 0; x < 3; ++x)
            numbers[k][x] = image[x][molecule[k]];
}

static void unpack_images(size_t n, const uint32_t *molecule, int32_t (*numbers)[3], int32_t *const image[3])
{
    for (size_t k = 0; k < n; ++k)
        for (int x = 0; x < 3; ++x)
            image[x][molecule[k]] = numbers[k][x];
}

/* Gathers the numbers of share->some[p] molecules of each rank p, for our rank from entry `from` of the list on.
 * Returns where ours begin among them. */
static size_t collect_names(const struct ph_share *share, size_t from)
{
    const struct ph_team *team = ph_team();
    size_t ours = 0;
    for (size_t p = 0; p < team->rank; ++p)
        ours += share->some[p];
    for (size_t k = 0; k < share->some[team->rank]; ++k)
        share->names[ours + k] = ph_share_number(share, share->owners.ours[from + k]);
    team->gather(sizeof *share->names, share->some, share->names);
    return ours;
}

static void collect_rows(const struct ph_share *share, size_t ours, size_t n, size_t n_rows, double *const rows[])
{
    const struct ph_team *team = ph_team();
    double *numbers = share->of_molecules;
    const size_t end = ours + share->some[team->rank];
    pack(end - ours, share->names + ours, n_rows, rows, numbers + ours * n_rows);
    team->gather(n_rows * sizeof *numbers, share->some, numbers);
    unpack(ours, share->names, n_rows, numbers, rows);
    unpack(n - end, share->names + end, n_rows, numbers + end * n_rows, rows);
}

static void collect_images(const struct ph_share *share, size_t ours, size_t n, int32_t *const image[3])
{
    const struct ph_team *team = ph_team();
    int32_t(*numbers)[3] = (int32_t(*)[3])(void *)share->of_molecules;
    const size_t end = ours + share->some[team->rank];
    pack_images(end - ours, share->names + ours, image, numbers + ours);
    team->gather(sizeof *numbers, share->some, numbers);
    unpack_images(ours, share->names, numbers, image);
    unpack_images(n - end, share->names + end, numbers + end, image);
}

void ph_share_collect(struct ph_share *share, const struct ph_column_set *rows)
{
    const struct ph_team *team = ph_team();
    const bool images = rows->image && share->images_old;
    size_t most = 0;
    for (size_t p = 0; p < team->size && (rows->n > 0 || images); ++p)
        most = share->owners.n_of[p] > most ? share->owners.n_of[p] : most;
    if (most > 0)
        ph_share_show(share, rows, images);
    for (size_t from = 0; from < most; from += AT_A_TIME) {
        size_t n = 0;
        for (size_t p = 0; p < team->size; n += share->some[p++]) {
            const size_t left = share->owners.n_of[p] > from ? share->owners.n_of[p] - from : 0;
            share->some[p] = left < AT_A_TIME ? left : AT_A_TIME;
        }
        const size_t ours = collect_names(share, from);
        for (size_t done = 0; done < rows->n; done += PH_SHARE_ROWS)
            collect_rows(share, ours, n, rows->n - done < PH_SHARE_ROWS ? rows->n - done : PH_SHARE_ROWS,
                         rows->row + done);
        if (images)
            collect_images(share, ours, n, rows->image);
    }
    share->images_old = share->images_old && !images;
}

void ph_share_spread_tiles(struct ph_tiles *tiles)
{
    const struct ph_share *share = tiles->share;
    double(*numbers)[OF_TILE] = (double(*)[OF_TILE])share->owners.of_tiles;
    for (size_t d = 0; d < tiles->n; ++d) {
        const struct ph_tile *tile = &tiles->tile[d];
        memcpy(numbers[d], tile->virial, sizeof tile->virial);
        numbers[d][9] = tile->energy_radial;
        numbers[d][10] = tile->energy_electric;
    }
    ph_team()->gather(sizeof *numbers, share->owners.n_tiles_of, numbers);
    for (size_t d = 0; d < tiles->n; ++d) {
        struct ph_tile *tile = &tiles->tile[d];
        memcpy(tile->virial, numbers[d], sizeof tile->virial);
        tile->energy_radial = numbers[d][9];
        tile->energy_electric = numbers[d][10];
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
