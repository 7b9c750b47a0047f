/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_DIFFERENCES_H
#define PH_TESTS_DIFFERENCES_H

/* Forces and rates of forces against differences of sixth order. */

#include "motion.h"

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

static const double difference_weights[4] = {0.0, 45.0 / 60, -9.0 / 60, 1.0 / 60};

/* Forces and torques against the energy displaced by h, and turned by the angle `turn`. Returns the largest deviation,
 * of the largest force or torque; fails above the tolerance. */
static inline double check_forces(struct ph_system *system, struct ph_force_field *field, double h, double turn,
                                  double tolerance)
{
    const size_t n = system->n;
    double(*found)[6] = malloc(n * sizeof *found), largest[2] = {0.0}, worst = 0.0;
    evaluate(field, system);
    for (size_t i = 0; i < n; ++i)
        for (int x = 0; x < 6; ++x) {
            found[i][x] = x < 3 ? system->f[x][i] : system->t[x - 3][i];
            largest[x / 3] = fmax(largest[x / 3], fabs(found[i][x]));
        }
    for (size_t i = 0; i < n; ++i)
        for (int x = 0; x < 6; ++x) {
            const double step = x < 3 ? h : turn;
            double want = 0.0;
            for (int k = -3; k <= 3; ++k) {
                displace(system, i, x, (double)k * step);
                const struct ph_energy energy = evaluate(field, system);
                want -= (k < 0 ? -1.0 : 1.0) * difference_weights[abs(k)] * (energy.radial + energy.electric) / step;
                displace(system, i, x, -(double)k * step);
            }
            const double off = fabs(found[i][x] - want) / largest[x / 3];
            if (!(off < tolerance))
                fail_msg("molecule %zu, %d: %.12g, by differences %.12g", i, x, found[i][x], want);
            worst = fmax(worst, off);
        }
    free(found);
    return worst;
}

/* Rates of forces and torques along a motion at random, against differences of forces; turns are `faster` than shifts.
 * Returns the largest deviation, of the largest rate; fails above the tolerance. */
static inline double check_rates(struct ph_system *system, struct ph_force_field *field, double h, double faster,
                                 double tolerance)
{
    const size_t n = system->n;
    double *row[12], *want[6], largest[2] = {0.0}, worst = 0.0;
    for (size_t x = 0; x < 12; ++x) {
        row[x] = calloc(n, sizeof(double));
        for (size_t i = 0; i < n && x < 6; ++i)
            row[x][i] = (x < 3 ? 1.0 : faster) * random_number(7, 6 * i + x);
    }
    for (size_t x = 0; x < 6; ++x)
        want[x] = calloc(n, sizeof(double));
    const struct ph_rates rates = {(double *const[]){row[0], row[1], row[2]}, (double *const[]){row[3], row[4], row[5]},
                                   (double *const[]){row[6], row[7], row[8]},
                                   (double *const[]){row[9], row[10], row[11]}};
    evaluate(field, system);
    assert_ok(ph_force_field_rates(field, system, NULL, &rates, &err));
    double *start = take_state(system);
    for (int k = -3; k <= 3; ++k) {
        for (size_t i = 0; i < n; ++i) {
            const double w[3] = {row[3][i], row[4][i], row[5][i]}, s = (double)k * h;
            const double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), over = sin(0.5 * s * size) / size;
            const double turn[4] = {cos(0.5 * s * size), over * w[0], over * w[1], over * w[2]};
            double q[4] = {start[9 * n + i], start[10 * n + i], start[11 * n + i], start[12 * n + i]};
            ph_quat_multiply(turn, q, q);
            for (int x = 0; x < 4; ++x)
                system->q[x][i] = q[x];
            for (size_t x = 0; x < 3; ++x) {
                system->r[x][i] = start[x * n + i] + s * row[x][i];
                system->image[x][i] = 0;
            }
        }
        evaluate(field, system);
        for (size_t x = 0; x < 6; ++x)
            for (size_t i = 0; i < n; ++i)
                want[x][i] += (k < 0 ? -1.0 : 1.0) * difference_weights[abs(k)] / h *
                              (x < 3 ? system->f[x][i] : system->t[x - 3][i]);
    }
    for (size_t x = 0; x < 6; ++x)
        for (size_t i = 0; i < n; ++i)
            largest[x / 3] = fmax(largest[x / 3], fabs(want[x][i]));
    for (size_t x = 0; x < 6; ++x)
        for (size_t i = 0; i < n; ++i) {
            const double off = fabs(row[6 + x][i] - want[x][i]) / largest[x / 3];
            if (!(off < tolerance))
                fail_msg("molecule %zu, %zu: %.12g, by differences %.12g", i, x, row[6 + x][i], want[x][i]);
            worst = fmax(worst, off);
        }
    for (size_t x = 0; x < 12; ++x)
        free(row[x]);
    for (size_t x = 0; x < 6; ++x)
        free(want[x]);
    free(start);
    return worst;
}

#endif
