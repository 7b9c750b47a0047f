/* SPDX-License-Identifier: MIT */
#include "lab/problems/free_bodies.h"

#include "base/random.h"
#include "lab/problems/flow_reference.h"
#include "lab/problems/flow_states.h"

#include <math.h>

void ph_free_draw_inertia(uint64_t seed, uint64_t index, double inertia[3])
{
    struct ph_random random = ph_random_stream(seed, PH_RANDOM_PROBLEM, 2 * index);
    double a, b;
    do { /* every second pair is possible */
        a = ph_random_uniform(&random);
        b = ph_random_uniform(&random);
    } while (a + b < 1.0);
    inertia[0] = fmin(a, b);
    inertia[1] = fmax(a, b);
    inertia[2] = 1.0;
}

void ph_free_draw_momentum(uint64_t seed, uint64_t index, double m[3])
{
    struct ph_random random = ph_random_stream(seed, PH_RANDOM_PROBLEM, 2 * index + 1);
    ph_random_direction(&random, m);
    for (int k = 0; k < 3; ++k)
        m[k] = fabs(m[k]);
}

static void put_all(size_t n, const double (*m)[3], struct ph_bodies bodies)
{
    static const double one[4] = {1.0, 0.0, 0.0, 0.0};
    for (size_t i = 0; i < n; ++i)
        ph_states_put(bodies, i, m[i], one);
    ph_bodies_set_norm(bodies);
}

/* |a - b| or |a + b|, the smaller; 2 for NaN */
static double distance(const double a[4], const double b[4])
{
    double minus = 0.0, plus = 0.0;
    for (int k = 0; k < 4; ++k) {
        minus += (a[k] - b[k]) * (a[k] - b[k]);
        plus += (a[k] + b[k]) * (a[k] + b[k]);
    }
    const double least = sqrt(fmin(minus, plus));
    return least <= 2.0 ? least : 2.0;
}

static void follow_series(const struct ph_top *top, const double m[3], double time, double q[4])
{
    struct ph_reference_body body = {.m = {m[0], m[1], m[2]}, .q = {1.0L}};
    ph_reference_advance(top->inertia, (long double)time, &body);
    for (int k = 0; k < 4; ++k)
        q[k] = (double)body.q[k];
}

enum ph_status ph_free_reference(const struct ph_top *top, size_t n, const double (*m)[3], double time, double (*q)[4],
                                 double *checked, struct ph_error *err)
{
    struct ph_bodies bodies;
    const enum ph_status status = ph_states_create(n, &bodies, err);
    if (status != PH_OK)
        return status;
    put_all(n, m, bodies);
    ph_flow_advance(ph_flow_find("exact"), top, time, bodies);
    for (size_t i = 0; i < n; ++i) {
        double momentum[3];
        ph_states_take(bodies, i, momentum, q[i]);
    }
    ph_states_destroy(&bodies);
    if (checked) {
        double end[4];
        follow_series(top, m[0], time, end);
        *checked = distance(q[0], end);
    }
    return PH_OK;
}

enum ph_status ph_free_errors(const struct ph_flow *flow, const struct ph_free_course *course, long steps,
                              double *error, struct ph_error *err)
{
    struct ph_bodies bodies;
    const enum ph_status status = ph_states_create(course->n, &bodies, err);
    if (status != PH_OK)
        return status;
    put_all(course->n, course->m, bodies);
    for (long k = 0; k < steps; ++k)
        ph_flow_advance(flow, course->top, course->time / (double)steps, bodies);
    for (size_t i = 0; i < course->n; ++i) {
        double momentum[3], q[4];
        ph_states_take(bodies, i, momentum, q);
        error[i] = distance(q, course->q[i]);
    }
    ph_states_destroy(&bodies);
    return PH_OK;
}

enum ph_status ph_free_error_checked(const struct ph_flow *flow, const struct ph_top *top, const double m[3],
                                     double step, double *error, struct ph_error *err)
{
    double q[1][4], momentum[1][3] = {{m[0], m[1], m[2]}};
    follow_series(top, m, step, q[0]);
    const struct ph_free_course course = {top, 1, (const double(*)[3])momentum, step, (const double(*)[4])q};
    return ph_free_errors(flow, &course, 1, error, err);
}

double ph_free_digits(double error) { return error < 1.0 ? fmin(17.0, -log10(error)) : 0.0; }
