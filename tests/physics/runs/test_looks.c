/* SPDX-License-Identifier: MIT */
/* How often a run on a backend is looked at where many go on side by side, by a clock of our own: every so many steps,
 * when something is due, and after every step where so many would take longer than a fifth of a second. */
#include "physics/small_run.h"

static double now; /* what the clock says */

double __wrap_ph_clock_wall(void);
double __wrap_ph_clock_wall(void) { return now; }

static double seconds_of_a_step;
static enum ph_status (*real_drift)(struct ph_backend *backend, double t, struct ph_error *err);

static enum ph_status drift(struct ph_backend *backend, double t, struct ph_error *err)
{
    now += seconds_of_a_step;
    return real_drift(backend, t, err);
}

enum { STEPS = 40, STEPS_PER_CHECK = 16 };

/* Steps after which it was looked at */
struct looks {
    size_t n;
    int64_t at[STEPS];
};

static void look(const struct ph_progress *progress, void *data)
{
    struct looks *looks = data;
    assert_true(looks->n < STEPS);
    looks->at[looks->n++] = progress->step;
}

static struct looks watch_run(const char *series, const char *checkpoints, double seconds)
{
    const char *const sets[] = {"dynamics.steps=40", "output.frames_every=1000", series, checkpoints};
    struct looks looks = {.n = 0};
    const struct ph_watch watch = {.progress = look, .data = &looks, .steps_per_check = STEPS_PER_CHECK};
    bool stopped;
    struct ph_simulation *simulation = create(sizeof sets / sizeof *sets, sets, "one.h5md");
    real_drift = simulation->backend->drift;
    simulation->backend->drift = drift;
    seconds_of_a_step = seconds;
    assert_ok(ph_simulation_run(simulation, true, &watch, &stopped, &err));
    ph_simulation_destroy(simulation);
    return looks;
}

static void assert_looks(const struct looks *got, size_t n, const int64_t want[])
{
    assert_int_equal(got->n, n);
    for (size_t k = 0; k < n; ++k)
        assert_int_equal(got->at[k], want[k]);
}

static void nothing_due(struct looks *looks, double seconds)
{
    *looks = watch_run("output.series_every=0", "output.checkpoint_every=0", seconds);
}

/* The first tells how long they take. */
TEST(quick_steps_are_looked_at_every_so_many)
{
    static const int64_t want[] = {1, 1 + STEPS_PER_CHECK, 1 + 2 * STEPS_PER_CHECK, STEPS};
    struct looks looks;
    nothing_due(&looks, 0.0);
    assert_looks(&looks, sizeof want / sizeof *want, want);
    nothing_due(&looks, 0.19 / STEPS_PER_CHECK);
    assert_looks(&looks, sizeof want / sizeof *want, want);
}

TEST(slow_steps_are_looked_at_one_by_one)
{
    struct looks looks;
    nothing_due(&looks, 0.21 / STEPS_PER_CHECK);
    assert_int_equal(looks.n, STEPS);
}

/* Nobody looks sooner after it. */
TEST(a_run_is_looked_at_when_something_is_due)
{
    static const int64_t rows[] = {1, 12, 24, 36, STEPS}, checkpoints[] = {1, 15, 30, STEPS};
    static const int64_t both[] = {1, 10, 20, 25, 30, STEPS};
    struct looks looks = watch_run("output.series_every=12", "output.checkpoint_every=0", 0.0);
    assert_looks(&looks, sizeof rows / sizeof *rows, rows);
    looks = watch_run("output.series_every=0", "output.checkpoint_every=15", 0.0);
    assert_looks(&looks, sizeof checkpoints / sizeof *checkpoints, checkpoints);
    looks = watch_run("output.series_every=10", "output.checkpoint_every=25", 0.0);
    assert_looks(&looks, sizeof both / sizeof *both, both);
}

GROUP(enter_folder, leave)
