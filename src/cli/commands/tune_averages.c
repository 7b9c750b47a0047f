/* SPDX-License-Identifier: MIT */
/* polhode tune --for averages: runs of lab/bench/averages.h, from which the cheapest is chosen.
 *
 * A row is within the tolerance if bias and two standard errors are. It is outside if the bias less two standard errors
 * is. Between them nothing is known. Of rows within the tolerance the best needs the fewest evaluations for an
 * independent sample of the potential energy. */
#include "cli/commands/tune_averages.h"

#include "cli/commands/list/method_lists.h"
#include "lab/bench/averages.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SCHEMES = 16, STEPS = 4, MOST_ROWS = 1 + 2 * MOST_SCHEMES * STEPS };
static const double factors[STEPS] = {0.5, 1.0, 2.0, 4.0}; /* of the time per evaluation of the input */
static const double errors_allowed = 2.0;
static const double least_acceptance = 0.3; /* of the reference: below it rejections hinder it from moving */

struct search {
    struct ph_averages_options options;
    struct ph_averages_row rows[MOST_ROWS];
    double tolerance;
};

static enum ph_status parse_positive(const char *option, const char *text, double *number, struct ph_error *err)
{
    const enum ph_status status = ph_cli_parse_numbers(option, text, 1, number, err);
    if (status != PH_OK || *number > 0.0)
        return status;
    return ph_error_set(err, PH_ERR_INPUT, "%s: a positive number is needed, not %s.", option, text);
}

static enum ph_status choose_rows(const struct ph_tune_averages_words *words, double usual, struct search *search,
                                  struct ph_error *err)
{
    static const char candidates[] = "verlet,mclachlan2,sbab2,chin4a-displaced,polhode4-6b";
    const struct ph_scheme *found[PH_CLI_METHODS_MAX];
    size_t n;
    const enum ph_status status =
        ph_cli_parse_schemes("--schemes", words->schemes ? words->schemes : candidates, found, &n, err);
    if (status != PH_OK)
        return status;
    if (n > MOST_SCHEMES)
        return ph_error_set(err, PH_ERR_INPUT, "--schemes has %zu schemes. Accepted: up to %d.", n, (int)MOST_SCHEMES);
    search->rows[0] = (struct ph_averages_row){
        .scheme = ph_scheme_find("polhode4-6b"), .per_evaluation = factors[0] * usual, .metropolis = true};
    search->options.n = 1;
    for (size_t s = 0; s < n; ++s)
        for (size_t k = 0; k < STEPS; ++k)
            search->rows[search->options.n++] =
                (struct ph_averages_row){.scheme = found[s], .per_evaluation = factors[k] * usual};
    for (size_t s = 0; s < n; ++s) /* of schemes that bear noise inside: with both thermostats */
        for (size_t k = 0; k < STEPS && ph_scheme_drift_in_the_middle(found[s]); ++k)
            search->rows[search->options.n++] =
                (struct ph_averages_row){.scheme = found[s], .per_evaluation = factors[k] * usual, .middle = true};
    return PH_OK;
}

/* ---- Verdicts ---- */

enum verdict { WITHIN, OPEN, OUTSIDE, FAILED };
static const char *const verdict_names[] = {"within", "not resolved", "outside", "fails"};

static enum verdict judge(const struct search *search, const struct ph_averages_row *row)
{
    const double bias = fabs(row->bias[PH_AVERAGE_POTENTIAL]);
    const double error = errors_allowed * row->bias_error[PH_AVERAGE_POTENTIAL];
    if (row->failure[0] || !isfinite(bias) || !isfinite(error))
        return FAILED;
    if (bias + error <= search->tolerance)
        return WITHIN;
    return bias - error > search->tolerance ? OUTSIDE : OPEN;
}

/* Evaluations for an independent sample of the potential energy. The time between such samples is that of the
 * reference, which runs longest: it belongs to the system and the friction, and short runs know it badly. */
static double cost(const struct search *search, const struct ph_averages_row *row)
{
    const struct ph_averages_row *reference = &search->rows[0];
    const struct ph_mean *mean = &reference->mean[PH_AVERAGE_POTENTIAL];
    return mean->inefficiency * reference->sampled / (double)mean->n * row->rate;
}

/* Of equal cost: the smaller bias, with its errors */
static bool is_better(const struct search *search, const struct ph_averages_row *row,
                      const struct ph_averages_row *than)
{
    const size_t q = PH_AVERAGE_POTENTIAL;
    const double mine = cost(search, row), other = cost(search, than);
    return mine == other ? fabs(row->bias[q]) + errors_allowed * row->bias_error[q] <
                               fabs(than->bias[q]) + errors_allowed * than->bias_error[q]
                         : mine < other;
}

static const struct ph_averages_row *best_of(const struct search *search)
{
    const struct ph_averages_row *best = NULL;
    for (size_t k = 1; k < search->options.n; ++k) {
        const struct ph_averages_row *row = &search->rows[k];
        if (judge(search, row) == WITHIN && (!best || is_better(search, row, best)))
            best = row;
    }
    return best;
}

static enum ph_status none_found(const struct search *search, struct ph_error *err)
{
    double least = INFINITY;
    bool open = false;
    for (size_t k = 1; k < search->options.n; ++k) {
        const struct ph_averages_row *row = &search->rows[k];
        open = open || judge(search, row) == OPEN;
        if (isfinite(row->bias_error[PH_AVERAGE_POTENTIAL]))
            least = fmin(least, row->bias_error[PH_AVERAGE_POTENTIAL]);
    }
    if (!open)
        return ph_error_set(err, PH_ERR_CHECK, "No scheme was within %g. Take shorter steps in the input.",
                            search->tolerance);
    const double more = errors_allowed * least / search->tolerance;
    return ph_error_set(
        err, PH_ERR_CHECK,
        "No scheme was shown to be within %g: the least standard error of a bias is %.2g. Take a --time "
        "of about %.2g, or a larger tolerance.",
        search->tolerance, least, 2.0 * search->options.time * fmax(1.0, more * more));
}

/* ---- Output ---- */

static void show_progress(size_t k, double part, void *data)
{
    const struct ph_averages_options *options = data;
    if (k + 1 < options->n || part < 1.0)
        fprintf(stderr, "\rrun %zu of %zu: %3.0f %%", k + 1, options->n, 100.0 * part);
    else
        fprintf(stderr, "\r%30s\r", "");
    fflush(stderr);
}

static void say_row(struct ph_json *json, const struct search *search, const struct ph_averages_row *row, bool best)
{
    const enum verdict verdict = judge(search, row);
    const double bias = row->bias[PH_AVERAGE_POTENTIAL], error = row->bias_error[PH_AVERAGE_POTENTIAL];
    ph_json_begin_object(json, NULL);
    ph_json_strings(json, "scheme", row->scheme->name, "outcome", verdict_names[verdict]);
    ph_json_string(json, "thermostat", ph_averages_bath(row));
    ph_json_number(json, "step", row->step);
    ph_json_number(json, "evaluations_per_time", row->rate);
    ph_json_number(json, "bias", bias);
    ph_json_number(json, "bias_error", error);
    ph_json_number(json, "evaluations_per_sample", verdict == FAILED ? NAN : cost(search, row));
    ph_json_end(json);
    if (verdict == FAILED)
        ph_json_say(json, "%-18s %-15s %9.4g %12s\n", row->scheme->name, ph_averages_bath(row), row->step, "fails");
    else
        ph_json_say(json, "%-18s %-15s %9.4g %+12.3g %9.1g %12.0f  %s%s\n", row->scheme->name, ph_averages_bath(row),
                    row->step, bias, error, cost(search, row), verdict_names[verdict], best ? ", best" : "");
}

static void say(struct ph_json *json, const struct search *search, const struct ph_averages_about *about,
                const struct ph_averages_row *best)
{
    const struct ph_averages_row *reference = &search->rows[0];
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "input", search->options.input);
    ph_json_number(json, "tolerance", search->tolerance);
    ph_json_number(json, "time", search->options.time);
    ph_json_number(json, "temperature", about->temperature);
    ph_json_number(json, "reference", reference->mean[PH_AVERAGE_POTENTIAL].mean);
    ph_json_number(json, "reference_error", reference->mean[PH_AVERAGE_POTENTIAL].error);
    ph_json_number(json, "reference_acceptance", reference->acceptance);
    ph_json_begin_object(json, "recommended");
    ph_json_string(json, "scheme", best ? best->scheme->name : NULL);
    ph_json_number(json, "step", best ? best->step : NAN);
    ph_json_string(json, "thermostat", best ? ph_averages_bath(best) : NULL);
    ph_json_end(json);
    ph_json_say(json, "%zu molecules at temperature %g, friction %.3g and %.3g; runs of %g\n", about->molecules,
                about->temperature, about->friction[0], about->friction[1], search->options.time);
    ph_json_say(json,
                "U/N without an error of the step: %.8g +- %.2g, by metropolis with %.0f %% accepted. Bias wanted: %g, "
                "with two standard errors.\n\n",
                reference->mean[PH_AVERAGE_POTENTIAL].mean, reference->mean[PH_AVERAGE_POTENTIAL].error,
                100.0 * reference->acceptance, search->tolerance);
    ph_json_say(json, "%-18s %-15s %9s %12s %9s %12s\n", "scheme", "thermostat", "step", "bias of U/N", "+-",
                "per sample");
    ph_json_begin_array(json, "rows");
    for (size_t k = 1; k < search->options.n; ++k)
        say_row(json, search, &search->rows[k], &search->rows[k] == best);
    ph_json_end(json);
    ph_json_end(json);
    ph_json_say(json, "\nPer sample: force evaluations for an independent sample of the potential energy.\n");
    if (best)
        ph_json_say(json,
                    "\ndynamics:\n  scheme: %s\n  step: %g\n  thermostat: {kind: %s, temperature: %g, friction: %.3g, "
                    "rotation_friction: %.3g}\n",
                    best->scheme->name, best->step, ph_averages_bath(best), about->temperature, about->friction[0],
                    about->friction[1]);
}

enum ph_status ph_cli_tune_averages(const struct ph_tune_averages_words *words, struct ph_error *err)
{
    static struct search search;
    struct ph_averages_about about;
    double usual = NAN;
    search = (struct search){.options = {.input = words->input, .reference = 4.0, .samples = 2000, .seed = 1}};
    search.options.rows = search.rows;
    enum ph_status status = parse_positive("--tolerance", words->tolerance, &search.tolerance, err);
    if (status == PH_OK)
        status = ph_averages_usual(words->input, &usual, err);
    if (status == PH_OK)
        status = choose_rows(words, usual, &search, err);
    search.options.time = 20000.0 * usual;
    if (status == PH_OK && words->time)
        status = parse_positive("--time", words->time, &search.options.time, err);
    if (status != PH_OK)
        return status;
    if (!words->quiet && isatty(STDERR_FILENO)) {
        search.options.progress = show_progress;
        search.options.data = &search.options;
    }
    status = ph_bench_averages(&search.options, &about, err);
    if (status != PH_OK)
        return status;
    const double accepted = search.rows[0].acceptance;
    if (!(accepted >= least_acceptance))
        return ph_error_set(err, PH_ERR_CHECK,
                            "The reference accepted %.0f %% of its steps of %g, less than %.0f %%: it is not to be "
                            "trusted. Take a shorter step in the input.",
                            100.0 * accepted, search.rows[0].step, 100.0 * least_acceptance);
    const struct ph_averages_row *best = best_of(&search);
    say(&(struct ph_json){.out = stdout, .text = !words->json}, &search, &about, best);
    return best ? PH_OK : none_found(&search, err);
}
