/* SPDX-License-Identifier: MIT */
/* Rows of all molecules for the first process, some at a time in the order of their numbers. */
#include "force/pairs/share_inside.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, BESIDE_ROWS = 2 }; /* beside rows: number and images */

struct reading {
    const struct ph_share *share;
    const struct ph_rows *rows;
    bool first;       /* this is the process that reads */
    double *records;  /* of a block; of ours in it, where another reads */
    double *columns;  /* where this one reads: the same, row by row, */
    int32_t *images;  /* and here */
    uint32_t *counts; /* molecules of each process in the block */
    size_t *one;      /* 1 for each */
    struct ph_parcel *parcel;
};

static void clear(struct reading *reading)
{
    free(reading->records);
    free(reading->columns);
    free(reading->images);
    free(reading->counts);
    free(reading->one);
    free(reading->parcel);
}

static enum ph_status prepare(struct reading *reading, struct ph_error *err)
{
    const size_t size = ph_team()->size, n = reading->rows->n;
    reading->records = malloc(BLOCK * (n + BESIDE_ROWS) * sizeof *reading->records);
    reading->columns = malloc(reading->first ? BLOCK * n * sizeof *reading->columns + 1 : 1);
    reading->images = malloc(reading->first ? 3 * BLOCK * sizeof *reading->images : 1);
    reading->counts = malloc(size * sizeof *reading->counts);
    reading->one = malloc(size * sizeof *reading->one);
    reading->parcel = malloc(size * sizeof *reading->parcel);
    for (size_t p = 0; p < size && reading->one; ++p)
        reading->one[p] = 1;
    return reading->records && reading->columns && reading->images && reading->counts && reading->one && reading->parcel
               ? PH_OK
               : ph_error_set(err, PH_ERR_MEMORY, "No memory to read molecules of other processes.");
}

/* Those of ours from number k of the list on whose numbers are below `end`. Gives how many */
static uint32_t pack(const struct reading *reading, size_t k, size_t end)
{
    const struct ph_share *share = reading->share;
    const struct ph_rows *rows = reading->rows;
    double *record = reading->records;
    uint32_t n = 0;
    for (; k < share->own.n && ph_share_number(share, share->ours[k]) < end; ++k, ++n) {
        const uint32_t number = ph_share_number(share, share->ours[k]), i = share->shown ? number : share->ours[k];
        uint32_t beside[2 * BESIDE_ROWS] = {number};
        for (int x = 0; x < 3 && rows->image; ++x)
            beside[1 + x] = (uint32_t)rows->image[x][i];
        for (size_t x = 0; x < rows->n; ++x)
            *record++ = rows->row[x][i];
        memcpy(record, beside, sizeof beside);
        record += BESIDE_ROWS;
    }
    return n;
}

/* All of a block come to the first. */
static void travel(const struct reading *reading)
{
    const struct ph_team *team = ph_team();
    const size_t record = reading->rows->n + BESIDE_ROWS;
    const uint32_t *counts = reading->counts;
    size_t n = 0, from = counts[0];
    if (!reading->first && counts[team->rank] > 0)
        reading->parcel[n++] = (struct ph_parcel){.rank = 0, .n = counts[team->rank], .data = reading->records};
    for (size_t p = 1; p < team->size && reading->first; from += counts[p++])
        if (counts[p] > 0)
            reading->parcel[n++] =
                (struct ph_parcel){.rank = p, .n = counts[p], .data = reading->records + from * record};
    team->begin_exchange(record * sizeof(double), reading->first ? 0 : n, reading->parcel, reading->first ? n : 0,
                         reading->parcel);
    team->finish_exchange();
}

static void unpack(const struct reading *reading, size_t begin, size_t n)
{
    const size_t n_rows = reading->rows->n;
    const double *record = reading->records;
    for (size_t k = 0; k < n; ++k, record += n_rows + BESIDE_ROWS) {
        uint32_t beside[2 * BESIDE_ROWS];
        memcpy(beside, record + n_rows, sizeof beside);
        for (size_t x = 0; x < n_rows; ++x)
            reading->columns[x * BLOCK + (beside[0] - begin)] = record[x];
        for (size_t x = 0; x < 3; ++x)
            reading->images[x * BLOCK + (beside[0] - begin)] = (int32_t)beside[1 + x];
    }
}

static void read_blocks(const struct reading *reading, ph_rows_reader *block, void *data)
{
    const struct ph_share *share = reading->share;
    const struct ph_team *team = ph_team();
    size_t k = 0; /* of ours, so many have gone */
    for (size_t begin = 0; begin < share->n_molecules; begin += BLOCK) {
        const size_t end = begin + BLOCK < share->n_molecules ? begin + BLOCK : share->n_molecules;
        reading->counts[team->rank] = pack(reading, k, end);
        k += reading->counts[team->rank];
        team->gather(sizeof *reading->counts, reading->one, reading->counts);
        travel(reading);
        if (!reading->first)
            continue;
        unpack(reading, begin, end - begin);
        block(&(struct ph_rows_block){begin, end, BLOCK, reading->columns, reading->images}, data);
    }
}

enum ph_status ph_share_read(const struct ph_share *share, const struct ph_rows *rows, ph_rows_reader *block,
                             void *data, struct ph_error *err)
{
    struct reading reading = {.share = share, .rows = rows, .first = ph_team()->rank == 0};
    const enum ph_status status = ph_team_agree(prepare(&reading, err), err);
    if (status == PH_OK)
        read_blocks(&reading, block, data);
    clear(&reading);
    return status;
}

static void write_block(const struct ph_rows_block *block, void *data)
{
    const struct ph_rows *rows = data;
    const size_t n = block->end - block->begin;
    for (size_t x = 0; x < rows->n; ++x)
        memcpy(rows->row[x] + block->begin, block->row + x * block->step, n * sizeof(double));
    for (size_t x = 0; x < 3 && rows->image; ++x)
        memcpy(rows->image[x] + block->begin, block->image + x * block->step, n * sizeof(int32_t));
}

enum ph_status ph_share_collect_first(struct ph_share *share, const struct ph_rows *rows, struct ph_error *err)
{
    struct ph_rows shown = *rows;
    if (ph_team()->rank == 0)
        ph_share_show(share, rows, rows->image != NULL);
    return ph_share_read(share, rows, write_block, &shown, err);
}
