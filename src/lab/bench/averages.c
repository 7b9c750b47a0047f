/* SPDX-License-Identifier: MIT */
#include "lab/bench/averages.h"

#include "dynamics/mover.h"
#include "lab/stopwatch.h"
#include "run/build/build.h"
#include "run/build/methods.h"
#include "run/observables.h"
#include "run/threads.h"
#include "run/tune/pilot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ph_average_names[PH_AVERAGES] = {
    "potential",          "pressure",           "temperature_translation", "temperature_rotation",
    "temperature_axis_1", "temperature_axis_2", "temperature_axis_3",
};

static const double unsampled = 0.1; /* part of a run at its beginning */
enum { PARTS = 50 };                 /* in which progress is reported */

/* ---- The system ---- */

/* Owned are all; cleared by clear_sample, also after a failure. */
struct sample {
    struct ph_input *input;
    struct ph_system *system;
    struct ph_interactions interactions;
    struct ph_pilot *pilot;
    struct ph_force_field *field;
    double *start;  /* columns of the state that all runs begin with */
    int32_t *image; /* likewise */
    const struct ph_flow *flow;
    struct ph_degrees degrees;
    struct ph_bath_options bath;
    double boltzmann, per_evaluation; /* of the input's scheme and step */
};

enum { COLUMNS = 13 };

static void clear_sample(struct sample *sample)
{
    ph_force_field_destroy(sample->field);
    ph_pilot_destroy(sample->pilot);
    ph_system_destroy(sample->system);
    ph_interactions_free(&sample->interactions);
    free(sample->start);
    free(sample->image);
    free(sample->input);
}

static enum ph_status read_input(const char *file, struct ph_input **input, struct ph_methods *methods,
                                 struct ph_error *err)
{
    if (!(*input = calloc(1, sizeof **input)))
        return ph_no_memory(err, "an input");
    enum ph_status status = ph_input_read(file, 0, NULL, *input, err);
    if (status == PH_OK && (*input)->dynamics.line == 0)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: dynamics is missing: the benchmark needs its step.", file);
    if (status == PH_OK && strcmp((*input)->dynamics.backend, "cpu") != 0) {
        char place[PH_PLACE];
        ph_input_place(*input, "dynamics.backend", place);
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s: dynamics.backend is '%s', but averages are measured on the processor. Accepted: "
                              "cpu.",
                              place, (*input)->dynamics.backend);
    }
    if (status == PH_OK)
        status = ph_methods_find(*input, methods, err);
    if (status == PH_OK && methods->integrator)
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s: dynamics.integrator is %s: averages are measured with splitting schemes, "
                              "dynamics.scheme.",
                              file, methods->integrator->name);
    return status;
}

static int passes(const struct ph_scheme *scheme)
{
    return ph_scheme_evaluations(scheme) + ph_scheme_gradients(scheme);
}

enum ph_status ph_averages_usual(const char *input_file, double *per_evaluation, struct ph_error *err)
{
    struct ph_input *input = NULL;
    struct ph_methods methods;
    const enum ph_status status = read_input(input_file, &input, &methods, err);
    if (status == PH_OK)
        *per_evaluation = input->dynamics.step / passes(methods.scheme);
    free(input);
    return status;
}

/* Temperature and friction of the last stage, or the temperature of the start and a friction of 1 in 100 steps */
static enum ph_status choose_bath(struct sample *sample, struct ph_error *err)
{
    const struct ph_input *input = sample->input;
    const struct ph_input_bath *asked = &input->stages[input->n_stages - 1].thermostat;
    const double usual = 0.01 / input->dynamics.step;
    const double temperature = asked->kind[0] ? asked->temperature : input->system.start.temperature;
    if (!(temperature > 0.0))
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: there is no temperature to take averages at. Give dynamics.thermostat or "
                            "system.start.temperature, above 0.",
                            input->file);
    sample->degrees = ph_degrees_count(sample->system, &sample->interactions);
    if (ph_momentum_conserved(sample->system, &sample->interactions))
        sample->degrees.translation = 3 * sample->system->n; /* noise changes the total momentum */
    sample->bath = (struct ph_bath_options){
        .kT = sample->boltzmann * temperature,
        .friction = {asked->friction > 0.0 ? asked->friction : usual,
                     asked->rotation_friction > 0.0 ? asked->rotation_friction : usual},
        .translation = sample->degrees.translation,
        .rotation = sample->degrees.rotation,
    };
    return PH_OK;
}

static double *column(const struct ph_system *system, int k)
{
    return k < 3 ? system->r[k] : k < 6 ? system->p[k - 3] : k < 10 ? system->q[k - 6] : system->m[k - 10];
}

static enum ph_status keep_start(struct sample *sample, struct ph_error *err)
{
    const size_t n = sample->system->n;
    sample->start = malloc(COLUMNS * n * sizeof *sample->start);
    sample->image = malloc(3 * n * sizeof *sample->image);
    if (!sample->start || !sample->image)
        return ph_no_memory(err, "a state of %zu molecules", n);
    for (int k = 0; k < COLUMNS; ++k)
        memcpy(sample->start + (size_t)k * n, column(sample->system, k), n * sizeof *sample->start);
    for (size_t k = 0; k < 3; ++k)
        memcpy(sample->image + k * n, sample->system->image[k], n * sizeof *sample->image);
    return PH_OK;
}

static void put_start(const struct sample *sample)
{
    const size_t n = sample->system->n;
    for (int k = 0; k < COLUMNS; ++k)
        memcpy(column(sample->system, k), sample->start + (size_t)k * n, n * sizeof *sample->start);
    for (size_t k = 0; k < 3; ++k)
        memcpy(sample->system->image[k], sample->image + k * n, n * sizeof *sample->image);
    ph_force_field_forget(sample->field);
}

/* Takes overlaps and the lattice out of the start: steps of the pilot follow the largest force. Where no force acts at
 * first, as on springs, they would have any length: so it moves by a few of the input's steps at a time. */
static enum ph_status relax(const struct ph_averages_options *options, struct sample *sample, struct ph_error *err)
{
    enum { FEW = 16 };
    const double time = unsampled * options->time, piece = fmin(time, FEW * sample->per_evaluation);
    const struct ph_degrees degrees = ph_degrees_count(sample->system, &sample->interactions);
    struct ph_thermostat bath = {.kT = sample->bath.kT,
                                 .relaxation_time = 0.1 * time,
                                 .translation = degrees.translation,
                                 .rotation = degrees.rotation,
                                 .seed = options->seed};
    enum ph_status status = ph_pilot_create(sample->system, &sample->interactions, false, &sample->pilot, err);
    double relaxed = piece;
    for (double done = 0.0; done < time && relaxed > 0.0 && status == PH_OK; done += piece) {
        ++bath.seed;
        status = ph_pilot_relax(sample->pilot, INFINITY, piece, &bath, &relaxed, err);
    }
    return status;
}

static enum ph_status make_sample(const struct ph_averages_options *options, struct sample *sample,
                                  struct ph_error *err)
{
    struct ph_methods methods = {.scheme = NULL};
    *sample = (struct sample){.input = NULL};
    enum ph_status status = read_input(options->input, &sample->input, &methods, err);
    if (status == PH_OK) {
        sample->flow = methods.flow;
        sample->per_evaluation = sample->input->dynamics.step / passes(methods.scheme);
        sample->boltzmann = ph_units_find(sample->input->units)->boltzmann;
        status = ph_build_system(sample->input, &sample->system, &sample->interactions, NULL, err);
    }
    if (status == PH_OK)
        status = choose_bath(sample, err);
    if (status != PH_OK)
        return status;
    ph_stopwatch_use_threads(ph_threads_suitable(sample->system, &sample->interactions));
    status = relax(options, sample, err);
    if (status == PH_OK)
        status = keep_start(sample, err);
    if (status == PH_OK)
        status = ph_force_field_create(sample->system, &sample->interactions, &sample->field, err);
    return status;
}

/* ---- One run ---- */

/* A run that is under way: n samples of each quantity, one after the other */
struct run {
    const struct ph_averages_options *options;
    const struct sample *sample;
    size_t k; /* the row */
    struct ph_mover *mover;
    long every, n; /* steps between samples; samples */
    double *values;
};

static enum ph_status take_sample(const struct run *run, long i, struct ph_error *err)
{
    const struct sample *sample = run->sample;
    struct ph_energy energy;
    struct ph_state_sums sums;
    struct ph_observables seen;
    enum ph_status status = ph_mover_synchronise(run->mover, &energy, err);
    if (status == PH_OK)
        status = ph_state_observe(ph_mover_state(run->mover), &sums, err);
    if (status != PH_OK)
        return status;
    ph_observe_sums(&sums, &sample->system->box, &sample->degrees, &energy, sample->boltzmann, &seen);
    const double values[PH_AVERAGES] = {seen.potential / (double)sample->system->n,
                                        seen.pressure,
                                        seen.temperature_translation,
                                        seen.temperature_rotation,
                                        seen.temperature_axis[0],
                                        seen.temperature_axis[1],
                                        seen.temperature_axis[2]};
    for (size_t q = 0; q < PH_AVERAGES; ++q)
        run->values[q * (size_t)run->n + (size_t)i] = values[q];
    return isfinite(values[PH_AVERAGE_POTENTIAL])
               ? PH_OK
               : ph_error_set(err, PH_ERR_NUMBERS, "The potential energy is not finite.");
}

static void report(const struct run *run, double part)
{
    if (run->options->progress)
        run->options->progress(run->k, part, run->options->data);
}

static enum ph_status follow(const struct run *run, struct ph_error *err)
{
    const long first = (long)ceil(unsampled * (double)run->n), whole = first + run->n;
    enum ph_status status = PH_OK;
    for (long i = 0; i < whole && status == PH_OK; ++i) {
        status = ph_mover_advance(run->mover, run->every, err);
        if (status == PH_OK && i >= first)
            status = take_sample(run, i - first, err);
        if (i * PARTS / whole != (i + 1) * PARTS / whole)
            report(run, (double)(i + 1) / (double)whole);
    }
    return status;
}

/* Means and, for quantities that do not exist, NaN */
static void find_means(const struct run *run, struct ph_averages_row *row)
{
    const size_t n = (size_t)run->n;
    row->sampled = (double)(run->n * run->every) * row->step;
    row->acceptance = row->metropolis ? ph_mover_acceptance(run->mover) : NAN;
    for (size_t q = 0; q < PH_AVERAGES; ++q)
        if (isfinite(run->values[q * n]))
            row->mean[q] = ph_mean_of(n, run->values + q * n);
}

static void clear_row(struct ph_averages_row *row)
{
    for (size_t q = 0; q < PH_AVERAGES; ++q) {
        row->mean[q] = (struct ph_mean){.mean = NAN, .error = NAN, .deviation = NAN};
        row->bias[q] = row->bias_error[q] = NAN;
        for (size_t b = 0; b < PH_AVERAGE_BUDGETS; ++b)
            row->total[q][b] = NAN;
    }
    row->failure[0] = '\0';
    row->step = row->per_evaluation * passes(row->scheme);
    row->rate = 1.0 / row->per_evaluation;
    row->sampled = 0.0;
    row->acceptance = NAN;
}

const char *ph_averages_bath(const struct ph_averages_row *row)
{
    return row->metropolis ? "metropolis" : row->middle ? "langevin-middle" : "langevin";
}

static enum ph_status run_row(const struct ph_averages_options *options, const struct sample *sample, size_t k,
                              struct ph_error *err)
{
    struct ph_averages_row *row = &options->rows[k];
    clear_row(row);
    const double time = options->time * (k == 0 ? options->reference : 1.0);
    const double samples = (double)options->samples * (k == 0 ? options->reference : 1.0);
    struct run run = {.options = options, .sample = sample, .k = k};
    run.every = (long)fmax(1.0, rint(time / (samples * row->step)));
    run.n = (long)fmax(2.0, ceil(time / ((double)run.every * row->step) * (1.0 - 1e-9)));
    struct ph_mover_options moving = {
        .dynamics = {.scheme = row->scheme,
                     .flow = sample->flow,
                     .step = row->step,
                     .pinned = sample->interactions.pinned},
        .bath = sample->bath,
    };
    moving.bath.kind = ph_bath_find(ph_averages_bath(row));
    moving.bath.seed = options->seed + k;
    put_start(sample);
    if (!(run.values = calloc(PH_AVERAGES * (size_t)run.n, sizeof *run.values)))
        return ph_no_memory(err, "%ld samples", run.n);
    enum ph_status status = ph_mover_create(sample->system, sample->field, &moving, &run.mover, err);
    struct ph_error inner = {.text = ""};
    if (status == PH_OK && (status = follow(&run, &inner)) == PH_OK)
        find_means(&run, row);
    if (inner.text[0] && status == PH_ERR_NUMBERS) { /* a step that is too long is a result */
        snprintf(row->failure, sizeof row->failure, "%.250s", inner.text);
        status = PH_OK;
        report(&run, 1.0);
    } else if (inner.text[0]) {
        status = ph_error_set(err, status, "%.1000s", inner.text);
    }
    ph_mover_destroy(run.mover);
    free(run.values);
    return status;
}

/* ---- Errors ---- */

static void compare(const struct ph_averages_options *options, const struct ph_averages_row *reference,
                    struct ph_averages_row *row)
{
    for (size_t q = 0; q < PH_AVERAGES; ++q) {
        const struct ph_mean *mean = &row->mean[q], *with = &reference->mean[q];
        row->bias[q] = mean->mean - with->mean;
        row->bias_error[q] = hypot(mean->error, with->error);
        const double square = row->bias[q] * row->bias[q] - row->bias_error[q] * row->bias_error[q];
        for (size_t b = 0; b < options->n_budgets; ++b) {
            const double variance = mean->error * mean->error * row->sampled * row->rate / options->budgets[b];
            row->total[q][b] = sqrt((square > 0.0 ? square : 0.0) + variance);
        }
    }
}

enum ph_status ph_bench_averages(const struct ph_averages_options *options, struct ph_averages_about *about,
                                 struct ph_error *err)
{
    struct sample sample;
    enum ph_status status = make_sample(options, &sample, err);
    if (status == PH_OK)
        *about = (struct ph_averages_about){
            .molecules = sample.system->n,
            .temperature = sample.bath.kT / sample.boltzmann,
            .friction = {sample.bath.friction[0], sample.bath.friction[1]},
            .interval = options->time / (double)options->samples,
            .flow = sample.flow->name,
        };
    for (size_t k = 0; k < options->n && status == PH_OK; ++k)
        status = run_row(options, &sample, k, err);
    if (status == PH_OK && options->rows[0].failure[0])
        status = ph_error_set(err, PH_ERR_NUMBERS, "The reference failed: %.250s Take a shorter step.",
                              options->rows[0].failure);
    for (size_t k = 0; k < options->n && status == PH_OK; ++k)
        compare(options, &options->rows[0], &options->rows[k]);
    clear_sample(&sample);
    return status;
}
