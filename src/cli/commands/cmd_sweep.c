/* SPDX-License-Identifier: MIT */
/* polhode sweep: one run for each set of parameters, in folders of their own. */
#include "accel/engine/batch.h"
#include "base/system/installed.h"
#include "cli/commands/load.h"
#include "cli/commands/watch.h"
#include "cli/sweep/sweep.h"

#include <errno.h>
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
    int together;
    size_t part, parts; /* from 1; 0: all */
    size_t n_axes;
    struct {
        const char *text;
        bool table; /* a file, else "key=values" */
    } axes[AXES_MAX];
};

enum key { KEY_VARY = 256, KEY_TABLE, KEY_TOGETHER, KEY_PART };

/* Runs of 500 molecules fill a graphics processor so, and each has files open. */
enum { TOGETHER = 64 };
_Static_assert(TOGETHER == 64 && PH_BATCH_MOST == 256, "as the help says");

static const struct argp_option options[] = {
    {"vary", KEY_VARY, "KEY=A,B,...", 0, "Values of a key of the input; whole numbers also as 1..4", 0},
    {"table", KEY_TABLE, "FILE.csv", 0, "A line of keys, then a line of values for each run", 0},
    {"output", 'o', "DIR", 0, "Folder of the sweep (default: the input's name with -sweep)", 1},
    {"no-page", KEEP_FLAG(no_page), NULL, 0, "Make no page at the end", 1},
    {"together", KEY_TOGETHER, "N", 0,
     "Runs side by side on a backend that is not cpu, 1 to 256 (default: 64, or as many as its memory takes)", 1},
    {"part", KEY_PART, "K/N", 0,
     "Only every N-th run, from run K on: for N processes at once, as jobs of an array (2/8)", 1},
    PH_CLI_OPTION_SET,
    PH_CLI_OPTION_BACKEND,
    PH_CLI_OPTION_DEVICE,
    PH_CLI_OPTIONS_RUN("all cores"),
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
    case KEY_TOGETHER: {
        char *end;
        const long n = strtol(arg, &end, 10);
        if (end == arg || *end || n < 1 || n > PH_BATCH_MOST)
            argp_error(state, "--together %s: a number from 1 to %d is accepted", arg, PH_BATCH_MOST);
        words->together = (int)n;
        return 0;
    }
    case KEY_PART: {
        char *slash, *end;
        const long part = strtol(arg, &slash, 10), parts = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
        if (slash == arg || *slash != '/' || end == slash + 1 || *end || part < 1 || parts < part ||
            parts > PH_SWEEP_RUNS_MAX)
            argp_error(state, "--part %s: K/N is accepted with K from 1 to N, and N up to %d, as 2/8", arg,
                       PH_SWEEP_RUNS_MAX);
        words->part = (size_t)part;
        words->parts = (size_t)parts;
        return 0;
    }
    case ARGP_KEY_END:
        if (words->n_axes == 0)
            argp_error(state, "nothing varies. Give --vary dynamics.step=0.001,0.002 or --table FILE.csv");
        return 0;
    default: break;
    }
    const error_t taken = ph_cli_take_run(key, arg, state, &words->run);
    return taken == ARGP_ERR_UNKNOWN ? ph_cli_take_input(key, arg, state, &words->input) : taken;
}

/* ---- The command ---- */

/* Runs 'polhode report DIR', whose output goes to stderr where stdout has the document. Programs that the report needs
 * may be missing: the sweep does not fail then. */
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
    ph_cli_release_processors();
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
    return sweep->runs ? PH_OK : ph_no_memory(err, "%zu runs", sweep->plan.n_runs);
}

/* inputs/water.yaml: water-sweep, here */
static enum ph_status name_folder(const struct words *words, struct ph_sweep *sweep, struct ph_error *err)
{
    const char *given = words->folder, *file = words->input.file, *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    if (!given && ph_cli_is_stdin(&words->input))
        return ph_error_set(err, PH_ERR_INPUT,
                            "standard input: has no name that the folder could be called after. Give one with -o DIR.");
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
        status = ph_no_memory(err, "the input");
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

/* Runs that have to be done yet, by any process */
static size_t count_left(const struct ph_sweep *sweep)
{
    size_t n = 0;
    for (size_t k = 0; k < sweep->plan.n_runs; ++k)
        n += sweep->runs[k].state == PH_SWEEP_WAITING || sweep->runs[k].state == PH_SWEEP_INTERRUPTED;
    return n;
}

/* Prints the next thing to do; returns the exit status */
static int end(const struct ph_sweep *sweep, bool json, bool stopped)
{
    size_t failed = 0;
    const size_t left = count_left(sweep);
    for (size_t k = 0; k < sweep->plan.n_runs; ++k)
        failed += ph_sweep_is_mine(sweep, k) && sweep->runs[k].state == PH_SWEEP_FAILED;
    if (failed > 0)
        ph_cli_warn(command,
                    "%zu of %zu runs failed: see error.txt in their folders. Without that file a run is tried again.",
                    failed, sweep->plan.n_runs);
    if (!json)
        printf("\ntable                 %s/sweep.csv, sweep.json\n", sweep->folder);
    if (stopped && !json)
        printf("\n%s; to continue, give the same command again.\n",
               ph_cli_time_is_over() ? "The time of --max-hours is over" : "Interrupted");
    else if (sweep->parts > 0 && left > 0 && !json)
        printf("\nThis part is done. %zu run%s left to other parts; the last part makes the page.\n", left,
               left == 1 ? " is" : "s are");
    return stopped ? PH_CLI_INTERRUPTED : (failed > 0 ? PH_ERR_CHECK : PH_OK);
}

/* Finds where the runs of other processes are now, for the table. A checkpoint that cannot be read is theirs to report.
 */
static enum ph_status look_at_others(struct ph_sweep *sweep, struct ph_error *err)
{
    for (size_t k = 0; k < sweep->plan.n_runs; ++k)
        if (!ph_sweep_is_mine(sweep, k) && ph_sweep_look(sweep, k, err) == PH_ERR_MEMORY)
            return PH_ERR_MEMORY;
    return PH_OK;
}

static int do_sweep(const struct words *words)
{
    _Static_assert((int)PH_CLI_SETS_MAX <= (int)PH_SWEEP_SETS_MAX, "a sweep takes all of them");
    struct ph_sweep sweep = {.n_sets = words->input.n_sets,
                             .sets = words->input.sets,
                             .part = words->parts > 0 ? words->part - 1 : 0,
                             .parts = words->parts};
    struct ph_error err;
    bool stopped = false;
    int result = PH_OK;
    enum ph_status status = begin(words, &sweep, &err);
    const bool begun = status == PH_OK;
    if (begun)
        status = ph_sweep_do(&sweep, (size_t)words->together, words->run.quiet, &stopped, &err);
    struct ph_error unwritten;
    if (begun)
        ph_sweep_lock(&sweep);
    if (begun && status == PH_OK)
        status = look_at_others(&sweep, &err);
    if (begun && ph_sweep_summarise(&sweep, words->run.json, &unwritten) != PH_OK && status == PH_OK) {
        status = unwritten.status;
        err = unwritten;
    }
    if (status == PH_OK && !words->no_page && !stopped && (sweep.parts == 0 || count_left(&sweep) == 0))
        make_page(&sweep, words->run.json);
    ph_sweep_unlock();
    result = status == PH_OK ? end(&sweep, words->run.json, stopped) : ph_cli_fail(command, &err);
    ph_sweep_free(&sweep.plan);
    ph_texts_free(&sweep.texts);
    free(sweep.runs);
    return result;
}

int ph_cmd_sweep(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "INPUT.yaml|-",
        .doc = "Runs an input once for each combination of values, and collects the results in one table and one "
               "page.\vEvery run has a folder in DIR, 001 and so on, with its trajectory run.h5md. To continue a "
               "sweep, give the same command again: finished runs stay, interrupted runs continue from their "
               "checkpoints. The command is refused if input, models, start files or values have changed since DIR was "
               "made. If a run fails, its error.txt and the table say so, the sweep continues, and the exit status is "
               "1. Ctrl-C ends the sweep after the step with a checkpoint (exit status 130).\n\nRuns follow each "
               "other. On another backend than cpu they advance side by side, so that small systems fill a graphics "
               "processor. Each has the bits that it has alone.\n\nWith --part K/N, N "
               "processes share the runs and DIR. The part that ends last completes the table and makes the page.",
    };
    struct words words = {.together = TOGETHER};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    struct ph_error err;
    if (ph_cli_begin_run(&words.run, argc, argv, &err) != PH_OK)
        return ph_cli_fail(command, &err);
    return ph_cli_log_end(do_sweep(&words));
}
