/* SPDX-License-Identifier: MIT */
#include "run/tune/tune_search.h"

#include "base/plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The error aimed at by the next step, and the error at which the search stops lengthening the step; as parts of the
 * goal */
static const double aim = 0.85, near_enough = 0.6;
enum { TRIALS = PH_TUNE_TRIALS / 2 };  /* in a phase */
static const double most_passes = 1e6; /* in a run from one state */
/* A scheme is dropped when even a low estimate of its cost exceeds the best so far by this factor. */
static const double too_dear = 1.5;

const char *ph_tune_row_name(const struct ph_tune_row *row, char name[PH_TUNE_NAME])
{
    snprintf(name, PH_TUNE_NAME, row->inner ? "%s/%s" : "%s", row->scheme->name, row->inner ? row->inner->name : "");
    return name;
}

/* Seconds per unit of time; without lists, which cost all schemes the same, so that noise in them decides nothing */
double ph_tune_cost(const struct ph_tune_search *search, const struct ph_tune_row *row, double step)
{
    const struct ph_pilot_costs *costs = &search->costs[row - search->report->rows];
    const int gradients = ph_scheme_gradients(row->scheme);
    return (ph_scheme_evaluations(row->scheme) * costs->evaluation +
            (gradients > 0 ? gradients * costs->gradient : 0.0) +
            (row->inner ? ph_scheme_fast_evaluations(row->scheme, row->inner, 1) * costs->fast : 0.0)) /
           step;
}

void ph_tune_say(const struct ph_tune_search *search, bool lasting, const char *text)
{
    if (search->options->progress)
        search->options->progress(text, lasting, search->options->data);
}

/* Rounds down to three digits, so that the recommended step is exactly the measured one. */
double ph_tune_round_step(double step)
{
    const double unit = pow(10.0, floor(log10(step)) - 2.0);
    char text[32];
    ph_snprintf(text, sizeof text, "%.2e", floor(step / unit * (1.0 + 1e-12)) * unit);
    return ph_strtod(text, NULL);
}

enum ph_status ph_tune_try(struct ph_tune_search *search, struct ph_tune_row *row, double step, struct ph_error *err)
{
    const struct ph_tune_report *report = search->report;
    struct ph_pilot_run run;
    step = ph_tune_round_step(fmin(step, search->time)); /* a step at least */
    const double limit = fmax(1e4 * report->tolerance, 0.5 * search->start->kinetic);
    const struct ph_dynamics_options options = {
        .scheme = row->scheme, .flow = row->flow, .step = step, .inner = row->inner, .substeps = 1};
    const enum ph_status status =
        ph_pilot_measure(search->start->pilot, search->states, options, search->time, limit, &run, err);
    if (status != PH_OK)
        return status;
    row->trial[row->n_trials++] = (struct ph_tune_trial){
        .step = step, .error = run.error, .time = search->time, .wander = run.wander, .gave_up = run.gave_up};
    if (run.failure[0])
        snprintf(row->why, sizeof row->why, "%.250s", run.failure);
    char text[256], name[PH_TUNE_NAME];
    ph_snprintf(text, sizeof text, "%s with %s: step %g, error %.2e", ph_tune_row_name(row, name), row->flow->name,
                step, run.error);
    ph_tune_say(search, false, text);
    return PH_OK;
}

/* The longest step within the tolerance with none beyond it below, and the shortest beyond it; NULL if there is none */
struct bracket {
    const struct ph_tune_trial *good, *bad;
};

static struct bracket find_bracket(const struct ph_tune_row *row, double goal)
{
    struct bracket bracket = {.good = NULL};
    for (size_t k = row->phase; k < row->n_trials; ++k) {
        const struct ph_tune_trial *trial = &row->trial[k];
        if (!(trial->error <= goal) && (!bracket.bad || trial->step < bracket.bad->step))
            bracket.bad = trial;
    }
    for (size_t k = row->phase; k < row->n_trials; ++k) {
        const struct ph_tune_trial *trial = &row->trial[k];
        if (trial->error <= goal && (!bracket.bad || trial->step < bracket.bad->step) &&
            (!bracket.good || trial->step > bracket.good->step))
            bracket.good = trial;
    }
    return bracket;
}

/* The trial whose error is nearest to the goal; NULL if all failed */
const struct ph_tune_trial *ph_tune_nearest(const struct ph_tune_row *row, double goal, const struct ph_tune_trial *but)
{
    const struct ph_tune_trial *found = NULL;
    for (size_t k = row->phase; k < row->n_trials; ++k) {
        const struct ph_tune_trial *trial = &row->trial[k];
        if (trial != but && trial->error > 0.0 && isfinite(trial->error) &&
            (!found || fabs(log(trial->error / goal)) < fabs(log(found->error / goal))))
            found = trial;
    }
    return found;
}

/* The power of the step that the error follows nearby: at first the order of the scheme */
static double local_power(const struct ph_tune_row *row, double goal)
{
    const struct ph_tune_trial *one = ph_tune_nearest(row, goal, NULL), *other = ph_tune_nearest(row, goal, one);
    const double order = row->scheme->order;
    if (!one || !other || one->step == other->step)
        return order;
    const double power = log(one->error / other->error) / log(one->step / other->step);
    return fmin(fmax(power, 0.6 * order), 2.5 * order);
}

/* The least that a step within the tolerance can cost. Errors of coarse steps first fall faster than the order. */
double ph_tune_kind_guess(const struct ph_tune_search *search, const struct ph_tune_row *row)
{
    const double goal = search->goal;
    const struct ph_tune_trial *trial = ph_tune_nearest(row, goal, NULL);
    double shortest = INFINITY;
    for (size_t k = row->phase; k < row->n_trials; ++k)
        shortest = fmin(shortest, row->trial[k].step);
    if (!trial)
        return ph_tune_cost(search, row, shortest);
    const double power = fmax(local_power(row, goal), (trial->error > goal ? 1.5 : 1.0) * row->scheme->order);
    return ph_tune_cost(search, row, trial->step * pow(goal / trial->error, 1.0 / power));
}

static double next_step(const struct ph_tune_row *row, double goal)
{
    const struct bracket bracket = find_bracket(row, goal);
    const struct ph_tune_trial *trial = ph_tune_nearest(row, goal, NULL);
    if (!trial)
        return bracket.bad ? 0.5 * bracket.bad->step : 2.0 * bracket.good->step; /* all failed, or had no error */
    const double factor = pow(aim * goal / trial->error, 1.0 / local_power(row, goal));
    double step = trial->step * fmin(fmax(factor, 0.4), 2.0);
    if (bracket.bad && step > 0.98 * bracket.bad->step)
        step = (bracket.good ? sqrt(bracket.good->step / bracket.bad->step) : 0.8) * bracket.bad->step;
    if (bracket.good && step < 1.02 * bracket.good->step)
        step = bracket.bad ? sqrt(bracket.good->step * bracket.bad->step) : 1.2 * bracket.good->step;
    return step;
}

static bool is_found(const struct ph_tune_search *search, const struct ph_tune_row *row)
{
    const struct bracket bracket = find_bracket(row, search->goal);
    return bracket.good && (bracket.good->error >= near_enough * search->goal ||
                            (bracket.bad && bracket.bad->step < 1.06 * bracket.good->step) ||
                            bracket.good->step >= 0.98 * search->time);
}

/* True if the error of the shortest step is hardly smaller than the error of a step at least a quarter longer. The
 * cause is rounding, or the potential at its cutoff. */
static bool has_floor(const struct ph_tune_search *search, const struct ph_tune_row *row)
{
    const struct ph_tune_trial *last = &row->trial[row->n_trials - 1];
    for (size_t k = row->phase; k + 1 < row->n_trials; ++k) {
        const struct ph_tune_trial *trial = &row->trial[k];
        if (last->error > 0.75 * trial->error && trial->step > 1.25 * last->step && !trial->gave_up &&
            trial->error < 0.1 * search->start->kinetic && last->error > search->goal)
            return true;
    }
    return false;
}

void ph_tune_set_step(const struct ph_tune_search *search, struct ph_tune_row *row, double step, double error)
{
    row->step = step;
    row->error = error;
    row->evaluations = ph_scheme_evaluations(row->scheme) / step;
    row->gradients = ph_scheme_gradients(row->scheme) / step;
    row->fast = row->inner ? ph_scheme_fast_evaluations(row->scheme, row->inner, 1) / step : 0.0;
    row->seconds = ph_tune_cost(search, row, step);
    row->why[0] = '\0';
}

/* Ends the search of a row, because no further trial helps. The result is the best trial so far, or none. */
static void end_search(struct ph_tune_search *search, struct ph_tune_row *row, const char *why)
{
    const struct ph_tune_trial *good = find_bracket(row, search->goal).good;
    row->outcome = good ? PH_TUNE_MET : PH_TUNE_MISSED;
    if (good) {
        ph_tune_set_step(search, row, good->step, good->error);
        row->wander = good->wander;
        search->best = fmin(search->best, row->seconds);
    } else if (why)
        snprintf(row->why, sizeof row->why, "%s", why);
}

enum ph_status ph_tune_search_row(struct ph_tune_search *search, struct ph_tune_row *row, struct ph_error *err)
{
    const double passes = ph_scheme_evaluations(row->scheme) + ph_scheme_gradients(row->scheme);
    enum ph_status status = PH_OK;
    while (row->outcome == PH_TUNE_OPEN && status == PH_OK) {
        const double step = next_step(row, search->goal);
        if (is_found(search, row) || row->n_trials - row->phase == TRIALS)
            end_search(search, row, NULL);
        else if (has_floor(search, row))
            end_search(search, row, "the error no longer falls with the step: rounding, or forces that are not smooth");
        else if (ph_tune_kind_guess(search, row) > too_dear * search->best ||
                 search->time / step * passes > most_passes)
            row->outcome = PH_TUNE_DEARER;
        else
            status = ph_tune_try(search, row, step, err);
    }
    return status;
}
