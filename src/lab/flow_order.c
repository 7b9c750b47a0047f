/* SPDX-License-Identifier: MIT */
/* The order of a flow: how its error at a fixed time falls with the step.
 *
 * Eight copies of the body start at eight points of one and the same trajectory, so that an error that happens to
 * vanish at one instant does not spoil the slope; their errors after the time `duration` are averaged (rms).
 *
 * The flows are symmetric, so log error = const + p log h + b h^2 + O(h^4): p and b are fitted, with weights, to the
 * finest steps whose error is above rounding and grows with the step (a flow that divides long steps has an error that
 * rises and falls), within a factor of three of the step. If the law does not fit, the coarsest step is dropped. The
 * fit also says how well p is known; an order that is not is reported as unresolved: the error of a method of high
 * order is rounding before it follows a power, and the errors of quadratures along a fast periodic motion cancel
 * irregularly. */
#include "lab/flow_order.h"

#include "lab/flow_reference.h"

#include <float.h>
#include <math.h>

enum { COPIES = PH_LANES, MOST_STEPS = 160, FIT_POINTS = 24 };

static const double duration = 2.0;

/* Numbers of steps: 1, 2, .. 16, then each about 17/16 of the one before */
enum { LARGEST_COUNT = 2048 };
static int next_count(int n) { return n + 1 + n / 16; }

/* Rounding after n steps: a random walk of some units in the last place */
static double rounding_error(int n_steps) { return 8.0 * DBL_EPSILON * sqrt((double)n_steps); }

/* The most that rounding can do: a longer walk, a bias, and the motion itself, in which neighbouring trajectories part
 * linearly in time, at worst by the angle turned. An exact flow stays below this at every step. */
static double most_rounding(int n_steps, double angle)
{
    return fmax(1.0, angle / 8.0) * (4.0 * rounding_error(n_steps) + 4.0 * DBL_EPSILON * n_steps);
}

/* The points of a fit */
static const double fit_margin = 5.0;     /* errors are above this times their rounding, */
static const double largest_error = 0.02; /* and below this; */
static const double fit_range = 3.0;      /* steps lie within this factor */
/* The accuracy of a point: */
static const double fit_noise = 0.25;  /* of rounding, the part seen in the mean of the copies */
static const double fit_model = 0.003; /* of the law itself */
/* An order is resolved if all of this holds: */
static const double resolution = 0.2; /* its standard deviation is below this, */
static const double fit_misfit = 2.0; /* the mean square misfit, in standard deviations, is below this, */
static const double fit_bend = 0.4;   /* at the finest step the slope differs from the order by less than this, */
static const double fit_drift = 0.1;  /* and the finer two thirds of the points give the same order to this, */
static const double fit_finer = 0.5;  /* with at most this standard deviation */

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

/* Errors against steps, from the coarsest to the finest */
struct errors {
    int n;
    double h[MOST_STEPS], noise[MOST_STEPS], most_noise[MOST_STEPS];
    double m[MOST_STEPS], q[MOST_STEPS];
};

static double square(double x) { return x * x; }

static void set(struct ph_bodies bodies, const struct ph_reference_body start[COPIES])
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

/* Errors after the whole duration, in more and more steps */
static void measure(const struct ph_flow *flow, const struct ph_top *top, const struct trajectory *trajectory,
                    double angle, struct ph_bodies bodies, struct errors *errors)
{
    *errors = (struct errors){0};
    for (int n = 1; n <= LARGEST_COUNT && errors->n < MOST_STEPS; n = next_count(n)) {
        const int i = errors->n++;
        set(bodies, trajectory->start);
        for (int step = 0; step < n; ++step)
            ph_flow_advance(flow, top, duration / n, bodies);
        compare(bodies, trajectory->end, &errors->m[i], &errors->q[i]);
        errors->h[i] = duration / n;
        errors->noise[i] = rounding_error(n);
        errors->most_noise[i] = most_rounding(n, angle);
    }
}

struct point {
    double h, log_error, sigma;
};

struct law {
    double order, deviation; /* of the order, one standard deviation */
    double misfit, bend;     /* bend: slope at the first point minus order */
    double slope;            /* of a straight line, b = 0 */
};

/* Weighted least squares of a + p x + b z with x = log h, z = h^2, both relative to the first point and centred, so
 * that a drops out and two equations are left. */
static struct law fit(const struct point *points, int n)
{
    double sum = 0.0, mean[3] = {0.0}, x[FIT_POINTS][3];
    for (int i = 0; i < n; ++i) {
        const double ratio = points[i].h / points[0].h, weight = 1.0 / square(points[i].sigma);
        x[i][0] = log(ratio);
        x[i][1] = ratio * ratio;
        x[i][2] = points[i].log_error;
        sum += weight;
        for (int k = 0; k < 3; ++k)
            mean[k] += weight * x[i][k];
    }
    double A[3][3] = {{0.0}};
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                A[j][k] += (x[i][j] - mean[j] / sum) * (x[i][k] - mean[k] / sum) / square(points[i].sigma);
    const double determinant = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    const double p = (A[0][2] * A[1][1] - A[1][2] * A[0][1]) / determinant;
    const double b = (A[1][2] * A[0][0] - A[0][2] * A[1][0]) / determinant;
    const double misfit = A[2][2] - p * A[0][2] - b * A[1][2];
    return (struct law){.order = p,
                        .deviation = sqrt(A[1][1] / determinant),
                        .misfit = misfit / fmax(1.0, n - 3.0),
                        .bend = 2.0 * b,
                        .slope = A[0][2] / A[0][0]};
}

static struct ph_order judge(const struct errors *errors, const double *error, double rate)
{
    struct ph_order order = {.exact = true, .resolved = true};
    for (int i = 0; i < errors->n; ++i) {
        if (!(error[i] <= errors->most_noise[i]))
            order.exact = false;
        if (!(error[i] <= order.error)) {
            order.error = error[i];
            order.turn = rate * errors->h[i];
        }
    }
    if (order.exact)
        return order;
    struct point points[FIT_POINTS];
    int n = 0;
    for (int i = errors->n - 1; i >= 0 && n < FIT_POINTS; --i) {
        if (n == 0 && !(error[i] > fit_margin * errors->noise[i]))
            continue;
        if (!(error[i] < largest_error))
            break;
        if (n > 0 && (!(log(error[i]) > points[n - 1].log_error) || errors->h[i] > fit_range * points[0].h))
            break;
        points[n++] = (struct point){.h = errors->h[i],
                                     .log_error = log(error[i]),
                                     .sigma = hypot(fit_noise * errors->noise[i] / error[i], fit_model)};
    }
    order.resolved = false;
    order.order = n >= 3 ? fit(points, n).slope : NAN; /* if nothing better is found */
    if (n > 0) {
        order.error = exp(points[0].log_error);
        order.turn = rate * points[0].h;
    }
    for (; n >= 6 && !order.resolved; --n) {
        const struct law law = fit(points, n), finer = fit(points, 2 * n / 3);
        order.resolved = law.deviation <= resolution && law.misfit <= fit_misfit && fabs(law.bend) <= fit_bend &&
                         finer.deviation <= fit_finer && fabs(law.order - finer.order) <= fit_drift;
        if (order.resolved)
            order.order = law.order;
    }
    return order;
}

enum ph_status ph_measure_flow_order(const struct ph_flow *flow, const struct ph_certify_body *body,
                                     struct ph_order *order_m, struct ph_order *order_q, struct ph_error *err)
{
    struct ph_top top;
    const enum ph_status status = ph_top_init(body->inertia, &top, err);
    if (status != PH_OK)
        return status;
    double rate = 0.0; /* |omega| at the start */
    for (int k = 0; k < 3; ++k)
        rate += square(body->momentum[k] / body->inertia[k]);
    rate = sqrt(rate);

    PH_ALIGNED double m[3][COPIES], q[4][COPIES], norm[COPIES];
    const struct ph_bodies bodies = {.n = COPIES, .m = {m[0], m[1], m[2]}, .q = {q[0], q[1], q[2], q[3]}, .norm = norm};
    struct trajectory trajectory;
    follow(body, &trajectory);
    struct errors errors;
    measure(flow, &top, &trajectory, rate * duration, bodies, &errors);
    *order_m = judge(&errors, errors.m, rate);
    *order_q = judge(&errors, errors.q, rate);
    return PH_OK;
}
