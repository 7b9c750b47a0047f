/* SPDX-License-Identifier: MIT */
/* Frames and checkpoints whose state is transferred from a backend during steps: files are those of a run that waits
 * for every one of them, wherever it ends. On `emulated`, where copies arrive late and are no numbers before. */
#include "physics/backends.h"
#include "physics/small_run.h"

#include "output/checkpoint/checkpoint.h"

#include <unistd.h>

/* ---- Backends that are watched, and fail ---- */

static struct {
    enum ph_status (*snap)(struct ph_backend *backend, int parts, const struct ph_system *system, bool *begun,
                           struct ph_error *err);
    enum ph_status (*snapped)(struct ph_backend *backend, bool wait, const struct ph_snapshot **snapshot,
                              struct ph_error *err);
    enum ph_status (*drift)(struct ph_backend *backend, double t, struct ph_error *err);
    int begun, early, waited; /* copies; of these, requested too early, and waited for */
    long drifts_left;         /* until one fails, */
    enum ph_status failure;   /* like this */
} real;

static enum ph_status snap(struct ph_backend *backend, int parts, const struct ph_system *system, bool *begun,
                           struct ph_error *err)
{
    const enum ph_status status = real.snap(backend, parts, system, begun, err);
    real.begun += *begun;
    return status;
}

static enum ph_status snapped(struct ph_backend *backend, bool wait, const struct ph_snapshot **snapshot,
                              struct ph_error *err)
{
    const enum ph_status status = real.snapped(backend, wait, snapshot, err);
    real.early += !*snapshot;
    real.waited += wait;
    return status;
}

static enum ph_status no_snap(struct ph_backend *backend, int parts, const struct ph_system *system, bool *begun,
                              struct ph_error *err)
{
    *begun = false;
    return PH_OK;
}

static enum ph_status drift(struct ph_backend *backend, double t, struct ph_error *err)
{
    if (real.drifts_left-- > 0)
        return real.drift(backend, t, err);
    return ph_error_set(err, real.failure, "This drift fails.");
}

/* ---- Runs ---- */

static int64_t stop_at = INT64_MAX;

static bool stop(void *data)
{
    const struct ph_simulation *simulation = data;
    return ph_mover_step(simulation->mover) >= stop_at;
}

/* One that waits for its output, or not; the first `drifts` are good. Destroys the simulation. */
static void run(struct ph_simulation *simulation, bool waits, long drifts, enum ph_status failure)
{
    struct ph_backend *backend = simulation->backend;
    real.snap = backend->snap;
    real.snapped = backend->snapped;
    real.drift = backend->drift;
    real.begun = real.early = real.waited = 0;
    real.drifts_left = drifts;
    real.failure = failure;
    backend->snap = waits ? no_snap : snap;
    backend->snapped = snapped;
    backend->drift = drift;
    bool stopped;
    struct ph_error err = {.text = ""};
    const struct ph_watch watch = {.stop = stop, .data = simulation};
    const enum ph_status status = ph_simulation_run(simulation, true, &watch, &stopped, &err);
    if (status != failure)
        fail_msg("status %d, not %d: %s", status, failure, err.text);
    if (failure == PH_OK)
        assert_int_equal(ph_mover_step(simulation->mover), stop_at < simulation->end ? stop_at : simulation->end);
    ph_simulation_destroy(simulation);
    assert_true(!waits || real.begun == 0);
}

static char *contents(const char *file, size_t *size)
{
    FILE *in = fopen(file, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    *size = (size_t)ftell(in);
    rewind(in);
    char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, in), *size);
    fclose(in);
    return bytes;
}

static void assert_same_bytes(const char *one, const char *two)
{
    size_t n_one, n_two;
    char *here = contents(one, &n_one), *there = contents(two, &n_two);
    assert_int_equal(n_one, n_two);
    for (size_t k = 0; k < n_one; ++k)
        if (here[k] != there[k])
            fail_msg("%s and %s differ at byte %zu of %zu", one, two, k, n_one);
    free(here);
    free(there);
}

/* All but the clock; returns the step. */
static int64_t assert_same_checkpoint(const char *one, const char *two)
{
    struct ph_checkpoint here = {.n = 0}, there = {.n = 0};
    int64_t counts[7];
    assert_ok(ph_checkpoint_read(one, &here, NULL, &err));
    assert_ok(ph_checkpoint_read(two, &there, NULL, &err));
    assert_ok(ph_checkpoint_int64(&here, "counts", 7, counts, &err));
    assert_int_equal(here.n, there.n);
    for (size_t k = 0; k < here.n; ++k) {
        const struct ph_checkpoint_array *a = &here.array[k], *b = &there.array[k];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->n, b->n);
        if (strcmp(a->name, "speed") != 0 && memcmp(a->data, b->data, a->n * ph_checkpoint_element_size(a->kind)) != 0)
            fail_msg("%s: '%s' differs", two, a->name);
    }
    ph_checkpoint_free(&here);
    ph_checkpoint_free(&there);
    return counts[0];
}

/* ---- Tests ---- */

static const struct {
    const char *frames, *series, *checkpoints, *more;
} cadences[] = {
    {"output.frames_every=8", "output.series_every=5", "output.checkpoint_every=7", "dynamics.compensated=true"},
    {"output.frames_every=1", "output.series_every=1", "output.checkpoint_every=1", "dynamics.compensated=true"},
    {"output.frames_every=6", "output.series_every=6", "output.checkpoint_every=6", "dynamics.compensated=false"},
    {"output.frames_every=10", "output.series_every=31", "output.checkpoint_every=9", "interactions.external.tether=5"},
    {"output.frames_every=30", "output.series_every=2", "output.checkpoint_every=13",
     "dynamics.equilibrate={steps: 9, temperature: 1.3}"},
    {"output.frames_every=5", "output.series_every=0", "output.checkpoint_every=0",
     "dynamics.thermostat={kind: langevin, temperature: 1.3}"},
    {"output.frames_every=8", "output.series_every=8", "output.checkpoint_every=3",
     "dynamics.scheme=verlet-position"}, /* drift first: a kick is pending when a checkpoint is asked for */
};
enum { CADENCES = sizeof cadences / sizeof *cadences };

static void both(size_t c, long drifts, enum ph_status failure)
{
    const char *const sets[] = {cadences[c].frames, cadences[c].series, cadences[c].checkpoints, cadences[c].more};
    run(create(4, sets, "one.h5md"), true, drifts, failure);
    run(create(4, sets, "two.h5md"), false, drifts, failure);
    assert_same_bytes("one.h5md", "two.h5md");
}

/* Caught: a frame of the live state, a checkpoint with the numbers of a later step, a row before the frame it follows.
 * Copies arrive when they are first asked for, or later, or never before somebody waits for them. */
TEST(files_are_those_of_a_run_that_waits)
{
    static const int late[] = {1, 3, 1000};
    int early[3] = {0}, waited[3] = {0};
    const int usual = ph_emulated_late;
    for (size_t k = 0; k < CADENCES * 3; k += PH_SANITIZED ? 4 : 1) {
        ph_emulated_late = late[k % 3];
        both(k / 3, 1000, PH_OK);
        assert_true(real.begun > 0);
        early[k % 3] += real.early;
        waited[k % 3] += real.waited;
        assert_same_checkpoint("one.h5md.checkpoint", "two.h5md.checkpoint");
        if (access("one.h5md.checkpoint.1", F_OK) == 0) /* the one before, of a state that was not waited for */
            assert_same_checkpoint("one.h5md.checkpoint.1", "two.h5md.checkpoint.1");
    }
    ph_emulated_late = usual;
    if (PH_SANITIZED) /* too few runs to count in */
        return;
    assert_true(early[0] == 0 && early[1] > 20 && waited[1] > 20);
    assert_true(waited[0] < waited[1] && waited[1] < waited[2]);
}

/* Whichever step fails, what was asked for before is written. */
TEST(a_step_that_fails_leaves_what_was_asked_for)
{
    static const enum ph_status failures[] = {PH_ERR_NUMBERS, PH_ERR_IO};
    int64_t last = 0;
    int begun = 0;
    for (long drifts = 1; drifts < 26; drifts += PH_SANITIZED ? 5 : 1) {
        both((size_t)drifts % 3, drifts, failures[drifts % 2]);
        begun += real.begun;
        const int64_t step = assert_same_checkpoint("one.h5md.checkpoint", "two.h5md.checkpoint");
        last = step > last ? step : last;
    }
    assert_true(PH_SANITIZED || (last > 20 && begun > 50));
}

TEST(a_run_that_is_stopped_leaves_what_was_asked_for)
{
    for (stop_at = 1; stop_at < 20; stop_at += PH_SANITIZED ? 5 : 1) {
        both((size_t)stop_at % 3, 1000, PH_OK);
        assert_int_equal(assert_same_checkpoint("one.h5md.checkpoint", "two.h5md.checkpoint"), stop_at);
    }
    stop_at = INT64_MAX;
}

/* A run resumed from a checkpoint, written during the run or at its end, has the state of a run in one piece. */
TEST(runs_go_on_from_such_checkpoints)
{
    const char *const sets[] = {cadences[0].frames, cadences[0].series, cadences[0].checkpoints, cadences[0].more};
    run(create(4, sets, "one.h5md"), true, 1000, PH_OK);
    run(create(4, sets, "two.h5md"), false, 23, PH_ERR_NUMBERS);
    struct ph_simulation *simulation;
    assert_ok(ph_simulation_resume("two.h5md", -1, &simulation, &err));
    assert_int_equal(simulation->checkpoint_step, 21);
    run(simulation, false, 1000, PH_OK);
    assert_same_checkpoint("one.h5md.checkpoint", "two.h5md.checkpoint");
}

/* ---- The engine alone ---- */

static struct ph_system *fluid_system(void)
{
    struct ph_simulation *simulation = create(0, NULL, "none.h5md");
    struct ph_system *system = simulation->system;
    simulation->system = NULL;
    ph_simulation_destroy(simulation);
    return system;
}

static const struct ph_interactions plain = {
    .truncation = PH_TRUNCATE_SWITCHED, .cutoff = 1.7, .switch_width = 0.5, .coulomb = 1.0};

static void assert_is_state(const struct ph_snapshot *snapshot, const struct course *course, bool is)
{
    const struct ph_system *want = course->system;
    const struct ph_system *got = &snapshot->system;
    const size_t size = want->n * sizeof(double);
    assert_int_equal(memcmp(got->r[1], want->r[1], size) == 0, is);
    assert_int_equal(memcmp(got->q[3], want->q[3], size) == 0, is);
    assert_int_equal(memcmp(got->p[0], want->p[0], size) == 0, is);
    assert_int_equal(memcmp(got->m[2], want->m[2], size) == 0, is);
    assert_int_equal(memcmp(got->f[2], want->f[2], size) == 0, is);
    assert_int_equal(memcmp(got->t[0], want->t[0], size) == 0, is);
    if (is)
        assert_memory_equal(got->image[0], want->image[0], want->n * sizeof(int32_t));
    assert_memory_equal(got->id, want->id, want->n * sizeof *want->id);
}

/* It is the state of the step, whole, though others were made since. */
TEST(a_copy_is_of_the_state_that_was_asked_for)
{
    const struct ph_snapshot *snapshot;
    bool begun;
    struct course course = begin(fluid_system(), &plain, "verlet", 0.004, true);
    struct ph_backend *backend = course.backend;
    for (int k = 0; k < 2; ++k) {
        struct ph_energy energy;
        advance(&course, 5, &energy);
        assert_ok(ph_state_show(ph_dynamics_state(course.dynamics), PH_STATE_ALL, &err));
        assert_ok(ph_state_snap(ph_dynamics_state(course.dynamics), k == 0, &begun, &err));
        assert_true(begun);
        if (k == 1)
            assert_ok(ph_state_snap(ph_dynamics_state(course.dynamics), true, &begun, &err));
        assert_ok(ph_dynamics_advance(course.dynamics, 2, &err));
        assert_ok(backend->snapped(backend, false, &snapshot, &err));
        assert_null(snapshot);
        assert_ok(backend->snapped(backend, true, &snapshot, &err));
        assert_is_state(snapshot, &course, true);
        double *const *residuals = ph_state_residuals(ph_dynamics_state(course.dynamics));
        for (int e = 0; e < PH_STATE_RESIDUAL_COLUMNS; ++e)
            assert_memory_equal(snapshot->residual[e], residuals[e], course.system->n * sizeof(double));
        for (int e = 0; e < 3; ++e)
            assert_memory_equal(snapshot->memory.built_at[e], backend->memory(backend).built_at[e],
                                course.system->n * sizeof(double));
        assert_ok(ph_state_show(ph_dynamics_state(course.dynamics), PH_STATE_ALL, &err));
        assert_is_state(snapshot, &course, false);
    }
    finish(&course);
}

/* ---- Without memory for a second copy ---- */

static long allocations_left, here_left;

static void *allocate_some(size_t bytes, enum ph_status *status, struct ph_error *err)
{
    if (*status == PH_OK && allocations_left-- <= 0)
        *status = PH_ERR_MEMORY;
    return ph_machine_emulated.allocate(bytes, status, err);
}

static void *allocate_here_some(size_t bytes)
{
    return here_left-- > 0 ? ph_machine_emulated.allocate_here(bytes) : NULL;
}

TEST(without_memory_nothing_is_begun)
{
    struct ph_machine machine = ph_machine_emulated;
    machine.allocate = allocate_some;
    machine.allocate_here = allocate_here_some;
    struct ph_system *system = fluid_system();
    for (int k = 0; k < 3; ++k) {
        struct ph_backend *backend;
        const struct ph_snapshot *snapshot;
        bool begun = true;
        allocations_left = here_left = 1000;
        assert_ok(ph_engine_create(&machine, "small", system, &plain, true, &backend, &err));
        assert_ok(backend->write(backend, PH_STATE_ALL, system, NULL, &err));
        allocations_left = k == 0 ? 0 : 1;
        here_left = k == 1 ? 0 : 1;
        for (int again = 0; again < 2; ++again) {
            assert_ok(backend->snap(backend, PH_STATE_ALL, system, &begun, &err));
            assert_int_equal(begun, k == 2);
            allocations_left = here_left = 1000; /* once refused, it is not tried again */
        }
        if (begun)
            assert_ok(backend->snapped(backend, true, &snapshot, &err));
        backend->destroy(backend);
    }
    ph_system_destroy(system);
}

static void *last, *watched; /* allocated last; what gives room when it is released */
static bool full;

static void *allocate_unless_full(size_t bytes, enum ph_status *status, struct ph_error *err)
{
    if (*status == PH_OK && full)
        *status = PH_ERR_MEMORY;
    void *memory = ph_machine_emulated.allocate(bytes, status, err);
    last = memory ? memory : last;
    return memory;
}
static void release_watched(void *memory)
{
    full = full && memory != watched;
    ph_machine_emulated.release(memory);
}

/* Lists that grow take that memory; the copy that is on its way arrives, and is the last. */
TEST(lists_that_grow_take_the_memory_of_copies)
{
    struct ph_machine machine = ph_machine_emulated;
    machine.allocate = allocate_unless_full;
    machine.release = release_watched;
    struct ph_system *system = fluid_system();
    const double edges[3][3] = {{30, 0, 0}, {0, 30, 0}, {0, 0, 30}}; /* a drop: more partners than the mean */
    assert_ok(ph_box_init_periodic(edges, &system->box, &err));
    struct ph_interactions wide = plain;
    wide.cutoff = 3.0;
    struct ph_backend *backend;
    const struct ph_snapshot *snapshot;
    bool begun;
    assert_ok(ph_engine_create(&machine, "small", system, &wide, true, &backend, &err));
    assert_ok(backend->write(backend, PH_STATE_ALL, system, NULL, &err));
    assert_ok(backend->snap(backend, PH_STATE_PLACES, system, &begun, &err));
    assert_true(begun);
    watched = last;
    full = true;
    assert_ok(backend->evaluate(backend, NULL, &err));
    assert_false(full);
    assert_ok(backend->drift(backend, 0.01, &err));
    assert_ok(backend->snapped(backend, true, &snapshot, &err));
    for (int k = 0; k < 3; ++k)
        assert_memory_equal(snapshot->system.r[k], system->r[k], system->n * sizeof(double));
    assert_ok(backend->snap(backend, PH_STATE_PLACES, system, &begun, &err));
    assert_false(begun);
    backend->destroy(backend);
    ph_system_destroy(system);
}

/* ---- Transfers ---- */

static struct ph_transfer_counts counted; /* before */

static void assert_transferred(const struct ph_backend *backend, size_t to, size_t from, size_t beside)
{
    const struct ph_transfer_counts now = ph_engine_transfer_counts(backend);
    assert_int_equal(now.to.bytes - counted.to.bytes, to);
    assert_int_equal(now.from.bytes - counted.from.bytes, from);
    assert_int_equal(now.beside.bytes - counted.beside.bytes, beside);
    assert_int_equal(now.to.calls > counted.to.calls, to > 0);
    assert_int_equal(now.from.calls > counted.from.calls, from > 0);
    assert_int_equal(now.beside.calls > counted.beside.calls, beside > 0);
    counted = now;
}

/* Bytes of a molecule: r, q, images; p, m; f, t; residuals, and its place when the list was made; its number */
enum { PLACES = 7 * 8 + 3 * 4, MOMENTA = 6 * 8, FORCES = 6 * 8, RESIDUALS = 9 * 8, LIST = 3 * 8, NUMBER = 4 };
enum { IMAGES = 3 * 4, WRAPPED = 3 * 8 + IMAGES };

TEST(steps_copy_nothing_and_rows_sums_alone)
{
    const struct ph_snapshot *snapshot;
    struct ph_energy energy;
    struct ph_state_sums sums;
    struct ph_engine_counts lists;
    bool begun;
    struct course course = begin(fluid_system(), &plain, "verlet", 0.004, true);
    struct ph_backend *backend = course.backend;
    const size_t n = course.system->n, row = 12 * 1024 * sizeof(double);
    counted = (struct ph_transfer_counts){.to = {0}};
    assert_transferred(backend, 0, 0, 0);
    assert_ok(ph_dynamics_advance(course.dynamics, 1, &err));
    assert_transferred(backend, n * (PLACES - IMAGES + MOMENTA + NUMBER), 0, 0); /* images and residuals are zero */
    assert_ok(ph_dynamics_advance(course.dynamics, 60, &err));
    assert_transferred(backend, 0, 0, 0);
    assert_ok(ph_engine_count(backend, &lists, &err));
    assert_true(lists.lists_made > 2); /* in these steps, too */
    assert_transferred(backend, 0, n * sizeof(uint32_t), 0);
    assert_ok(ph_dynamics_synchronise(course.dynamics, &energy, &err));
    assert_ok(ph_state_observe(ph_dynamics_state(course.dynamics), &sums, &err));
    assert_transferred(backend, 0, row, 0);
    assert_ok(ph_state_snap(ph_dynamics_state(course.dynamics), false, &begun, &err));
    assert_transferred(backend, 0, 0, 0); /* not yet */
    assert_ok(backend->snapped(backend, true, &snapshot, &err));
    assert_transferred(backend, 0, 0, n * (PLACES + MOMENTA + FORCES));
    assert_ok(ph_state_snap(ph_dynamics_state(course.dynamics), false, &begun, &err));
    assert_ok(ph_state_snap(ph_dynamics_state(course.dynamics), true, &begun, &err)); /* the rest alone */
    assert_ok(backend->snapped(backend, true, &snapshot, &err));
    assert_transferred(backend, 0, 0, n * (RESIDUALS + LIST)); /* the state is as it was */
    assert_ok(ph_state_show(ph_dynamics_state(course.dynamics), PH_STATE_ALL, &err));
    assert_transferred(backend, 0, 0, 0); /* as is its copy */
    advance(&course, 1, &energy);
    assert_transferred(backend, 0, row + n * (PLACES + MOMENTA + FORCES), 0);
    assert_ok(ph_state_show(ph_dynamics_state(course.dynamics), PH_STATE_ALL, &err));
    assert_transferred(backend, 0, n * RESIDUALS, 0); /* there was no new list */
    assert_ok(ph_state_show(ph_dynamics_state(course.dynamics), PH_STATE_ALL, &err));
    assert_transferred(backend, 0, 0, 0);
    finish(&course);
}

/* Of a whole run: what it takes beside steps, and that steps without output add nothing */
TEST(runs_report_their_transfers)
{
    struct ph_transfer_counts transfers[2];
    size_t n = 0;
    for (int k = 0; k < 2; ++k) {
        const char *const sets[] = {k ? "dynamics.steps=90" : "dynamics.steps=30", "output.series_every=10",
                                    k ? "output.frames_every=30" : "output.frames_every=10",
                                    "output.checkpoint_every=0",
                                    k ? "output.series_every=30" : "output.series_every=10"};
        struct ph_simulation *simulation = create(5, sets, "one.h5md");
        bool stopped;
        assert_ok(ph_simulation_run(simulation, true, NULL, &stopped, &err));
        transfers[k] = ph_engine_transfer_counts(ph_simulation_backend(simulation));
        n = simulation->system->n;
        ph_simulation_destroy(simulation);
    }
    assert_int_equal(transfers[0].beside.bytes, 3 * n * (PLACES + MOMENTA + FORCES)); /* frames but the first */
    /* To: the state less images and residuals, which are zero. From: for the first checkpoint, arrays that
     * the first forces change, and the list; four rows; for the last checkpoint residuals and list, because the frame
     * has all else */
    assert_int_equal(transfers[0].to.bytes, n * (PLACES - IMAGES + MOMENTA + NUMBER));
    assert_int_equal(transfers[0].from.bytes,
                     n * (WRAPPED + FORCES + LIST + RESIDUALS + LIST) + 4 * 12 * 1024 * sizeof(double));
    assert_int_equal(transfers[1].to.bytes, transfers[0].to.bytes);
    assert_int_equal(transfers[1].from.bytes, transfers[0].from.bytes);
    assert_int_equal(transfers[1].beside.bytes, transfers[0].beside.bytes);
}

/* Frame and checkpoint of the last step, and whoever looks at the system then */
TEST(the_last_state_is_transferred_once)
{
    const char *const sets[] = {"dynamics.steps=30", "output.series_every=10", "output.frames_every=30",
                                "output.checkpoint_every=30"};
    struct ph_simulation *simulation = create(4, sets, "one.h5md");
    bool stopped;
    assert_ok(ph_simulation_run(simulation, true, NULL, &stopped, &err));
    const struct ph_transfer_counts transfers = ph_engine_transfer_counts(ph_simulation_backend(simulation));
    const size_t n = simulation->system->n;
    assert_int_equal(transfers.beside.bytes, n * (PLACES + MOMENTA + FORCES + RESIDUALS + LIST));
    assert_int_equal(transfers.from.bytes, n * (WRAPPED + FORCES + LIST) + 4 * 12 * 1024 * sizeof(double));
    assert_true(transfers.waited > 0.0);
    ph_simulation_destroy(simulation);
}

GROUP(enter_folder, leave)
