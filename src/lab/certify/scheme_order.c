/* SPDX-License-Identifier: MIT */
/* Errors that show the order p of a scheme.
 *
 * One step: the error is ~ h^(p+1). Every step goes from -h/2 to h/2 about a fixed point of the true motion, so that
 * the error of a symmetric scheme has odd powers of h only. Where the first of them happens to be small, higher powers
 * show: the order is the median over several points. */

/* The end of a problem: the error is ~ h^p, once h is short. For longer h, errors made in collisions add up like errors
 * of a quadrature of an analytic function: to almost nothing, irregularly. Errors of high order are rounding before
 * they are regular, so the order is better read from one step; these errors give the cost of an accuracy. */
#include "lab/certify/scheme_order.h"

#include "lab/certify/scheme_reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 3 }; /* points needed; the order is their median */
enum { FALLEN = 4 }; /* near rounding this many times: shorter steps add nothing */

static void note(double step, double error, double rounding, struct ph_errors *errors)
{
    const int i = errors->n++;
    errors->step[i] = step;
    errors->error[i] = error;
    errors->rounding[i] = rounding;
    errors->most_rounding[i] = 30.0 * rounding;
}

/* ---- one step ---- */

/* From the longest down by a factor of 40 */
static const double step_ratio = 1.08;

/* Advances by a time t, in as many series as it takes */
static enum ph_status follow(const struct ph_trial_problem *problem, double t, struct ph_trial_body bodies[],
                             struct ph_error *err)
{
    const int pieces = (int)ceil(2.0 * fabs(t) / problem->longest - 1e-9);
    for (int i = 0; i < pieces; ++i) {
        struct ph_taylor *series;
        const enum ph_status status = ph_taylor_create(problem, bodies, &series, err);
        if (status != PH_OK)
            return status;
        ph_taylor_at(series, t / pieces, bodies);
        ph_taylor_destroy(series);
    }
    return PH_OK;
}

enum ph_status ph_single_steps_init(const struct ph_trial_problem *problem, struct ph_single_steps *steps,
                                    struct ph_error *err)
{
    struct ph_trial_body middle[PH_TRIAL_MOST];
    memcpy(middle, problem->start, sizeof middle);
    steps->problem = problem;
    for (int k = 0; k < PH_MIDDLES; ++k) {
        struct ph_taylor *series;
        enum ph_status status =
            follow(problem, problem->middle[k] - (k > 0 ? problem->middle[k - 1] : 0.0), middle, err);
        if (status == PH_OK)
            status = ph_taylor_create(problem, middle, &series, err);
        if (status != PH_OK)
            return status;
        for (int i = 0; i < PH_SINGLE_STEPS; ++i) {
            const double h = steps->step[i] = problem->longest * pow(step_ratio, -i);
            ph_taylor_at(series, -0.5 * h, steps->before[i][k]);
            ph_taylor_at(series, 0.5 * h, steps->after[i][k]);
        }
        ph_taylor_destroy(series);
    }
    return PH_OK;
}

/* Each flow of a step rounds some forty numbers of order one, and errors of single steps are not averaged. */
static double rounding_of_a_step(const struct ph_trial *trial)
{
    return (6.0 + sqrt((double)ph_trial_flows(trial))) * DBL_EPSILON;
}

/* Errors of single steps of length i of the list, one about each middle */
static enum ph_status add_errors(struct ph_trial *trial, const struct ph_single_steps *steps, int i,
                                 struct ph_errors errors[PH_MIDDLES], struct ph_error *err)
{
    struct ph_dynamics *dynamics;
    enum ph_status status = ph_trial_dynamics(trial, steps->step[i], &dynamics, err);
    for (int k = 0; k < PH_MIDDLES && status == PH_OK; ++k) {
        struct ph_trial_body end[PH_TRIAL_MOST];
        bool broken;
        ph_trial_put(steps->before[i][k], trial);
        ph_dynamics_reset(dynamics);
        status = ph_trial_move(dynamics, 1, &broken, err);
        ph_trial_take(trial, end);
        const double error = broken ? HUGE_VAL : ph_trial_distance(steps->problem->n, end, steps->after[i][k]);
        note(steps->step[i], error, rounding_of_a_step(trial), &errors[k]);
    }
    ph_dynamics_destroy(dynamics);
    return status;
}

static int by_order(const void *a, const void *b)
{
    const struct ph_order *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

enum ph_status ph_order_of_one_step(const struct ph_scheme *scheme, const struct ph_scheme *inner,
                                    const struct ph_flow *flow, const struct ph_single_steps *steps,
                                    struct ph_order *order, struct ph_error *err)
{
    struct ph_trial trial;
    struct ph_errors errors[PH_MIDDLES] = {{.n = 0}};
    struct ph_order found[PH_MIDDLES];
    size_t n = 0;
    int fallen = 0;
    enum ph_status status = ph_trial_init(steps->problem, scheme, flow, &trial, err);
    trial.inner = inner;
    for (int i = 0; i < PH_SINGLE_STEPS && status == PH_OK && fallen < FALLEN; ++i) {
        status = add_errors(&trial, steps, i, errors, err);
        double largest = 0.0;
        for (int k = 0; k < PH_MIDDLES; ++k)
            largest = fmax(largest, errors[k].error[i]);
        fallen += largest < 3.0 * rounding_of_a_step(&trial);
    }
    ph_trial_clear(&trial);
    for (int k = 0; k < PH_MIDDLES && status == PH_OK; ++k) {
        *order = ph_order_of_errors(&errors[k], 1.0, 1.0);
        if (order->resolved)
            found[n++] = *order;
    }
    qsort(found, n, sizeof *found, by_order);
    if (n > 0)
        *order = found[n / 2];
    if (n > 0 && n % 2 == 0)
        order->order = 0.5 * (found[n / 2 - 1].order + found[n / 2].order);
    order->resolved = n >= FEWEST; /* whether more points show an order depends on the last digits */
    return status;
}

/* ---- the end ---- */

/* Numbers of steps: 1, 2, .. 10, then each about 11/10 of the one before, until the error has been rounding a few
 * times or much has been spent */
static long next_count(long n) { return n + 1 + n / 10; }
enum { MOST_EVALUATIONS = 2000 };

enum ph_status ph_errors_at_the_end(const struct ph_scheme *scheme, const struct ph_scheme *inner,
                                    const struct ph_flow *flow, const struct ph_trial_problem *problem,
                                    struct ph_errors *errors, struct ph_error *err)
{
    *errors = (struct ph_errors){.n = 0};
    struct ph_trial trial;
    enum ph_status status = ph_trial_init(problem, scheme, flow, &trial, err);
    trial.inner = inner;
    const int cost = ph_scheme_evaluations(scheme) + ph_scheme_gradients(scheme);
    int fallen = 0;
    for (long n = 1; status == PH_OK && n * cost <= MOST_EVALUATIONS && fallen < FALLEN && errors->n < PH_ERRORS_MOST;
         n = next_count(n)) {
        struct ph_trial_body end[PH_TRIAL_MOST];
        bool broken;
        ph_trial_put(problem->start, &trial);
        status = ph_trial_advance(&trial, problem->time / (double)n, n, &broken, err);
        ph_trial_take(&trial, end);
        const double error = broken ? HUGE_VAL : ph_trial_distance(problem->n, end, problem->end);
        note(problem->time / (double)n, error, problem->rounding, errors);
        fallen += error < problem->rounding;
    }
    ph_trial_clear(&trial);
    return status;
}

double ph_step_for_error(const struct ph_errors *errors, double bound)
{
    int i = errors->n;
    while (i > 0 && errors->error[i - 1] <= bound)
        --i;
    if (i == errors->n)
        return NAN;
    if (i == 0)
        return errors->step[0];
    const double part = log(bound / errors->error[i]) / log(errors->error[i - 1] / errors->error[i]);
    return isfinite(part) ? errors->step[i] * pow(errors->step[i - 1] / errors->step[i], part) : errors->step[i];
}
