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
#include "lab/analyses.h"
#include "lab/free_energy/bar.h"
#include "lab/free_energy/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Results ---- */

static double place_of(const struct ph_free_study *study, size_t k)
{
    return study->thermal ? 1.0 / study->run[k].kT : study->run[k].value;
}

/* What a frame of a run adds to the integral, with weights of y and of its slope */
static struct ph_mean integrand(const struct ph_free_study *study, size_t k, double weight, double slope_weight,
                                double *x)
{
    const struct ph_free_run *run = &study->run[k];
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
static void fill_work(const struct ph_free_study *study, size_t k, size_t l, double *work)
{
    const struct ph_free_run *run = &study->run[k];
    for (size_t i = 0; i < run->n; ++i)
        work[i] = run->energy[l * run->n + i] / study->run[l].kT - run->energy[k * run->n + i] / run->kT;
}

struct step {
    double bar, overlap, integral, integral_error;
};

enum { PARTS = 16 };

static struct step take_step(const struct ph_free_study *study, size_t k, double *memory[2], double parts[PARTS])
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
static void integrate(const struct ph_free_study *study, double *memory, double *sum, double *error)
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

static void say_totals(const struct ph_free_study *study, const struct totals *t, struct ph_result *result)
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
    for (size_t k = 0; k < study->n; ++k)
        if (study->run[k].n < PARTS) {
            ph_result_note(result, "%s has fewer than %d frames: these errors are too small.", study->run[k].file,
                           (int)PARTS);
            break;
        }
    ph_result_value(result, "smallest_overlap", t->overlap, NAN, "", "of neighbouring runs, from 0 to 1");
    const double off = fabs(t->bar - t->integral), error = hypot(t->bar_error, t->integral_error);
    if (off > 4.0 * error)
        ph_result_note(result,
                       "Both routes differ by %.2g kT, %.1f times their error: give more values of the key, or longer "
                       "runs.",
                       off, off / error);
}

static bool say_steps(const struct ph_free_study *study, struct ph_result *result, struct totals *totals)
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

static bool say_runs(const struct ph_free_study *study, struct ph_result *result)
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
        const struct ph_free_run *run = &study->run[k];
        const struct ph_mean mean = ph_mean_of(run->n, run->first);
        const double row[5] = {run->value, run->kT, (double)run->n, mean.mean, mean.error};
        for (int c = 0; c < 5; ++c)
            column[c][k] = row[c];
    }
    for (size_t k = 0; k < study->n && good; ++k) { /* for MBAR: energies over kT */
        const struct ph_free_run *run = &study->run[k];
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

static void note_derivatives(const struct ph_free_study *study, struct ph_result *result)
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
    struct ph_free_study *study = calloc(1, sizeof *study);
    struct totals totals;
    if (!study)
        return ph_no_memory(err, "the runs");
    study->request = request;
    enum ph_status status = ph_free_study_look(study, result, err);
    if (status == PH_OK)
        status = ph_free_study_evaluate(study, err);
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
    ph_free_study_clear(study);
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
