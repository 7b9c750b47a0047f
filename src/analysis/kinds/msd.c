/* SPDX-License-Identifier: MIT */
/* Mean square displacements of centres, and of the angles turned about the body axes, over all origins; diffusion
 * coefficients from their slopes.
 *
 * sum |r(t + k) - r(t)|^2 = sum r(t)^2 + sum r(t + k)^2 - 2 sum r(t) r(t + k). The first two are running sums, the last
 * one comes from Fourier transforms. */
#include "analysis/registry.h"
#include "analysis/statistics/correlator.h"
#include "analysis/trajectory/series.h"
#include "analysis/trajectory/tracks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3 };

/* Sums for one kind of molecule and one quantity */
struct work {
    size_t n_frames, n_lags, n_molecules;
    struct ph_correlator *correlator[AXES];
    double *square[AXES]; /* summed over the molecules of a group of the correlator, of each frame */
};

static void work_free(struct work *work)
{
    for (int a = 0; a < AXES; ++a) {
        ph_correlator_destroy(work->correlator[a]);
        free(work->square[a]);
    }
}

static enum ph_status work_init(struct work *work, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (int a = 0; a < AXES && status == PH_OK; ++a) {
        work->square[a] = calloc(PH_CORRELATOR_GROUPS * work->n_frames + 1, sizeof *work->square[a]);
        if (!work->square[a])
            return ph_no_memory(err, "mean square displacements");
        status = ph_correlator_create(work->n_frames, work->n_lags, &work->correlator[a], err);
    }
    return status;
}

struct axis_signal {
    const struct ph_tracks *tracks;
    size_t axis;
};

static void signal_of_axis(size_t s, const void *data, double *out)
{
    const struct axis_signal *signal = data;
    const struct ph_tracks *tracks = signal->tracks;
    memcpy(out, tracks->data + (s * tracks->width + signal->axis) * tracks->n_frames, tracks->n_frames * sizeof *out);
}

static enum ph_status use(const struct ph_tracks *tracks, void *data, struct ph_error *err)
{
    struct work *work = data;
    enum ph_status status = PH_OK;
    for (size_t a = 0; a < AXES && status == PH_OK; ++a) {
        const struct axis_signal signal = {tracks, a};
        const size_t groups = tracks->n < PH_CORRELATOR_GROUPS ? tracks->n : PH_CORRELATOR_GROUPS;
#pragma omp parallel for schedule(static)
        for (size_t g = 0; g < groups; ++g)
            for (size_t m = ph_correlator_group(tracks->n, g); m < ph_correlator_group(tracks->n, g + 1); ++m)
                for (size_t f = 0; f < tracks->n_frames; ++f) {
                    const double x = tracks->data[(m * tracks->width + a) * tracks->n_frames + f];
                    work->square[a][g * tracks->n_frames + f] += x * x;
                }
        status = ph_correlator_add(work->correlator[a], tracks->n, 1, NULL, signal_of_axis, &signal, err);
    }
    work->n_molecules += tracks->n;
    return status;
}

/* Running sums over frames of the squares of some groups: running[f] holds the sum over the frames before f. */
static void sum_squares(const struct work *work, int axis, size_t first, size_t end, double *running)
{
    running[0] = 0.0;
    for (size_t f = 0; f < work->n_frames; ++f) {
        double square = 0.0;
        for (size_t g = first; g < end; ++g)
            square += work->square[axis][g * work->n_frames + f];
        running[f + 1] = running[f] + square;
    }
}

/* Frees the second; returns the first if there was memory for both. */
static double *both_or_none(double *table, double *scratch)
{
    if (!scratch) {
        free(table);
        table = NULL;
    }
    free(scratch);
    return table;
}

/* For each block n_lags sums of squares of displacements along the axes of the mask, then n_lags counts */
static double *tabulate(const struct work *work, unsigned mask)
{
    const size_t lags = work->n_lags, blocks = ph_correlator_blocks(work->correlator[0]);
    double *table = calloc(2 * blocks * lags + 1, sizeof *table);
    double *running = calloc(work->n_frames + 2, sizeof *running);
    for (int a = 0; a < AXES && table && running; ++a) {
        const struct ph_correlator *correlator = work->correlator[a];
        if (!(mask & 1u << a))
            continue;
        sum_squares(work, a, 0, PH_CORRELATOR_GROUPS, running);
        for (size_t b = 0; b < blocks; ++b)
            for (size_t k = 0; k < lags; ++k) {
                const double count = ph_correlator_count(correlator, b, k);
                const size_t first = ph_correlator_first(correlator, b), end = first + (size_t)count;
                if (count == 0.0)
                    continue;
                table[2 * b * lags + k] += running[end] - running[first] + (running[end + k] - running[first + k]) -
                                           2.0 * ph_correlator_sum(correlator, b, k);
                table[(2 * b + 1) * lags + k] = count * (double)work->n_molecules;
            }
    }
    return both_or_none(table, running);
}

/* The same for each group of molecules, over all origins */
static double *tabulate_groups(const struct work *work, unsigned mask)
{
    const size_t n = work->n_frames, lags = work->n_lags, groups = ph_correlator_groups(work->correlator[0]);
    double *table = calloc(2 * groups * lags + 1, sizeof *table);
    double *running = calloc(n + 2, sizeof *running);
    for (int a = 0; a < AXES && table && running; ++a) {
        const struct ph_correlator *correlator = work->correlator[a];
        for (size_t g = 0; g < groups && (mask & 1u << a); ++g) {
            const double members = (double)work->n_molecules * ph_correlator_group_share(correlator, g);
            sum_squares(work, a, g, g + 1, running);
            for (size_t k = 0; k < lags; ++k) {
                table[2 * g * lags + k] +=
                    running[n - k] + (running[n] - running[k]) - 2.0 * ph_correlator_group_sum(correlator, g, k);
                table[(2 * g + 1) * lags + k] = (double)(n - k) * members;
            }
        }
    }
    return both_or_none(table, running);
}

struct shape {
    size_t lags, fit[2]; /* the line goes through fit[0] .. fit[1] */
    double interval;
};

/* The curve, followed by its slope */
static void curve(const double *sums, const void *data, double *out)
{
    const struct shape *shape = data;
    double t = 0.0, y = 0.0, tt = 0.0, ty = 0.0;
    const double n = (double)(shape->fit[1] - shape->fit[0] + 1);
    for (size_t k = 0; k < shape->lags; ++k)
        out[k] = k == 0 ? 0.0 : sums[k] / sums[shape->lags + k]; /* exactly zero, but for rounding */
    for (size_t k = shape->fit[0]; k <= shape->fit[1]; ++k) {
        t += (double)k / n;
        y += out[k] / n;
    }
    for (size_t k = shape->fit[0]; k <= shape->fit[1]; ++k) {
        tt += ((double)k - t) * ((double)k - t);
        ty += ((double)k - t) * (out[k] - y);
    }
    out[shape->lags] = ty / (tt * shape->interval);
}

struct column {
    const char *name;
    unsigned mask;
    double per; /* diffusion = slope / per */
    const char *value, *help;
};

struct target {
    const char *label, *unit, *slope_unit;
    struct ph_result_table *table;
    struct ph_result *result;
};

/* Writes the curve to the table, and the diffusion coefficient and its error to the result and to diffusion[]. */
static bool say_column(const struct work *work, const struct shape *shape, const struct column *column,
                       const struct target *target, double diffusion[2])
{
    const size_t width = shape->lags + 1;
    double *sums = tabulate(work, column->mask), *groups = tabulate_groups(work, column->mask);
    double *values = calloc(2 * width, sizeof *values);
    char name[PH_RESULT_NAME];
    snprintf(name, sizeof name, "%s_error", column->name);
    double *to = ph_result_column(target->result, target->table, column->name, target->unit),
           *to_error = ph_result_column(target->result, target->table, name, target->unit);
    bool good = sums && groups && values && to && to_error &&
                ph_correlator_errors(work->correlator[0], sums, groups, curve, shape, width, values, values + width);
    if (good) {
        memcpy(to, values, shape->lags * sizeof *to);
        memcpy(to_error, values + width, shape->lags * sizeof *to);
        diffusion[0] = values[shape->lags] / column->per;
        diffusion[1] = values[width + shape->lags] / column->per;
        snprintf(name, sizeof name, "%s.%.60s", column->value, target->label);
        ph_result_value(target->result, name, diffusion[0], diffusion[1], target->slope_unit, column->help);
    }
    free(sums);
    free(groups);
    free(values);
    return good;
}

static enum ph_status choose_fit(const struct ph_analysis_request *request, struct shape *shape,
                                 const struct ph_recording *recording, struct ph_result *result, struct ph_error *err)
{
    const double longest = shape->interval * (double)(shape->lags - 1);
    const bool given = !isnan(request->fit[0]);
    const double from = given ? request->fit[0] : 0.25 * longest, to = given ? request->fit[1] : 0.75 * longest;
    shape->fit[0] = (size_t)fmax(1.0, ceil(from / shape->interval * (1.0 - 1e-9)));
    shape->fit[1] = (size_t)fmax(0.0, floor(to / shape->interval * (1.0 + 1e-9)));
    if (!given && shape->fit[1] <= shape->fit[0])
        shape->fit[1] = shape->lags - 1;
    if (!(from >= 0.0) || to > longest * (1.0 + 1e-9) || shape->fit[1] <= shape->fit[0])
        return ph_error_set(err, PH_ERR_INPUT,
                            "The line would be fitted between the times %g and %g: two times up to the longest lag, "
                            "%g, are needed, with two frames between them (--fit, --lag).",
                            from, to, longest);
    ph_result_number(result, "longest_lag", longest, recording->clock);
    ph_result_number(result, "fit_from", shape->interval * (double)shape->fit[0], recording->clock);
    ph_result_number(result, "fit_to", shape->interval * (double)shape->fit[1], recording->clock);
    return PH_OK;
}

/* Yeh, Hummer, J. Phys. Chem. B 108 (2004) 15873: D(infinite) = D + 2.837297 kT/(6 pi eta L) in a cubic box */
static void say_infinite(const struct ph_recording *recording, const struct ph_analysis_request *request, double value,
                         double error, const char *label, const char *unit, struct ph_result *result)
{
    const double mpas = 602.214076; /* kJ/mol ps/nm^3 in one mPa s */
    char name[PH_RESULT_NAME];
    struct ph_boxes boxes;
    double temperature;
    struct ph_error forgotten;
    if (isnan(request->viscosity))
        return;
    bool cubic = ph_recording_boxes(recording, request->stage, &boxes, result, &forgotten) == PH_OK && boxes.periodic;
    const double side = boxes.edge[0][0];
    for (int k = 0; k < 9; ++k)
        cubic = cubic && fabs(boxes.edge[k / 3][k % 3] - (k % 4 == 0 ? side : 0.0)) < 1e-9 * side;
    if (!cubic || isnan(recording->boltzmann) ||
        ph_series_temperature(&recording->reader, request, &temperature, result, &forgotten) != PH_OK) {
        ph_result_note(result, "The finite-size correction needs a cubic box and a temperature (--temperature).");
        return;
    }
    const double eta = request->viscosity * (recording->physical ? mpas : 1.0);
    const double shift = 2.837297 * recording->boltzmann * temperature / (6.0 * 3.14159265358979323846 * eta * side);
    ph_result_number(result, "viscosity", request->viscosity, ph_recording_unit(recording, "mPa s"));
    snprintf(name, sizeof name, "diffusion_infinite.%.60s", label);
    ph_result_value(result, name, value + shift, error, unit, "with the finite-size correction of Yeh and Hummer");
}

/* If the curve does not grow linearly, its slope is no diffusion coefficient. */
static void note_growth(const struct shape *shape, const struct ph_result_table *table, const char *label,
                        struct ph_value *diffusion, struct ph_result *result)
{
    const double tolerance = 0.2; /* of the exponent */
    const struct ph_column_data *column = &table->columns[table->n_columns - 2], *error = column + 1;
    const size_t from = shape->fit[0], to = shape->fit[1];
    const double ratio = (double)to / (double)from, early = column->data[from], late = column->data[to];
    const double exponent = log(late / early) / log(ratio);
    const double uncertain = hypot(error->data[from] / early, error->data[to] / late) / log(ratio);
    if (!(fabs(exponent - 1.0) > tolerance) || fabs(exponent - 1.0) < 3.0 * uncertain)
        return;
    ph_result_note(result,
                   "%s of %s grows as t^%.2f where the line is fitted: it is not diffusive there, "
                   "and the slope is no diffusion coefficient.",
                   column->name, label, exponent);
    ph_value_caution(diffusion, "%s grows as t^%.2f where the line is fitted, so that it is not diffusive there",
                     column->name, exponent);
}

/* Turns that frames are too far apart to follow */
static void note_turns(double square, const char *label, size_t axis, struct ph_value *diffusion,
                       struct ph_result *result)
{
    if (!(square > 1.0))
        return;
    ph_result_note(result,
                   "%s turn by %.2g radians between frames about axis %zu: turns by more than half a revolution "
                   "cannot be told from smaller ones. Frames closer in time are needed.",
                   label, sqrt(square), axis);
    ph_value_caution(diffusion,
                     "molecules turn by %.2g radians between frames, and turns by more than half a revolution cannot "
                     "be told from smaller ones",
                     sqrt(square));
}

static enum ph_status look_at(const struct ph_recording *recording, const struct ph_analysis_request *request,
                              const struct ph_track *track, size_t kind, const struct shape *shape, bool turning,
                              struct ph_result *result, struct ph_error *err)
{
    static const struct column places[] = {
        {"msd", 7, 6.0, "diffusion", "slope of the mean square displacement / 6"},
        {"msd_x", 1, 2.0, "diffusion_x", "along x"},
        {"msd_y", 2, 2.0, "diffusion_y", "along y"},
        {"msd_z", 4, 2.0, "diffusion_z", "along z"},
    };
    static const struct column angles[] = {
        {"angle_1", 1, 2.0, "rotational_diffusion_1", "about the first body axis"},
        {"angle_2", 2, 2.0, "rotational_diffusion_2", "about the second"},
        {"angle_3", 4, 2.0, "rotational_diffusion_3", "about the third"},
    };
    char unit[PH_RESULT_UNIT], slope_unit[PH_RESULT_UNIT];
    const char *length = recording->length, *label = recording->kinds[kind].name;
    snprintf(unit, sizeof unit, "%.20s%s", turning ? "" : length, length[0] && !turning ? "+2" : "");
    snprintf(slope_unit, sizeof slope_unit, "%.23s%s%.16s%s", unit, unit[0] ? " " : "", recording->clock,
             recording->clock[0] ? "-1" : "");
    struct work work = {.n_frames = recording->n_frames, .n_lags = shape->lags};
    size_t *members = ph_recording_members(recording, kind);
    enum ph_status status = members ? work_init(&work, err) : ph_no_memory(err, "the molecules of each kind");
    if (status == PH_OK)
        status = ph_tracks_visit(recording, request, track, recording->kinds[kind].n, members, use, &work, err);
    struct ph_result_table *table = NULL;
    if (status == PH_OK)
        table = ph_result_table(result, shape->lags,
                                turning ? "mean square angles turned about the body axes"
                                        : "mean square displacements of the centres",
                                "%s.%s", turning ? "rotation" : "translation", label);
    double *time = table ? ph_result_column(result, table, "time", recording->clock) : NULL;
    for (size_t k = 0; k < shape->lags && time; ++k)
        time[k] = shape->interval * (double)k;
    bool good = time != NULL;
    const struct target target = {label, unit, slope_unit, table, result};
    const double *inertia = recording->kinds[kind].species.inertia;
    for (size_t c = 0; c < (turning ? 3 : 4) && good && status == PH_OK; ++c) {
        double diffusion[2];
        if (turning && recording->kinds[kind].known && !(inertia[c] > 0.0))
            continue;
        good = say_column(&work, shape, turning ? &angles[c] : &places[c], &target, diffusion);
        struct ph_value *value = good && result->n_values > 0 ? &result->values[result->n_values - 1] : NULL;
        if (value)
            note_growth(shape, table, label, value, result);
        if (value && turning)
            note_turns(table->columns[table->n_columns - 2].data[1], label, c + 1, value, result);
        if (value && c == 0 && !turning && !value->caution[0])
            say_infinite(recording, request, diffusion[0], diffusion[1], label, slope_unit, result);
    }
    if (status == PH_OK && !good)
        status = ph_no_memory(err, "mean square displacements");
    work_free(&work);
    free(members);
    return status;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct ph_recording recording;
    struct shape shape = {.lags = 0};
    enum ph_status status = ph_recording_open(request, PH_BIT(PH_CENTRE), PH_BIT(PH_IMAGE) | PH_BIT(PH_ORIENTATION),
                                              &recording, result, err);
    const bool turning = (recording.quantities & PH_BIT(PH_ORIENTATION)) != 0;
    if (status == PH_OK)
        status = ph_choose_lags(request->files[0], recording.n_frames, recording.interval, request->lag, 0.5,
                                &shape.lags, err);
    shape.interval = recording.interval;
    if (status == PH_OK)
        status = choose_fit(request, &shape, &recording, result, err);
    if (status == PH_OK && !(recording.quantities & PH_BIT(PH_IMAGE)) && recording.reader.periodic)
        ph_result_note(result, "The file does not count box edges crossed: displacements are those to the nearest "
                               "image, right if none is above half the box between two frames.");
    struct ph_boxes boxes = {.change = false};
    if (status == PH_OK)
        status = ph_recording_boxes(&recording, request->stage, &boxes, result, err);
    if (status == PH_OK && boxes.change)
        ph_result_note(result, "The box changes in time: displacements between frames are added up, each unwrapped in "
                               "the box of its frame; what the barostat moves molecules within the box is in them.");
    if (status == PH_OK && !turning)
        ph_result_note(result, "The file has no orientations: rotation is not analysed.");
    for (size_t k = 0; k < recording.n_kinds && status == PH_OK; ++k) {
        status = look_at(&recording, request, &ph_track_position, k, &shape, false, result, err);
        const bool point = recording.kinds[k].known && recording.kinds[k].species.degrees == 0;
        if (status == PH_OK && turning && !point)
            status = look_at(&recording, request, &ph_track_angle, k, &shape, true, result, err);
    }
    ph_recording_close(&recording);
    return status;
}

const struct ph_analysis ph_analysis_msd = {
    .name = "msd",
    .summary = "mean square displacements and angles; diffusion coefficients",
    .documentation = "Of centres of molecules by kind, and of the angles turned about their body axes, averaged over "
                     "all origins; diffusion coefficients from lines through them between the times of --fit (default: "
                     "a quarter and three quarters of the longest lag; --lag, default half of the record). With "
                     "--viscosity (in mPa s, or reduced units) the finite-size correction of Yeh and Hummer is added.",
    .needs = "positions of frames at equal intervals; orientations for rotation",
    .options = "stage frames lag fit viscosity temperature",
    .run = run,
};
