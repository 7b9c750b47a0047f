/* SPDX-License-Identifier: MIT */
/* Surface tension of a slab from the pressure tensor: gamma = L/2 <P_N - P_T>, with P_N along the normal of the two
 * surfaces, P_T the mean across it, and L the length of the box along it. */
#include "analysis/registry.h"
#include "analysis/trajectory/recording.h"
#include "analysis/trajectory/series.h"
#include "base/memory.h"
#include "base/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double millinewton = 1.66053906660; /* mN/m in a kJ/mol/nm^2 */

/* Finds the normal of the faces and their distance. */
static enum ph_status find_normal(const struct ph_analysis_request *request, double normal[3], double *length,
                                  struct ph_result *result, struct ph_error *err)
{
    const char *word = request->of ? request->of : "z";
    const int axis = strcmp(word, "x") == 0 ? 0 : strcmp(word, "y") == 0 ? 1 : strcmp(word, "z") == 0 ? 2 : -1;
    if (axis < 0)
        return ph_error_set(err, PH_ERR_INPUT, "--of %s: not accepted; give the axis x, y or z.", word);
    struct ph_recording recording;
    struct ph_boxes boxes = {.change = false};
    enum ph_status status = ph_recording_open_about(request, &recording, err);
    if (status == PH_OK)
        status = ph_recording_boxes(&recording, request->stage, &boxes, result, err);
    if (status == PH_OK && !boxes.periodic)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: open space has no pressure tensor.", recording.reader.file.name);
    struct ph_box box;
    if (status == PH_OK)
        status = ph_box_init_periodic((const double(*)[3])boxes.edge, &box, err);
    if (status == PH_OK) {
        const double size = ph_vec3_norm(box.inverse[axis]);
        for (int k = 0; k < 3; ++k)
            normal[k] = box.inverse[axis][k] / size;
        *length = box.width[axis];
        ph_result_text(result, "axis", word);
        ph_result_number(result, "length", *length, ph_recording_unit(&recording, "nm"));
        if (boxes.change)
            ph_result_note(result, "The box changes in time: the tension is the mean of P_N - P_T times half the mean "
                                   "length.");
    }
    ph_recording_close(&recording);
    return status;
}

static bool say(const struct ph_series *tensor, const double normal[3], double length, struct ph_result *result)
{
    double *along = ph_allocate(3 * tensor->rows + 1, sizeof *along);
    if (!along)
        return false;
    double *across = along + tensor->rows, *tension = across + tensor->rows;
    for (size_t k = 0; k < tensor->rows; ++k) {
        const double *p = &tensor->values[9 * k];
        along[k] = 0.0;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                along[k] += normal[a] * p[3 * a + b] * normal[b];
        across[k] = 0.5 * (p[0] + p[4] + p[8] - along[k]);
        tension[k] = 0.5 * length * (along[k] - across[k]);
    }
    const bool physical = tensor->unit[0] != '\0';
    const struct ph_mean gamma = ph_mean_of(tensor->rows, tension), p_n = ph_mean_of(tensor->rows, along),
                         p_t = ph_mean_of(tensor->rows, across);
    ph_series_say(result, tensor, &gamma, "surface_tension", physical ? "kJ mol-1 nm-2" : "",
                  "of each of two surfaces: L/2 <P_N - P_T>");
    if (physical)
        ph_result_value(result, "surface_tension_in_mN_m", millinewton * gamma.mean, millinewton * gamma.error,
                        "mN m-1", "the same");
    ph_series_say(result, tensor, &p_n, "pressure_normal", tensor->unit, "along the normal of the surfaces");
    ph_series_say(result, tensor, &p_t, "pressure_tangential", tensor->unit, "mean across the normal");
    ph_result_number(result, "rows", (double)tensor->rows, NULL);
    struct ph_result_table *table = ph_result_table(
        result, tensor->rows, "tension in time, and its mean from the beginning to that time", "tension");
    double *time = ph_result_column(result, table, "time", tensor->clock);
    double *now = ph_result_column(result, table, "tension", physical ? "kJ mol-1 nm-2" : "");
    double *mean = ph_result_column(result, table, "mean", physical ? "kJ mol-1 nm-2" : "");
    double sum = 0.0;
    for (size_t k = 0; k < tensor->rows && time && now && mean; ++k) {
        sum += tension[k];
        time[k] = tensor->time[k];
        now[k] = tension[k];
        mean[k] = sum / (double)(k + 1);
    }
    free(along);
    ph_result_note(result,
                   "Interactions beyond the cutoff are not included. The long-range correction of a homogeneous "
                   "fluid is the same along all axes and adds nothing.");
    return true;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct ph_reader reader;
    struct ph_series tensor = {.rows = 0};
    double normal[3] = {NAN, NAN, NAN}, length = NAN;
    enum ph_status status = find_normal(request, normal, &length, result, err);
    if (status != PH_OK)
        return status;
    status = ph_reader_open(request->files[0], &reader, err);
    if (status == PH_OK)
        status = ph_series_read(&reader, request, "pressure_tensor", request->stage, &tensor, result, err);
    if (status == PH_OK && tensor.width != 9)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: series/pressure_tensor has %zu components, not 9.",
                              request->files[0], tensor.width);
    if (status == PH_OK && !say(&tensor, normal, length, result))
        status = ph_no_memory(err, "a time series");
    ph_series_free(&tensor);
    ph_reader_close(&reader);
    return status;
}

const struct ph_analysis ph_analysis_surface_tension = {
    .name = "surface-tension",
    .summary = "surface tension of a slab, from the pressure tensor",
    .documentation = "Half the length of the box along the axis (--of x, y or z, the default) times the difference of "
                     "normal and tangential pressure, for a slab with two surfaces.",
    .needs = "series/pressure_tensor, which runs in a periodic box have",
    .options = "stage frames of",
    .run = run,
};
