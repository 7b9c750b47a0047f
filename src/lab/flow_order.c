/* SPDX-License-Identifier: MIT */
/* The order of a flow: how its error at a fixed time falls with the step.
 *
 * Eight copies of the body start at eight points of one and the same trajectory, so that an error that happens to
 * vanish at one instant does not spoil the slope; their errors after the time `duration` are averaged (rms). The
 * numbers of steps grow by about sqrt(2), from one single step; the slope is fitted to the finest steps whose
 * error is still well above rounding. */
#include "lab/flow_order.h"

#include "lab/flow_reference.h"

#include <float.h>
#include <math.h>

enum { COPIES = PH_LANES, FIT_POINTS = 5 };

static const double duration = 2.0;

static const int step_counts[] = {1,  2,  3,  4,  5,   6,   7,   8,   10,  12,  14,  16,   20,   24,  28,
                                  32, 40, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048};
enum { N_COUNTS = sizeof step_counts / sizeof step_counts[0] };

/* Rounding after n steps: a random walk from about 4 units in the last place, stretched by the motion itself
 * (neighbouring trajectories part linearly in time). */
static double rounding_error(int n_steps) { return 40.0 * DBL_EPSILON * sqrt((double)n_steps); }

/* Errors in the fit lie between these: rounding bends the line below, higher powers of the step above. */
static const double above_rounding = 10.0;
static const double largest_error = 0.02;

struct trajectory {
    struct ph_reference_body start[COPIES], end[COPIES];
};

static void follow(const struct ph_certify_body *body, struct trajectory *trajectory)
{
    struct ph_reference_body now = {.q = {1.0L}};
    for (int k = 0; k < 3; ++k)
        now.m[k] = body->momentum[k];
    for (int i = 0; i < 2 * COPIES; ++i) {
        if (i < COPIES)
            trajectory->start[i] = now;
        else
            trajectory->end[i - COPIES] = now;
        ph_reference_advance(body->inertia, (long double)duration / COPIES, &now);
    }
}

struct errors {
    double m[N_COUNTS], q[N_COUNTS];
};

static double square(double x) { return x * x; }

/* Root mean square over the copies of |m - m*| / |m| and |q -+ q*| */
static void measure(const struct ph_flow *flow, const struct ph_top *top, const struct trajectory *trajectory, int n_steps,
                    double *error_m, double *error_q)
{
    PH_ALIGNED double m[3][COPIES], q[4][COPIES], norm[COPIES];
    const struct ph_bodies bodies = {
        .n = COPIES, .m = {m[0], m[1], m[2]}, .q = {q[0], q[1], q[2], q[3]}, .norm = norm};
    for (int i = 0; i < COPIES; ++i) {
        for (int k = 0; k < 3; ++k)
            m[k][i] = (double)trajectory->start[i].m[k];
        for (int k = 0; k < 4; ++k)
            q[k][i] = (double)trajectory->start[i].q[k];
    }
    ph_bodies_set_norm(bodies);
    for (int n = 0; n < n_steps; ++n)
        ph_flow_advance(flow, top, duration / n_steps, bodies);

    double sum_m = 0.0, sum_q = 0.0;
    for (int i = 0; i < COPIES; ++i) {
        double minus = 0.0, plus = 0.0;
        for (int k = 0; k < 3; ++k)
            sum_m += square((double)(m[k][i] - trajectory->end[i].m[k])) / square(norm[i]);
        for (int k = 0; k < 4; ++k) {
            minus += square((double)(q[k][i] - trajectory->end[i].q[k]));
            plus += square((double)(q[k][i] + trajectory->end[i].q[k]));
        }
        sum_q += fmin(minus, plus);
    }
    *error_m = sqrt(sum_m / COPIES);
    *error_q = sqrt(sum_q / COPIES);
}

/* Least squares of log error against log step */
static double slope(const double x[], const double y[], int n)
{
    double mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < n; ++i) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    for (int i = 0; i < n; ++i) {
        xx += square(x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    return xy / xx;
}

static struct ph_order judge(const double error[N_COUNTS], double rate)
{
    struct ph_order order = {.exact = true};
    for (int i = 0; i < N_COUNTS; ++i) {
        if (!(error[i] <= rounding_error(step_counts[i])))
            order.exact = false;
        if (error[i] > order.error) {
            order.error = error[i];
            order.turn = rate * duration / step_counts[i];
        }
    }
    if (order.exact) {
        order.resolved = true;
        return order;
    }
    double x[FIT_POINTS], y[FIT_POINTS];
    int points = 0;
    for (int i = N_COUNTS - 1; i >= 0 && points < FIT_POINTS; --i) {
        if (!(error[i] > above_rounding * rounding_error(step_counts[i])))
            continue;
        if (!(error[i] < largest_error))
            break;
        if (points == 0) {
            order.error = error[i];
            order.turn = rate * duration / step_counts[i];
        }
        x[points] = -log((double)step_counts[i]);
        y[points] = log(error[i]);
        ++points;
    }
    order.resolved = points >= 3;
    order.order = order.resolved ? slope(x, y, points) : NAN;
    return order;
}

enum ph_status ph_measure_flow_order(const struct ph_flow *flow, const struct ph_certify_body *body, struct ph_order *order_m,
                                     struct ph_order *order_q, struct ph_error *err)
{
    struct ph_top top;
    enum ph_status status = ph_top_init(body->inertia, &top, err);
    if (status != PH_OK)
        return status;
    struct trajectory trajectory;
    follow(body, &trajectory);
    struct errors errors;
    for (int i = 0; i < N_COUNTS; ++i)
        measure(flow, &top, &trajectory, step_counts[i], &errors.m[i], &errors.q[i]);
    double rate = 0.0; /* |omega| at the start */
    for (int k = 0; k < 3; ++k)
        rate += square(body->momentum[k] / body->inertia[k]);
    *order_m = judge(errors.m, sqrt(rate));
    *order_q = judge(errors.q, sqrt(rate));
    return PH_OK;
}
