/* SPDX-License-Identifier: MIT */
#include "program/support/program.h"

/* Writes an input file, runs `bench steps` on it, and removes it. */
static const struct program *bench_steps_with(const char *option, const char *input)
{
    char path[] = "/tmp/polhode-bench-XXXXXX", line[128];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, input, strlen(input)), (ssize_t)strlen(input));
    close(file);
    snprintf(line, sizeof line, "bench steps --json %s --input %s", option, path);
    const struct program *p = run_program(line);
    unlink(path);
    return p;
}

static const struct program *bench_steps(const char *input) { return bench_steps_with("", input); }

/* Velocity Verlet with exact rotation: a quarter of the energy error for half the step. A force or torque that does not
 * arrive, or arrives in the wrong frame, leaves an error that does not shrink. */
static void steps_conserve_energy_to_second_order(void **state)
{
    double drift[2];
    for (int k = 0; k < 2; ++k) {
        char input[512];
        snprintf(input, sizeof input,
                 "units: reduced\n"
                 "system:\n"
                 "  box: {density: 0.5}\n"
                 "  molecules: [{model: dipolar-soft-sphere, count: 108}]\n"
                 "  start: {kind: fcc, jitter: 0.05, temperature: 1}\n"
                 "interactions: {cutoff: 2.5, switch: {width: 1}, electrostatics: {method: cutoff}}\n"
                 "dynamics: {scheme: verlet, step: %g, steps: %d}\n",
                 k == 0 ? 0.004 : 0.002, k == 0 ? 50 : 100);
        const struct program *p = bench_steps(input);
        assert_string_equal(p->err, "");
        assert_int_equal(p->status, 0);
        assert_true(json_number(p->out, "molecules") == 108);
        assert_true(json_number(p->out, "steps") == (k == 0 ? 50 : 100));
        assert_true(json_number(p->out, "steps_per_second") > 0);
        drift[k] = json_number(p->out, "drift_per_molecule");
    }
    const double ratio = drift[0] / drift[1];
    if (!(ratio > 3.6 && ratio < 4.4))
        fail_msg("energy changed by %.3e with a step of 0.004, by %.3e with 0.002: ratio %.2f, not 4", drift[0],
                 drift[1], ratio);
}

/* The unit of all speeds: pairs of sites within the cutoff, each once. Two waters have nine. */
static void pairs_are_counted_once(void **state)
{
    const char *cube = "units: reduced\n"
                       "system:\n"
                       "  box: {kind: open}\n"
                       "  molecules: [{model: lennard-jones, count: 8}]\n"
                       "  start: {kind: simple-cubic, spacing: 1.1}\n"
                       "%s"
                       "dynamics: {scheme: verlet, step: 0.001, steps: 1}\n";
    char input[512];
    snprintf(input, sizeof input, cube, "interactions: {cutoff: 1.2, truncation: cut}\n");
    assert_true(json_number(bench_steps(input)->out, "pairs") == 12); /* edges of a cube */
    snprintf(input, sizeof input, cube, "");
    assert_true(json_number(bench_steps(input)->out, "pairs") == 28); /* all */
    const char *water = "units: md\n"
                        "system:\n"
                        "  box: {kind: open}\n"
                        "  molecules: [{model: spc-e, count: 2}]\n"
                        "  start: {kind: simple-cubic, spacing: 0.4}\n"
                        "dynamics: {scheme: verlet, step: 0.0001, steps: 1}\n";
    assert_true(json_number(bench_steps(water)->out, "pairs") == 9);
}

/* Parts of a step: time that belongs to no part, or to two, would be missed here. The pair loop and its sums are parts
 * of their own where there are several tiles. */
static void parts_of_a_step_are_all_of_it(void **state)
{
    const struct program *p = bench_steps_with(
        "--threads", "units: reduced\n"
                     "system:\n"
                     "  box: {density: 0.5}\n"
                     "  molecules: [{model: dipolar-soft-sphere, count: 500}]\n"
                     "  start: {kind: fcc, jitter: 0.05, temperature: 1}\n"
                     "interactions: {cutoff: 2.5, switch: {width: 1}, electrostatics: {method: cutoff}}\n"
                     "dynamics: {scheme: verlet, step: 0.004, steps: 20}\n");
    assert_string_equal(p->err, "");
    assert_int_equal(p->status, 0);
    const char *const names[] = {"drifts, kicks", "making lists", "sites", "pairs", "sums over copies"};
    double sum[2] = {0.0};
    for (const char *row = json_at(p->out, "parts"); (row = strstr(row, "\"part\": ")) != NULL; ++row) {
        const double one = json_number(row, "ms_one_thread"), all = json_number(row, "ms_all_threads");
        if (strncmp(row, "\"part\": \"step\"", 14) == 0) {
            assert_true(fabs(sum[0] - one) < 1e-9 * one && fabs(sum[1] - all) < 1e-9 * all);
            assert_true(all * json_number(p->out, "steps") > 900.0 * json_number(p->out, "seconds"));
        }
        sum[0] += one;
        sum[1] += all;
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        assert_non_null(strstr(p->out, names[k]));
}

/* In the Stockmayer fluid, with so few states and rates that it takes seconds: the passes needed lie where the errors
 * pass the level, their standard error is a few percent, and rates that were not asked for are not measured. */
static void accuracy_has_error_bars(void **state)
{
    const struct program *p =
        run_program("bench accuracy --molecules 343 --states 3 --schemes polhode4-6b --most 250 --json");
    assert_string_equal(p->err, "");
    assert_int_equal(p->status, 0);
    assert_json_string(p->out, "fluid", "stockmayer");
    const char *row = strstr(p->out, "polhode4-6b");
    assert_non_null(row);
    double needed[4], spread[4];
    json_numbers(row, "needed", 4, needed);
    json_numbers(row, "standard_error", 4, spread);
    const char *errors = json_at(row, "error");
    double at_125, at_250;
    int length = 0;
    assert_int_equal(
        sscanf(errors, "[%lf, %*f, %lf, null, null, null, null, null, null, null, null]%n", &at_125, &at_250, &length),
        2);
    assert_true(length > 0);
    assert_true(at_125 > 1e-4 && at_250 < 1e-4);
    assert_true(needed[0] > 125.0 && needed[0] < 250.0);
    assert_true(spread[0] > 0.002 * needed[0] && spread[0] < 0.1 * needed[0]);
    assert_usage_error("bench accuracy --fluid wter", "polhode bench", "wter", "water");
    assert_usage_error("bench accuracy --states 0", "polhode bench", "--states", "0");
}

static void options_of_another_bench_are_refused(void **state)
{
    const char *const lines[] = {"bench forces --input x.yaml",
                                 "bench forces --body flat",
                                 "bench flows --scaling",
                                 "bench forces --fluid water",
                                 "bench flows --most 100",
                                 "bench forces --threads",
                                 "bench steps --work-precision --input x.yaml",
                                 "bench forces --backend emulated",
                                 "bench steps --device 0",
                                 "bench steps"};
    const char *const names[] = {"--input",   "--body",           "--scaling", "--fluid",  "--most",
                                 "--threads", "--work-precision", "--backend", "--device", "--input"};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; ++k) {
        const struct program *p = run_program(lines[k]);
        assert_int_equal(p->status, 2);
        assert_string_equal(p->out, "");
        assert_non_null(strstr(p->err, names[k]));
    }
}

static void steps_need_a_dynamics_section(void **state)
{
    const struct program *p = bench_steps("units: reduced\n"
                                          "system:\n"
                                          "  box: {kind: open}\n"
                                          "  molecules: [{model: lennard-jones, count: 8}]\n"
                                          "  start: {kind: simple-cubic, spacing: 1.1}\n");
    assert_int_equal(p->status, 2);
    assert_non_null(strstr(p->err, "dynamics"));
}

/* ---- backend ---- */

static const struct program *bench_backend(const char *input, const char *options)
{
    char path[] = "/tmp/polhode-bench-XXXXXX", line[128];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, input, strlen(input)), (ssize_t)strlen(input));
    close(file);
    snprintf(line, sizeof line, "bench backend --input %s %s", path, options);
    const struct program *p = run_program(line);
    unlink(path);
    return p;
}

/* Lines of the table of parts: seconds and launches of one part, 0 if it is not there */
static void part_of_step(const char *document, const char *name, double *launches, double *us)
{
    char key[96];
    snprintf(key, sizeof key, "\"part\": \"%s\"", name);
    const char *row = strstr(document, key);
    *launches = row ? json_number(row, "launches") : 0.0;
    *us = row ? json_number(row, "us") : 0.0;
}

/* Two waters in open space have nine pairs of sites. A step of Verlet has one evaluation and one drift; nothing of it
 * is left out of the sum of its parts. */
static void backends_are_timed_in_parts(void **state)
{
    static const char waters[] = "units: md\n"
                                 "system:\n"
                                 "  box: {kind: open}\n"
                                 "  molecules: [{model: spc-e, count: 2}]\n"
                                 "  start: {kind: simple-cubic, spacing: 0.4}\n"
                                 "interactions: {electrostatics: {method: cutoff}}\n"
                                 "dynamics: {scheme: verlet, step: 0.001, steps: 1}\n";
    static const char *const parts[] = {"forces of pairs", "drift and kick", "sums", "between these"};
    const struct program *p = bench_backend(waters, "--backend emulated --json --device 1");
    assert_string_equal(p->err, "");
    assert_int_equal(p->status, 0);
    const char *system = json_at(p->out, "systems");
    const double steps = json_number(system, "steps"), seconds = json_number(system, "seconds");
    assert_true(json_number(system, "molecules") == 2);
    assert_true(json_number(system, "pairs") == 9);
    assert_true(steps > 100);
    assert_true(seconds > 0.05 && seconds < 20.0);
    assert_close(json_number(system, "pairs_per_second"), 9.0 * steps / seconds, 0.01, 9.0 * steps / seconds);
    assert_close(json_number(system, "ns_per_day"), 86.4e-3 * steps / seconds, 1e-12, 86.4e-3 * steps / seconds);
    double launches[4], us[4], sum = 0.0, all[2];
    for (int k = 0; k < 4; ++k) {
        part_of_step(system, parts[k], &launches[k], &us[k]);
        sum += us[k];
    }
    part_of_step(system, "all", &all[0], &all[1]);
    assert_close(launches[0], 1.0, 0.1, 1.0);
    assert_close(launches[1], 1.0, 0.1, 1.0);
    assert_true(us[0] > 0.0 && us[1] > 0.0 && us[3] > 0.0);
    assert_close(sum, all[1], 1e-9, all[1]);
    p = bench_backend(waters, "--backend emulated");
    assert_int_equal(p->status, 0);
    assert_non_null(strstr(p->out, "9 pairs of sites"));
    assert_non_null(strstr(p->out, " ns/day"));
    assert_usage_error("bench backend --backend cpu", "polhode bench", "cpu", "emulated");
    assert_usage_error("bench backend --backend emulated --device 2", "polhode bench", "2 devices", "0 to 1");
}

/* ---- averages ---- */

/* Atoms on springs, each alone, omega = 1 */
static const char springs[] = "units: reduced\n"
                              "system:\n"
                              "  box: {kind: open}\n"
                              "  molecules: [{model: lennard-jones, count: 64}]\n"
                              "  start: {kind: simple-cubic, spacing: 20, temperature: 1}\n"
                              "interactions: {cutoff: 2.5, switch: {width: 1}, external: {tether: 1}}\n"
                              "dynamics:\n"
                              "  {scheme: verlet, step: 0.4, steps: 1,\n"
                              "   thermostat: {kind: langevin, temperature: 1, friction: 0.5}}\n";

static const struct program *bench_averages(const char *options)
{
    char path[] = "/tmp/polhode-bench-XXXXXX", line[256];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, springs, strlen(springs)), (ssize_t)strlen(springs));
    close(file);
    snprintf(line, sizeof line, "bench averages %s --input %s", options, path);
    const struct program *p = run_program(line);
    unlink(path);
    return p;
}

/* At the ends of steps of Verlet springs have the energy kT/2 over 1 - (omega h)^2/4, and momenta have no error. So the
 * relative bias of U is that of a method of order 2, with a known factor. The reference and a scheme of order 4 show
 * none. */
static void averages_find_the_bias_of_verlet(void **state)
{
    const struct program *p =
        bench_averages("--steps 0.8,0.4 --schemes verlet,polhode4-6b --time 3000 --reference-step "
                       "0.1 --reference-times 1 --budgets 1e3,1e9 --json");
    assert_string_equal(p->err, "");
    assert_int_equal(p->status, 0);
    const char *at = json_at(p->out, "reference"), *of = json_at(at, "potential");
    const double mean = json_number(of, "mean"), error = json_number(of, "error");
    assert_true(error > 1e-3 && error < 2e-2);
    assert_true(fabs(mean - 1.5) < 4.0 * error);
    assert_true(json_number(at, "acceptance") > 0.9);
    double part[2];
    at = json_at(p->out, "runs");
    for (int k = 0; k < 2; ++k) {
        const double h = k == 0 ? 0.8 : 0.4, want = 1.5 / (1.0 - 0.25 * h * h);
        at = json_at(at, "scheme");
        of = json_at(at, "potential");
        assert_true(json_number(at, "step") == h && json_number(at, "evaluations_per_time") == 1.0 / h);
        part[k] = 1.0 - 1.5 / json_number(of, "mean");
        const double bias = json_number(of, "bias"), scatter = json_number(of, "bias_error");
        if (!(fabs(bias - (want - 1.5)) < 4.0 * scatter && bias > 4.0 * scatter))
            fail_msg("step %g: bias %.4f +- %.4f, %.4f expected", h, bias, scatter, want - 1.5);
        double total[2];
        json_numbers(of, "total_error", 2, total);
        assert_true(fabs(total[1] - bias) < 0.1 * bias);        /* after many evaluations the bias remains */
        const double run = json_number(at, "sampled_time") / h; /* evaluations; the error falls with their root */
        const double alone = json_number(of, "error") * sqrt(run / 1e3);
        assert_close(sqrt(total[0] * total[0] - total[1] * total[1]), alone, 1e-3, alone);
        of = json_at(at, "temperature_translation");
        assert_true(fabs(json_number(of, "bias")) < 4.0 * json_number(of, "bias_error"));
    }
    assert_close(part[0] / part[1], 4.0, 0.25, 4.0);
    at = json_at(json_at(at, "scheme"), "scheme"); /* with steps of 0.4 per evaluation */
    assert_int_equal(strncmp(at, "\"polhode4-6b\"", 13), 0);
    of = json_at(at, "potential");
    assert_true(fabs(json_number(of, "bias")) < 4.0 * json_number(of, "bias_error"));
}

/* The same numbers for the same seed, others for another; and words for people */
static void averages_follow_the_seed(void **state)
{
    static const char options[] = "--steps 0.4 --schemes verlet --time 40 --seed %s --reference verlet%s";
    char line[160];
    snprintf(line, sizeof line, options, "3", " --json");
    const struct program *p = bench_averages(line);
    assert_int_equal(p->status, 0);
    const double mean = json_number(json_at(p->out, "runs"), "mean");
    assert_true(json_number(json_at(bench_averages(line)->out, "runs"), "mean") == mean);
    snprintf(line, sizeof line, options, "4", " --json");
    assert_true(json_number(json_at(bench_averages(line)->out, "runs"), "mean") != mean);
    snprintf(line, sizeof line, options, "3", "");
    p = bench_averages(line);
    assert_int_equal(p->status, 0);
    assert_non_null(strstr(p->out, "Bias, and its standard error"));
    assert_non_null(strstr(p->out, "reference: verlet, step 0.2"));
    assert_null(strstr(p->out, "T rot"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_conserve_energy_to_second_order),
        cmocka_unit_test(pairs_are_counted_once),
        cmocka_unit_test(parts_of_a_step_are_all_of_it),
        cmocka_unit_test(accuracy_has_error_bars),
        cmocka_unit_test(backends_are_timed_in_parts),
        cmocka_unit_test(averages_find_the_bias_of_verlet),
        cmocka_unit_test(averages_follow_the_seed),
        cmocka_unit_test(options_of_another_bench_are_refused),
        cmocka_unit_test(steps_need_a_dynamics_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
