/* SPDX-License-Identifier: MIT */
/* polhode report: a page with plots, made by a script in Python. */
#include "cli/cli.h"
#include "cli/terminal/script.h"

#include "base/names.h"
#include "base/system/installed.h"
#include "output/reader/reader.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct words {
    const char *file, *out, *every;
    bool live, overwrite;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Where to. Default: the name of the trajectory with .html", 0},
    {"live", KEEP_FLAG(live), NULL, 0, "Rewrite the page until the run has ended; the page reloads itself", 1},
    {"every", KEEP_WORD(every), "SECONDS", 0, "With --live: how often (default: 5)", 1},
    {"overwrite", KEEP_FLAG(overwrite), NULL, 0, "Replace a file that is there", 2},
    {0},
};

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case 'o': words->out = arg; return 0;
    case ARGP_KEY_END:
        if (words->file && words->every && !words->live)
            argp_error(state, "--every goes with --live");
        return ph_cli_take_file(key, arg, state, &words->file);
    default: return ph_cli_take_file(key, arg, state, &words->file);
    }
}

/* A folder that 'polhode sweep' has made */
static bool is_folder(const char *name)
{
    struct stat about;
    return stat(name, &about) == 0 && S_ISDIR(about.st_mode);
}

/* run.h5md becomes run.html; of a folder, sweep.html in it */
static char *default_name(const char *file)
{
    char *within = is_folder(file) ? malloc(strlen(file) + sizeof "/sweep.html") : NULL;
    if (within) {
        sprintf(within, "%s/sweep.html", file);
        return within;
    }
    return ph_cli_other_name(file, "html");
}

static enum ph_status check_sweep(const struct words *words, struct ph_error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.4000s/sweep.json", words->file);
    if (words->live)
        return ph_error_set(err, PH_ERR_INPUT, "--live is for a run, and %s is a folder.", words->file);
    if (access(path, R_OK) != 0)
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s: is a folder without sweep.json: an H5MD file is needed, or a folder of 'polhode sweep'.", words->file);
    return PH_OK;
}

static enum ph_status check(const struct words *words, const char *name, struct ph_error *err)
{
    struct stat about;
    double seconds = 5.0;
    enum ph_status status = PH_OK;
    if (words->every)
        status = ph_cli_parse_numbers("--every", words->every, 1, &seconds, err);
    if (status == PH_OK && !(seconds >= 0.1 && seconds <= 86400.0))
        return ph_error_set(err, PH_ERR_INPUT, "--every %s: not accepted; give seconds from 0.1 to 86400.",
                            words->every);
    if (status == PH_OK && !ph_name_ends(name, "html|htm"))
        return ph_error_set(err, PH_ERR_INPUT, "-o %s: a report is a page: its name must end in .html.", name);
    if (status == PH_OK && stat(name, &about) == 0 && !words->overwrite)
        return ph_error_set(err, PH_ERR_IO,
                            "%s: is there already. Give another name (-o), or allow it to be replaced (--overwrite).",
                            name);
    /* Files that are not H5MD, or damaged, are reported as elsewhere, before the script starts. */
    struct ph_reader reader;
    if (status == PH_OK && is_folder(words->file))
        return check_sweep(words, err);
    if (status == PH_OK) {
        status = ph_reader_open(words->file, &reader, err);
        ph_reader_close(&reader);
    }
    return status;
}

/* The script replaces this process: signals and exit status are its own. It calls this program for numbers. */
static enum ph_status become_script(const struct words *words, const char *name, struct ph_error *err)
{
    char path[PATH_MAX];
    const char *python = getenv("POLHODE_PYTHON"), *script = ph_cli_find_script("POLHODE_REPORT", "report", path);
    if (!python || !python[0])
        python = "/usr/bin/python3";
    if (!script)
        return ph_error_set(err, PH_ERR_IO, "The script that makes reports is not at '%s'. Set POLHODE_REPORT to it.",
                            path);
    char own[PATH_MAX];
    if (ph_own_program(own))
        setenv("POLHODE_PROGRAM", own, 1);
    char from[PATH_MAX], to[PATH_MAX]; /* names may begin with a dash */
    if (snprintf(from, sizeof from, "%s%s", words->file[0] == '-' ? "./" : "", words->file) >= PATH_MAX ||
        snprintf(to, sizeof to, "%s%s", name[0] == '-' ? "./" : "", name) >= PATH_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "The name '%.60s...' is too long.", words->file);
    const char *arguments[12] = {python, "-B", script, from, "-o", to};
    int n = 6;
    if (words->overwrite)
        arguments[n++] = "--overwrite";
    if (words->live)
        arguments[n++] = "--live";
    if (words->every) {
        arguments[n++] = "--every";
        arguments[n++] = words->every;
    }
    fflush(stdout);
    ph_cli_release_processors();
    execvp(python, (char *const *)arguments);
    return ph_error_set(err, PH_ERR_IO,
                        "%s could not be started: %s. Reports need Python 3 (Debian: python3), or set POLHODE_PYTHON.",
                        python, strerror(errno));
}

int ph_cmd_report(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "FILE.h5md|DIR",
        .doc = "Makes a page about a run, for any browser. It needs no other file and no network. It shows input, "
               "conservation of energy, temperatures, pressure, structure, dipoles, speed, and the last frames, which "
               "can be turned and played. For a folder of 'polhode sweep', the page has all its runs.\vNeeds Python 3 "
               "with numpy, h5py and plotly (Debian: python3-numpy, python3-h5py, python3-plotly). Environment: "
               "POLHODE_PYTHON is the interpreter (default: /usr/bin/python3), POLHODE_REPORT the path of another "
               "script. With --live, Ctrl-C ends the command, not the run.",
    };
    struct words words = {0};
    struct ph_error err = {0};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    char *usual = words.out ? NULL : default_name(words.file);
    const char *name = words.out ? words.out : usual;
    ph_cli_guard(argv[0], words.file);
    enum ph_status status = name ? check(&words, name, &err) : ph_no_memory(&err, "a name");
    if (status == PH_OK)
        status = become_script(&words, name, &err);
    free(usual);
    return ph_cli_fail(argv[0], &err);
}
