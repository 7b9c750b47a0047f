/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_H5MD_SYSTEMS_H
#define PH_TESTS_H5MD_SYSTEMS_H

/* Small systems of every kind that a trajectory can hold, and states of them for any step, with bits that no rounding
 * could hide. */

#include "base/random.h"
#include "model/system.h"
#include "output/trajectory/trajectory.h"

#include <stdio.h>
#include <stdlib.h>

enum h5md_kind {
    H5MD_DIPOLES, /* one site, reduced units, a cubic box */
    H5MD_WATER,   /* four sites, one without mass, physical units, a tilted box */
    H5MD_MIXTURE, /* water, points, and a linear rotor of two sites */
    H5MD_OPEN,    /* one-site dipoles and points in open space */
    H5MD_LARGE,   /* 9000 one-site dipoles */
    H5MD_ARGON,   /* points alone, physical units */
    H5MD_KINDS
};
static const char *const h5md_kind_names[H5MD_KINDS] = {"dipoles", "water", "mixture", "open", "large", "argon"};

static inline bool h5md_physical(enum h5md_kind kind)
{
    return kind == H5MD_WATER || kind == H5MD_MIXTURE || kind == H5MD_ARGON;
}

static inline void h5md_complete(struct ph_species *species, const double *mass, const double *inertia)
{
    struct ph_error err;
    if (ph_species_complete(species, mass, inertia, &err) != PH_OK) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
}

static inline size_t h5md_species(enum h5md_kind kind, struct ph_species species[3], size_t counts[3])
{
    const struct ph_radial lj = {PH_RADIAL_MIE, 0.65, 0.31, 12.0, 6.0};
    struct ph_species water = {
        .name = "tip4p-2005",
        .n_sites = 4,
        .site = {{.name = "O", .mass = 15.9994, .radial = lj},
                 {.name = "H", .position = {0.0757, 0, 0.0586}, .mass = 1.008, .charge = 0.5564},
                 {.name = "H", .position = {-0.0757, 0, 0.0586}, .mass = 1.008, .charge = 0.5564},
                 {.name = "M", .position = {0, 0, 0.01546}, .charge = -1.1128}},
    };
    struct ph_species rotor = {
        .name = "rotor",
        .n_sites = 2,
        .site = {{.name = "C", .position = {0, 0, 0.05}, .mass = 12.0, .charge = 0.2, .radial = lj},
                 {.name = "N", .position = {0, 0, -0.06}, .mass = 14.0, .charge = -0.2, .radial = lj}},
    };
    struct ph_species point = {.name = "argon", .n_sites = 1, .site = {{.name = "Ar", .mass = 39.948, .radial = lj}}};
    struct ph_species dipole = {
        .name = "stockmayer", .n_sites = 1, .site = {{.name = "A", .dipole = {0, 0, 1.5}, .radial = lj}}};
    const double one = 1.0, inertia[3] = {0.1, 0.2, 0.25};
    h5md_complete(&water, NULL, NULL);
    h5md_complete(&rotor, NULL, NULL);
    h5md_complete(&point, NULL, NULL);
    h5md_complete(&dipole, &one, inertia);
    switch (kind) {
    case H5MD_WATER:
        species[0] = water;
        counts[0] = 5;
        return 1;
    case H5MD_MIXTURE:
        species[0] = water;
        counts[0] = 3;
        species[1] = point;
        counts[1] = 4;
        species[2] = rotor;
        counts[2] = 2;
        return 3;
    case H5MD_OPEN:
        species[0] = point;
        counts[0] = 2;
        species[1] = dipole;
        counts[1] = 3;
        return 2;
    case H5MD_ARGON:
        species[0] = point;
        counts[0] = 7;
        return 1;
    case H5MD_LARGE:
        species[0] = dipole;
        counts[0] = 9000;
        return 1;
    default:
        species[0] = dipole;
        counts[0] = 6;
        return 1;
    }
}

static inline struct ph_system *h5md_system(enum h5md_kind kind)
{
    struct ph_species *species = calloc(3, sizeof *species);
    size_t counts[3];
    const size_t n = h5md_species(kind, species, counts);
    struct ph_box box = ph_box_open();
    struct ph_error err;
    double edge[3][3] = {{5, 0, 0}, {0, 6, 0}, {0, 0, 7}};
    if (kind == H5MD_WATER)
        edge[2][1] = 0.75;
    if (kind != H5MD_OPEN && ph_box_init_periodic((const double(*)[3])edge, &box, &err) != PH_OK)
        abort();
    struct ph_system *system;
    if (ph_system_create(n, species, counts, &box, &system, &err) != PH_OK)
        abort();
    free(species);
    return system;
}

/* The state that belongs to a step */
static inline void h5md_move(struct ph_system *system, int64_t step)
{
    for (size_t i = 0; i < system->n; ++i) {
        struct ph_random random = ph_random_stream((uint64_t)step, PH_RANDOM_TEST, system->id[i]);
        const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
        double q[4];
        ph_random_orientation(&random, q);
        for (int k = 0; k < 4; ++k)
            system->q[k][i] = species->degrees > 0 ? q[k] : (k == 0);
        for (int k = 0; k < 3; ++k) {
            system->r[k][i] = 1.0 + 3.0 * ph_random_uniform(&random);
            system->p[k][i] = species->mass * ph_random_normal(&random);
            system->m[k][i] = species->inertia[k] > 0.0 ? species->inertia[k] * ph_random_normal(&random) : 0.0;
            system->f[k][i] = ph_random_normal(&random);
            system->t[k][i] = species->degrees > 0 ? ph_random_normal(&random) : 0.0;
            system->image[k][i] = system->box.kind == PH_BOX_OPEN ? 0 : (int32_t)ph_random_below(&random, 9) - 4;
        }
    }
}

static const struct ph_trajectory_column h5md_columns[] = {
    {"total_energy", 1, NULL}, {"momentum", 3, NULL}, {"pressure_tensor", 9, NULL}, {"potential_energy", 1, NULL}};
static const struct ph_trajectory_column h5md_columns_physical[] = {{"total_energy", 1, "kJ mol-1"},
                                                                    {"momentum", 3, "u nm ps-1"},
                                                                    {"pressure_tensor", 9, "kJ mol-1 nm-3"},
                                                                    {"potential_energy", 1, "kJ mol-1"}};
enum { H5MD_SERIES_WIDTH = 14 };

/* Everything, every 10 steps; the series every 5 */
static const struct ph_trajectory_cadence h5md_cadence = {.every = {10, 10, 10, 10, 10, 10, 10, 10}, .series_every = 5};
static inline struct ph_trajectory_plan h5md_plan(enum h5md_kind kind)
{
    struct ph_trajectory_plan plan = {.physical = h5md_physical(kind), .n_columns = 4};
    plan.columns = plan.physical ? h5md_columns_physical : h5md_columns;
    plan.n_cadences = 1;
    plan.cadences = &h5md_cadence;
    return plan;
}

static inline void h5md_series(int64_t step, double values[H5MD_SERIES_WIDTH])
{
    for (int k = 0; k < H5MD_SERIES_WIDTH; ++k)
        values[k] = -100.0 + 0.001 * (double)step + 1.0 / (3.0 + k);
}

static const double h5md_coefficients[] = {0.25, 0.5, 1.0 / 3.0};
static const struct ph_about_entry h5md_entries[] = {
    {.name = "title", .kind = PH_ABOUT_TEXT, .text = "A test, \xc3\xa0 la carte"},
    {.name = "input", .kind = PH_ABOUT_TEXT, .text = "units: reduced\n# verbatim\n"},
    {.name = "input_file", .kind = PH_ABOUT_TEXT, .text = "test.yaml"},
    {.name = "models/one", .kind = PH_ABOUT_TEXT, .text = "name: one\n"},
    {.name = "scheme", .kind = PH_ABOUT_TEXT, .text = "verlet"},
    {.name = "flow", .kind = PH_ABOUT_TEXT, .text = "exact"},
    {.name = "step", .kind = PH_ABOUT_NUMBER, .number = 0.002},
    {.name = "seed", .kind = PH_ABOUT_INTEGER, .integer = 42},
    {.name = "coefficients", .kind = PH_ABOUT_NUMBERS, .n = 3, .numbers = h5md_coefficients},
};
static const struct ph_about h5md_about = {.author = "A. Tester",
                                           .version = "0.1.0 (abcdef)",
                                           .n = sizeof h5md_entries / sizeof *h5md_entries,
                                           .entries = h5md_entries};

static const double h5md_time_step = 0.002;

/* Two stages, the second with steps that are twice as long, frames every 5 of them, and a box that grows */
static const struct ph_trajectory_stage h5md_stages[] = {
    {"melt", "constant temperature, Nos\xc3\xa9-Hoover", 0, 0.002, "NVT", 300.0, NAN, 21, 18},
    {"make", "constant pressure", 20, 0.004, "NPT", 310.0, 2.5, 24, 18}};
static const struct ph_trajectory_cadence h5md_staged[] = {
    {.every = {10, 10, 10, 10, 10, 10, 10, 10}, .series_every = 5},
    {.from_step = 20, .every = {5, 5, 5, 5, 5, 5, 5, 5}, .series_every = 1}};

static inline double h5md_staged_time(int64_t step)
{
    return h5md_time_step * (double)(step <= 20 ? step : 20 + 2 * (step - 20));
}

static inline void h5md_staged_box(struct ph_system *system, int64_t step)
{
    const struct ph_box first = system->box;
    const double edge[3][3] = {{5, 0, 0}, {0, 6, 0}, {0, 0, 7}};
    double grown[3][3];
    for (int k = 0; k < 9; ++k) /* what is tilted stays so */
        grown[k / 3][k % 3] =
            k % 4 ? first.edge[k / 3][k % 3] : edge[k / 3][k / 3] * (step > 20 ? 0.8 + 0.01 * (double)step : 1.0);
    struct ph_error err;
    if (first.kind != PH_BOX_OPEN && ph_box_init_periodic((const double(*)[3])grown, &system->box, &err) != PH_OK)
        abort();
}

/* All rows of one step */
static inline enum ph_status h5md_append_at(struct ph_trajectory *trajectory, struct ph_system *system, int64_t step,
                                            double time, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    if (ph_trajectory_wants_series(trajectory, step)) {
        double values[H5MD_SERIES_WIDTH];
        h5md_series(step, values);
        status = ph_trajectory_append_series(trajectory, step, time, values, err);
    }
    if (status == PH_OK && ph_trajectory_wants_frame(trajectory, step)) {
        h5md_move(system, step);
        status = ph_trajectory_append_frame(trajectory, step, time, system, err);
    }
    return status;
}

static inline enum ph_status h5md_append(struct ph_trajectory *trajectory, struct ph_system *system, int64_t step,
                                         struct ph_error *err)
{
    return h5md_append_at(trajectory, system, step, h5md_time_step * (double)step, err);
}

#endif
