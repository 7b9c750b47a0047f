/* SPDX-License-Identifier: MIT */
#include "force/owned.h"

#include "base/ranges.h"
#include "parallel/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ph_owned_add_up(size_t n, struct ph_exact *sums)
{
    ph_team()->sum_wide(n * PH_EXACT_NUMBERS, (int64_t *)sums);
    for (size_t k = 0; k < n; ++k)
        ph_exact_carry(&sums[k]);
}

enum ph_status ph_owned_agree(enum ph_status status, struct ph_error *err) { return ph_team_agree(status, err); }

void ph_owned_largest(size_t n, double *values) { ph_team()->largest(n, values); }

void ph_owned_first(double largest, struct ph_largest *ours)
{
    double first = ours->value == largest ? -(double)ours->number : -INFINITY;
    ph_team()->largest(1, &first);
    *ours = (struct ph_largest){largest, (uint64_t)-first};
}

void ph_readers_range(const struct ph_readers *readers, size_t n, size_t rank, size_t *begin, size_t *end)
{
    *begin = readers->begin;
    *end = rank == 0 ? readers->end : readers->begin;
    if (readers->each)
        ph_range_of(n, rank, ph_team()->size, begin, end);
}

enum ph_status ph_columns_read_range(const struct ph_column_set *rows, size_t begin, size_t end,
                                     ph_columns_reader *block, void *data, struct ph_error *err)
{
    enum { BLOCK = PH_RANGE_BLOCK };
    double *columns = malloc(BLOCK * (rows->n + 1) * sizeof *columns);
    int32_t *images = malloc(3 * BLOCK * sizeof *images);
    for (size_t next; begin < end && columns && images; begin = next) {
        next = begin + BLOCK < end ? begin + BLOCK : end;
        for (size_t x = 0; x < rows->n; ++x)
            memcpy(columns + x * BLOCK, rows->row[x] + begin, (next - begin) * sizeof *columns);
        for (size_t x = 0; x < 3 && rows->image; ++x)
            memcpy(images + x * BLOCK, rows->image[x] + begin, (next - begin) * sizeof *images);
        block(&(struct ph_columns_block){begin, next, BLOCK, columns, images}, data);
    }
    const bool good = columns && images;
    free(columns);
    free(images);
    return good ? PH_OK : ph_error_set(err, PH_ERR_MEMORY, "No memory to read blocks of molecules.");
}

enum ph_status ph_columns_read(const struct ph_column_set *rows, size_t n, const struct ph_readers *readers,
                               ph_columns_reader *block, void *data, struct ph_error *err)
{
    size_t begin, end;
    ph_readers_range(readers, n, ph_team()->rank, &begin, &end);
    return ph_columns_read_range(rows, begin, end, block, data, err);
}
