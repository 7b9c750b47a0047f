/* SPDX-License-Identifier: MIT */
/* The runs of a sweep. Runs on a machine form a batch (accel/engine/batch.h), so that small systems fill it. Each run
 * has its own files, and ends by itself. All other runs follow one after the other. */
#include "accel/engine/batch.h"
#include "base/clock.h"
#include "cli/commands/load.h"
#include "cli/commands/watch.h"
#include "cli/sweep/sweep.h"
#include "cli/terminal/progress.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char command[] = "polhode sweep";

struct course {
    struct ph_sweep *sweep;
    bool *left;                              /* owned; of each run: it has to begin yet */
    size_t active, room;                     /* runs under way, and how many there may be, as far as memory is known */
    bool terminal, quiet, stopped, together; /* together: side by side, not one after the other */
    double began, printed, first;            /* seconds; steps that were done when this process began */
    enum ph_status status;                   /* of the sweep */
    struct ph_error *err;
    struct ph_cli_said said; /* of the notes on runs */
};

/* For the watch of one run */
struct watched {
    struct course *course;
    size_t run;
};

/* ---- The line that tells how far all of it is ---- */

/* Runs that failed are done. */
static double steps_done(const struct ph_sweep *sweep, double *all)
{
    double done = 0.0;
    *all = 0.0;
    for (size_t k = 0; k < sweep->plan.n_runs; ++k) {
        const struct ph_sweep_run *run = &sweep->runs[k];
        if (!ph_sweep_is_mine(sweep, k))
            continue;
        done += (double)(run->state == PH_SWEEP_FAILED ? run->end : run->step);
        *all += (double)run->end;
    }
    return done;
}

static void tell(const struct ph_progress *p, void *data)
{
    const struct watched *watched = data;
    struct course *c = watched->course;
    const double now = ph_clock_wall();
    c->sweep->runs[watched->run].step = p->step;
    if (c->quiet || now - c->printed < (c->terminal ? 0.2 : 10.0))
        return;
    c->printed = now;
    double all;
    const double done = steps_done(c->sweep, &all), new = done - c->first;
    fputs(c->terminal ? "\r\033[K" : "", stderr);
    if (c->active > 1)
        fprintf(stderr, "%zu runs together", c->active);
    else
        fprintf(stderr, "run %zu of %zu: step %lld of %lld", watched->run + 1, c->sweep->plan.n_runs,
                (long long)p->step, (long long)p->end);
    fprintf(stderr, "; all runs %.0f %%", floor(100.0 * done / all));
    if (new > 0.0) {
        fputs(", ", stderr);
        ph_cli_print_duration(stderr, (now - c->began) * (all - done) / new);
        fputs(" left", stderr);
    }
    if (!c->terminal)
        fputc('\n', stderr);
    fflush(stderr);
}

/* ---- One run ---- */

static enum ph_status open_run(const struct ph_sweep *sweep, size_t k, const char *file,
                               struct ph_simulation **simulation, struct ph_error *err)
{
    if (sweep->runs[k].state == PH_SWEEP_INTERRUPTED) {
        ph_cli_guard("polhode sweep", file);
        const enum ph_status resumed = ph_simulation_resume(file, -1, simulation, err);
        ph_cli_unguard();
        return resumed;
    }
    struct ph_texts texts = {.n = 0};
    struct ph_sweep_sets sets;
    struct ph_input *input = malloc(sizeof *input);
    enum ph_status status =
        input ? ph_sweep_input(sweep, k, &texts, &sets, input, err) : ph_no_memory(err, "the input");
    if (status == PH_OK) {
        ph_cli_guard_start("polhode sweep", input);
        status = ph_simulation_create(&texts, input, file, simulation, err);
        ph_cli_unguard();
    }
    ph_texts_free(&texts);
    free(input);
    return status;
}

/* If the sweep has failed, the remaining runs end with a checkpoint. */
static bool stop(void *data)
{
    const struct watched *watched = data;
    return watched->course->status != PH_OK || ph_cli_stop(NULL);
}

/* Of runs side by side: steps between two looks */
enum { STEPS_PER_CHECK = 16 };

/* To its end */
static enum ph_status do_run(struct course *c, size_t k, struct ph_error *err)
{
    struct ph_sweep *sweep = c->sweep;
    char path[PATH_MAX], file[PATH_MAX], name[PATH_MAX + 32];
    struct ph_simulation *simulation = NULL;
    struct watched watched = {c, k};
    const struct ph_watch watch = {
        .progress = tell, .stop = stop, .data = &watched, .steps_per_check = c->together ? STEPS_PER_CHECK : 1};
    bool stopped = false;
    ph_sweep_path(sweep, k, "", path);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be made: %s.", path, strerror(errno));
    enum ph_status status = open_run(sweep, k, ph_sweep_path(sweep, k, "run.h5md", file), &simulation, err);
    if (status == PH_OK) {
        snprintf(name, sizeof name, "%s: run %s", command, ph_sweep_name(sweep, k, path));
        ph_cli_print_warnings(name, simulation, &c->said);
        status = ph_simulation_run(simulation, sweep->runs[k].state == PH_SWEEP_WAITING, &watch, &stopped, err);
    }
    ph_simulation_destroy(simulation);
    c->stopped = c->stopped || stopped;
    if (c->terminal && !c->quiet)
        fputs("\r\033[K", stderr);
    if (status == PH_ERR_NUMBERS || status == PH_ERR_INPUT) {
        struct ph_error failure;
        ph_cli_warn(command, "run %s: %s", ph_sweep_name(sweep, k, path), err->text);
        status = ph_sweep_put_file(ph_sweep_path(sweep, k, "error.txt", path), err->text, &failure);
        if (status != PH_OK)
            *err = failure;
    }
    return status;
}

static bool is_left(const struct ph_sweep *sweep, size_t k)
{
    return sweep->runs[k].state == PH_SWEEP_WAITING || sweep->runs[k].state == PH_SWEEP_INTERRUPTED;
}

/* A run that gets no memory beside other runs waits until one of them has ended. Then it continues from its checkpoint
 * if it has one. If it was at its end, it is done. Any other error that concerns more than this run ends the sweep. */
static void take_part(size_t k, void *data)
{
    struct course *c = data;
    struct ph_error err = {.text = ""}, unread;
    char path[PATH_MAX];
    enum ph_status status = do_run(c, k, &err);
    --c->active;
    const bool too_many = status == PH_ERR_MEMORY && c->active > 0 && c->status == PH_OK;
    if (too_many) {
        c->room = c->active;
        status = PH_OK;
    }
    if (ph_sweep_look(c->sweep, k, &unread) != PH_OK && status == PH_OK) {
        status = unread.status;
        err = unread;
    }
    if (status == PH_OK && too_many && is_left(c->sweep, k)) {
        ph_cli_warn(command, "run %s waits until one beside it has ended: %s", ph_sweep_name(c->sweep, k, path),
                    err.text);
        c->left[k] = true;
    } else if (status == PH_OK && too_many) {
        ph_cli_warn(command, "run %s is done, but: %s", ph_sweep_name(c->sweep, k, path), err.text);
    }
    if (status != PH_OK && c->status == PH_OK) {
        c->status = status;
        *c->err = err;
    }
}

/* ---- All of them ---- */

static bool next(size_t active, struct course *c, bool on_machine, size_t *run)
{
    c->stopped = c->stopped || ph_cli_stop(NULL);
    if (c->stopped || c->status != PH_OK || active >= c->room)
        return false;
    for (size_t k = 0; k < c->sweep->plan.n_runs; ++k)
        if (c->left[k] && c->sweep->runs[k].on_machine == on_machine) {
            c->left[k] = false;
            c->active = active + 1;
            *run = k;
            return true;
        }
    return false;
}

static bool next_on_machine(size_t active, size_t *run, void *data) { return next(active, data, true, run); }

static enum ph_status begin(struct course *c)
{
    struct ph_sweep *sweep = c->sweep;
    bool some_done = false;
    double all;
    size_t n = 0;
    c->left = calloc(sweep->plan.n_runs, sizeof *c->left);
    if (!c->left)
        return ph_no_memory(c->err, "%zu runs", sweep->plan.n_runs);
    for (size_t k = 0; k < sweep->plan.n_runs; ++k) {
        if (!ph_sweep_is_mine(sweep, k))
            continue;
        const enum ph_status status = ph_sweep_look(sweep, k, c->err);
        if (status != PH_OK)
            return status;
        c->left[k] = is_left(sweep, k);
        some_done = some_done || !c->left[k];
        ++n;
    }
    c->first = steps_done(sweep, &all);
    if (!c->quiet && sweep->parts > 0)
        fprintf(stderr, "part %zu of %zu: ", sweep->part + 1, sweep->parts);
    if (!c->quiet)
        fprintf(stderr, "%zu run%s in %s%s\n", n, n == 1 ? "" : "s", sweep->folder,
                some_done ? ", some of them done" : "");
    return PH_OK;
}

enum ph_status ph_sweep_do(struct ph_sweep *sweep, size_t together, bool quiet, bool *stopped, struct ph_error *err)
{
    struct course c = {.sweep = sweep, .terminal = isatty(STDERR_FILENO) && !ph_cli_log(), .quiet = quiet, .err = err};
    const struct ph_batch batch = {next_on_machine, take_part, &c};
    size_t k, n = 0;
    c.room = SIZE_MAX;
    c.began = c.printed = ph_clock_wall();
    ph_cli_catch_signals();
    c.status = begin(&c);
    for (size_t run = 0; run < sweep->plan.n_runs && c.status == PH_OK; ++run)
        n += c.left[run] && sweep->runs[run].on_machine;
    c.together = together > 1 && n > 1;
    if (c.together) {
        const enum ph_status status = ph_batch_run(together, &batch, err);
        c.status = c.status == PH_OK ? status : c.status;
        c.together = false;
    }
    while (next(0, &c, true, &k) || next(0, &c, false, &k))
        take_part(k, &c);
    free(c.left);
    *stopped = c.stopped;
    return c.status;
}
