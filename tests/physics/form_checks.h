/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_FORM_CHECKS_H
#define PH_TESTS_FORM_CHECKS_H

/* What is true of every interaction: forces are gradients, rates are derivatives of forces, schemes have their order.
 */

#include "motion.h"

#include <omp.h>

static const double weights[4] = {0.0, 45.0 / 60, -9.0 / 60, 1.0 / 60}; /* of differences, sixth order */

/* Of all molecules, moving anyhow; `f` is to be freed */
struct all_forces {
    struct ph_energy energy;
    double *f; /* forces, torques, and their rates: 12 rows */
};

static inline struct all_forces evaluate_all(struct ph_system *system, const struct ph_interactions *interactions)
{
    const size_t n = system->n;
    struct all_forces result = {.f = calloc(12 * n, sizeof(double))};
    double *rows[12];
    struct ph_force_field *field = make_field(system, interactions);
    result.energy = evaluate(field, system);
    double *v = calloc(6 * n, sizeof *v);
    for (size_t k = 0; k < 6 * n; ++k)
        v[k] = sin(1.0 + 3.0 * (double)k);
    for (size_t k = 0; k < 6; ++k) {
        memcpy(result.f + k * n, k < 3 ? system->f[k] : system->t[k - 3], n * sizeof *v);
        rows[k] = v + k * n;
        rows[6 + k] = result.f + (6 + k) * n;
    }
    const struct ph_rates rates = {rows, rows + 3, rows + 6, rows + 9};
    assert_ok(ph_force_field_rates(field, system, NULL, &rates, &err));
    ph_force_field_destroy(field);
    free(v);
    return result;
}

/* Of two vectors, relative to the second */
static inline double difference(size_t n, const double *got, const double *want)
{
    double off = 0.0, size = 0.0;
    for (size_t k = 0; k < n; ++k) {
        off += (got[k] - want[k]) * (got[k] - want[k]);
        size += want[k] * want[k];
    }
    return sqrt(off / size);
}

/* The system displaced along direction x of molecule i, 0 to 2 the centre, 3 to 5 a turn about an axis of space */
static inline void displace(struct ph_system *system, size_t i, int x, double h)
{
    if (x < 3) {
        system->r[x][i] += h;
        return;
    }
    double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]}, turn[4] = {cos(0.5 * h)};
    turn[1 + x - 3] = sin(0.5 * h);
    ph_quat_multiply(turn, q, q);
    for (int k = 0; k < 4; ++k)
        system->q[k][i] = q[k];
}

/* Compares forces and torques with differences of the energy. Returns the largest deviation. */
static inline double check_gradients(struct ph_system *system, struct ph_force_field *field)
{
    enum { BODIES = 16 };
    const double h = 1e-3;
    double found[BODIES][6], largest[2] = {0.0}, worst = 0.0;
    assert_true(system->n <= BODIES);
    evaluate(field, system);
    for (size_t i = 0; i < system->n; ++i)
        for (int x = 0; x < 6; ++x) {
            found[i][x] = x < 3 ? system->f[x][i] : system->t[x - 3][i];
            largest[x / 3] = fmax(largest[x / 3], fabs(found[i][x]));
        }
    for (size_t i = 0; i < system->n; ++i)
        for (int x = 0; x < 6; ++x) {
            double want = 0.0;
            for (int k = -3; k <= 3; ++k) {
                const double sign = k < 0 ? 1.0 : -1.0;
                displace(system, i, x, (double)k * h);
                const struct ph_energy energy = evaluate(field, system);
                want += sign * weights[abs(k)] * (energy.radial + energy.electric) / h;
                displace(system, i, x, -(double)k * h);
            }
            const double off = fabs(found[i][x] - want) / largest[x / 3];
            if (!(off < 1e-9))
                fail_msg("molecule %zu, %d: %.12g, by differences %.12g", i, x, found[i][x], want);
            worst = fmax(worst, off);
        }
    return worst;
}

/* The system moved for a time s from its start, with the velocities and angular velocities in rows */
static inline void move_along(struct ph_system *system, const double *start, double *const rows[6], double s)
{
    const size_t n = system->n;
    for (size_t i = 0; i < n; ++i) {
        const double w[3] = {rows[3][i], rows[4][i], rows[5][i]};
        const double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        const double over = sin(0.5 * s * size) / size;
        const double turn[4] = {cos(0.5 * s * size), over * w[0], over * w[1], over * w[2]};
        double q[4] = {start[9 * n + i], start[10 * n + i], start[11 * n + i], start[12 * n + i]};
        ph_quat_multiply(turn, q, q);
        for (int x = 0; x < 4; ++x)
            system->q[x][i] = q[x];
        for (size_t x = 0; x < 3; ++x) {
            system->r[x][i] = start[x * n + i] + s * rows[x][i];
            system->image[x][i] = 0;
        }
    }
}

/* Compares rates of forces and torques along a motion with differences of forces. Returns the largest deviation. */
static inline double check_rates(struct ph_system *system, struct ph_force_field *field)
{
    enum { BODIES = 16 };
    const double h = 1e-3;
    const size_t n = system->n;
    double numbers[12][BODIES] = {{0.0}}, want[6][BODIES] = {{0.0}}, largest[2] = {0.0}, worst = 0.0;
    double *rows[12];
    assert_true(n <= BODIES);
    for (size_t x = 0; x < 12; ++x)
        rows[x] = numbers[x];
    for (size_t x = 0; x < 6; ++x)
        for (size_t i = 0; i < n; ++i)
            rows[x][i] = random_number(7, 6 * i + x);
    const struct ph_rates rates = {rows, rows + 3, rows + 6, rows + 9};
    evaluate(field, system);
    assert_ok(ph_force_field_rates(field, system, NULL, &rates, &err));
    double *start = take_state(system);
    for (int k = -3; k <= 3; ++k) {
        move_along(system, start, rows, (double)k * h);
        evaluate(field, system);
        for (size_t x = 0; x < 6; ++x)
            for (size_t i = 0; i < n; ++i)
                want[x][i] +=
                    (k < 0 ? -1.0 : 1.0) * weights[abs(k)] / h * (x < 3 ? system->f[x][i] : system->t[x - 3][i]);
    }
    free(start);
    for (size_t x = 0; x < 6; ++x)
        for (size_t i = 0; i < n; ++i)
            largest[x / 3] = fmax(largest[x / 3], fabs(want[x][i]));
    for (size_t x = 0; x < 6; ++x)
        for (size_t i = 0; i < n; ++i) {
            const double off = fabs(rows[6 + x][i] - want[x][i]) / largest[x / 3];
            if (!(off < 1e-8))
                fail_msg("molecule %zu, %zu: %.12g, by differences %.12g", i, x, rows[6 + x][i], want[x][i]);
            worst = fmax(worst, off);
        }
    return worst;
}

static inline double error_of(const char *scheme, double step, struct ph_system *system, struct ph_force_field *field,
                              const double *start, const double *want)
{
    put_state(start, system, field);
    run(system, field, scheme, "exact", step, lrint(0.5 / step));
    double *end = take_state(system);
    const double off = state_distance(system->n, end, want);
    free(end);
    return off;
}

/* Schemes of order 2, 4 and 6, the second with gradients of forces, over half a unit of time. The system is a fluid in
 * a periodic box, so that pairs cross the switch and faces of the box. Sanitizers watch a few steps, and measure
 * nothing. */
static inline void check_orders(struct ph_system *system, struct ph_force_field *field)
{
    static const struct {
        const char *scheme;
        int order;
        double step;
    } tried[] = {{"verlet", 2, 0.005}, {"chin4a", 4, 0.01}, {"rkn6-7a", 6, 0.01}};
    if (PH_SANITIZED) {
        for (size_t t = 0; t < sizeof tried / sizeof *tried; ++t)
            run(system, field, tried[t].scheme, "exact", tried[t].step, 3);
        return;
    }
    double *start = take_state(system);
    run(system, field, "mclachlan8-ss17", "exact", 0.0025, 200);
    double *want = take_state(system);
    for (size_t t = 0; t < sizeof tried / sizeof *tried; ++t) {
        const double coarse = error_of(tried[t].scheme, tried[t].step, system, field, start, want);
        const double fine = error_of(tried[t].scheme, 0.5 * tried[t].step, system, field, start, want);
        const double order = log2(coarse / fine);
        print_message("%s: order %.2f, errors %.2e and %.2e\n", tried[t].scheme, order, coarse, fine);
        if (!(fabs(order - tried[t].order) < 0.2))
            fail_msg("%s: order %.2f, errors %.2e and %.2e", tried[t].scheme, order, coarse, fine);
    }
    free(start);
    free(want);
}

/* A run has the same bits with one thread and with three, each from its own start. */
static inline void check_threads(struct ph_system *(*make)(void), const struct ph_interactions *interactions,
                                 double step, int steps)
{
    const int threads = omp_get_max_threads();
    double *end[2];
    size_t n = 0;
    for (int k = 0; k < 2; ++k) {
        omp_set_num_threads(k == 0 ? 1 : 3);
        struct ph_system *system = make();
        struct ph_force_field *field = make_field(system, interactions);
        run(system, field, "chin4a", "exact", step, steps);
        end[k] = take_state(system);
        n = system->n;
        put_away(field, system);
    }
    omp_set_num_threads(threads);
    assert_memory_equal(end[0], end[1], NUMBERS * n * sizeof(double));
    free(end[0]);
    free(end[1]);
}

#endif
