/* SPDX-License-Identifier: MIT */
/* polhode study: repeats an experiment of the literature; data, a plot, and a text that compares them with the
 * paper. */
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/terminal/script.h"

#include "lab/studies/frame/output.h"

#include <argp.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char command[] = "polhode study";

extern char **environ;

struct words {
    const char *name, *directory, *seed;
    bool all, quick, overwrite, keep, no_plot;
};

static const char *study_name(size_t i) { return ph_study_at(i)->name; }

/* ---- Progress ---- */

/* On a terminal a line that replaces itself, else a line now and then */
struct watcher {
    const char *name;
    bool terminal;
    double begun, told;
};

static void tell(double done, void *data)
{
    struct watcher *w = data;
    const double now = ph_clock_wall(), pause = w->terminal ? 0.2 : 10.0;
    if (now - w->told < pause || !(done > 0.0)) /* nothing done yet: no estimate */
        return;
    w->told = now;
    fprintf(stderr, "%s%s: %.0f %% done, %.0f s left%s", w->terminal ? "\r\033[K" : "", w->name, 100.0 * done,
            (now - w->begun) * (1.0 - done) / done, w->terminal ? "" : "\n");
    fflush(stderr);
}

/* ---- Plot ---- */

/* Draws the study in a directory, or all in its subdirectories, with the script. If that fails, the data are kept and a
 * message says what to do. */
static void draw(const char *directory)
{
    char path[PATH_MAX];
    const char *python = getenv("POLHODE_PYTHON");
    const char *script = ph_cli_find_script("POLHODE_PLOT_STUDY", "plot-study", path);
    if (!python || !python[0])
        python = "/usr/bin/python3";
    if (!script) {
        ph_cli_warn(command, "No plot: the script plot-study is not at '%s'. Set POLHODE_PLOT_STUDY to its path.",
                    path);
        return;
    }
    char *const arguments[] = {(char *)python, (char *)script, (char *)directory, NULL};
    pid_t child;
    int status = 0;
    fflush(stdout);
    ph_cli_release_processors();
    const int failed = posix_spawnp(&child, python, NULL, NULL, arguments, environ);
    while (!failed && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (failed)
        ph_cli_warn(command, "No plot: %s could not be started: %s. Set POLHODE_PYTHON to a Python 3.", python,
                    strerror(failed));
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        ph_cli_warn(command, "No plot, but all data are written. To draw it later: %s %s %s", python, script,
                    directory);
}

/* ---- The command ---- */

static void print_studies(void)
{
    for (size_t i = 0; i < ph_study_count(); ++i)
        printf("%-22s %s (%s)\n", ph_study_at(i)->name, ph_study_at(i)->title, ph_study_at(i)->figure);
    puts("\nOne of them:     polhode study NAME [-o DIR]     seconds to minutes, some a quarter of an hour or more\n"
         "Reduced, faster: polhode study NAME --quick\n"
         "All of them:     polhode study --all [--quick]\n"
         "More:            polhode study --help, polhode list studies");
}

static void print_findings(const struct ph_study_result *result)
{
    const struct ph_study *study = result->study;
    printf("%s: %s\n%s\n", study->name, study->title, result->headline);
    for (size_t c = 0; c < ph_study_claims(study); ++c)
        printf("\n%s\n  %s: %s\n", study->claim[c].text, ph_finding_words(result->finding[c].verdict),
               result->finding[c].measured);
}

static enum ph_status set_options(const struct words *words, struct ph_study_options *options, struct ph_error *err)
{
    long seed = 1;
    enum ph_status status = PH_OK;
    if (words->seed)
        status = ph_cli_parse_integer("--seed", words->seed, 0, &seed, err);
    *options = (struct ph_study_options){.quick = words->quick, .seed = (uint64_t)seed};
    return status;
}

/* One study into a directory that was prepared; the caller clears the result. */
static enum ph_status run(const struct ph_study *study, const char *directory, const struct words *words,
                          struct ph_study_result *result, struct ph_error *err)
{
    struct ph_study_options options;
    enum ph_status status = set_options(words, &options, err);
    if (status == PH_OK && words->keep && ph_study_read(study, &options, directory, result))
        return PH_OK;
    if (status == PH_OK)
        status = ph_study_prepare(directory, words->overwrite || words->keep, err);
    if (status != PH_OK)
        return status;
    const double now = ph_clock_wall();
    struct watcher watcher = {.name = study->name, .terminal = isatty(STDERR_FILENO), .begun = now, .told = now};
    options.progress = (struct ph_lab_progress){.tell = tell, .data = &watcher};
    if (watcher.terminal)
        fprintf(stderr, "%s: begun; Ctrl-C ends it", study->name);
    status = ph_study_run(study, &options, result, err);
    if (watcher.terminal)
        fputs("\r\033[K", stderr);
    if (status == PH_OK)
        status = ph_study_write(result, directory, err);
    return status;
}

static enum ph_status run_one(const struct ph_study *study, const struct words *words, struct ph_error *err)
{
    char usual[64];
    snprintf(usual, sizeof usual, "study-%s", study->name);
    const char *directory = words->directory ? words->directory : usual;
    struct ph_study_result *result = calloc(1, sizeof *result);
    if (!result)
        return ph_no_memory(err, "the results");
    const enum ph_status status = run(study, directory, words, result, err);
    if (status == PH_OK && !words->no_plot)
        draw(directory);
    if (status == PH_OK) {
        print_findings(result);
        printf("\nwritten to %s; read %s/README.md\n", directory, directory);
    }
    ph_study_result_clear(result);
    free(result);
    return status;
}

/* One line for a study: how long it took, its verdicts, and which of them are not the usual ones */
static int print_verdicts(const struct ph_study_result *result)
{
    int unexpected = 0;
    printf("%-20s %6.1f s ", result->study->name, result->seconds);
    for (size_t c = 0; c < ph_study_claims(result->study); ++c) {
        const bool odd = ph_study_unexpected(result, c);
        unexpected += odd;
        printf("%s %s%s", c > 0 ? "," : "", ph_finding_words(result->finding[c].verdict), odd ? " (!)" : "");
    }
    putchar('\n');
    for (size_t c = 0; c < ph_study_claims(result->study); ++c)
        if (ph_study_unexpected(result, c))
            printf("  ! \"%s\": '%s' expected, but it %s: %s\n", result->study->claim[c].text,
                   ph_finding_words(ph_study_expected(result->study, result->options.quick, c)),
                   ph_finding_words(result->finding[c].verdict), result->finding[c].measured);
    fflush(stdout);
    return unexpected;
}

/* Every study into a directory of its own, and a page on all */
static enum ph_status run_all(const struct words *words, struct ph_error *err)
{
    const char *directory = words->directory ? words->directory : "studies";
    const size_t n = ph_study_count();
    struct ph_study_result *results = calloc(n, sizeof *results);
    if (!results)
        return ph_no_memory(err, "the results of %zu studies", n);
    int unexpected = 0;
    enum ph_status status = ph_study_prepare(directory, words->overwrite || words->keep, err);
    for (size_t i = 0; i < n && status == PH_OK; ++i) {
        char own[4096];
        snprintf(own, sizeof own, "%s/%s", directory, ph_study_at(i)->name);
        status = run(ph_study_at(i), own, words, &results[i], err);
        if (status == PH_OK)
            unexpected += print_verdicts(&results[i]);
        ph_study_result_clear(&results[i]); /* verdicts and texts stay */
    }
    if (status == PH_OK)
        status = ph_study_save_index(n, results, directory, err);
    if (status == PH_OK && !words->no_plot) /* once: to start Python takes as long as to draw a study */
        draw(directory);
    free(results);
    if (status != PH_OK)
        return status;
    printf("\nwritten to %s; read %s/README.md\n", directory, directory);
    return unexpected == 0 ? PH_OK
                           : ph_error_set(err, PH_ERR_CHECK, "%d verdict%s not as usual; see the lines with '!' above.",
                                          unexpected, unexpected == 1 ? " is" : "s are");
}

static const struct argp_option options_known[] = {
    {"output", 'o', "DIR", 0, "Directory of the files (default: study-NAME, or studies)", 0},
    {"all", KEEP_FLAG(all), NULL, 0, "All studies, each in a directory of its own, and a page on all", 0},
    {"quick", KEEP_FLAG(quick), NULL, 0, "A reduced version, in seconds", 0},
    {"overwrite", KEEP_FLAG(overwrite), NULL, 0, "Replace files of the study in DIR", 0},
    {"keep", KEEP_FLAG(keep), NULL, 0, "Keep finished studies in DIR: continues an interrupted --all", 0},
    {"seed", KEEP_WORD(seed), "N", 0, "Of random starts (default: 1)", 0},
    {"no-plot", KEEP_FLAG(no_plot), NULL, 0, "Data and text alone", 0},
    {0},
};

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case 'o': words->directory = arg; return 0;
    case ARGP_KEY_ARG:
        if (words->name)
            argp_error(state, "one study at a time: '%s' or '%s'", words->name, arg);
        words->name = arg;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int ph_cmd_study(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options_known,
        .parser = take_word,
        .args_doc = "[NAME]",
        .doc = "Repeats an experiment of the literature. Writes data (CSV, HDF5), a plot (SVG, PNG), README.md and a "
               "page NAME.html with the claims of the paper and the measurements. Without NAME or --all, lists the "
               "studies.\vThe script plot-study draws plot and page. It needs Python 3 with matplotlib and h5py "
               "(Debian: python3-matplotlib, python3-h5py). Interactive curves also need python3-plotly. Without these "
               "packages the command writes the data alone. Environment: POLHODE_PLOT_STUDY is the path of another "
               "script, POLHODE_PYTHON the interpreter (default: /usr/bin/python3). With --all, the command draws "
               "plots at the end, and the exit status is 1 if a verdict is not the usual one.",
    };
    struct words words = {0};
    struct ph_error err = {0};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    if (words.keep && words.overwrite) {
        ph_error_set(&err, PH_ERR_INPUT, "Either --keep or --overwrite.");
        return ph_cli_fail(command, &err);
    }
    if (words.all && words.name) {
        ph_error_set(&err, PH_ERR_INPUT, "Either --all or '%s'.", words.name);
        return ph_cli_fail(command, &err);
    }
    if (words.all)
        return run_all(&words, &err) == PH_OK ? PH_OK : ph_cli_fail(command, &err);
    if (!words.name) {
        print_studies();
        return PH_OK;
    }
    const struct ph_study *study = ph_study_find(words.name);
    if (!study) {
        ph_cli_unknown_name("study", words.name, ph_study_count(), study_name, &err);
        return ph_cli_fail(command, &err);
    }
    return run_one(study, &words, &err) == PH_OK ? PH_OK : ph_cli_fail(command, &err);
}
