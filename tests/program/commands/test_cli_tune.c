/* SPDX-License-Identifier: MIT */
#include "program/support/program.h"

#include <stdbool.h>

static char path[] = "/tmp/polhode-tune-XXXXXX";

/* A small polar fluid; with `more` at the end */
static void write_input(const char *more)
{
    const char *fluid = "units: reduced\n"
                        "title: small\n"
                        "system:\n"
                        "  box: {density: 0.5}\n"
                        "  molecules: [{model: dipolar-soft-sphere, count: 108}]\n"
                        "  start: {kind: fcc, jitter: 0.05, temperature: 1}\n";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s%s", fluid, more);
    assert_int_equal(fclose(file), 0);
}

static const struct program *tune(const char *options)
{
    char line[512];
    snprintf(line, sizeof line, "tune %s --time 4 %s", path, options);
    return run_program(line);
}

static int make_path(void **state)
{
    const int file = mkstemp(path);
    return file >= 0 ? close(file) : 1;
}

static int remove_path(void **state) { return unlink(path); }

static const char switched[] = "interactions: {cutoff: 2.9, switch: {width: 1.5}, electrostatics: {method: cutoff}}\n";

/* What is printed last can be pasted: the run with it keeps the energy within the tolerance. Runs count deviations from
 * their first energy, which may be twice those from the mean. */
TEST(the_recommendation_can_be_run)
{
    write_input(switched);
    const struct program *p = tune("--tolerance 1e-5 --schemes omelyan4-5fv,mclachlan2 --threads 1 --quiet");
    assert_int_equal(strncmp(p->err, "Warning: dipoles interact within the cutoff only", 48), 0); /* as a run notes */
    assert_ptr_equal(strchr(p->err, '\n'), p->err + strlen(p->err) - 1);
    assert_int_equal(p->status, 0);
    assert_non_null(strstr(p->out, "small: 108 molecules"));
    assert_null(strstr(p->out, "remove"));
    const char *yaml = strstr(p->out, "\ndynamics:\n  scheme: omelyan4-5fv\n  flow: exact\n  step: ");
    assert_non_null(yaml);
    char input[1024];
    snprintf(input, sizeof input, "%s%s  steps: 400\n  equilibrate: {steps: 200}\n", switched, yaml + 1);
    write_input(input);
    char line[256];
    snprintf(line, sizeof line, "run %s -o %s.h5md --quiet --threads 1 --set output.series_every=1", path, path);
    const struct program *run = run_well(line);
    const char *at = strstr(run->out, "its error");
    assert_non_null(at);
    double rms = NAN;
    assert_int_equal(sscanf(at, "its error %lf rms", &rms), 1);
    if (!(rms > 1e-6 && rms < 2.5e-5))
        fail_msg("an error of 1e-5 was asked for, %g found", rms);
    for (int k = 0; k < 2; ++k) {
        snprintf(line, sizeof line, "%s.%s", path, k == 0 ? "h5md" : "checkpoint");
        unlink(line);
    }
}

TEST(json_has_every_trial)
{
    write_input(switched);
    const struct program *p =
        tune("--tolerance 1e-4 --schemes mclachlan2 --flows exact,mr2 --time 1 --threads 1 --json");
    assert_int_equal(p->status, 0);
    assert_non_null(strstr(p->err, "mclachlan2 with mr2: step ")); /* progress */
    assert_json_string(p->out, "recommended.scheme", "mclachlan2");
    assert_true(json_number(p->out, "tolerance") == 1e-4);
    assert_true(json_number(p->out, "time") == 1.0);
    assert_true(json_number(p->out, "molecules") == 108);
    const double step = json_number(p->out, "recommended.step");
    double trial[2];
    bool found = false; /* the recommended step among the trials of the first row, within the tolerance */
    for (const char *at = json_at(p->out, "rows.trials"); at && !found; at = strchr(at + 1, '[')) {
        if (sscanf(at, "[%lf,%lf", &trial[0], &trial[1]) == 2)
            found = trial[0] == step && trial[1] <= 1e-4;
    }
    assert_true(found);
    assert_true(json_number(p->out, "rows.evaluations_per_time") * step > 1.999999);
}

/* Where the best is not nested but the input is, its lines alone would be another scheme. The same for an integrator.
 * At this tolerance a scheme of order 4 takes a third of the time of verlet, whatever the machine. */
TEST(what_does_not_go_with_the_best_is_to_be_removed)
{
    static const char *const others[][2] = {{"nested: {radius: 1.4}", "dynamics.nested"},
                                            {"integrator: rattle", "dynamics.integrator"}};
    for (int k = 0; k < 2; ++k) { /* one in the text, the other in JSON: both print one list */
        char more[512], line[128];
        snprintf(more, sizeof more, "%sdynamics:\n  step: 0.01\n  steps: 10\n  %s\n", switched, others[k][0]);
        write_input(more);
        const struct program *p =
            tune(k == 0 ? "--tolerance 1e-5 --schemes polhode4-6b --time 1 --threads 1 --quiet"
                        : "--tolerance 1e-5 --schemes polhode4-6b --time 1 --threads 1 --quiet --json");
        assert_int_equal(p->status, 0);
        if (k == 0) {
            snprintf(line, sizeof line, "%s:11: remove %s, which does not go with these lines.\n", path, others[k][1]);
            assert_non_null(strstr(p->out, line));
            continue;
        }
        assert_json_string(p->out, "recommended.scheme", "polhode4-6b");
        snprintf(line, sizeof line, "\"%s\"", others[k][1]);
        const char *list = strstr(p->out, "\"remove\":");
        assert_non_null(list);
        assert_non_null(strstr(list, line));
        assert_true(strstr(list, line) < strchr(list, ']'));
    }
}

TEST(a_tolerance_out_of_reach_has_status_1)
{
    write_input("interactions: {cutoff: 2.5, truncation: cut, electrostatics: {method: cutoff}}\n");
    const struct program *p = tune("--tolerance 1e-9 --schemes omelyan4-5fv --time 1 --threads 1 --quiet");
    assert_int_equal(p->status, 1);
    assert_non_null(strstr(p->out, "Not within the tolerance: "));
    assert_null(strstr(p->out, "dynamics:"));
    assert_non_null(strstr(p->err, "No scheme was within 1e-09. The least error was "));
}

/* Springs with omega = 1 and kT = 1: the bias of verlet is 1.5/(1 - h^2/4) - 1.5, 0.015, 0.0625, 0.286 and 2.7 at the
 * steps that are tried */
static const char springs[] = "units: reduced\n"
                              "system:\n"
                              "  box: {kind: open}\n"
                              "  molecules: [{model: lennard-jones, count: 64}]\n"
                              "  start: {kind: simple-cubic, spacing: 20, temperature: 1}\n"
                              "interactions: {cutoff: 2.5, switch: {width: 1}, external: {tether: 1}}\n"
                              "dynamics:\n"
                              "  {scheme: verlet, steps: 1, step: %s,\n"
                              "   thermostat: {kind: langevin, temperature: 1, friction: 0.5}}\n";

static void write_springs_with(const char *step)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, springs, step);
    assert_int_equal(fclose(file), 0);
}

static void write_springs(void) { write_springs_with("0.4"); }

static const struct program *tune_averages(const char *options)
{
    char line[512];
    snprintf(line, sizeof line, "tune %s --for averages --threads 1 --quiet %s", path, options);
    return run_program(line);
}

TEST(averages_have_no_larger_bias_than_asked_for)
{
    static const struct {
        double step, bias;
        const char *outcome;
    } want[] = {{0.2, 0.0152, "within"}, {0.4, 0.0625, "within"}, {0.8, 0.2857, "outside"}, {1.6, 2.6667, "outside"}};
    write_springs();
    const struct program *p = tune_averages("--tolerance 0.15 --time 400 --schemes verlet --json");
    assert_int_equal(p->status, 0);
    assert_json_string(p->out, "recommended.scheme", "verlet");
    assert_json_string(p->out, "recommended.thermostat", "langevin-middle"); /* no bias at any step of springs */
    assert_true(json_number(p->out, "recommended.step") == 1.6);
    const char *at = json_at(p->out, "rows");
    double cost[4];
    for (size_t k = 0; k < 4; ++k) {
        at = json_at(at, "scheme");
        assert_json_string(at, "outcome", want[k].outcome);
        assert_close(json_number(at, "step"), want[k].step, 1e-12, 1.0);
        if (!(fabs(json_number(at, "bias") - want[k].bias) < 4.0 * json_number(at, "bias_error")))
            fail_msg("step %g: bias %g, %g expected", want[k].step, json_number(at, "bias"), want[k].bias);
        cost[k] = json_number(at, "evaluations_per_sample");
    }
    assert_close(cost[0], 2.0 * cost[1], 1e-12, cost[0]); /* half the step costs twice */
    assert_true(cost[1] > 2.0 && cost[1] < 20.0);         /* energies forget in 2 to 4 units of time */
    char line[512];
    snprintf(line, sizeof line, "tune %s --threads 1 --tolerance 0.15 --time 400 --schemes verlet", path);
    p = run_program(line); /* as the input asks */
    assert_int_equal(p->status, 0);
    assert_non_null(strstr(p->err, "a search for averages"));
    assert_non_null(
        strstr(p->out, "\ndynamics:\n  scheme: verlet\n  step: 1.6\n  thermostat: {kind: langevin-middle, "));
}

TEST(what_is_not_resolved_is_no_answer)
{
    write_springs();
    const struct program *p = tune_averages("--tolerance 1e-3 --time 50 --schemes polhode4-6b");
    assert_int_equal(p->status, 1);
    assert_non_null(strstr(p->out, "not resolved"));
    assert_null(strstr(p->out, "dynamics:"));
    assert_non_null(strstr(p->err, "No scheme was shown to be within 0.001"));
    assert_non_null(strstr(p->err, "--time"));
    assert_int_equal(tune_averages("--tolerance 1e-3 --all")->status, 2);
    p = tune_averages("--tolerance 1e-3 --set dynamics.step=0.1");
    assert_int_equal(p->status, 2);
    assert_non_null(strstr(p->err, "--set does not go with --for averages"));
    p = tune_averages("--tolerance 1e-3 --for means");
    assert_int_equal(p->status, 2);
    assert_non_null(strstr(p->err, "'means'. Accepted: energy, averages"));
}

/* Unstable steps: hardly any is accepted. */
TEST(a_reference_that_stands_still_is_no_reference)
{
    write_springs_with("2.4");
    const struct program *p = tune_averages("--tolerance 0.15 --time 50 --schemes verlet");
    assert_int_equal(p->status, 1);
    assert_non_null(strstr(p->err, "The reference accepted "));
    assert_non_null(strstr(p->err, "Take a shorter step in the input"));
}

TEST(averages_are_measured_on_the_processor_with_schemes)
{
    char line[256];
    write_springs_with("0.4, backend: emulated");
    snprintf(line, sizeof line, "tune %s --tolerance 0.1", path);
    assert_usage_error(line, "polhode tune", "dynamics.backend", "processor");
    write_input("interactions: {cutoff: 2.9, switch: {width: 1.5}, electrostatics: {method: cutoff}}\n"
                "dynamics:\n"
                "  {integrator: vlv, step: 0.005, steps: 1,\n"
                "   thermostat: {kind: velocity-rescaling, temperature: 1, relaxation_time: 0.1}}\n");
    snprintf(line, sizeof line, "tune %s --tolerance 1e9 --time 0.2 --schemes verlet --threads 1", path);
    const struct program *p = run_program(line);
    assert_int_equal(p->status, 0);
    assert_null(strstr(p->err, "averages"));
}

TEST(wrong_words_are_named)
{
    write_input(switched);
    char line[256];
    const char *const words[][3] = {
        {"", "--tolerance", "missing"},
        {"--tolerance -1", "--tolerance", "positive"},
        {"--tolerance 1e-5 --time 0", "--time", "positive"},
        {"--tolerance 1e-5 --schemes verlot", "verlot", "'verlet'"},
        {"--tolerance 1e-5 --schemes verlet,", "--schemes", "'verlet,'"},
        {"--tolerance 1e-5 --flows exakt", "exakt", "'exact'"},
        {"--tolerance 1e-5 --all --schemes verlet", "--all", "--schemes"},
        {"--tolerance 1e-5 --threads 0", "--threads", "0"},
        {"--tolerance 1e-5 --set interactions.cutof=2", "cutof", "interactions"},
        {"--tolerance 1e-5 --set interactions.cutoff=50", "cutoff", "50"},
        {"--tolerance 1e-5 --set dynamics.step=0.01 --set dynamics.steps=1 --set dynamics.backend=emulated",
         "dynamics.backend", "processor"},
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
        snprintf(line, sizeof line, "tune %s %s", path, words[k][0]);
        assert_usage_error(line, "polhode tune", words[k][1], words[k][2]);
    }
}

GROUP(make_path, remove_path)
