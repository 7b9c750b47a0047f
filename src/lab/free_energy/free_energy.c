/* SPDX-License-Identifier: MIT */
/* Differences of free energies between runs that differ in one key of their inputs.
 *
 * Each frame of each run is evaluated with the values x of all runs. With the reduced energy u = U/kT, neighbouring
 * runs give their difference by BAR (bar.h). And
 *   df/dx = <u'>,   d2f/dx2 = <u''> - <u'^2> + <u'>^2
 * gives the same by thermodynamic integration, over each interval with the slopes at its ends,
 *   int y dx = h/2 (y0 + y1) + h^2/12 (y0' - y1') + O(h^5).
 * Derivatives of u are differences of the same frame, with five values of x for x +- h and x +- 2h: exact but for
 * rounding where U is a polynomial in x of degree four, as for most keys. Where the input refuses values on one side,
 * three values on the other side are taken: exact for degree two.
 *
 * Runs at several temperatures have x = 1/kT and u' = U. */
#include "analysis/statistics/blocks.h"
#include "analysis/trajectory/conditions.h"
#include "lab/analyses.h"
#include "lab/free_energy/bar.h"
#include "lab/free_energy/energies.h"
#include "model/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 32, FEWEST_FRAMES = 16, SIDE = 2, STENCIL = 2 * SIDE + 1 };

struct run {
    const char *file;
    double value; /* of the key */
    double kT;
    size_t n;       /* frames */
    double *energy; /* owned; [runs][n]: with the value of each run */
    double *first;  /* owned; dU/dx of each frame */
    double *second; /* owned; likewise */
    int sides;      /* of the differences: 0 both, -1 below, 1 above */
    char ensemble[8];
};

struct study {
    const struct ph_analysis_request *request;
    size_t n;
    struct run run[RUNS_MAX]; /* by value */
    bool thermal;             /* x is 1/kT */
    bool physical;
    double roughness; /* largest difference of dU/dx with h and 2h, over its size */
};

/* ---- Reading ---- */

static void set_of(const char *key, double value, size_t size, char *set)
{
    snprintf(set, size, "%s=%.17g", key, value);
}

static enum ph_status open_run(const struct study *study, const char *file, struct ph_recording *recording,
                               struct ph_result *result, struct ph_error *err)
{
    struct ph_analysis_request one = *study->request;
    one.n_files = 1;
    one.files = &file;
    return ph_recording_open(&one, PH_BIT(PH_CENTRE), PH_BIT(PH_ORIENTATION) | PH_BIT(PH_IMAGE), recording, result,
                             err);
}

/* Finds value and temperature of a run. */
static enum ph_status look_at_run(struct study *study, const char *file, struct run *run, struct ph_result *result,
                                  struct ph_error *err)
{
    struct ph_recording recording;
    struct ph_result about = {.n_values = 0};
    struct ph_recorded_input *recorded = calloc(1, sizeof *recorded);
    enum ph_status status = open_run(study, file, &recording, &about, err);
    for (size_t k = 0; k < about.n_notes; ++k)
        ph_result_note(result, "%s: %s", file, about.notes[k]);
    ph_result_free(&about);
    if (status == PH_OK && !recorded)
        status = ph_no_memory(err, "the input");
    if (status == PH_OK)
        status = ph_recorded_input_read(&recording, study->request, recorded, err);
    if (status == PH_OK)
        status = ph_recorded_input_number(recorded, study->request->key, &run->value, err);
    if (status == PH_OK) {
        const struct ph_conditions conditions = ph_conditions_of(&recording.reader, study->request->stage);
        const double asked = study->request->temperature;
        run->file = file;
        run->n = recording.n_frames;
        run->kT = ph_units_find(recorded->input.units)->boltzmann * (isnan(asked) ? conditions.temperature : asked);
        memcpy(run->ensemble, conditions.ensemble, sizeof run->ensemble);
        study->physical = recording.physical;
        if (!(run->kT > 0.0))
            status = ph_error_set(err, PH_ERR_INPUT,
                                  "%s: has no temperature that a thermostat keeps: give --temperature.", file);
        else if (run->n < FEWEST_FRAMES)
            status = ph_error_set(err, PH_ERR_INPUT, "%s: %zu frames are too few. Accepted: from %d on.", file, run->n,
                                  (int)FEWEST_FRAMES);
    }
    ph_recorded_input_free(recorded);
    ph_recording_close(&recording);
    return status;
}

static int by_value(const void *a, const void *b)
{
    const double x = ((const struct run *)a)->value, y = ((const struct run *)b)->value;
    return (x > y) - (x < y);
}

static enum ph_status look_at_runs(struct study *study, struct ph_result *result, struct ph_error *err)
{
    const struct ph_analysis_request *request = study->request;
    enum ph_status status = PH_OK;
    if (!request->key)
        return ph_error_set(err, PH_ERR_INPUT,
                            "--key is missing: the key in which the runs differ, as interactions.external.tether.");
    if (request->n_files < 2 || request->n_files > RUNS_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "%zu file%s: a difference of free energies needs 2 to %d runs.",
                            request->n_files, request->n_files == 1 ? "" : "s", (int)RUNS_MAX);
    for (size_t k = 0; k < request->n_files && status == PH_OK; ++k, study->n = k)
        status = look_at_run(study, request->files[k], &study->run[k], result, err);
    if (status != PH_OK)
        return status;
    qsort(study->run, study->n, sizeof *study->run, by_value);
    for (size_t k = 1; k < study->n; ++k) {
        const struct run *one = &study->run[k - 1], *other = &study->run[k];
        if (!(other->value > one->value))
            return ph_error_set(err, PH_ERR_INPUT, "%s and %s: both have %s = %g.", one->file, other->file,
                                request->key, one->value);
        study->thermal = study->thermal || fabs(other->kT - one->kT) > 1e-12 * one->kT;
    }
    return PH_OK;
}

/* ---- Energies ---- */

struct states {
    struct ph_energy_state *at[RUNS_MAX];  /* with the value of each run */
    struct ph_energy_state *near[STENCIL]; /* with values a few steps off; NULL in the middle */
    double step;
};

static void clear(struct states *states)
{
    for (size_t l = 0; l < RUNS_MAX; ++l)
        ph_energy_state_destroy(states->at[l]);
    for (size_t l = 0; l < STENCIL; ++l)
        ph_energy_state_destroy(states->near[l]);
}

/* Makes the states of one side, `sign` times one and two steps from the run's value; false if the input refuses one. */
static bool make_side(const struct study *study, const struct ph_recording *recording, const struct run *run, int sign,
                      struct states *states, const struct ph_energy_state *own)
{
    for (int k = 1; k <= SIDE; ++k) {
        char set[PH_PATH];
        struct ph_error refused;
        struct ph_energy_state **state = &states->near[SIDE + sign * k];
        set_of(study->request->key, run->value + sign * k * states->step, sizeof set, set);
        if (ph_energy_state_create(recording, study->request, set, own, state, &refused) != PH_OK)
            return false;
    }
    return true;
}

static enum ph_status make_states(const struct study *study, const struct ph_recording *recording, size_t k,
                                  struct states *states, struct run *run, struct ph_error *err)
{
    const char *key = study->request->key;
    enum ph_status status = ph_energy_state_create(recording, study->request, NULL, NULL, &states->at[k], err);
    for (size_t l = 0; l < study->n && status == PH_OK; ++l) {
        char set[PH_PATH];
        set_of(key, study->run[l].value, sizeof set, set);
        if (l != k)
            status = ph_energy_state_create(recording, study->request, set, states->at[k], &states->at[l], err);
    }
    if (status != PH_OK || study->thermal)
        return status;
    states->step = 1e-3 * (study->run[study->n - 1].value - study->run[0].value);
    const bool below = make_side(study, recording, run, -1, states, states->at[k]),
               above = make_side(study, recording, run, 1, states, states->at[k]);
    run->sides = below && above ? 0 : above ? 1 : -1;
    return below || above ? PH_OK
                          : ph_error_set(err, PH_ERR_INPUT,
                                         "--key %s: no value near %g is accepted, so there is no "
                                         "derivative.",
                                         key, run->value);
}

/* First and second derivative from energies at -2 .. 2 steps; roughness from differences over one step and two. */
static void differentiate(int sides, double h, const double u[STENCIL], double *first, double *second, double *rough)
{
    const double *at = &u[SIDE];
    if (sides == 0) {
        const double one = (at[1] - at[-1]) / (2.0 * h), two = (at[2] - at[-2]) / (4.0 * h);
        *first = (4.0 * one - two) / 3.0;
        *second = (16.0 * (at[1] + at[-1]) - (at[2] + at[-2]) - 30.0 * at[0]) / (12.0 * h * h);
        *rough = fabs(one - two);
    } else {
        const double up = at[sides], far = at[2 * sides];
        *first = sides * (4.0 * up - far - 3.0 * at[0]) / (2.0 * h);
        *second = (far - 2.0 * up + at[0]) / (h * h);
        *rough = fabs((up - at[0]) / h - (far - at[0]) / (2.0 * h));
    }
}

static enum ph_status evaluate_frame(struct study *study, struct states *states, const struct ph_recorded *snapshot,
                                     size_t k, size_t frame, struct ph_error *err)
{
    struct run *run = &study->run[k];
    double near[STENCIL] = {0.0}, rough = 0.0;
    enum ph_status status = PH_OK;
    for (size_t l = 0; l < study->n && status == PH_OK; ++l)
        status = ph_energy_state_evaluate(states->at[l], snapshot, &run->energy[l * run->n + frame], err);
    for (size_t l = 0; l < STENCIL && status == PH_OK; ++l)
        if (states->near[l])
            status = ph_energy_state_evaluate(states->near[l], snapshot, &near[l], err);
    if (status != PH_OK)
        return status;
    near[SIDE] = run->energy[k * run->n + frame];
    if (study->thermal) {
        run->first[frame] = near[SIDE];
        return PH_OK;
    }
    differentiate(run->sides, states->step, near, &run->first[frame], &run->second[frame], &rough);
    const double size = fabs(run->first[frame]) + 1e-12 * fabs(near[SIDE]) / states->step;
    study->roughness = fmax(study->roughness, size > 0.0 ? rough / size : 0.0);
    return PH_OK;
}

static enum ph_status evaluate_run(struct study *study, size_t k, struct ph_error *err)
{
    struct run *run = &study->run[k];
    struct ph_recording recording;
    struct ph_recorded snapshot = {.frame = 0};
    struct states states = {.step = 0.0};
    struct ph_result forgotten = {.n_values = 0}; /* of notes that looking at the run has made already */
    run->energy = calloc(study->n * run->n, sizeof *run->energy);
    run->first = calloc(run->n, sizeof *run->first);
    run->second = calloc(run->n, sizeof *run->second);
    enum ph_status status = open_run(study, run->file, &recording, &forgotten, err);
    if (status == PH_OK && (!run->energy || !run->first || !run->second))
        status = ph_no_memory(err, "energies");
    if (status == PH_OK)
        status = make_states(study, &recording, k, &states, run, err);
    if (status == PH_OK)
        status = ph_snapshot_init(&recording, &snapshot, err);
    for (size_t f = 0; f < run->n && status == PH_OK; ++f) {
        status = ph_recording_read(&recording, f, &snapshot, err);
        if (status == PH_OK)
            status = evaluate_frame(study, &states, &snapshot, k, f, err);
        if (study->request->progress)
            study->request->progress(((double)k + (double)f / (double)run->n) / (double)study->n,
                                     study->request->progress_data);
    }
    ph_snapshot_free(&snapshot);
    clear(&states);
    ph_result_free(&forgotten);
    ph_recording_close(&recording);
    return status;
}

/* Runs at several temperatures must have one energy. */
static enum ph_status check_energies(const struct study *study, struct ph_error *err)
{
    for (size_t k = 0; k < study->n && study->thermal; ++k)
        for (size_t i = 0; i < study->n * study->run[k].n; ++i) {
            const double own = study->run[k].energy[k * study->run[k].n + i % study->run[k].n];
            if (fabs(study->run[k].energy[i] - own) > 1e-9 * fabs(own))
                return ph_error_set(err, PH_ERR_INPUT,
                                    "--key %s: the runs have different temperatures, and different energies too. Only "
                                    "one of both may change.",
                                    study->request->key);
        }
    return PH_OK;
}

/* ---- Results ---- */

static double place_of(const struct study *study, size_t k)
{
    return study->thermal ? 1.0 / study->run[k].kT : study->run[k].value;
}

/* What a frame of a run adds to the integral, with weights of y and of its slope */
static struct ph_mean integrand(const struct study *study, size_t k, double weight, double slope_weight, double *x)
{
    const struct run *run = &study->run[k];
    const double beta = study->thermal ? 1.0 : 1.0 / run->kT;
    double mean = 0.0;
    for (size_t i = 0; i < run->n; ++i)
        mean += beta * run->first[i] / (double)run->n;
    for (size_t i = 0; i < run->n; ++i) {
        const double first = beta * run->first[i], off = first - mean;
        x[i] =
            weight * first + slope_weight * (beta * run->second[i] - off * off * (double)run->n / ((double)run->n - 1));
    }
    return ph_mean_of(run->n, x);
}

/* Samples of the work from run k to l, in a row of memory for each side */
static void fill_work(const struct study *study, size_t k, size_t l, double *work)
{
    const struct run *run = &study->run[k];
    for (size_t i = 0; i < run->n; ++i)
        work[i] = run->energy[l * run->n + i] / study->run[l].kT - run->energy[k * run->n + i] / run->kT;
}

struct step {
    double bar, overlap, integral, integral_error;
};

enum { PARTS = 16 };

static struct step take_step(const struct study *study, size_t k, double *memory[2], double parts[PARTS])
{
    const double h = place_of(study, k + 1) - place_of(study, k);
    struct step step;
    const struct ph_mean left = integrand(study, k, 0.5 * h, h * h / 12.0, memory[0]),
                         right = integrand(study, k + 1, 0.5 * h, -h * h / 12.0, memory[1]);
    step.integral = left.mean + right.mean;
    step.integral_error = hypot(left.error, right.error);
    fill_work(study, k, k + 1, memory[0]);
    fill_work(study, k + 1, k, memory[1]);
    const struct ph_bar_samples side[2] = {{study->run[k].n, memory[0]}, {study->run[k + 1].n, memory[1]}};
    step.bar = ph_bar(side, PARTS, PARTS);
    step.overlap = ph_bar_overlap(side, step.bar);
    for (size_t b = 0; b < PARTS; ++b)
        parts[b] = ph_bar(side, PARTS, b);
    return step;
}

/* The error of a number from those without one part each */
static double error_of_parts(const double parts[PARTS])
{
    double mean = 0.0, square = 0.0;
    for (int b = 0; b < PARTS; ++b)
        mean += parts[b] / PARTS;
    for (int b = 0; b < PARTS; ++b)
        square += (parts[b] - mean) * (parts[b] - mean);
    return sqrt(square * (PARTS - 1) / PARTS);
}

/* The whole integral has weights of its own at each run, because neighbouring intervals share it. */
static void integrate(const struct study *study, double *memory, double *sum, double *error)
{
    *sum = *error = 0.0;
    for (size_t k = 0; k < study->n; ++k) {
        const double below = k > 0 ? place_of(study, k) - place_of(study, k - 1) : 0.0,
                     above = k + 1 < study->n ? place_of(study, k + 1) - place_of(study, k) : 0.0;
        const struct ph_mean mean =
            integrand(study, k, 0.5 * (below + above), (above * above - below * below) / 12.0, memory);
        *sum += mean.mean;
        *error = hypot(*error, mean.error);
    }
}

struct totals {
    double bar, bar_error, integral, integral_error, overlap;
};

static void say_totals(const struct study *study, const struct totals *t, struct ph_result *result)
{
    const double kT = study->run[0].kT;
    const char *unit = study->physical ? "kJ mol-1" : "";
    struct ph_value *value;
    if (!study->thermal) {
        value = ph_result_value(result, "free_energy", kT * t->bar, kT * t->bar_error, unit,
                                "of the last run less that of the first, by BAR");
        if (t->overlap < 0.03)
            ph_value_caution(
                value, "Neighbouring runs overlap by as little as %.2g: give more values of the key between them.",
                t->overlap);
        ph_result_value(result, "free_energy_integral", kT * t->integral, kT * t->integral_error, unit,
                        "the same by thermodynamic integration");
    }
    value =
        ph_result_value(result, "free_energy_over_kT", t->bar, t->bar_error, "",
                        study->thermal ? "difference of F/kT by BAR, without kinetic energies" : "the same over kT");
    if (t->overlap < 0.03)
        ph_value_caution(value,
                         "Neighbouring runs overlap by as little as %.2g: give more values of the key between them.",
                         t->overlap);
    ph_result_value(result, "free_energy_over_kT_integral", t->integral, t->integral_error, "",
                    "the same by thermodynamic integration");
    ph_result_value(result, "smallest_overlap", t->overlap, NAN, "", "of neighbouring runs, from 0 to 1");
    const double off = fabs(t->bar - t->integral), error = hypot(t->bar_error, t->integral_error);
    if (off > 4.0 * error)
        ph_result_note(result,
                       "Both routes differ by %.2g kT, %.1f times their error: give more values of the key, or longer "
                       "runs.",
                       off, off / error);
}

static bool say_steps(const struct study *study, struct ph_result *result, struct totals *totals)
{
    size_t most = 0;
    for (size_t k = 0; k < study->n; ++k)
        most = study->run[k].n > most ? study->run[k].n : most;
    double *memory[2] = {calloc(most, sizeof(double)), calloc(most, sizeof(double))}, all[PARTS] = {0.0};
    struct ph_result_table *table =
        ph_result_table(result, study->n - 1, "differences of free energies over kT between neighbours", "steps");
    static const char *const names[] = {"from", "to", "bar", "bar_error", "integral", "integral_error", "overlap"};
    double *column[7];
    bool good = memory[0] && memory[1];
    for (int c = 0; c < 7; ++c) {
        column[c] = ph_result_column(result, table, names[c], "");
        good = good && column[c];
    }
    *totals = (struct totals){.overlap = 1.0};
    for (size_t k = 0; k + 1 < study->n && good; ++k) {
        double parts[PARTS];
        const struct step step = take_step(study, k, memory, parts);
        const double row[7] = {study->run[k].value, study->run[k + 1].value, step.bar,    error_of_parts(parts),
                               step.integral,       step.integral_error,     step.overlap};
        for (int c = 0; c < 7; ++c)
            column[c][k] = row[c];
        for (int b = 0; b < PARTS; ++b)
            all[b] += parts[b];
        totals->bar += step.bar;
        totals->overlap = fmin(totals->overlap, step.overlap);
    }
    totals->bar_error = error_of_parts(all);
    if (good)
        integrate(study, memory[0], &totals->integral, &totals->integral_error);
    free(memory[0]);
    free(memory[1]);
    return good;
}

static bool say_runs(const struct study *study, struct ph_result *result)
{
    struct ph_result_table *table = ph_result_table(result, study->n, "means over each run", "runs");
    static const char *const names[] = {"value", "kT", "frames", "derivative", "derivative_error"};
    double *column[5];
    bool good = true;
    for (int c = 0; c < 5; ++c) {
        column[c] = ph_result_column(result, table, names[c], c == 1 && study->physical ? "kJ mol-1" : "");
        good = good && column[c];
    }
    for (size_t k = 0; k < study->n && good; ++k) {
        const struct run *run = &study->run[k];
        const struct ph_mean mean = ph_mean_of(run->n, run->first);
        const double row[5] = {run->value, run->kT, (double)run->n, mean.mean, mean.error};
        for (int c = 0; c < 5; ++c)
            column[c][k] = row[c];
    }
    for (size_t k = 0; k < study->n && good; ++k) { /* for MBAR: energies over kT */
        const struct run *run = &study->run[k];
        struct ph_result_table *energies =
            ph_result_table(result, run->n, "energies over kT of each frame of this run, with the value of each run",
                            "frames_%zu", k + 1);
        for (size_t l = 0; l < study->n && good; ++l) {
            char name[PH_RESULT_NAME];
            snprintf(name, sizeof name, "u_%zu", l + 1);
            double *u = ph_result_column(result, energies, name, "");
            good = u != NULL;
            for (size_t i = 0; i < run->n && good; ++i)
                u[i] = run->energy[l * run->n + i] / study->run[l].kT;
        }
    }
    return good;
}

static void note_derivatives(const struct study *study, struct ph_result *result)
{
    bool both = true;
    for (size_t k = 0; k < study->n; ++k)
        both = both && study->run[k].sides == 0;
    if (study->thermal)
        ph_result_text(result, "derivative", "energy, over 1/kT");
    else if (study->roughness < 1e-6)
        ph_result_text(result, "derivative", "exact: energies are linear or quadratic in the key");
    else
        ph_result_text(result, "derivative",
                       both ? "fourth-order differences of the same frames" : "second-order differences on one side");
    for (size_t k = 0; k < study->n; ++k)
        if (strcmp(study->run[k].ensemble, "NVE") == 0) {
            ph_result_note(result,
                           "%s is a run at constant energy: these formulas are those of a constant temperature.",
                           study->run[k].file);
            break;
        }
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct study *study = calloc(1, sizeof *study);
    struct totals totals;
    if (!study)
        return ph_no_memory(err, "the runs");
    study->request = request;
    enum ph_status status = look_at_runs(study, result, err);
    for (size_t k = 0; k < study->n && status == PH_OK; ++k)
        status = evaluate_run(study, k, err);
    if (status == PH_OK)
        status = check_energies(study, err);
    if (status == PH_OK) {
        ph_result_text(result, "key", request->key);
        ph_result_number(result, "first", study->run[0].value, NULL);
        ph_result_number(result, "last", study->run[study->n - 1].value, NULL);
        note_derivatives(study, result);
        if (say_steps(study, result, &totals) && say_runs(study, result))
            say_totals(study, &totals, result);
        else
            status = ph_no_memory(err, "the free energies");
    }
    for (size_t k = 0; k < RUNS_MAX; ++k) {
        free(study->run[k].energy);
        free(study->run[k].first);
        free(study->run[k].second);
    }
    free(study);
    return status;
}

const struct ph_analysis ph_analysis_free_energy = {
    .name = "free-energy",
    .summary = "free energy along a key of the input, from the runs of a sweep",
    .documentation =
        "Difference of free energies between runs at constant temperature that differ in one number of their inputs, "
        "--key, as 'polhode sweep --vary KEY=...' makes them; or in their temperature. Each frame is evaluated with "
        "the "
        "values of all runs. BAR between neighbours, and thermodynamic integration with slopes; the tables frames_N "
        "have the energies that MBAR needs. Kinetic energies do not count.",
    .needs = "frames with positions and orientations of two runs or more, each with its input",
    .options = "key stage frames temperature set",
    .several = true,
    .run = run,
};
