/* SPDX-License-Identifier: MIT */
/* Data that travel between ranks while lists hold: ghosts, sums of copies, rows of all molecules, and failures. */
#include "force/ranks/share_inside.h"

#include "force/pairs/loops/gather.h"

#include <limits.h>
#include <string.h>

/* Points the parcels at their parts of an array of elements of so many bytes. */
static void address(size_t n_parcels, struct ph_parcel *parcels, size_t bytes, void *array)
{
    char *part = array;
    for (size_t k = 0; k < n_parcels; part += parcels[k++].n * bytes)
        parcels[k].data = part;
}

void ph_share_exchange(const struct ph_share *share, size_t bytes, void *out, void *in)
{
    address(share->n_parcels_out, share->parcel_out, bytes, out);
    address(share->n_parcels_in, share->parcel_in, bytes, in);
    ph_team()->begin_exchange(bytes, share->n_parcels_out, share->parcel_out, share->n_parcels_in, share->parcel_in);
}

/* Begins the exchange before or after an evaluation, with n_numbers for each entry. Uses shared memory if the team
 * provides it. */
static void send(const struct ph_share *share, size_t n_out, struct ph_parcel *parcel_out, size_t n_in,
                 struct ph_parcel *parcel_in, size_t n_numbers, double *out, double *in)
{
    const size_t bytes = n_numbers * sizeof(double);
    address(n_out, parcel_out, bytes, out);
    address(n_in, parcel_in, bytes, in);
    if (share->shared_sums)
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
    double *out = share->shared_sums ? share->shared_sums : share->out;
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
    const struct ph_share *share = tiles->share;
    const struct ph_parcel *parcel = share->parcel_in;
    size_t done = 0; /* copies of this parcel that are done; it holds the tiles of one rank, one after the other */
    ph_team()->finish_exchange();
    for (size_t k = 0; k < share->n_away; ++k) {
        const size_t n = share->away[k].n;
        if (done == parcel->n) {
            ++parcel;
            done = 0;
        }
        const double *in = (const double *)parcel->data + done * n_fields;
        const struct ph_share_sums to = sums(share->away[k].tile, data);
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

void ph_share_begin_ghosts(struct ph_share *share, size_t n_rows, double *const rows[])
{
    double *out = share->shared_ghosts ? share->shared_ghosts : share->rows_out;
    pack(share->n_sent, share->sent, n_rows, rows, out);
    send(share, share->n_parcels_in, share->ghosts_out, share->n_parcels_out, share->ghosts_in, n_rows, out,
         share->rows_in);
    share->ghosts_under_way = true;
}

void ph_share_finish_ghosts(struct ph_share *share, size_t n_rows, double *const rows[])
{
    if (!share->ghosts_under_way)
        return;
    ph_team()->finish_exchange();
    const uint32_t *ghost = share->ghost;
    for (size_t k = 0; k < share->n_parcels_out; ghost += share->ghosts_in[k++].n)
        unpack(share->ghosts_in[k].n, ghost, n_rows, share->ghosts_in[k].data, rows);
    share->ghosts_under_way = false;
}

void ph_share_push(void) { ph_team()->push_exchange(); }

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
    for (size_t from = 0; from < most; from += PH_SHARE_AT_A_TIME) {
        size_t n = 0;
        for (size_t p = 0; p < team->size; n += share->some[p++]) {
            const size_t left = share->owners.n_of[p] > from ? share->owners.n_of[p] - from : 0;
            share->some[p] = left < PH_SHARE_AT_A_TIME ? left : PH_SHARE_AT_A_TIME;
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

const double (*ph_share_spread_tiles(const struct ph_tiles *tiles))[PH_SHARE_OF_TILE]
{
    const struct ph_owners *owners = &tiles->share->owners;
    const size_t rank = ph_team()->rank;
    double(*numbers)[PH_SHARE_OF_TILE] = (double(*)[PH_SHARE_OF_TILE])owners->of_tiles;
    for (size_t d = owners->first_tile[rank]; d < owners->first_tile[rank + 1]; ++d) {
        const struct ph_tile *tile = &tiles->tile[d];
        memcpy(numbers[d], tile->virial, sizeof tile->virial);
        numbers[d][9] = tile->energy_radial;
        numbers[d][10] = tile->energy_electric;
    }
    ph_team()->gather(sizeof *numbers, owners->n_tiles_of, numbers);
    return (const double(*)[PH_SHARE_OF_TILE])numbers;
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
