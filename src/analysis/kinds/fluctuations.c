/* SPDX-License-Identifier: MIT */
/* Means of volume, density, enthalpy, energy, temperature and pressure, and the coefficients that follow from their
 * fluctuations: heat capacities, compressibility, thermal expansion. The ensemble of a run decides which of them
 * follow. E is the total energy, K the kinetic one, V the volume, P the target pressure, H = E + P V. k is Boltzmann's
 * constant, var and cov are variance and covariance; b = 1/kT.
 *
 * NVT. With Z = sum of exp(-bE): <E> = -dlnZ/db, var(E) = -d<E>/db, and db = -dT/kT^2:
 *   var(E) = k T^2 C_V. */

/* NPT. With Y = sum of exp(-bE - bPV): <V> = -(1/b) dlnY/dP and <H> = -dlnY/db, hence -d<V>/dP = b var(V),
 * k T^2 d<H>/dT = var(H), k T^2 d<V>/dT = cov(V, H):
 *   var(V) = V kT kappa_T,   var(H) = k T^2 C_P,   cov(V, H) = k T^2 V alpha,
 * and C_V = C_P - T V alpha^2/kappa_T from thermodynamics. Allen, Tildesley, Computer Simulation of Liquids (2nd ed.,
 * 2017), section 2.5. */

/* NVE. With f degrees of freedom of quadratic kinetic energy the states of potential energy U weigh (E - U)^(f/2 - 1).
 * With W(E) = sum of (E - U)^(f/2), over configurations, W' = (f/2) sum of (E - U)^(f/2 - 1) and so on:
 *   kT = W/W' = 2<K>/f,   k/C_V = d(kT)/dE = 1 - W W''/W'^2 = 1 - (1 - 2/f) <K> <1/K>
 * (Pearson, Halicioglu, Tiller, Phys. Rev. A 32 (1985) 3030), for any number of molecules. To first order in var(K) it
 * is var(K) = f/2 (kT)^2 (1 - f k/(2 C_V)) (Lebowitz, Percus, Verlet, Phys. Rev. 153 (1967) 250).
 * NPH has formulas of its own: means only. */

/* Temperature is the target temperature if the run has a thermostat. All of this is per molecule, of the degrees of
 * freedom that move: a centre of mass at rest takes 3k/2 from the heat capacity of the whole sample. */
#include "analysis/registry.h"
#include "analysis/trajectory/conditions.h"
#include "analysis/trajectory/series.h"
#include "base/memory.h"
#include "model/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Means ---- */

/* The enthalpy has a meaning only in a run with a target pressure. */
static enum ph_status say_means(const struct ph_reader *reader, const struct ph_analysis_request *request, bool pressed,
                                struct ph_result *result, struct ph_error *err)
{
    static const struct {
        const char *name, *help;
        bool each;
    } columns[] = {
        {"volume", "of the box", false},
        {"density", "molecules per volume", false},
        {"mass_density", "mass per volume", false},
        {"enthalpy", "total energy + asked pressure * volume, per molecule", true},
        {"total_energy", "per molecule", true},
        {"temperature", "of all degrees of freedom", false},
        {"pressure", "a third of the trace of the tensor", false},
    };
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < sizeof columns / sizeof *columns && status == PH_OK; ++k) {
        struct ph_series series;
        if (!ph_series_has(reader, columns[k].name) || (!pressed && strcmp(columns[k].name, "enthalpy") == 0))
            continue;
        status = ph_series_read(reader, request, columns[k].name, request->stage, &series, result, err);
        const double scale = columns[k].each ? 1.0 / (double)ph_reader_molecules(reader) : 1.0;
        const struct ph_mean mean = status == PH_OK ? ph_series_mean(&series, 0, scale) : ph_mean_of(0, NULL);
        if (isfinite(mean.mean)) {
            ph_series_say(result, &series, &mean, columns[k].name, series.unit, columns[k].help);
            if (strcmp(columns[k].name, "pressure") == 0)
                ph_series_say_bar(result, &series);
        }
        ph_series_free(&series);
    }
    return status;
}

/* ---- Fluctuations ---- */

struct state {
    double n;              /* molecules */
    double k, temperature; /* Boltzmann's constant, and T */
    double degrees;        /* f */
    double a, b;           /* offsets that are subtracted from a and b below: keeps digits */
};

/* Sums of two quantities in time, a and b */
enum { COUNT, A, B, AA, BB, AB, SUMS };

static double variance(const double *sums, int square, int sum)
{
    return sums[square] / sums[COUNT] - sums[sum] / sums[COUNT] * (sums[sum] / sums[COUNT]);
}

/* a = V, b = H */
static double volume(const double *sums, const struct state *s) { return s->a + sums[A] / sums[COUNT]; }

static double compressibility(const double *sums, const void *data)
{
    const struct state *s = data;
    return variance(sums, AA, A) / (volume(sums, s) * s->k * s->temperature);
}

static double expansion(const double *sums, const void *data)
{
    const struct state *s = data;
    const double both = sums[AB] / sums[COUNT] - sums[A] / sums[COUNT] * (sums[B] / sums[COUNT]);
    return both / (s->k * s->temperature * s->temperature * volume(sums, s));
}

/* In units of k */
static double heat_capacity_of_b(const double *sums, const void *data)
{
    const struct state *s = data;
    const double kT = s->k * s->temperature;
    return variance(sums, BB, B) / (kT * kT * s->n);
}

static double heat_capacity_less(const double *sums, const void *data)
{
    const struct state *s = data;
    const double alpha = expansion(sums, data);
    const double less = s->temperature * volume(sums, s) * alpha * alpha / compressibility(sums, data);
    return heat_capacity_of_b(sums, data) - less / (s->k * s->n);
}

/* a = K, b = 1/K, both relative to the mean */
static double heat_capacity_of_kinetic(const double *sums, const void *data)
{
    const struct state *s = data;
    const double product = sums[A] / sums[COUNT] * (sums[B] / sums[COUNT]);
    const double inverse = 1.0 - (1.0 - 2.0 / s->degrees) * product;
    return inverse > 0.0 ? 1.0 / (inverse * s->n) : NAN;
}

enum scale { PER_K, PER_PRESSURE, PER_TEMPERATURE };

static const struct fluctuation {
    const char *ensemble, *name, *help;
    ph_function *f;
    enum scale scale;
} fluctuations[] = {
    {"NVT", "heat_capacity_V", "per molecule, from var(E)", heat_capacity_of_b, PER_K},
    {"NPT", "compressibility", "isothermal, from var(V)", compressibility, PER_PRESSURE},
    {"NPT", "thermal_expansion", "from cov(V, H)", expansion, PER_TEMPERATURE},
    {"NPT", "heat_capacity_P", "per molecule, from var(H)", heat_capacity_of_b, PER_K},
    {"NPT", "heat_capacity_V", "per molecule, C_P - T V alpha^2/kappa", heat_capacity_less, PER_K},
    {"NVE", "heat_capacity_V", "per molecule, from the fluctuation of the kinetic energy", heat_capacity_of_kinetic,
     PER_K},
};
enum { N = sizeof fluctuations / sizeof *fluctuations };

/* A quantity in time, and how far apart independent numbers of it are */
struct record {
    size_t rows;
    double *a, *b; /* owned */
    double interval;
    size_t block;
    double inefficiency;
    bool rough;
};

/* Values and their squares about the mean: the slower ones decide. */
static bool look_at(size_t n, const double *x, struct record *record)
{
    double *square = ph_allocate(n + 1, sizeof *square);
    if (!square)
        return false;
    struct ph_mean means[2] = {ph_mean_of(n, x)};
    for (size_t k = 0; k < n; ++k)
        square[k] = (x[k] - means[0].mean) * (x[k] - means[0].mean);
    means[1] = ph_mean_of(n, square);
    free(square);
    for (int k = 0; k < 2; ++k) {
        record->block = means[k].block > record->block ? means[k].block : record->block;
        record->inefficiency = fmax(record->inefficiency, means[k].inefficiency);
        record->rough = record->rough || means[k].rough;
    }
    return true;
}

static void sum_blocks(const struct record *record, const struct state *state, size_t blocks, double *sums)
{
    memset(sums, 0, blocks * SUMS * sizeof *sums);
    for (size_t block = 0; block < blocks; ++block)
        for (size_t k = block * record->rows / blocks; k < (block + 1) * record->rows / blocks; ++k) {
            const double a = record->a[k] - state->a, b = record->b[k] - state->b;
            const double terms[SUMS] = {[COUNT] = 1.0, [A] = a, [B] = b, [AA] = a * a, [BB] = b * b, [AB] = a * b};
            for (int t = 0; t < SUMS; ++t)
                sums[block * SUMS + (size_t)t] += terms[t];
        }
}

/* In md units heat capacities are in J/(mol K) and in k, compressibilities in 1/bar. */
static void say(const struct fluctuation *what, const struct record *record, const struct state *state, bool physical,
                double value, double error, struct ph_result *result)
{
    static const char *const units[] = {"J mol-1 K-1", "bar-1", "K-1"};
    const double scales[] = {1000.0 * state->k, 1.0 / ph_series_bar, 1.0};
    const double scale = physical ? scales[what->scale] : 1.0;
    char name[PH_RESULT_NAME];
    struct ph_value *said = ph_result_value(result, what->name, scale * value, scale * error,
                                            physical ? units[what->scale] : "", what->help);
    said->correlation_time = 0.5 * record->inefficiency * record->interval;
    said->rough = record->rough;
    if (!physical || what->scale != PER_K)
        return;
    snprintf(name, sizeof name, "%s_in_k", what->name);
    said = ph_result_value(result, name, value, error, "", "the same, in units of Boltzmann's constant");
    said->rough = record->rough;
}

/* Fewer independent numbers than this tell no variance: their own mean takes a tenth of it and more. */
enum { FEWEST_INDEPENDENT = 10, FEWEST_BLOCKS = 8, MOST_BLOCKS = 32 };

static bool say_fluctuations(const char *ensemble, struct record *record, const struct state *state, bool physical,
                             struct ph_result *result)
{
    double sums[MOST_BLOCKS * SUMS];
    if (!look_at(record->rows, record->a, record) || !look_at(record->rows, record->b, record))
        return false;
    if ((double)record->rows < FEWEST_INDEPENDENT * record->inefficiency) {
        ph_result_note(result,
                       "The run is as long as %.1f independent numbers: too short for fluctuations, of which %d are "
                       "needed at the least. Heat capacities and the like are not given.",
                       (double)record->rows / record->inefficiency, (int)FEWEST_INDEPENDENT);
        return true;
    }
    size_t blocks = record->rows / record->block;
    blocks = blocks > MOST_BLOCKS ? MOST_BLOCKS : (blocks < FEWEST_BLOCKS ? FEWEST_BLOCKS : blocks);
    sum_blocks(record, state, blocks, sums);
    for (size_t k = 0; k < N; ++k) {
        double value, error;
        if (strcmp(fluctuations[k].ensemble, ensemble) != 0)
            continue;
        ph_jackknife(blocks, SUMS, sums, fluctuations[k].f, state, &value, &error);
        if (isfinite(value))
            say(&fluctuations[k], record, state, physical, value, error, result);
        else
            ph_result_note(result, "%s: the fluctuations are larger than any value allows.", fluctuations[k].name);
    }
    ph_result_number(result, "blocks", (double)blocks, NULL);
    return true;
}

/* ---- Content of the file ---- */

/* Adds a column to `x`, which is allocated for the first one. */
static enum ph_status add_column(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                 const char *name, size_t *rows, double *interval, double **x, struct ph_result *result,
                                 struct ph_error *err)
{
    struct ph_series series;
    enum ph_status status = ph_series_read(reader, request, name, request->stage, &series, result, err);
    if (status == PH_OK && !*x) {
        *rows = series.rows;
        *interval = series.interval;
        *x = ph_allocate(series.rows + 1, sizeof **x);
    }
    if (status == PH_OK && !*x)
        status = ph_no_memory(err, "a time series");
    if (status == PH_OK && *rows != series.rows)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: series/%s has %zu rows, another one %zu.", reader->file.name,
                              name, series.rows, *rows);
    for (size_t k = 0; status == PH_OK && k < series.rows; ++k)
        (*x)[k] += series.values[k * series.width];
    ph_series_free(&series);
    return status;
}

/* a and b as the formulas want them */
static enum ph_status read_record(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                  const char *ensemble, struct record *record, struct state *state,
                                  struct ph_result *result, struct ph_error *err)
{
    const bool volumes = strcmp(ensemble, "NPT") == 0, kinetic = strcmp(ensemble, "NVE") == 0;
    const char *const first = volumes ? "volume" : (kinetic ? "kinetic_energy_translation" : "total_energy");
    const char *const second = volumes ? "enthalpy" : (kinetic ? "kinetic_energy_translation" : "total_energy");
    const char *const rotation = "kinetic_energy_rotation";
    enum ph_status status =
        add_column(reader, request, first, &record->rows, &record->interval, &record->a, result, err);
    if (status == PH_OK)
        status = add_column(reader, request, second, &record->rows, &record->interval, &record->b, result, err);
    if (status == PH_OK && kinetic && ph_series_has(reader, rotation))
        status = add_column(reader, request, rotation, &record->rows, &record->interval, &record->a, result, err);
    if (status != PH_OK)
        return status;
    const double mean = ph_mean_of(record->rows, record->a).mean;
    for (size_t k = 0; k < record->rows && kinetic; ++k) {
        record->a[k] /= mean;
        record->b[k] = 1.0 / record->a[k];
    }
    state->a = kinetic ? 0.0 : mean;
    state->b = kinetic ? 0.0 : ph_mean_of(record->rows, record->b).mean;
    return PH_OK;
}

/* Finds the temperature: --temperature, the target, or the mean */
static enum ph_status find_temperature(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                       double asked, double *temperature, struct ph_result *result,
                                       struct ph_error *err)
{
    struct ph_analysis_request known = *request;
    if (isnan(known.temperature))
        known.temperature = asked;
    return ph_series_temperature(reader, &known, temperature, result, err);
}

/* Finds whether the volume changes, as during a ramp of the density */
static enum ph_status volume_changes(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                     bool *changes, struct ph_result *result, struct ph_error *err)
{
    struct ph_series series;
    *changes = false;
    if (!ph_series_has(reader, "volume"))
        return PH_OK;
    const enum ph_status status = ph_series_read(reader, request, "volume", request->stage, &series, result, err);
    for (size_t k = 0; k < series.rows && status == PH_OK; ++k)
        *changes = *changes || series.values[k] != series.values[0];
    ph_series_free(&series);
    return status;
}

/* Finds the conditions of the requested rows. The ensemble is "" if no result follows from fluctuations there. A file
 * that does not name its ensemble is taken as NVE. */
static enum ph_status find_conditions(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                      struct ph_conditions *conditions, struct ph_result *result, struct ph_error *err)
{
    *conditions = ph_conditions_of(reader, request->stage);
    char *const ensemble = conditions->ensemble;
    if (!conditions->one) {
        ph_result_note(result, "Only means are given: fluctuations need one stage of which the file says the ensemble, "
                               "the production or that of --stage NAME.");
        return PH_OK;
    }
    if (!ensemble[0]) {
        strcpy(ensemble, "NVE");
        ph_result_note(result, "%s does not say which ensemble it is of: constant energy (NVE) is assumed.",
                       reader->file.name);
    }
    ph_result_text(result, "ensemble", ensemble);
    bool changes = false;
    enum ph_status status = PH_OK;
    if (strcmp(ensemble, "NVT") == 0 || strcmp(ensemble, "NVE") == 0)
        status = volume_changes(reader, request, &changes, result, err);
    if (changes) {
        ph_result_note(result, "The volume changes while no pressure is kept, as in a ramp of the density: "
                               "fluctuations tell nothing there, and means are of states on the way.");
        ensemble[0] = '\0';
    } else if (strcmp(ensemble, "NPH") == 0) {
        ph_result_note(result, "In NPH neither the temperature nor the energy is that of a bath: compressibility, heat "
                               "capacities and expansion are not given. A run in NPT tells them.");
    }
    return status;
}

static enum ph_status look_at_file(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                   struct ph_result *result, struct ph_error *err)
{
    char *name = ph_reader_text(reader, "units");
    const struct ph_units *units = name ? ph_units_find(name) : NULL;
    free(name);
    struct record record = {.block = 1, .inefficiency = 1.0};
    struct state state = {.n = (double)ph_reader_molecules(reader), .k = units ? units->boltzmann : NAN};
    struct ph_conditions conditions;
    const char *const ensemble = conditions.ensemble;
    enum ph_status status = find_conditions(reader, request, &conditions, result, err);
    ph_result_number(result, "molecules", state.n, NULL);
    if (status == PH_OK)
        status = say_means(reader, request, isfinite(conditions.pressure), result, err);
    bool told = false;
    for (size_t k = 0; k < N; ++k)
        told = told || strcmp(fluctuations[k].ensemble, ensemble) == 0;
    if (status != PH_OK || !told)
        return status;
    if (!units)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: does not say in which units it is (parameters/units: reduced or md).",
                            reader->file.name);
    if (strcmp(ensemble, "NVE") != 0)
        status = find_temperature(reader, request, conditions.temperature, &state.temperature, result, err);
    else if (!(conditions.degrees > 2.0)) {
        ph_result_note(result,
                       "%s does not say how many degrees of freedom there are (parameters/degrees_of_...), or "
                       "has two at most: the heat capacity is not given.",
                       reader->file.name);
        return status;
    }
    state.degrees = conditions.degrees;
    if (status == PH_OK)
        status = read_record(reader, request, ensemble, &record, &state, result, err);
    if (status == PH_OK) {
        ph_result_number(result, "rows", (double)record.rows, NULL);
        if (!say_fluctuations(ensemble, &record, &state, strcmp(units->name, "md") == 0, result))
            status = ph_no_memory(err, "a time series");
    }
    free(record.a);
    free(record.b);
    return status;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    return ph_look_at_file(request, look_at_file, result, err);
}

const struct ph_analysis ph_analysis_fluctuations = {
    .name = "fluctuations",
    .summary = "density, enthalpy and the like; heat capacity, compressibility and expansion from fluctuations",
    .documentation =
        "Means with errors of volume, density, enthalpy, energy, temperature and pressure. From fluctuations, with "
        "errors by a jackknife, what the ensemble of the stage allows: the heat capacity at constant volume in NVT and "
        "NVE; in NPT the isothermal compressibility, the thermal expansion and both heat capacities.",
    .needs = "series/total_energy; of NPT volume and enthalpy; of NVE kinetic_energy_translation and "
             "parameters/degrees_of_...",
    .options = "stage frames temperature",
    .run = run,
};
