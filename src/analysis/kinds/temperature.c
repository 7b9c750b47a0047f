/* SPDX-License-Identifier: MIT */
/* Temperatures of translation and of rotation about each body axis, and configurational temperatures of positions and
 * orientations. In equilibrium all are the same. */
#include "analysis/kinds/temperature.h"

#include "analysis/kinds/asked.h"
#include "analysis/registry.h"
#include "analysis/trajectory/series.h"
#include "base/memory.h"
#include "model/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRANSLATION = 1, ROTATION = 2, MOST = 6 };

static const struct part {
    const char *series, *name, *help;
    size_t component;
    bool compared; /* in the test of equipartition: parts that have no degree of freedom in common */
} parts[MOST] = {
    {"temperature", "temperature", "of all degrees of freedom", 0, false},
    [TRANSLATION] = {"temperature_translation", "translation", "of the centres", 0, true},
    [ROTATION] = {"temperature_rotation", "rotation", "of all rotations", 0, false},
    {"temperature_axis", "axis_1", "of rotation about the first body axis", 0, true},
    {"temperature_axis", "axis_2", "about the second", 1, true},
    {"temperature_axis", "axis_3", "about the third", 2, true},
};

/* ph_series_still of a part */
static bool constant(const struct ph_series *series, size_t component, const struct ph_series *translation)
{
    const double usual = translation->rows > 1 ? ph_series_mean(translation, 0, 1.0).deviation : 0.0;
    return ph_series_still(series, component, usual);
}

static void compare(const struct ph_series series[MOST], struct ph_result *result)
{
    double worst = 0.0;
    size_t n = 0;
    bool used[MOST];
    for (int a = 0; a < MOST; ++a) {
        used[a] = parts[a].compared && series[a].rows > 0;
        if (!used[a] || !constant(&series[a], parts[a].component, &series[TRANSLATION]))
            continue;
        used[a] = false;
        ph_result_note(result, "%s does not change in time, or hardly: no torque acts there, and it is not compared.",
                       parts[a].name);
    }
    for (int a = 0; a < MOST; ++a)
        for (int b = a + 1; b < MOST; ++b) {
            if (!used[a] || !used[b])
                continue;
            const struct ph_mean mean =
                ph_series_difference(&series[a], parts[a].component, &series[b], parts[b].component);
            char name[PH_RESULT_NAME];
            if (!isfinite(mean.mean))
                continue;
            snprintf(name, sizeof name, "%s-%s", parts[a].name, parts[b].name);
            ph_series_say(result, &series[a], &mean, name, series[a].unit, "difference");
            worst = fmax(worst, fabs(mean.mean) / mean.error);
            ++n;
        }
    if (n == 0)
        return;
    ph_result_value(result, "largest_difference", worst, NAN, "", "in units of its error");
    if (worst > 4.0)
        ph_result_note(result,
                       "Energy is not shared equally: some temperatures differ by %.1f times the error. The system is "
                       "not in equilibrium, or the step is too long.",
                       worst);
}

/* ---- Configurational temperatures ---- */

static const struct configurational {
    const char *square, *laplacian; /* series: sums of squared gradients, and of second derivatives */
    const char *name, *difference, *help;
    int kinetic; /* the part of the same degrees of freedom */
} configurational[PH_CONFIGURATIONAL_KINDS] = {
    {"squared_force", "laplacian_translation", "configurational_translation", "configurational-translation",
     "of positions, from forces and their gradients", TRANSLATION},
    {"squared_torque", "laplacian_rotation", "configurational_rotation", "configurational-rotation",
     "of orientations, from torques and their gradients", ROTATION},
};

const char *const ph_configurational_names[PH_CONFIGURATIONAL_KINDS] = {"positions", "orientations"};

/* A ratio of two means, <a>/<b>, minus the mean of c (if not NULL). Its error is the error of the mean of (a - ratio
 * b)/<b> - c: to first order this is how the result deviates, and it takes all correlations into account. */
static struct ph_mean ratio_less(size_t n, const double *a, const double *b, const struct ph_series *c)
{
    double *x = ph_allocate(n + 1, sizeof *x), sum_a = 0.0, sum_b = 0.0;
    if (!x)
        return ph_mean_of(0, NULL);
    for (size_t k = 0; k < n; ++k) {
        sum_a += a[k];
        sum_b += b[k];
    }
    const double ratio = sum_a / sum_b, mean_b = sum_b / (double)n;
    for (size_t k = 0; k < n; ++k)
        x[k] = ratio + (a[k] - ratio * b[k]) / mean_b - (c ? c->values[k * c->width] : 0.0);
    const struct ph_mean mean = ph_mean_of(n, x);
    free(x);
    return mean;
}

enum ph_status ph_configurational_read(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                       size_t kind, const struct ph_series *kinetic, struct ph_mean *temperature,
                                       struct ph_mean *difference, struct ph_error *err)
{
    const char *of_square = configurational[kind].square, *of_laplacian = configurational[kind].laplacian;
    struct ph_series square = {.rows = 0}, laplacian = {.rows = 0};
    struct ph_result notes = {0};
    char *units = ph_reader_text(reader, "units");
    const struct ph_units *known = units ? ph_units_find(units) : NULL;
    free(units);
    *temperature = *difference = ph_mean_of(0, NULL);
    if (!known || !ph_series_has(reader, of_square) || !ph_series_has(reader, of_laplacian))
        return PH_OK;
    enum ph_status status = ph_series_read(reader, request, of_square, request->stage, &square, &notes, err);
    if (status == PH_OK)
        status = ph_series_read(reader, request, of_laplacian, request->stage, &laplacian, &notes, err);
    if (status == PH_OK) {
        const size_t n = square.rows < laplacian.rows ? square.rows : laplacian.rows;
        for (size_t k = 0; k < n; ++k)
            laplacian.values[k] *= known->boltzmann;
        *temperature = ratio_less(n, square.values, laplacian.values, NULL);
        if (kinetic->rows == n)
            *difference = ratio_less(n, square.values, laplacian.values, kinetic);
    }
    ph_series_free(&square);
    ph_series_free(&laplacian);
    ph_result_free(&notes);
    return status;
}

static enum ph_status say_configurational(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                          size_t k, const struct ph_series *kinetic, struct ph_result *result,
                                          struct ph_error *err)
{
    const struct configurational *kind = &configurational[k];
    struct ph_mean mean, less;
    const enum ph_status status = ph_configurational_read(reader, request, k, kinetic, &mean, &less, err);
    if (status != PH_OK || mean.n == 0)
        return status;
    ph_series_say(result, kinetic, &mean, kind->name, kinetic->unit, kind->help);
    if (less.n == 0)
        return PH_OK;
    ph_series_say(result, kinetic, &less, kind->difference, kinetic->unit, "less that of the momenta");
    if (fabs(less.mean) > 4.0 * less.error)
        ph_result_note(result,
                       "The temperature of %s differs from that of the momenta by %.1f times the error. The "
                       "system is not in equilibrium, or the step is too long.",
                       ph_configurational_names[k], fabs(less.mean) / less.error);
    return PH_OK;
}

static bool say_table(const struct ph_series series[MOST], struct ph_result *result)
{
    int first = 0;
    while (first < MOST && series[first].rows == 0)
        ++first;
    if (first == MOST)
        return true;
    struct ph_result_table *table = ph_result_table(result, series[first].rows, "temperatures in time", "temperature");
    double *time = ph_result_column(result, table, "time", series[first].clock);
    if (!time)
        return false;
    memcpy(time, series[first].time, series[first].rows * sizeof *time);
    for (int k = first; k < MOST; ++k) {
        if (series[k].rows != series[first].rows || isnan(series[k].values[parts[k].component]))
            continue;
        double *column = ph_result_column(result, table, parts[k].name, series[k].unit);
        for (size_t r = 0; r < series[k].rows && column; ++r)
            column[r] = series[k].values[r * series[k].width + parts[k].component];
    }
    return true;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct ph_reader reader;
    struct ph_series series[MOST] = {{.rows = 0}};
    enum ph_status status = ph_reader_open(request->files[0], &reader, err);
    for (int k = 0; k < MOST && status == PH_OK; ++k) {
        if (k > 0 && !ph_series_has(&reader, parts[k].series)) /* without the first there is nothing to do */
            continue;
        status = ph_series_read(&reader, request, parts[k].series, request->stage, &series[k], result, err);
        if (status != PH_OK || parts[k].component >= series[k].width || isnan(series[k].values[parts[k].component]))
            continue;
        const struct ph_mean mean = ph_series_mean(&series[k], parts[k].component, 1.0);
        ph_series_say(result, &series[k], &mean, parts[k].name, series[k].unit, parts[k].help);
        struct ph_value *value = &result->values[result->n_values - 1];
        if (constant(&series[k], parts[k].component, &series[TRANSLATION])) {
            value->error = value->correlation_time = NAN;
            value->rough = false;
        }
    }
    for (size_t k = 0; k < PH_CONFIGURATIONAL_KINDS && status == PH_OK; ++k)
        status = say_configurational(&reader, request, k, &series[configurational[k].kinetic], result, err);
    if (status == PH_OK)
        status = ph_asked_note(&reader, request, "temperature", result, err);
    if (status == PH_OK) {
        ph_result_number(result, "rows", (double)series[0].rows, NULL);
        compare(series, result);
        if (!say_table(series, result))
            status = ph_no_memory(err, "a table");
    }
    for (int k = 0; k < MOST; ++k)
        ph_series_free(&series[k]);
    ph_reader_close(&reader);
    return status;
}

const struct ph_analysis ph_analysis_temperature = {
    .name = "temperature",
    .summary = "temperatures of translation and of each axis of rotation; test of equipartition",
    .documentation =
        "Means with errors, and the differences of the temperatures of translation and of rotation about the body "
        "axes, each with an error that takes their correlation into account: in equilibrium all are zero within "
        "errors. With output.configurational_temperature also the temperatures of positions and orientations, mean "
        "squared forces and torques over mean second derivatives of the energy.",
    .needs =
        "series/temperature; of molecules that rotate also temperature_rotation and temperature_axis; squared_force, "
        "laplacian_translation, squared_torque, laplacian_rotation for configurational temperatures",
    .options = "stage frames",
    .run = run,
};
