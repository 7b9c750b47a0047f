/* SPDX-License-Identifier: MIT */
/* polhode tune: the cheapest scheme and step for the user's own system. */
#include "cli/commands/list/method_lists.h"
#include "cli/commands/load.h"
#include "cli/commands/tune_averages.h"
#include "run/tune/tune.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char command[] = "polhode tune";

struct words {
    struct ph_cli_words input;
    const char *tolerance, *time, *threads, *schemes, *flows, *goal; /* as typed */
    bool all, json, quiet;
};

static const struct argp_option options[] = {
    {"tolerance", 't', "X", 0,
     "Error of the energy per molecule that is allowed, in the input's units; with --for averages the bias of the mean "
     "potential energy per molecule",
     1},
    {"for", KEEP_WORD(goal), "WHAT", 0,
     "energy: that the energy is conserved; averages: that means at constant temperature have no larger bias. Default: "
     "averages if the production has a thermostat, and no option is given that averages do not take; else energy",
     1},
    PH_CLI_OPTION_SET,
    {"schemes", KEEP_WORD(schemes), "A,B,...", 0, "Schemes to try instead of a dozen that have proved good", 2},
    {"all", KEEP_FLAG(all), NULL, 0, "Try every scheme there is", 2},
    {"flows", KEEP_WORD(flows), "A,B,...", 0, "Flows to try with each (default: exact, and that of the input)", 2},
    {"time", KEEP_WORD(time), "T", 0,
     "Time over which the tolerance is to be held (default: 240 time scales of the forces)", 2},
    {"threads", KEEP_WORD(threads), "N", 0, "Number of threads (default: OMP_NUM_THREADS, or all cores)", 3},
    {"quiet", 'q', NULL, 0, "No progress on stderr", 3},
    {"json", KEEP_FLAG(json), NULL, 0, "Print one JSON document", 3},
    {0},
};

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case 't': words->tolerance = arg; return 0;
    case 'q': words->quiet = true; return 0;
    case ARGP_KEY_END:
        if (!words->tolerance && words->input.file)
            argp_error(state, "--tolerance is missing, for example --tolerance 1e-6");
        return 0;
    default: return ph_cli_take_input(key, arg, state, &words->input);
    }
}

/* ---- From words to options ---- */

struct lists {
    const struct ph_scheme *schemes[PH_CLI_METHODS_MAX];
    const struct ph_flow *flows[PH_CLI_METHODS_MAX];
};

static enum ph_status take_positive(const char *option, const char *text, double *number, struct ph_error *err)
{
    const enum ph_status status = ph_cli_parse_numbers(option, text, 1, number, err);
    if (status != PH_OK || *number > 0.0)
        return status;
    return ph_error_set(err, PH_ERR_INPUT, "%s: a positive number is needed, not %s.", option, text);
}

static enum ph_status take_options(const struct words *words, struct lists *lists, struct ph_tune_options *tune,
                                   struct ph_error *err)
{
    long threads = 0;
    tune->all = words->all;
    enum ph_status status = take_positive("--tolerance", words->tolerance, &tune->tolerance, err);
    if (status == PH_OK && words->time)
        status = take_positive("--time", words->time, &tune->time, err);
    if (status == PH_OK && words->threads)
        status = ph_cli_parse_integer("--threads", words->threads, 1, &threads, err);
    if (status == PH_OK && words->all && words->schemes)
        status = ph_error_set(err, PH_ERR_INPUT, "--all and --schemes exclude each other.");
    if (status == PH_OK)
        status = ph_cli_parse_schemes("--schemes", words->schemes, lists->schemes, &tune->n_schemes, err);
    if (status == PH_OK)
        status = ph_cli_parse_flows("--flows", words->flows, lists->flows, &tune->n_flows, err);
    tune->schemes = lists->schemes;
    tune->flows = lists->flows;
    if (status == PH_OK && threads > 0)
        omp_set_num_threads((int)threads);
    return status;
}

/* Prints every trial on one changing line of a terminal; in a log, only the result for each scheme */
static void show_progress(const char *text, bool lasting, void *data)
{
    const bool terminal = *(const bool *)data;
    if (terminal)
        fprintf(stderr, "\r\033[K%s%s", text, lasting ? "\n" : "");
    else if (lasting)
        fprintf(stderr, "%s\n", text);
    fflush(stderr);
}

/* ---- Results ---- */

static void say_head(struct ph_json *json, const struct ph_input *input, const struct ph_tune_report *report)
{
    const double translation = report->temperature_translation, rotation = report->temperature_rotation;
    ph_json_string(json, "input", input->file);
    ph_json_integer(json, "molecules", (long)report->molecules);
    ph_json_number(json, "tolerance", report->tolerance);
    ph_json_string(json, "preparation", report->preparation);
    ph_json_integer(json, "states", (long)report->states);
    ph_json_number(json, "time", report->time);
    ph_json_number(json, "time_scale", report->scale);
    ph_json_number(json, "temperature_translation", translation);
    ph_json_number(json, "temperature_rotation", rotation);
    ph_json_say(json, "%s%s%s: %zu molecules\n%s\nTemperature:", input->file, input->title[0] ? ": " : "", input->title,
                report->molecules, report->preparation);
    if (isfinite(translation))
        ph_json_say(json, " %.4g of translation", translation);
    if (isfinite(rotation))
        ph_json_say(json, "%s %.4g of rotation", isfinite(translation) ? "," : "", rotation);
    ph_json_say(json,
                ".\nError: standard deviation of the total energy over a time of %.4g, per molecule. Wanted: %g.\n\n",
                report->time, report->tolerance);
}

static const char *note_of(const struct ph_tune_row *row, bool best)
{
    if (best)
        return "best";
    return row->outcome == PH_TUNE_SCREENED       ? "short runs only"
           : row->outcome == PH_TUNE_EXTRAPOLATED ? "extrapolated"
                                                  : "";
}

static void say_row(struct ph_json *json, const struct ph_tune_row *row, bool best)
{
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "scheme", row->scheme->name);
    if (row->inner)
        ph_json_string(json, "inner_scheme", row->inner->name);
    ph_json_strings(json, "flow", row->flow->name, "outcome", ph_tune_outcome_name(row->outcome));
    ph_json_number(json, "step", row->step);
    ph_json_number(json, "error", row->error);
    ph_json_number(json, "evaluations_per_time", row->evaluations);
    ph_json_number(json, "gradients_per_time", row->gradients);
    if (row->inner)
        ph_json_number(json, "fast_evaluations_per_time", row->fast);
    ph_json_number(json, "seconds_per_time", row->seconds);
    ph_json_number(json, "gain", row->gain);
    ph_json_number(json, "wander", row->wander);
    if (row->why[0])
        ph_json_string(json, "why", row->why);
    ph_json_begin_array(json, "trials");
    for (size_t k = 0; k < row->n_trials; ++k)
        ph_json_numbers(json, NULL, 3, (const double[]){row->trial[k].step, row->trial[k].error, row->trial[k].time});
    ph_json_end(json);
    ph_json_end(json);
    if (row->outcome != PH_TUNE_MET && row->outcome != PH_TUNE_SCREENED && row->outcome != PH_TUNE_EXTRAPOLATED)
        return;
    char passes[48], name[PH_TUNE_NAME];
    const double more = row->inner ? row->fast : row->gradients;
    snprintf(passes, sizeof passes,
             row->inner   ? "%.1f, %.1f fast"
             : more > 0.0 ? "%.1f + %.1f"
                          : "%.1f",
             row->evaluations, more);
    ph_json_say(json, "%-26s %-8s %9.3g %9.2e %17s %10.4g %8.3g  %s\n", ph_tune_row_name(row, name), row->flow->name,
                row->step, row->error, passes, row->seconds, row->gain, note_of(row, best));
}

static void say_others(struct ph_json *json, const struct ph_tune_report *report, enum ph_tune_outcome outcome,
                       const char *title)
{
    size_t n = 0;
    for (size_t k = 0; k < report->n_rows; ++k) {
        const struct ph_tune_row *row = &report->rows[k];
        if (row->outcome != outcome)
            continue;
        const bool exact = strcmp(row->flow->name, "exact") == 0;
        char name[PH_TUNE_NAME];
        ph_json_say(json, "%s%s%s%s", n++ == 0 ? title : ", ", ph_tune_row_name(row, name), exact ? "" : " with ",
                    exact ? "" : row->flow->name);
        if (row->why[0])
            ph_json_say(json, " (%s)", row->why);
    }
    if (n > 0)
        ph_json_say(json, "\n");
}

/* The error that the random walk of the energy makes in a run as long as the input asks for */
static void say_outlook(struct ph_json *json, const struct ph_tune_report *report)
{
    const double more = report->production - report->time, wander = report->best->wander;
    if (!(more > 0.0) || !(wander > 0.0))
        return;
    const double error = sqrt(report->best->error * report->best->error + wander * wander * more / 6.0);
    if (error > report->tolerance)
        ph_json_say(json,
                    "\nOver the time of %g that the input asks for, the error may grow to about %.0e: --time holds it "
                    "for longer.\n",
                    report->production, error);
}

/* Keys of the input that would make another method of the best */
static size_t list_removed(const struct ph_input *input, const struct ph_tune_row *best, const char *keys[2])
{
    size_t n = 0;
    if (input->dynamics.integrator[0])
        keys[n++] = "dynamics.integrator";
    if (input->dynamics.nested.line != 0 && !best->inner)
        keys[n++] = "dynamics.nested";
    return n;
}

/* Prints the recommended changes of the input */
static void say_recommended(struct ph_json *json, const struct ph_input *input, const struct ph_tune_report *report)
{
    const struct ph_tune_row *best = report->best;
    ph_json_begin_object(json, "recommended");
    ph_json_strings(json, "scheme", best ? best->scheme->name : NULL, "flow", best ? best->flow->name : NULL);
    ph_json_number(json, "step", best ? best->step : NAN);
    if (best && best->inner) {
        ph_json_begin_object(json, "nested");
        ph_json_strings(json, "scheme", best->inner->name, "part",
                        report->fast.kind == PH_FAST_NEAR ? "near" : "reciprocal");
        if (report->fast.kind == PH_FAST_NEAR) {
            ph_json_number(json, "radius", report->fast.radius);
            ph_json_number(json, "width", report->fast.width);
        }
        ph_json_end(json);
    }
    const char *removed[2];
    ph_json_begin_array(json, "remove");
    for (size_t k = 0, n = best ? list_removed(input, best, removed) : 0; k < n; ++k)
        ph_json_string(json, NULL, removed[k]);
    ph_json_end(json);
    ph_json_end(json);
}

static void say_lines(struct ph_json *json, const struct ph_input *input, const struct ph_tune_report *report)
{
    const struct ph_tune_row *best = report->best;
    ph_json_say(json, "\ndynamics:\n  scheme: %s\n  flow: %s\n  step: %g\n", best->scheme->name, best->flow->name,
                best->step);
    if (best->inner && report->fast.kind == PH_FAST_NEAR)
        ph_json_say(json, "  nested: {scheme: %s, radius: %g, width: %g}\n", best->inner->name, report->fast.radius,
                    report->fast.width);
    else if (best->inner)
        ph_json_say(json, "  nested: {scheme: %s, part: reciprocal}\n", best->inner->name);
    const char *removed[2];
    for (size_t k = 0, n = list_removed(input, best, removed); k < n; ++k) {
        char place[PH_PLACE];
        ph_input_place(input, removed[k], place);
        ph_json_say(json, "\n%s: remove %s, which does not go with these lines.\n", place, removed[k]);
    }
}

static void say(struct ph_json *json, const struct ph_input *input, const struct ph_tune_report *report)
{
    const struct ph_tune_row *best = report->best;
    ph_json_begin_object(json, NULL);
    say_head(json, input, report);
    say_recommended(json, input, report);
    ph_json_say(json, "%-26s %-8s %9s %9s %17s %10s %8s\n", "", "", "", "", "evaluations", "seconds", "gain on");
    ph_json_say(json, "%-26s %-8s %9s %9s %17s %10s %8s\n", "scheme", "flow", "step", "error", "(+ gradients)",
                "per time", "verlet");
    ph_json_begin_array(json, "rows");
    for (size_t k = 0; k < report->n_rows; ++k)
        say_row(json, &report->rows[k], &report->rows[k] == best);
    ph_json_end(json);
    ph_json_say(json, "\nEvaluations are per unit of time. Gain: what verlet with exact rotation costs for the same "
                      "error. Errors of short runs, an\neighth as long, are too small; schemes that could not become "
                      "the best were tried no further.\n");
    say_others(json, report, PH_TUNE_DEARER, "Tried no further, clearly more expensive: ");
    say_others(json, report, PH_TUNE_MISSED, "Not within the tolerance: ");
    say_others(json, report, PH_TUNE_IMPOSSIBLE, "Not possible here: ");
    if (best) {
        say_outlook(json, report);
        say_lines(json, input, report);
    }
    ph_json_end(json);
}

/* The least error found, to show how far the tolerance is */
static enum ph_status none_found(const struct ph_tune_report *report, struct ph_error *err)
{
    const struct ph_tune_row *row = NULL;
    double step = NAN, least = INFINITY;
    for (size_t k = 0; k < report->n_rows; ++k)
        for (size_t i = 0; i < report->rows[k].n_trials; ++i)
            if (report->rows[k].trial[i].error < least) {
                row = &report->rows[k];
                least = row->trial[i].error;
                step = row->trial[i].step;
            }
    if (!row)
        return ph_error_set(err, PH_ERR_CHECK, "No scheme could follow the system with any step that was tried.");
    char name[PH_TUNE_NAME];
    return ph_error_set(
        err, PH_ERR_CHECK, "No scheme was within %g. The least error was %.2e: %s with %s, step %g.%s%s",
        report->tolerance, least, ph_tune_row_name(row, name), row->flow->name, step, row->why[0] ? " " : "", row->why);
}

/* --for averages: the words that it takes, and a refusal of the others */
static enum ph_status tune_averages(const struct words *words, struct ph_error *err)
{
    const char *other = words->all ? "--all" : words->flows ? "--flows" : words->input.n_sets > 0 ? "--set" : NULL;
    if (ph_cli_is_stdin(&words->input))
        return ph_error_set(err, PH_ERR_INPUT, "--for averages needs the name of an input file, not -.");
    if (other)
        return ph_error_set(err, PH_ERR_INPUT, "%s does not go with --for averages.", other);
    long threads = 0;
    if (words->threads) {
        const enum ph_status status = ph_cli_parse_integer("--threads", words->threads, 1, &threads, err);
        if (status != PH_OK)
            return status;
        omp_set_num_threads((int)threads);
    }
    return ph_cli_tune_averages(&(struct ph_tune_averages_words){words->input.file, words->tolerance, words->time,
                                                                 words->schemes, words->json, words->quiet},
                                err);
}

/* Does the production of the input have a thermostat and a splitting scheme? Errors are left to those who read it
 * again. */
static bool suits_averages(const struct words *words)
{
    struct ph_input *input = calloc(1, sizeof *input);
    struct ph_error inner;
    bool suits = input && ph_input_read(words->input.file, 0, NULL, input, &inner) == PH_OK && input->dynamics.line;
    if (suits) {
        const struct ph_input_stage *production = &input->stages[input->n_stages - 1];
        suits = production->thermostat.kind[0] && !production->integrator[0];
    }
    free(input);
    return suits;
}

/* What is searched for: as typed, or as the input asks and the other words allow */
static bool wants_averages(const struct words *words)
{
    if (words->goal)
        return strcmp(words->goal, "averages") == 0;
    if (words->all || words->flows || words->input.n_sets > 0 || ph_cli_is_stdin(&words->input) ||
        !suits_averages(words))
        return false;
    if (!words->quiet)
        ph_cli_warn(command, "the production has a thermostat, so that this is a search for averages (--for energy: "
                             "for the energy that is conserved).");
    return true;
}

int ph_cmd_tune(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "INPUT.yaml --tolerance X",
        .doc = "Finds the scheme and the step that conserve the energy of your own system to a tolerance at the least "
               "cost, by short pilot runs, and prints them ready to be pasted into the input.\v"
               "The error is the standard deviation of the total energy over a run, per molecule; it falls with the "
               "root of the number of molecules, so tune the size that you will run. Runs begin after equilibration "
               "if the input asks for it, else after a short relaxation; a start from a file is used as it is. Trials, "
               "in JSON: step, error, time. Exit status 1 if no scheme meets the tolerance.",
    };
    struct words words = {.input.file = NULL};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    struct ph_error err;
    struct lists lists;
    if (words.goal && strcmp(words.goal, "averages") != 0 && strcmp(words.goal, "energy") != 0) {
        ph_error_set(&err, PH_ERR_INPUT, "--for is '%s'. Accepted: energy, averages.", words.goal);
        return ph_cli_fail(command, &err);
    }
    if (wants_averages(&words))
        return tune_averages(&words, &err) == PH_OK ? PH_OK : ph_cli_fail(command, &err);
    bool terminal = isatty(STDERR_FILENO);
    struct ph_tune_options tune = {.progress = words.quiet ? NULL : show_progress, .data = &terminal};
    if (take_options(&words, &lists, &tune, &err) != PH_OK)
        return ph_cli_fail(command, &err);
    struct ph_input *input = malloc(sizeof *input);
    struct ph_tune_report report = {.rows = NULL};
    struct ph_texts texts = {.n = 0};
    enum ph_status status =
        input ? ph_cli_read_input(&words.input, &texts, input, &err) : ph_no_memory(&err, "the input");
    if (status == PH_OK && strcmp(input->dynamics.backend, "cpu") != 0) {
        char place[PH_PLACE];
        ph_input_place(input, "dynamics.backend", place);
        status = ph_error_set(&err, PH_ERR_INPUT,
                              "%s: dynamics.backend is '%s', but tune measures on the processor. Accepted: cpu.", place,
                              input->dynamics.backend);
    }
    if (status == PH_OK) {
        ph_cli_guard_start(command, input);
        status = ph_tune(input, &tune, &report, &err);
        ph_cli_unguard();
    }
    if (status == PH_OK) {
        fputs(report.notes.text, stderr);
        struct ph_json json = {.out = stdout, .text = !words.json};
        say(&json, input, &report);
        if (report.advice[0])
            ph_cli_warn(command, "warning: %s", report.advice);
        if (!report.best)
            status = none_found(&report, &err);
    }
    ph_tune_report_free(&report);
    ph_texts_free(&texts);
    free(input);
    return status == PH_OK ? PH_OK : ph_cli_fail_input(command, &words.input, &err);
}
