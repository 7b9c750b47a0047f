/* SPDX-License-Identifier: MIT */
/* Euler's equations m' = m x I^-1 m and q' = 1/2 q (0, I^-1 m) are quadratic, so the Taylor coefficients of
 * the solution follow from each other by Cauchy products. The step is chosen from the last coefficients,
 * such that the first term left out is below the rounding of long double. */
#include "lab/problems/flow_reference.h"

#include <math.h>
#include <stdbool.h>

enum { TERMS = 28 };

static const long double truncation = 1e-20L; /* relative size of the last terms kept */

struct series {
    long double m[3][TERMS + 1];
    long double q[4][TERMS + 1];
    long double w[3][TERMS + 1]; /* I^-1 m */
};

/* Coefficient k of the product of two series */
static long double product(const long double *a, const long double *b, int k)
{
    long double sum = 0.0L;
    for (int j = 0; j <= k; ++j)
        sum += a[j] * b[k - j];
    return sum;
}

/* A linear rotor does not turn about its axis. */
static long double rate(long double m, double inertia) { return inertia > 0.0 ? m / (long double)inertia : 0.0L; }

static void expand(const double inertia[3], const struct ph_reference_body *body, struct series *s)
{
    for (int i = 0; i < 3; ++i) {
        s->m[i][0] = body->m[i];
        s->w[i][0] = rate(body->m[i], inertia[i]);
    }
    for (int i = 0; i < 4; ++i)
        s->q[i][0] = body->q[i];
    for (int k = 0; k < TERMS; ++k) {
        const long double next = (long double)(k + 1);
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            s->m[i][k + 1] = (product(s->m[j], s->w[l], k) - product(s->m[l], s->w[j], k)) / next;
            s->q[1 + i][k + 1] =
                0.5L *
                (product(s->q[0], s->w[i], k) + product(s->q[1 + j], s->w[l], k) - product(s->q[1 + l], s->w[j], k)) /
                next;
        }
        s->q[0][k + 1] =
            -0.5L * (product(s->q[1], s->w[0], k) + product(s->q[2], s->w[1], k) + product(s->q[3], s->w[2], k)) / next;
        for (int i = 0; i < 3; ++i)
            s->w[i][k + 1] = rate(s->m[i][k + 1], inertia[i]);
    }
}

static long double norm(const struct series *s, int k, bool momentum)
{
    long double square = 0.0L;
    for (int i = 0; i < (momentum ? 3 : 4); ++i) {
        const long double c = momentum ? s->m[i][k] : s->q[i][k];
        square += c * c;
    }
    return sqrtl(square);
}

/* The time within which the last two terms stay below the truncation, relative to |m| and |q| */
static long double safe_step(const struct series *s, long double longest)
{
    long double step = longest;
    for (int k = TERMS - 1; k <= TERMS; ++k)
        for (int momentum = 0; momentum < 2; ++momentum) {
            const long double ratio = norm(s, k, momentum) / (truncation * norm(s, 0, momentum));
            if (ratio > 0.0L)
                step = fminl(step, powl(ratio, -1.0L / (long double)k));
        }
    return step;
}

static long double sum(const long double *c, long double t)
{
    long double value = c[TERMS];
    for (int k = TERMS - 1; k >= 0; --k)
        value = value * t + c[k];
    return value;
}

static struct ph_reference_body evaluate(const struct series *s, long double t)
{
    struct ph_reference_body body;
    for (int i = 0; i < 3; ++i)
        body.m[i] = sum(s->m[i], t);
    for (int i = 0; i < 4; ++i)
        body.q[i] = sum(s->q[i], t);
    return body;
}

void ph_reference_follow(const double inertia[3], const struct ph_reference_body *start, int n, const long double t[],
                         struct ph_reference_body bodies[])
{
    const bool moves = start->m[0] != 0.0L || start->m[1] != 0.0L || start->m[2] != 0.0L;
    struct ph_reference_body from = *start;
    long double at = 0.0L; /* the time of `from`; sign aside, as all times below */
    for (int i = 0; i < n;) {
        if (!moves || t[i] == 0.0L) {
            bodies[i++] = *start;
            continue;
        }
        const long double direction = t[i] < 0.0L ? -1.0L : 1.0L;
        struct series s;
        expand(inertia, &from, &s);
        const long double reach = safe_step(&s, fabsl(t[n - 1]) - at);
        for (; i < n && fabsl(t[i]) - at <= reach; ++i)
            bodies[i] = evaluate(&s, direction * (fabsl(t[i]) - at));
        from = evaluate(&s, direction * reach);
        at += reach;
    }
}

void ph_reference_advance(const double inertia[3], long double t, struct ph_reference_body *body)
{
    const struct ph_reference_body start = *body;
    ph_reference_follow(inertia, &start, 1, &t, body);
}
