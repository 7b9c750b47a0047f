/* SPDX-License-Identifier: MIT */
/* polhode bench averages: errors of averages against force evaluations. */
#include "cli/commands/bench/cmd_bench.h"
#include "cli/commands/list/method_lists.h"
#include "lab/table.h"

#include "lab/bench/averages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_STEPS = 16, MOST_ROWS = 256 };

/* ---- Words to options ---- */

static enum ph_status parse_list(const char *option, const char *text, size_t most, double *numbers, size_t *n,
                                 struct ph_error *err)
{
    *n = 1;
    for (const char *at = text; (at = strchr(at, ',')) != NULL; ++at)
        ++*n;
    if (*n > most)
        return ph_error_set(err, PH_ERR_INPUT, "%s has %zu numbers. Accepted: up to %zu.", option, *n, most);
    const enum ph_status status = ph_cli_parse_numbers(option, text, *n, numbers, err);
    for (size_t k = 0; k < *n && status == PH_OK; ++k)
        if (!(numbers[k] > 0.0))
            return ph_error_set(err, PH_ERR_INPUT, "%s is '%s'. Accepted: numbers above 0.", option, text);
    return status;
}

static enum ph_status parse_positive(const char *option, const char *text, double *number, struct ph_error *err)
{
    size_t n;
    return text ? parse_list(option, text, 1, number, &n, err) : PH_OK;
}

/* What the words say; rows are in a table of the caller */
struct choice {
    struct ph_averages_options options;
    struct ph_averages_row rows[MOST_ROWS];
    double steps[MOST_STEPS];
    size_t n_steps;
};

static enum ph_status choose_steps(const struct ph_averages_words *words, const char *input, struct choice *choice,
                                   double *usual, struct ph_error *err)
{
    const enum ph_status status = ph_averages_usual(input, usual, err);
    if (status != PH_OK)
        return status;
    if (words->steps)
        return parse_list("--steps", words->steps, MOST_STEPS, choice->steps, &choice->n_steps, err);
    static const double factors[] = {0.5, 1.0, 2.0};
    choice->n_steps = sizeof factors / sizeof *factors;
    for (size_t k = 0; k < choice->n_steps; ++k)
        choice->steps[k] = factors[k] * *usual;
    return PH_OK;
}

static const char *reference_name(size_t i) { return i == 0 ? "metropolis" : ph_scheme_at(i - 1)->name; }

/* Row 0: Metropolis' rule, or a scheme; at half of the shortest step unless the words say which */
static enum ph_status choose_reference(const struct ph_averages_words *words, struct choice *choice,
                                       struct ph_error *err)
{
    const char *word = words->reference;
    double step = INFINITY;
    for (size_t k = 0; k < choice->n_steps; ++k)
        step = fmin(step, 0.5 * choice->steps[k]);
    const bool metropolis = !word || strcmp(word, "metropolis") == 0;
    const struct ph_scheme *scheme = ph_scheme_find(metropolis ? "polhode4-6b" : word);
    if (!scheme)
        return ph_cli_unknown_name("reference", word, ph_scheme_count() + 1, reference_name, err);
    choice->rows[0] = (struct ph_averages_row){.scheme = scheme, .per_evaluation = step, .metropolis = metropolis};
    return parse_positive("--reference-step", words->reference_step, &choice->rows[0].per_evaluation, err);
}

static enum ph_status choose_rows(const char *schemes, bool middle, struct choice *choice, struct ph_error *err)
{
    static const char usual[] = "verlet,chin4a-displaced,polhode4-6b";
    const struct ph_scheme *found[PH_CLI_METHODS_MAX];
    size_t n, rows = 1;
    const enum ph_status status = ph_cli_parse_schemes("--schemes", schemes ? schemes : usual, found, &n, err);
    if (status != PH_OK)
        return status;
    if (1 + n * choice->n_steps > MOST_ROWS)
        return ph_error_set(err, PH_ERR_INPUT, "%zu schemes and %zu steps are too many. Accepted: %d runs.", n,
                            choice->n_steps, MOST_ROWS - 1);
    for (size_t s = 0; s < n; ++s)
        for (size_t k = 0; k < choice->n_steps; ++k)
            choice->rows[rows++] =
                (struct ph_averages_row){.scheme = found[s], .per_evaluation = choice->steps[k], .middle = middle};
    for (size_t s = 0; s < n && middle; ++s)
        if (!ph_scheme_drift_in_the_middle(found[s]))
            return ph_error_set(err, PH_ERR_INPUT,
                                "--schemes has %s, but langevin-middle needs schemes that begin with a kick and have a "
                                "drift in the middle, as verlet and bcss2-3.",
                                found[s]->name);
    choice->options.n = rows;
    return PH_OK;
}

static enum ph_status choose(const struct ph_averages_words *words, const char *input, struct choice *choice,
                             struct ph_error *err)
{
    static const double budgets[] = {1e4, 1e5, 1e6};
    struct ph_averages_options *options = &choice->options;
    const bool middle = words->thermostat && strcmp(words->thermostat, "langevin-middle") == 0;
    double usual = NAN;
    long seed = 1, samples = 2000;
    if (words->thermostat && !middle && strcmp(words->thermostat, "langevin") != 0)
        return ph_error_set(err, PH_ERR_INPUT, "--thermostat is '%s'. Accepted: langevin, langevin-middle.",
                            words->thermostat);
    *options = (struct ph_averages_options){
        .input = input, .reference = 4.0, .rows = choice->rows, .n_budgets = sizeof budgets / sizeof *budgets};
    memcpy(options->budgets, budgets, sizeof budgets);
    enum ph_status status = choose_steps(words, input, choice, &usual, err);
    if (status != PH_OK)
        return status;
    options->time = 20000.0 * usual;
    status = choose_reference(words, choice, err);
    if (status == PH_OK)
        status = choose_rows(words->schemes ? words->schemes : middle ? "verlet" : NULL, middle, choice, err);
    if (status == PH_OK)
        status = parse_positive("--time", words->time, &options->time, err);
    if (status == PH_OK)
        status = parse_positive("--reference-times", words->reference_times, &options->reference, err);
    if (status == PH_OK && words->budgets)
        status =
            parse_list("--budgets", words->budgets, PH_AVERAGE_BUDGETS, options->budgets, &options->n_budgets, err);
    if (status == PH_OK && words->samples)
        status = ph_cli_parse_integer("--samples", words->samples, 2, &samples, err);
    if (status == PH_OK && words->seed)
        status = ph_cli_parse_integer("--seed", words->seed, 0, &seed, err);
    options->samples = (size_t)samples;
    options->seed = (uint64_t)seed;
    return status;
}

/* ---- Output ---- */

/* On a terminal: a line that replaces itself and is erased at the end */
static void show_progress(size_t k, double part, void *data)
{
    const struct ph_averages_options *options = data;
    if (!isatty(STDERR_FILENO))
        return;
    if (k + 1 < options->n || part < 1.0)
        fprintf(stderr, "\rrun %zu of %zu: %3.0f %%", k + 1, options->n, 100.0 * part);
    else
        fprintf(stderr, "\r%30s\r", "");
    fflush(stderr);
}

static bool is_measured(const struct ph_averages_options *options, size_t q)
{
    return isfinite(options->rows[0].mean[q].mean);
}

/* Columns of quantities in tables, and digits of their numbers */
static const struct {
    const char *head, *format;
} looks[PH_AVERAGES] = {{"U/N", "%.5g"}, {"P", "%.4g"},  {"T trans", "%.4g"}, {"T rot", "%.4g"},
                        {"T1", "%.4g"},  {"T2", "%.4g"}, {"T3", "%.4g"}};

static const struct ph_table_column columns[] = {
    {"scheme", "", true},
    {"step", "of time", false},
    {"evaluations_per_time", "and gradients", false},
    {"potential", "bias", false},
    {"potential_error", "standard error", false},
    {"pressure", "bias", false},
    {"pressure_error", "standard error", false},
    {"temperature_translation", "bias", false},
    {"temperature_translation_error", "standard error", false},
    {"temperature_rotation", "bias", false},
    {"temperature_rotation_error", "standard error", false},
    {"temperature_axis_1", "bias", false},
    {"temperature_axis_1_error", "standard error", false},
    {"temperature_axis_2", "bias", false},
    {"temperature_axis_2_error", "standard error", false},
    {"temperature_axis_3", "bias", false},
    {"temperature_axis_3_error", "standard error", false},
};
enum { COLUMNS = sizeof columns / sizeof *columns, FIRST = 3 };
_Static_assert(COLUMNS == FIRST + 2 * PH_AVERAGES, "two columns for each quantity");

static enum ph_status list_biases(const struct ph_averages_options *options, struct ph_table *table,
                                  struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t k = 1; k < options->n && status == PH_OK; ++k) {
        const struct ph_averages_row *row = &options->rows[k];
        double numbers[COLUMNS - 1] = {row->step, row->rate};
        for (size_t q = 0; q < PH_AVERAGES; ++q) {
            numbers[FIRST - 1 + 2 * q] = row->bias[q];
            numbers[FIRST + 2 * q] = row->bias_error[q];
        }
        status = ph_table_append(table, (const char *const[]){row->scheme->name}, numbers, err);
    }
    return status;
}

static void say_quantities(struct ph_json *json, const struct ph_averages_options *options,
                           const struct ph_averages_row *row, bool reference)
{
    for (size_t q = 0; q < PH_AVERAGES; ++q) {
        if (!is_measured(options, q))
            continue;
        ph_json_begin_object(json, ph_average_names[q]);
        ph_json_number(json, "mean", row->mean[q].mean);
        ph_json_number(json, "error", row->mean[q].error);
        ph_json_number(json, "inefficiency", row->mean[q].inefficiency);
        ph_json_bool(json, "rough", row->mean[q].rough);
        if (!reference) {
            ph_json_number(json, "bias", row->bias[q]);
            ph_json_number(json, "bias_error", row->bias_error[q]);
            ph_json_numbers(json, "total_error", options->n_budgets, row->total[q]);
        }
        ph_json_end(json);
    }
}

static void say_row(struct ph_json *json, const char *key, const struct ph_averages_options *options, size_t k)
{
    const struct ph_averages_row *row = &options->rows[k];
    ph_json_begin_object(json, key);
    ph_json_string(json, "scheme", row->scheme->name);
    ph_json_bool(json, "metropolis", row->metropolis);
    ph_json_number(json, "step", row->step);
    ph_json_number(json, "evaluations_per_time", row->rate);
    ph_json_number(json, "sampled_time", row->sampled);
    ph_json_number(json, "acceptance", row->acceptance);
    ph_json_string(json, "failure", row->failure[0] ? row->failure : NULL);
    say_quantities(json, options, row, k == 0);
    ph_json_end(json);
}

static void say_reference(struct ph_json *json, const struct ph_averages_options *options)
{
    const struct ph_averages_row *row = &options->rows[0];
    ph_json_say(json, "reference: %s, step %g, over a time of %g", row->scheme->name, row->step, row->sampled);
    if (row->metropolis)
        ph_json_say(json, ", %.2f %% of the steps accepted by Metropolis' rule", 100.0 * row->acceptance);
    for (size_t q = 0, said = 0; q < PH_AVERAGES; ++q)
        if (is_measured(options, q))
            ph_json_say(json, "%s%s %.8g +- %.2g", said++ % 3 == 0 ? "\n  " : ", ", looks[q].head, row->mean[q].mean,
                        row->mean[q].error);
    ph_json_say(json, "\n\n");
}

static void say_totals(struct ph_json *json, const struct ph_averages_options *options)
{
    const size_t q = PH_AVERAGE_POTENTIAL;
    ph_json_say(json, "\nTotal error of U/N after so many evaluations, in %% of it:\n%-26s %-10s", "", "step");
    for (size_t b = 0; b < options->n_budgets; ++b)
        ph_json_say(json, " %9.3g", options->budgets[b]);
    for (size_t k = 1; k < options->n; ++k) {
        const struct ph_averages_row *row = &options->rows[k];
        ph_json_say(json, "\n%-26s %-10.4g", row->scheme->name, row->step);
        for (size_t b = 0; b < options->n_budgets && !row->failure[0]; ++b)
            ph_json_say(json, " %9.3g", 100.0 * row->total[q][b] / fabs(options->rows[0].mean[q].mean));
        if (row->failure[0])
            ph_json_say(json, " fails: %s", row->failure);
    }
    ph_json_say(json, "\n");
}

static enum ph_status say(struct ph_json *json, const struct ph_averages_options *options,
                          const struct ph_averages_about *about, struct ph_error *err)
{
    struct ph_table table;
    ph_table_init(&table, "averages", "biases of averages", COLUMNS, columns);
    const enum ph_status status = list_biases(options, &table, err);
    struct ph_table_look table_looks[COLUMNS] = {
        {"scheme", NULL}, {"step", "%.4g"}, {"evaluations/time", "%.0f"}, {NULL, NULL}};
    bool rough = false;
    for (size_t q = 0; q < PH_AVERAGES; ++q)
        if (is_measured(options, q)) {
            table_looks[FIRST + 2 * q] = (struct ph_table_look){looks[q].head, looks[q].format};
            table_looks[FIRST + 2 * q + 1] = (struct ph_table_look){"+-", "%.1g"};
            for (size_t k = 0; k < options->n; ++k)
                rough = rough || options->rows[k].mean[q].rough;
        }
    ph_json_begin_object(json, NULL);
    ph_json_strings(json, "bench", "averages", "input", options->input, "flow", about->flow);
    ph_json_integer(json, "molecules", (long)about->molecules);
    ph_json_integer(json, "seed", (long)options->seed);
    ph_json_number(json, "temperature", about->temperature);
    ph_json_numbers(json, "friction", 2, about->friction);
    ph_json_number(json, "time", options->time);
    ph_json_number(json, "sample_interval", about->interval);
    ph_json_numbers(json, "budgets", options->n_budgets, options->budgets);
    ph_json_string(json, "thermostat", ph_averages_bath(&options->rows[1]));
    ph_json_say(json, "%zu molecules at temperature %g, %s with friction %.3g and %.3g, flow %s; runs of %g\n",
                about->molecules, about->temperature, ph_averages_bath(&options->rows[1]), about->friction[0],
                about->friction[1], about->flow, options->time);
    say_reference(json, options);
    say_row(json, "reference", options, 0);
    ph_json_begin_array(json, "runs");
    for (size_t k = 1; k < options->n; ++k)
        say_row(json, NULL, options, k);
    ph_json_end(json);
    ph_json_end(json);
    if (json->text && status == PH_OK) {
        ph_json_say(json, "Bias, and its standard error:\n");
        ph_table_write_text(&table, table_looks, json->out);
        say_totals(json, options);
    }
    if (rough)
        ph_json_say(json, "\nSome errors are rough: the runs are shorter than 30 correlation times. Take a longer "
                          "--time.\n");
    ph_table_clear(&table);
    return status;
}

enum ph_status ph_cli_bench_averages(const struct ph_averages_words *words, const char *input, bool json,
                                     struct ph_error *err)
{
    static struct choice choice;
    struct ph_averages_about about;
    if (!input)
        return ph_error_set(err, PH_ERR_INPUT, "An input file is needed: give --input FILE.");
    enum ph_status status = choose(words, input, &choice, err);
    if (status != PH_OK)
        return status;
    choice.options.progress = show_progress;
    choice.options.data = &choice.options;
    status = ph_bench_averages(&choice.options, &about, err);
    return status == PH_OK ? say(&(struct ph_json){.out = stdout, .text = !json}, &choice.options, &about, err)
                           : status;
}
