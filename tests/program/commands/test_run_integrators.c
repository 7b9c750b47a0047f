/* SPDX-License-Identifier: MIT */
/* polhode run with one-step integrators: each has its order in a fluid, resumes from its checkpoint, and reports
 * errors.
 */
#include "program/support/running.h"

#include "dynamics/integrators/integrator.h"
#include "output/trajectory/trajectory.h"

#include <hdf5.h>

enum { MOLECULES = 32 };

static const char fluid[] = "title: Dipolar soft spheres\n"
                            "units: reduced\n"
                            "system:\n"
                            "  box: {kind: periodic, density: 0.5}\n"
                            "  molecules: [{model: dipolar-soft-sphere, count: 32}]\n"
                            "  start: {kind: fcc, jitter: 0.03, temperature: 1, seed: 3}\n"
                            "interactions: {cutoff: 1.9, switch: {width: 0.6}, electrostatics: {method: cutoff}}\n"
                            "dynamics: {step: 0.01, steps: 20}\n"
                            "output: {frames_every: 20, series_every: 5, checkpoint_every: 4, author: nobody}\n";

static const double time_span = 0.2;

/* Asymmetric bodies, and linear rotors */
static const struct kind {
    const char *model, *group, *centre; /* group and name of what the file has of molecules */
    double density, box_length;
} kinds[] = {{"dipolar-soft-sphere", "particles/trajectory", "position", 0.5, 4.0},
             {"dipolar-lj-dumbbell", "rigid_bodies/dipolar-lj-dumbbell", "center", 0.256, 5.0}};

static int prepare(void **state)
{
    empty_folder();
    write_text("fluid.yaml", fluid);
    return 0;
}

/* ---- Order ---- */

/* The last row of an element, numbers of each molecule one after another */
static void read_last(hid_t file, const char *group, const char *name, hsize_t width, double *numbers)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s/value", group, name);
    hsize_t size[3];
    const hid_t data = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(data);
    assert_int_equal(H5Sget_simple_extent_dims(space, size, NULL), 3);
    assert_true(size[1] == MOLECULES && size[2] == width);
    const hsize_t from[3] = {size[0] - 1, 0, 0}, count[3] = {1, size[1], size[2]};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL);
    const hid_t memory = H5Screate_simple(3, count, NULL);
    assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, numbers) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(data);
}

struct state {
    double position[MOLECULES][3], velocity[MOLECULES][3], momentum[MOLECULES][3], attitude[MOLECULES][4];
};

static struct state read_state(const struct kind *kind, const char *name)
{
    struct state state;
    const hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    read_last(file, kind->group, kind->centre, 3, state.position[0]);
    read_last(file, kind->group, "velocity", 3, state.velocity[0]);
    read_last(file, kind->group, "angular_momentum", 3, state.momentum[0]);
    read_last(file, kind->group, "orientation", 4, state.attitude[0]);
    H5Fclose(file);
    return state;
}

/* Mean square differences: of positions and velocities, of angular momenta, of orientations (q and -q are the same) */
struct distances {
    double centre, momentum, attitude;
};

static struct distances compare(double box_length, const struct state *a, const struct state *b)
{
    struct distances d = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < MOLECULES; ++i) {
        double minus = 0.0, plus = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double r = remainder(a->position[i][k] - b->position[i][k], box_length);
            const double v = a->velocity[i][k] - b->velocity[i][k], m = a->momentum[i][k] - b->momentum[i][k];
            d.centre += r * r + v * v;
            d.momentum += m * m;
        }
        for (int k = 0; k < 4; ++k) {
            minus += pow(a->attitude[i][k] - b->attitude[i][k], 2.0);
            plus += pow(a->attitude[i][k] + b->attitude[i][k], 2.0);
        }
        d.attitude += fmin(minus, plus);
    }
    return (struct distances){sqrt(d.centre), sqrt(d.momentum), sqrt(d.attitude)};
}

/* The end of a run with n steps by `method`, "scheme=..." or "integrator=...". Sanitizers see a few short ones. */
static struct state run_to_end(const struct kind *kind, const char *method, int n)
{
    const double step = time_span / (PH_SANITIZED ? 100 : n);
    char line[512];
    snprintf(line, sizeof line,
             "run fluid.yaml -q --overwrite -o end.h5md --threads 1 --set system.molecules[0].model=%s --set "
             "system.box.density=%g --set dynamics.%s --set dynamics.steps=%d --set dynamics.step=%.17g --set "
             "output.frames_every=%d --set output.series_every=0 --set output.checkpoint_every=0",
             kind->model, kind->density, method, n, step, n);
    expect(line, 0, "trajectory", "end.h5md");
    return read_state(kind, "end.h5md");
}

static void expect_order(const char *name, const char *what, double coarse, double fine)
{
    const double order = log2(coarse / fine);
    if (!(fabs(order - 2.0) < 0.2))
        fail_msg("%s, %s: order 2 stated, %.2f measured (errors %.2e, %.2e)", name, what, order, coarse, fine);
}

static void expect_orders(const struct kind *kind, const struct ph_integrator *integrator, const struct state *end)
{
    const int n = integrator->claims.reversible ? 60 : 240; /* odd powers of the step fade slowly */
    char method[64];
    snprintf(method, sizeof method, "integrator=%s", integrator->name);
    if (PH_SANITIZED) {
        run_to_end(kind, method, 5);
        return;
    }
    const struct state coarse = run_to_end(kind, method, n), fine = run_to_end(kind, method, 2 * n);
    const struct distances c = compare(kind->box_length, &coarse, end), f = compare(kind->box_length, &fine, end);
    expect_order(integrator->name, "centres", c.centre, f.centre);
    expect_order(integrator->name, "angular momenta", c.momentum, f.momentum);
    expect_order(integrator->name, "attitudes", c.attitude, f.attitude);
}

static void every_integrator_has_its_order_in_a_fluid(void **state)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        const int n = PH_SANITIZED ? 2 : 100;
        const struct state end = run_to_end(&kinds[k], "scheme=rkn8-19a", n);
        const struct state other = run_to_end(&kinds[k], "scheme=srkn6-14a", n);
        const struct distances doubt = compare(kinds[k].box_length, &end, &other);
        assert_true(PH_SANITIZED || doubt.centre + doubt.momentum + doubt.attitude < 1e-9);
        for (size_t i = 0; i < ph_integrator_count(); ++i) {
            assert_int_equal(ph_integrator_at(i)->order, 2);
            if (k == 0 || !ph_integrator_at(i)->not_linear)
                expect_orders(&kinds[k], ph_integrator_at(i), &end);
        }
    }
}

/* ---- Same bits ---- */

static void results_do_not_depend_on_threads(void **state)
{
    static const char *const names[] = {"vlv", "rattle", "new3", "akw", "imidm"};
    static const char *const told[] = {"parameters/build", NULL};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        for (int threads = 1; threads <= 2; ++threads) {
            char line[512];
            snprintf(line, sizeof line,
                     "run fluid.yaml -q --overwrite -o %d.h5md --threads %d --set dynamics.integrator=%s --set "
                     "dynamics.steps=4 --set dynamics.step=0.004 --set system.molecules[0].count=864",
                     threads, threads, names[k]);
            expect(line, 0, "rms", "trajectory");
        }
        assert_same_run("1.h5md", "2.h5md", told);
    }
}

/* Ten steps and ten more are twenty; with a thermostat before. */
static void integrators_go_on_exactly_where_they_were(void **state)
{
    static const char *const names[] = {"vlv", "new3", "tln-exp", "midpoint"};
    static const char *const differ[] = {"parameters/input_set", "parameters/identity", NULL};
    static const char bath[] = "--set dynamics.equilibrate.steps=6";
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        char line[512];
        snprintf(line, sizeof line,
                 "run fluid.yaml --overwrite -o whole.h5md --threads 1 --set dynamics.integrator=%s %s", names[k],
                 bath);
        expect(line, 0, "rms", "whole.h5md");
        snprintf(line, sizeof line,
                 "run fluid.yaml --overwrite -o parts.h5md --threads 1 --set dynamics.integrator=%s %s --set "
                 "dynamics.steps=7",
                 names[k], bath);
        expect(line, 0, "rms", "parts.h5md");
        expect("resume parts.h5md --steps 13 --threads 1", 0, "rms", "parts.h5md");
        assert_same_run("whole.h5md", "parts.h5md", differ);
    }
}

/* ---- What is said ---- */

static void integrators_are_told_of(void **state)
{
    const struct program *p = run_well("check fluid.yaml --set dynamics.integrator=swc1");
    assert_non_null(strstr(p->out, "dynamics: integrator swc1 (order 2, implicit), step 0.01, 20 steps"));
    p = run_well("run fluid.yaml --threads 1 --set dynamics.integrator=mcg");
    assert_non_null(strstr(p->err, "integrator mcg (order 2, 1 evaluation a step), step 0.01, 1 thread"));
    expect("info fluid.h5md", 0, "integrator      mcg\n", "step            0.01\n");
    p = run_program("info fluid.h5md");
    assert_null(strstr(p->out, "\nscheme"));
    char *reference = NULL;
    struct ph_error err = {.text = ""};
    if (ph_trajectory_read_text("fluid.h5md", "integrator_reference", &reference, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_string_equal(reference, ph_integrator_find("mcg")->reference);
    free(reference);
    p = run_program("run fluid.yaml -q --overwrite --set dynamics.integrator=vlv --set interactions.truncation=shifted "
                    "--set interactions.switch=");
    assert_non_null(strstr(p->err, "warning: The integrator vlv is of order 2, but the potential energy has only 0"));
}

static void what_does_not_go_together_is_refused(void **state)
{
    static const char rule[] = "Accepted: dynamics.integrator alone, or dynamics.scheme";
    expect("run fluid.yaml --set dynamics.integrator=vlw", 2,
           "--set dynamics.integrator=vlw: dynamics.integrator: there is no integrator 'vlw'. Did you mean 'vlv'? "
           "Accepted: rattle, vlv, ",
           ", bbtrapwd.");
    write_text("both.yaml", "units: reduced\nsystem:\n  box: {kind: open}\n"
                            "  molecules: [{model: dipolar-soft-sphere, count: 8}]\n"
                            "  start: {kind: random, radius: 2.5, temperature: 1, seed: 3}\n"
                            "dynamics:\n  integrator: vlv\n  scheme: verlet\n  step: 0.01\n  steps: 20\n");
    expect("run both.yaml", 2, "both.yaml:8: dynamics.scheme does not go with dynamics.integrator: vlv. ", rule);
    expect("run both.yaml --set dynamics.integrator=", 0, "rms", "both.h5md");
    expect("check fluid.yaml --set dynamics.integrator=vlv --set dynamics.flow=exact", 2,
           "--set dynamics.flow=exact: dynamics.flow does not go with", rule);
    expect("check fluid.yaml --set dynamics.integrator=vlv --set dynamics.compensated=true", 2,
           "dynamics.compensated does not go with", rule);
    expect("check fluid.yaml --set dynamics.integrator=vlv --set output.shadow_energy=true", 2,
           "output.shadow_energy does not go with", rule);
    expect("check fluid.yaml --set dynamics.integrator=vlv --set dynamics.compensated=false", 0, "integrator vlv", "");
    expect("check fluid.yaml --set dynamics.integrator=trap --set interactions.switch= --set "
           "interactions.truncation=cut",
           2, "dynamics.integrator 'trap' is implicit, and forces jump at the cutoff", "switched or force-shifted");
    expect("run fluid.yaml -q -o cut.h5md --set dynamics.integrator=trap --set interactions.switch= --set "
           "interactions.truncation=force-shifted",
           0, "rms", "cut.h5md");
    for (int run = 0; run < 2; ++run)
        expect(run ? "run fluid.yaml -o no.h5md --set dynamics.integrator=bbtrap --set "
                     "system.molecules[0].model=dipolar-lj-dumbbell"
                   : "check fluid.yaml --set dynamics.integrator=bbtrap --set "
                     "system.molecules[0].model=dipolar-lj-dumbbell",
               2, "--set dynamics.integrator=bbtrap: dynamics.integrator 'bbtrap' is not for linear rotors",
               "angular momentum about its axis");
    assert_false(is_file("no.h5md"));
}

static void steps_without_a_solution_end_the_run(void **state)
{
    const struct program *p = run_program("run fluid.yaml --set dynamics.integrator=trap --set dynamics.step=0.3");
    assert_int_equal(p->status, 3);
    static const char *const told[] = {"Step ", "The integrator 'trap' ", "The step, 0.3, may be too long",
                                       "The last good checkpoint is that of step 0: fluid.h5md"};
    static const char *const together[] = {"does not find the forces and torques", " iterations",
                                           "of the largest momentum, most on molecule "};
    /* Far from a solution rounding decides whether the equation of one molecule fails first; here it does not as a
     * rule. */
    const bool alone = strstr(p->err, "finds no solution for the rotation");
    for (size_t k = 0; k < sizeof told / sizeof *told; ++k)
        if (!strstr(p->err, told[k]))
            fail_msg("'%s' is missing in '%s'", told[k], p->err);
    for (size_t k = 0; k < sizeof together / sizeof *together && !alone; ++k)
        if (!strstr(p->err, together[k]))
            fail_msg("'%s' is missing in '%s'", together[k], p->err);
    expect("run fluid.yaml --overwrite --set dynamics.integrator=eln-cay --set dynamics.step=2 --set "
           "output.series_every=0 --set dynamics.steps=50",
           3, "The integrator 'eln-cay' finds no solution for the rotation of molecule ",
           "The step, 2, may be too long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_integrator_has_its_order_in_a_fluid, prepare),
        cmocka_unit_test_setup(results_do_not_depend_on_threads, prepare),
        cmocka_unit_test_setup(integrators_go_on_exactly_where_they_were, prepare),
        cmocka_unit_test_setup(integrators_are_told_of, prepare),
        cmocka_unit_test_setup(what_does_not_go_together_is_refused, prepare),
        cmocka_unit_test_setup(steps_without_a_solution_end_the_run, prepare),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
