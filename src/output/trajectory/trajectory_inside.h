/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_TRAJECTORY_TRAJECTORY_INSIDE_H
#define PH_OUTPUT_TRAJECTORY_TRAJECTORY_INSIDE_H

/* Within the trajectory writer: the object, for the files that make it, resume it and append to it. */

#include "output/hdf5/rows.h"
#include "output/trajectory/trajectory.h"
#include "output/trajectory/trajectory_parts.h"

enum {
    PH_TRAJECTORY_CLOCK_CHUNK = 64,   /* frames in a chunk of step, time and box */
    PH_TRAJECTORY_SERIES_CHUNK = 512, /* rows of the series in a chunk */
};

/* Subjects of a cadence: an element, the series, or the fluxes, which are a second series */
enum { PH_TRAJECTORY_SERIES = PH_TRAJECTORY_ELEMENTS, PH_TRAJECTORY_FLUXES };
enum { PH_TRAJECTORY_LEDGERS = 2 };

extern const char *const ph_ledger_groups[PH_TRAJECTORY_LEDGERS]; /* of the file */

/* Columns that are written together. Rows stay in memory until something is committed. */
struct ph_ledger {
    int what; /* subject of its cadence */
    bool exists;
    struct ph_clock clock;
    size_t n_columns, row_width; /* numbers in a row */
    struct ph_rows *columns;     /* owned */
    size_t n_buffered;
    int64_t *buffer_step, last;   /* owned */
    double *buffer_time, *buffer; /* owned */
    double *gathered;             /* owned; one column of the buffer */
};

struct ph_trajectory {
    char *file;
    hid_t id;
    enum ph_status failed; /* not PH_OK: writing failed, and nothing more is written */
    struct ph_error failure;

    size_t n_cadences;
    struct ph_trajectory_cadence *cadences; /* owned */
    size_t n_molecules, n_clocks;
    struct ph_clock clocks[PH_TRAJECTORY_ELEMENTS]; /* the first is the clock of positions */
    int clock_of[PH_TRAJECTORY_ELEMENTS];           /* an element that each clock beats for */
    size_t n_parts;
    struct ph_file_part *parts; /* owned */
    bool periodic;
    struct ph_rows edges; /* of the box */
    void *numbers;        /* owned; room for the largest part */

    struct ph_ledger ledger[PH_TRAJECTORY_LEDGERS]; /* the series, the fluxes */
    int64_t production;
};

/* The object with all its elements, none of them in a file yet. *out may be set even on failure: close it. */
enum ph_status ph_trajectory_prepare(const char *file, const struct ph_system *system,
                                     const struct ph_trajectory_plan *plan, struct ph_trajectory **out,
                                     struct ph_error *err);

/* trajectory_cadence.c: is an element, the series, or are the fluxes written at this step? The last step up to this one
 * at which it is
 * (-1: none); the interval if it is the same throughout the run, otherwise 0; are two always written together? */
bool ph_cadence_due(const struct ph_trajectory *trajectory, int what, int64_t step);
int64_t ph_cadence_last(const struct ph_trajectory *trajectory, int what, int64_t step);
int64_t ph_cadence_every(const struct ph_trajectory *trajectory, int what);
bool ph_cadence_same(const struct ph_trajectory *trajectory, int what, int other);

/* Is an element in the file, or the series, or fluxes? */
bool ph_cadence_writes(const struct ph_trajectory_plan *plan, int what);

/* Closes all elements, not the file. */
void ph_trajectory_close_rows(struct ph_trajectory *trajectory);

/* Notes that writing failed, and says why: the file stays as last committed. */
enum ph_status ph_trajectory_fail(struct ph_trajectory *trajectory, struct ph_error *err);

#endif
