/* SPDX-License-Identifier: MIT */
/* For a symmetric method log error = const + p log h + b h^2 + O(h^4). The fit of p and b, with weights, takes the
 * finest steps whose error is above rounding and grows with the step, within a factor of three of the step. (A flow
 * that divides long steps has an error that rises and falls.) If the law does not fit, the coarsest step is dropped.
 * The fit also says how well p is known; an order that is not is reported as unresolved: the error may be rounding
 * before it follows a power. */
#include "lab/power_law.h"

#include <math.h>

enum { FIT_POINTS = 32, FEWEST_POINTS = 6 };

/* The points of a fit */
static const double fit_margin = 5.0;     /* errors are above this times their rounding, */
static const double largest_error = 0.02; /* and below this; */
static const double fit_range = 3.0;      /* steps lie within this factor */
/* The accuracy of a point: */
static const double fit_noise = 0.25;  /* the part of rounding that remains in the mean of the copies */
static const double fit_model = 0.003; /* of the law itself */
/* An order is resolved if all of this holds: */
static const double resolution = 0.2; /* its standard deviation is below this, */
static const double fit_misfit = 2.0; /* the mean square misfit, in standard deviations, is below this, */
static const double fit_bend = 0.4;   /* at the finest step the slope differs from the order by less than this, */
static const double fit_drift = 0.05; /* and the finer two thirds of the points give the same order to this, */
static const double fit_finer = 0.5;  /* with at most this standard deviation */

struct point {
    double h, log_error, sigma;
};

struct law {
    double power, deviation; /* of the power, one standard deviation */
    double misfit, bend;     /* bend: slope at the first point minus power */
    double slope;            /* of a straight line, b = 0 */
};

static double square(double x) { return x * x; }

/* Weighted least squares of a + p x + b z with x = log h, z = h^2. Both are relative to the first point and centred, so
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
    return (struct law){.power = p,
                        .deviation = sqrt(A[1][1] / determinant),
                        .misfit = misfit / fmax(1.0, n - 3.0),
                        .bend = 2.0 * b,
                        .slope = A[0][2] / A[0][0]};
}

/* The points of a fit, the finest step first; returns how many */
static int choose(const struct ph_errors *errors, struct point points[FIT_POINTS])
{
    int n = 0;
    for (int i = errors->n - 1; i >= 0 && n < FIT_POINTS; --i) {
        const double error = errors->error[i], h = errors->step[i];
        if (n == 0 && !(error > fit_margin * errors->rounding[i]))
            continue;
        if (!(error < largest_error))
            break;
        if (n > 0 && (!(log(error) > points[n - 1].log_error) || h > fit_range * points[0].h))
            break;
        points[n++] = (struct point){
            .h = h, .log_error = log(error), .sigma = hypot(fit_noise * errors->rounding[i] / error, fit_model)};
    }
    return n;
}

static bool is_settled(const struct law *law, const struct law *finer)
{
    return law->deviation <= resolution && law->misfit <= fit_misfit && fabs(law->bend) <= fit_bend &&
           finer->deviation <= fit_finer && fabs(law->power - finer->power) <= fit_drift;
}

/* Whether all is rounding, and the largest error */
static struct ph_order judge_exactness(const struct ph_errors *errors, double rate)
{
    struct ph_order order = {.exact = true, .resolved = true};
    for (int i = 0; i < errors->n; ++i) {
        if (!(errors->error[i] <= errors->most_rounding[i]))
            order.exact = order.resolved = false;
        if (!(errors->error[i] <= order.error)) {
            order.error = errors->error[i];
            order.turn = rate * errors->step[i];
        }
    }
    return order;
}

struct ph_order ph_order_of_errors(const struct ph_errors *errors, double excess, double rate)
{
    struct ph_order order = judge_exactness(errors, rate);
    if (order.exact)
        return order;
    struct point points[FIT_POINTS];
    int n = choose(errors, points);
    order.order = n >= 3 ? fit(points, n).slope - excess : NAN; /* if nothing better is found */
    if (n > 0) {
        order.error = exp(points[0].log_error);
        order.turn = rate * points[0].h;
    }
    for (; n >= FEWEST_POINTS && !order.resolved; --n) {
        const struct law law = fit(points, n), finer = fit(points, 2 * n / 3);
        order.resolved = is_settled(&law, &finer);
        if (order.resolved)
            order.order = law.power - excess;
    }
    return order;
}
