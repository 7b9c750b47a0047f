/* SPDX-License-Identifier: MIT */
/* polhode run and polhode resume, as a user meets them: what they print, keep, refuse, and leave behind. */
#include "program/support/running.h"

#include <pty.h>
#include <sys/resource.h>

static const char small[] = "title: A small test\n"
                            "units: reduced\n"
                            "system:\n"
                            "  box: {kind: open}\n"
                            "  molecules: [{model: dipolar-soft-sphere, count: 8}]\n"
                            "  start: {kind: random, radius: 2.5, temperature: 1, seed: 3}\n"
                            "dynamics: {step: 0.01, steps: 20, equilibrate: {steps: 5}}\n"
                            "output: {frames_every: 4, series_every: 2, checkpoint_every: 5, author: nobody}\n";
#define LONG "--set dynamics.steps=1000000 --set output.frames_every=1000 --set output.series_every=1000"

static const char *const threads_are_told[] = {"parameters/build", NULL};

static int prepare(void **state)
{
    empty_folder();
    write_text("small.yaml", small);
    return 0;
}

/* ---- What it prints ---- */

static void a_run_says_what_it_is_and_how_it_went(void **state)
{
    const struct program *p = run_well("run small.yaml --threads 1");
    static const char *const told[] = {
        "A small test\n", "8 molecules, 21 degrees of freedom of translation, 24 of rotation",
        "order 6, 11 evaluations a step", "flow exact, step 0.01, 1 thread", "Production begins."};
    for (size_t k = 0; k < sizeof told / sizeof *told; ++k)
        if (!strstr(p->err, told[k]))
            fail_msg("'%s' is missing in '%s'", told[k], p->err);
    static const char *const results[] = {"energy per molecule ",
                                          " rms about its mean; ",
                                          "(10 rows)",
                                          "its drift",
                                          "of translation, mean",
                                          "of rotation, mean",
                                          "trajectory            small.h5md\n",
                                          "checkpoint            small.h5md.checkpoint\n",
                                          "\nNext:\n"};
    for (size_t k = 0; k < sizeof results / sizeof *results; ++k)
        if (!strstr(p->out, results[k]))
            fail_msg("'%s' is missing in '%s'", results[k], p->out);
    assert_true(is_file("small.h5md") && is_file("small.h5md.checkpoint"));
    assert_int_equal(count_files(), 4); /* with the input and the checkpoint before */
}

static void quiet_runs_print_summary_and_warnings_alone(void **state)
{
    const struct program *p = run_well("run small.yaml -q");
    assert_string_equal(p->err, "");
    assert_non_null(strstr(p->out, "energy per molecule"));
    p = run_program("run small.yaml --overwrite -q --set interactions.cutoff=4 --set interactions.truncation=cut");
    assert_non_null(strstr(p->err, "polhode run: warning: The scheme polhode6-11b is of order 6"));
    assert_non_null(strstr(p->err, "jumps at the cutoff"));
    p = run_program("run small.yaml --overwrite -q --set interactions.cutoff=4 --set interactions.switch.smoothness=4");
    assert_non_null(strstr(p->err, "has only 4 continuous derivatives"));
    p = run_program("run small.yaml --overwrite -q --set dynamics.flow=mr2");
    assert_non_null(strstr(p->err, "The flow mr2 is of order 2, the scheme polhode6-11b of order 6"));
    /* a request without effect is mentioned, beside all other notes */
    p = run_program("run small.yaml --overwrite -q --set dynamics.flow=mr2 --set interactions.cutoff=4 "
                    "--set interactions.electrostatics.method=reaction-field "
                    "--set interactions.electrostatics.permittivity=78");
    assert_non_null(strstr(p->err, "exact. interactions.electrostatics.permittivity is 78, but a reaction field"));
    p = run_program("run small.yaml --overwrite -q --set interactions.cutoff=4 "
                    "--set interactions.electrostatics.method=reaction-field");
    assert_string_equal(p->err, "");
}

/* A terminal shows one line that is written again and again, no longer than the terminal is wide. */
static void terminals_get_one_line_of_progress(void **state)
{
    int master, slave;
    const struct winsize size = {.ws_row = 24, .ws_col = 60};
    assert_int_equal(openpty(&master, &slave, NULL, NULL, &size), 0);
    const pid_t pid = begin_program("run small.yaml " LONG, slave);
    close(slave);
    char text[4096];
    size_t length = 0;
    const char *line = NULL;
    for (ssize_t n;
         !line && length < sizeof text - 1 && (n = read(master, text + length, sizeof text - 1 - length)) > 0;) {
        length += (size_t)n;
        text[length] = '\0';
        line = strstr(text, "\r\033[Kenergy error ");
        line = line && strstr(line + 1, "\r\033[K") ? line : NULL; /* two, so that the first is whole */
    }
    assert_int_equal(end_program(pid, SIGINT), 130);
    assert_non_null(line);
    const char *end = strstr(line + 1, "\r");
    assert_in_range(end - (line + 4), 30, 59);
    assert_true(strstr(line, " %, ") < end && strstr(line, " left, ") < end);
    close(master);
}

/* ---- Results ---- */

static void results_do_not_depend_on_threads(void **state)
{
    expect("run small.yaml -o one.h5md --threads 1 --set system.molecules[0].count=600 --set system.start.radius=9", 0,
           "rms", "one.h5md");
    expect("run small.yaml -o two.h5md --threads 2 --set system.molecules[0].count=600 --set system.start.radius=9", 0,
           "rms", "two.h5md");
    assert_same_run("one.h5md", "two.h5md", threads_are_told);
}

static void interrupted_runs_go_on_to_the_same_end(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const int steps = PH_SANITIZED ? 1500 : 20000;
    char line[256], longer[128], goal[32];
    snprintf(longer, sizeof longer,
             "--set dynamics.steps=%d --set output.frames_every=50 --set output.checkpoint_every=", steps);
    snprintf(goal, sizeof goal, " to step %d.", steps + 5);
    snprintf(line, sizeof line, "run small.yaml --threads 1 -o whole.h5md %s", longer);
    expect(line, 0, "rms", "whole.h5md");
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k) {
        snprintf(line, sizeof line, "run small.yaml --threads 1 -o parts.h5md --overwrite %s", longer);
        int status = 0;
        for (int tries = 0; tries < 20 && status == 0; ++tries) { /* where we are not let run in time, it may end */
            unlink("parts.h5md.checkpoint");
            const pid_t pid = begin_program(line, -1);
            wait_for_file("parts.h5md.checkpoint");
            status = end_program(pid, signals[k]);
        }
        assert_int_equal(status, 130);
        const struct program *p = run_program("resume parts.h5md --threads 1");
        if (p->status != 0 || !strstr(p->err, "Continues from step ") || !strstr(p->err, goal))
            fail_msg("%d: %s", p->status, p->err);
        assert_same_run("whole.h5md", "parts.h5md", NULL);
        unlink("parts.h5md.checkpoint");
        unlink("parts.h5md.checkpoint.1");
    }
}

static void resuming_a_run_that_is_done_changes_nothing(void **state)
{
    expect("run small.yaml -o a.h5md --threads 1", 0, "rms", "a.h5md");
    expect("run small.yaml -o b.h5md --threads 1", 0, "rms", "b.h5md");
    const struct program *p = run_well("resume b.h5md");
    assert_non_null(strstr(p->err, "All 25 steps are done; --steps N adds N more."));
    assert_non_null(strstr(p->out, "(10 rows)"));
    expect("resume b.h5md --steps 0 -q", 0, "(10 rows)", "b.h5md");
    assert_same_run("a.h5md", "b.h5md", NULL);
}

/* ---- Nothing is lost ---- */

static size_t size_of(const char *name)
{
    struct stat about;
    assert_int_equal(stat(name, &about), 0);
    return (size_t)about.st_size;
}

static void what_is_there_is_not_overwritten_unasked(void **state)
{
    expect("run small.yaml -o a.h5md -q --threads 1", 0, "rms", "a.h5md");
    expect("run small.yaml -o b.h5md -q --threads 1", 0, "rms", "b.h5md");
    expect("run small.yaml -o a.h5md --set system.start.seed=9", 4, "a.h5md: is there already", "--overwrite");
    assert_same_run("a.h5md", "b.h5md", NULL);
    expect("run small.yaml -o a.h5md -q --overwrite --set system.start.seed=9", 0, "rms", "a.h5md");
    assert_int_equal(unlink("b.h5md"), 0); /* its checkpoint alone is left */
    expect("run small.yaml -o b.h5md", 4, "b.h5md.checkpoint: is the checkpoint of an earlier run", "--overwrite");
    assert_true(!is_file("b.h5md") && is_file("b.h5md.checkpoint"));
    expect("run small.yaml -o b.h5md --overwrite", 0, "rms", "b.h5md");
    write_text("notes.h5", "not ours\n");
    expect("run small.yaml -o notes.h5", 4, "notes.h5: is there already", "--overwrite");
    assert_int_equal(size_of("notes.h5"), 9);
}

static void what_a_run_reads_cannot_be_what_it_writes(void **state)
{
    write_text("own.yaml", "name: own\nsource: this test\nunits: reduced\nmass: 1\ninertia: [1, 2, 3]\n"
                           "sites: [{name: A, wca: {epsilon: 1, sigma: 1}}]\n");
    write_text("start.xyz", "1\nProperties=species:S:1:pos:R:3:orientation:R:4\nown 0 0 0 1 0 0 0\n");
    write_text("in.yaml", "units: reduced\nsystem:\n  box: {kind: open}\n  molecules: [{model: own, count: 1}]\n"
                          "  start: {kind: file, file: start.xyz}\ndynamics: {step: 0.01, steps: 3}\n");
    const size_t sizes[] = {size_of("in.yaml"), size_of("own.yaml"), size_of("start.xyz")};
    /* also by another name */
    assert_true(link("in.yaml", "in.h5") == 0 && link("own.yaml", "own.h5") == 0 && link("start.xyz", "x.h5") == 0);
    expect("run in.yaml --overwrite -o in.h5", 2, "in.h5: is the input of this run", "another name");
    expect("run in.yaml --overwrite -o ./own.h5", 2, "own.h5: is the model of this run", "another name");
    expect("run in.yaml --overwrite -o x.h5", 2, "x.h5: is the start of this run", "another name");
    assert_true(size_of("in.yaml") == sizes[0] && size_of("own.yaml") == sizes[1] && size_of("start.xyz") == sizes[2]);
    expect("run in.yaml -o out.h5md", 0, "out.h5md", "trajectory");
    /* A run from the last frame of another, into it */
    expect("run in.yaml --overwrite -o out.h5md --set system.start.file=out.h5md", 2,
           "out.h5md: is the start of this run", "another name");
}

static void full_disks_cost_nothing_that_was_written(void **state)
{
    static const char many[] = "--threads 1 -q --set dynamics.steps=2000 --set output.checkpoint_every=100";
    char line[256];
    snprintf(line, sizeof line, "run small.yaml -o whole.h5md %s", many);
    expect(line, 0, "rms", "whole.h5md");
    struct rlimit old, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = size_of("whole.h5md") / 2;
    assert_true(limit.rlim_cur > 100000);
    signal(SIGXFSZ, SIG_IGN); /* here; the program has to look after itself */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_DFL);
    snprintf(line, sizeof line, "run small.yaml -o full.h5md %s", many);
    const struct program *p = run_program(line);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    if (p->status != 4 || !strstr(p->err, "full.h5md: cannot be written: File too large") ||
        !strstr(p->err, "The last good checkpoint is that of step "))
        fail_msg("%d: %s", p->status, p->err);
    size_t n;
    assert_string_equal(h5_difference("full.h5md", "full.h5md", NULL, &n), ""); /* all of it can be read */
    assert_true(size_of("full.h5md") > 100000);
    expect("resume full.h5md --threads 1", 0, "rms", "full.h5md");
    assert_same_run("whole.h5md", "full.h5md", NULL);
}

static void places_that_cannot_be_written_are_refused_at_once(void **state)
{
    expect("run small.yaml -o nowhere/a.h5md", 4, "nowhere/a.h5md", "cannot be created: No such file or directory");
    expect("run small.yaml -o /proc/a.h5md", 4, "/proc/a.h5md", "cannot be created");
    assert_int_equal(mkdir("locked", 0555), 0);
    if (geteuid() != 0) /* who may everything is not refused */
        expect("run small.yaml -o locked/a.h5md", 4, "locked/a.h5md", "Permission denied");
    assert_int_equal(rmdir("locked"), 0);
    assert_int_equal(count_files(), 1);
}

static void one_run_at_a_time_writes_to_a_file(void **state)
{
    const pid_t pid = begin_program("run small.yaml --threads 1 -o a.h5md " LONG, -1);
    wait_for_file("a.h5md.checkpoint");
    expect("resume a.h5md", 4, "a.h5md", "writing to it");
    expect("run small.yaml -o a.h5md --overwrite", 4, "a.h5md", "writing to it");
    assert_int_equal(end_program(pid, SIGTERM), 130);
    expect("resume a.h5md --until 0", 0, "trajectory", "a.h5md");
}

/* ---- Failures ---- */

static void failing_numbers_name_molecule_and_checkpoint(void **state)
{
    expect("run small.yaml -o a.h5md --set dynamics.step=1.5 --set dynamics.equilibrate.steps=0 --set "
           "output.series_every=1",
           3, "Molecule ", "The last good checkpoint is that of step 0: a.h5md.checkpoint");
    expect("run small.yaml -o b.h5md --set dynamics.equilibrate.steps=0 --set dynamics.energy_bound=1e-13 --set "
           "dynamics.step=0.05",
           3, "dynamics.energy_bound is 1e-13", "The step, 0.05, may be too long");
    write_text("dense.yaml", "units: reduced\nsystem:\n  box: {density: 0.8}\n"
                             "  molecules: [{model: stockmayer, count: 32}]\n  start: {kind: fcc, temperature: 100}\n"
                             "interactions: {cutoff: 1.6, electrostatics: {method: cutoff}}\n"
                             "dynamics: {step: 0.0001, steps: 2, equilibrate: {steps: 1, temperature: 1}}\n"
                             "output: {series_every: 1}\n");
    expect("run dense.yaml -o c.h5md", 3, "that of the thermostat is 1. Molecule ",
           "The step, 0.0001, may be too long");
    /* what fails first in a motion that explodes depends on last digits */
    expect("run dense.yaml -o e.h5md --set dynamics.step=0.3", 3, "olecule ", "may be too long");
    assert_true(is_file("a.h5md") && is_file("a.h5md.checkpoint"));
    write_text("start.xyz", "2\nProperties=species:S:1:pos:R:3\nwca 0 0 0\nwca 0 0 0\n");
    expect("run small.yaml -o d.h5md --set system.molecules[0].model=wca --set system.molecules[0].count=2 --set "
           "system.start.kind=file --set system.start.file=start.xyz --set system.start.radius=",
           3, "molecule 0", "overlap");
    assert_false(is_file("d.h5md"));
}

/* A start that overlaps is named as such, at the start and where it fails; a step that is too long is not, and the
 * other way round. What was said is in the file. */
static void overlaps_are_told_from_steps_that_are_too_long(void **state)
{
    static const char pair[] = "6 and 32 of the start overlap: stockmayer.A and stockmayer.A are 0.368 apart, where";
    write_text("random.yaml", "units: reduced\nsystem:\n  box: {density: 0.4}\n"
                              "  molecules: [{model: stockmayer, count: 64}]\n"
                              "  start: {kind: random, minimum_distance: 0.3, temperature: 1.35, seed: 1}\n"
                              "interactions: {cutoff: 2.5, electrostatics: {method: reaction-field}}\n"
                              "dynamics: {scheme: verlet, step: 0.002, steps: 20}\noutput: {series_every: 1}\n");
    for (int heated = 0; heated < 2; ++heated) {
        const struct program *p = run_program(heated ? "run random.yaml -q -o b.h5md --set dynamics.equilibrate.steps=4"
                                                     : "run random.yaml -q");
        if (p->status != 3 || !strstr(p->err, "The cause: molecules ") || !strstr(p->err, pair) ||
            !strstr(p->err, "Give system.start.minimise") || strstr(p->err, "too long") ||
            strncmp(p->err, "Warning: molecules 6 and 32", 27) != 0)
            fail_msg("status %d, '%s'", p->status, p->err);
    }
    expect("info random.h5md", 0, "Warning: molecules ", pair);
    expect("info random.h5md --json", 0, "\"notes\": [", pair);
    const struct program *p = run_program("energy random.yaml");
    assert_true(p->status == 0 && strstr(p->err, pair));
    p = run_program("run random.yaml -q --overwrite --set system.start.minimise.steps=200");
    assert_true(p->status == 0 && strstr(p->err, "Minimised") && !strstr(p->err, pair));
    p = run_program("run random.yaml -q --overwrite --set system.start.minimise.steps=200 --set dynamics.step=0.2");
    if (p->status != 3 || !strstr(p->err, "too long") || strstr(p->err, "of the start overlap"))
        fail_msg("status %d, '%s'", p->status, p->err);
}

/* Beginning and resuming say which treatment of dipoles was chosen, or what the one asked for does; the file keeps it.
 */
static void the_treatment_of_dipoles_is_told_and_kept(void **state)
{
    write_text("dense.yaml", "units: reduced\nsystem:\n  box: {density: 0.8}\n"
                             "  molecules: [{model: stockmayer, count: 32}]\n  start: {kind: fcc, temperature: 1}\n"
                             "interactions: {cutoff: 1.6}\ndynamics: {step: 0.002, steps: 2}\n");
    static const struct {
        const char *set, *method, *told;
    } cases[] = {
        {"", "electrostatics  mesh\n", "Note: dipoles interact with all copies of the box, by sums on a mesh"},
        {"--set interactions.electrostatics.method=cutoff", "electrostatics  cutoff\n",
         "Warning: dipoles interact within the cutoff only"},
        {"--set interactions.electrostatics.method=reaction-field", "electrostatics  reaction-field\n", NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char line[256];
        snprintf(line, sizeof line, "run dense.yaml -q --overwrite %s", cases[k].set);
        const char *const lines[] = {line, "resume dense.h5md -q --steps 1"};
        for (int l = 0; l < 2; ++l) {
            const struct program *p = run_program(lines[l]);
            const bool good = cases[k].told ? strncmp(p->err, cases[k].told, strlen(cases[k].told)) == 0 : !p->err[0];
            if (p->status != 0 || !good)
                fail_msg("%s: status %d, '%s'", lines[l], p->status, p->err);
        }
        const struct program *p = run_program("info dense.h5md");
        if (!strstr(p->out, cases[k].method) || (strstr(p->out, "\nnote  ") != NULL) != (cases[k].told != NULL))
            fail_msg("%s: '%s'", cases[k].set, p->out);
    }
}

static void resuming_refuses_what_is_not_a_run(void **state)
{
    expect("resume none.h5md", 4, "none.h5md: is not there", "none.h5md.checkpoint");
    expect("resume small.yaml", 4, "small.yaml: has no checkpoint", "small.yaml.checkpoint is missing");
    expect("run small.yaml -o a.h5md -q", 0, "rms", "a.h5md");
    expect("run small.yaml -o b.h5md -q --set system.start.seed=4", 0, "rms", "b.h5md");

    assert_int_equal(rename("b.h5md.checkpoint", "kept"), 0);
    assert_int_equal(rename("a.h5md.checkpoint", "b.h5md.checkpoint"), 0); /* of another run */
    expect("resume b.h5md", 2, "b.h5md and b.h5md.checkpoint belong to two different runs", "");
    assert_int_equal(rename("b.h5md.checkpoint", "a.h5md.checkpoint"), 0);

    write_text("b.h5md.checkpoint", "something else"); /* the one before is taken */
    const struct program *p = run_well("resume b.h5md -q");
    assert_non_null(strstr(p->err, "b.h5md.checkpoint.1, is used.\n"));
    write_text("b.h5md.checkpoint", "something else");
    write_text("b.h5md.checkpoint.1", "something else");
    expect("resume b.h5md", 4, "b.h5md.checkpoint: cannot be used", "b.h5md.checkpoint.1: cannot be used");

    assert_int_equal(unlink("a.h5md"), 0);
    expect("resume a.h5md", 4, "a.h5md: is missing, only a.h5md.checkpoint exists", "trajectory is needed");
    write_text("a.h5md", "not HDF5\n");
    expect("resume a.h5md", 2, "a.h5md: is not an HDF5 file", "");
    assert_int_equal(size_of("a.h5md"), 9);
}

static void wrong_words_are_refused(void **state)
{
    assert_usage_error("run", "polhode run: ", "an input file is missing", "inputs/stockmayer.yaml");
    assert_usage_error("run small.yaml other.yaml", "polhode run: ", "one input file", "other.yaml");
    assert_usage_error("run small.yaml --threads 0", "polhode run: ", "--threads 0", "from 1 to 1024");
    assert_usage_error("run small.yaml --threads two", "polhode run: ", "--threads two", "from 1 to 1024");
    assert_usage_error("resume", "polhode resume: ", "a trajectory is missing", "stockmayer.h5md");
    assert_usage_error("resume a b", "polhode resume: ", "one trajectory", "'b'");
    assert_usage_error("resume a --steps -1", "polhode resume: ", "--steps -1", "0 or more");
    assert_usage_error("resume a --steps many", "polhode resume: ", "--steps many", "0 or more");
    assert_usage_error("resume a --steps 1e3", "polhode resume: ", "--steps 1e3", "0 or more");
    assert_int_equal(count_files(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_run_says_what_it_is_and_how_it_went, prepare),
        cmocka_unit_test_setup(quiet_runs_print_summary_and_warnings_alone, prepare),
        cmocka_unit_test_setup(terminals_get_one_line_of_progress, prepare),
        cmocka_unit_test_setup(results_do_not_depend_on_threads, prepare),
        cmocka_unit_test_setup(interrupted_runs_go_on_to_the_same_end, prepare),
        cmocka_unit_test_setup(resuming_a_run_that_is_done_changes_nothing, prepare),
        cmocka_unit_test_setup(what_is_there_is_not_overwritten_unasked, prepare),
        cmocka_unit_test_setup(what_a_run_reads_cannot_be_what_it_writes, prepare),
        cmocka_unit_test_setup(full_disks_cost_nothing_that_was_written, prepare),
        cmocka_unit_test_setup(places_that_cannot_be_written_are_refused_at_once, prepare),
        cmocka_unit_test_setup(one_run_at_a_time_writes_to_a_file, prepare),
        cmocka_unit_test_setup(failing_numbers_name_molecule_and_checkpoint, prepare),
        cmocka_unit_test_setup(overlaps_are_told_from_steps_that_are_too_long, prepare),
        cmocka_unit_test_setup(the_treatment_of_dipoles_is_told_and_kept, prepare),
        cmocka_unit_test_setup(resuming_refuses_what_is_not_a_run, prepare),
        cmocka_unit_test_setup(wrong_words_are_refused, prepare),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
