/* SPDX-License-Identifier: MIT */
#include "lab/bench/accuracy.h"

#include "run/build/build.h"
#include "run/observables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
const struct ph_accuracy_fluid ph_accuracy_fluids[PH_ACCURACY_FLUIDS] = {
    {.name = "stockmayer",
     .summary = "Stockmayer fluid, density 0.8, temperature 1.35, mu^2 = 3, cutoff 3.5 with a C6 switch from 3.0",
     .molecules = 500,
     .input = "units: reduced\n"
              "system:\n"
              "  box: {density: 0.8}\n"
              "  molecules: [{model: stockmayer, count: %zu}]\n"
              "  start: {kind: fcc, jitter: 0.05, temperature: 1.35}\n"
              "interactions: {cutoff: 3.5, switch: {width: 0.5, smoothness: 6}, electrostatics: {method: cutoff}}\n",
     .time = 1.5, .melt = 12.0, .between = 5.0,
     .rates = {125.0, 180.0, 250.0, 360.0, 500.0, 710.0, 1000.0, 1410.0, 2000.0, 2830.0, 4000.0}},
    {.name = "water",
     .summary = "SPC/E water, 33.37 molecules per nm^3, 298 K, cutoff 0.9 nm with a C6 switch from 0.8, electrostatics on a mesh to 1e-6",
     .molecules = 216,
     .input = "units: md\n"
              "system:\n"
              "  box: {density: 33.37}\n"
              "  molecules: [{model: spc-e, count: %zu}]\n"
              "  start: {kind: simple-cubic, jitter: 0.05, temperature: 298}\n"
              "interactions: {cutoff: 0.9, switch: {width: 0.1, smoothness: 6},\n"
              "               electrostatics: {method: mesh, tolerance: 1e-6}}\n",
     .time = 0.4, .melt = 10.0, .between = 2.0,
     .rates = {250.0, 355.0, 500.0, 710.0, 1000.0, 1410.0, 2000.0, 2830.0, 4000.0, 5660.0, 8000.0}},
};
/* clang-format on */
const double ph_accuracy_levels[PH_ACCURACY_LEVELS] = {1e-4, 1e-6, 1e-9, 1e-12};

static const double bath_part = 0.02; /* relaxation time of the bath, of the time between states */
static const double astray = 1.0;     /* energy per molecule */

static double passes(const struct ph_scheme *scheme)
{
    return ph_scheme_evaluations(scheme) + ph_scheme_gradients(scheme);
}

/* ---- The fluid ---- */

/* Owned are all; cleared by clear_melt, also after a failure. */
struct melt {
    struct ph_texts texts;
    struct ph_input *input;
    struct ph_system *system;
    struct ph_interactions interactions;
    struct ph_pilot *pilot;
};

static void clear_melt(struct melt *melt)
{
    ph_pilot_destroy(melt->pilot);
    ph_system_destroy(melt->system);
    ph_interactions_free(&melt->interactions);
    free(melt->input);
    ph_texts_free(&melt->texts);
}

static enum ph_status make_melt(const struct ph_accuracy_options *options, struct melt *melt, struct ph_error *err)
{
    const struct ph_accuracy_fluid *fluid = options->fluid;
    const size_t molecules = options->molecules ? options->molecules : fluid->molecules;
    static const char name[] = "bench accuracy";
    char text[1024];
    *melt = (struct melt){.input = calloc(1, sizeof *melt->input)};
    if (!melt->input)
        return ph_no_memory(err, "an input");
    const int length = snprintf(text, sizeof text, fluid->input, molecules);
    enum ph_status status = ph_texts_add(&melt->texts, name, text, (size_t)length, err);
    if (status == PH_OK)
        status = ph_input_read_keeping(&melt->texts, name, 0, NULL, melt->input, err);
    if (status == PH_OK)
        status = ph_build_system(melt->input, &melt->system, &melt->interactions, NULL, err);
    if (status == PH_OK && options->nested)
        melt->interactions.fast = (struct ph_fast_part){PH_FAST_NEAR, 1.6, 0.8};
    if (status == PH_OK)
        status = ph_pilot_create(melt->system, &melt->interactions, true, &melt->pilot, err);
    return status;
}

/* Independent liquid states */
static enum ph_status keep_states(const struct ph_accuracy_fluid *fluid, int states, struct melt *melt,
                                  struct ph_error *err)
{
    const struct ph_degrees degrees = ph_degrees_count(melt->system, &melt->interactions);
    struct ph_thermostat bath = {
        .kT = ph_units_find(melt->input->units)->boltzmann * melt->input->system.start.temperature,
        .relaxation_time = bath_part * fluid->between,
        .translation = degrees.translation,
        .rotation = degrees.rotation,
    };
    for (int k = 0; k < states; ++k) {
        double relaxed;
        bath.seed = (uint64_t)k + 1;
        enum ph_status status =
            ph_pilot_relax(melt->pilot, INFINITY, k == 0 ? fluid->melt : fluid->between, &bath, &relaxed, err);
        if (status == PH_OK)
            status = ph_pilot_keep(melt->pilot, err);
        if (status != PH_OK)
            return status;
    }
    return PH_OK;
}

/* ---- Error against rate ---- */

struct point {
    double rate;
    bool failed;
    double variance[PH_PILOT_STATES];
};

/* In the order of the rates */
struct curve {
    size_t states, n;
    struct point point[PH_ACCURACY_RATES + PH_ACCURACY_LEVELS];
};

enum { NONE = PH_PILOT_STATES }; /* no state is left out */

static double error_at(const struct curve *curve, size_t k, size_t left_out)
{
    double sum = 0.0, n = 0.0;
    for (size_t i = 0; i < curve->states; ++i)
        if (i != left_out) {
            sum += curve->point[k].variance[i];
            n += 1.0;
        }
    return curve->point[k].failed ? INFINITY : sqrt(sum / n);
}

/* Finds the rate where the error passes a level for the last time, by the power law between two rates. Beyond the last
 * rate the law between the last two is continued. At the first rate: it is less, which is not resolved. NaN: out of
 * reach. */
static double find_needed(const struct curve *curve, double goal, size_t left_out, bool *beyond)
{
    *beyond = false;
    if (curve->n == 0)
        return NAN;
    size_t k = curve->n - 1;
    while (k > 0 && error_at(curve, k - 1, left_out) <= goal)
        --k;
    if (k == 0)
        return error_at(curve, 0, left_out) <= goal ? curve->point[0].rate : NAN;
    const struct point *low = &curve->point[k - 1], *high = &curve->point[k];
    const double at_low = error_at(curve, k - 1, left_out), at_high = error_at(curve, k, left_out);
    *beyond = at_high > goal;
    if (!isfinite(at_low))
        return NAN;
    const double slope = log(at_high / at_low) / log(high->rate / low->rate);
    return slope < -1.0 ? high->rate * pow(goal / at_high, 1.0 / slope) : NAN;
}

/* The standard error by the jackknife: every state is left out once. */
static double find_spread(const struct curve *curve, double goal)
{
    const double n = (double)curve->states;
    double value[PH_PILOT_STATES], mean = 0.0, squares = 0.0;
    bool beyond;
    for (size_t i = 0; i < curve->states; ++i)
        mean += (value[i] = find_needed(curve, goal, i, &beyond)) / n;
    for (size_t i = 0; i < curve->states; ++i)
        squares += (value[i] - mean) * (value[i] - mean);
    return curve->states > 1 ? sqrt((n - 1.0) / n * squares) : NAN;
}

static enum ph_status measure(const struct ph_accuracy_options *options, struct ph_pilot *pilot,
                              const struct ph_accuracy_row *row, double rate, struct curve *curve, struct ph_error *err)
{
    struct ph_pilot_run run;
    const struct ph_dynamics_options moving = {
        .scheme = row->scheme, .flow = row->flow, .step = passes(row->scheme) / rate};
    const enum ph_status status =
        ph_pilot_measure(pilot, curve->states, moving, options->fluid->time, astray, &run, err);
    if (status != PH_OK)
        return status;
    size_t k = curve->n++;
    for (; k > 0 && curve->point[k - 1].rate > rate; --k)
        curve->point[k] = curve->point[k - 1];
    curve->point[k] = (struct point){.rate = rate, .failed = run.gave_up || run.failure[0]};
    memcpy(curve->point[k].variance, run.variance, sizeof run.variance);
    return PH_OK;
}

/* First the rates of the table, then rates where the levels seem to be: power laws hold over short distances only. */
static enum ph_status measure_row(const struct ph_accuracy_options *options, struct ph_pilot *pilot,
                                  struct ph_accuracy_row *row, struct ph_error *err)
{
    const double *rates = options->fluid->rates;
    struct curve curve = {.states = ph_pilot_states(pilot)};
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < PH_ACCURACY_RATES; ++k) {
        const bool done = k > 0 && row->error[k - 1] <= ph_accuracy_levels[PH_ACCURACY_LEVELS - 1];
        row->error[k] = NAN;
        if (done || rates[k] > options->most || (k > 0 && isnan(row->error[k - 1])))
            continue;
        status = measure(options, pilot, row, rates[k], &curve, err);
        if (status != PH_OK)
            return status;
        row->error[k] = error_at(&curve, k, NONE);
    }
    for (int level = 0; level < PH_ACCURACY_LEVELS && status == PH_OK; ++level) {
        bool beyond;
        const double rate = find_needed(&curve, ph_accuracy_levels[level], NONE, &beyond);
        if (isfinite(rate) && !beyond && rate > rates[0])
            status = measure(options, pilot, row, rate, &curve, err);
    }
    for (int level = 0; level < PH_ACCURACY_LEVELS; ++level) {
        row->needed[level] = find_needed(&curve, ph_accuracy_levels[level], NONE, &row->beyond[level]);
        row->spread[level] = row->needed[level] > rates[0] ? find_spread(&curve, ph_accuracy_levels[level]) : NAN;
    }
    return status;
}

enum ph_status ph_bench_accuracy(const struct ph_accuracy_options *options, struct ph_pilot_costs *costs,
                                 struct ph_error *err)
{
    struct melt melt;
    enum ph_status status = make_melt(options, &melt, err);
    if (status == PH_OK)
        status = keep_states(options->fluid, options->states, &melt, err);
    if (status == PH_OK)
        status = ph_pilot_time_costs(melt.pilot, ph_flow_find("exact"), costs, err);
    for (size_t k = 0; k < options->n && status == PH_OK; ++k) {
        status = measure_row(options, melt.pilot, &options->rows[k], err);
        if (status == PH_OK && options->progress)
            options->progress(&options->rows[k], k, options->data);
    }
    if (status == PH_OK && options->nested)
        status = ph_bench_nested(melt.pilot, options->fluid->time, options->nested, err);
    clear_melt(&melt);
    return status;
}
