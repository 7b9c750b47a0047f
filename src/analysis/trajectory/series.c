/* SPDX-License-Identifier: MIT */
#include "analysis/trajectory/series.h"

#include "analysis/trajectory/recording.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ph_reader_element *find(const struct ph_reader *reader, const char *name)
{
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "%s%s", strchr(name, '/') ? "" : "series/", name);
    return ph_reader_find(reader, path);
}

enum ph_status ph_look_at_file(const struct ph_analysis_request *request, ph_file_look *look, struct ph_result *result,
                               struct ph_error *err)
{
    struct ph_reader reader;
    enum ph_status status = ph_reader_open(request->files[0], &reader, err);
    if (status == PH_OK)
        status = look(&reader, request, result, err);
    ph_reader_close(&reader);
    return status;
}

bool ph_series_has(const struct ph_reader *reader, const char *name)
{
    const struct ph_reader_element *element = find(reader, name);
    return element && element->rows > 0;
}

bool ph_series_has_production(const struct ph_reader *reader, const char *name)
{
    const struct ph_reader_element *element = find(reader, name);
    return element && element->rows > 0 && !reader->awaits_production &&
           (!element->stepped || element->last >= reader->production);
}

void ph_series_free(struct ph_series *series)
{
    free(series->values);
    free(series->time);
    *series = (struct ph_series){.rows = 0};
}

/* Keeps the rows of the stage, and of the range within it. */
static void keep_rows(struct ph_series *series, const struct ph_frame_range *frames, const int64_t *steps,
                      const int64_t range[2])
{
    size_t begin = 0, stop = series->rows, first, end, stride, kept = 0;
    while (begin < stop && steps[begin] < range[0])
        ++begin;
    while (stop > begin && steps[stop - 1] >= range[1])
        --stop;
    ph_frame_range_within(frames, stop - begin, &first, &end, &stride);
    for (size_t row = begin + first; row < begin + end; row += stride, ++kept) {
        memmove(&series->values[kept * series->width], &series->values[row * series->width],
                series->width * sizeof *series->values);
        series->time[kept] = series->time[row];
    }
    series->rows = kept;
}

enum ph_status ph_series_read(const struct ph_reader *reader, const struct ph_analysis_request *request,
                              const char *name, const char *stage, struct ph_series *series, struct ph_result *result,
                              struct ph_error *err)
{
    *series = (struct ph_series){.interval = NAN};
    const struct ph_reader_element *element = find(reader, name);
    if (!element || element->rows == 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s: has no time series '%s' (%s%s), which is needed.",
                            reader->file.name, name, strchr(name, '/') ? "" : "series/", name);
    int64_t *steps = NULL, range[2];
    enum ph_status status = ph_stage_steps(reader, stage, range, result, err);
    series->rows = element->rows;
    series->width = element->width;
    strcpy(series->unit, element->unit);
    strcpy(series->clock, series->unit[0] ? "ps" : "");
    if (status == PH_OK)
        status = ph_reader_series(reader, element, &series->values, &steps, &series->time, err);
    if (status == PH_OK)
        keep_rows(series, &request->frames, steps, range);
    free(steps);
    for (size_t k = 0; status == PH_OK && k < series->rows * series->width; ++k)
        if (!isfinite(series->values[k]) && !isnan(series->values[k % series->width]))
            status = ph_error_set(err, PH_ERR_INPUT, "%s: series/%s has a number that is not finite, at time %g.",
                                  reader->file.name, name, series->time[k / series->width]);
    if (status == PH_OK && series->rows == 0)
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s: series/%s has %zu rows, but none of the stage and range asked for. --stage all "
                              "takes those of the equilibration, too.",
                              reader->file.name, name, element->rows);
    if (status == PH_OK)
        series->interval = ph_even_interval(series->rows, series->time);
    return status;
}

struct ph_mean ph_series_mean(const struct ph_series *series, size_t component, double scale)
{
    double *x = ph_allocate(series->rows + 1, sizeof *x);
    if (!x)
        return ph_mean_of(0, NULL);
    for (size_t k = 0; k < series->rows; ++k)
        x[k] = scale * series->values[k * series->width + component];
    const struct ph_mean mean = ph_mean_of(series->rows, x);
    free(x);
    return mean;
}

struct ph_mean ph_series_difference(const struct ph_series *a, size_t component_a, const struct ph_series *b,
                                    size_t component_b)
{
    const size_t n = a->rows < b->rows ? a->rows : b->rows;
    double *x = ph_allocate(n + 1, sizeof *x);
    if (!x)
        return ph_mean_of(0, NULL);
    for (size_t k = 0; k < n; ++k)
        x[k] = a->values[k * a->width + component_a] - b->values[k * b->width + component_b];
    const struct ph_mean mean = ph_mean_of(n, x);
    free(x);
    return mean;
}

bool ph_series_still(const struct ph_series *series, size_t component, double usual)
{
    const double tolerance = 1e-9, scatter = 0.01;
    const struct ph_mean mean = ph_series_mean(series, component, 1.0);
    return series->rows > 1 && mean.deviation <= fmax(tolerance * fabs(mean.mean), scatter * usual);
}

void ph_series_say(struct ph_result *result, const struct ph_series *series, const struct ph_mean *mean,
                   const char *name, const char *unit, const char *help)
{
    struct ph_value *value = ph_result_value(result, name, mean->mean, mean->error, unit, help);
    if (!value)
        return;
    value->correlation_time = ph_mean_time(mean, series->interval);
    value->rough = mean->rough;
}

const double ph_series_bar = 16.6053906717384685; /* 1 kJ/mol/nm^3 = 1e30/N_A J/m^3, exact */

void ph_series_say_bar(struct ph_result *result, const struct ph_series *pressure)
{
    if (strcmp(pressure->unit, "kJ mol-1 nm-3") != 0)
        return;
    const struct ph_mean mean = ph_series_mean(pressure, 0, ph_series_bar);
    ph_series_say(result, pressure, &mean, "pressure_in_bar", "bar", "the same");
}

enum ph_status ph_series_temperature(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                     double *temperature, struct ph_result *result, struct ph_error *err)
{
    struct ph_series series = {.rows = 0};
    struct ph_analysis_request all = *request;
    all.frames = (struct ph_frame_range){.stride = 1}; /* --frames may count frames, not rows */
    enum ph_status status = PH_OK;
    *temperature = request->temperature;
    if (isnan(*temperature)) {
        status = ph_series_read(reader, &all, "temperature", request->stage, &series, result, err);
        *temperature = status == PH_OK ? ph_series_mean(&series, 0, 1.0).mean : NAN;
    }
    if (status == PH_OK)
        ph_result_number(result, "temperature", *temperature,
                         ph_series_has(reader, "temperature") ? find(reader, "temperature")->unit : "");
    ph_series_free(&series);
    return status;
}
