/* SPDX-License-Identifier: MIT */
#include "output/trajectory/trajectory_inside.h"

#include "output/hdf5/store.h"

#include <stdlib.h>

static enum ph_status open_rows(struct ph_trajectory *trajectory, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < trajectory->n_parts && status == PH_OK; ++k) {
        struct ph_rows *rows = &trajectory->parts[k].rows;
        struct ph_clock *clock = &trajectory->clocks[rows->clock];
        if (clock->step < 0)
            status = ph_clock_open(trajectory->id, trajectory->file, rows->form.path, clock->every, clock, err);
        if (status == PH_OK)
            status = ph_rows_open(trajectory->id, trajectory->file, clock, rows, err);
    }
    if (status == PH_OK && trajectory->periodic)
        status = ph_rows_open(trajectory->id, trajectory->file, &trajectory->clocks[0], &trajectory->edges, err);
    for (size_t k = 0; k < PH_TRAJECTORY_LEDGERS; ++k) {
        struct ph_ledger *ledger = &trajectory->ledger[k];
        if (status == PH_OK && ledger->exists)
            status = ph_clock_open(trajectory->id, trajectory->file, ledger->columns[0].form.path, ledger->clock.every,
                                   &ledger->clock, err);
        for (size_t c = 0; c < ledger->n_columns && status == PH_OK; ++c)
            status = ph_rows_open(trajectory->id, trajectory->file, &ledger->clock, &ledger->columns[c], err);
    }
    return status;
}

/* The rows of a clock; the list has room for all. */
static size_t rows_of(struct ph_trajectory *trajectory, size_t clock, struct ph_rows **list)
{
    size_t n = 0;
    for (size_t k = 0; k < trajectory->n_parts; ++k)
        if (trajectory->parts[k].rows.clock == clock)
            list[n++] = &trajectory->parts[k].rows;
    if (clock == 0 && trajectory->periodic)
        list[n++] = &trajectory->edges;
    return n;
}

/* Marks of steps that are still to come */
static bool forget_marks(struct ph_trajectory *trajectory, int64_t step)
{
    static const char *const paths[] = {"parameters/production_begins_at_step", "parameters/state_hash_at_step"};
    const int64_t none = -1;
    for (int k = 0; k < 2; ++k) {
        int64_t marked = -1;
        if (!ph_h5_get_integer(trajectory->id, paths[k], NULL, H5T_NATIVE_INT64, &marked) ||
            (marked > step && !ph_h5_set_integer(trajectory->id, paths[k], H5T_NATIVE_INT64, &none)))
            return false;
        if (k == 0)
            trajectory->production = marked > step ? -1 : marked;
    }
    static const char failed[] = "parameters/failed_at_step"; /* not there in files of older versions */
    return H5Lexists(trajectory->id, failed, H5P_DEFAULT) <= 0 ||
           ph_h5_set_integer(trajectory->id, failed, H5T_NATIVE_INT64, &none);
}

static enum ph_status cut(struct ph_trajectory *trajectory, int64_t step, struct ph_error *err)
{
    size_t most = trajectory->n_parts + 1;
    for (size_t k = 0; k < PH_TRAJECTORY_LEDGERS; ++k)
        most += trajectory->ledger[k].n_columns;
    struct ph_rows **list = calloc(most, sizeof *list);
    if (!list)
        return ph_no_memory(err, "cutting %s", trajectory->file);
    enum ph_status status = PH_OK;
    bool good = true;
    for (int pass = 0; pass < 2; ++pass) { /* count and check all, then cut all */
        for (size_t c = 0; c < trajectory->n_clocks && status == PH_OK && good; ++c) {
            const size_t n = rows_of(trajectory, c, list);
            if (pass == 0)
                status =
                    ph_clock_count(trajectory->file, step, ph_cadence_last(trajectory, trajectory->clock_of[c], step),
                                   &trajectory->clocks[c], n, list, err);
            else
                good = ph_clock_cut(&trajectory->clocks[c], n, list);
        }
        for (size_t k = 0; k < PH_TRAJECTORY_LEDGERS && status == PH_OK && good; ++k) {
            struct ph_ledger *ledger = &trajectory->ledger[k];
            for (size_t c = 0; c < ledger->n_columns; ++c)
                list[c] = &ledger->columns[c];
            if (ledger->exists && pass == 0)
                status = ph_clock_count(trajectory->file, step, ph_cadence_last(trajectory, ledger->what, step),
                                        &ledger->clock, ledger->n_columns, list, err);
            else if (ledger->exists)
                good = ph_clock_cut(&ledger->clock, ledger->n_columns, list);
        }
    }
    free(list);
    if (status == PH_OK && good)
        good = forget_marks(trajectory, step);
    return status == PH_OK && !good ? ph_trajectory_fail(trajectory, err) : status;
}

enum ph_status ph_trajectory_resume(const char *file, int64_t step, const struct ph_system *system,
                                    const struct ph_trajectory_plan *plan, struct ph_trajectory **out,
                                    struct ph_error *err)
{
    *out = NULL;
    struct ph_trajectory *trajectory = NULL;
    ph_h5_quiet_begin();
    enum ph_status status = ph_trajectory_prepare(file, system, plan, &trajectory, err);
    if (status == PH_OK)
        status = ph_seal_check(file, &(bool){false}, err);
    /* Opened twice: cutting frees space, which must not be reused before the file has been closed. */
    for (int pass = 0; pass < 2 && status == PH_OK; ++pass) {
        if (trajectory->id >= 0) {
            ph_trajectory_close_rows(trajectory);
            status = ph_store_close(trajectory->id, file, false, err);
            trajectory->id = -1;
        }
        if (status == PH_OK)
            status = ph_store_open(file, &trajectory->id, err);
        if (status == PH_OK)
            status = open_rows(trajectory, err);
        if (status == PH_OK)
            status = cut(trajectory, step, err);
    }
    if (status != PH_OK && trajectory) {
        trajectory->failed = status;
        ph_trajectory_close(trajectory, NULL);
        trajectory = NULL;
    }
    for (size_t k = 0; trajectory && k < PH_TRAJECTORY_LEDGERS; ++k)
        trajectory->ledger[k].last = trajectory->ledger[k].clock.last;
    ph_h5_quiet_end();
    *out = trajectory;
    return status;
}
