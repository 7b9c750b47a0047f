/* SPDX-License-Identifier: MIT */
#include "run/tune/tune.h"

#include "base/plain.h"
#include "run/build/methods.h"
#include "run/tune/tune_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Part of the tolerance aimed at: errors of other runs, from other states, differ by about a quarter. */
static const double margin = 0.8;
/* Ratio of the lengths of long runs and of screening runs. */
static const double screening = 8.0;

/* Schemes tuned for fluids first, then schemes that win where gradients are cheap, steps are short, or tolerances
 * wide */
static const char *const candidates[] = {
    "polhode4-6b", "polhode6-11b",   "polhode6-13a",   "verlet",         "mclachlan2",
    "bcss2-3",     "chin4a",         "omelyan4-3f1gp", "omelyan4-4f2gv", "omelyan4-5fv",
    "srkn4-6b",    "omelyan4-5f2gp", "srkn6-11b",      "rkn8-17a",       "sofroniou10-35",
};
enum { N_CANDIDATES = sizeof candidates / sizeof *candidates };

/* Candidates with two time scales, over an inner scheme. They are tried if errors may be larger than least_nested,
 * relative as in first_step. Near pairs must be few enough, too: within this part of the cutoff (docs/accuracy.md). */
static const char *const nested_candidates[] = {"verlet", "sbab2"}, *const inner_candidate = "bcss2-3";
enum { N_NESTED = sizeof nested_candidates / sizeof *nested_candidates };
static const double least_nested = 1e-4;

size_t ph_tune_candidates(const struct ph_scheme *found[], size_t most)
{
    size_t n = 0;
    for (size_t k = 0; k < N_CANDIDATES && n < most; ++k)
        if ((found[n] = ph_scheme_find(candidates[k])))
            ++n;
    return n;
}

const char *ph_tune_outcome_name(enum ph_tune_outcome outcome)
{
    switch (outcome) {
    case PH_TUNE_OPEN: return "open";
    case PH_TUNE_MET: return "met";
    case PH_TUNE_SCREENED: return "screened";
    case PH_TUNE_EXTRAPOLATED: return "extrapolated";
    case PH_TUNE_DEARER: return "dearer";
    case PH_TUNE_MISSED: return "missed";
    case PH_TUNE_IMPOSSIBLE: return "impossible";
    }
    return "unknown";
}

void ph_tune_report_free(struct ph_tune_report *report)
{
    free(report->rows);
    report->rows = NULL;
    report->best = NULL;
    report->n_rows = 0;
}

/* ---- All rows ---- */

static bool is_reference(const struct ph_tune_row *row)
{
    return strcmp(row->scheme->name, "verlet") == 0 && strcmp(row->flow->name, "exact") == 0 && !row->inner;
}

/* The tolerance in parts of the kinetic energy of a molecule, for one molecule */
static double relative_tolerance(const struct ph_tune_search *search)
{
    const double kinetic = search->start->kinetic > 0.0 ? search->start->kinetic : 1.0;
    return search->report->tolerance * sqrt((double)search->report->molecules) / kinetic;
}

/* Equivalent evaluations of a step */
static double passes(const struct ph_tune_search *search, const struct ph_tune_row *row)
{
    const struct ph_pilot_costs *costs = &search->costs[row - search->report->rows];
    const double whole = ph_scheme_evaluations(row->scheme) + ph_scheme_gradients(row->scheme);
    return row->inner ? whole + ph_scheme_fast_evaluations(row->scheme, row->inner, 1) * costs->fast / costs->evaluation
                      : whole;
}

/* Estimates the step at which a scheme that suits a tolerance meets it. A polar fluid needs 10 evaluations per time
 * scale for an error of 5.5e-4 of the kinetic energy of a molecule times the root of their number. Other errors follow
 * a power law (docs/accuracy.md). */
static double first_step(const struct ph_tune_search *search, const struct ph_tune_row *row)
{
    const struct ph_tune_report *report = search->report;
    const double rate = fmin(fmax(10.0 * pow(5.5e-4 / relative_tolerance(search), 0.14), 6.0), 300.0);
    return passes(search, row) / rate * report->scale;
}

static enum ph_status first_trials(struct ph_tune_search *search, struct ph_error *err)
{
    for (size_t k = 0; k < search->report->n_rows; ++k) {
        struct ph_tune_row *row = &search->report->rows[k];
        struct ph_error inner = {.text = ""};
        const enum ph_status status = ph_tune_try(search, row, first_step(search, row), &inner);
        if (status == PH_ERR_INPUT) {
            row->outcome = PH_TUNE_IMPOSSIBLE;
            snprintf(row->why, sizeof row->why, "%.250s", inner.text);
        } else if (status != PH_OK)
            return ph_error_set(err, status, "%.1000s", inner.text);
    }
    return PH_OK;
}

/* The most promising open row; NULL if all are decided */
static struct ph_tune_row *most_promising(const struct ph_tune_search *search)
{
    struct ph_tune_row *found = NULL;
    double least = INFINITY;
    for (size_t k = 0; k < search->report->n_rows; ++k) {
        struct ph_tune_row *row = &search->report->rows[k];
        const double guess = row->outcome == PH_TUNE_OPEN ? ph_tune_kind_guess(search, row) : INFINITY;
        if (row->outcome == PH_TUNE_OPEN && (!found || guess < least)) {
            found = row;
            least = guess;
        }
    }
    return found;
}

static void describe(const struct ph_tune_search *search, const struct ph_tune_row *row, const char *before)
{
    char text[256], name[PH_TUNE_NAME];
    int used = snprintf(text, sizeof text, "%s%s with %s: ", before, ph_tune_row_name(row, name), row->flow->name);
    if (row->outcome == PH_TUNE_MET)
        ph_snprintf(text + used, sizeof text - (size_t)used, "step %g, error %.2e", row->step, row->error);
    else
        snprintf(text + used, sizeof text - (size_t)used, "%s",
                 ph_tune_outcome_name(row->outcome == PH_TUNE_SCREENED ? PH_TUNE_DEARER : row->outcome));
    ph_tune_say(search, true, text);
}

static enum ph_status search_all(struct ph_tune_search *search, struct ph_error *err)
{
    const size_t n = search->report->n_rows;
    enum ph_status status = first_trials(search, err);
    struct ph_tune_row *row;
    for (size_t k = 1; status == PH_OK && (row = most_promising(search)); ++k) {
        status = ph_tune_search_row(search, row, err);
        char place[64];
        snprintf(place, sizeof place, "%zu of %zu: ", k, n);
        if (status == PH_OK)
            describe(search, row, place);
    }
    return status;
}

/* ---- Long runs ---- */

/* The cheapest row that is good in short runs and untried in long ones; NULL if none is left that can beat the best */
static struct ph_tune_row *next_to_confirm(const struct ph_tune_search *search)
{
    struct ph_tune_row *found = NULL;
    for (size_t k = 0; k < search->report->n_rows; ++k) {
        struct ph_tune_row *row = &search->report->rows[k];
        if (row->outcome == PH_TUNE_SCREENED && !row->confirmed && row->seconds < search->best &&
            (!found || row->seconds < found->seconds))
            found = row;
    }
    return found;
}

/* Long runs of one row, first with the step that short ones found. A row dearer than the best is left as it was. */
static enum ph_status confirm(struct ph_tune_search *search, struct ph_tune_row *row, struct ph_error *err)
{
    row->phase = row->n_trials;
    row->outcome = PH_TUNE_OPEN;
    row->confirmed = true;
    enum ph_status status = ph_tune_try(search, row, row->step, err);
    if (status == PH_OK)
        status = ph_tune_search_row(search, row, err);
    if (row->outcome == PH_TUNE_DEARER)
        row->outcome = PH_TUNE_SCREENED;
    return status;
}

static enum ph_status confirm_best(struct ph_tune_search *search, struct ph_error *err)
{
    struct ph_tune_report *report = search->report;
    for (size_t k = 0; k < report->n_rows; ++k)
        if (report->rows[k].outcome == PH_TUNE_MET)
            report->rows[k].outcome = PH_TUNE_SCREENED;
    search->best = INFINITY;
    search->time = report->time;
    search->states = (report->states + 1) / 2;
    enum ph_status status = PH_OK;
    struct ph_tune_row *row;
    while (status == PH_OK && (row = next_to_confirm(search))) {
        status = confirm(search, row, err);
        if (status == PH_OK)
            describe(search, row, "long runs of ");
    }
    return status;
}

/* ---- Gains ---- */

/* The c of verlet's error c h^2, from a long run with the step of its best short one; NaN if there is no such c */
static enum ph_status find_constant(struct ph_tune_search *search, struct ph_tune_row *reference, double *c,
                                    struct ph_error *err)
{
    *c = NAN;
    const struct ph_tune_trial *trial =
        reference->outcome == PH_TUNE_MISSED ? NULL : ph_tune_nearest(reference, search->goal, NULL);
    enum ph_status status = PH_OK;
    if (trial && !reference->confirmed) {
        reference->phase = reference->n_trials;
        status = ph_tune_try(search, reference, trial->step, err);
        trial = ph_tune_nearest(reference, search->goal, NULL);
    }
    if (trial && !trial->gave_up)
        *c = trial->error / (trial->step * trial->step);
    return status;
}

static enum ph_status find_gains(struct ph_tune_search *search, struct ph_error *err)
{
    struct ph_tune_report *report = search->report;
    struct ph_tune_row *reference = NULL;
    for (size_t k = 0; k < report->n_rows; ++k)
        if (is_reference(&report->rows[k]))
            reference = &report->rows[k];
    double c;
    const enum ph_status status = find_constant(search, reference, &c, err);
    if (status != PH_OK || !(c > 0.0))
        return status;
    if (reference->outcome == PH_TUNE_DEARER) {
        ph_tune_set_step(search, reference, ph_tune_round_step(sqrt(search->goal / c)), search->goal);
        reference->outcome = PH_TUNE_EXTRAPOLATED;
    }
    for (size_t k = 0; k < report->n_rows; ++k) {
        struct ph_tune_row *row = &report->rows[k];
        if (row->outcome == PH_TUNE_MET || row->outcome == PH_TUNE_SCREENED)
            row->gain = ph_tune_cost(search, reference, sqrt(row->error / c)) / row->seconds;
        if (row == reference)
            row->gain = 1.0;
    }
    return PH_OK;
}

/* Orders rows: first rows within the tolerance by their cost, then rows that were only screened, verlet, and the
 * rest. */
static int compare(const void *one, const void *other)
{
    const struct ph_tune_row *a = one, *b = other;
    if (a->outcome != b->outcome)
        return (a->outcome > b->outcome) - (a->outcome < b->outcome);
    return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

static void finish(struct ph_tune_search *search)
{
    struct ph_tune_report *report = search->report;
    const double lists = ph_pilot_lists_per_time(search->start->pilot);
    for (size_t k = 0; k < report->n_rows; ++k)
        report->rows[k].seconds += lists * search->costs[k].list;
    qsort(report->rows, report->n_rows, sizeof *report->rows, compare);
    if (report->n_rows == 0 || report->rows[0].outcome != PH_TUNE_MET)
        return;
    report->best = &report->rows[0];
    const struct ph_methods methods = {.scheme = report->best->scheme,
                                       .flow = report->best->flow,
                                       .inner = report->best->inner,
                                       .substeps = 1,
                                       .step = report->best->step};
    ph_methods_advice(&methods, search->start->system, &search->start->interactions, report->advice);
}

/* ---- What to try ---- */

static enum ph_status list_rows(const struct ph_input *input, const struct ph_tune_options *options,
                                const struct ph_tune_search *search, struct ph_error *err)
{
    struct ph_tune_report *report = search->report;
    const bool rotates = ph_system_degrees_rotation(search->start->system) > 0;
    const struct ph_scheme *own[N_CANDIDATES];
    const struct ph_flow *flows[2] = {ph_flow_find("exact"), ph_flow_find(input->dynamics.flow)};
    const size_t n_own = ph_tune_candidates(own, N_CANDIDATES);
    const size_t n_schemes = options->n_schemes ? options->n_schemes : options->all ? ph_scheme_count() : n_own;
    size_t n_flows = options->n_flows ? options->n_flows : flows[1] && flows[1] != flows[0] ? 2 : 1;
    n_flows = rotates ? n_flows : 1; /* nothing turns: flows do not differ */
    report->rows = calloc(n_schemes * n_flows + 1 + N_NESTED, sizeof *report->rows);
    if (!report->rows)
        return ph_no_memory(err, "the list of schemes");
    bool has_reference = false;
    for (size_t k = 0; k < n_schemes * n_flows; ++k) {
        struct ph_tune_row *row = &report->rows[report->n_rows++];
        const size_t s = k / n_flows;
        row->scheme = options->n_schemes ? options->schemes[s] : options->all ? ph_scheme_at(s) : own[s];
        row->flow = options->n_flows ? options->flows[k % n_flows] : flows[k % n_flows];
        has_reference = has_reference || is_reference(row);
    }
    if (!has_reference)
        report->rows[report->n_rows++] =
            (struct ph_tune_row){.scheme = ph_scheme_find("verlet"), .flow = ph_flow_find("exact")};
    report->fast = search->start->interactions.fast;
    const bool nested = report->fast.kind != PH_FAST_NONE && relative_tolerance(search) >= least_nested;
    for (size_t k = 0; k < N_NESTED && nested && !options->n_schemes; ++k)
        report->rows[report->n_rows++] = (struct ph_tune_row){.scheme = ph_scheme_find(nested_candidates[k]),
                                                              .flow = ph_flow_find("exact"),
                                                              .inner = ph_scheme_find(inner_candidate)};
    for (size_t k = 0; k < report->n_rows; ++k) {
        struct ph_tune_row *row = &report->rows[k];
        row->step = row->error = row->wander = row->evaluations = row->gradients = row->seconds = row->gain = NAN;
    }
    return PH_OK;
}

static enum ph_status time_rows(struct ph_tune_search *search, struct ph_error *err)
{
    const struct ph_tune_report *report = search->report;
    for (size_t k = 0; k < report->n_rows; ++k) {
        size_t same = 0;
        while (report->rows[same].flow != report->rows[k].flow)
            ++same;
        if (same < k) {
            search->costs[k] = search->costs[same];
            continue;
        }
        const enum ph_status status =
            ph_pilot_time_costs(search->start->pilot, report->rows[k].flow, &search->costs[k], err);
        if (status != PH_OK)
            return status;
    }
    return PH_OK;
}

enum ph_status ph_tune(const struct ph_input *input, const struct ph_tune_options *options,
                       struct ph_tune_report *report, struct ph_error *err)
{
    *report = (struct ph_tune_report){.tolerance = options->tolerance};
    struct ph_tune_start start;
    struct ph_tune_search search = {
        .options = options, .report = report, .start = &start, .goal = margin * options->tolerance, .best = INFINITY};
    ph_tune_say(&search, false, "preparing the system as for the production");
    enum ph_status status = ph_tune_prepare(input, options, &start, report, err);
    if (status == PH_OK) {
        ph_tune_say(&search, true, report->preparation);
        status = list_rows(input, options, &search, err);
    }
    if (status == PH_OK && !(search.costs = calloc(report->n_rows, sizeof *search.costs)))
        status = ph_no_memory(err, "the list of schemes");
    if (status == PH_OK)
        status = time_rows(&search, err);
    search.time = report->time / screening;
    search.states = report->states;
    if (status == PH_OK)
        status = search_all(&search, err);
    if (status == PH_OK)
        status = confirm_best(&search, err);
    if (status == PH_OK)
        status = find_gains(&search, err);
    if (status == PH_OK)
        finish(&search);
    free(search.costs);
    ph_tune_start_clear(&start);
    return status;
}
