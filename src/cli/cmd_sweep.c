/* SPDX-License-Identifier: MIT */
/* polhode sweep: one run for each set of parameters, in folders of their own, one after the other. */
#include "base/clock.h"
#include "base/installed.h"
#include "cli/sweep.h"
#include "cli/watch.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char command[] = "polhode sweep";

enum { AXES_MAX = 16 };

struct words {
    struct ph_cli_words input;
    struct ph_cli_run_words run;
    const char *folder;
    bool no_page;
    size_t n_axes;
    struct {
        const char *text;
        bool table; /* a file, else "key=values" */
    } axes[AXES_MAX];
};

enum key { KEY_VARY = 256, KEY_TABLE, KEY_NO_PAGE };

static const struct argp_option options[] = {
    {"vary", KEY_VARY, "KEY=A,B,...", 0, "Values of a key of the input; whole numbers also as 1..4", 0},
    {"table", KEY_TABLE, "FILE.csv", 0, "A line of keys, then a line of values for each run", 0},
    {"output", 'o', "DIR", 0, "Folder of the sweep (default: the input's name with -sweep)", 1},
    {"no-page", KEY_NO_PAGE, NULL, 0, "Make no page at the end", 1},
    PH_CLI_OPTION_SET,
    PH_CLI_OPTIONS_RUN,
    {0},
};

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case KEY_VARY:
    case KEY_TABLE:
        if (words->n_axes == AXES_MAX)
            argp_error(state, "--vary and --table are accepted %d times", AXES_MAX);
        words->axes[words->n_axes].text = arg;
        words->axes[words->n_axes++].table = key == KEY_TABLE;
        return 0;
    case 'o': words->folder = arg; return 0;
    case KEY_NO_PAGE: words->no_page = true; return 0;
    case ARGP_KEY_END:
        if (words->n_axes == 0)
            argp_error(state, "what is to be varied? Give --vary dynamics.step=0.001,0.002 or --table FILE.csv");
        return 0;
    default: break;
    }
    const error_t taken = ph_cli_take_run(key, arg, state, &words->run);
    return taken == ARGP_ERR_UNKNOWN ? ph_cli_take_input(key, arg, state, &words->input) : taken;
}

/* ---- The runs ---- */

/* For the line that tells how far all of it is */
struct watcher {
    const struct ph_sweep *sweep;
    size_t run;
    bool terminal, quiet;
    double began, printed, before, all; /* seconds; steps of runs that are done, and of all */
    double first;                       /* steps that were done when this process began */
};

static void tell(const struct ph_progress *p, void *data)
{
    struct watcher *w = data;
    const double now = ph_clock_wall();
    if (w->quiet || now - w->printed < (w->terminal ? 0.2 : 10.0))
        return;
    w->printed = now;
    const double done = w->before + (double)p->step, new = done - w->first;
    fprintf(stderr, "%srun %zu of %zu: step %lld of %lld; all runs %.0f %%", w->terminal ? "\r\033[K" : "", w->run + 1,
            w->sweep->plan.n_runs, (long long)p->step, (long long)p->end, floor(100.0 * done / w->all));
    if (new > 0.0) {
        fputs(", ", stderr);
        ph_cli_print_duration(stderr, (now - w->began) * (w->all - done) / new);
        fputs(" left", stderr);
    }
    if (!w->terminal)
        fputc('\n', stderr);
    fflush(stderr);
}

static enum ph_status open_run(const struct ph_sweep *sweep, size_t k, const char *file,
                               struct ph_simulation **simulation, struct ph_error *err)
{
    if (sweep->runs[k].state == PH_SWEEP_INTERRUPTED)
        return ph_simulation_resume(file, -1, simulation, err);
    struct ph_texts texts = {.n = 0};
    struct ph_sweep_sets sets;
    struct ph_input *input = malloc(sizeof *input);
    enum ph_status status = input ? ph_sweep_input(sweep, k, &texts, &sets, input, err)
                                  : ph_error_set(err, PH_ERR_MEMORY, "No memory for the input.");
    if (status == PH_OK)
        status = ph_simulation_create(&texts, input, file, simulation, err);
    ph_texts_free(&texts);
    free(input);
    return status;
}

/* One run to its end. A run whose numbers fail, or that cannot be built, is noted, and is no failure of the sweep. */
static enum ph_status do_run(struct ph_sweep *sweep, size_t k, struct watcher *w, bool *stopped, struct ph_error *err)
{
    char path[PATH_MAX], file[PATH_MAX], name[PATH_MAX + 32];
    struct ph_simulation *simulation = NULL;
    const struct ph_watch watch = {.progress = tell, .stop = ph_cli_stop, .data = w};
    ph_sweep_path(sweep, k, "", path);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be made: %s.", path, strerror(errno));
    enum ph_status status = open_run(sweep, k, ph_sweep_path(sweep, k, "run.h5md", file), &simulation, err);
    if (status == PH_OK) {
        snprintf(name, sizeof name, "%s: run %s", command, ph_sweep_name(sweep, k, path));
        ph_cli_print_warnings(name, simulation);
        status = ph_simulation_run(simulation, sweep->runs[k].state == PH_SWEEP_WAITING, &watch, stopped, err);
    }
    ph_simulation_destroy(simulation);
    if (w->terminal && !w->quiet)
        fputs("\r\033[K", stderr);
    if (status == PH_ERR_NUMBERS || status == PH_ERR_INPUT) {
        struct ph_error failure;
        ph_cli_warn(command, "run %s: %s", ph_sweep_name(sweep, k, path), err->text);
        status = ph_sweep_put_file(ph_sweep_path(sweep, k, "error.txt", path), err->text, &failure);
        if (status != PH_OK)
            *err = failure;
    }
    return status == PH_OK ? ph_sweep_look(sweep, k, err) : status;
}

static enum ph_status do_all(struct ph_sweep *sweep, bool quiet, bool *stopped, struct ph_error *err)
{
    struct watcher w = {.sweep = sweep, .terminal = isatty(STDERR_FILENO), .quiet = quiet, .began = ph_clock_wall()};
    w.printed = w.began;
    ph_cli_catch_signals();
    enum ph_status status = PH_OK;
    size_t finished = 0;
    for (size_t k = 0; k < sweep->plan.n_runs && status == PH_OK; ++k) {
        status = ph_sweep_look(sweep, k, err);
        w.all += (double)sweep->runs[k].end;
        w.first += (double)(sweep->runs[k].state == PH_SWEEP_FAILED ? sweep->runs[k].end : sweep->runs[k].step);
        finished += sweep->runs[k].state == PH_SWEEP_FINISHED || sweep->runs[k].state == PH_SWEEP_FAILED;
    }
    if (!w.quiet)
        fprintf(stderr, "%zu runs in %s%s\n", sweep->plan.n_runs, sweep->folder,
                finished > 0 ? ", some of them done" : "");
    *stopped = false;
    for (size_t k = 0; k < sweep->plan.n_runs && status == PH_OK; ++k) {
        const enum ph_sweep_state state = sweep->runs[k].state;
        w.run = k;
        *stopped = *stopped || ph_cli_stop(NULL);
        if (state != PH_SWEEP_FINISHED && state != PH_SWEEP_FAILED && !*stopped)
            status = do_run(sweep, k, &w, stopped, err);
        w.before += (double)sweep->runs[k].end;
    }
    return status;
}

/* ---- The command ---- */

/* 'polhode report DIR', whose output goes to stderr where stdout has the document. What it needs may be missing: that
 * is no failure of the sweep. */
static void make_page(const struct ph_sweep *sweep, bool json)
{
    char page[PATH_MAX], program[PATH_MAX];
    snprintf(page, sizeof page, "%s/sweep.html", sweep->folder);
    char name[] = "polhode", report[] = "report", output[] = "-o", again[] = "--overwrite";
    char *folder = strdup(sweep->folder);
    char *const arguments[] = {name, report, folder, output, page, again, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    fflush(stdout);
    posix_spawn_file_actions_init(&actions);
    if (json)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    const int failed =
        folder && ph_own_program(program) ? posix_spawn(&child, program, &actions, NULL, arguments, environ) : ENOMEM;
    while (!failed && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    posix_spawn_file_actions_destroy(&actions);
    free(folder);
    if (failed || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        ph_cli_warn(command, "No page, but all data are written. To make it later: polhode report %s", sweep->folder);
}

static enum ph_status make_plan(const struct words *words, struct ph_sweep *sweep, struct ph_error *err)
{
    enum ph_status status = ph_sweep_begin(&sweep->plan, err);
    for (size_t a = 0; a < words->n_axes && status == PH_OK; ++a)
        status = (words->axes[a].table ? ph_sweep_table : ph_sweep_vary)(&sweep->plan, words->axes[a].text, err);
    if (status != PH_OK)
        return status;
    sweep->runs = calloc(sweep->plan.n_runs, sizeof *sweep->runs);
    return sweep->runs ? PH_OK : ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu runs.", sweep->plan.n_runs);
}

/* inputs/water.yaml: water-sweep, here */
static enum ph_status name_folder(const struct words *words, struct ph_sweep *sweep, struct ph_error *err)
{
    const char *given = words->folder, *file = words->input.file, *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    if (!given && ph_cli_is_stdin(&words->input))
        return ph_error_set(err, PH_ERR_INPUT,
                            "standard input: has no name that the folder could be called after. Give "
                            "one with -o DIR.");
    const int stem = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    const int length = given ? snprintf(sweep->folder, sizeof sweep->folder, "%s", given)
                             : snprintf(sweep->folder, sizeof sweep->folder, "%.*s-sweep", stem, base);
    while (strlen(sweep->folder) > 1 && sweep->folder[strlen(sweep->folder) - 1] == '/')
        sweep->folder[strlen(sweep->folder) - 1] = '\0';
    return length < PH_PATH - 16
               ? PH_OK
               : ph_error_set(err, PH_ERR_INPUT, "The name of the folder, '%.60s...', is too long.", sweep->folder);
}

/* A sweep must not replace a file that it reads. */
static enum ph_status check_name(const struct ph_sweep *sweep, const char *what, const char *file, struct ph_error *err)
{
    for (size_t k = 0; k < PH_SWEEP_OUTPUTS; ++k) {
        struct stat read, written;
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", sweep->folder, ph_sweep_outputs[k]);
        if (stat(file, &read) == 0 && stat(path, &written) == 0 && read.st_dev == written.st_dev &&
            read.st_ino == written.st_ino)
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s: is the %s of this sweep and cannot be its %s. Give it another name, or another "
                                "folder (-o).",
                                file, what, ph_sweep_outputs[k]);
    }
    return PH_OK;
}

static enum ph_status check_names(const struct words *words, const struct ph_sweep *sweep, struct ph_error *err)
{
    enum ph_status status = ph_cli_is_stdin(&words->input) ? PH_OK : check_name(sweep, "input", words->input.file, err);
    for (size_t a = 0; a < words->n_axes && status == PH_OK; ++a)
        if (words->axes[a].table)
            status = check_name(sweep, "table", words->axes[a].text, err);
    return status;
}

static enum ph_status begin(const struct words *words, struct ph_sweep *sweep, struct ph_error *err)
{
    struct ph_input *input = malloc(sizeof *input);
    struct ph_texts texts = {.n = 0};
    enum ph_status status = name_folder(words, sweep, err);
    if (status == PH_OK)
        status = check_names(words, sweep, err);
    if (status == PH_OK && !input)
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for the input.");
    if (status == PH_OK)
        status = ph_cli_read_input(&words->input, &texts, input, err);
    if (status == PH_OK)
        status = ph_texts_add(&sweep->texts, texts.item[0].name, texts.item[0].text, texts.item[0].length, err);
    if (status == PH_OK)
        status = make_plan(words, sweep, err);
    if (status == PH_OK)
        status = ph_sweep_prepare(sweep, err);
    ph_texts_free(&texts);
    free(input);
    return status;
}

/* What to do next, and the exit status */
static int end(const struct ph_sweep *sweep, bool json, bool stopped)
{
    size_t failed = 0;
    for (size_t k = 0; k < sweep->plan.n_runs; ++k)
        failed += sweep->runs[k].state == PH_SWEEP_FAILED;
    if (failed > 0)
        ph_cli_warn(command,
                    "%zu of %zu runs failed: see error.txt in their folders. Without that file a run is tried "
                    "again.",
                    failed, sweep->plan.n_runs);
    if (!json)
        printf("\ntable                 %s/sweep.csv, sweep.json\n", sweep->folder);
    if (stopped && !json)
        printf("\nInterrupted; the same command goes on.\n");
    return stopped ? PH_CLI_INTERRUPTED : (failed > 0 ? PH_ERR_CHECK : PH_OK);
}

int ph_cmd_sweep(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "INPUT.yaml|-",
        .doc =
            "Runs an input once for each combination of values, and puts the results into one table and one page.\v"
            "Every run has a folder in DIR, 001 and so on, with its trajectory run.h5md. The same command again goes "
            "on: runs that are finished stay, those that were interrupted are resumed from their checkpoints. It is "
            "refused if input, models, start files or values are not those that DIR was begun with. A run that fails "
            "is noted in its error.txt and in the table, and the others go on; then the exit status is 1. Ctrl-C ends "
            "the sweep after the step with a checkpoint (exit status 130).",
    };
    struct words words = {.input.file = NULL};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    if (words.run.threads > 0)
        omp_set_num_threads(words.run.threads);
    struct ph_sweep sweep = {.input = &words.input};
    struct ph_error err;
    bool stopped = false;
    int result = PH_OK;
    enum ph_status status = begin(&words, &sweep, &err);
    const bool begun = status == PH_OK;
    if (begun)
        status = do_all(&sweep, words.run.quiet, &stopped, &err);
    struct ph_error unwritten;
    if (begun && ph_sweep_summarise(&sweep, words.run.json, &unwritten) != PH_OK && status == PH_OK) {
        status = unwritten.status;
        err = unwritten;
    }
    if (status == PH_OK && !words.no_page && !stopped)
        make_page(&sweep, words.run.json);
    result = status == PH_OK ? end(&sweep, words.run.json, stopped) : ph_cli_fail(command, &err);
    ph_sweep_free(&sweep.plan);
    ph_texts_free(&sweep.texts);
    free(sweep.runs);
    return result;
}
