/* SPDX-License-Identifier: MIT */
#include "analysis/kinds/conservation.h"

#include "analysis/trajectory/conditions.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Root mean square of y, which is squared in place; its error is half the error of the mean square, over the root */
static void root_mean_square(size_t n, double *y, double *rms, double *error)
{
    for (size_t k = 0; k < n; ++k)
        y[k] *= y[k];
    const struct ph_mean square = ph_mean_of(n, y);
    *rms = sqrt(square.mean);
    *error = *rms > 0.0 ? 0.5 * square.error / *rms : 0.0;
}

bool ph_conservation_of(const struct ph_series *energy, double scale, struct ph_conservation *out)
{
    const size_t n = energy->rows;
    double *y = ph_allocate(2 * n + 1, sizeof *y), *off = y + n;
    if (!y)
        return false;
    *out = (struct ph_conservation){.rows = n, .first = n > 0 ? scale * energy->values[0] : NAN};
    for (size_t k = 0; k < n; ++k) {
        y[k] = scale * (energy->values[k] - energy->values[0]);
        out->largest = fmax(out->largest, fabs(y[k]));
        out->last = y[k];
    }
    out->line = ph_line_through(n, energy->time, y);
    const double middle = n > 0 ? 0.5 * (energy->time[0] + energy->time[n - 1]) : NAN;
    double mean = 0.0; /* of time, from the middle; 0 for rows at equal distances */
    for (size_t k = 0; k < n; ++k)
        mean += (energy->time[k] - middle) / (double)n;
    for (size_t k = 0; k < n; ++k) {
        y[k] -= out->line.mean;
        off[k] = y[k] - out->line.slope * (energy->time[k] - middle - mean);
    }
    root_mean_square(n, y, &out->rms, &out->rms_error);
    root_mean_square(n, off, &out->residual, &out->residual_error);
    free(y);
    return true;
}

enum ph_status ph_conserved_read(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                 const char *stage, struct ph_series *series, const char **name,
                                 struct ph_result *result, struct ph_error *err)
{
    *name = "conserved_energy";
    *series = (struct ph_series){.rows = 0};
    enum ph_status status = PH_OK;
    const bool alone = strcmp(ph_conditions_of(reader, stage).ensemble, "NVE") == 0; /* then both are the same */
    if (ph_series_has(reader, *name) && !alone)
        status = ph_series_read(reader, request, *name, stage, series, result, err);
    if (status != PH_OK || (series->rows > 0 && isfinite(series->values[0]))) /* NaN in stages that have none */
        return status;
    ph_series_free(series);
    *name = "total_energy";
    return ph_series_read(reader, request, *name, stage, series, result, err);
}

/* All rows of the production */
static const struct ph_analysis_request production = {.frames = {.stride = 1}};

enum ph_status ph_conservation_read(const struct ph_reader *reader, double scale, struct ph_conservation *out,
                                    struct ph_error *err)
{
    *out = (struct ph_conservation){.rows = 0};
    if (!ph_series_has_production(reader, "total_energy"))
        return PH_OK;
    struct ph_result notes = {0};
    struct ph_series series;
    const char *name;
    enum ph_status status = ph_conserved_read(reader, &production, NULL, &series, &name, &notes, err);
    if (status == PH_OK && !ph_conservation_of(&series, scale, out))
        status = ph_no_memory(err, "a time series");
    out->name = name;
    strcpy(out->unit, series.unit);
    ph_series_free(&series);
    ph_result_free(&notes);
    return status;
}

static enum ph_status mean_of(const struct ph_reader *reader, const char *name, double scale, struct ph_mean *mean,
                              struct ph_error *err)
{
    *mean = ph_mean_of(0, NULL);
    if (!ph_series_has_production(reader, name))
        return PH_OK;
    struct ph_result notes = {0};
    struct ph_series series;
    const enum ph_status status = ph_series_read(reader, &production, name, NULL, &series, &notes, err);
    ph_result_free(&notes);
    if (status == PH_OK)
        *mean = ph_series_mean(&series, 0, scale);
    ph_series_free(&series);
    return status;
}

enum ph_status ph_summary_of(const struct ph_reader *reader, struct ph_summary *summary, struct ph_error *err)
{
    const double each = 1.0 / (double)ph_reader_molecules(reader);
    enum ph_status status = ph_conservation_read(reader, each, &summary->energy, err);
    if (status == PH_OK)
        status = mean_of(reader, "potential_energy", each, &summary->potential, err);
    if (status == PH_OK)
        status = mean_of(reader, "temperature_translation", 1.0, &summary->temperature_translation, err);
    if (status == PH_OK)
        status = mean_of(reader, "temperature_rotation", 1.0, &summary->temperature_rotation, err);
    if (status == PH_OK)
        status = mean_of(reader, "pressure", 1.0, &summary->pressure, err);
    return status;
}
