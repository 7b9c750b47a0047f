/* SPDX-License-Identifier: MIT */
/* Averages without the error of a step of order 2, from the shadow energy: see analysis/statistics/step_free.h. */
#include "analysis/statistics/step_free.h"
#include "analysis/trajectory/conditions.h"
#include "analysis/trajectory/series.h"
#include "base/memory.h"
#include "dynamics/schemes/shadow.h"
#include "lab/analyses.h"
#include "model/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHADOW, TOTAL, TRANSLATION, ROTATION, COLUMNS };
static const char *const column_names[COLUMNS] = {"shadow_energy", "total_energy", "kinetic_energy_translation",
                                                  "kinetic_energy_rotation"};

/* What the rows have in common. Owned are the series and arrays. */
struct run {
    const struct ph_reader *reader;
    const struct ph_analysis_request *request;
    struct ph_series columns[COLUMNS];
    double *shadow, *kinetic; /* the shadow energy less the total one; the kinetic one */
    double kT;
    enum ph_step_free_form form;
};

static void clear(struct run *run)
{
    for (int k = 0; k < COLUMNS; ++k)
        ph_series_free(&run->columns[k]);
    free(run->shadow);
    free(run->kinetic);
}

static enum ph_status read_columns(struct run *run, struct ph_result *result, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (int k = 0; k < COLUMNS && status == PH_OK; ++k)
        if (k != ROTATION || ph_series_has(run->reader, column_names[k]))
            status = ph_series_read(run->reader, run->request, column_names[k], run->request->stage, &run->columns[k],
                                    result, err);
    const size_t n = run->columns[SHADOW].rows;
    for (int k = 0; k < COLUMNS && status == PH_OK; ++k)
        if (run->columns[k].values && run->columns[k].rows != n)
            status =
                ph_error_set(err, PH_ERR_INPUT, "%s: series/%s has %zu rows, series/%s %zu.", run->reader->file.name,
                             column_names[k], run->columns[k].rows, column_names[SHADOW], n);
    if (status != PH_OK)
        return status;
    run->shadow = ph_allocate(n + 1, sizeof *run->shadow);
    run->kinetic = ph_allocate(n + 1, sizeof *run->kinetic);
    if (!run->shadow || !run->kinetic)
        return ph_no_memory(err, "a time series");
    for (size_t i = 0; i < n; ++i) {
        run->shadow[i] = run->columns[SHADOW].values[i] - run->columns[TOTAL].values[i];
        run->kinetic[i] = run->columns[TRANSLATION].values[i];
        if (run->columns[ROTATION].values)
            run->kinetic[i] += run->columns[ROTATION].values[i];
    }
    return PH_OK;
}

/* The derivation needs a thermostat that is symmetric in the mean: langevin and velocity-rescaling are. */
static void note_thermostat(const struct ph_reader *reader, struct ph_result *result)
{
    char *kind = ph_reader_text(reader, "thermostat");
    if (kind && strncmp(kind, "nose-", 5) == 0)
        ph_result_note(
            result,
            "The correction was derived for thermostats with noise (langevin, velocity-rescaling). For %s it "
            "is a guess.",
            kind);
    free(kind);
}

/* Which formula the ensemble and the scheme need */
static enum ph_status choose_form(const char *ensemble, struct run *run, struct ph_result *result, struct ph_error *err)
{
    const char *file = run->reader->file.name;
    char *name = ph_reader_text(run->reader, "scheme");
    const struct ph_scheme *scheme = name ? ph_scheme_find(name) : NULL;
    enum ph_status status = PH_OK;
    const bool bath = strcmp(ensemble, "NVT") == 0;
    double weighted = 0.0;
    const bool weighs = ph_reader_number(run->reader, "thermostat_shadow", &weighted) && weighted > 0.0;
    if (weighs && run->request->stage)
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s: only rows of the production are known to have weights. Accepted: no --stage.", file);
    else if (ph_series_has(run->reader, "acceptance") && !weighs)
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s: steps were accepted or rejected: averages have no error of the step.", file);
    else if (!bath && strcmp(ensemble, "NVE") != 0)
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s: these rows are of ensemble '%s'. Accepted: the rows of one stage in NVE or NVT.",
                              file, ensemble);
    else if (!scheme)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: the scheme is '%s'. Accepted: a splitting scheme of order 2.",
                              file, name ? name : "not said");
    else if (weighs)
        run->form = PH_STEP_FREE_WEIGHT;
    else
        run->form = bath && !ph_shadow_of_places(scheme) ? PH_STEP_FREE_BATH : PH_STEP_FREE_PLAIN;
    if (status == PH_OK) {
        ph_result_text(result, "ensemble", ensemble);
        ph_result_text(result, "scheme", scheme->name);
        if (bath)
            note_thermostat(run->reader, result);
        if (run->form == PH_STEP_FREE_BATH)
            ph_result_note(result,
                           "With %s the correction is exact to second order for a weak thermostat. With sbab2 or saba2 "
                           "it is for any friction.",
                           scheme->name);
    }
    free(name);
    return status;
}

static enum ph_status find_temperature(const struct ph_conditions *conditions, struct run *run,
                                       struct ph_result *result, struct ph_error *err)
{
    char *name = ph_reader_text(run->reader, "units");
    const struct ph_units *units = name ? ph_units_find(name) : NULL;
    free(name);
    if (!units)
        return ph_error_set(err, PH_ERR_INPUT, "%s: does not say in which units it is (parameters/units).",
                            run->reader->file.name);
    struct ph_analysis_request known = *run->request;
    if (isnan(known.temperature))
        known.temperature = conditions->temperature;
    double temperature = NAN;
    const enum ph_status status = ph_series_temperature(run->reader, &known, &temperature, result, err);
    run->kT = units->boltzmann * temperature;
    return status;
}

/* ---- Results ---- */

static const struct quantity {
    const char *name, *help;
    bool each; /* per molecule */
} quantities[] = {
    {"potential_energy", "per molecule", true},
    {"pressure", "a third of the trace of the tensor", false},
    {"temperature_translation", "of the centres", false},
    {"temperature_rotation", "of all rotations", false},
    {"temperature_axis", "of rotation about a body axis", false},
};

static void say_value(struct ph_result *result, const char *name, const char *more, double value, double error,
                      const char *unit, const char *help)
{
    char full[PH_RESULT_NAME];
    snprintf(full, sizeof full, "%.60s%s", name, more);
    ph_result_value(result, full, value, error, unit, help);
}

/* One component of a column; `x` has room for its rows. */
static void say_component(const struct run *run, const struct quantity *quantity, const struct ph_series *series,
                          size_t component, double *x, struct ph_result *result)
{
    const double scale = quantity->each ? 1.0 / (double)ph_reader_molecules(run->reader) : 1.0;
    for (size_t i = 0; i < series->rows; ++i)
        x[i] = scale * series->values[i * series->width + component];
    const struct ph_step_free_rows rows = {series->rows, x, run->shadow, run->columns[TOTAL].values, run->kinetic};
    const struct ph_step_free found = ph_step_free_mean(&rows, run->form, run->kT);
    const struct ph_mean plain = ph_mean_of(series->rows, x);
    if (!isfinite(found.mean)) /* no molecule turns about this axis */
        return;
    char name[PH_RESULT_NAME];
    snprintf(name, sizeof name, series->width > 1 ? "%.60s_%zu" : "%.60s", quantity->name, component + 1);
    say_value(result, name, "", found.mean, found.error, series->unit, quantity->help);
    say_value(result, name, "_correction", found.correction, found.correction_error, series->unit,
              "in the line before");
    say_value(result, name, "_as_run", plain.mean, plain.error, series->unit, "mean with the error of the step");
}

static enum ph_status say_quantity(const struct run *run, const struct quantity *quantity, struct ph_result *result,
                                   struct ph_error *err)
{
    struct ph_series series = {.rows = 0};
    if (!ph_series_has(run->reader, quantity->name))
        return PH_OK;
    enum ph_status status =
        ph_series_read(run->reader, run->request, quantity->name, run->request->stage, &series, result, err);
    double *x = status == PH_OK ? ph_allocate(series.rows + 1, sizeof *x) : NULL;
    if (status == PH_OK && !x)
        status = ph_no_memory(err, "a time series");
    for (size_t k = 0; k < series.width && x; ++k)
        say_component(run, quantity, &series, k, x, result);
    free(x);
    ph_series_free(&series);
    return status;
}

static void say_rows(const struct run *run, struct ph_result *result)
{
    const struct ph_step_free_rows rows = {run->columns[SHADOW].rows, run->kinetic, run->shadow,
                                           run->columns[TOTAL].values, run->kinetic};
    ph_result_number(result, "rows", (double)rows.n, NULL);
    if (run->form != PH_STEP_FREE_WEIGHT)
        return;
    const double worth = ph_step_free_mean(&rows, run->form, run->kT).worth;
    ph_result_number(result, "rows_that_count", worth * (double)rows.n, NULL);
    if (worth < 0.1)
        ph_result_note(result,
                       "Weights of rows are so unequal that %.2g %% of the rows count: take a shorter step, or fewer "
                       "molecules.",
                       100.0 * worth);
}

static enum ph_status look_at_file(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                   struct ph_result *result, struct ph_error *err)
{
    enum { FEWEST_ROWS = 16 };
    struct run run = {.reader = reader, .request = request};
    const struct ph_conditions conditions = ph_conditions_of(reader, request->stage);
    enum ph_status status = PH_OK;
    if (!ph_series_has(reader, column_names[SHADOW]))
        status =
            ph_error_set(err, PH_ERR_INPUT,
                         "%s: series/shadow_energy is missing. Runs write it with output.shadow_energy: true and a "
                         "scheme of order 2.",
                         reader->file.name);
    if (status == PH_OK)
        status = choose_form(conditions.ensemble, &run, result, err);
    if (status == PH_OK)
        status = find_temperature(&conditions, &run, result, err);
    if (status == PH_OK)
        status = read_columns(&run, result, err);
    if (status == PH_OK && run.columns[SHADOW].rows < FEWEST_ROWS)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: %zu rows are too few. Accepted: from %d rows on.",
                              reader->file.name, run.columns[SHADOW].rows, (int)FEWEST_ROWS);
    if (status == PH_OK)
        say_rows(&run, result);
    for (size_t k = 0; k < sizeof quantities / sizeof *quantities && status == PH_OK; ++k)
        status = say_quantity(&run, &quantities[k], result, err);
    clear(&run);
    return status;
}

static enum ph_status run_analysis(const struct ph_analysis_request *request, struct ph_result *result,
                                   struct ph_error *err)
{
    return ph_look_at_file(request, look_at_file, result, err);
}

const struct ph_analysis ph_analysis_averages = {
    .name = "averages",
    .summary = "energy, pressure and temperatures without the error of a step of order 2",
    .documentation =
        "Means of potential energy, pressure and temperatures, with a correction that removes the error of the step up "
        "to fourth order. It is the covariance with the shadow energy less the total energy, over kT. Rows of "
        "metropolis "
        "with shadow: true are weighed instead, which leaves no error of the step. Errors by a jackknife. At constant "
        "energy the results are those at the mean total energy.",
    .needs = "series/shadow_energy of a run in NVE or NVT (output.shadow_energy: true)",
    .options = "stage frames temperature",
    .run = run_analysis,
};
