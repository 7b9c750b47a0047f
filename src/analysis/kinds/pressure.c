/* SPDX-License-Identifier: MIT */
/* Mean pressure and pressure tensor. In a fluid at rest the tensor is a multiple of the unit tensor. */
#include "analysis/kinds/asked.h"
#include "analysis/registry.h"
#include "analysis/trajectory/series.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far the tensor is from isotropic, in errors */
static bool say_tensor(const struct ph_series *tensor, struct ph_result *result)
{
    static const char axes[] = "xyz";
    double worst = 0.0, *x = ph_allocate(tensor->rows + 1, sizeof *x);
    if (!x)
        return false;
    for (size_t a = 0; a < 3; ++a)
        for (size_t b = a; b < 3; ++b) {
            char name[PH_RESULT_NAME];
            for (size_t k = 0; k < tensor->rows; ++k) {
                const double *p = &tensor->values[9 * k];
                x[k] = a == b ? p[4 * a] : 0.5 * (p[3 * a + b] + p[3 * b + a]);
            }
            const struct ph_mean mean = ph_mean_of(tensor->rows, x);
            snprintf(name, sizeof name, "pressure_%c%c", axes[a], axes[b]);
            ph_series_say(result, tensor, &mean, name, tensor->unit, a == b ? "diagonal" : "symmetric part");
            for (size_t k = 0; k < tensor->rows && a == b; ++k) {
                const double *p = &tensor->values[9 * k];
                x[k] -= (p[0] + p[4] + p[8]) / 3.0;
            }
            const struct ph_mean off = ph_mean_of(tensor->rows, x);
            worst = fmax(worst, off.error > 0.0 ? fabs(off.mean) / off.error : 0.0);
        }
    free(x);
    ph_result_value(result, "largest_anisotropy", worst, NAN, "", "of the tensor, in units of its error");
    return true;
}

static bool say_table(const struct ph_series *pressure, struct ph_result *result)
{
    struct ph_result_table *table = ph_result_table(result, pressure->rows, "pressure in time", "pressure");
    double *time = ph_result_column(result, table, "time", pressure->clock);
    double *p = ph_result_column(result, table, "pressure", pressure->unit);
    if (!time || !p)
        return false;
    memcpy(time, pressure->time, pressure->rows * sizeof *time);
    memcpy(p, pressure->values, pressure->rows * sizeof *p);
    return true;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct ph_reader reader;
    struct ph_series pressure = {.rows = 0}, tensor = {.rows = 0};
    enum ph_status status = ph_reader_open(request->files[0], &reader, err);
    if (status == PH_OK)
        status = ph_series_read(&reader, request, "pressure", request->stage, &pressure, result, err);
    if (status == PH_OK) {
        const struct ph_mean mean = ph_series_mean(&pressure, 0, 1.0);
        ph_result_number(result, "rows", (double)pressure.rows, NULL);
        ph_series_say(result, &pressure, &mean, "pressure", pressure.unit, "a third of the trace of the tensor");
        ph_series_say_bar(result, &pressure);
    }
    bool memory = status != PH_OK || say_table(&pressure, result);
    const bool has_tensor = status == PH_OK && ph_series_has(&reader, "pressure_tensor");
    if (has_tensor)
        status = ph_series_read(&reader, request, "pressure_tensor", request->stage, &tensor, result, err);
    if (status == PH_OK && has_tensor && tensor.width == 9)
        memory = say_tensor(&tensor, result) && memory;
    if (status == PH_OK)
        status = ph_asked_note(&reader, request, "pressure", result, err);
    if (!memory)
        status = ph_no_memory(err, "a time series");
    ph_series_free(&pressure);
    ph_series_free(&tensor);
    ph_reader_close(&reader);
    return status;
}

const struct ph_analysis ph_analysis_pressure = {
    .name = "pressure",
    .summary = "mean pressure and pressure tensor",
    .documentation = "Means with errors and correlation times, and how far the tensor is from isotropic. Viscosity is "
                     "found by 'correlation --of stress'.",
    .needs = "series/pressure, which runs in a periodic box have",
    .options = "stage frames",
    .run = run,
};
