/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_TRIALS_H
#define PH_TESTS_TRIALS_H

/* Clusters of dipoles and heavy tops whose end states are known to 25 digits, as trials of schemes; from tests/data. */

#include "support.h"

#include "lab/certify/scheme_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 40, LINE = 4096 };

/* The fields of a line of comma-separated values, with quotes around those that have commas in them; returns how many
 */
static inline int split_line(char *line, char *fields[FIELDS])
{
    int n = 0;
    bool quoted = false;
    fields[n++] = line;
    for (char *c = line; *c && *c != '\n'; ++c)
        if (*c == '"')
            quoted = !quoted;
        else if (*c == ',' && !quoted && n < FIELDS) {
            *c = '\0';
            fields[n++] = c + 1;
        }
    return n;
}

static inline void read_numbers(char *const *fields, size_t n, double *numbers)
{
    for (size_t k = 0; k < n; ++k)
        numbers[k] = strtod(fields[k], NULL);
}

static inline FILE *open_data(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", POLHODE_TEST_DATA, name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot read %s", path);
    return file;
}

/* The cluster of dipoles of this name, to the time given */
static inline struct ph_trial_problem read_cluster(const char *name, double time)
{
    struct ph_trial_problem problem = {.name = name, .inertia = {1.0, 1.88, 2.88}, .time = time, .rounding = 1e-14};
    problem.radial = (struct ph_radial){.kind = PH_RADIAL_SOFT_SPHERE, .repulsive = 12.0};
    char line[LINE], *field[FIELDS];
    FILE *file = open_data("dipoles.csv");
    while (fgets(line, sizeof line, file)) {
        split_line(line, field);
        if (strcmp(field[0], name) != 0)
            continue;
        assert_true(problem.n < PH_TRIAL_MOST);
        struct ph_trial_body *body = &problem.start[problem.n++];
        read_numbers(&field[3], 1, &problem.radial.epsilon);
        read_numbers(&field[4], 1, &problem.radial.sigma);
        read_numbers(&field[5], 3, problem.dipole);
        read_numbers(&field[8], 3, body->r);
        read_numbers(&field[11], 4, body->q);
        read_numbers(&field[15], 3, body->p);
        read_numbers(&field[18], 3, body->m);
    }
    fclose(file);
    size_t n = 0;
    file = open_data("dipoles_trajectory.csv");
    while (fgets(line, sizeof line, file)) {
        split_line(line, field);
        if (strcmp(field[0], name) != 0 || strtod(field[3], NULL) != time)
            continue;
        struct ph_trial_body *body = &problem.end[n++];
        read_numbers(&field[4], 3, body->r);
        read_numbers(&field[7], 3, body->p);
        read_numbers(&field[10], 4, body->q);
        read_numbers(&field[14], 3, body->m);
    }
    fclose(file);
    assert_true(n == problem.n && n > 0);
    return problem;
}

/* Rows of rigid_body_problems.csv */
struct rigid_row {
    char name[32], parameters[128];
    double inertia[3], time, energy;
    struct ph_trial_body start, end;
};

static inline size_t read_rigid_rows(size_t most, struct rigid_row rows[])
{
    char line[LINE], *field[FIELDS];
    size_t n = 0;
    FILE *file = open_data("rigid_body_problems.csv");
    assert_non_null(fgets(line, sizeof line, file)); /* names of columns */
    while (fgets(line, sizeof line, file)) {
        assert_true(n < most && split_line(line, field) == 21);
        struct rigid_row *row = &rows[n++];
        *row = (struct rigid_row){.time = strtod(field[12], NULL), .energy = strtod(field[20], NULL)};
        snprintf(row->name, sizeof row->name, "%.31s", field[0]);
        snprintf(row->parameters, sizeof row->parameters, "%.127s", field[4]);
        read_numbers(&field[1], 3, row->inertia);
        read_numbers(&field[5], 3, row->start.m);
        read_numbers(&field[8], 4, row->start.q);
        read_numbers(&field[13], 3, row->end.m);
        read_numbers(&field[16], 4, row->end.q);
    }
    fclose(file);
    return n;
}

/* How much an error on the way grows until the end, at most: up to 42 by differences of the power series, but for the
 * slow top, which comes near to standing upright again and again */
static inline double amplification(const struct rigid_row *row)
{
    return strcmp(row->name, "krysl_slow_top_5.2") == 0 ? 4.0e3 : 40.0;
}

/* A heavy top, U = eps u0.(Q e3), or a free one; false for other rows */
static inline bool heavy_top(const struct rigid_row *row, struct ph_trial_problem *problem)
{
    double eps, u[3] = {0.0, 0.0, 1.0};
    if (strstr(row->parameters, "spatial torque -20 R(:,3) x e3"))
        eps = 20.0;
    else if (strstr(row->name, "free"))
        eps = 0.0;
    else if (sscanf(row->parameters, "eps=%lf;u0=%lf %lf %lf", &eps, &u[0], &u[1], &u[2]) != 4)
        return false;
    *problem = (struct ph_trial_problem){.name = row->name, .n = 1, .pinned = true, .time = row->time};
    memcpy(problem->inertia, row->inertia, sizeof row->inertia);
    for (int k = 0; k < 3; ++k)
        problem->body_force[k] = -eps * u[k];
    problem->start[0] = row->start;
    problem->end[0] = row->end;
    return true;
}

#endif
