/* SPDX-License-Identifier: MIT */
/* polhode bench accuracy: energy error against force evaluations in a fluid. */
#include "cli/commands/bench/cmd_bench.h"
#include "cli/commands/list/method_lists.h"

#include "lab/bench/accuracy.h"
#include "run/tune/tune.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct table {
    size_t n;
    struct ph_accuracy_row rows[PH_CLI_METHODS_MAX + 2];
};

/* The schemes asked for, or candidates of tune, with exact rotation; and verlet with the rotation of other programs */
static enum ph_status list_rows(const char *schemes, struct table *table, struct ph_error *err)
{
    const struct ph_scheme *found[PH_CLI_METHODS_MAX];
    size_t n;
    const enum ph_status status = ph_cli_parse_schemes("--schemes", schemes, found, &n, err);
    if (status != PH_OK)
        return status;
    if (n == 0)
        n = ph_tune_candidates(found, PH_CLI_METHODS_MAX);
    table->rows[0] = (struct ph_accuracy_row){.scheme = ph_scheme_find("verlet"), .flow = ph_flow_find("mr2")};
    for (size_t k = 0; k < n; ++k)
        table->rows[k + 1] = (struct ph_accuracy_row){.scheme = found[k], .flow = ph_flow_find("exact")};
    table->n = n + 1;
    return PH_OK;
}

static const char *fluid_name(size_t i) { return ph_accuracy_fluids[i].name; }

static enum ph_status find_fluid(const char *name, const struct ph_accuracy_fluid **fluid, struct ph_error *err)
{
    for (size_t k = 0; k < PH_ACCURACY_FLUIDS; ++k)
        if (!name || strcmp(name, fluid_name(k)) == 0) {
            *fluid = &ph_accuracy_fluids[k];
            return PH_OK;
        }
    return ph_cli_unknown_name("fluid", name, PH_ACCURACY_FLUIDS, fluid_name, err);
}

static void print_errors_head(const struct ph_accuracy_fluid *fluid)
{
    printf("%-26s %-6s", "passes per unit of time", "");
    for (int k = 0; k < PH_ACCURACY_RATES; ++k)
        printf(" %7.0f", fluid->rates[k]);
    puts("");
}

/* While the next row is being measured */
static void print_errors(const struct ph_accuracy_row *row, size_t k, void *data)
{
    (void)k, (void)data;
    printf("%-26s %-6s", row->scheme->name, row->flow->name);
    for (int i = 0; i < PH_ACCURACY_RATES; ++i)
        if (isfinite(row->error[i]))
            printf(" %7.1e", row->error[i]);
        else
            printf(" %7s", isnan(row->error[i]) ? "" : "fails");
    puts("");
    fflush(stdout);
}

static void say_level(struct ph_json *json, const struct ph_accuracy_fluid *fluid, const struct ph_accuracy_row *row,
                      int level)
{
    char text[32] = "-";
    const double needed = row->needed[level], spread = row->spread[level];
    if (isfinite(needed) && (row->beyond[level] || !isfinite(spread)))
        snprintf(text, sizeof text, "%s%.0f", row->beyond[level] ? "~" : needed <= fluid->rates[0] ? "<" : "", needed);
    else if (isfinite(needed))
        snprintf(text, sizeof text, "%.0f +- %.0f", needed, spread);
    ph_json_say(json, " %13s", text);
}

static void say_needed(struct ph_json *json, const struct ph_accuracy_fluid *fluid, const struct ph_accuracy_row *row)
{
    const int evaluations = ph_scheme_evaluations(row->scheme), gradients = ph_scheme_gradients(row->scheme);
    char per_step[24];
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "scheme", row->scheme->name);
    ph_json_string(json, "flow", row->flow->name);
    ph_json_integer(json, "evaluations", evaluations);
    ph_json_integer(json, "gradients", gradients);
    ph_json_numbers(json, "error", PH_ACCURACY_RATES, row->error);
    ph_json_numbers(json, "needed", PH_ACCURACY_LEVELS, row->needed);
    ph_json_numbers(json, "standard_error", PH_ACCURACY_LEVELS, row->spread);
    ph_json_end(json);
    snprintf(per_step, sizeof per_step, gradients > 0 ? "%d+%d" : "%d", evaluations, gradients);
    ph_json_say(json, "%-26s %-6s %8s", row->scheme->name, row->flow->name, per_step);
    for (int level = 0; level < PH_ACCURACY_LEVELS; ++level)
        say_level(json, fluid, row, level);
    ph_json_say(json, "\n");
}

static void say_nested(struct ph_json *json, const struct ph_nested_row rows[PH_NESTED_ROWS])
{
    ph_json_numbers(json, "nested_levels", PH_NESTED_LEVELS, ph_nested_levels);
    ph_json_begin_array(json, "nested");
    ph_json_say(json,
                "\nTwo time scales, pairs within 1.6 fast: error, and equivalent evaluations per unit of time, by "
                "the step\n");
    for (const struct ph_nested_row *row = rows; row < rows + PH_NESTED_ROWS; ++row) {
        char name[PH_TUNE_NAME];
        snprintf(name, sizeof name, "%s/%s", row->outer->name, row->inner->name);
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "outer", row->outer->name);
        ph_json_string(json, "inner", row->inner->name);
        ph_json_numbers(json, "step", PH_NESTED_STEPS, row->step);
        ph_json_say(json, "%-26s %-6s", name, "step");
        for (int k = 0; k < PH_NESTED_STEPS; ++k)
            ph_json_say(json, " %8.4g", row->step[k]);
        ph_json_numbers(json, "error", PH_NESTED_STEPS, row->error);
        ph_json_say(json, "\n%-26s %-6s", "", "error");
        for (int k = 0; k < PH_NESTED_STEPS; ++k)
            ph_json_say(json, " %8.1e", row->error[k]);
        ph_json_numbers(json, "equivalent_per_time", PH_NESTED_STEPS, row->cost);
        ph_json_say(json, "\n%-26s %-6s", "", "cost");
        for (int k = 0; k < PH_NESTED_STEPS; ++k)
            ph_json_say(json, " %8.1f", row->cost[k]);
        ph_json_numbers(json, "needed", PH_NESTED_LEVELS, row->needed);
        ph_json_say(json, "\n%-26s needed", "");
        for (int level = 0; level < PH_NESTED_LEVELS; ++level)
            ph_json_say(json, "  %.0e: %.0f", ph_nested_levels[level], row->needed[level]);
        ph_json_end(json);
        ph_json_say(json, "\n");
    }
    ph_json_end(json);
}

static void say(struct ph_json *json, const struct ph_accuracy_options *options, const struct ph_pilot_costs *costs)
{
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "bench", "accuracy");
    ph_json_string(json, "fluid", options->fluid->name);
    ph_json_integer(json, "molecules", (long)options->molecules);
    ph_json_integer(json, "states", options->states);
    ph_json_number(json, "time", options->fluid->time);
    ph_json_number(json, "evaluation_seconds", costs->evaluation);
    ph_json_number(json, "gradient_seconds", costs->gradient);
    ph_json_numbers(json, "passes_per_time", PH_ACCURACY_RATES, options->fluid->rates);
    ph_json_numbers(json, "levels", PH_ACCURACY_LEVELS, ph_accuracy_levels);
    ph_json_say(json, "\n%-26s %-6s %8s", "passes needed for an error", "", "per step");
    for (int level = 0; level < PH_ACCURACY_LEVELS; ++level)
        ph_json_say(json, " %13.0e", ph_accuracy_levels[level]);
    ph_json_say(json, "\n");
    ph_json_begin_array(json, "schemes");
    for (size_t k = 0; k < options->n; ++k)
        say_needed(json, options->fluid, &options->rows[k]);
    ph_json_end(json);
    ph_json_say(json, "\nPasses are force evaluations and gradients. +-: standard error over the states. ~: beyond the "
                      "rates above, by the power\nlaw of the last two.");
    if (isfinite(costs->gradient))
        ph_json_say(json, " On this machine a gradient takes as long as %.2f evaluations.",
                    costs->gradient / costs->evaluation);
    ph_json_say(json, "\n");
    if (options->nested)
        say_nested(json, options->nested);
    ph_json_end(json);
}

enum ph_status ph_cli_bench_accuracy(const struct ph_accuracy_words *words, bool json, struct ph_error *err)
{
    static struct table table;
    static struct ph_nested_row nested[PH_NESTED_ROWS]; /* for the polar fluid, unless schemes are named */
    const struct ph_accuracy_fluid *fluid = NULL;
    long n_molecules = 0, n_states = 8, most = LONG_MAX;
    enum ph_status status = find_fluid(words->fluid, &fluid, err);
    if (status == PH_OK)
        status = list_rows(words->schemes, &table, err);
    if (status == PH_OK && words->molecules)
        status = ph_cli_parse_integer("--molecules", words->molecules, 1, &n_molecules, err);
    if (status == PH_OK && words->states)
        status = ph_cli_parse_integer("--states", words->states, 1, &n_states, err);
    if (status == PH_OK && words->most)
        status = ph_cli_parse_integer("--most", words->most, 1, &most, err);
    if (status != PH_OK)
        return status;
    const struct ph_accuracy_options options = {.fluid = fluid,
                                                .molecules = n_molecules ? (size_t)n_molecules : fluid->molecules,
                                                .states = (int)n_states,
                                                .most = (double)most,
                                                .n = table.n,
                                                .rows = table.rows,
                                                .nested =
                                                    words->schemes || fluid != &ph_accuracy_fluids[0] ? NULL : nested,
                                                .progress = json ? NULL : print_errors};
    if (!json) {
        printf("%s; %zu molecules.\nStandard deviation of the total energy per molecule over a time of %g, from %ld "
               "states.\n\n",
               fluid->summary, options.molecules, fluid->time, n_states);
        print_errors_head(fluid);
    }
    struct ph_pilot_costs costs;
    status = ph_bench_accuracy(&options, &costs, err);
    if (status == PH_OK)
        say(&(struct ph_json){.out = stdout, .text = !json}, &options, &costs);
    return status;
}
