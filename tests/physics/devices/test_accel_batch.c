/* SPDX-License-Identifier: MIT */
/* Many small systems on one machine: each has the bits that it has alone, and they share launches. */
#include "physics/backends.h"

#include "accel/engine/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* ---- A machine that counts ---- */

static long launches, jobs_done, launches_left; /* after these the machine is lost */
static size_t most_jobs;                        /* in one launch */

static uint32_t unlucky; /* systems of so many molecules or more have no memory for this: */
static enum ph_task unlucky_task;

static bool is_lost(void) { return launches_left-- <= 0; }

static enum ph_status run_counted(enum ph_task task, uint32_t count, double x, double y,
                                  const struct ph_accel_view *view, struct ph_error *err)
{
    ++launches;
    ++jobs_done;
    return ph_machine_emulated.run(task, count, x, y, view, err);
}

static void run_jobs_counted(size_t n, struct ph_job *const job[])
{
    ++launches;
    jobs_done += (long)n;
    most_jobs = n > most_jobs ? n : most_jobs;
    ph_machine_emulated.run_jobs(n, job);
    const bool lost = is_lost();
    for (size_t k = 0; k < n; ++k)
        if (lost)
            job[k]->status = ph_error_set(job[k]->err, PH_ERR_IO, "The machine is lost.");
        else if (job[k]->view->n >= unlucky && job[k]->task == (int)unlucky_task)
            job[k]->status = ph_error_set(job[k]->err, PH_ERR_MEMORY, "No memory for %u.", job[k]->view->n);
}

/* Requests of the batch itself fail after so many times. Views are recognised by their size, jobs by the size of the
 * first job. */
static long marks_left, waits_left, views_left, copies_left, tasks_left;

static enum ph_status mark_counted(void **mark, struct ph_error *err)
{
    return marks_left-- > 0 ? ph_machine_emulated.mark(mark, err) : ph_error_set(err, PH_ERR_IO, "No mark.");
}

static enum ph_status wait_for_mark_counted(void *mark, struct ph_error *err)
{
    return waits_left-- > 0 ? ph_machine_emulated.wait_for_mark(mark, err) : ph_error_set(err, PH_ERR_IO, "No end.");
}

static void *allocate_counted(size_t bytes, enum ph_status *status, struct ph_error *err)
{
    if (*status == PH_OK && bytes == sizeof(struct ph_accel_view) && views_left-- == 0) {
        *status = PH_ERR_MEMORY;
        return NULL;
    }
    return ph_machine_emulated.allocate(bytes, status, err);
}

static enum ph_status copy_to_counted(void *there, const void *here, size_t bytes, struct ph_error *err)
{
    if (bytes == sizeof(struct ph_accel_view) && copies_left-- == 0)
        return ph_error_set(err, PH_ERR_IO, "No copy.");
    return ph_machine_emulated.copy_to(there, here, bytes, err);
}

void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes)
{
    return bytes == 4 * sizeof(struct ph_job) && tasks_left-- == 0 ? NULL : __real_realloc(memory, bytes);
}

/* Stacks, of which there may be so many at once */
enum { STACKS_MOST = 256 };
static size_t stacks_most;
static void *stacks[STACKS_MOST]; /* NULL: a place for another */

void *__real_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
{
    size_t k = 0;
    while (k < stacks_most && stacks[k])
        ++k;
    if (flags & MAP_STACK && k == stacks_most)
        return MAP_FAILED;
    void *memory = __real_mmap(address, bytes, protection, flags, file, offset);
    if (flags & MAP_STACK && memory != MAP_FAILED)
        stacks[k] = memory;
    return memory;
}

int __real_munmap(void *address, size_t bytes);
int __wrap_munmap(void *address, size_t bytes);
int __wrap_munmap(void *address, size_t bytes)
{
    for (size_t k = 0; k < STACKS_MOST; ++k)
        stacks[k] = stacks[k] == address ? NULL : stacks[k];
    return __real_munmap(address, bytes);
}

static struct ph_machine counting;

static int prepare(void **state)
{
    counting = ph_machine_emulated;
    counting.run = run_counted;
    counting.run_jobs = run_jobs_counted;
    counting.mark = mark_counted;
    counting.wait_for_mark = wait_for_mark_counted;
    counting.allocate = allocate_counted;
    counting.copy_to = copy_to_counted;
    launches = jobs_done = 0;
    most_jobs = 0;
    launches_left = marks_left = waits_left = views_left = copies_left = tasks_left = 1000000;
    stacks_most = STACKS_MOST;
    unlucky = UINT32_MAX;
    unlucky_task = PH_TASK_FORCES;
    return 0;
}

/* ---- A machine that does nothing before somebody waits for it, and no more than that ---- */

enum { LATE_MOST = 4096 };
static struct {
    struct ph_job job[LATE_MOST];
    size_t begun, done, marked; /* jobs; those before the mark */
    size_t kept_waiting;        /* how often all went on while some were not done */
    size_t released_early;      /* memory that such a job needs */
} late;

static void do_late(size_t end)
{
    for (; late.done < end; ++late.done) {
        struct ph_job *job = &late.job[late.done % LATE_MOST];
        ph_machine_emulated.run_jobs(1, &job);
    }
}

/* The arguments are its own from here on, as those of a launch are. */
static void run_jobs_late(size_t n, struct ph_job *const job[])
{
    static struct ph_error err;
    for (size_t k = 0; k < n; ++k) {
        assert_true(late.begun - late.done < LATE_MOST);
        job[k]->status = PH_OK;
        late.job[late.begun % LATE_MOST] = *job[k];
        late.job[late.begun++ % LATE_MOST].err = &err;
    }
}

static enum ph_status mark_late(void **mark, struct ph_error *err)
{
    late.marked = late.begun;
    *mark = &late;
    return PH_OK;
}

static enum ph_status wait_for_mark_late(void *mark, struct ph_error *err)
{
    assert_ptr_equal(mark, &late);
    do_late(late.marked);
    late.kept_waiting += late.done < late.begun;
    return PH_OK;
}

static enum ph_status wait_late(struct ph_error *err)
{
    do_late(late.begun);
    return PH_OK;
}

/* Is it among what a job sees that is not done? */
static bool is_needed(const void *memory)
{
    for (size_t k = late.done; k < late.begun && memory; ++k) {
        const unsigned char *view = (const unsigned char *)late.job[k % LATE_MOST].kept;
        for (size_t at = 0; at < sizeof(struct ph_accel_view); at += sizeof memory)
            if (memcmp(view + at, &memory, sizeof memory) == 0)
                return true;
    }
    return false;
}

/* These follow tasks. */
static void release_late(void *memory)
{
    late.released_early += is_needed(memory);
    do_late(late.begun);
    ph_machine_emulated.release(memory);
}

static void release_signals_late(struct ph_signals *signals)
{
    late.released_early += is_needed(signals);
    do_late(late.begun);
    ph_machine_emulated.release_signals(signals);
}

static enum ph_status copy_to_late(void *there, const void *here, size_t bytes, struct ph_error *err)
{
    do_late(late.begun);
    return ph_machine_emulated.copy_to(there, here, bytes, err);
}

static enum ph_status clear_late(void *there, size_t bytes, struct ph_error *err)
{
    do_late(late.begun);
    return ph_machine_emulated.clear(there, bytes, err);
}

static enum ph_status copy_from_late(void *here, const void *there, size_t bytes, struct ph_error *err)
{
    do_late(late.begun);
    return ph_machine_emulated.copy_from(here, there, bytes, err);
}

static struct ph_machine late_machine(void)
{
    struct ph_machine machine = ph_machine_emulated;
    machine.run = NULL; /* all is done together */
    machine.run_jobs = run_jobs_late;
    machine.mark = mark_late;
    machine.wait_for_mark = wait_for_mark_late;
    machine.wait = wait_late;
    machine.release = release_late;
    machine.release_signals = release_signals_late;
    machine.copy_to = copy_to_late;
    machine.clear = clear_late;
    machine.copy_from = copy_from_late;
    late.kept_waiting = late.released_early = 0;
    return machine;
}

/* ---- Systems ---- */

/* side^3 dipoles on spheres, or spheres alone, in a box of this edge; 0: in open space */
struct fellow {
    size_t side;
    double edge, dipole, step, cutoff; /* 0: 1.6, in open space none */
    uint64_t seed;
    long steps;
    const struct ph_machine *machine; /* NULL: the one that counts */
    bool leaves;                      /* after the last step, without a look at anything */
    uint64_t hash;                    /* of the last state */
    enum ph_status status;
    struct ph_error err;
};

static struct ph_species make_species(double dipole)
{
    struct ph_species species = {.n_sites = 1, .name = "test"};
    const double inertia[3] = {0.1, 0.1, 0.1};
    species.site[0] = (struct ph_site){.name = "A", .mass = 1.0, .radial = {PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0}};
    species.site[0].dipole[2] = dipole;
    assert_ok(ph_species_complete(&species, NULL, dipole > 0.0 ? inertia : NULL, &err));
    return species;
}

static struct ph_system *make_system(const struct fellow *fellow, const struct ph_species *species)
{
    const size_t side = fellow->side, count = side * side * side;
    const double edge = fellow->edge, edges[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
    struct ph_box box = ph_box_open();
    struct ph_system *system;
    if (edge > 0.0 && ph_box_init_periodic(edges, &box, NULL) != PH_OK)
        return NULL;
    if (ph_system_create(1, species, &count, &box, &system, NULL) != PH_OK)
        return NULL;
    uint64_t state = fellow->seed;
    for (size_t i = 0; i < count; ++i) {
        const size_t place[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; ++k) {
            system->r[k][i] = 1.15 * ((double)place[k] + 0.1 * number(&state));
            system->p[k][i] = 3.0 * number(&state);
            system->m[k][i] = fellow->dipole > 0.0 ? number(&state) : 0.0;
        }
    }
    return system;
}

/* What fails here is looked at later: a coroutine must end. */
static void move(struct fellow *fellow)
{
    const struct ph_species species = make_species(fellow->dipole);
    const struct ph_interactions interactions = {
        .truncation = fellow->edge > 0.0 || fellow->cutoff > 0.0 ? PH_TRUNCATE_CUT : PH_TRUNCATE_NONE,
        .cutoff = fellow->cutoff > 0.0 ? fellow->cutoff : 1.6,
        .electrostatics = PH_ELECTROSTATICS_CUTOFF,
        .coulomb = 1.0};
    struct ph_system *system = make_system(fellow, &species);
    struct ph_force_field *field = NULL;
    struct ph_backend *backend = NULL;
    struct ph_dynamics *dynamics = NULL;
    struct ph_error *err = &fellow->err;
    struct ph_energy energy;
    enum ph_status status = system ? ph_force_field_create(system, &interactions, &field, err) : PH_ERR_MEMORY;
    if (status == PH_OK)
        status = ph_engine_create(ph_batch_machine(fellow->machine ? fellow->machine : &counting), "counting", system,
                                  &interactions, true, &backend, err);
    const struct ph_dynamics_options options = {.scheme = ph_scheme_find("verlet"),
                                                .flow = ph_flow_find("exact"),
                                                .step = fellow->step,
                                                .compensated = true,
                                                .backend = backend};
    if (status == PH_OK)
        status = ph_dynamics_create(system, field, &options, &dynamics, err);
    for (long k = 0; k < fellow->steps && status == PH_OK; ++k)
        status = ph_dynamics_advance(dynamics, 1, err);
    if (status == PH_OK && !fellow->leaves)
        status = ph_dynamics_synchronise(dynamics, &energy, err);
    if (status == PH_OK && !fellow->leaves)
        status = ph_state_show(ph_dynamics_state(dynamics), PH_STATE_PLACES | PH_STATE_MOMENTA | PH_STATE_FORCES, err);
    fellow->hash =
        status == PH_OK && !fellow->leaves ? ph_hash_bytes(ph_state_hash(system), sizeof energy, &energy) : 0;
    fellow->status = status;
    ph_dynamics_destroy(dynamics);
    if (backend)
        backend->destroy(backend);
    ph_force_field_destroy(field);
    ph_system_destroy(system);
}

/* ---- Meetings ---- */

struct table {
    struct fellow *fellows;
    size_t n, begun, most_active;
};

static bool next(size_t active, size_t *run, void *data)
{
    struct table *table = data;
    if (table->begun == table->n)
        return false;
    table->most_active = active + 1 > table->most_active ? active + 1 : table->most_active;
    *run = table->begun++;
    return true;
}

static void run(size_t run, void *data)
{
    struct table *table = data;
    move(&table->fellows[run]);
}

/* Returns how many were active at once. */
static size_t meet(size_t most, size_t n, struct fellow fellows[])
{
    struct table table = {.fellows = fellows, .n = n};
    const struct ph_batch batch = {next, run, &table};
    launches = jobs_done = 0;
    assert_ok(ph_batch_run(most, &batch, &err));
    assert_int_equal(table.begun, n);
    return table.most_active;
}

/* Launches that each takes alone, together */
static long move_alone(size_t n, struct fellow fellows[])
{
    launches = jobs_done = 0;
    for (size_t k = 0; k < n; ++k)
        move(&fellows[k]);
    return launches;
}

static void compare(size_t n, const struct fellow alone[], const struct fellow together[])
{
    for (size_t k = 0; k < n; ++k) {
        assert_int_equal(alone[k].status, together[k].status);
        assert_string_equal(alone[k].err.text, together[k].err.text);
        assert_true(alone[k].hash == together[k].hash);
        for (size_t l = 0; l < k; ++l) /* they differ */
            assert_true(alone[k].status != PH_OK || alone[k].hash != alone[l].hash);
    }
}

/* Systems of one kind, in step with each other, though steps are not equally long */
static void systems_that_are_alike_take_as_many_launches_as_one(void **state)
{
    enum { N = 5 };
    struct fellow alone[N], together[N];
    for (size_t k = 0; k < N; ++k)
        together[k] = alone[k] = (struct fellow){
            .side = 3, .dipole = 1.0, .step = 0.002 + 0.001 * (double)k, .seed = 7 + k / 2, .steps = 20};
    const long of_one = move_alone(1, alone);
    assert_int_equal(move_alone(N, alone), N * of_one);
    assert_int_equal(meet(N, N, together), N);
    assert_int_equal(launches, of_one);
    assert_int_equal(jobs_done, N * of_one);
    compare(N, alone, together);
    for (size_t k = 0; k < N; ++k)
        assert_int_equal(alone[k].status, PH_OK);
}

/* Different numbers, densities, formulas and lengths of steps and runs, with lists and without: lists are made at
 * different times, and runs end at different times. The fourth fails on its way. */
static struct fellow mixed[] = {
    {.side = 5, .edge = 5.75, .dipole = 1.0, .step = 0.003, .seed = 3, .steps = 40},
    {.side = 5, .edge = 5.80, .dipole = 1.0, .step = 0.005, .seed = 4, .steps = 40},
    {.side = 6, .edge = 6.90, .dipole = 1.0, .step = 0.004, .seed = 5, .steps = 30},
    {.side = 5, .edge = 5.75, .dipole = 1.0, .step = 0.25, .seed = 6, .steps = 40},
    {.side = 5, .edge = 5.75, .step = 0.005, .seed = 7, .steps = 40},
    {.side = 3, .dipole = 1.0, .step = 0.004, .cutoff = 1.6, .seed = 11, .steps = 25}, /* no images, as the last has */
    {.side = 5, .edge = 5.75, .dipole = 1.0, .step = 0.002, .seed = 9, .steps = 50},
    {.side = 5, .edge = 20.0, .dipole = 1.0, .step = 0.003, .cutoff = 2.6, .seed = 10, .steps = 30}, /* lists grow */
    {.side = 3, .edge = 3.45, .dipole = 1.0, .step = 0.004, .seed = 8, .steps = 25},
};
enum { MIXED = sizeof mixed / sizeof *mixed };

static void systems_that_differ_have_the_bits_that_they_have_alone(void **state)
{
    struct fellow alone[MIXED], together[MIXED];
    memcpy(alone, mixed, sizeof mixed);
    const long all = move_alone(MIXED, alone);
    for (size_t k = 0; k < MIXED; ++k)
        assert_int_equal(alone[k].status, k == 3 ? PH_ERR_NUMBERS : PH_OK);
    memcpy(together, mixed, sizeof mixed);
    assert_int_equal(meet(MIXED, MIXED, together), MIXED);
    compare(MIXED, alone, together);
    assert_int_equal(jobs_done, all);
    assert_true((double)launches < 0.43 * (double)all); /* 0.45 where who comes first has its turn first */
    memcpy(together, mixed, sizeof mixed);              /* two at once, who is next begins when one has ended */
    assert_int_equal(meet(2, MIXED, together), 2);
    compare(MIXED, alone, together);
    assert_int_equal(jobs_done, all);
    assert_true(launches < all && launches > all / 2);
}

/* Launches take PH_JOBS_MOST systems: here the last are in a second one each time. (A second that has the systems of
 * the first would be seen, and one that begins late or ends early.) */
static void systems_that_are_too_many_for_one_launch_have_several(void **state)
{
    enum { N = PH_JOBS_MOST + 6 };
    static struct fellow alone[N], together[N];
    for (size_t k = 0; k < N; ++k)
        together[k] = alone[k] = (struct fellow){
            .side = 2, .dipole = 1.0, .step = 0.002 + 0.0001 * (double)k, .seed = 7 + k / 2, .steps = 5};
    const long of_one = move_alone(1, alone);
    assert_int_equal(move_alone(N, alone), N * of_one);
    assert_int_equal(meet(N, N, together), N);
    assert_int_equal(most_jobs, PH_JOBS_MOST);
    assert_int_equal(launches, 2 * of_one);
    assert_int_equal(jobs_done, N * of_one);
    compare(N, alone, together);
    for (size_t k = 0; k < N; ++k)
        assert_int_equal(alone[k].status, PH_OK);
}

/* A run that waits for its drift continues before the forces after it are done. On `emulated` they are always done, so
 * this machine delays them in nearly all steps of the runs that have most. Leaves out the system that fails, because
 * its failure may surface earlier or later. */
static void tasks_that_nobody_waits_for_may_come_late(void **state)
{
    struct fellow alone[MIXED], together[MIXED];
    memcpy(alone, mixed, sizeof mixed);
    alone[3].step = 0.003;
    alone[6].leaves = true; /* what it has asked for ends before its memory is released */
    memcpy(together, alone, sizeof alone);
    move_alone(MIXED, alone);
    counting = late_machine();
    meet(MIXED, MIXED, together);
    compare(MIXED, alone, together);
    assert_true(late.kept_waiting > 45);
    assert_int_equal(late.released_early, 0);
    assert_int_equal(late.done, late.begun);
}

/* What engines do in turns, without dynamics that wait for them */
struct visitor {
    struct fellow fellow;
    bool breaks;          /* its molecules turn by numbers that are not finite */
    enum ph_status first; /* of reading forces */
    double written[2];    /* momenta of the last molecule after they were written, as read */
};

static enum ph_status write_and_read(struct ph_backend *backend, double momentum, struct ph_system *system,
                                     struct ph_system *copy, double *read, struct ph_error *err)
{
    for (size_t i = 0; i < system->n; ++i)
        system->p[0][i] = momentum;
    enum ph_status status = backend->kick(backend, 0.1, err);
    if (status == PH_OK)
        status = backend->write(backend, PH_STATE_MOMENTA, system, NULL, err);
    if (status == PH_OK)
        status = backend->read(backend, PH_STATE_MOMENTA, copy, NULL, err);
    *read = copy->p[0][system->n - 1];
    return status;
}

/* Forces after a drift that comes with many tasks, twice where they are good; then they are read at once. Then kicks,
 * and momenta in their place */
static void visit(size_t run, void *data)
{
    struct visitor *me = (struct visitor *)data + run;
    struct ph_error *err = &me->fellow.err;
    const struct ph_species species = make_species(me->fellow.dipole);
    const struct ph_interactions interactions = {.truncation = PH_TRUNCATE_CUT, .cutoff = 1.6, .coulomb = 1.0};
    struct ph_system *system = make_system(&me->fellow, &species), *copy = make_system(&me->fellow, &species);
    struct ph_backend *backend = NULL;
    if (me->breaks)
        system->m[0][3] = NAN;
    enum ph_status status =
        ph_engine_create(ph_batch_machine(&counting), "late", system, &interactions, true, &backend, err);
    if (status == PH_OK)
        status = backend->write(backend, PH_STATE_ALL, system, NULL, err);
    if (status == PH_OK)
        status = backend->evaluate(backend, NULL, err);
    for (int k = 0; k < 20 && status == PH_OK; ++k)
        status = backend->kick(backend, 1e-5, err);
    if (status == PH_OK)
        status = backend->drift(backend, 1e-4, err);
    for (int k = 0; k < (me->breaks ? 1 : 2) && status == PH_OK; ++k)
        status = backend->evaluate(backend, NULL, err);
    me->first = status == PH_OK ? backend->read(backend, PH_STATE_FORCES, copy, NULL, err) : PH_ERR_IO;
    status = me->first;
    for (int k = 0; k < 2 && status == PH_OK; ++k)
        status = write_and_read(backend, 2.0 * k, system, copy, &me->written[k], err);
    me->fellow.status = status;
    if (backend)
        backend->destroy(backend);
    ph_system_destroy(copy);
    ph_system_destroy(system);
}

static struct {
    size_t begun, n;
} visits;

static bool next_visit(size_t active, size_t *run, void *data)
{
    *run = visits.begun;
    return visits.begun++ < visits.n;
}

/* A run that waits gets the results of all its earlier requests. Forces that are not finite are reported when the run
 * reads them, even without a request since they were begun. Writes, also of zeros, come after earlier kicks. */
static void who_waits_has_what_was_begun_before(void **state)
{
    struct visitor visitors[2] = {
        {.fellow = {.side = 5, .edge = 5.75, .dipole = 1.0, .seed = 3}, .written = {NAN, NAN}},
        {.fellow = {.side = 5, .edge = 5.75, .dipole = 1.0, .seed = 4}, .written = {NAN, NAN}, .breaks = true}};
    const struct ph_batch batch = {next_visit, visit, visitors};
    struct ph_error err = {.text = ""};
    counting = late_machine();
    visits.begun = 0;
    visits.n = 2;
    assert_int_equal(ph_batch_run(2, &batch, &err), PH_OK);
    if (visitors[0].fellow.status != PH_OK)
        fail_msg("%s", visitors[0].fellow.err.text);
    assert_true(visitors[0].written[0] == 0.0 && visitors[0].written[1] == 2.0);
    assert_int_equal(visitors[1].first, PH_ERR_NUMBERS);
    assert_int_equal(late.released_early, 0);
}

/* Two engines of one run in turns; the hash is that of both. */
static void move_two(size_t run, void *data)
{
    struct fellow *me = (struct fellow *)data + run;
    const struct ph_species species = make_species(me->dipole);
    const struct ph_interactions interactions = {.truncation = PH_TRUNCATE_CUT, .cutoff = 1.6, .coulomb = 1.0};
    struct ph_system *system[2];
    struct ph_backend *backend[2] = {NULL, NULL};
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < 2; ++k) {
        struct fellow is = *me;
        is.seed = me->seed + k;
        is.side = me->side + k;
        system[k] = make_system(&is, &species);
        if (status == PH_OK)
            status = ph_engine_create(ph_batch_machine(&counting), "counting", system[k], &interactions, false,
                                      &backend[k], &me->err);
        if (status == PH_OK)
            status = backend[k]->write(backend[k], PH_STATE_ALL, system[k], NULL, &me->err);
    }
    for (long k = 0; k < 4 * me->steps && status == PH_OK; ++k) {
        struct ph_backend *turn = backend[k % 2];
        status = k / 2 % 2 == 0 ? turn->evaluate(turn, NULL, &me->err) : turn->kick(turn, me->step, &me->err);
        if (status == PH_OK && k / 2 % 2 == 1)
            status = turn->drift(turn, me->step, &me->err);
    }
    for (size_t k = 0; k < 2; ++k) {
        if (status == PH_OK)
            status = backend[k]->read(backend[k], PH_STATE_PLACES | PH_STATE_MOMENTA, system[k], NULL, &me->err);
        me->hash = 3 * me->hash + ph_state_hash(system[k]);
        if (backend[k])
            backend[k]->destroy(backend[k]);
        ph_system_destroy(system[k]);
    }
    me->status = status;
}

/* Each has its own constants, though both have changed them as often. */
static void engines_of_one_run_are_not_taken_for_each_other(void **state)
{
    struct fellow alone[2] = {{.side = 5, .edge = 6.9, .dipole = 1.0, .step = 0.003, .seed = 3, .steps = 10},
                              {.side = 4, .edge = 5.75, .dipole = 1.0, .step = 0.003, .seed = 5, .steps = 10}};
    struct fellow together[2];
    memcpy(together, alone, sizeof alone);
    const struct ph_batch batch = {next_visit, move_two, together};
    for (size_t k = 0; k < 2; ++k)
        move_two(k, alone);
    visits.begun = 0;
    visits.n = 2;
    assert_ok(ph_batch_run(2, &batch, &err));
    compare(2, alone, together);
    assert_int_equal(alone[0].status, PH_OK);
}

/* ---- Two machines at once ---- */

static struct ph_machine other;
static long jobs_of_others, marks_of_others;
static int mark_of_others;

/* Its systems have 27 molecules. */
static void run_jobs_of_others(size_t n, struct ph_job *const job[])
{
    for (size_t k = 0; k < n; ++k)
        jobs_of_others += job[k]->view->n == 27 ? 1 : 1000000;
    ph_machine_emulated.run_jobs(n, job);
}

static enum ph_status set_mark_of_others(void **mark, struct ph_error *err)
{
    *mark = &mark_of_others;
    ++marks_of_others;
    return PH_OK;
}

static enum ph_status wait_for_mark_of_others(void *mark, struct ph_error *err)
{
    return mark == &mark_of_others ? PH_OK : ph_error_set(err, PH_ERR_IO, "This is no mark of this machine.");
}

/* Each does the tasks of its own systems, and is waited for. */
static void machines_do_the_tasks_of_their_own_systems(void **state)
{
    enum { N = 6 };
    struct fellow alone[N], together[N];
    other = ph_machine_emulated;
    other.run_jobs = run_jobs_of_others;
    other.mark = set_mark_of_others;
    other.wait_for_mark = wait_for_mark_of_others;
    for (size_t k = 0; k < N; ++k)
        together[k] = alone[k] = (struct fellow){.side = k % 2 ? 3 : 2,
                                                 .machine = k % 2 ? &other : NULL,
                                                 .dipole = 1.0,
                                                 .step = 0.002,
                                                 .seed = 7 + k,
                                                 .steps = 20};
    for (size_t k = 0; k < N; ++k)
        move(&alone[k]);
    jobs_of_others = marks_of_others = 0;
    meet(N, N, together);
    compare(N, alone, together);
    assert_true(jobs_of_others > 0 && jobs_of_others == jobs_done);
    assert_true(marks_of_others >= 20);
    for (size_t k = 0; k < N; ++k)
        assert_int_equal(alone[k].status, PH_OK);
}

/* Wherever that is, every run ends with its own message. */
static void a_machine_that_is_lost_ends_all_runs(void **state)
{
    for (long left = 0; left < 120; left += left < 20 ? 1 : 17) {
        struct fellow together[MIXED];
        memcpy(together, mixed, sizeof mixed);
        together[3].step = 0.003;
        launches_left = left;
        meet(MIXED, MIXED, together);
        for (size_t k = 0; k < MIXED; ++k) {
            assert_int_equal(together[k].status, PH_ERR_IO);
            assert_string_equal(together[k].err.text, "The machine is lost.");
        }
    }
}

/* Every later request fails with the first failure. */
static void a_machine_that_is_lost_says_so_once(void **state)
{
    struct fellow together[MIXED];
    memcpy(together, mixed, sizeof mixed);
    launches_left = marks_left = waits_left = 0;
    meet(MIXED, MIXED, together);
    for (size_t k = 0; k < MIXED; ++k)
        assert_string_equal(together[k].err.text, "The machine is lost.");
}

/* Each with its own message, though they fail in one launch. The others go on, to where they would be without them. */
static void fails_two_runs(enum ph_task task)
{
    struct fellow alone[MIXED], together[MIXED];
    memcpy(alone, mixed, sizeof mixed);
    alone[6].side = 7; /* as the third, and with its formulas */
    alone[6].edge = 8.05;
    memcpy(together, alone, sizeof alone);
    move_alone(MIXED, alone);
    unlucky = 6 * 6 * 6;
    unlucky_task = task;
    meet(MIXED, MIXED, together);
    for (size_t k = 2; k < MIXED; k += 4) {
        char text[64];
        snprintf(text, sizeof text, "No memory for %d.", k == 2 ? 216 : 343);
        assert_int_equal(together[k].status, PH_ERR_MEMORY);
        assert_string_equal(together[k].err.text, text);
        together[k] = alone[k];
    }
    compare(MIXED, alone, together);
}

static void a_task_that_fails_fails_one_run(void **state) { fails_two_runs(PH_TASK_FORCES); }

/* What it has asked for beyond that is not done, and does not make it good. */
static void a_task_that_fails_is_the_last_of_its_run(void **state) { fails_two_runs(PH_TASK_DRIFT); }

/* Nothing more is begun, then, and all that run end. */
static void a_mark_that_fails_ends_all_runs(void **state)
{
    for (int waits = 0; waits < 2; ++waits)
        for (long left = 0; left < 20; left = 2 * left + 1) {
            struct fellow together[MIXED];
            prepare(state);
            memcpy(together, mixed, sizeof mixed);
            together[3].step = 0.003;
            *(waits ? &waits_left : &marks_left) = left;
            meet(MIXED, MIXED, together);
            for (size_t k = 0; k < MIXED; ++k) {
                assert_int_equal(together[k].status, PH_ERR_IO);
                assert_string_equal(together[k].err.text, waits ? "No end." : "No mark.");
            }
        }
}

/* One run fails, whichever it is, with its own message. The others go on, to where they would be without it. */
static void fails_one_run(long *left, enum ph_status status, const char *text)
{
    struct fellow alone[MIXED];
    memcpy(alone, mixed, sizeof mixed);
    move_alone(MIXED, alone);
    for (size_t k = 0; k < MIXED; ++k) {
        struct fellow together[MIXED];
        memcpy(together, mixed, sizeof mixed);
        *left = (long)k;
        meet(MIXED, MIXED, together);
        assert_int_equal(together[k].status, status);
        assert_string_equal(together[k].err.text, text);
        together[k] = alone[k];
        compare(MIXED, alone, together);
    }
}

static void a_run_whose_constants_find_no_memory_fails_alone(void **state)
{
    fails_one_run(&views_left, PH_ERR_MEMORY, "No memory on the machine for tasks of several runs.");
}

static void a_run_whose_constants_do_not_cross_fails_alone(void **state)
{
    fails_one_run(&copies_left, PH_ERR_IO, "No copy.");
}

static void a_run_whose_tasks_find_no_memory_fails_alone(void **state)
{
    fails_one_run(&tasks_left, PH_ERR_MEMORY, "No memory for tasks of several runs.");
}

/* There are as many at once as there are stacks; without any the batch ends before it begins. */
static void runs_that_find_no_stack_wait_for_one(void **state)
{
    struct fellow alone[MIXED], together[MIXED];
    memcpy(alone, mixed, sizeof mixed);
    move_alone(MIXED, alone);
    memcpy(together, mixed, sizeof mixed);
    stacks_most = 3;
    assert_int_equal(meet(MIXED, MIXED, together), 3);
    compare(MIXED, alone, together);
    struct table table = {.fellows = together, .n = MIXED};
    const struct ph_batch batch = {next, run, &table};
    struct ph_error err = {.text = ""};
    stacks_most = 0;
    assert_int_equal(ph_batch_run(MIXED, &batch, &err), PH_ERR_MEMORY);
    assert_string_equal(err.text, "No memory for the stack of another run.");
    assert_int_equal(table.begun, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(systems_that_are_alike_take_as_many_launches_as_one, prepare),
        cmocka_unit_test_setup(systems_that_differ_have_the_bits_that_they_have_alone, prepare),
        cmocka_unit_test_setup(tasks_that_nobody_waits_for_may_come_late, prepare),
        cmocka_unit_test_setup(who_waits_has_what_was_begun_before, prepare),
        cmocka_unit_test_setup(engines_of_one_run_are_not_taken_for_each_other, prepare),
        cmocka_unit_test_setup(machines_do_the_tasks_of_their_own_systems, prepare),
        cmocka_unit_test_setup(a_machine_that_is_lost_ends_all_runs, prepare),
        cmocka_unit_test_setup(a_machine_that_is_lost_says_so_once, prepare),
        cmocka_unit_test_setup(a_task_that_fails_fails_one_run, prepare),
        cmocka_unit_test_setup(a_task_that_fails_is_the_last_of_its_run, prepare),
        cmocka_unit_test_setup(systems_that_are_too_many_for_one_launch_have_several, prepare),
        cmocka_unit_test_setup(a_mark_that_fails_ends_all_runs, prepare),
        cmocka_unit_test_setup(a_run_whose_constants_find_no_memory_fails_alone, prepare),
        cmocka_unit_test_setup(a_run_whose_constants_do_not_cross_fails_alone, prepare),
        cmocka_unit_test_setup(a_run_whose_tasks_find_no_memory_fails_alone, prepare),
        cmocka_unit_test_setup(runs_that_find_no_stack_wait_for_one, prepare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
