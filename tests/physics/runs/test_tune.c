/* SPDX-License-Identifier: MIT */
/* Pilot runs measure the errors that they report, and tuning meets its tolerance. */
#include "support.h"

#include "run/build/build.h"
#include "run/tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An input from text */
static struct ph_input *read_input(const char *text)
{
    char path[] = "/tmp/polhode-tune-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    struct ph_input *input = malloc(sizeof *input);
    struct ph_error err = {.text = ""};
    const enum ph_status status = ph_input_read(path, 0, NULL, input, &err);
    unlink(path);
    if (status != PH_OK)
        fail_msg("%s", err.text);
    return input;
}

struct pilot_system {
    struct ph_input *input;
    struct ph_system *system;
    struct ph_interactions interactions;
    struct ph_pilot *pilot;
};

static struct pilot_system make(const char *text)
{
    struct pilot_system made = {.input = read_input(text)};
    assert_ok(ph_build_system(made.input, &made.system, &made.interactions, NULL, &err));
    assert_ok(ph_pilot_create(made.system, &made.interactions, true, &made.pilot, &err));
    return made;
}

static void clear(struct pilot_system *made)
{
    ph_pilot_destroy(made->pilot);
    ph_interactions_free(&made->interactions);
    ph_system_destroy(made->system);
    free(made->input);
}

static struct ph_pilot_run measure(struct pilot_system *made, const char *scheme, double step, double time)
{
    struct ph_pilot_run run;
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find(scheme), .flow = ph_flow_find("exact"), .step = step};
    assert_ok(ph_pilot_measure(made->pilot, PH_PILOT_STATES, options, time, INFINITY, &run, &err));
    return run;
}

static void keep(struct pilot_system *made) { assert_ok(ph_pilot_keep(made->pilot, &err)); }

static void relax(struct pilot_system *made, double time)
{
    double relaxed;
    assert_ok(ph_pilot_relax(made->pilot, INFINITY, time, NULL, &relaxed, &err));
    assert_close(relaxed, time, 1e-9, time);
}

/* A step of few molecules is cheap; for statistics there are more. */
#define FLUID FLUID_OF("32", "1.95", "1.0")
#define LARGER_FLUID FLUID_OF("108", "2.9", "1.5")
#define FLUID_OF(count, cutoff, width)                                                                                 \
    "units: reduced\n"                                                                                                 \
    "system:\n"                                                                                                        \
    "  box: {density: 0.5}\n"                                                                                          \
    "  molecules: [{model: dipolar-soft-sphere, count: " count "}]\n"                                                  \
    "  start: {kind: fcc, jitter: 0.05, temperature: 1}\n"                                                             \
    "interactions: {cutoff: " cutoff ", switch: {width: " width                                                        \
    ", smoothness: all}, electrostatics: {method: cutoff}}\n"

/* Cut off without switch: forces jump. */
#define LENNARD_JONES                                                                                                  \
    "units: reduced\n"                                                                                                 \
    "system:\n"                                                                                                        \
    "  box: {density: 0.7}\n"                                                                                          \
    "  molecules: [{model: lennard-jones, count: 108}]\n"                                                              \
    "  start: {kind: fcc, jitter: 0.05, temperature: 1}\n"                                                             \
    "interactions: {cutoff: 2.5, truncation: cut}\n"

/* A particle on a spring, k = 4 and m = 1, from rest at the distance X. Verlet conserves K + k x^2/2 (1 - h^2 k/4), so
 * that the energy follows h^2 k^2 x^2/8, and x^2 = X^2 (1 + cos 2wt)/2 has a standard deviation of X^2/sqrt 8. The
 * second state has twice the amplitude: squares are averaged. */
TEST(the_error_of_an_oscillator_is_that_of_theory)
{
    struct pilot_system made = make("units: reduced\n"
                                    "system:\n"
                                    "  box: {kind: open}\n"
                                    "  molecules: [{model: lennard-jones, count: 1}]\n"
                                    "  start: {kind: simple-cubic, spacing: 1}\n"
                                    "interactions: {external: {tether: 4}}\n");
    double scale;
    assert_ok(ph_pilot_time_scale(made.pilot, &scale, &err)); /* ties it to where it is */
    for (int k = 0; k < 2; ++k) {
        made.system->r[0][0] += 0.5; /* X = 0.5, then 1 */
        keep(&made);
    }
    const double h = 0.01, k2 = 16.0, mean = 0.5 * (pow(0.5, 4.0) + 1.0) / 8.0;
    const double omega = sqrt(4.0 * (1.0 - h * h)); /* near enough: 4 periods are 8 of x^2 */
    const struct ph_pilot_run run = measure(&made, "verlet", h, 4.0 * 2.0 * 3.14159265358979 / omega);
    const double want = h * h * k2 / 8.0 * sqrt(mean);
    assert_close(run.error, want, 0.02, want);
    clear(&made);
}

TEST(errors_fall_with_the_order_of_the_scheme)
{
    struct pilot_system made = make(FLUID);
    relax(&made, 1.0);
    keep(&made);
    const struct {
        const char *scheme;
        double step;
    } cases[] = {{"verlet", 0.004}, {"omelyan4-5fv", 0.01}, {"chin4a", 0.006}, {"rkn6-7a", 0.008}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const double coarse = measure(&made, cases[k].scheme, cases[k].step, 1.0).error;
        const double fine = measure(&made, cases[k].scheme, 0.5 * cases[k].step, 1.0).error;
        const double slope = log2(coarse / fine);
        if (!(fabs(slope - ph_scheme_find(cases[k].scheme)->order) < 0.3))
            fail_msg("%s: the error follows the power %.2f of the step (%.2e, %.2e)", cases[k].scheme, slope, coarse,
                     fine);
    }
    clear(&made);
}

TEST(runs_that_fail_have_an_infinite_error)
{
    struct pilot_system made = make(LENNARD_JONES);
    for (int k = 0; k < 3; ++k)
        made.system->r[k][1] = made.system->r[k][0];
    keep(&made);
    const struct ph_pilot_run run = measure(&made, "verlet", 0.001, 0.1);
    assert_true(run.error == INFINITY);
    assert_non_null(strstr(run.failure, "molecule"));
    clear(&made);
}

TEST(runs_that_go_astray_are_ended)
{
    struct pilot_system made = make(FLUID);
    keep(&made);
    struct ph_pilot_run run;
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find("verlet"), .flow = ph_flow_find("exact"), .step = 0.05};
    assert_ok(ph_pilot_measure(made.pilot, 1, options, 50.0, 0.5, &run, &err));
    assert_true(run.gave_up && run.error > 0.01 && run.spent < 500 && run.steps >= 1000);
    clear(&made);
}

/* Runs begin where they should, whatever ran before. */
TEST(runs_do_not_disturb_each_other)
{
    struct pilot_system made = make(FLUID);
    keep(&made);
    const struct ph_pilot_run first = measure(&made, "verlet", 0.004, 0.4);
    measure(&made, "chin4a", 0.01, 0.7);
    const struct ph_pilot_run second = measure(&made, "verlet", 0.004, 0.4);
    assert_true(first.error == second.error);
    assert_int_equal(first.spent, second.spent);
    assert_int_equal(first.spent, 101); /* 100 steps, and the start */
    clear(&made);
}

static const struct ph_tune_row *row_of(const struct ph_tune_report *report, const char *scheme)
{
    for (size_t k = 0; k < report->n_rows; ++k)
        if (strcmp(report->rows[k].scheme->name, scheme) == 0)
            return &report->rows[k];
    return NULL;
}

static struct ph_tune_report tune(struct ph_input *input, double tolerance, double time, size_t n,
                                  const char *const names[])
{
    const struct ph_scheme *schemes[8];
    for (size_t k = 0; k < n; ++k)
        schemes[k] = ph_scheme_find(names[k]);
    const struct ph_tune_options options = {.tolerance = tolerance, .time = time, .n_schemes = n, .schemes = schemes};
    struct ph_tune_report report;
    assert_ok(ph_tune(input, &options, &report, &err));
    return report;
}

/* The step that is found holds from another state too, and one that is longer by half does not. */
TEST(the_step_found_is_the_longest_within_the_tolerance)
{
    struct pilot_system made = make(LARGER_FLUID);
    const double tolerance = 4e-6;
    struct ph_tune_report report =
        tune(made.input, tolerance, 4.0, 2, (const char *const[]){"omelyan4-5fv", "srkn6-11b"});
    assert_non_null(report.best);
    assert_int_equal(report.n_rows, 3); /* verlet is always there */
    relax(&made, 10.0);
    for (int k = 0; k < 4; ++k) {
        relax(&made, 2.0);
        keep(&made);
    }
    for (size_t k = 0; k < report.n_rows; ++k) {
        const struct ph_tune_row *row = &report.rows[k];
        if (row->outcome != PH_TUNE_MET)
            continue;
        if (!(row->error <= 0.8 * tolerance && row->error > 0.2 * tolerance))
            fail_msg("%s, step %g: error %.2e for a tolerance of %.2e", row->scheme->name, row->step, row->error,
                     tolerance);
        assert_close(row->evaluations, ph_scheme_evaluations(row->scheme) / row->step, 1e-12, row->evaluations);
        const double same = measure(&made, row->scheme->name, row->step, 4.0).error;
        const double longer = measure(&made, row->scheme->name, 1.5 * row->step, 4.0).error;
        if (!(same < 1.5 * tolerance && longer > 1.5 * tolerance))
            fail_msg("%s, step %g: error %.2e, with half a step more %.2e", row->scheme->name, row->step, same, longer);
    }
    ph_tune_report_free(&report);
    clear(&made);
}

/* A tolerance that no error reaches: steps grow until they break runs, are halved, and the step found breaks none. */
TEST(steps_that_break_runs_are_left_behind)
{
    struct ph_input *input = read_input(FLUID);
    struct ph_tune_report report = tune(input, 1e40, 1.0, 1, (const char *const[]){"verlet"});
    const struct ph_tune_row *row = row_of(&report, "verlet");
    size_t broken = 0, halved = 0;
    for (size_t k = 0; k < row->n_trials; ++k) {
        if (isfinite(row->trial[k].error))
            continue;
        ++broken;
        halved += k + 1 < row->n_trials && row->trial[k + 1].step == 0.5 * row->trial[k].step;
        assert_true(row->step < row->trial[k].step);
    }
    assert_true(broken > 0 && halved > 0);
    assert_int_equal(row->outcome, PH_TUNE_MET);
    ph_tune_report_free(&report);
    free(input);
}

/* Verlet at the error of the best costs `gain` times as much: what was extrapolated is held against a run. */
TEST(the_gain_is_that_of_a_run)
{
    struct ph_input *input = read_input(FLUID);
    struct ph_tune_report report = tune(input, 2e-5, 4.0, 1, (const char *const[]){"omelyan4-5fv"});
    struct ph_tune_report alone = tune(input, 2e-5, 4.0, 1, (const char *const[]){"verlet"});
    assert_non_null(report.best);
    assert_string_equal(report.best->scheme->name, "omelyan4-5fv");
    const struct ph_tune_row *guessed = row_of(&report, "verlet"), *run = row_of(&alone, "verlet");
    assert_int_equal(guessed->outcome, PH_TUNE_EXTRAPOLATED);
    assert_int_equal(run->outcome, PH_TUNE_MET);
    assert_true(guessed->gain == 1.0 && run->gain == 1.0);
    /* evaluations that verlet needs for the error of the best, from each */
    const double e = report.best->error;
    const double from_guess = guessed->evaluations * sqrt(guessed->error / e);
    const double from_run = run->evaluations * sqrt(run->error / e);
    assert_close(from_guess, from_run, 0.1, from_run);
    /* nothing but evaluations was counted, up to pair lists */
    assert_close(report.best->gain, from_run / report.best->evaluations, 0.1, report.best->gain);
    assert_true(report.best->gain > 1.3);
    ph_tune_report_free(&report);
    ph_tune_report_free(&alone);
    free(input);
}

TEST(the_equilibration_of_the_input_comes_first)
{
    struct ph_input *input =
        read_input(LARGER_FLUID "dynamics: {step: 0.004, steps: 1, equilibrate: {steps: 1000, temperature: 2}}\n");
    struct ph_tune_report report = tune(input, 1e-4, 1.0, 1, (const char *const[]){"verlet"});
    assert_non_null(strstr(report.preparation, "thermostat of temperature 2 for a time of 4."));
    /* 324 degrees each: temperatures scatter by 2 sqrt(2/324) = 0.16 */
    assert_close(report.temperature_translation, 2.0, 0.3, 2.0);
    assert_close(report.temperature_rotation, 2.0, 0.3, 2.0);
    ph_tune_report_free(&report);
    free(input);
}

/* Two time scales are tried where the tolerance is loose, and not where it is tight. */
TEST(nested_schemes_are_tried_at_loose_tolerances)
{
    struct ph_input *input = read_input(LARGER_FLUID);
    for (int tight = 0; tight < 2; ++tight) {
        const struct ph_tune_options options = {.tolerance = tight ? 1e-7 : 1e-3, .time = 0.5};
        struct ph_tune_report report;
        size_t nested = 0, tried = 0;
        assert_ok(ph_tune(input, &options, &report, &err));
        for (size_t k = 0; k < report.n_rows; ++k) {
            const struct ph_tune_row *row = &report.rows[k];
            nested += row->inner != NULL;
            bool finite = false;
            for (size_t i = 0; i < row->n_trials; ++i)
                finite = finite || isfinite(row->trial[i].error);
            tried += row->inner && finite;
            if (row->inner && row->outcome == PH_TUNE_MET)
                assert_true(row->error <= options.tolerance && row->fast > 2.0 * row->evaluations);
        }
        assert_int_equal(nested, tight ? 0 : 2);
        assert_int_equal(tried, nested);
        assert_close(report.fast.width, 0.5 * report.fast.radius, 1e-12, 1.0);
        ph_tune_report_free(&report);
    }
    free(input);
}

/* Forces that jump at the cutoff cannot be followed to 1e-9 by any step: an answer, not a loop without end. */
TEST(a_tolerance_out_of_reach_is_a_result)
{
    struct ph_input *input = read_input(LENNARD_JONES);
    struct ph_tune_report report = tune(input, 1e-9, 1.0, 1, (const char *const[]){"omelyan4-5fv"});
    assert_null(report.best);
    assert_int_equal(row_of(&report, "omelyan4-5fv")->outcome, PH_TUNE_MISSED);
    ph_tune_report_free(&report);
    free(input);
}
