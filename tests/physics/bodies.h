/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_BODIES_H
#define PH_TESTS_BODIES_H

/* One free body for tests: state by value, and how far it is from another state. */

#include "base/rotation.h"
#include "rigid/flow.h"

#include "support.h"

struct body {
    double m[3], q[4];
};

static inline struct ph_top make_top(double i1, double i2, double i3)
{
    struct ph_top top;
    const double inertia[3] = {i1, i2, i3};
    assert_ok(ph_top_init(inertia, &top, &err));
    return top;
}

static inline struct body make_body(double m1, double m2, double m3)
{
    return (struct body){.m = {m1, m2, m3}, .q = {1.0, 0.0, 0.0, 0.0}};
}

static inline void advance(const struct ph_flow *flow, const struct ph_top *top, double h, struct body *body)
{
    double *m = body->m, *q = body->q;
    const struct ph_bodies view = {.n = 1, .m = {m, m + 1, m + 2}, .q = {q, q + 1, q + 2, q + 3}};
    ph_flow_advance(flow, top, h, view);
}

static inline double norm3(const double v[3])
{
    const double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (largest == 0.0)
        return 0.0;
    return largest * sqrt(pow(v[0] / largest, 2) + pow(v[1] / largest, 2) + pow(v[2] / largest, 2));
}

static inline double momentum_distance(const double a[3], const double b[3])
{
    return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
}

/* q and -q are the same orientation */
static inline double orientation_distance(const double a[4], const double b[4])
{
    double plus = 0.0, minus = 0.0;
    for (int k = 0; k < 4; ++k) {
        plus = fmax(plus, fabs(a[k] + b[k]));
        minus = fmax(minus, fabs(a[k] - b[k]));
    }
    return fmin(plus, minus);
}

#endif
