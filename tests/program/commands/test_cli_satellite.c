/* SPDX-License-Identifier: MIT */
/* polhode energy and polhode check with the gradient of gravity, from input and model files. */
#include "program/support/program.h"

#include "folder.h"

static int make_files(void **state)
{
    if (enter_folder(state) != 0)
        return -1;
    write_text("satellite.yaml", "name: satellite\n"
                                 "description: three moments\n"
                                 "source: none\n"
                                 "units: reduced\n"
                                 "mass: 1\n"
                                 "inertia: [1.7e4, 3.7e4, 5.4e4]\n"
                                 "sites:\n"
                                 "  - {name: A, lennard-jones: {epsilon: 1, sigma: 1}}\n");
    write_text("input.yaml", "title: satellite\n"
                             "units: reduced\n"
                             "system:\n"
                             "  box: {kind: open}\n"
                             "  molecules:\n"
                             "    - {model: ./satellite.yaml, count: 1}\n"
                             "  start: {kind: simple-cubic, spacing: 2, attitudes: aligned}\n"
                             "interactions:\n"
                             "  external: {gravity_gradient: 0.1181037037037037}\n");
    return 0;
}

static const struct program *run_satellite(const char *command, const char *more)
{
    char line[256];
    snprintf(line, sizeof line, "%s input.yaml %s", command, more);
    return run_program(line);
}

/* Its third axis, that of the largest moment, points to the earth: 3/2 k I3. */
TEST(the_key_reaches_the_energy)
{
    const struct program *p = run_satellite("energy", "--json");
    if (p->status != 0)
        fail_msg("%s", p->err);
    assert_close(json_number(p->out, "energy.field"), 9566.4, 1e-15, 9566.4);
    p = run_satellite("energy", "--json --set interactions.external.gravity_gradient=0");
    assert_true(json_number(p->out, "energy.field") == 0.0);
}

TEST(the_torque_is_the_slope_of_the_energy)
{
    const struct program *p = run_satellite("check", "--gradients --set system.start.attitudes=random");
    if (p->status != 0)
        fail_msg("%s%s", p->out, p->err);
    assert_non_null(strstr(p->out, "gravity gradient: 0.1181037037"));
}

TEST(a_negative_one_is_refused)
{
    const struct program *p = run_satellite("energy", "--set interactions.external.gravity_gradient=-1");
    assert_int_equal(p->status, 2);
    assert_non_null(strstr(p->err, "gravity_gradient"));
}

GROUP(make_files, leave_folder)
