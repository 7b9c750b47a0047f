/* SPDX-License-Identifier: MIT */
/* As in forces.c, all are timed in turn, again and again. */
#include "lab/bench/mesh.h"

#include "base/clock.h"
#include "force/longrange/ewald.h"
#include "lab/bench/systems.h"
#include "lab/stopwatch.h"

#include <math.h>
#include <stdlib.h>

static const double tolerances[PH_MESH_TOLERANCES] = {1e-4, 1e-6, 1e-8, 1e-10};

/* clang-format off */
static const struct fluid {
    struct ph_workload workload;
    bool direct; /* small enough for a direct sum */
} fluids[PH_MESH_FLUIDS] = {
    {{.name = "Stockmayer", .model = "stockmayer", .units = "reduced", .n = 4000, .density = 0.8, .temperature = 1.35,
      .cutoff = 3.5, .switch_width = 0.5, .step = 0.002}, true},
    {{.name = "Stockmayer", .model = "stockmayer", .units = "reduced", .n = 62500, .density = 0.8, .temperature = 1.35,
      .cutoff = 3.5, .switch_width = 0.5, .step = 0.002}, false},
    {{.name = "SPC/E", .model = "spc-e", .units = "md", .n = 1000, .density = 33.4, .temperature = 298.15,
      .cutoff = 0.9, .switch_width = 0.1, .reaction_field = true, .step = 0.002}, true},
};
/* clang-format on */

/* A fluid, its mesh for every tolerance, and electric forces and torques by a direct sum */
struct bench {
    struct ph_bench_system system;
    struct ph_force_field *field[PH_MESH_TOLERANCES];
};

static void clear(struct bench *bench)
{
    for (int k = 0; k < PH_MESH_TOLERANCES; ++k)
        ph_force_field_destroy(bench->field[k]);
    ph_bench_system_clear(&bench->system);
}

/* ---- Errors ---- */

/* All six numbers of molecule i */
static void read_forces(const struct ph_system *system, double *out)
{
    for (size_t i = 0; i < system->n; ++i)
        for (size_t x = 0; x < 3; ++x) {
            out[6 * i + x] = system->f[x][i];
            out[6 * i + 3 + x] = system->t[x][i];
        }
}

static enum ph_status evaluate(const struct ph_interactions *interactions, struct ph_system *system, double *out,
                               struct ph_error *err)
{
    struct ph_force_field *field;
    enum ph_status status = ph_force_field_create(system, interactions, &field, err);
    if (status != PH_OK)
        return status;
    status = ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, NULL, err);
    read_forces(system, out);
    ph_force_field_destroy(field);
    return status;
}

/* Root mean square of a - b over root mean square of b - c, of forces (first 0) or torques (3) */
static double relative(size_t n, int first, const double *a, const double *b, const double *c)
{
    double error = 0.0, all = 0.0;
    for (size_t i = 0; i < n; ++i)
        for (int x = first; x < first + 3; ++x) {
            const size_t k = 6 * i + (size_t)x;
            error += (a[k] - b[k]) * (a[k] - b[k]);
            all += (b[k] - c[k]) * (b[k] - c[k]);
        }
    return sqrt(error / all);
}

/* Errors are relative to electric forces: all forces with the direct sum, less the forces of radial terms alone. */
static enum ph_status find_errors(struct bench *bench, struct ph_mesh_timing *rows, struct ph_error *err)
{
    struct ph_system *system = bench->system.system;
    struct ph_interactions direct = bench->system.interactions, radial = direct;
    direct.electrostatics = PH_ELECTROSTATICS_EWALD;
    direct.ewald = (struct ph_ewald_choice){.tolerance = 1e-10, .split = PH_SPLIT_BESSEL};
    radial.coulomb = 0.0;
    radial.electrostatics = PH_ELECTROSTATICS_CUTOFF;
    const size_t n = system->n;
    double *sums = malloc(18 * n * sizeof *sums);
    if (!sums)
        return ph_no_memory(err, "the forces of %zu molecules", n);
    direct.ewald.tolerance = 1e-11;
    enum ph_status status = evaluate(&direct, system, sums, err);
    if (status == PH_OK)
        status = evaluate(&radial, system, sums + 6 * n, err);
    for (int k = 0; k < PH_MESH_TOLERANCES && status == PH_OK; ++k) {
        status = ph_force_field_evaluate(bench->field[k], system, PH_FORCES_ALL, NULL, NULL, err);
        read_forces(system, sums + 12 * n);
        rows[k].force_error = relative(n, 0, sums + 12 * n, sums, sums + 6 * n);
        rows[k].torque_error = relative(n, 3, sums + 12 * n, sums, sums + 6 * n);
    }
    free(sums);
    return status;
}

/* ---- Timing ---- */

static enum ph_status make(const struct fluid *fluid, struct bench *bench, struct ph_mesh_timing *rows,
                           struct ph_error *err)
{
    double steps_per_list;
    enum ph_status status = ph_bench_system_make(&fluid->workload, fluid->workload.n, &bench->system, err);
    if (status == PH_OK)
        status = ph_bench_system_melt(&fluid->workload, &bench->system, &steps_per_list, err);
    for (int k = 0; k < PH_MESH_TOLERANCES && status == PH_OK; ++k) {
        struct ph_interactions interactions = bench->system.interactions;
        interactions.electrostatics = PH_ELECTROSTATICS_MESH;
        interactions.ewald = (struct ph_ewald_choice){.tolerance = tolerances[k], .split = PH_SPLIT_BESSEL};
        status = ph_ewald_choose(bench->system.system, &interactions, err);
        if (status == PH_OK)
            status = ph_force_field_create(bench->system.system, &interactions, &bench->field[k], err);
        rows[k] = (struct ph_mesh_timing){.name = fluid->workload.name,
                                          .n = fluid->workload.n,
                                          .choice = interactions.ewald,
                                          .force_error = NAN,
                                          .torque_error = NAN,
                                          .seconds = HUGE_VAL,
                                          .seconds_all = HUGE_VAL};
    }
    return status == PH_OK && fluid->direct ? find_errors(bench, rows, err) : status;
}

/* Measures the mean over some milliseconds; parts are kept from the best measurement */
static enum ph_status time_once(struct ph_system *system, struct ph_force_field *field, int threads,
                                struct ph_mesh_timing *row, struct ph_error *err)
{
    ph_stopwatch_use_threads(threads);
    enum ph_status status =
        ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, NULL, err); /* caches, threads */
    const struct ph_mesh_times before = ph_force_field_counts(field).mesh;
    const struct ph_stopwatch watch = ph_stopwatch_start(threads);
    int calls = 0;
    do {
        status = status == PH_OK ? ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, NULL, err) : status;
        ++calls;
    } while (ph_clock_wall() - watch.wall < 10e-3 && status == PH_OK);
    const double seconds = ph_stopwatch_read(&watch) / calls;
    const struct ph_mesh_times after = ph_force_field_counts(field).mesh;
    if (threads > 1) {
        row->seconds_all = fmin(row->seconds_all, seconds);
    } else if (seconds < row->seconds) {
        row->seconds = seconds;
        row->spread = (after.spread - before.spread) / calls;
        row->transform = (after.transform - before.transform) / calls;
        row->gather = (after.gather - before.gather) / calls;
    }
    return status;
}

enum ph_status ph_bench_mesh(double seconds, int threads, struct ph_mesh_timing rows[PH_MESH_ROWS],
                             struct ph_error *err)
{
    struct bench bench[PH_MESH_FLUIDS] = {{.field = {NULL}}};
    enum ph_status status = PH_OK;
    for (int f = 0; f < PH_MESH_FLUIDS && status == PH_OK; ++f)
        status = make(&fluids[f], &bench[f], rows + f * PH_MESH_TOLERANCES, err);
    const double end = ph_clock_wall() + seconds;
    do {
        for (int r = 0; r < PH_MESH_ROWS && status == PH_OK; ++r) {
            const struct bench *b = &bench[r / PH_MESH_TOLERANCES];
            struct ph_force_field *field = b->field[r % PH_MESH_TOLERANCES];
            status = time_once(b->system.system, field, 1, &rows[r], err);
            if (status == PH_OK && threads > 1)
                status = time_once(b->system.system, field, threads, &rows[r], err);
        }
    } while (status == PH_OK && ph_clock_wall() < end);
    ph_stopwatch_use_threads(threads);
    for (int r = 0; r < PH_MESH_ROWS; ++r)
        if (!isfinite(rows[r].seconds_all))
            rows[r].seconds_all = NAN;
    for (int f = 0; f < PH_MESH_FLUIDS; ++f)
        clear(&bench[f]);
    return status;
}
