/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_S2_ENDS_H
#define PH_TESTS_S2_ENDS_H

/* End states of problems on spheres, computed with 25 digits: tests/data/s2_problems.csv */

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

/* One end state, after t = 1 */
struct end {
    size_t n;
    double time, energy;
    double q0[MOST][3], w0[MOST][3], q[MOST][3], w[MOST][3];
};

static inline struct end read_end(const char *name)
{
    static const struct {
        const char *name, *row;
    } rows[] = {{"spherical-pendulum", "spherical_pendulum_V=+mgl_k.q,"},
                {"spherical-pendulum-down", "spherical_pendulum_V=-mgl_k.q,"},
                {"double-spherical-pendulum", "double_pendulum,"},
                {"dipole-array", "dipole_array_4x4,"}};
    const char *row = NULL;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        if (strcmp(rows[k].name, name) == 0)
            row = rows[k].row;
    assert_non_null(row);
    FILE *file = fopen(POLHODE_TEST_DATA "/s2_problems.csv", "r");
    assert_non_null(file);
    struct end end = {.n = 0};
    for (char line[1024]; fgets(line, sizeof line, file);) {
        if (strncmp(line, row, strlen(row)) != 0)
            continue;
        double number[15];
        char *at = line + strlen(row);
        for (int k = 0; k < 15; ++k) {
            number[k] = strtod(at, &at);
            ++at;
        }
        end.time = number[0];
        end.energy = number[14];
        memcpy(end.q0[end.n], number + 2, sizeof end.q0[0]);
        memcpy(end.w0[end.n], number + 5, sizeof end.w0[0]);
        memcpy(end.q[end.n], number + 8, sizeof end.q[0]);
        memcpy(end.w[end.n], number + 11, sizeof end.w[0]);
        ++end.n;
    }
    fclose(file);
    assert_true(end.n > 0);
    return end;
}

static inline double distance(size_t n, const double (*a)[3], const double (*b)[3])
{
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            sum += (a[i][k] - b[i][k]) * (a[i][k] - b[i][k]);
    return sqrt(sum);
}

#endif
