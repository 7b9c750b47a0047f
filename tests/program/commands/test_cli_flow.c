/* SPDX-License-Identifier: MIT */
#include "program/support/program.h"

#include <float.h>

/* A symmetric top in closed form: m turns about axis 3 at the rate m3 (1/I3 - 1/I1). Catches a flow that is not
 * called, a wrong sign of time, and inertia and momentum mixed up. */
TEST(json_has_the_state_of_a_symmetric_top)
{
    const double time[] = {3.0, -3.0};
    const char *lines[] = {"flow --inertia 2,2,3 --momentum -1,0.5,2 --time 3 --flow exact --json",
                           "flow --inertia=2,2,3 --momentum=-1,0.5,2 --time=-3 --steps=4 --json"};
    for (int i = 0; i < 2; ++i) {
        const struct program *p = run_well(lines[i]);
        assert_string_equal(p->err, "");
        assert_json_string(p->out, "body", "symmetric top");
        assert_json_string(p->out, "flow", "exact");
        assert_true(json_number(p->out, "steps") == (i == 0 ? 1 : 4));
        assert_true(json_number(p->out, "end.time") == time[i]);
        assert_true(json_number(p->out, "start.time") == 0.0);

        double inertia[3], m0[3], m[3];
        json_numbers(p->out, "inertia", 3, inertia);
        json_numbers(p->out, "start.momentum", 3, m0);
        json_numbers(p->out, "end.momentum", 3, m);
        assert_true(inertia[0] == 2 && inertia[1] == 2 && inertia[2] == 3);
        assert_true(m0[0] == -1 && m0[1] == 0.5 && m0[2] == 2);
        const double angle = time[i] * 2.0 * (1.0 / 3.0 - 1.0 / 2.0);
        assert_close(m[0], -cos(angle) + 0.5 * sin(angle), 8 * DBL_EPSILON, 1.0);
        assert_close(m[1], sin(angle) + 0.5 * cos(angle), 8 * DBL_EPSILON, 1.0);
        assert_close(m[2], 2.0, 8 * DBL_EPSILON, 1.0);
        assert_close(json_number(p->out, "end.energy"), 0.5 * (1.25 / 2.0 + 4.0 / 3.0), 8 * DBL_EPSILON, 1.0);
        assert_close(json_number(p->out, "end.momentum_norm"), sqrt(5.25), 8 * DBL_EPSILON, 1.0);
        assert_close(json_number(p->out, "relative_change.energy"), 0.0, 8 * DBL_EPSILON, 1.0);
        assert_close(json_number(p->out, "relative_change.space_momentum"), 0.0, 16 * DBL_EPSILON, 1.0);
    }
}

/* About axis z by 1.2 radians, from an orientation that turns z to x: space momentum and quaternion are known. */
TEST(attitude_turns_about_the_momentum_of_a_sphere)
{
    const struct program *p =
        run_well("flow --inertia 2,2,2 --momentum 0,0,3 --time 0.8 --attitude 0.5,0.5,0.5,0.5 --json");
    assert_string_equal(p->err, "");
    double q[4], space[3];
    json_numbers(p->out, "end.attitude", 4, q);
    json_numbers(p->out, "end.space_momentum", 3, space);
    const double c = cos(0.6), s = sin(0.6), want[4] = {0.5 * (c - s), 0.5 * (c + s), 0.5 * (c - s), 0.5 * (c + s)};
    for (int k = 0; k < 4; ++k)
        assert_close(q[k], want[k], 4 * DBL_EPSILON, 1.0);
    assert_close(space[0], 3.0, 4 * DBL_EPSILON, 3.0);
    assert_close(space[1], 0.0, 4 * DBL_EPSILON, 3.0);
    assert_close(space[2], 0.0, 4 * DBL_EPSILON, 3.0);
}

/* A splitting has an energy error, and more steps make it smaller: --flow and --steps reach the computation. */
TEST(flow_and_steps_are_obeyed)
{
    static const char *const lines[] = {"flow --inertia 1,2,3 --momentum 1,1,1 --time 4 --json",
                                        "flow --inertia 1,2,3 --momentum 1,1,1 --time 4 --flow mr2 --steps 10 --json",
                                        "flow --inertia 1,2,3 --momentum 1,1,1 --time 4 --flow mr2 --steps 20 --json"};
    double change[3], norm_change[3];
    for (int i = 0; i < 3; ++i) {
        const struct program *p = run_well(lines[i]);
        change[i] = fabs(json_number(p->out, "relative_change.energy"));
        norm_change[i] = fabs(json_number(p->out, "relative_change.momentum_norm"));
        assert_close(norm_change[i], 0.0, 4 * DBL_EPSILON, 1.0);
    }
    assert_true(change[0] < 1e-15);
    assert_true(change[1] > 1e-5 && change[1] < 1e-1);
    assert_true(change[2] < 0.5 * change[1] && change[2] > 1e-6);
}

TEST(text_output_names_body_flow_and_changes)
{
    const struct program *p = run_well("flow --inertia 1,2,2.5 --momentum 1,0,0 --time 2 --steps 3 --flow sr2");
    assert_string_equal(p->err, "");
    static const char *const words[] = {"asymmetric top", "1, 2, 2.5", "flow sr2, 3 steps of 0.666666666666667",
                                        "attitude",       "energy",    "angular momentum, space",
                                        "relative change"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if (!strstr(p->out, words[i]))
            fail_msg("'%s' expected in\n%s", words[i], p->out);
}

TEST(impossible_moments_are_computed_with_a_warning)
{
    const struct program *p = run_well("flow --inertia 1,2,3.5 --momentum 1,0,0 --time 1 --json");
    assert_non_null(strstr(p->err, "polhode flow: warning: --inertia 1,2,3.5"));
    assert_true(strncmp(json_at(p->out, "inertia_possible"), "false", 5) == 0);
    p = run_program("flow --inertia 1,2,3 --momentum 1,0,0 --time 1 --json");
    assert_string_equal(p->err, "");
    assert_true(strncmp(json_at(p->out, "inertia_possible"), "true", 4) == 0);
}

TEST(attitude_is_scaled_and_the_user_told)
{
    const struct program *p =
        run_well("flow --inertia 1,2,3 --momentum 1,0,0 --time 1 --attitude 3e200,0,-4e200,0 --json");
    assert_non_null(strstr(p->err, "norm 5e+200"));
    double q[4];
    json_numbers(p->out, "start.attitude", 4, q);
    assert_close(q[0], 0.6, 2 * DBL_EPSILON, 1.0);
    assert_close(q[2], -0.8, 2 * DBL_EPSILON, 1.0);
    assert_true(q[1] == 0.0 && q[3] == 0.0);
}

/* A result that is no number is null: JSON knows no inf. */
TEST(overflow_is_null_in_json)
{
    const struct program *p = run_well("flow --inertia 1,2,3 --momentum 1e200,0,0 --time 0 --json");
    assert_true(strncmp(json_at(p->out, "end.energy"), "null", 4) == 0);
    assert_close(json_number(p->out, "end.momentum_norm"), 1e200, 4 * DBL_EPSILON, 1e200);
}

TEST(linear_rotors_have_no_momentum_about_their_axis)
{
    const struct program *p = run_well("flow --inertia 1,0,1 --momentum 1,-0,2 --time 1 --json");
    assert_json_string(p->out, "body", "linear rotor");
    assert_close(json_number(p->out, "end.energy"), 2.5, 4 * DBL_EPSILON, 2.5);
    assert_usage_error("flow --inertia 1,0,1 --momentum 1,1e-9,2 --time 1", "polhode flow: ", "--momentum 1,1e-9,2",
                       "axis 2");
}

TEST(wrong_input_is_refused_with_option_value_and_choices)
{
    static const struct {
        const char *arguments, *one, *two;
    } cases[] = {
        {"--inertia -1,2,3 --momentum 1,0,0 --time 1", "--inertia -1,2,3", "not negative"},
        {"--inertia 0,0,3 --momentum 1,0,0 --time 1", "--inertia 0,0,3", "both zero"},
        {"--inertia nan,2,3 --momentum 1,0,0 --time 1", "--inertia nan,2,3", "'nan' is not a finite number"},
        {"--inertia 1,2,1e999 --momentum 1,0,0 --time 1", "'1e999' is not a finite number", "3 numbers"},
        {"--inertia 1,2 --momentum 1,0,0 --time 1", "--inertia 1,2:", "2 numbers given; accepted: 3 numbers"},
        {"--inertia 1,2,3,4 --momentum 1,0,0 --time 1", "--inertia 1,2,3,4:", "4 numbers given; accepted: 3 numbers"},
        {"--inertia 1,2,3x --momentum 1,0,0 --time 1", "'3x'", "accepted: 3 numbers separated by commas"},
        {"--inertia 1,,3 --momentum 1,0,0 --time 1", "'' is not", "3 numbers"},
        {"--inertia 1,2,3, --momentum 1,0,0 --time 1", "'' is not", "3 numbers"},
        {"--inertia 1;2;3 --momentum 1,0,0 --time 1", "'1;2;3'", "3 numbers"},
        {"--inertia 1,2,3 --momentum 1,inf,0 --time 1", "--momentum 1,inf,0", "'inf'"},
        {"--inertia 1,2,3 --momentum 1,0,0 --time soon", "--time soon", "one number"},
        {"--inertia 1,2,3 --momentum 1,0,0 --time 1,2", "--time 1,2", "2 numbers given; accepted: one number"},
        {"--momentum 1,0,0 --time 1", "--inertia is missing", "I1,I2,I3"},
        {"--inertia 1,2,3 --time 1", "--momentum is missing", "m1,m2,m3"},
        {"--inertia 1,2,3 --momentum 1,0,0", "--time is missing", "time"},
        {"--inertia 1,2,3 --momentum 1,0,0 --time 1 --flow exakt", "--flow exakt", "Did you mean 'exact'? Accepted: "},
        {"--inertia 1,2,3 --momentum 1,0,0 --time 1 --flow zzzzzzzzz", "'zzzzzzzzz'. Accepted: ", "mr2"},
        {"--inertia 1,2,3 --momentum 1,0,0 --time 1 --attitude 0,0,0,0", "--attitude 0,0,0,0", "zero"},
        {"--inertia 1,2,3 --momentum 1,0,0 --time 1 --attitude 1,0,0", "--attitude 1,0,0", "4 numbers"},
        {"--inertia 1,2,3 --momentum 1,0,0 --time 1 --steps 0", "--steps 0", "at least 1"},
        {"--inertia 1,2,3 --momentum 1,0,0 --time 1 --steps -4", "--steps -4", "whole number"},
        {"--inertia 1,2,3 --momentum 1,0,0 --time 1 --steps 2.5", "--steps 2.5", "whole number"},
        {"--inertia 1,2,3 --momentum 1,0,0 --time 1 --steps 99999999999999999999", "--steps", "whole number"},
        {"--inertia 1,2,3 --momentum 1,0,0 --time 1 --speed 3", "--speed", "no option"},
        {"--inertia 1,2,3 --momentum 1,0,0 --time 1 extra", "extra", "belongs to no option"},
        {"--inertia 1,2,3 --momentum 1,0,0 --time", "--time", "argument"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char line[512];
        snprintf(line, sizeof line, "flow %s", cases[i].arguments);
        assert_usage_error(line, "polhode flow: ", cases[i].one, cases[i].two);
    }
}

TEST(results_that_cannot_be_written_are_a_failure)
{
    const int full_disk = open("/dev/full", O_WRONLY);
    if (full_disk < 0)
        skip();
    static const char *const lines[] = {"flow --inertia 1,2,3 --momentum 1,0,0 --time 1", "list", "--help",
                                        "flow --help"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        const struct program *p = run_program_to(full_disk, lines[i]);
        assert_int_equal(p->status, 4);
        assert_non_null(strstr(p->err, "could not be written"));
    }
    close(full_disk);
}

/* A reader that has gone, as in `polhode list | true` */
TEST(a_closed_pipe_is_a_failure_not_a_crash)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    const struct program *p = run_program_to(ends[1], "list");
    close(ends[1]);
    assert_int_equal(p->status, 4);
}
