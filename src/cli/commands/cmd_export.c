/* SPDX-License-Identifier: MIT */
/* polhode export: a trajectory for other programs. */
#include "cli/cli.h"
#include "cli/terminal/progress.h"

#include "base/names.h"
#include "output/hdf5/take_name.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct words {
    const char *file, *format, *out, *frames, *scale, *decimals;
    bool unwrapped, overwrite;
};

static const struct argp_option options[] = {
    {"format", KEEP_WORD(format), "FORMAT", 0, "One of those below", 0},
    {"output", 'o', "FILE", 0, "Where to; '-' is stdout. Default: the name of the trajectory with another ending", 0},
    {"frames", KEEP_WORD(frames), "A:B:C", 0, "Frames A to B (not included) in steps of C, as in Python; or one", 1},
    {"scale", KEEP_WORD(scale), "FACTOR", 0, "Factor of lengths in extxyz: 1 keeps nm (default: Angstrom and eV)", 1},
    {"decimals", KEEP_WORD(decimals), "N", 0, "Decimals of lengths in xtc and gro, 1 to 6 (default 3: 0.001 nm)", 1},
    {"unwrapped", KEEP_FLAG(unwrapped), NULL, 0, "Molecules where they went, not in the box", 1},
    {"overwrite", KEEP_FLAG(overwrite), NULL, 0, "Replace a file that is there", 2},
    {0},
};

static const char *format_name(size_t i) { return ph_export_formats[i].name; }

static const char *format_names(void)
{
    static char names[128];
    size_t used = 0;
    for (size_t i = 0; i < ph_export_format_count; ++i)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", format_name(i));
    return names;
}

/* What follows the options in --help: the formats */
static char *add_formats(int key, const char *text, void *data)
{
    (void)data;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)(uintptr_t)text;
    char *help = NULL;
    size_t length;
    FILE *out = open_memstream(&help, &length);
    if (!out)
        return (char *)(uintptr_t)text;
    for (size_t i = 0; i < ph_export_format_count; ++i)
        fprintf(out, "%-8s%s\n", ph_export_formats[i].name, ph_export_formats[i].about);
    fprintf(out, "\n%s", text);
    fclose(out);
    return help;
}

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case 'o': words->out = arg; return 0;
    case ARGP_KEY_END:
        if (words->file && !words->format)
            argp_error(state, "--format is needed: %s", format_names());
        return ph_cli_take_file(key, arg, state, &words->file);
    default: return ph_cli_take_file(key, arg, state, &words->file);
    }
}

struct request {
    const struct ph_export_format *format;
    struct ph_export_request export;
};

/* A name with the ending of another kind of file is a slip. */
static enum ph_status check_ending(const struct words *words, struct ph_error *err)
{
    bool other = words->out && ph_name_ends(words->out, "h5md|h5|hdf5|html|yaml|checkpoint");
    for (size_t k = 0; k < ph_export_format_count && words->out; ++k)
        other = other || (strcmp(format_name(k), words->format) != 0 && ph_name_ends(words->out, format_name(k)));
    if (!other)
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT, "-o %s: --format %s makes another kind of file; the usual ending is .%s.",
                        words->out, words->format, words->format);
}

static enum ph_status not_for(const char *option, const char *format, const char *why, struct ph_error *err)
{
    return ph_error_set(err, PH_ERR_INPUT, "%s is not for %s, which has %s.", option, format, why);
}

static enum ph_status understand(const struct words *words, struct request *request, struct ph_error *err)
{
    struct ph_export_request *export = &request->export;
    size_t format = 0;
    while (format < ph_export_format_count && strcmp(format_name(format), words->format) != 0)
        ++format;
    if (format == ph_export_format_count)
        return ph_cli_unknown_name("format", words->format, ph_export_format_count, format_name, err);
    const struct ph_export_format *chosen = request->format = &ph_export_formats[format];
    *export = (struct ph_export_request){.file = words->file,
                                         .scale = 0.0,
                                         .decimals = PH_EXPORT_DECIMALS,
                                         .unwrapped = words->unwrapped,
                                         .frames.stride = 1};
    long decimals = export->decimals;
    enum ph_status status = PH_OK;
    if (words->frames)
        status = ph_cli_parse_frames(words->frames, &export->frames, &export->one, err);
    else if ((export->one = chosen->last))
        export->frames.first = -1;
    if (status == PH_OK && words->scale)
        status = ph_cli_parse_numbers("--scale", words->scale, 1, &export->scale, err);
    if (status == PH_OK && words->decimals)
        status = ph_cli_parse_integer("--decimals", words->decimals, 1, &decimals, err);
    if (status != PH_OK)
        return status;
    if (words->scale && !(export->scale > 0.0))
        return ph_error_set(err, PH_ERR_INPUT, "--scale %s: not accepted; give a number above 0.", words->scale);
    if (decimals > PH_EXPORT_DECIMALS_MOST)
        return ph_error_set(err, PH_ERR_INPUT, "--decimals %s: not accepted; give a number from 1 to %d.",
                            words->decimals, PH_EXPORT_DECIMALS_MOST);
    export->decimals = (int)decimals;
    if ((words->frames || words->unwrapped) && !chosen->frames)
        return not_for(words->frames ? "--frames" : "--unwrapped", chosen->name, "the time series", err);
    if (words->scale && !chosen->scaled)
        return not_for("--scale", chosen->name, "lengths of its own (extxyz takes it)", err);
    if (words->decimals && !chosen->has_decimals)
        return not_for("--decimals", chosen->name, "as many as it has (xtc and gro take it)", err);
    return check_ending(words, err);
}

static enum ph_status convert(const struct request *request, FILE *out, size_t *written, struct ph_error *err)
{
    struct ph_cli_progress shown = ph_cli_progress_begin();
    const struct ph_export_progress progress = {ph_cli_progress_show, &shown};
    struct ph_export_request export = request->export;
    export.progress = isatty(STDERR_FILENO) && out != stdout ? &progress : NULL;
    const enum ph_status status = ph_export(request->format, &export, out, written, err);
    ph_cli_progress_end(&shown);
    return status;
}

/* Writes everything and checks that it was written. */
static enum ph_status convert_into(const struct request *request, const char *name, const char *into, size_t *written,
                                   struct ph_error *err)
{
    FILE *out = fopen(into, "w");
    if (!out)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be written: %s.", name, strerror(errno));
    const enum ph_status status = convert(request, out, written, err);
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
        return convert_into(request, name, name, written, err);
    if (there && !words->overwrite)
        return ph_error_set(err, PH_ERR_IO,
                            "%s: is there already. Give another name (-o), or allow it to be replaced (--overwrite).",
                            name);
    char *temporary = malloc(strlen(name) + sizeof ".new");
    if (!temporary)
        return ph_no_memory(err, "a name");
    sprintf(temporary, "%s.new", name);
    guard_unfinished(temporary);
    enum ph_status status = convert_into(request, name, temporary, written, err);
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
        .help_filter = add_formats,
        .doc = "Writes a trajectory for other programs. Molecules are whole, in the box unless --unwrapped.\vIf the "
               "file has units, extxyz, pdb, dcd, data and dump have lengths in Angstrom, gro, xtc and trr in nm, "
               "and gsd those of the file. Extxyz has forces in eV/Angstrom and velocities in Angstrom/ps. With "
               "--scale it has the units of the file, and lengths are "
               "multiplied by the factor. Its orientations are in OVITO's order x y z w.",
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
    ph_cli_note_seal(argv[0], words.file);
    if (words.out && strcmp(words.out, "-") == 0) {
        status = convert(&request, stdout, &written, &err);
        return status == PH_OK ? PH_OK : ph_cli_fail(argv[0], &err);
    }
    char *name = words.out ? strdup(words.out) : ph_cli_other_name(words.file, request.format->name);
    status = name ? export_to(&words, &request, name, &written, &err) : ph_no_memory(&err, "a name");
    if (status == PH_OK)
        printf("%s: %zu %s%s\n", name, written, request.format->frames ? "frame" : "row", written == 1 ? "" : "s");
    free(name);
    return status == PH_OK ? PH_OK : ph_cli_fail(argv[0], &err);
}
