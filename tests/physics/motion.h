/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_MOTION_H
#define PH_TESTS_MOTION_H

/* Systems that move, and states to compare. */

#include "force_systems.h"

#include "dynamics/dynamics.h"

/* ---- States ---- */

enum { NUMBERS = 13 }; /* r (unwrapped), p, m, q */

static inline double *take_state(const struct ph_system *system)
{
    const size_t n = system->n;
    double *state = malloc(NUMBERS * n * sizeof *state);
    for (size_t k = 0; k < 3; ++k)
        for (size_t i = 0; i < n; ++i) {
            double r = system->r[k][i];
            for (int e = 0; e < 3; ++e)
                r += system->image[e][i] * system->box.edge[e][k];
            state[k * n + i] = r;
            state[(3 + k) * n + i] = system->p[k][i];
            state[(6 + k) * n + i] = system->m[k][i];
        }
    for (size_t k = 0; k < 4; ++k)
        memcpy(state + (9 + k) * n, system->q[k], n * sizeof *state);
    return state;
}

/* Lists of the field are not of use any more. */
static inline void put_state(const double *state, struct ph_system *system, struct ph_force_field *field)
{
    const size_t n = system->n;
    for (size_t k = 0; k < 3; ++k) {
        memcpy(system->r[k], state + k * n, n * sizeof *state);
        memcpy(system->p[k], state + (3 + k) * n, n * sizeof *state);
        memcpy(system->m[k], state + (6 + k) * n, n * sizeof *state);
        memset(system->image[k], 0, n * sizeof *system->image[k]);
    }
    for (size_t k = 0; k < 4; ++k)
        memcpy(system->q[k], state + (9 + k) * n, n * sizeof *state);
    ph_force_field_forget(field);
}

/* Root of the mean square distance of a molecule; q and -q are the same */
static inline double state_distance(size_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double minus = 0.0, plus = 0.0;
        for (size_t k = 0; k < NUMBERS; ++k) {
            const double x = a[k * n + i], y = b[k * n + i];
            sum += k < 9 ? (x - y) * (x - y) : 0.0;
            minus += k < 9 ? 0.0 : (x - y) * (x - y);
            plus += k < 9 ? 0.0 : (x + y) * (x + y);
        }
        sum += fmin(minus, plus);
    }
    return sqrt(sum / (double)n);
}

/* ---- Dynamics ---- */

static inline struct ph_dynamics *make_dynamics(struct ph_system *system, struct ph_force_field *field,
                                                const char *scheme, const char *flow, double step)
{
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find(scheme), .flow = ph_flow_find(flow), .step = step, .compensated = true};
    if (!options.scheme || !options.flow)
        fail_msg("no scheme %s or no flow %s", scheme, flow);
    struct ph_dynamics *dynamics;
    assert_ok(ph_dynamics_create(system, field, &options, &dynamics, &err));
    return dynamics;
}

static inline void advance(struct ph_dynamics *dynamics, long n) { assert_ok(ph_dynamics_advance(dynamics, n, &err)); }

static inline void synchronise(struct ph_dynamics *dynamics, struct ph_energy *energy)
{
    assert_ok(ph_dynamics_synchronise(dynamics, energy, &err));
}

/* n steps from where the system is, and pending flows */
static inline void run(struct ph_system *system, struct ph_force_field *field, const char *scheme, const char *flow,
                       double step, long n)
{
    struct ph_dynamics *dynamics = make_dynamics(system, field, scheme, flow, step);
    advance(dynamics, n);
    synchronise(dynamics, NULL);
    ph_dynamics_destroy(dynamics);
}

static inline double total_energy(const struct ph_system *system, const struct ph_energy *energy)
{
    return ph_energy_total(energy) + ph_system_kinetic_translation(system) + ph_system_kinetic_rotation(system);
}

/* ---- Systems ---- */

/* A polar fluid on a lattice that melts: n molecules with a dipole along no axis */
static inline struct ph_system *make_fluid(size_t n, double density, uint64_t seed)
{
    struct ph_species species = {.name = "stockmayer", .n_sites = 1};
    species.site[0] = (struct ph_site){.name = "A", .mass = 1.0, .dipole = {0.2, 0.3, 1.15}, .radial = lennard_jones};
    struct ph_system *system = NULL;
    const struct ph_box box = make_box(cube_edges, cbrt((double)n / density));
    const struct ph_start start = {.kind = PH_START_FCC, .seed = seed, .jitter = 0.05};
    assert_ok(ph_species_complete(&species, NULL, (const double[]){0.1, 0.15, 0.2}, &err));
    assert_ok(ph_system_create(1, &species, &n, &box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    ph_start_turn(seed, system);
    ph_start_move(1.35, true, false, seed, system);
    return system;
}

static inline struct ph_interactions switched(double cutoff, double width, int smoothness)
{
    return (struct ph_interactions){.truncation = PH_TRUNCATE_SWITCHED,
                                    .cutoff = cutoff,
                                    .switch_width = width,
                                    .smoothness = smoothness,
                                    .coulomb = 1.0};
}

/* Molecules of all kinds in open space */
static inline struct ph_system *make_mixture(const size_t counts[MOLECULES], uint64_t seed)
{
    const struct ph_box box = ph_box_open();
    struct ph_system *system = make_system(counts, lennard_jones, &box, 1.3, seed);
    ph_start_move(0.5, true, false, seed, system);
    return system;
}

static const struct ph_interactions all_pairs = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};

#endif
