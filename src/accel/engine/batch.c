/* SPDX-License-Identifier: MIT */
#include "accel/engine/batch.h"

#include "base/room.h"
#include "base/system/coroutine.h"

#include <assert.h>
#include <stdlib.h>

/* A run of the batch */
struct batched_run {
    struct ph_coroutine *coroutine; /* owned */
    const struct ph_batch *batch;
    size_t run;
    const struct ph_machine *machine; /* NULL before the run has one */
    struct ph_machine shown;          /* to the engine of this run: the same, but jobs wait for other runs */
    struct {
        struct ph_accel_view *copy;       /* owned, in the memory of the machine */
        const struct ph_accel_view *view; /* of this view, of an engine of this run; NULL: no copy yet */
        uint64_t version;                 /* its version at the time of the copy */
    } kept[PH_ENGINE_VIEWS];
    struct ph_job *job; /* owned; requested since its last turn */
    size_t n_jobs, room;
    size_t needed; /* the run continues when this many jobs have ended */
    size_t marked; /* jobs before its mark */
    size_t done;   /* jobs that were launched */
    bool running;  /* jobs launched before may still run */
    void *mark;    /* owned; mark of the machine, for all runs */
    enum ph_status status;
    struct ph_error err; /* error of these jobs */
};

static _Thread_local struct batched_run *current; /* the run whose turn it is, or NULL */

/* ---- The machine of a run ---- */

/* Pauses this run until all its jobs are launched and the first `needed` have ended. */
static enum ph_status go_on_after(size_t needed, struct ph_error *err)
{
    struct batched_run *me = current;
    me->needed = needed;
    me->running = needed < me->n_jobs;
    ph_coroutine_pause();
    me->n_jobs = me->marked = 0;
    return me->status == PH_OK ? PH_OK : ph_error_set(err, me->status, "%s", me->err.text);
}

/* Waits until all jobs of this run have ended. */
static enum ph_status finish_jobs(struct ph_error *err)
{
    assert(current);
    return current->n_jobs > 0 || current->running ? go_on_after(current->n_jobs, err) : PH_OK;
}

/* Returns the number of the copy of a view, or of a free one. */
static size_t place_of(const struct ph_accel_view *view)
{
    size_t k = 0;
    while (k + 1 < PH_ENGINE_VIEWS && current->kept[k].view && current->kept[k].view != view)
        ++k;
    return k;
}

/* Copies the present view of this run to the machine; *copy is where. Waits before that, because earlier jobs use the
 * old view. */
static enum ph_status keep(const struct ph_accel_view *view, const struct ph_accel_view **copy, struct ph_error *err)
{
    struct batched_run *me = current;
    const size_t k = place_of(view);
    *copy = me->kept[k].copy;
    if (me->kept[k].view == view && me->kept[k].version == view->version)
        return PH_OK;
    enum ph_status status = finish_jobs(err);
    if (status != PH_OK)
        return status;
    if (!me->kept[k].copy)
        *copy = me->kept[k].copy = me->machine->allocate(sizeof *view, &status, err);
    if (status == PH_ERR_MEMORY)
        return ph_error_set(err, status, "No memory on the machine for tasks of several runs.");
    if (status == PH_OK)
        status = me->machine->copy_to(me->kept[k].copy, view, sizeof *view, err);
    me->kept[k].view = status == PH_OK ? view : NULL;
    me->kept[k].version = view->version;
    return status;
}

/* Adds a job, with the present value of the part of the view that changes from task to task. */
static enum ph_status ask(bool waves, int task, size_t count, double x, double y, struct ph_wave_order order,
                          const struct ph_accel_view *view, struct ph_error *err)
{
    struct batched_run *me = current;
    assert(me);
    const struct ph_accel_view *kept = NULL;
    const enum ph_status status = keep(view, &kept, err);
    if (status != PH_OK)
        return status;
    if (me->n_jobs == me->room) {
        const size_t room = 2 * me->room + 4;
        struct ph_job *more = realloc(me->job, room * sizeof *more);
        if (!more)
            return ph_no_memory(err, "tasks of several runs");
        me->job = more;
        me->room = room;
    }
    me->job[me->n_jobs++] = (struct ph_job){.waves = waves,
                                            .task = task,
                                            .count = count,
                                            .x = x,
                                            .y = y,
                                            .order = order,
                                            .view = view,
                                            .kept = kept,
                                            .pending = view->pending,
                                            .err = &me->err};
    return PH_OK;
}

static enum ph_status run(enum ph_task task, uint32_t count, double x, double y, const struct ph_accel_view *view,
                          struct ph_error *err)
{
    return ask(false, (int)task, count, x, y, (struct ph_wave_order){false, false}, view, err);
}

static enum ph_status run_waves(enum ph_wave_task task, size_t count, struct ph_wave_order order,
                                const struct ph_accel_view *view, struct ph_error *err)
{
    return ask(true, (int)task, count, 0.0, 0.0, order, view, err);
}

/* Waits first, because requested jobs may need this memory. */
static void release(void *memory)
{
    if (memory)
        finish_jobs(NULL);
    current->machine->release(memory);
}

static void release_signals(struct ph_signals *signals)
{
    finish_jobs(NULL);
    current->machine->release_signals(signals);
}

static enum ph_status copy_to(void *there, const void *here, size_t bytes, struct ph_error *err)
{
    const enum ph_status status = finish_jobs(err);
    return status == PH_OK ? current->machine->copy_to(there, here, bytes, err) : status;
}

static enum ph_status clear(void *there, size_t bytes, struct ph_error *err)
{
    const enum ph_status status = finish_jobs(err);
    return status == PH_OK ? current->machine->clear(there, bytes, err) : status;
}

static enum ph_status copy_from(void *here, const void *there, size_t bytes, struct ph_error *err)
{
    const enum ph_status status = finish_jobs(err);
    return status == PH_OK ? current->machine->copy_from(here, there, bytes, err) : status;
}

static enum ph_status send_arrays(void **way, size_t n, const struct ph_sent_array arrays[], struct ph_error *err)
{
    const enum ph_status status = finish_jobs(err);
    return status == PH_OK ? current->machine->send(way, n, arrays, err) : status;
}

/* Sets the mark of this run behind its jobs so far. Each run has one mark. Jobs before its last pause, up to the
 * mark at that time, have ended. */
static enum ph_status set_mark(void **mark, struct ph_error *err)
{
    (void)err;
    current->marked = current->n_jobs;
    *mark = current;
    return PH_OK;
}

static enum ph_status wait_for_mark(void *mark, struct ph_error *err)
{
    (void)mark;
    return current->n_jobs > 0 ? go_on_after(current->marked, err) : PH_OK;
}

static void release_mark(void *mark) { (void)mark; }

const struct ph_machine *ph_batch_machine(const struct ph_machine *machine)
{
    if (!current)
        return machine;
    assert(!current->kept[0].copy || current->machine == machine);
    current->machine = machine;
    for (size_t k = 0; k < PH_ENGINE_VIEWS; ++k)
        current->kept[k].view = NULL; /* a new engine may have the address of an old one */
    struct ph_machine *shown = &current->shown;
    *shown = *machine;
    shown->release = release;
    shown->release_signals = release_signals;
    shown->copy_to = copy_to;
    shown->clear = clear;
    shown->copy_from = copy_from;
    shown->send = send_arrays;
    shown->run = run;
    shown->run_waves = run_waves;
    shown->run_jobs = NULL;
    shown->wait = finish_jobs;
    shown->mark = set_mark;
    shown->wait_for_mark = wait_for_mark;
    shown->release_mark = release_mark;
    return shown;
}

/* ---- The batch ---- */

/* Returns the next job of a run, or NULL if it has none left. */
static struct ph_job *next_job(const struct batched_run *one)
{
    return one->done < one->n_jobs ? &one->job[one->done] : NULL;
}

static bool match(const struct batched_run *a, const struct batched_run *b)
{
    const struct ph_job *of_a = next_job(a), *of_b = next_job(b);
    return of_a && of_b && a->machine == b->machine && ph_jobs_match(of_a, of_b);
}

/* Returns the run with the most unfinished jobs, counting all jobs or only needed ones; NULL if all are done.
 * Runs with fewer jobs before their next wait then share the last launches, for example a step after the list build
 * of another run. */
static struct batched_run *furthest_behind(bool needed, size_t n, struct batched_run *const runs[])
{
    struct batched_run *best = NULL;
    size_t most = 0;
    for (size_t k = 0; k < n; ++k) {
        const size_t all = needed ? runs[k]->needed : runs[k]->n_jobs;
        if (all > runs[k]->done && all - runs[k]->done > most) {
            most = all - runs[k]->done;
            best = runs[k];
        }
    }
    return best;
}

static void fail(struct batched_run *one, enum ph_status status, const struct ph_error *err)
{
    if (one->status != PH_OK)
        return;
    one->status = status;
    one->err = *err;
    one->done = one->n_jobs;
}

/* Launches the next job of every run whose next job matches the job of `like`, in as few launches as possible. A
 * run that has failed gets no more jobs. */
static void launch(const struct batched_run *like, size_t n, struct batched_run *const runs[])
{
    struct ph_job *job[PH_BATCH_MOST];
    struct batched_run *whose[PH_BATCH_MOST];
    size_t n_jobs = 0;
    for (size_t k = 0; k < n; ++k)
        if (match(like, runs[k])) {
            whose[n_jobs] = runs[k];
            job[n_jobs++] = next_job(runs[k]);
        }
    const struct ph_machine *machine = like->machine;
    for (size_t first = 0; first < n_jobs; first += PH_JOBS_MOST)
        machine->run_jobs(n_jobs - first < PH_JOBS_MOST ? n_jobs - first : PH_JOBS_MOST, job + first);
    for (size_t k = 0; k < n_jobs; ++k) {
        whose[k]->status = job[k]->status;
        whose[k]->done = job[k]->status == PH_OK ? whose[k]->done + 1 : whose[k]->n_jobs;
    }
}

/* Sets a mark on each machine, or waits for it. Consecutive runs on one machine share it. Every paused run has a
 * machine. */
static void use_mark(bool wait, size_t n, struct batched_run *const runs[])
{
    struct ph_error err = {.text = ""};
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < n; ++k) {
        const struct ph_machine *machine = runs[k]->machine;
        if (k == 0 || machine != runs[k - 1]->machine)
            status = wait ? machine->wait_for_mark(runs[k]->mark, &err) : machine->mark(&runs[k]->mark, &err);
        if (status != PH_OK)
            fail(runs[k], status, &err);
    }
}

/* Launches all jobs of all runs. Needed jobs come first, and this waits for them only, so that runs continue
 * while the machine does the rest. */
static void do_jobs(size_t n, struct batched_run *const runs[])
{
    for (struct batched_run *like; (like = furthest_behind(true, n, runs));)
        launch(like, n, runs);
    use_mark(false, n, runs);
    for (struct batched_run *like; (like = furthest_behind(false, n, runs));)
        launch(like, n, runs);
    use_mark(true, n, runs);
}

static void start_run(void *data)
{
    const struct batched_run *me = data;
    me->batch->run(me->run, me->batch->data);
}

/* Gives a run its turn; returns false when it has ended. */
static bool resume(struct batched_run *one)
{
    current = one;
    const bool goes_on = ph_coroutine_resume(one->coroutine);
    current = NULL;
    one->done = 0;
    one->status = PH_OK;
    return goes_on;
}

static void destroy_run(struct batched_run *one)
{
    if (!one)
        return;
    ph_coroutine_destroy(one->coroutine);
    for (size_t k = 0; k < PH_ENGINE_VIEWS; ++k)
        if (one->kept[k].copy)
            one->machine->release(one->kept[k].copy);
    if (one->mark)
        one->machine->release_mark(one->mark);
    free(one->job);
    free(one);
}

static struct batched_run *create_run(const struct ph_batch *batch, struct ph_error *err)
{
    struct batched_run *one = calloc(1, sizeof *one);
    if (!one) {
        ph_no_memory(err, "another run");
        return NULL;
    }
    one->batch = batch;
    if (ph_coroutine_create(start_run, one, &one->coroutine, err) == PH_OK)
        return one;
    destroy_run(one);
    return NULL;
}

/* Gives each run its turn and keeps the runs that have not ended. */
static size_t go_on(size_t n, struct batched_run *runs[])
{
    size_t left = 0;
    for (size_t k = 0; k < n; ++k)
        if (resume(runs[k]))
            runs[left++] = runs[k];
        else
            destroy_run(runs[k]);
    return left;
}

enum ph_status ph_batch_run(size_t most, const struct ph_batch *batch, struct ph_error *err)
{
    PH_ROOM(most > 0 && most <= PH_BATCH_MOST);
    assert(!current);
    struct batched_run *runs[PH_BATCH_MOST], *next = NULL;
    size_t n = 0;
    for (;;) {
        struct ph_error failure; /* `err` may hold the error of a run */
        if (!next && !(next = create_run(batch, &failure)) && n == 0) {
            *err = failure;
            return PH_ERR_MEMORY;
        }
        if (n < most && next && batch->next(n, &next->run, batch->data)) {
            runs[n] = next;
            next = NULL;
            n += go_on(1, &runs[n]);
        } else if (n > 0) {
            do_jobs(n, runs);
            n = go_on(n, runs);
        } else {
            destroy_run(next);
            return PH_OK;
        }
    }
}
