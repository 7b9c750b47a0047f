/* SPDX-License-Identifier: MIT */
/* polhode export: a trajectory for other programs. */
#include "cli/cli.h"
#include "cli/progress.h"

#include "base/names.h"
#include "output/take_name.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct words {
    const char *file, *format, *out, *frames, *scale;
    bool overwrite;
};

enum key { KEY_FORMAT = 256, KEY_FRAMES, KEY_SCALE, KEY_OVERWRITE };

static const struct argp_option options[] = {
    {"format", KEY_FORMAT, "FORMAT", 0, "extxyz, pdb or csv", 0},
    {"output", 'o', "FILE", 0, "Where to; '-' is stdout. Default: the name of the trajectory with another ending", 0},
    {"frames", KEY_FRAMES, "A:B:C", 0, "Frames A to B (not included) in steps of C, as in Python; or one", 1},
    {"scale", KEY_SCALE, "FACTOR", 0, "Factor of lengths in extxyz: 10 makes Angstrom of nm", 1},
    {"overwrite", KEY_OVERWRITE, NULL, 0, "Replace a file that is there", 2},
    {0},
};

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case KEY_FORMAT: words->format = arg; return 0;
    case 'o': words->out = arg; return 0;
    case KEY_FRAMES: words->frames = arg; return 0;
    case KEY_SCALE: words->scale = arg; return 0;
    case KEY_OVERWRITE: words->overwrite = true; return 0;
    case ARGP_KEY_ARG:
        if (words->file)
            argp_error(state, "one file at a time: '%s' or '%s'", words->file, arg);
        words->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!words->file)
            argp_error(state, "an H5MD file is needed");
        if (!words->format)
            argp_error(state, "--format is needed: extxyz, pdb or csv");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

enum format { EXTXYZ, PDB, CSV, N_FORMATS };
static const char *const format_names[N_FORMATS] = {"extxyz", "pdb", "csv"};
static const char *format_name(size_t i) { return format_names[i]; }

struct request {
    enum format format;
    struct ph_frame_range frames;
    double scale;
};

/* A name with the ending of another kind of file is a slip. */
static enum ph_status check_ending(const struct words *words, struct ph_error *err)
{
    bool other = words->out && ph_name_ends(words->out, "h5md|h5|hdf5|html|yaml|checkpoint");
    for (size_t k = 0; k < N_FORMATS && words->out; ++k)
        other = other || (strcmp(format_names[k], words->format) != 0 && ph_name_ends(words->out, format_names[k]));
    if (!other)
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT, "-o %s: --format %s makes another kind of file; the usual ending is .%s.",
                        words->out, words->format, words->format);
}

static enum ph_status understand(const struct words *words, struct request *request, struct ph_error *err)
{
    *request = (struct request){.scale = 1.0, .frames.stride = 1};
    size_t format = 0;
    while (format < N_FORMATS && strcmp(format_names[format], words->format) != 0)
        ++format;
    if (format == N_FORMATS)
        return ph_cli_unknown_name("format", words->format, N_FORMATS, format_name, err);
    request->format = (enum format)format;
    bool single = true;
    enum ph_status status = PH_OK;
    if (words->frames)
        status = ph_cli_parse_frames(words->frames, &request->frames, &single, err);
    else if (request->format == PDB)
        request->frames.first = -1;
    if (status == PH_OK && request->format == PDB && !single)
        return ph_error_set(err, PH_ERR_INPUT, "--frames %s: PDB holds one frame, as 7 or -1.", words->frames);
    if (status == PH_OK && words->scale)
        status = ph_cli_parse_numbers("--scale", words->scale, 1, &request->scale, err);
    if (status == PH_OK && !(request->scale > 0.0))
        return ph_error_set(err, PH_ERR_INPUT, "--scale %s: not accepted; give a number above 0.", words->scale);
    if (status == PH_OK && words->scale && request->format != EXTXYZ)
        return ph_error_set(err, PH_ERR_INPUT, "--scale is for extxyz: %s has lengths of its own.", words->format);
    if (status == PH_OK && words->frames && request->format == CSV)
        return ph_error_set(err, PH_ERR_INPUT, "--frames is not for csv, which has the time series.");
    return status == PH_OK ? check_ending(words, err) : status;
}

static enum ph_status convert_frames(const struct words *words, const struct request *request, FILE *out,
                                     size_t *written, struct ph_error *err)
{
    struct ph_cli_progress shown = ph_cli_progress_begin();
    const struct ph_export_progress progress = {ph_cli_progress_show, &shown};
    const enum ph_status status =
        ph_export_extxyz(words->file, &request->frames, request->scale,
                         isatty(STDERR_FILENO) && out != stdout ? &progress : NULL, out, written, err);
    ph_cli_progress_end(&shown);
    return status;
}

static enum ph_status convert(const struct words *words, const struct request *request, FILE *out, size_t *written,
                              struct ph_error *err)
{
    *written = 1;
    switch (request->format) {
    case EXTXYZ: return convert_frames(words, request, out, written, err);
    case PDB: return ph_export_pdb(words->file, request->frames.first, out, err);
    default: return ph_export_csv(words->file, out, written, err);
    }
}

/* run.h5md becomes run.csv */
static char *default_name(const char *file, const char *format)
{
    const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
    const size_t stem = dot && (!slash || dot > slash + 1) && dot > file ? (size_t)(dot - file) : strlen(file);
    char *name = malloc(stem + strlen(format) + 2);
    if (name)
        sprintf(name, "%.*s.%s", (int)stem, file, format);
    return name;
}

/* Writes everything and checks that it was written. */
static enum ph_status convert_into(const struct words *words, const struct request *request, const char *name,
                                   const char *into, size_t *written, struct ph_error *err)
{
    FILE *out = fopen(into, "w");
    if (!out)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be written: %s.", name, strerror(errno));
    const enum ph_status status = convert(words, request, out, written, err);
    errno = 0;
    const bool failed = fflush(out) != 0 || ferror(out) != 0;
    const int reason = errno;
    if ((fclose(out) != 0 || failed) && status == PH_OK)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be written: %s.", name,
                            reason ? strerror(reason) : "output error");
    return status;
}

/* The unfinished file, which is removed if the program is interrupted. */
static char *unfinished; /* for the handler */

static void remove_unfinished(int number)
{
    unlink(unfinished);
    signal(number, SIG_DFL);
    raise(number);
}

static void guard_unfinished(char *name)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    unfinished = name;
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k)
        signal(signals[k], name ? remove_unfinished : SIG_DFL);
}

/* A file gets its name once it is complete. Devices and pipes are written to directly. */
static enum ph_status export_to(const struct words *words, const struct request *request, const char *name,
                                size_t *written, struct ph_error *err)
{
    struct stat about;
    const bool there = stat(name, &about) == 0;
    if (there && !S_ISREG(about.st_mode))
        return convert_into(words, request, name, name, written, err);
    if (there && !words->overwrite)
        return ph_error_set(err, PH_ERR_IO,
                            "%s: is there already. Give another name (-o), or allow it to be replaced (--overwrite).",
                            name);
    char *temporary = malloc(strlen(name) + sizeof ".new");
    if (!temporary)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for a name.");
    sprintf(temporary, "%s.new", name);
    guard_unfinished(temporary);
    enum ph_status status = convert_into(words, request, name, temporary, written, err);
    const int failure = status == PH_OK ? ph_take_name(temporary, name, words->overwrite) : 0;
    if (failure)
        status = ph_error_set(err, PH_ERR_IO, "%s: cannot be written: %s.", name, strerror(failure));
    if (status != PH_OK)
        unlink(temporary);
    guard_unfinished(NULL);
    free(temporary);
    return status;
}

int ph_cmd_export(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "FILE.h5md",
        .doc = "A trajectory for other programs: extxyz for OVITO and ASE (and as a start file), pdb with one frame as "
               "topology for MDAnalysis and VMD, csv with the time series.\v"
               "Lengths of extxyz are those of the file (nm, or reduced), those of pdb in Angstrom if the file has "
               "units. Orientations in extxyz are in OVITO's order x y z w.",
    };
    struct words words = {0};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    struct ph_error err;
    struct request request;
    size_t written;
    enum ph_status status = understand(&words, &request, &err);
    if (status != PH_OK)
        return ph_cli_fail(argv[0], &err);
    ph_cli_guard(argv[0], words.file);
    if (words.out && strcmp(words.out, "-") == 0) {
        status = convert(&words, &request, stdout, &written, &err);
        return status == PH_OK ? PH_OK : ph_cli_fail(argv[0], &err);
    }
    char *name = words.out ? strdup(words.out) : default_name(words.file, format_names[request.format]);
    status = name ? export_to(&words, &request, name, &written, &err)
                  : ph_error_set(&err, PH_ERR_MEMORY, "No memory for a name.");
    if (status == PH_OK)
        printf("%s: %zu %s%s\n", name, written, request.format == CSV ? "row" : "frame", written == 1 ? "" : "s");
    free(name);
    return status == PH_OK ? PH_OK : ph_cli_fail(argv[0], &err);
}
