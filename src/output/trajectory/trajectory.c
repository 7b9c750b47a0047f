/* SPDX-License-Identifier: MIT */
#include "output/trajectory/trajectory_inside.h"

#include "base/array.h"
#include "base/memory.h"
#include "output/hdf5/store.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_ROWS = 4096 }; /* of the series, at most, until they are written */

/* ---- life ---- */

static size_t column_width(const struct ph_rows_form *form) { return form->rank == 0 ? 1 : (form->rank == 1 ? 3 : 9); }

static enum ph_status check_plan(const struct ph_system *system, const struct ph_trajectory_plan *plan,
                                 struct ph_error *err)
{
    if (system->n == 0)
        return ph_error_set(err, PH_ERR_INPUT, "A trajectory of no molecules cannot be written.");
    assert(plan->n_cadences > 0 && plan->cadences[0].from_step == 0);
    for (size_t c = 0; c < plan->n_cadences; ++c) {
        const struct ph_trajectory_cadence *cadence = &plan->cadences[c];
        assert(c == 0 || cadence->from_step >= plan->cadences[c - 1].from_step);
        for (int e = 0; e < PH_TRAJECTORY_ELEMENTS; ++e)
            if (cadence->every[e] < 0)
                return ph_error_set(err, PH_ERR_INPUT, "The cadence of %s is %" PRId64 ": 0 (never) or more is needed.",
                                    ph_trajectory_element_names[e], cadence->every[e]);
        if (cadence->series_every < 0)
            return ph_error_set(err, PH_ERR_INPUT,
                                "The cadence of the series is %" PRId64 ": 0 (never) or more is needed.",
                                cadence->series_every);
        if (cadence->fluxes_every < 0)
            return ph_error_set(err, PH_ERR_INPUT, "The cadence of fluxes is %" PRId64 ": 0 (never) or more is needed.",
                                cadence->fluxes_every);
    }
    if (plan->compression < 0 || plan->compression > 9)
        return ph_error_set(err, PH_ERR_INPUT, "Compression %d is not one of 0 (none) to 9.", plan->compression);
    if (plan->compression > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0)
        return ph_error_set(err, PH_ERR_INPUT, "Compression %d is not possible: this HDF5 has no deflate.",
                            plan->compression);
    return PH_OK;
}

/* Returns the clock of an element: the clock of an earlier part, or a new place in the list */
static size_t clock_of(struct ph_trajectory *trajectory, int element)
{
    size_t k = 0;
    while (k < trajectory->n_clocks && !ph_cadence_same(trajectory, trajectory->clock_of[k], element))
        ++k;
    if (k == trajectory->n_clocks) {
        trajectory->clocks[k] = PH_CLOCK_NONE;
        trajectory->clocks[k].every = ph_cadence_every(trajectory, element);
        trajectory->clock_of[k] = element;
        ++trajectory->n_clocks;
    }
    return k;
}

const char *const ph_ledger_groups[PH_TRAJECTORY_LEDGERS] = {"series", "fluxes"};

static bool make_columns(const char *group, size_t n, const struct ph_trajectory_column *columns,
                         struct ph_trajectory *trajectory, struct ph_ledger *ledger)
{
    ledger->exists = n > 0;
    if (!ledger->exists)
        return true;
    ledger->clock.every = ph_cadence_every(trajectory, ledger->what);
    ledger->columns = calloc(n, sizeof *ledger->columns);
    if (!ledger->columns)
        return false;
    size_t widest = 1;
    for (size_t k = 0; k < n; ++k) {
        const struct ph_trajectory_column *column = &columns[k];
        assert(column->width == 1 || column->width == 3 || column->width == 9);
        struct ph_rows_form *form = &ledger->columns[k].form;
        ledger->columns[k].value = -1;
        snprintf(form->path, sizeof form->path, "%s/%s", group, column->name);
        form->rank = column->width == 1 ? 0 : (column->width == 3 ? 1 : 2);
        form->shape[0] = form->shape[1] = 3;
        form->chunk = PH_TRAJECTORY_SERIES_CHUNK;
        form->unit = column->unit;
        ledger->row_width += (size_t)column->width;
        widest = (size_t)column->width > widest ? (size_t)column->width : widest;
    }
    ledger->n_columns = n;
    ledger->buffer_step = calloc(BUFFER_ROWS, sizeof *ledger->buffer_step);
    ledger->buffer_time = calloc(BUFFER_ROWS, sizeof *ledger->buffer_time);
    ledger->buffer = calloc(BUFFER_ROWS * ledger->row_width, sizeof *ledger->buffer);
    ledger->gathered = calloc(BUFFER_ROWS * widest, sizeof *ledger->gathered);
    return ledger->buffer_step && ledger->buffer_time && ledger->buffer && ledger->gathered;
}

static bool make_ledgers(struct ph_trajectory *trajectory, const struct ph_trajectory_plan *plan)
{
    const size_t n[] = {plan->n_columns, plan->n_flux_columns};
    const struct ph_trajectory_column *const columns[] = {plan->columns, plan->flux_columns};
    for (size_t k = 0; k < PH_TRAJECTORY_LEDGERS; ++k) {
        struct ph_ledger *ledger = &trajectory->ledger[k];
        if (!make_columns(ph_ledger_groups[k], ph_cadence_writes(plan, ledger->what) ? n[k] : 0, columns[k], trajectory,
                          ledger))
            return false;
    }
    return true;
}

enum ph_status ph_trajectory_prepare(const char *file, const struct ph_system *system,
                                     const struct ph_trajectory_plan *plan, struct ph_trajectory **out,
                                     struct ph_error *err)
{
    enum ph_status status = check_plan(system, plan, err);
    if (status != PH_OK)
        return status;
    struct ph_trajectory *trajectory = calloc(1, sizeof *trajectory);
    if (!trajectory)
        return ph_no_memory(err, "a trajectory");
    *out = trajectory;
    trajectory->id = -1;
    trajectory->edges.value = -1;
    for (int k = 0; k < PH_TRAJECTORY_LEDGERS; ++k)
        trajectory->ledger[k] =
            (struct ph_ledger){.what = PH_TRAJECTORY_SERIES + k, .clock = PH_CLOCK_NONE, .last = -1};
    trajectory->production = -1;
    trajectory->n_molecules = system->n;
    trajectory->periodic = system->box.kind != PH_BOX_OPEN;
    trajectory->cadences = calloc(plan->n_cadences, sizeof *trajectory->cadences);
    if (!trajectory->cadences)
        return ph_no_memory(err, "the cadences of a trajectory");
    memcpy(trajectory->cadences, plan->cadences, plan->n_cadences * sizeof *trajectory->cadences);
    trajectory->n_cadences = plan->n_cadences;
    status = ph_trajectory_parts(system, plan, &trajectory->parts, &trajectory->n_parts, err);
    if (status != PH_OK)
        return status;
    for (size_t k = 0; k < trajectory->n_parts; ++k) {
        struct ph_rows *rows = &trajectory->parts[k].rows;
        rows->clock = clock_of(trajectory, (int)trajectory->parts[k].element);
    }
    trajectory->edges.form = (struct ph_rows_form){.path = "particles/trajectory/box/edges",
                                                   .rank = 2,
                                                   .shape = {3, 3},
                                                   .chunk = PH_TRAJECTORY_CLOCK_CHUNK,
                                                   .unit = plan->physical ? "nm" : NULL};
    trajectory->file = strdup(file);
    /* The largest row and a checksum; pages are used if frames are */
    trajectory->numbers = ph_array_create(4 * ph_trajectory_particles(system) + 1, sizeof(double));
    if (!trajectory->file || !trajectory->numbers || !make_ledgers(trajectory, plan))
        return ph_no_memory(err, "a trajectory of %zu particles", ph_trajectory_particles(system));
    return PH_OK;
}

void ph_trajectory_close_rows(struct ph_trajectory *trajectory)
{
    for (size_t k = 0; k < trajectory->n_parts; ++k)
        ph_rows_close(&trajectory->parts[k].rows);
    for (size_t k = 0; k < trajectory->n_clocks; ++k)
        ph_clock_close(&trajectory->clocks[k]);
    ph_rows_close(&trajectory->edges);
    for (size_t k = 0; k < PH_TRAJECTORY_LEDGERS; ++k) {
        struct ph_ledger *ledger = &trajectory->ledger[k];
        for (size_t c = 0; c < ledger->n_columns; ++c)
            ph_rows_close(&ledger->columns[c]);
        ph_clock_close(&ledger->clock);
    }
}

static void destroy(struct ph_trajectory *trajectory)
{
    free(trajectory->file);
    free(trajectory->cadences);
    free(trajectory->parts);
    free(trajectory->numbers);
    for (size_t k = 0; k < PH_TRAJECTORY_LEDGERS; ++k) {
        struct ph_ledger *ledger = &trajectory->ledger[k];
        free(ledger->columns);
        free(ledger->buffer_step);
        free(ledger->buffer_time);
        free(ledger->buffer);
        free(ledger->gathered);
    }
    free(trajectory);
}

enum ph_status ph_trajectory_fail(struct ph_trajectory *trajectory, struct ph_error *err)
{
    char text[PH_H5_REASON];
    ph_h5_reason(text); /* before HDF5 forgets it */
    const char *reason = ph_store_reason(trajectory->id);
    if (trajectory->failed == PH_OK) {
        trajectory->failed = ph_error_set(&trajectory->failure, ph_h5_status(),
                                          "%s: cannot be written: %s. It holds what was written before.",
                                          trajectory->file, reason ? reason : text);
    }
    return ph_error_set(err, trajectory->failed, "%s", trajectory->failure.text);
}

/* ---- appending ---- */

bool ph_trajectory_wants(const struct ph_trajectory *trajectory, enum ph_trajectory_element element, int64_t step)
{
    for (size_t k = 0; k < trajectory->n_parts; ++k)
        if (trajectory->parts[k].element == element)
            return ph_cadence_due(trajectory, (int)element, step);
    return false;
}

static bool clock_due(const struct ph_trajectory *trajectory, size_t clock, int64_t step)
{
    return ph_cadence_due(trajectory, trajectory->clock_of[clock], step);
}

bool ph_trajectory_wants_frame(const struct ph_trajectory *trajectory, int64_t step)
{
    for (size_t c = 0; c < trajectory->n_clocks; ++c)
        if (clock_due(trajectory, c, step))
            return true;
    return false;
}

static bool wants_row(const struct ph_trajectory *trajectory, const struct ph_ledger *ledger, int64_t step)
{
    return ledger->exists && ph_cadence_due(trajectory, ledger->what, step);
}

bool ph_trajectory_wants_series(const struct ph_trajectory *trajectory, int64_t step)
{
    return wants_row(trajectory, &trajectory->ledger[0], step);
}

bool ph_trajectory_wants_fluxes(const struct ph_trajectory *trajectory, int64_t step)
{
    return wants_row(trajectory, &trajectory->ledger[1], step);
}

static enum ph_status check_step(struct ph_trajectory *trajectory, const char *what, int64_t step, int64_t last,
                                 struct ph_error *err)
{
    if (trajectory->failed != PH_OK)
        return ph_error_set(err, trajectory->failed, "%s", trajectory->failure.text);
    if (step > last)
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT, "%s: %s of step %" PRId64 " cannot follow that of step %" PRId64 ".",
                        trajectory->file, what, step, last);
}

/* The rows of a ledger that are in memory, column by column */
static bool write_ledger(struct ph_ledger *ledger)
{
    const size_t n = ledger->n_buffered;
    if (n == 0)
        return true;
    size_t at = 0;
    for (size_t c = 0; c < ledger->n_columns; ++c) {
        const size_t width = column_width(&ledger->columns[c].form);
        for (size_t row = 0; row < n; ++row)
            memcpy(ledger->gathered + row * width, ledger->buffer + row * ledger->row_width + at,
                   width * sizeof(double));
        if (!ph_rows_append(&ledger->columns[c], &ledger->clock, n, ledger->gathered))
            return false;
        at += width;
    }
    ledger->n_buffered = 0;
    return ph_clock_append(&ledger->clock, n, ledger->buffer_step, ledger->buffer_time);
}

static bool write_ledgers(struct ph_trajectory *trajectory)
{
    bool good = true;
    for (size_t k = 0; k < PH_TRAJECTORY_LEDGERS && good; ++k)
        good = write_ledger(&trajectory->ledger[k]);
    return good;
}

/* `places`: where other processes are to write each part, 0 where there is nothing to do; NULL: all is written */
static bool write_frame(struct ph_trajectory *trajectory, int64_t step, double time, const struct ph_system *system,
                        uint64_t *places)
{
    for (size_t k = 0; k < trajectory->n_parts; ++k) {
        struct ph_file_part *part = &trajectory->parts[k];
        const struct ph_clock *clock = &trajectory->clocks[part->rows.clock];
        if (places)
            places[k] = 0;
        if (!ph_cadence_due(trajectory, (int)part->element, step))
            continue;
        if (places && !ph_rows_reserve(trajectory->id, &part->rows, clock, trajectory->numbers, &places[k]))
            return false;
        if (places && places[k] > 0)
            continue;
        ph_part_fill(part, system, part->first, part->end, trajectory->numbers);
        if (!ph_rows_append(&part->rows, clock, 1, trajectory->numbers))
            return false;
    }
    double edges[3 * 3 + 1]; /* and a checksum */
    memcpy(edges, system->box.edge, sizeof system->box.edge);
    if (trajectory->periodic && clock_due(trajectory, 0, step) &&
        !ph_rows_append(&trajectory->edges, &trajectory->clocks[0], 1, edges))
        return false;
    for (size_t c = 0; c < trajectory->n_clocks; ++c)
        if (clock_due(trajectory, c, step) && !ph_clock_append(&trajectory->clocks[c], 1, &step, &time))
            return false;
    return true;
}

static enum ph_status add_frame(struct ph_trajectory *trajectory, int64_t step, double time,
                                const struct ph_system *system, uint64_t *places, struct ph_error *err)
{
    assert(system->n == trajectory->n_molecules);
    for (size_t c = 0; c < trajectory->n_clocks; ++c) {
        const int64_t last = clock_due(trajectory, c, step) ? trajectory->clocks[c].last : -1;
        const enum ph_status status = check_step(trajectory, "a frame", step, last, err);
        if (status != PH_OK)
            return status;
    }
    ph_h5_quiet_begin();
    enum ph_status status = PH_OK;
    if (!write_ledgers(trajectory) || !write_frame(trajectory, step, time, system, places) ||
        (!places && ph_store_commit(trajectory->id, trajectory->file, err) != PH_OK))
        status = ph_trajectory_fail(trajectory, err);
    ph_h5_quiet_end();
    return status;
}

enum ph_status ph_trajectory_append_frame(struct ph_trajectory *trajectory, int64_t step, double time,
                                          const struct ph_system *system, struct ph_error *err)
{
    return add_frame(trajectory, step, time, system, NULL, err);
}

enum ph_status ph_trajectory_reserve_frame(struct ph_trajectory *trajectory, int64_t step, double time,
                                           const struct ph_system *system, uint64_t *places, struct ph_error *err)
{
    return add_frame(trajectory, step, time, system, places, err);
}

bool ph_trajectory_has_checksums(const struct ph_trajectory *trajectory, size_t part)
{
    return trajectory->parts[part].rows.checked;
}

void ph_trajectory_give_up(struct ph_trajectory *trajectory, enum ph_status status, const struct ph_error *why)
{
    if (trajectory->failed != PH_OK)
        return;
    trajectory->failed = status;
    trajectory->failure = *why;
}

static enum ph_status append_row(struct ph_trajectory *trajectory, struct ph_ledger *ledger, const char *what,
                                 int64_t step, double time, const double *values, struct ph_error *err)
{
    const enum ph_status status = check_step(trajectory, what, step, ledger->last, err);
    if (status != PH_OK || !ledger->exists)
        return status;
    if (ledger->n_buffered == BUFFER_ROWS) {
        const enum ph_status committed = ph_trajectory_commit(trajectory, err);
        if (committed != PH_OK)
            return committed;
    }
    const size_t row = ledger->n_buffered++;
    ledger->buffer_step[row] = ledger->last = step;
    ledger->buffer_time[row] = time;
    memcpy(ledger->buffer + row * ledger->row_width, values, ledger->row_width * sizeof *values);
    return PH_OK;
}

enum ph_status ph_trajectory_append_series(struct ph_trajectory *trajectory, int64_t step, double time,
                                           const double *values, struct ph_error *err)
{
    return append_row(trajectory, &trajectory->ledger[0], "a row of the series", step, time, values, err);
}

enum ph_status ph_trajectory_append_fluxes(struct ph_trajectory *trajectory, int64_t step, double time,
                                           const double *values, struct ph_error *err)
{
    return append_row(trajectory, &trajectory->ledger[1], "a row of fluxes", step, time, values, err);
}

static enum ph_status set_number(struct ph_trajectory *trajectory, const char *path, hid_t memory, const void *number,
                                 struct ph_error *err)
{
    if (trajectory->failed != PH_OK)
        return ph_error_set(err, trajectory->failed, "%s", trajectory->failure.text);
    ph_h5_quiet_begin();
    const bool good = ph_h5_set_integer(trajectory->id, path, memory, number);
    const enum ph_status status = good ? PH_OK : ph_trajectory_fail(trajectory, err);
    ph_h5_quiet_end();
    return status;
}

enum ph_status ph_trajectory_mark_production(struct ph_trajectory *trajectory, int64_t step, struct ph_error *err)
{
    trajectory->production = step;
    return set_number(trajectory, "parameters/production_begins_at_step", H5T_NATIVE_INT64, &step, err);
}

int64_t ph_trajectory_production(const struct ph_trajectory *trajectory) { return trajectory->production; }

enum ph_status ph_trajectory_note_hash(struct ph_trajectory *trajectory, int64_t step, uint64_t hash,
                                       struct ph_error *err)
{
    const enum ph_status status = set_number(trajectory, "parameters/state_hash", H5T_NATIVE_UINT64, &hash, err);
    return status != PH_OK ? status
                           : set_number(trajectory, "parameters/state_hash_at_step", H5T_NATIVE_INT64, &step, err);
}

enum ph_status ph_trajectory_note_failure(struct ph_trajectory *trajectory, int64_t step, struct ph_error *err)
{
    static const char failed_at_step[] = "parameters/failed_at_step"; /* not there in files of older versions */
    if (trajectory->failed != PH_OK || H5Lexists(trajectory->id, failed_at_step, H5P_DEFAULT) <= 0)
        return PH_OK;
    return set_number(trajectory, failed_at_step, H5T_NATIVE_INT64, &step, err);
}

/* ---- bringing it to the disk ---- */

static enum ph_status commit(struct ph_trajectory *trajectory, bool sync, struct ph_error *err)
{
    enum ph_status status = check_step(trajectory, "", 0, -1, err);
    if (status != PH_OK)
        return status;
    ph_h5_quiet_begin();
    if (!write_ledgers(trajectory))
        status = ph_trajectory_fail(trajectory, err);
    else if ((sync ? ph_store_sync : ph_store_commit)(trajectory->id, trajectory->file, err) != PH_OK)
        status = ph_trajectory_fail(trajectory, err);
    ph_h5_quiet_end();
    return status;
}

enum ph_status ph_trajectory_commit(struct ph_trajectory *trajectory, struct ph_error *err)
{
    return commit(trajectory, false, err);
}

enum ph_status ph_trajectory_sync(struct ph_trajectory *trajectory, struct ph_error *err)
{
    return commit(trajectory, true, err);
}

/* Without memory the file has no seal. */
static void seal(const struct ph_trajectory *trajectory)
{
    size_t most = 1, n = 0;
    for (size_t k = 0; k < trajectory->n_parts; ++k)
        most += trajectory->clocks[trajectory->parts[k].rows.clock].rows;
    struct ph_seal_range *checked = ph_allocate(most, sizeof *checked);
    if (!checked)
        return;
    for (size_t k = 0; k < trajectory->n_parts; ++k) {
        const struct ph_rows *rows = &trajectory->parts[k].rows;
        n += ph_rows_checked(rows, &trajectory->clocks[rows->clock], checked + n);
    }
    ph_store_seal(trajectory->id, n, checked);
}

enum ph_status ph_trajectory_close(struct ph_trajectory *trajectory, struct ph_error *err)
{
    if (!trajectory)
        return PH_OK;
    enum ph_status status = trajectory->failed;
    if (status == PH_OK)
        status = ph_trajectory_commit(trajectory, err);
    ph_h5_quiet_begin();
    if (status == PH_OK && trajectory->id >= 0)
        seal(trajectory);
    ph_trajectory_close_rows(trajectory);
    if (trajectory->id >= 0) {
        const enum ph_status closed = ph_store_close(trajectory->id, trajectory->file, status != PH_OK, err);
        status = status != PH_OK ? status : closed;
    }
    ph_h5_quiet_end();
    destroy(trajectory);
    return status;
}
