/* SPDX-License-Identifier: MIT */
/* polhode analyze: numbers and curves with errors from trajectories. */
#include "cli/commands/analysis_print.h"
#include "cli/terminal/progress.h"

#include "base/names.h"
#include "lab/analyses.h"
#include "run/version.h"

#include <argp.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 64, OUTPUTS_MAX = 8, SETS_MAX = 64 };

struct words {
    const char *kind;
    size_t n_files, n_outputs, n_sets;
    const char *files[FILES_MAX], *outputs[OUTPUTS_MAX], *sets[SETS_MAX];
    const char *threads;
    bool json, list, overwrite, quiet;
    const char *value[64]; /* of the options of analyses, by key */
};

/* Of the options of analyses; each analysis says which it takes */
enum key {
    KEY_STAGE = 256,
    KEY_FRAMES,
    KEY_OF,
    KEY_CUTOFF,
    KEY_ANGLE,
    KEY_SPACING,
    KEY_LAG,
    KEY_FIT,
    KEY_TEMPERATURE,
    KEY_VISCOSITY,
    KEY_PERMITTIVITY,
    KEY_K_MAX,
    KEY_SAMPLES,
    KEY_ORIENTATIONS,
    KEY_SEED,
    KEY_INPUT,
    KEY_KEY,
    KEY_SET,
    KEY_LAST,
};

static const struct argp_option options[] = {
    {"list", KEEP_FLAG(list), NULL, 0, "What kinds of analysis there are", 0},
    {"output", 'o', "FILE", 0, "Write all results to FILE.h5, or tables to FILE.csv; may be repeated", 1},
    {"overwrite", KEEP_FLAG(overwrite), NULL, 0, "Replace files that are there", 1},
    {"json", KEEP_FLAG(json), NULL, 0, "Print one JSON document", 1},
    {"stage", KEY_STAGE, "STAGE", 0,
     "production (default), equilibration, all, or a stage of the run, as 'polhode info' shows them", 2},
    {"frames", KEY_FRAMES, "A:B:C", 0, "Frames (rows) A to B of the stage in steps of C, as in Python", 2},
    {"of", KEY_OF, "WHAT", 0, "Which particles or quantity; see --list", 3},
    {"cutoff", KEY_CUTOFF, "R", 0, "Largest distance", 3},
    {"angle", KEY_ANGLE, "DEGREES", 0, "Largest angle of a hydrogen bond", 3},
    {"spacing", KEY_SPACING, "DR", 0, "Width of bins", 3},
    {"lag", KEY_LAG, "T", 0, "Longest time between two moments", 3},
    {"fit", KEY_FIT, "A,B", 0, "Times between which a line is fitted", 3},
    {"temperature", KEY_TEMPERATURE, "T", 0, "Instead of that of the file", 3},
    {"viscosity", KEY_VISCOSITY, "ETA", 0, "For the finite-size correction of diffusion", 3},
    {"permittivity", KEY_PERMITTIVITY, "EPS", 0, "Of the surrounding continuum, instead of what the file says", 3},
    {"k-max", KEY_K_MAX, "K", 0, "Largest wave number", 3},
    {"samples", KEY_SAMPLES, "N", 0, "Of orientations, or of places in each frame", 3},
    {"orientations", KEY_ORIENTATIONS, "N", 0, "At each place", 3},
    {"seed", KEY_SEED, "N", 0, "Of random numbers", 3},
    {"input", KEY_INPUT, "INPUT.yaml", 0, "Instead of the input that the file holds", 3},
    {"key", KEY_KEY, "KEY", 0, "Of the inputs: in which the runs differ", 3},
    {"set", KEY_SET, "KEY=VALUE", 0, "Another value of a key of the input", 3},
    {"threads", KEEP_WORD(threads), "N", 0, "Number of threads (default: OMP_NUM_THREADS, or all cores)", 4},
    {"quiet", 'q', NULL, 0, "No progress line", 4},
    {0},
};

static const char *option_name(int key)
{
    for (const struct argp_option *option = options; option->name; ++option)
        if (option->key == key)
            return option->name;
    return "";
}

static error_t take_argument(char *arg, struct argp_state *state, struct words *words)
{
    if (!words->kind)
        words->kind = arg;
    else if (words->n_files == FILES_MAX)
        argp_error(state, "at most %d files are accepted", FILES_MAX);
    else
        words->files[words->n_files++] = arg;
    return 0;
}

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case 'o':
        if (words->n_outputs == OUTPUTS_MAX)
            argp_error(state, "-o is accepted %d times", OUTPUTS_MAX);
        else
            words->outputs[words->n_outputs++] = arg;
        return 0;
    case 'q': words->quiet = true; return 0;
    case KEY_SET:
        if (words->n_sets == SETS_MAX)
            argp_error(state, "--set is accepted %d times", SETS_MAX);
        else
            words->sets[words->n_sets++] = arg;
        words->value[key - KEY_STAGE] = arg;
        return 0;
    case ARGP_KEY_ARG: return take_argument(arg, state, words);
    case ARGP_KEY_END:
        if (!words->kind && !words->list)
            argp_error(state, "a kind of analysis is needed; 'polhode analyze --list' shows all");
        else if (words->n_files == 0 && !words->list)
            argp_error(state, "a file is needed after '%s'", words->kind);
        return 0;
    default:
        if (key < KEY_STAGE || key >= KEY_LAST)
            return ARGP_ERR_UNKNOWN;
        words->value[key - KEY_STAGE] = arg;
        return 0;
    }
}

/* ---- Understanding ---- */

static enum ph_status understand_numbers(const struct words *words, struct ph_analysis_request *request,
                                         struct ph_error *err)
{
    const struct {
        enum key key;
        size_t n;
        double *to;
        bool zero; /* accepted */
    } numbers[] = {
        {KEY_CUTOFF, 1, &request->cutoff, false},
        {KEY_ANGLE, 1, &request->angle, false},
        {KEY_SPACING, 1, &request->spacing, false},
        {KEY_LAG, 1, &request->lag, false},
        {KEY_FIT, 2, request->fit, true},
        {KEY_TEMPERATURE, 1, &request->temperature, false},
        {KEY_VISCOSITY, 1, &request->viscosity, false},
        {KEY_K_MAX, 1, &request->k_max, false},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
        const char *text = words->value[numbers[k].key - KEY_STAGE];
        char option[32];
        snprintf(option, sizeof option, "--%s", option_name((int)numbers[k].key));
        if (!text)
            continue;
        const enum ph_status status = ph_cli_parse_numbers(option, text, numbers[k].n, numbers[k].to, err);
        if (status != PH_OK)
            return status;
        if (!numbers[k].zero && !(*numbers[k].to > 0.0))
            return ph_error_set(err, PH_ERR_INPUT, "%s %s: not accepted; give a number above 0.", option, text);
    }
    const char *permittivity = words->value[KEY_PERMITTIVITY - KEY_STAGE];
    if (permittivity && (strcmp(permittivity, "inf") == 0 || strcmp(permittivity, ".inf") == 0))
        request->permittivity = INFINITY;
    else if (permittivity)
        return ph_cli_parse_numbers("--permittivity", permittivity, 1, &request->permittivity, err);
    return PH_OK;
}

static enum ph_status understand(const struct words *words, const struct ph_analysis *analysis,
                                 struct ph_analysis_request *request, struct ph_error *err)
{
    *request = (struct ph_analysis_request){
        .help = &ph_analysis_help,
        .n_files = words->n_files,
        .files = words->files,
        .stage = words->value[KEY_STAGE - KEY_STAGE],
        .frames.stride = 1,
        .of = words->value[KEY_OF - KEY_STAGE],
        .input = words->value[KEY_INPUT - KEY_STAGE],
        .key = words->value[KEY_KEY - KEY_STAGE],
        .cutoff = NAN,
        .angle = NAN,
        .spacing = NAN,
        .lag = NAN,
        .fit = {NAN, NAN},
        .temperature = NAN,
        .viscosity = NAN,
        .permittivity = NAN,
        .k_max = NAN,
        .n_sets = words->n_sets,
        .sets = words->sets,
    };
    for (int key = KEY_STAGE; key < KEY_LAST; ++key)
        if (words->value[key - KEY_STAGE] && !ph_analysis_takes(analysis, option_name(key)))
            return ph_error_set(err, PH_ERR_INPUT, "--%s is not for %s, which takes: %s.", option_name(key),
                                analysis->name, analysis->options);
    if (words->n_files > 1 && !analysis->several)
        return ph_error_set(err, PH_ERR_INPUT, "%s looks at one file at a time: '%s' is the second.", analysis->name,
                            words->files[1]);
    enum ph_status status = understand_numbers(words, request, err);
    bool single;
    long number;
    if (status == PH_OK && words->value[KEY_FRAMES - KEY_STAGE])
        status = ph_cli_parse_frames(words->value[KEY_FRAMES - KEY_STAGE], &request->frames, &single, err);
    if (status == PH_OK && words->value[KEY_SAMPLES - KEY_STAGE]) {
        status = ph_cli_parse_integer("--samples", words->value[KEY_SAMPLES - KEY_STAGE], 1, &number, err);
        request->samples = status == PH_OK ? number : 0;
    }
    if (status == PH_OK && words->value[KEY_ORIENTATIONS - KEY_STAGE]) {
        status = ph_cli_parse_integer("--orientations", words->value[KEY_ORIENTATIONS - KEY_STAGE], 1, &number, err);
        request->orientations = status == PH_OK ? number : 0;
    }
    if (status == PH_OK && words->value[KEY_SEED - KEY_STAGE]) {
        status = ph_cli_parse_integer("--seed", words->value[KEY_SEED - KEY_STAGE], 0, &number, err);
        request->seed = status == PH_OK ? number : 0;
    }
    if (status == PH_OK && words->threads) {
        status = ph_cli_parse_integer("--threads", words->threads, 1, &number, err);
        if (status == PH_OK)
            omp_set_num_threads(number < 4096 ? (int)number : 4096);
    }
    return status;
}

/* ---- All of it ---- */

static char *join(int argc, char **argv)
{
    size_t length = 1;
    for (int k = 0; k < argc; ++k)
        length += strlen(argv[k]) + 1;
    char *text = calloc(length, 1);
    for (int k = 0; k < argc && text; ++k)
        strcat(strcat(text, k > 0 ? " " : ""), argv[k]);
    return text;
}

static void note_written(const char *name, void *data)
{
    if (!*(const bool *)data)
        printf("%s written\n", name);
}

static void warn(const char *text) { ph_cli_warn("polhode analyze", "%s", text); }

static const char *analysis_name(size_t i) { return ph_analysis_at(i)->name; }

static int analyze(const char *command, struct words *words, const char *line)
{
    struct ph_error err;
    struct ph_analysis_request request;
    struct ph_result result = {0};
    struct ph_cli_progress progress = ph_cli_progress_begin();
    const struct ph_analysis *analysis = ph_analysis_find(words->kind);
    if (!analysis) {
        ph_cli_unknown_name("analysis", words->kind, ph_analysis_count(), analysis_name, &err);
        return ph_cli_fail(command, &err);
    }
    enum ph_status status = understand(words, analysis, &request, &err);
    for (size_t k = 0; k < words->n_outputs && status == PH_OK; ++k)
        if (!ph_name_ends(words->outputs[k], "csv|h5|hdf5"))
            status = ph_error_set(&err, PH_ERR_INPUT, "-o %s: results are written to names that end in .h5, or .csv.",
                                  words->outputs[k]);
    if (status != PH_OK)
        return ph_cli_fail(command, &err);
    request.warn = warn;
    if (!words->quiet && isatty(STDERR_FILENO)) {
        request.progress = ph_cli_progress_show;
        request.progress_data = &progress;
    }
    if (!analysis->input)
        ph_cli_guard(command, words->files[0]);
    status = ph_analysis_run(analysis, &request, &result, &err);
    ph_cli_progress_end(&progress);
    const struct ph_provenance provenance = {.kind = analysis->name,
                                             .program = ph_version(),
                                             .build = ph_build_description(),
                                             .command = line,
                                             .n_files = words->n_files,
                                             .files = words->files};
    struct ph_json json = {.out = stdout, .text = !words->json};
    if (status == PH_OK)
        ph_cli_say_result(&json, &provenance, &result);
    for (size_t k = 0; k < words->n_outputs && status == PH_OK; ++k)
        status = ph_result_write(&result, &provenance, words->outputs[k], words->overwrite, note_written, &words->json,
                                 &err);
    ph_result_free(&result);
    return status == PH_OK ? PH_OK : ph_cli_fail(command, &err);
}

int ph_cmd_analyze(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "KIND FILE.h5md [FILE.h5md...]",
        .doc = "Computes numbers and curves from trajectories. Errors are one standard deviation, from blocks longer "
               "than the correlation time.\v'polhode analyze --list' shows all kinds, the data they need and their "
               "options. Results do not depend on the number of threads.",
    };
    struct words words = {0};
    char *line = join(argc, argv); /* before argp sorts the words */
    if (!line) {
        struct ph_error err;
        ph_no_memory(&err, "the command line");
        return ph_cli_fail(argv[0], &err);
    }
    if (ph_cli_parse(&argp, argc, argv, &words)) {
        free(line);
        return PH_ERR_INPUT;
    }
    int status = PH_OK;
    if (words.list) {
        struct ph_json json = {.out = stdout, .text = !words.json};
        ph_json_begin_object(&json, NULL);
        ph_cli_say_analyses(&json);
        ph_json_end(&json);
    } else {
        status = analyze(argv[0], &words, line);
    }
    free(line);
    return status;
}
