/* SPDX-License-Identifier: MIT */
/* Viscosities and thermal conductivity from fluxes at equilibrium. With a flux a(t), per volume,
 *   L = f int_0^inf <a(0).a(t)> dt                               (Green, Kubo)
 *     = f lim d/dt 1/2 <[A(t) - A(0)]^2>,   A the integral of a   (Einstein, Helfand)
 * where f = V/(10 kT) for the symmetric traceless momentum flux, whose five components count (Daivis, Evans, J. Chem.
 * Phys. 100 (1994) 541), V/kT for a third of its trace less the mean, and V/(3 k T^2) for the heat flux. */

/* d/dt 1/2 <A^2> is the running integral of C = <a(0).a(t)>, so both forms follow from C. The second is the slope of a
 * line through 1/2 <A^2> = int_0^t (t - s) C(s) ds from half the end of the first integral to that end. */

/* The integral ends at t_e, twice the time where C is lost in noise. What may follow is not known. C is about c there,
 * |C(t_e)| or its error, whichever is larger, and may stay so for as long again. So the integral is uncertain by f c
 * t_e besides its statistical error. The given error has both. */
#include "analysis/registry.h"
#include "analysis/statistics/correlator.h"
#include "analysis/trajectory/conditions.h"
#include "analysis/trajectory/recording.h"
#include "analysis/trajectory/series.h"
#include "analysis/trajectory/tracks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Signals ---- */

/* Symmetric traceless part: xx, yy, zz, xy, xz, yz */
static const double shear_weights[6] = {1.0, 1.0, 1.0, 2.0, 2.0, 2.0};

static void shear_signal(size_t s, const void *data, double *out)
{
    (void)s;
    const struct ph_series *series = data;
    const size_t n = series->rows;
    for (size_t k = 0; k < n; ++k) {
        const double *p = &series->values[9 * k], third = (p[0] + p[4] + p[8]) / 3.0;
        for (size_t x = 0; x < 3; ++x)
            out[x * n + k] = p[4 * x] - third;
        out[3 * n + k] = 0.5 * (p[1] + p[3]);
        out[4 * n + k] = 0.5 * (p[2] + p[6]);
        out[5 * n + k] = 0.5 * (p[5] + p[7]);
    }
}

static void trace_signal(size_t s, const void *data, double *out)
{
    (void)s;
    const struct ph_series *series = data;
    double sum = 0.0;
    for (size_t k = 0; k < series->rows; ++k) {
        const double *p = &series->values[9 * k];
        sum += out[k] = (p[0] + p[4] + p[8]) / 3.0;
    }
    for (size_t k = 0; k < series->rows; ++k)
        out[k] -= sum / (double)series->rows;
}

static void vector_signal(size_t s, const void *data, double *out)
{
    (void)s;
    const struct ph_series *series = data;
    for (size_t k = 0; k < series->rows; ++k)
        for (size_t c = 0; c < 3; ++c)
            out[c * series->rows + k] = series->values[3 * k + c];
}

/* ---- Coefficients ---- */

static const char heat[] = "conductivity";

static const struct coefficient {
    const char *name, *of; /* of the value, and the word of --of */
    const char *flux, *instead;
    bool extra; /* without it --of has another one */
    size_t width, components;
    const double *weights;
    ph_signal *signal;
    double volumes; /* factor of V/kT, or of V/kT^2 */
    const char *unit, *practical, *practical_unit;
    double in_practical; /* of one unit of a file */
    const char *help;
} coefficients[] = {
    {"viscosity", "viscosity", "fluxes/momentum_flux", "pressure_tensor", false, 9, 6, shear_weights, shear_signal, 0.1,
     "kJ mol-1 ps nm-3", "viscosity_in_mPas", "mPa s", 1.0 / 602.214076,
     "V/(10 kT) times the integral of the symmetric traceless momentum flux"},
    {"viscosity_atomic", "viscosity", "fluxes/momentum_flux_atomic", NULL, true, 9, 6, shear_weights, shear_signal, 0.1,
     "kJ mol-1 ps nm-3", "viscosity_atomic_in_mPas", "mPa s", 1.0 / 602.214076,
     "the same from the flux of mass points of molecules"},
    {"bulk_viscosity", "bulk-viscosity", "fluxes/momentum_flux", "pressure_tensor", false, 9, 1, NULL, trace_signal,
     1.0, "kJ mol-1 ps nm-3", "bulk_viscosity_in_mPas", "mPa s", 1.0 / 602.214076,
     "V/kT times the integral of the fluctuation of the pressure"},
    {heat, "conductivity", "fluxes/heat_flux", NULL, false, 3, 3, NULL, vector_signal, 1.0 / 3.0,
     "kJ mol-1 nm-1 ps-1 K-1", "conductivity_in_W_per_m_K", "W m-1 K-1", 1.66053906717,
     "V/(3 k T^2) times the integral of the heat flux"},
};
enum { N = sizeof coefficients / sizeof *coefficients };

/* ---- From sums to curves ---- */

struct shape {
    size_t lags, end, from; /* the integral ends at `end`, and so does the line, which begins at `from` */
    bool cut;               /* C is not lost in noise before the longest lag */
    double interval, factor;
};
/* Behind C, its running integral and the mean square of A over 2 t, n numbers each */
enum { ZERO, TIME, INTEGRAL, SLOPE, NUMBERS };

static double slope_of(const double *y, size_t from, size_t to, double interval)
{
    double mean = 0.0, product = 0.0, square = 0.0;
    const double n = (double)(to - from + 1), middle = 0.5 * (double)(from + to);
    for (size_t k = from; k <= to; ++k)
        mean += y[k] / n;
    for (size_t k = from; k <= to; ++k) {
        const double x = (double)k - middle;
        product += x * (y[k] - mean);
        square += x * x;
    }
    return product / (square * interval);
}

static void curves(const double *sums, const void *data, double *out)
{
    const struct shape *shape = data;
    const size_t n = shape->lags;
    double *c = out, *integral = out + n, *square = out + 2 * n, *number = out + 3 * n;
    const double half = 0.5 * shape->interval;
    for (size_t k = 0; k < n; ++k) {
        c[k] = sums[k] / sums[n + k];
        integral[k] = k > 0 ? integral[k - 1] + shape->factor * half * (c[k - 1] + c[k]) : 0.0;
        square[k] = k > 0 ? square[k - 1] + half * (integral[k - 1] + integral[k]) : 0.0; /* times t, until below */
    }
    number[ZERO] = c[0];
    number[TIME] = integral[shape->end] / (shape->factor * c[0]);
    number[INTEGRAL] = integral[shape->end];
    number[SLOPE] = slope_of(square, shape->from, shape->end, shape->interval);
    for (size_t k = n; k-- > 0;) {
        c[k] /= c[0];
        square[k] = k > 0 ? square[k] / (shape->interval * (double)k) : 0.0;
    }
}

/* Twice the time where C is lost in noise, or the second time of --fit. An integral to the first of these is too small
 * in the mean, because C meets its error first where chance makes it small. */
static void find_end(const struct ph_analysis_request *request, const double *c, const double *error,
                     struct shape *shape)
{
    size_t lost = 1;
    while (lost + 2 < shape->lags &&
           (lost < 3 || fabs(c[lost]) > 2.0 * error[lost] || fabs(c[lost + 1]) > 2.0 * error[lost + 1]))
        ++lost;
    shape->cut = lost + 2 >= shape->lags;
    shape->end = 2 * lost < shape->lags ? 2 * lost : shape->lags - 1;
    if (!isnan(request->fit[1]))
        shape->end =
            (size_t)fmin((double)shape->lags - 1.0, fmax(2.0, floor(request->fit[1] / shape->interval * (1.0 + 1e-9))));
    shape->from = shape->end / 2;
}

/* What may follow the end of the integral */
static double tail_of(const struct shape *shape, const double *values, const double *errors)
{
    const double last = fmax(fabs(values[shape->end]), errors[shape->end]);
    return shape->factor * values[3 * shape->lags + ZERO] * last * shape->interval * (double)shape->end;
}

/* ---- To results ---- */

struct about {
    const struct ph_analysis_request *request;
    const struct ph_recording *recording;
    double volume, kT, temperature;
};

static struct ph_value *say(struct ph_result *result, const char *name, const char *behind, double value, double error,
                            const char *unit, const char *help)
{
    char whole[PH_RESULT_NAME];
    snprintf(whole, sizeof whole, "%s%s", name, behind);
    return ph_result_value(result, whole, value, error, unit, help);
}

static void say_values(const struct coefficient *of, const struct about *about, const struct shape *shape,
                       const double *values, const double *errors, bool rough, struct ph_result *result)
{
    const size_t at = 3 * shape->lags, first = result->n_values;
    const char *clock = about->recording->clock, *unit = ph_recording_unit(about->recording, of->unit);
    const double tail = tail_of(shape, values, errors), found = values[at + INTEGRAL];
    const double error = hypot(errors[at + INTEGRAL], tail);
    say(result, of->name, "", found, error, unit, of->help);
    say(result, of->name, "_statistical_error", errors[at + INTEGRAL], NAN, unit,
        "the part of the error that is noise");
    say(result, of->name, "_tail", tail, NAN, unit, "the part of the error that is the end of the integral");
    say(result, of->name, "_einstein", values[at + SLOPE], errors[at + SLOPE], unit,
        "slope of half the mean square of the integrated flux");
    say(result, of->name, "_time", values[at + TIME], errors[at + TIME], clock, "integral of the normalised function");
    if (about->recording->physical)
        ph_result_value(result, of->practical, of->in_practical * found, of->in_practical * error, of->practical_unit,
                        "the same");
    char name[PH_RESULT_NAME];
    snprintf(name, sizeof name, "integrated_to.%s", of->name);
    ph_result_number(result, name, shape->interval * (double)shape->end, clock);
    for (size_t k = first; k < result->n_values; ++k) {
        struct ph_value *value = &result->values[k];
        value->rough = rough;
        if (strstr(value->name, "_tail") || strstr(value->name, "_statistical") || strstr(value->name, "_time"))
            continue;
        if (shape->cut && isfinite(errors[0]))
            ph_value_caution(value,
                             "the function has not decayed: at the longest lag it is %.2g of its first value, and the "
                             "integral ends there",
                             values[shape->end]);
        if (of->name == heat && about->recording->n_kinds > 1)
            ph_value_caution(value, "in a mixture the flux carries the energies of its kinds along with them: this is "
                                    "no conductivity");
    }
    if (values[1] < 0.5)
        ph_result_note(result,
                       "%s: the flux falls to %.2f from one row to the next, so its integral is not accurate. Take "
                       "fewer steps for output.fluxes_every.",
                       of->name, values[1]);
}

static void say_table(const struct coefficient *of, const struct about *about, const struct shape *shape,
                      const double *values, const double *errors, struct ph_result *result)
{
    const size_t n = shape->lags;
    const char *unit = ph_recording_unit(about->recording, of->unit);
    static const char *const names[] = {"c", "integral", "einstein"};
    struct ph_result_table *table =
        ph_result_table(result, n,
                        "correlation of the flux over its value at 0, its running integral, and the mean square of the "
                        "integrated flux over 2 t",
                        "%s", of->name);
    double *time = ph_result_column(result, table, "time", about->recording->clock);
    for (size_t k = 0; k < n && time; ++k)
        time[k] = shape->interval * (double)k;
    for (size_t c = 0; c < 3; ++c) {
        char name[PH_RESULT_NAME];
        snprintf(name, sizeof name, "%s_error", names[c]);
        double *column = ph_result_column(result, table, names[c], c > 0 ? unit : "");
        if (column)
            memcpy(column, values + c * n, n * sizeof *column);
        column = ph_result_column(result, table, name, c > 0 ? unit : "");
        if (column)
            memcpy(column, errors + c * n, n * sizeof *column);
    }
}

static enum ph_status integrate(const struct coefficient *of, const struct about *about,
                                const struct ph_correlator *correlator, struct shape *shape, struct ph_result *result,
                                struct ph_error *err)
{
    const size_t n = shape->lags, width = 3 * n + NUMBERS;
    double *sums = ph_correlator_table(correlator), *groups = ph_correlator_group_table(correlator);
    double *values = calloc(2 * width, sizeof *values), *errors = values ? values + width : NULL;
    shape->end = 2;
    shape->from = 1;
    bool good = sums && groups && values &&
                ph_correlator_errors(correlator, sums, groups, curves, shape, width, values, errors);
    if (good) {
        find_end(about->request, values, errors, shape);
        good = ph_correlator_errors(correlator, sums, groups, curves, shape, width, values, errors);
    }
    if (good) {
        say_values(of, about, shape, values, errors, shape->end > ph_correlator_first(correlator, 1), result);
        say_table(of, about, shape, values, errors, result);
    }
    free(sums);
    free(groups);
    free(values);
    return good ? PH_OK : ph_no_memory(err, "a correlation function");
}

static enum ph_status correlate(const struct coefficient *of, const struct about *about, const struct ph_series *series,
                                struct ph_result *result, struct ph_error *err)
{
    const double part = 0.1; /* the longest lag over the length of the series */
    const struct ph_analysis_request *request = about->request;
    const double k_or_one = of->name == heat ? about->temperature : 1.0;
    struct shape shape = {.interval = series->interval, .factor = of->volumes * about->volume / (about->kT * k_or_one)};
    struct ph_correlator *correlator = NULL;
    enum ph_status status =
        ph_choose_lags(request->files[0], series->rows, series->interval, request->lag, part, &shape.lags, err);
    enum { FEWEST = 3 };
    if (status == PH_OK && isnan(request->lag) && shape.lags < FEWEST && series->rows >= FEWEST)
        shape.lags = FEWEST;
    if (status == PH_OK && shape.lags < FEWEST)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: %zu rows of %s are too few for transport coefficients.",
                              request->files[0], series->rows, of->flux);
    if (status == PH_OK)
        status = ph_correlator_create(series->rows, shape.lags, &correlator, err);
    if (status == PH_OK)
        status = ph_correlator_add(correlator, 1, of->components, of->weights, of->signal, series, err);
    if (status == PH_OK)
        status = integrate(of, about, correlator, &shape, result, err);
    ph_correlator_destroy(correlator);
    return status;
}

static enum ph_status find_one(const struct coefficient *of, const struct about *about, struct ph_result *result,
                               struct ph_error *err)
{
    const struct ph_reader *reader = &about->recording->reader;
    const bool there = ph_series_has(reader, of->flux);
    const char *from = !there && of->instead && ph_series_has(reader, of->instead) ? of->instead : of->flux;
    if (!there && from == of->flux)
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s: has no %s. Runs write fluxes with output.fluxes_every, and among them the heat flux if "
            "all their forces are sums over pairs.",
            reader->file.name, of->flux);
    if (from != of->flux)
        ph_result_note(result, "%s is from the rows of series/%s. output.fluxes_every writes more of them.", of->name,
                       from);
    struct ph_series series;
    enum ph_status status = ph_series_read(reader, about->request, from, about->request->stage, &series, result, err);
    if (status == PH_OK && series.width != of->width)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: %s has %zu components, not %zu.", reader->file.name, from,
                              series.width, of->width);
    bool any = false;
    for (size_t k = 0; status == PH_OK && k < series.rows * series.width && !any; ++k)
        any = series.values[k] != 0.0;
    if (status == PH_OK && !any)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: %s is 0 throughout.", reader->file.name, from);
    if (status == PH_OK)
        status = correlate(of, about, &series, result, err);
    ph_series_free(&series);
    return status;
}

static const char volume[] = "fluxes/volume";

static enum ph_status mean_volume(struct about *about, struct ph_result *result, struct ph_error *err)
{
    struct ph_series series;
    const enum ph_status status =
        ph_series_read(&about->recording->reader, about->request, volume, about->request->stage, &series, result, err);
    if (status == PH_OK)
        about->volume = ph_series_mean(&series, 0, 1.0).mean;
    ph_series_free(&series);
    return status;
}

static enum ph_status find_conditions(struct about *about, struct ph_result *result, struct ph_error *err)
{
    const struct ph_recording *recording = about->recording;
    struct ph_boxes boxes = {.volume = NAN};
    enum ph_status status = ph_series_temperature(&recording->reader, about->request, &about->temperature, result, err);
    if (status == PH_OK)
        status = ph_recording_boxes(recording, about->request->stage, &boxes, result, err);
    about->volume = boxes.volume;
    if (status == PH_OK && ph_series_has(&recording->reader, volume))
        status = mean_volume(about, result, err);
    if (status == PH_OK && !(about->volume > 0.0))
        status = ph_error_set(err, PH_ERR_INPUT, "%s: has neither fluxes nor frames with a periodic box.",
                              recording->reader.file.name);
    about->kT = recording->boltzmann * about->temperature;
    const struct ph_conditions conditions = ph_conditions_of(&recording->reader, about->request->stage);
    if (status == PH_OK && conditions.ensemble[0] && strcmp(conditions.ensemble, "NVE") != 0)
        ph_result_note(result,
                       "The ensemble is %s. Thermostats and barostats change fluxes in time: transport coefficients "
                       "need a production at constant energy.",
                       conditions.ensemble);
    return status;
}

/* Molecules that do not turn are one mass point each. */
static bool any_turns(const struct ph_recording *recording)
{
    bool any = false;
    for (size_t k = 0; k < recording->n_kinds; ++k)
        any = any || !recording->kinds[k].known || recording->kinds[k].species.degrees > 0;
    return any;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    bool known = !request->of;
    for (size_t k = 0; k < N && !known; ++k)
        known = strcmp(coefficients[k].of, request->of) == 0;
    if (!known)
        return ph_error_set(err, PH_ERR_INPUT, "--of %s: not accepted; give viscosity, bulk-viscosity or conductivity.",
                            request->of);
    struct ph_recording recording;
    enum ph_status status = ph_recording_open_about(request, &recording, err);
    struct about about = {.request = request, .recording = &recording};
    if (status == PH_OK)
        status = find_conditions(&about, result, err);
    for (size_t k = 0; k < N && status == PH_OK; ++k) {
        struct ph_error inner = {.status = PH_OK};
        if ((request->of && strcmp(request->of, coefficients[k].of) != 0) ||
            (coefficients[k].extra && !any_turns(&recording)))
            continue;
        status = find_one(&coefficients[k], &about, result, &inner);
        if (status == PH_ERR_INPUT && (!request->of || coefficients[k].extra)) { /* the file may have the others */
            ph_result_note(result, "Without %s: %s", coefficients[k].name, inner.text);
            status = PH_OK;
        } else if (status != PH_OK && err) {
            *err = inner;
        }
    }
    if (status == PH_OK && result->n_tables == 0)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: has no flux. %.700s", request->files[0],
                              result->n_notes > 0 ? result->notes[result->n_notes - 1] : "");
    ph_recording_close(&recording);
    return status;
}

const struct ph_analysis ph_analysis_transport = {
    .name = "transport",
    .summary = "viscosities and thermal conductivity from fluxes",
    .documentation =
        "Shear viscosity, of molecules and of their mass points, bulk viscosity and thermal conductivity, each as an "
        "integral of a correlation (Green, Kubo) and as a slope (Einstein). Errors include what may follow the end of "
        "the integral. --of takes one of viscosity, bulk-viscosity, conductivity. Integrals end at twice the time "
        "where the correlation is lost in noise, or at the second time of --fit.",
    .needs = "fluxes of a run at constant energy (output.fluxes_every), or for viscosities series/pressure_tensor; "
             "series/temperature",
    .options = "stage frames of lag fit temperature",
    .run = run,
};
