/* SPDX-License-Identifier: MIT */
/* Reads rows of all molecules in blocks, in the order of their numbers: on rank 0, or on each rank its range of
 * numbers. */
#include "base/ranges.h"
#include "force/ranks/share_inside.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = PH_RANGE_BLOCK, BESIDE_ROWS = 2 }; /* beside rows: number and images */

struct reading {
    const struct ph_share *share;
    const struct ph_column_set *rows;
    const struct ph_readers *readers;
    size_t rounds, most; /* number of blocks; largest number of our molecules sent in one round */
    double *records;     /* ours, in the order of the receiving ranks */
    double *come;        /* of a block, */
    double *columns;     /* the same, row by row, */
    int32_t *images;     /* and here */
    size_t *next;        /* for each rank, the first of ours that it has not received yet */
    uint32_t *out, *in;  /* numbers of molecules sent to and received from each rank */
    struct ph_parcel *to, *from;
    bool here[BLOCK]; /* which molecules of a block have arrived */
};

static void clear(struct reading *reading)
{
    free(reading->records);
    free(reading->come);
    free(reading->columns);
    free(reading->images);
    free(reading->next);
    free(reading->out);
    free(reading->in);
    free(reading->to);
    free(reading->from);
}

/* Computes the numbers begin .. end-1 that rank p reads in all. */
static void range_of(const struct reading *reading, size_t p, size_t *begin, size_t *end)
{
    const struct ph_readers *readers = reading->readers;
    *begin = readers->begin;
    *end = p == 0 ? readers->end : readers->begin;
    if (readers->each)
        ph_range_of(reading->share->owners.n_molecules, p, ph_team()->size, begin, end);
}

/* Computes the numbers that it reads in a round. */
static void block_of(const struct reading *reading, size_t p, size_t round, size_t *begin, size_t *end)
{
    size_t last;
    range_of(reading, p, begin, &last);
    *begin = *begin + round * BLOCK < last ? *begin + round * BLOCK : last;
    *end = *begin + BLOCK < last ? *begin + BLOCK : last;
}

static size_t n_readers(const struct reading *reading) { return reading->readers->each ? ph_team()->size : 1; }

static uint32_t number_of(const struct ph_share *share, size_t k)
{
    return ph_share_number(share, share->owners.ours[k]);
}

/* Returns the index of our first molecule whose number is not smaller. */
static size_t first_from(const struct ph_share *share, size_t number)
{
    size_t low = 0, high = share->owners.own.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (number_of(share, middle) < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Counts the rounds, and our molecules sent in one of them at most. */
static void plan(struct reading *reading)
{
    for (bool more = true; more; reading->rounds += more) {
        size_t begin, end, leave = 0;
        more = false;
        for (size_t p = 0; p < n_readers(reading); ++p) {
            block_of(reading, p, reading->rounds, &begin, &end);
            more = more || begin < end;
            leave += first_from(reading->share, end) - first_from(reading->share, begin);
        }
        reading->most = leave > reading->most ? leave : reading->most;
    }
}

static enum ph_status prepare(struct reading *reading, struct ph_error *err)
{
    const size_t size = ph_team()->size, n = reading->rows->n, record = (n + BESIDE_ROWS) * sizeof(double);
    const size_t block = ph_team()->rank < n_readers(reading) ? BLOCK : 0;
    plan(reading);
    reading->records = malloc((reading->most + 1) * record);
    reading->come = malloc((block + 1) * record);
    reading->columns = malloc(block * n * sizeof *reading->columns + 1);
    reading->images = malloc(3 * block * sizeof *reading->images + 1);
    reading->next = malloc(size * sizeof *reading->next);
    reading->out = malloc(size * sizeof *reading->out);
    reading->in = malloc(size * sizeof *reading->in);
    reading->to = malloc(size * sizeof *reading->to);
    reading->from = malloc(size * sizeof *reading->from);
    for (size_t p = 0; p < size && reading->next; ++p) {
        size_t begin, end;
        block_of(reading, p, 0, &begin, &end);
        reading->next[p] = first_from(reading->share, begin);
    }
    return reading->records && reading->come && reading->columns && reading->images && reading->next && reading->out &&
                   reading->in && reading->to && reading->from
               ? PH_OK
               : ph_no_memory(err, "molecules of other processes");
}

/* Packs molecule k of ours. */
static void pack_one(const struct reading *reading, size_t k, double *record)
{
    const struct ph_share *share = reading->share;
    const struct ph_column_set *rows = reading->rows;
    const uint32_t number = number_of(share, k), i = share->shown ? number : share->owners.ours[k];
    uint32_t beside[2 * BESIDE_ROWS] = {number};
    for (int x = 0; x < 3 && rows->image; ++x)
        beside[1 + x] = (uint32_t)rows->image[x][i];
    for (size_t x = 0; x < rows->n; ++x)
        record[x] = rows->row[x][i];
    memcpy(record + rows->n, beside, sizeof beside);
}

/* Packs our molecules that are in the block of each reading rank. */
static void pack(const struct reading *reading, size_t round)
{
    const struct ph_share *share = reading->share;
    double *record = reading->records;
    memset(reading->out, 0, ph_team()->size * sizeof *reading->out);
    for (size_t p = 0; p < n_readers(reading); ++p) {
        size_t begin, end, k = reading->next[p];
        block_of(reading, p, round, &begin, &end);
        for (; k < share->owners.own.n && number_of(share, k) < end; ++k, record += reading->rows->n + BESIDE_ROWS)
            pack_one(reading, k, record);
        reading->out[p] = (uint32_t)(k - reading->next[p]);
        reading->next[p] = k;
    }
}

static size_t parcels(const uint32_t *counts, size_t record, double *data, struct ph_parcel *parcel)
{
    size_t n = 0;
    for (size_t p = 0; p < ph_team()->size; data += record * counts[p++])
        if (counts[p] > 0 && p != ph_team()->rank)
            parcel[n++] = (struct ph_parcel){.rank = p, .n = counts[p], .data = data};
    return n;
}

static double *of_this_process(const uint32_t *counts, size_t record, double *data)
{
    for (size_t p = 0; p < ph_team()->rank; ++p)
        data += record * counts[p];
    return data;
}

/* Reports that some molecule of a block has no owner or two, so ranks have lost it before. */
static enum ph_status lost(size_t begin, size_t n, size_t come, struct ph_error *err)
{
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "Processes have lost molecules: of the %zu from number %zu on, %zu came to be read.", n, begin,
                        come);
}

/* Exchanges the molecules of one round. Ranks first exchange their counts. All ranks stop here if a count differs from
 * the n molecules from `begin` on that its rank reads, or after an earlier failure (`status`). */
static enum ph_status travel(const struct reading *reading, size_t begin, size_t n, enum ph_status status,
                             struct ph_error *err)
{
    const struct ph_team *team = ph_team();
    const size_t record = reading->rows->n + BESIDE_ROWS;
    size_t come = 0;
    team->trade(sizeof *reading->out, reading->out, reading->in);
    for (size_t p = 0; p < team->size; ++p)
        come += reading->in[p];
    if (status == PH_OK && come != n)
        status = lost(begin, n, come, err);
    status = ph_team_agree(status, err);
    if (status != PH_OK)
        return status;
    const size_t n_out = parcels(reading->out, record, reading->records, reading->to);
    const size_t n_in = parcels(reading->in, record, reading->come, reading->from);
    team->begin_exchange(record * sizeof(double), n_out, reading->to, n_in, reading->from);
    memcpy(of_this_process(reading->in, record, reading->come), of_this_process(reading->out, record, reading->records),
           reading->in[team->rank] * record * sizeof(double));
    team->finish_exchange();
    return PH_OK;
}

static enum ph_status unpack(struct reading *reading, size_t begin, size_t n, struct ph_error *err)
{
    const size_t n_rows = reading->rows->n;
    const double *record = reading->come;
    size_t come = 0;
    memset(reading->here, 0, sizeof reading->here);
    for (size_t k = 0; k < n; ++k, record += n_rows + BESIDE_ROWS) {
        uint32_t beside[2 * BESIDE_ROWS];
        memcpy(beside, record + n_rows, sizeof beside);
        if (beside[0] < begin || beside[0] - begin >= n || reading->here[beside[0] - begin])
            continue;
        reading->here[beside[0] - begin] = true;
        ++come;
        for (size_t x = 0; x < n_rows; ++x)
            reading->columns[x * BLOCK + (beside[0] - begin)] = record[x];
        for (size_t x = 0; x < 3; ++x)
            reading->images[x * BLOCK + (beside[0] - begin)] = (int32_t)beside[1 + x];
    }
    return come == n ? PH_OK : lost(begin, n, come, err);
}

enum ph_status ph_share_read(const struct ph_share *share, const struct ph_column_set *rows,
                             const struct ph_readers *readers, ph_columns_reader *block, void *data,
                             struct ph_error *err)
{
    struct reading reading = {.share = share, .rows = rows, .readers = readers};
    enum ph_status status = ph_team_agree(prepare(&reading, err), err), good = status;
    for (size_t round = 0; round < reading.rounds && status == PH_OK; ++round) {
        size_t begin, end;
        block_of(&reading, ph_team()->rank, round, &begin, &end);
        pack(&reading, round);
        status = travel(&reading, begin, end - begin, good, err);
        good = status == PH_OK ? unpack(&reading, begin, end - begin, err) : status;
        if (good == PH_OK && begin < end)
            block(&(struct ph_columns_block){begin, end, BLOCK, reading.columns, reading.images}, data);
    }
    clear(&reading);
    return status == PH_OK ? ph_team_agree(good, err) : status;
}

static void write_block(const struct ph_columns_block *block, void *data)
{
    const struct ph_column_set *rows = data;
    const size_t n = block->end - block->begin;
    for (size_t x = 0; x < rows->n; ++x)
        memcpy(rows->row[x] + block->begin, block->row + x * block->step, n * sizeof(double));
    for (size_t x = 0; x < 3 && rows->image; ++x)
        memcpy(rows->image[x] + block->begin, block->image + x * block->step, n * sizeof(int32_t));
}

enum ph_status ph_share_collect_first(struct ph_share *share, const struct ph_column_set *rows, struct ph_error *err)
{
    struct ph_column_set shown = *rows;
    if (ph_team()->rank == 0)
        ph_share_show(share, rows, rows->image != NULL);
    return ph_share_read(share, rows, &(struct ph_readers){.end = share->owners.n_molecules}, write_block, &shown, err);
}
