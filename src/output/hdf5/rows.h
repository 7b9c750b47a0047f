/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_HDF5_ROWS_H
#define PH_OUTPUT_HDF5_ROWS_H

/* Elements of an H5MD file that grow: {value, step, time}, one row for each moment. Elements of one cadence share one
 * clock, their step and time, by hard links.
 *
 * A row that was made room for but never written reads as step -1 and NaN, so that it is not taken for data. */

#include "base/error.h"
#include "output/hdf5/h5_tools.h"
#include "output/hdf5/seal.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

enum { PH_ROWS_RANK = 2 };

struct ph_clock {
    char group[PH_H5_PATH]; /* of the element that has step and time as its own */
    int64_t every;          /* an attribute of the elements; 0: not always the same, and not said */
    hid_t step, time;
    size_t rows;
    int64_t last; /* step of the last row; -1: no rows */
};

struct ph_rows_form {
    char path[PH_H5_PATH];
    bool integers; /* of 32 bits; else numbers */
    bool single;   /* numbers are stored, and given, with 32 bits, not 64 */
    int rank;      /* of one row */
    hsize_t shape[PH_ROWS_RANK];
    size_t chunk;     /* rows in a chunk; compressed chunks are never written twice, so then it must be 1 */
    int compression;  /* 0 none .. 9 */
    const char *unit; /* not owned; NULL without */
};

struct ph_rows {
    struct ph_rows_form form;
    size_t clock; /* index in the caller's list */
    hid_t value;
    bool checked; /* chunks have checksums; not in files of older versions */
};

/* Closed and empty, so that closing is always safe */
#define PH_CLOCK_NONE ((struct ph_clock){.step = -1, .time = -1, .last = -1})

/* Makes the group and its clock, or links to the clock that is given. */
bool ph_clock_create(hid_t file, const char *group, int64_t every, size_t chunk, const char *unit,
                     struct ph_clock *clock);
bool ph_rows_create(hid_t file, const struct ph_clock *clock, struct ph_rows *rows);

/* Open existing clocks and rows; PH_ERR_INPUT if they are missing or of another form. `name` is the name of the
 * file. */
enum ph_status ph_clock_open(hid_t file, const char *name, const char *group, int64_t every, struct ph_clock *clock,
                             struct ph_error *err);
enum ph_status ph_rows_open(hid_t file, const char *name, const struct ph_clock *clock, struct ph_rows *rows,
                            struct ph_error *err);

/* Cuts off rows after a step, and everything from the first incomplete row on. First all clocks are counted, which
 * changes nothing. It is an error if there are rows, but none for `needed`, the last step up to `step` in the
 * cadence. */
enum ph_status ph_clock_count(const char *name, int64_t step, int64_t needed, struct ph_clock *clock, size_t n,
                              struct ph_rows *const *rows, struct ph_error *err);
bool ph_clock_cut(const struct ph_clock *clock, size_t n, struct ph_rows *const *rows);

/* Appends n rows after the rows of the clock; append to the clock itself last. A row with a checksum needs
 * PH_FLETCHER_BYTES of memory behind the data. */
bool ph_rows_append(const struct ph_rows *rows, const struct ph_clock *clock, size_t n, void *data);
/* Reserves one row that other ranks write and returns its place in the file, see ph_store_reserve. Not with
 * compression. Its checksum follows it, if it has one. Place 0: HDF5 reuses space committed before, where only the
 * store may write; then append. `room`: memory of the size of the row and its checksum; its content is not read. */
bool ph_rows_reserve(hid_t file, const struct ph_rows *rows, const struct ph_clock *clock, const void *room,
                     uint64_t *place);
size_t ph_rows_bytes(const struct ph_rows_form *form); /* of a row */
/* Returns the places of rows with their own checksums, at most as many as the rows of the clock. */
size_t ph_rows_checked(const struct ph_rows *rows, const struct ph_clock *clock, struct ph_seal_range *places);
bool ph_clock_append(struct ph_clock *clock, size_t n, const int64_t *steps, const double *times);

bool ph_clock_close(struct ph_clock *clock);
bool ph_rows_close(struct ph_rows *rows);

#endif
