/* SPDX-License-Identifier: MIT */
/* How well energy is conserved, by stage: the total energy, or with a thermostat or a barostat the conserved energy
 * (conservation.h). From runs that differ in their step, the order of the scheme: the rms error of the energy of a
 * symplectic scheme of order p grows as step^p. */
#include "analysis/kinds/conservation.h"
#include "analysis/registry.h"
#include "analysis/trajectory/conditions.h"
#include "analysis/trajectory/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "kJ mol-1" per unit of time */
static void per_time(const struct ph_series *series, char unit[PH_RESULT_UNIT])
{
    snprintf(unit, PH_RESULT_UNIT, "%s%s", series->unit, series->unit[0] ? " ps-1" : "");
}

static void say_stage(const char *stage, const struct ph_series *total, const struct ph_conservation *c,
                      struct ph_result *result)
{
    char name[PH_RESULT_NAME], unit[PH_RESULT_UNIT];
    per_time(total, unit);
    snprintf(name, sizeof name, "drift.%s", stage);
    struct ph_value *value = ph_result_value(result, name, c->line.slope, c->line.slope_error, unit,
                                             "slope of the energy that is conserved, per molecule and unit of time");
    value->correlation_time = 0.5 * c->line.inefficiency * total->interval;
    value->rough = c->line.rough;
    snprintf(name, sizeof name, "rms.%s", stage);
    ph_result_value(result, name, c->rms, c->rms_error, total->unit, "of the same about its mean");
    snprintf(name, sizeof name, "rms_about_line.%s", stage);
    ph_result_value(result, name, c->residual, c->residual_error, total->unit, "of the same about the line through it");
}

static enum ph_status say_means(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                const char *stage, double scale, struct ph_result *result, struct ph_error *err)
{
    static const struct {
        const char *name, *help;
    } columns[] = {
        {"total_energy", "mean, per molecule"},
        {"potential_energy", "mean, per molecule"},
        {"kinetic_energy_translation", "mean, per molecule"},
        {"kinetic_energy_rotation", "mean, per molecule"},
        {"energy_radial", "mean, per molecule"},
        {"energy_electric", "mean, per molecule"},
        {"energy_field", "mean, per molecule"},
    };
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < sizeof columns / sizeof *columns && status == PH_OK; ++k) {
        struct ph_series series;
        char name[PH_RESULT_NAME];
        if (!ph_series_has(reader, columns[k].name))
            continue;
        status = ph_series_read(reader, request, columns[k].name, stage, &series, result, err);
        snprintf(name, sizeof name, "%s.%s", columns[k].name, stage);
        if (status == PH_OK) {
            const struct ph_mean mean = ph_series_mean(&series, 0, scale);
            ph_series_say(result, &series, &mean, name, series.unit, columns[k].help);
        }
        ph_series_free(&series);
    }
    return status;
}

static bool say_table(const char *stage, const struct ph_series *total, double scale, const struct ph_line *line,
                      struct ph_result *result)
{
    struct ph_result_table *table = ph_result_table(
        result, total->rows,
        "deviation of the energy that is conserved, per molecule, from its mean, and the line through it", "%s", stage);
    double *t = ph_result_column(result, table, "time", total->clock);
    double *y = ph_result_column(result, table, "deviation", total->unit);
    double *l = ph_result_column(result, table, "line", total->unit);
    if (!t || !y || !l)
        return false;
    const double middle = 0.5 * (total->time[0] + total->time[total->rows - 1]);
    for (size_t k = 0; k < total->rows; ++k) {
        t[k] = total->time[k];
        y[k] = scale * (total->values[k] - total->values[0]) - line->mean;
        l[k] = line->slope * (t[k] - middle);
    }
    return true;
}

/* A bath without a conserved energy in the series */
static void say_exchange(const struct ph_reader *reader, const char *stage, const char *name, struct ph_result *result)
{
    const struct ph_conditions conditions = ph_conditions_of(reader, stage);
    if (conditions.ensemble[0] && strcmp(conditions.ensemble, "NVE") != 0 && strcmp(name, "total_energy") == 0)
        ph_result_note(result, "In %s the total energy is not conserved: its drift and rms are no errors.",
                       conditions.ensemble);
}

static enum ph_status look_at_stage(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                    const char *stage, struct ph_result *result, struct ph_error *err)
{
    struct ph_series total;
    struct ph_conservation c;
    const double scale = 1.0 / (double)ph_reader_molecules(reader);
    const char *name;
    enum ph_status status = ph_conserved_read(reader, request, stage, &total, &name, result, err);
    if (status == PH_OK &&
        (!ph_conservation_of(&total, scale, &c) || !say_table(stage, &total, scale, &c.line, result)))
        status = ph_no_memory(err, "a time series");
    if (status == PH_OK) {
        char parameter[PH_RESULT_NAME];
        snprintf(parameter, sizeof parameter, "conserved.%s", stage);
        ph_result_text(result, parameter, name);
        say_stage(stage, &total, &c, result);
        say_exchange(reader, stage, name, result);
        status = say_means(reader, request, stage, scale, result, err);
    }
    ph_series_free(&total);
    return status;
}

static bool has_rows(const struct ph_reader *reader, const char *stage)
{
    const struct ph_reader_element *element = ph_reader_find(reader, "series/total_energy");
    struct ph_error forgotten;
    struct ph_result notes = {0};
    double *values = NULL, *times = NULL;
    int64_t *steps = NULL, range[2];
    bool found = false;
    if (element && ph_stage_steps(reader, stage, range, &notes, &forgotten) == PH_OK &&
        ph_reader_series(reader, element, &values, &steps, &times, &forgotten) == PH_OK)
        for (size_t k = 0; k < element->rows && !found; ++k)
            found = steps[k] >= range[0] && steps[k] < range[1];
    free(values);
    free(steps);
    free(times);
    ph_result_free(&notes);
    return found;
}

/* Looks at the production and the stages before it, by their names, as each conserves an energy of its own */
static enum ph_status one_file(const struct ph_reader *reader, const struct ph_analysis_request *request,
                               struct ph_result *result, struct ph_error *err)
{
    ph_result_number(result, "molecules", (double)ph_reader_molecules(reader), NULL);
    if (request->stage || (reader->production < 0 && !reader->awaits_production))
        return look_at_stage(reader, request, request->stage ? request->stage : "all", result, err);
    bool any = !reader->awaits_production && has_rows(reader, "production");
    enum ph_status status = any ? look_at_stage(reader, request, "production", result, err) : PH_OK;
    const size_t n = reader->n_stages > 0 ? reader->n_stages : 1;
    for (size_t k = 0; k < n && status == PH_OK; ++k) {
        const char *const stage = reader->n_stages > 0 ? reader->stages[k].name : "equilibration";
        const int64_t first = reader->n_stages > 0 ? reader->stages[k].first_step : 0;
        if ((first >= reader->production && !reader->awaits_production) || !has_rows(reader, stage))
            continue;
        status = look_at_stage(reader, request, stage, result, err);
        any = true;
    }
    return any ? status : look_at_stage(reader, request, "production", result, err); /* names the missing data */
}

/* ---- Several files ---- */

struct row {
    double step;
    struct ph_conservation c;
    char unit[PH_RESULT_UNIT], slope_unit[PH_RESULT_UNIT];
};

static enum ph_status read_row(const char *file, const struct ph_analysis_request *request, struct row *row,
                               struct ph_result *result, struct ph_error *err)
{
    struct ph_reader reader;
    struct ph_series total = {.rows = 0};
    const char *name;
    enum ph_status status = ph_reader_open(file, &reader, err);
    if (status == PH_OK && !(ph_reader_number(&reader, "step", &row->step) && isfinite(row->step)))
        status =
            ph_error_set(err, PH_ERR_INPUT, "%s: does not say which step it was run with (parameters/step).", file);
    if (status == PH_OK)
        status = ph_conserved_read(&reader, request, request->stage, &total, &name, result, err);
    if (status == PH_OK && !ph_conservation_of(&total, 1.0 / (double)ph_reader_molecules(&reader), &row->c))
        status = ph_no_memory(err, "a time series");
    snprintf(row->unit, sizeof row->unit, "%s", total.unit);
    per_time(&total, row->slope_unit);
    ph_series_free(&total);
    ph_reader_close(&reader);
    return status;
}

/* Two different steps give an order whatever the law is: nothing is left over by which it could be judged. */
static bool are_two_steps(size_t n, const struct row *rows)
{
    double other = rows[0].step;
    for (size_t k = 1; k < n; ++k) {
        if (rows[k].step == rows[0].step || rows[k].step == other)
            continue;
        if (other != rows[0].step)
            return false;
        other = rows[k].step;
    }
    return true;
}

/* Fits a line to log rms against log step, weighted by the errors. The error of the slope follows from the weights, or
 * from the scatter about the line if this is larger. */
static void say_order(size_t n, const struct row *rows, struct ph_result *result)
{
    double w = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, scatter = 0.0;
    for (size_t k = 0; k < n; ++k) {
        const double e = rows[k].c.rms_error / rows[k].c.rms, weight = 1.0 / (e * e + 1e-6);
        w += weight;
        x += weight * log(rows[k].step);
        y += weight * log(rows[k].c.rms);
    }
    x /= w;
    y /= w;
    for (size_t k = 0; k < n; ++k) {
        const double e = rows[k].c.rms_error / rows[k].c.rms, weight = 1.0 / (e * e + 1e-6);
        xx += weight * (log(rows[k].step) - x) * (log(rows[k].step) - x);
        xy += weight * (log(rows[k].step) - x) * (log(rows[k].c.rms) - y);
    }
    const double order = xy / xx;
    for (size_t k = 0; k < n; ++k) {
        const double e = rows[k].c.rms_error / rows[k].c.rms, weight = 1.0 / (e * e + 1e-6);
        const double off = log(rows[k].c.rms) - y - order * (log(rows[k].step) - x);
        scatter += weight * off * off;
    }
    const double stretch = n > 2 ? fmax(1.0, scatter / (double)(n - 2)) : 1.0;
    const bool two = are_two_steps(n, rows);
    ph_result_value(result, "order", order, two ? NAN : sqrt(stretch / xx), "",
                    "rms error of the energy grows as step^order");
    if (two)
        ph_result_note(result, "The order is from two points, and has no error: a third step would tell whether the "
                               "error follows a power of the step at all.");
}

static enum ph_status several_files(const struct ph_analysis_request *request, struct ph_result *result,
                                    struct ph_error *err)
{
    const size_t n = request->n_files;
    struct row *rows = calloc(n, sizeof *rows);
    enum ph_status status = rows ? PH_OK : ph_no_memory(err, "%zu files", n);
    bool differ = false;
    for (size_t k = 0; k < n && status == PH_OK; ++k) {
        status = read_row(request->files[k], request, &rows[k], result, err);
        differ = differ || (status == PH_OK && rows[k].step != rows[0].step);
        if (status == PH_OK && !(rows[k].c.rms > 0.0))
            status = ph_error_set(err, PH_ERR_NUMBERS, "%s: the energy does not change at all: no order can be seen.",
                                  request->files[k]);
    }
    if (status == PH_OK && !differ)
        status = ph_error_set(err, PH_ERR_INPUT, "All files were run with the step %g: an order needs different ones.",
                              rows[0].step);
    if (status == PH_OK) {
        struct ph_result_table *table =
            ph_result_table(result, n, "energy errors per molecule of files in the order given", "runs");
        const char *const names[] = {"step", "rms", "rms_error", "drift", "drift_error"};
        const char *const units[] = {rows[0].unit[0] ? "ps" : "", rows[0].unit, rows[0].unit, rows[0].slope_unit,
                                     rows[0].slope_unit};
        for (size_t c = 0; c < sizeof names / sizeof *names; ++c) {
            double *column = ph_result_column(result, table, names[c], units[c]);
            for (size_t k = 0; k < n && column; ++k) {
                const struct row *row = &rows[k];
                const double values[] = {row->step, row->c.rms, row->c.rms_error, row->c.line.slope,
                                         row->c.line.slope_error};
                column[k] = values[c];
            }
        }
        say_order(n, rows, result);
    }
    free(rows);
    return status;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    return request->n_files > 1 ? several_files(request, result, err) : ph_look_at_file(request, one_file, result, err);
}

const struct ph_analysis ph_analysis_energy = {
    .name = "energy",
    .summary = "how well energy is conserved: drift, rms, and the order from several runs",
    .documentation = "Of the total energy per molecule, or with a bath or at constant pressure of what their equations "
                     "conserve: the slope in time, whose error takes correlations into account, and the root mean "
                     "square about the mean, for production and equilibration; means of all energies. Given several "
                     "files that differ in their step, it finds the order: the rms error grows as step^order.",
    .needs = "series/total_energy",
    .options = "stage frames",
    .several = true,
    .run = run,
};
