/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_H5MD_WRITTEN_H
#define PH_TESTS_H5MD_WRITTEN_H

/* Files that tests write, of the systems of h5md_systems.h, and whether all that must be in them is. */

#include "folder.h"
#include "h5md_systems.h"

#include "base/rotation.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file[300], other[300];

static inline struct ph_trajectory *create(const char *name, const struct ph_system *system,
                                           const struct ph_trajectory_plan *plan)
{
    struct ph_trajectory *trajectory;
    assert_ok(ph_trajectory_create(name, true, system, plan, &h5md_about, &trajectory, &err));
    return trajectory;
}

/* Rows of the steps from .. to */
static inline void append(struct ph_trajectory *trajectory, struct ph_system *system, int64_t from, int64_t to)
{
    for (int64_t step = from; step <= to; ++step)
        assert_ok(h5md_append(trajectory, system, step, &err));
}

static inline void finish(struct ph_trajectory *trajectory)
{
    assert_ok(ph_trajectory_close(trajectory, &err));
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static inline void write_file(const char *name, enum h5md_kind kind, int64_t steps)
{
    struct ph_system *system = h5md_system(kind);
    const struct ph_trajectory_plan plan = h5md_plan(kind);
    struct ph_trajectory *trajectory = create(name, system, &plan);
    append(trajectory, system, 0, steps);
    finish(trajectory);
    ph_system_destroy(system);
}

static inline hid_t open_file(const char *name)
{
    const hid_t id = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (id < 0)
        fail_msg("%s cannot be opened", name);
    return id;
}

static inline size_t rows_of(hid_t id, const char *path)
{
    const hid_t set = H5Dopen2(id, path, H5P_DEFAULT);
    if (set < 0)
        fail_msg("%s cannot be opened", path);
    const hid_t space = H5Dget_space(set);
    hsize_t extent[4] = {0};
    assert_true(H5Sget_simple_extent_dims(space, extent, NULL) > 0);
    H5Sclose(space);
    H5Dclose(set);
    return (size_t)extent[0];
}

/* One row of a data set, as doubles */
static inline void read_row(hid_t id, const char *path, size_t row, size_t n, double *out)
{
    const hid_t set = H5Dopen2(id, path, H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t extent[4], first[4] = {row}, total = n;
    const int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    assert_true(rank > 0 && row < extent[0]);
    extent[0] = 1;
    for (int k = 1; k < rank; ++k)
        n /= (size_t)extent[k];
    assert_int_equal(n, 1);
    const hid_t memory = H5Screate_simple(1, &total, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, extent, NULL);
    if (H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) < 0)
        fail_msg("row %zu of %s cannot be read", row, path);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
}

/* What an element must hold of molecules first .. end, or of their sites; returns how many numbers. */
static inline size_t expect(const struct ph_system *system, const char *element, bool sites, size_t first, size_t end,
                            double *out)
{
    double *at = out;
    for (size_t i = first; i < end; ++i) {
        const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        double mu[3], v[3], omega[3];
        ph_species_dipole(species, mu);
        for (int k = 0; k < 3; ++k)
            omega[k] = species->inertia[k] > 0.0 ? system->m[k][i] / species->inertia[k] : 0.0;
        for (size_t a = 0; a < (sites ? species->n_sites : 1); ++a) {
            const double *x = species->site[a].position;
            const double turning[3] = {omega[1] * x[2] - omega[2] * x[1], omega[2] * x[0] - omega[0] * x[2],
                                       omega[0] * x[1] - omega[1] * x[0]};
            ph_quat_rotate(q, strcmp(element, "velocity") == 0 ? turning : x, v);
            for (int k = 0; k < 3; ++k)
                if (strcmp(element, "position") == 0 || strcmp(element, "center") == 0)
                    *at++ = sites ? v[k] + system->r[k][i] : system->r[k][i];
                else if (strcmp(element, "velocity") == 0)
                    *at++ = sites ? v[k] + system->p[k][i] / species->mass : system->p[k][i] / species->mass;
                else if (strcmp(element, "image") == 0)
                    *at++ = system->image[k][i];
                else if (strcmp(element, "angular_momentum") == 0)
                    *at++ = system->m[k][i];
                else if (strcmp(element, "force") == 0)
                    *at++ = system->f[k][i];
                else if (strcmp(element, "torque") == 0)
                    *at++ = system->t[k][i];
        }
        if (strcmp(element, "orientation") == 0) {
            memcpy(at, q, sizeof q);
            at += 4;
        }
        if (strcmp(element, "dipole") == 0) {
            ph_quat_rotate(q, mu, at);
            at += 3;
        }
    }
    return (size_t)(at - out);
}

static const char *const names[] = {"position",         "image",  "velocity", "orientation",
                                    "angular_momentum", "dipole", "force",    "torque"};

static bool left_out[8]; /* of these */
static bool rounded;     /* frames are in single precision */

static inline void check_element(hid_t id, const char *group, const char *name, size_t row,
                                 const struct ph_system *system, bool sites, size_t first, size_t end)
{
    char path[128];
    double *want = calloc(4 * 9000 + 1, sizeof *want), *got = calloc(4 * 9000 + 1, sizeof *got);
    const size_t n = expect(system, name, sites, first, end, want);
    for (size_t k = 0; k < n && rounded; ++k)
        want[k] = (double)(float)want[k];
    snprintf(path, sizeof path, "%s/%s/value", group, name);
    read_row(id, path, row, n, got);
    if (memcmp(got, want, n * sizeof *got) != 0)
        fail_msg("row %zu of %s is not what was written", row, path);
    free(want);
    free(got);
}

/* All elements of a frame, which is row `row` of every one of them */
static inline void check_frame(hid_t id, enum h5md_kind kind, struct ph_system *system, size_t row, int64_t step)
{
    h5md_move(system, step);
    const bool bodies = kind == H5MD_WATER || kind == H5MD_MIXTURE, points = kind == H5MD_ARGON;
    for (int e = 0; e < 8; ++e)
        if (!left_out[e] && (bodies ? e < 3 : !points || e < 3 || e == 6))
            check_element(id, "particles/trajectory", names[e], row, system, bodies, 0, system->n);
    for (size_t s = 0; s < system->n_species && bodies; ++s) {
        char group[64];
        snprintf(group, sizeof group, "rigid_bodies/%s", system->species[s].name);
        for (int e = 0; e < 8; ++e)
            if (system->species[s].degrees > 0 || e < 3 || e == 6)
                check_element(id, group, e == 0 ? "center" : names[e], row, system, false, system->first[s],
                              system->first[s + 1]);
    }
    double number, edges[9];
    read_row(id, "particles/trajectory/position/step", row, 1, &number);
    assert_true(number == (double)step);
    read_row(id, "particles/trajectory/position/time", row, 1, &number);
    assert_true(number == h5md_time_step * (double)step);
    if (kind != H5MD_OPEN) {
        read_row(id, "particles/trajectory/box/edges/value", row, 9, edges);
        assert_memory_equal(edges, system->box.edge, sizeof edges);
    }
}

static inline void check_series(hid_t id, size_t row, int64_t step)
{
    static const char *const columns[] = {"total_energy", "momentum", "pressure_tensor", "potential_energy"};
    static const size_t widths[] = {1, 3, 9, 1};
    double values[H5MD_SERIES_WIDTH], got[9], number;
    h5md_series(step, values);
    for (size_t k = 0, at = 0; k < 4; at += widths[k++]) {
        char path[64];
        snprintf(path, sizeof path, "series/%s/value", columns[k]);
        read_row(id, path, row, widths[k], got);
        assert_memory_equal(got, values + at, widths[k] * sizeof *got);
    }
    read_row(id, "series/momentum/step", row, 1, &number);
    assert_true(number == (double)step);
}

/* Three stages: of 35 steps, of 20, and to the end. Positions at 0 10 20 30 | 39 43 47 51 55 | 60 65 70, and so on:
 * each cadence counts from where it begins, and the step that ends a stage is the stage's own. */
enum { STAGES = 3 };
static const struct ph_trajectory_cadence cadences[STAGES] = {
    {.from_step = 0, .every = {10, 10, 35, 5, 0, 0, 5, 5}, .series_every = 7},
    {.from_step = 35, .every = {4, 4, 0, 5, 0, 0, 5, 20}, .series_every = 0},
    {.from_step = 55, .every = {5, 5, 5, 5, 0, 9, 5, 5}, .series_every = 5}};
static const struct ph_trajectory_stage stages[STAGES] = {
    {"melt", "constant temperature, Nos\xc3\xa9-Hoover", 0, 0.001, "NVT", 300.0, NAN, 21, 18},
    {"b", "", 35, 0.25, "NPT", 310.0, 2.5, 24, 17},
    {"make", "constant energy", 55, 0.1, "NVE", NAN, NAN, 20, 16}};

static inline struct ph_trajectory_plan staged_plan(enum h5md_kind kind)
{
    struct ph_trajectory_plan plan = h5md_plan(kind);
    plan.n_cadences = plan.n_stages = STAGES;
    plan.cadences = cadences;
    plan.stages = stages;
    return plan;
}

static inline void compare_sets(hid_t a, hid_t b, const char *name, size_t *n_sets)
{
    const hid_t one = H5Dopen2(a, name, H5P_DEFAULT), two = H5Dopen2(b, name, H5P_DEFAULT);
    if (one < 0 || two < 0)
        fail_msg("%s is missing", name);
    const hid_t spaces[2] = {H5Dget_space(one), H5Dget_space(two)}, type = H5Dget_type(one);
    if (H5Sextent_equal(spaces[0], spaces[1]) <= 0)
        fail_msg("%s has another extent: %lld, not %lld numbers", name,
                 (long long)H5Sget_simple_extent_npoints(spaces[1]),
                 (long long)H5Sget_simple_extent_npoints(spaces[0]));
    const size_t bytes = (size_t)H5Sget_simple_extent_npoints(spaces[0]) * H5Tget_size(type);
    char *ours = calloc(1, bytes + 1), *theirs = calloc(1, bytes + 1);
    assert_true(H5Dread(one, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, ours) >= 0);
    assert_true(H5Dread(two, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, theirs) >= 0);
    if (memcmp(ours, theirs, bytes) != 0)
        fail_msg("%s differs", name);
    free(ours);
    free(theirs);
    H5Tclose(type);
    H5Sclose(spaces[0]);
    H5Sclose(spaces[1]);
    H5Dclose(one);
    H5Dclose(two);
    ++*n_sets;
}

struct comparison {
    hid_t other;
    size_t n_sets;
};

static inline herr_t compare_object(hid_t id, const char *name, const H5O_info_t *info, void *data)
{
    struct comparison *comparison = data;
    if (info->type == H5O_TYPE_DATASET)
        compare_sets(id, comparison->other, name, &comparison->n_sets);
    return 0;
}

static inline void assert_same_content(const char *one, const char *two)
{
    const hid_t a = open_file(one);
    struct comparison comparison = {.other = open_file(two)};
    H5Ovisit(a, H5_INDEX_NAME, H5_ITER_INC, compare_object, &comparison);
    assert_true(comparison.n_sets > 20);
    H5Fclose(a);
    H5Fclose(comparison.other);
}

static inline int make_files(void **state)
{
    if (make_folder(state) != 0 || H5open() < 0)
        return -1;
    snprintf(file, sizeof file, "%s/run.h5md", folder);
    snprintf(other, sizeof other, "%s/other.h5md", folder);
    return 0;
}

#endif
