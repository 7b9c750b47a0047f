/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_OWNED_H
#define PH_FORCE_OWNED_H

/* Molecules of this process, where several share a system (pairs/share.h). It moves these alone, so that their entries
 * of the state are the present ones here. Guests are molecules of others near to them, whose positions and orientations
 * come before each evaluation; all other entries are old until the state is collected. */

#include "base/error.h"
#include "base/exact.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ph_owned {
    size_t n, n_guests;
    const uint32_t *molecule; /* places of ours, in ascending order: those of species s are first[s] .. first[s+1] */
    const size_t *first;
    const uint32_t *guest;  /* places, in any order */
    const uint32_t *number; /* of the molecule at a place; NULL: that of the place */
};

/* Whether entries begin .. end of an ascending list are places that follow each other: loops over these are faster.
 * Where molecules were put in order at the start and have not gone far, most turns of a list are such. */
static inline bool ph_owned_is_run(const uint32_t *list, size_t begin, size_t end)
{
    return begin < end && list[end - 1] - list[begin] == end - 1 - begin;
}

/* Sums over our molecules become those over the molecules of all processes, which all call this. */
void ph_owned_add_up(size_t n, struct ph_exact *sums);

/* Before processes go on together, what each needs for it: PH_OK if all have that; else all get status and message of
 * the first that has not, so that none waits for it. All call this. */
enum ph_status ph_owned_agree(enum ph_status status, struct ph_error *err);

/* The largest of all processes' values, n times. Not for NaN. */
void ph_owned_largest(size_t n, double *values);
/* After that, of which molecule it is: the one of the lowest number, where it is that of several. `ours`: the largest
 * value of our molecules, and the number of one of these */
struct ph_largest {
    double value;
    uint64_t number;
};
void ph_owned_first(double largest, struct ph_largest *ours);

/* Arrays of one number for each molecule: what is to go with molecules when they change owners, or to all */
struct ph_column_set {
    size_t n;
    double *const *row;
    int32_t *const *image; /* three rows more, of images of the box; or NULL */
    /* As local rows of ph_force_field_evaluate: molecules of others need have no places, but for guests. When
     * lists are made ours are put together then, and rows are as long as ever, but used up to there alone. Who looks
     * at all molecules collects their rows, in which molecules are at the places of their numbers until the next call
     * of ph_force_field_owned. */
    bool apart;
};

/* Rows of molecules begin .. end, by their numbers: row x of molecule `number` is row[x step + number - begin], and its
 * images likewise. */
struct ph_columns_block {
    size_t begin, end, step;
    double *row;
    int32_t *image;
};
typedef void ph_columns_reader(const struct ph_columns_block *block, void *data);
/* Whose blocks are read: molecules begin .. end-1 of all by the first process; or all, by each those of a range of
 * numbers (base/ranges.h) */
struct ph_readers {
    size_t begin, end;
    bool each;
};
/* What this process reads */
void ph_readers_range(const struct ph_readers *readers, size_t n, size_t rank, size_t *begin, size_t *end);
/* Of rows that this process has whole, in the order of numbers */
enum ph_status ph_columns_read(const struct ph_column_set *rows, size_t n, const struct ph_readers *readers,
                               ph_columns_reader *block, void *data, struct ph_error *err);
/* The same for molecules begin .. end-1, whichever process this is */
enum ph_status ph_columns_read_range(const struct ph_column_set *rows, size_t begin, size_t end,
                                     ph_columns_reader *block, void *data, struct ph_error *err);

#endif
