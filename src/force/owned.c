/* SPDX-License-Identifier: MIT */
#include "force/owned.h"

#include "base/ranges.h"
#include "parallel/ranks.h"

#include <stdlib.h>
#include <string.h>

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
    return good ? PH_OK : ph_no_memory(err, "blocks of molecules");
}

enum ph_status ph_columns_read(const struct ph_column_set *rows, size_t n, const struct ph_readers *readers,
                               ph_columns_reader *block, void *data, struct ph_error *err)
{
    size_t begin = readers->begin, end = ph_ranks_is_first() ? readers->end : begin;
    if (readers->each)
        ph_ranks_range(n, &begin, &end);
    return ph_columns_read_range(rows, begin, end, block, data, err);
}
