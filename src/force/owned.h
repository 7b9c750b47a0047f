/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_OWNED_H
#define PH_FORCE_OWNED_H

/* The molecules that this rank owns, where several ranks share a system (ranks/share.h). The rank moves only these, so
 * only their entries of the state are up to date here. Ghosts (`ghost`) are nearby molecules of other ranks. Their
 * positions and orientations arrive before each evaluation. All other entries are out of date until the state is
 * collected. */

#include "base/error.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ph_owned {
    size_t n, n_ghosts;
    const uint32_t *molecule; /* places of our molecules, in ascending order; species s has first[s] .. first[s+1] */
    const size_t *first;
    const uint32_t *ghost;  /* places, in any order */
    const uint32_t *number; /* of the molecule at a place; NULL: equal to the place */
};

/* Places begin .. end-1 of the molecules of species s: of this rank, or all of them if own is NULL. They follow each
 * other, because a rank stores its molecules together. `first` is that of the system. */
struct ph_places {
    size_t begin, end;
};
static inline struct ph_places ph_own_places(const struct ph_owned *own, const size_t *first, size_t s)
{
    if (!own)
        return (struct ph_places){first[s], first[s + 1]};
    const size_t n = own->first[s + 1] - own->first[s], begin = n > 0 ? own->molecule[own->first[s]] : first[s];
    assert(n == 0 || own->molecule[own->first[s + 1] - 1] == begin + n - 1);
    return (struct ph_places){begin, begin + n};
}

/* Arrays of one number for each molecule, to migrate with molecules or to collect on all ranks */
struct ph_column_set {
    size_t n;
    double *const *row;
    int32_t *const *image; /* three rows more, of images of the box; or NULL */
};

/* Rows of molecules begin .. end, by their numbers: row x of molecule `number` is row[x step + number - begin]; image
 * has the same layout. */
struct ph_columns_block {
    size_t begin, end, step;
    double *row;
    int32_t *image;
};
typedef void ph_columns_reader(const struct ph_columns_block *block, void *data);
/* Selects the reading ranks: rank 0 reads molecules begin .. end-1; or with `each`, every rank reads its range of the
 * numbers (base/ranges.h). */
struct ph_readers {
    size_t begin, end;
    bool each;
};
/* Reads rows that this rank holds whole, in the order of numbers. */
enum ph_status ph_columns_read(const struct ph_column_set *rows, size_t n, const struct ph_readers *readers,
                               ph_columns_reader *block, void *data, struct ph_error *err);
/* Reads molecules begin .. end-1 on any rank. */
enum ph_status ph_columns_read_range(const struct ph_column_set *rows, size_t begin, size_t end,
                                     ph_columns_reader *block, void *data, struct ph_error *err);

#endif
