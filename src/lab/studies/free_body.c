/* SPDX-License-Identifier: MIT */
/* Work and precision of free-body methods on random bodies, and exact methods in one long step: Figures 1 and 2 and
 * Table 1 of Celledoni et al. */
#include "lab/studies/frame/study.h"

#include "lab/bench/flows.h"
#include "lab/papers.h"
#include "lab/problems/flow_states.h"
#include "lab/problems/free_bodies.h"
#include "lab/stopwatch.h"
#include "lab/studies/dmv_fixed_point.h"
#include "lab/studies/frame/work.h"

#include <math.h>
#include <stdlib.h>

enum { CLAIM_EXPENSIVE, CLAIM_CONVERGE, CLAIM_THIRD, CLAIM_ROUNDOFF, CLAIM_COMPARABLE, CLAIM_RATE, CLAIMS };

/* ---- Texts about the measurement ---- */

static const char said_expensive[] =
    "A step of the exact methods of the paper takes %.1f times as long as one of dmv (means of both, h = 0.014).";
static const char also_expensive[] =
    "The flow `exact`, the same solution with fewer elliptic functions, takes %.0f ns, %.1f times dmv10.";
static const char said_rate[] = "The exact methods cost %.2f times dmv at h = 0.34 and %.2f times at h = 0.014.";
static const char said_third[] = "Methods with quadrature take %.2f (rotation) and %.2f (quaternion) of the time of "
                                 "those with the elliptic integral.";
static const char said_converge[] =
    "The exact methods do. With steps of 0.34 the paper's fixed-point iteration converges for %d, %d and %d of %d "
    "bodies (dmv6, dmv8, dmv10). It converges for %d, %d and %d if moments are three random numbers over the largest, "
    "possible for a body or not, and momenta three random numbers; the paper does not say how it draws. The flows of "
    "this program use Newton's iteration, make steps beyond its reach in parts, and converge for %d, %d and %d.";
static const char said_roundoff[] = "After 714 steps of 0.014 the orientation is off by %.1e (rotation) and %.1e "
                                    "(quaternion), with dmv10 by %.1e (10 to the mean number of digits).";
static const char said_comparable[] =
    "One step of h = 5, 100 bodies: median error %.1e (rotation) and %.1e (quaternion), deviation %.1e and %.1e; "
    "median time %.0f and %.0f ns. The paper has 7.1e-13 and 3.3e-13, 22 and 21 microseconds; its errors are those of "
    "its reference, ode45.";
static const char note[] = "Errors of orientations are distances of unit quaternions. Table 1 of the paper has the "
                           "infinity norm of the difference of the matrices, which is up to 2 sqrt(2) times as much.";
static const char headline[] = "100 random bodies at t = 10: with steps of 0.34 the orientation has %.1f digits by the "
                               "exact rotation method, %.1f by dmv10 and %.1f by dmv6";

enum { METHODS = 11, RUNS = 100 };
static const char *const methods[METHODS] = {"exact-rotation",
                                             "exact-kosenko",
                                             "exact-rotation-g6",
                                             "exact-rotation-g8",
                                             "exact-rotation-g10",
                                             "exact-kosenko-g6",
                                             "exact-kosenko-g8",
                                             "exact-kosenko-g10",
                                             "dmv6",
                                             "dmv8",
                                             "dmv10"};
enum { ROTATION, QUATERNION, ROTATION_G, QUATERNION_G = 5, DMV = 8 };

/* ---- One step of length 5 ---- */

static const double long_step = 5.0;

struct single {
    double median, deviation;       /* of the error */
    double ns_median, ns_deviation; /* of the time of one step of one body */
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void describe(double values[RUNS], double *median, double *deviation)
{
    double mean = 0.0, square = 0.0;
    qsort(values, RUNS, sizeof *values, compare);
    *median = 0.5 * (values[RUNS / 2 - 1] + values[RUNS / 2]);
    for (int i = 0; i < RUNS; ++i)
        mean += values[i] / RUNS;
    for (int i = 0; i < RUNS; ++i)
        square += (values[i] - mean) * (values[i] - mean) / (RUNS - 1);
    *deviation = sqrt(square);
}

/* Time of a step of one body, in a full vector of copies of it */
static enum ph_status time_step(const struct ph_flow *flow, const struct ph_top *top, const double m[3], double *ns,
                                struct ph_error *err)
{
    enum { CALLS = 100 };
    static const double one[4] = {1.0, 0.0, 0.0, 0.0};
    struct ph_bodies bodies;
    const enum ph_status status = ph_states_create(PH_LANES, &bodies, err);
    if (status != PH_OK)
        return status;
    for (size_t i = 0; i < PH_LANES; ++i)
        ph_states_put(bodies, i, m, one);
    ph_bodies_set_norm(bodies);
    const struct ph_stopwatch watch = ph_stopwatch_start(1);
    for (int k = 0; k < CALLS; ++k)
        ph_flow_advance(flow, top, long_step, bodies);
    *ns = 1e9 * ph_stopwatch_read_any(&watch) / (CALLS * PH_LANES);
    ph_states_destroy(&bodies);
    return PH_OK;
}

/* The paper: random momenta, one body (it does not say which); here random bodies too. Measures the error of the
 * orientation after one step, against Taylor series. */
static enum ph_status measure_single(const char *name, uint64_t seed, struct ph_table *runs, struct single *single,
                                     struct ph_error *err)
{
    const struct ph_flow *flow = ph_flow_find(name);
    double errors[RUNS], times[RUNS];
    const int threads = ph_bench_max_threads();
    enum ph_status status = PH_OK;
    ph_stopwatch_use_threads(1);
    for (size_t i = 0; i < RUNS && status == PH_OK; ++i) {
        double inertia[3], m[1][3];
        struct ph_top top;
        ph_free_draw_inertia(seed, i, inertia);
        ph_free_draw_momentum(seed, i, m[0]);
        status = ph_top_init(inertia, &top, err);
        if (status == PH_OK)
            status = ph_free_error_checked(flow, &top, m[0], long_step, &errors[i], err);
        if (status == PH_OK)
            status = time_step(flow, &top, m[0], &times[i], err);
        if (status == PH_OK)
            status = ph_table_append(runs, (const char *const[]){name},
                                     (const double[]){(double)i, errors[i], times[i]}, err);
    }
    ph_stopwatch_use_threads(threads);
    if (status == PH_OK) {
        describe(errors, &single->median, &single->deviation);
        describe(times, &single->ns_median, &single->ns_deviation);
    }
    return status;
}

/* ---- Claims ---- */

/* Points of all methods: n for each, with steps from 0.34 to 0.014 */
struct work {
    int n;
    struct ph_work_point *points; /* owned */
};

static const struct ph_work_point *coarsest(const struct work *work, int method)
{
    return &work->points[method * work->n];
}

static const struct ph_work_point *finest(const struct work *work, int method)
{
    return &work->points[(method + 1) * work->n - 1];
}

static double mean_cost(const struct work *work, int first, int n, bool fine)
{
    double sum = 0.0;
    for (int k = first; k < first + n; ++k)
        sum += (fine ? finest(work, k) : coarsest(work, k))->ns_per_body_step / n;
    return sum;
}

static void judge_cost(struct ph_study_result *result, const struct work *work)
{
    const double coarse = mean_cost(work, ROTATION, 2, false) / mean_cost(work, DMV, 3, false);
    const double fine = mean_cost(work, ROTATION, 2, true) / mean_cost(work, DMV, 3, true);
    ph_study_judge(result, CLAIM_EXPENSIVE, ph_finding(fine > 1.5, fine > 1.1), said_expensive, fine);
    const struct ph_flow *usual = ph_flow_find("exact");
    const int one = 1;
    struct ph_flow_timing timing;
    struct ph_error ignored;
    if (ph_time_flows(1, &usual, 1, &one, 0.1, &timing, &ignored) == PH_OK)
        ph_study_add(result, CLAIM_EXPENSIVE, also_expensive, timing.ns[0],
                     timing.ns[0] / finest(work, DMV + 2)->ns_per_body_step);
    ph_study_judge(result, CLAIM_RATE, ph_finding(coarse < 0.9 * fine, coarse < fine), said_rate, coarse, fine);
    const double rotation = mean_cost(work, ROTATION_G, 3, false) / mean_cost(work, ROTATION, 1, false);
    const double quaternion = mean_cost(work, QUATERNION_G, 3, false) / mean_cost(work, QUATERNION, 1, false);
    const double third = 0.5 * (rotation + quaternion);
    ph_study_judge(result, CLAIM_THIRD, ph_finding(third > 0.23 && third < 0.43, third < 0.75), said_third, rotation,
                   quaternion);
}

/* "75 successes" of 100: three deviations of such a count are 13. The claim is on bodies as the paper draws them, which
 * may differ from the bodies of the study. */
static void judge_convergence(struct ph_study_result *result, const struct ph_dmv_converged c[3])
{
    int near = 0;
    for (int k = 0; k < 3; ++k)
        near += abs(c[k].fixed_point - 75) <= 13;
    ph_study_judge(result, CLAIM_CONVERGE, ph_finding(near == 3, true), said_converge, c[0].fixed_point,
                   c[1].fixed_point, c[2].fixed_point, RUNS, c[0].fixed_point_any, c[1].fixed_point_any,
                   c[2].fixed_point_any, c[0].flow, c[1].flow, c[2].flow);
}

static void judge_rounding(struct ph_study_result *result, const struct work *work)
{
    const double rotation = finest(work, ROTATION)->error_q, quaternion = finest(work, QUATERNION)->error_q,
                 dmv = finest(work, DMV + 2)->error_q;
    const bool worse_rotation = rotation > 1.5 * dmv, worse_quaternion = quaternion > 1.5 * dmv;
    ph_study_judge(result, CLAIM_ROUNDOFF,
                   ph_finding(worse_rotation && worse_quaternion, worse_rotation || worse_quaternion), said_roundoff,
                   rotation, quaternion, dmv);
}

static void judge_single(struct ph_study_result *result, const struct single *r, const struct single *q)
{
    const double accuracy = r->median / q->median, cost = r->ns_median / q->ns_median;
    const bool same_accuracy = accuracy < 3.0 && accuracy > 1.0 / 3.0, same_cost = cost < 1.5 && cost > 1.0 / 1.5;
    ph_study_judge(result, CLAIM_COMPARABLE, ph_finding(same_accuracy && same_cost, same_accuracy), said_comparable,
                   r->median, q->median, r->deviation, q->deviation, r->ns_median, q->ns_median);
}

/* ---- The study ---- */

static const struct ph_table_column single_columns[] = {
    {"flow", "flow of the free rigid body", true},
    {"error_median", "of the orientation after one step of length 5, 100 random bodies", false},
    {"error_deviation", "standard deviation of that error", false},
    {"ns_median", "processor time of a step of one body, eight side by side", false},
    {"ns_deviation", "standard deviation of that time", false},
};
static const struct ph_table_column run_columns[] = {
    {"flow", "flow of the free rigid body", true},
    {"run", "number of the body", false},
    {"error", "of the orientation after one step of length 5", false},
    {"ns", "processor time of a step", false},
};

static enum ph_status measure(const struct ph_study_options *options, const struct work *work,
                              struct ph_study_result *result, struct ph_error *err)
{
    const struct ph_flow *flows[METHODS];
    struct single single[2];
    struct ph_dmv_converged converged[3] = {{.flow = 0}};
    for (int k = 0; k < METHODS; ++k)
        flows[k] = ph_flow_find(methods[k]);
    enum ph_status status = ph_study_measure_work(METHODS, flows, PH_WORK_RANDOM, work->n,
                                                  (struct ph_study_part){0.0, 0.9}, work->points, result, err);
    for (int k = 0; k < 2 && status == PH_OK; ++k) {
        status = measure_single(methods[k], options->seed, &result->table[2], &single[k], err);
        if (status == PH_OK)
            status = ph_table_append(
                &result->table[0], (const char *const[]){methods[k]},
                (const double[]){single[k].median, single[k].deviation, single[k].ns_median, single[k].ns_deviation},
                err);
    }
    for (int k = 0; k < 3 && status == PH_OK; ++k)
        status = ph_dmv_count_converged(ph_flow_find(methods[DMV + k]), options->seed, RUNS, &converged[k], err);
    if (status != PH_OK)
        return status;
    judge_cost(result, work);
    judge_rounding(result, work);
    judge_single(result, &single[ROTATION], &single[QUATERNION]);
    judge_convergence(result, converged);
    ph_study_note(result, note);
    ph_study_headline(result, headline, ph_free_digits(coarsest(work, ROTATION)->error_q),
                      ph_free_digits(coarsest(work, DMV + 2)->error_q), ph_free_digits(coarsest(work, DMV)->error_q));
    return PH_OK;
}

static enum ph_status run(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err)
{
    const int n = options->quick ? 4 : PH_WORK_STEPS;
    const struct work work = {.n = n, .points = calloc(METHODS * (size_t)n, sizeof *work.points)};
    if (!work.points)
        return ph_no_memory(err, "%d points", METHODS * n);
    const enum ph_status status = measure(options, &work, result, err);
    free(work.points);
    return status;
}

const struct ph_study ph_study_free_body = {
    .name = "free-body",
    .title = "Work and precision of free-body methods",
    .figure = "Figures 1 and 2 and Table 1",
    .reference = PH_PAPER_CELLEDONI ", section 3.2",
    .setup = "100 random bodies, I1 < I2 < I3 = 1, with random momenta in the first octant, followed to t = 10 with "
             "twenty steps from 0.34 to 0.014 by the exact rotation and quaternion methods, the same with quadrature "
             "of order 6, 8 and 10, and dmv6, dmv8, dmv10; then one step of length 5 with the two exact methods.",
    .quick = "Four steps instead of twenty.",
    .plot = "work",
    .shows = {{"Figure 1", "free-body.svg",
               "left: precision against processor time; right: relative cost against the step"},
              {"Figure 2", "free-body-single.svg", "time and error of every run"},
              {"Table 1", "single.csv", "medians and deviations"}},
    .claim =
        {[CLAIM_EXPENSIVE] = {PH_FINDING_NONE, "The exact methods are clearly more expensive."},
         [CLAIM_CONVERGE] = {PH_FINDING_PARTLY,
                             "They always converge (against 75 successes for the methods dmv6, dmv8, dmv10, that are "
                             "depending on a step size small enough for the fixed point iterations to converge)."},
         [CLAIM_THIRD] = {PH_FINDING_NONE, "The cost of the methods using Gaussian quadrature is about 1/3 of the "
                                           "methods using the exact elliptic integral."},
         [CLAIM_ROUNDOFF] =
             {PH_FINDING_HOLDS,
              "The exact methods discussed in this paper reveal a worse accumulation of roundoff error."},
         [CLAIM_COMPARABLE] = {PH_FINDING_NONE,
                               "The accuracy of the two exact methods is very comparable and also their cost."},
         [CLAIM_RATE] = {PH_FINDING_NONE, "Their relative cost rate improves for large time-steps."}},
    .tables = {PH_STUDY_TABLE("single", "one long step, as in Table 1", single_columns),
               PH_STUDY_TABLE("work", "errors at t = 10 and their cost", ph_study_work_columns),
               PH_STUDY_TABLE("runs", "every run of the long step, as in Figure 2", run_columns)},
    .run = run,
};
