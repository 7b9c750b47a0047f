/* SPDX-License-Identifier: MIT */
/* The order p of a flow, in two ways.
 *
 * One step: the error is ~ h^(p+1). Every step is centred on a fixed point of the trajectory, from the time -h/2 to
 * h/2. The error of a symmetric flow then has odd powers of h only. It settles to the first of them at steps so long
 * that it is still seen. So high orders, too, can be distinguished from rounding. From a fixed point onwards all powers
 * would mix. */

/* A fixed time: the error is ~ h^p. It shows how errors add up along the trajectory. But for high orders it is rounding
 * before it settles. Where quadratures along a fast periodic motion cancel irregularly, it does not settle at all.
 *
 * In both, eight copies of the body take eight points of one and the same trajectory. So an error that happens to
 * vanish at one of them does not spoil the slope. The errors are averaged (rms). */
#include "lab/certify/flow_order.h"

#include "lab/problems/flow_reference.h"

#include <float.h>
#include <math.h>

const double ph_certify_time = 2.0;

enum { COPIES = PH_LANES };

static double square(double x) { return x * x; }

/* |omega| at the start */
static double rate_of(const struct ph_certify_body *body)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
        sum += body->inertia[k] > 0.0 ? square(body->momentum[k] / body->inertia[k]) : 0.0;
    return sqrt(sum);
}

/* The body at 2 COPIES points, equally spaced over twice the fixed time */
static void follow(const struct ph_certify_body *body, struct ph_reference_body points[2 * COPIES])
{
    struct ph_reference_body start = {.q = {1.0L}};
    for (int k = 0; k < 3; ++k)
        start.m[k] = body->momentum[k];
    long double t[2 * COPIES];
    for (int i = 0; i < 2 * COPIES; ++i)
        t[i] = (long double)i * (long double)ph_certify_time / COPIES;
    ph_reference_follow(body->inertia, &start, 2 * COPIES, t, points);
}

static void set(const struct ph_reference_body start[COPIES], struct ph_bodies bodies)
{
    for (int i = 0; i < COPIES; ++i) {
        for (int k = 0; k < 3; ++k)
            bodies.m[k][i] = (double)start[i].m[k];
        for (int k = 0; k < 4; ++k)
            bodies.q[k][i] = (double)start[i].q[k];
    }
    ph_bodies_set_norm(bodies);
}

/* Root mean square over the copies of |m - m*| / |m| and |q -+ q*| */
static void compare(struct ph_bodies bodies, const struct ph_reference_body end[COPIES], double *error_m,
                    double *error_q)
{
    double sum_m = 0.0, sum_q = 0.0;
    for (int i = 0; i < COPIES; ++i) {
        double minus = 0.0, plus = 0.0;
        for (int k = 0; k < 3; ++k)
            sum_m += square((double)(bodies.m[k][i] - end[i].m[k]) / bodies.norm[i]);
        for (int k = 0; k < 4; ++k) {
            minus += square((double)(bodies.q[k][i] - end[i].q[k]));
            plus += square((double)(bodies.q[k][i] + end[i].q[k]));
        }
        sum_q += fmin(minus, plus);
    }
    *error_m = sqrt(sum_m / COPIES);
    *error_q = sqrt(sum_q / COPIES);
}

/* Rounding: of one step, as seen with the exact flows; of several, a random walk of some units in the last place */
static double rounding_error(int n_steps) { return (n_steps == 1 ? 2.0 : 8.0 * sqrt((double)n_steps)) * DBL_EPSILON; }

/* The most that rounding can do: a longer random walk, a bias, and the motion itself, because neighbouring trajectories
 * separate linearly in time, at worst by the angle turned. */
static double most_rounding(int n_steps, double angle)
{
    const double walk = 32.0 * sqrt((double)n_steps), bias = 4.0 * n_steps;
    return fmax(1.0, angle / 8.0) * (walk + bias) * DBL_EPSILON;
}

/* Errors of m and q as the step shrinks */
struct record {
    struct ph_errors m, q;
};

/* The state after n_steps steps of length h, compared with the end */
static void add(const struct ph_flow *flow, const struct ph_top *top, double h, int n_steps,
                const struct ph_reference_body start[COPIES], const struct ph_reference_body end[COPIES], double rate,
                struct record *record)
{
    PH_ALIGNED double m[3][COPIES], q[4][COPIES], norm[COPIES];
    const struct ph_bodies bodies = {.n = COPIES, .m = {m[0], m[1], m[2]}, .q = {q[0], q[1], q[2], q[3]}, .norm = norm};
    set(start, bodies);
    for (int step = 0; step < n_steps; ++step)
        ph_flow_advance(flow, top, h, bodies);
    const int i = record->m.n++;
    record->q.n = record->m.n;
    compare(bodies, end, &record->m.error[i], &record->q.error[i]);
    record->m.step[i] = record->q.step[i] = h;
    record->m.rounding[i] = record->q.rounding[i] = rounding_error(n_steps);
    record->m.most_rounding[i] = record->q.most_rounding[i] = most_rounding(n_steps, rate * h * n_steps);
}

/* ---- The reference ---- */

/* Steps from the longest down by a factor of more than 400, each 24/25 of the one before */
enum { N_STEPS = 150 };
static const double longest_turn = 2.9, step_ratio = 25.0 / 24.0;

/* A body at points of its motion, and half a step before and after the first COPIES of them */
struct course {
    struct ph_reference_body point[2 * COPIES], before[COPIES][N_STEPS], after[COPIES][N_STEPS];
    double h[N_STEPS]; /* 0: not known yet */
};

static void find_course(const struct ph_certify_body *body, struct course *course)
{
    long double before[N_STEPS], after[N_STEPS];
    for (int i = 0; i < N_STEPS; ++i) { /* the shortest first */
        course->h[i] = longest_turn / rate_of(body) * pow(step_ratio, i + 1 - N_STEPS);
        after[i] = 0.5L * (long double)course->h[i];
        before[i] = -after[i];
    }
    follow(body, course->point);
    for (int c = 0; c < COPIES; ++c) {
        ph_reference_follow(body->inertia, &course->point[c], N_STEPS, before, course->before[c]);
        ph_reference_follow(body->inertia, &course->point[c], N_STEPS, after, course->after[c]);
    }
}

/* The same for all flows */
static const struct course *course_of(const struct ph_certify_body *body)
{
    static struct course kept[PH_CERTIFY_BODIES];
    struct course *course = &kept[body - ph_certify_bodies];
    if (course->h[0] == 0.0)
        find_course(body, course);
    return course;
}

/* ---- one step ---- */

static void measure_one_step(const struct ph_flow *flow, const struct ph_top *top, const struct course *course,
                             double rate, struct record *record)
{
    for (int i = N_STEPS - 1; i >= 0; --i) {
        struct ph_reference_body from[COPIES], to[COPIES];
        for (int c = 0; c < COPIES; ++c) {
            from[c] = course->before[c][i];
            to[c] = course->after[c][i];
        }
        add(flow, top, course->h[i], 1, from, to, rate, record);
    }
}

/* ---- a fixed time ---- */

/* Numbers of steps: 1, 2, .. 16, then each about 17/16 of the one before */
enum { LARGEST_COUNT = 2048 };
static int next_count(int n) { return n + 1 + n / 16; }

static void measure_fixed_time(const struct ph_flow *flow, const struct ph_top *top,
                               const struct ph_reference_body points[2 * COPIES], double rate, struct record *record)
{
    for (int n = 1; n <= LARGEST_COUNT && record->m.n < PH_ERRORS_MOST; n = next_count(n))
        add(flow, top, ph_certify_time / n, n, points, points + COPIES, rate, record);
}

enum ph_status ph_measure_flow_order(const struct ph_flow *flow, const struct ph_certify_body *body,
                                     struct ph_flow_orders *orders, struct ph_error *err)
{
    struct ph_top top;
    const enum ph_status status = ph_top_init(body->inertia, &top, err);
    if (status != PH_OK)
        return status;
    const struct course *course = course_of(body);
    const double rate = rate_of(body);
    struct record one_step = {0}, fixed_time = {0};
    measure_one_step(flow, &top, course, rate, &one_step);
    measure_fixed_time(flow, &top, course->point, rate, &fixed_time);
    orders->m[PH_ORDER_ONE_STEP] = ph_order_of_errors(&one_step.m, 1.0, rate);
    orders->q[PH_ORDER_ONE_STEP] = ph_order_of_errors(&one_step.q, 1.0, rate);
    orders->m[PH_ORDER_FIXED_TIME] = ph_order_of_errors(&fixed_time.m, 0.0, rate);
    orders->q[PH_ORDER_FIXED_TIME] = ph_order_of_errors(&fixed_time.q, 0.0, rate);
    return PH_OK;
}
