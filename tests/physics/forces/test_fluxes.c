/* SPDX-License-Identifier: MIT */
/* Fluxes of energy and momentum: the energy current is d/dt sum r_i e_i, whatever molecules are made of; its sums over
 * pairs are complete; the atomic pressure is that of the mass points. */
#include "physics/force_systems.h"

#include "force/pairs/loops/flux.h"
#include "force/pairs/loops/two_molecules.h"
#include "run/fluxes.h"

#include <omp.h>
#include <string.h>

static const struct ph_interactions smooth_field = {.truncation = PH_TRUNCATE_SWITCHED,
                                                    .cutoff = 3.0,
                                                    .switch_width = 0.8,
                                                    .smoothness = 6,
                                                    .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
                                                    .epsilon_rf = INFINITY,
                                                    .coulomb = 1.3};

static void draw_momenta(struct ph_system *system)
{
    for (size_t i = 0; i < system->n; ++i) {
        const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
        for (int k = 0; k < 3; ++k) {
            system->p[k][i] = species->mass * random_number(3, 6 * i + (uint64_t)k);
            system->m[k][i] = species->inertia[k] * random_number(3, 6 * i + 3 + (uint64_t)k);
        }
    }
}

static void copy_state(const struct ph_system *from, struct ph_system *to)
{
    for (int k = 0; k < 4; ++k) {
        memcpy(to->q[k], from->q[k], from->n * sizeof(double));
        for (int x = 0; x < 3 && k == 0; ++x) {
            memcpy(to->r[x], from->r[x], from->n * sizeof(double));
            memcpy(to->p[x], from->p[x], from->n * sizeof(double));
            memcpy(to->m[x], from->m[x], from->n * sizeof(double));
        }
    }
}

/* Moves `to` from the state of `from` for a time h along the equations of motion, to first order. */
static void move(const struct ph_system *from, double h, struct ph_system *to)
{
    copy_state(from, to);
    for (size_t i = 0; i < from->n; ++i) {
        const struct ph_species *species = &from->species[ph_system_species_of(from, i)];
        const double q[4] = {from->q[0][i], from->q[1][i], from->q[2][i], from->q[3][i]};
        const double back[4] = {q[0], -q[1], -q[2], -q[3]}, t[3] = {from->t[0][i], from->t[1][i], from->t[2][i]};
        double m[3], omega[3], rate[3], turn[4];
        for (int k = 0; k < 3; ++k) {
            m[k] = from->m[k][i];
            omega[k] = species->inertia[k] > 0.0 ? m[k] / species->inertia[k] : 0.0;
        }
        ph_quat_rotate(back, t, rate);
        ph_vec3_add_cross(m, omega, rate);
        ph_turn_exp((const double[]){h * omega[0], h * omega[1], h * omega[2]}, turn);
        double turned[4];
        ph_quat_multiply(q, turn, turned); /* omega is in the body frame */
        for (int k = 0; k < 4; ++k)
            to->q[k][i] = turned[k];
        for (int k = 0; k < 3; ++k) {
            to->r[k][i] += h * from->p[k][i] / species->mass;
            to->p[k][i] += h * from->f[k][i];
            to->m[k][i] += h * rate[k];
        }
    }
}

/* d/dt of numbers of a state along its motion, by differences of fourth order */
static void differentiate(const struct ph_system *system, size_t n,
                          void (*of)(const struct ph_system *system, const void *data, double *out), const void *data,
                          double *out)
{
    const double h = 3e-4, weight[] = {1.0, -8.0, 8.0, -1.0}, at[] = {-2.0, -1.0, 1.0, 2.0};
    double value[9];
    struct ph_system *moved;
    size_t counts[MOLECULES];
    for (size_t s = 0; s < system->n_species; ++s)
        counts[s] = system->first[s + 1] - system->first[s];
    assert_ok(ph_system_create(system->n_species, system->species, counts, &system->box, &moved, &err));
    for (size_t x = 0; x < n; ++x)
        out[x] = 0.0;
    for (int k = 0; k < 4; ++k) {
        move(system, h * at[k], moved);
        of(moved, data, value);
        for (size_t x = 0; x < n; ++x)
            out[x] += weight[k] * value[x] / (12.0 * h);
    }
    ph_system_destroy(moved);
}

/* sum r_i e_i, each pair energy split evenly */
static void energy_moment(const struct ph_system *system, const void *data, double *out)
{
    const struct ph_pair_table *table = data;
    memset(out, 0, 3 * sizeof *out);
    for (size_t i = 0; i < system->n; ++i) {
        const size_t s = ph_system_species_of(system, i);
        const struct ph_species *species = &system->species[s];
        const double r[3] = {system->r[0][i], system->r[1][i], system->r[2][i]};
        for (int k = 0; k < 3; ++k) {
            const double p = system->p[k][i], m = system->m[k][i];
            ph_vec3_add(0.5 * p * p / species->mass, r, out);
            if (species->inertia[k] > 0.0)
                ph_vec3_add(0.5 * m * m / species->inertia[k], r, out);
        }
        for (size_t j = 0; j < i; ++j) {
            struct ph_two_molecules two;
            double d[3], radial, electric;
            ph_two_molecules_init(system, table, s, ph_system_species_of(system, j), &two);
            for (int which = 0; which < 2; ++which) {
                const size_t n = which == 0 ? i : j;
                ph_two_molecules_turn(
                    &two, which, (const double[]){system->q[0][n], system->q[1][n], system->q[2][n], system->q[3][n]});
            }
            for (int k = 0; k < 3; ++k)
                d[k] = system->r[k][j] - r[k];
            ph_two_molecules_energy(&two, d, &radial, &electric);
            for (int k = 0; k < 3; ++k)
                out[k] += (radial + electric) * (r[k] + 0.5 * d[k]);
        }
    }
}

static void observe(struct ph_force_field *field, struct ph_system *system, bool heat, struct ph_fluxes *fluxes,
                    struct ph_energy *energy)
{
    struct ph_degrees degrees = {.translation = 3 * system->n};
    struct ph_observables observables;
    struct ph_state *state = make_state(system, field);
    *energy = evaluate(field, system);
    ph_observe(system, &degrees, energy, 1.0, &observables);
    assert_ok(ph_fluxes_observe(state, (const double(*)[3])observables.pressure_tensor, heat, fluxes, &err));
    ph_state_destroy(state);
}

/* A cluster in the middle of a box, so that nothing meets images and sum r_i e_i is a number */
static void expect_conservation(struct ph_system *system, const struct ph_interactions *in)
{
    struct ph_pair_table table;
    struct ph_fluxes fluxes;
    struct ph_energy energy;
    double want[3];
    system->box = make_box(cube_edges, 30.0);
    for (size_t i = 0; i < system->n; ++i)
        for (int k = 0; k < 3; ++k)
            system->r[k][i] += 15.0;
    draw_momenta(system);
    struct ph_force_field *field = make_field(system, in);
    assert_ok(ph_pair_table_init(system, in, &table, &err));
    observe(field, system, true, &fluxes, &energy);
    differentiate(system, 3, energy_moment, &table, want);
    for (int k = 0; k < 3; ++k) {
        assert_close(system->box.volume * fluxes.heat[k], want[k], 1e-8, 100.0);
        assert_true(fabs(want[k]) > 1.0);
    }
    ph_pair_table_clear(&table);
    put_away(field, system);
}

TEST(the_energy_current_is_that_of_local_conservation)
{
    (void)state;
    const struct ph_box open = ph_box_open();
    const size_t two[MOLECULES] = {[WATER] = 1, [POLAR] = 1};
    const size_t all[MOLECULES] = {[ATOM] = 3, [POLAR] = 3, [WATER] = 3, [ROD] = 3, [CHIRAL] = 3};
    expect_conservation(make_system(two, lennard_jones, &open, 1.0, 4), &smooth_field);
    expect_conservation(make_system(all, lennard_jones, &open, 0.9, 2), &smooth_field);
}

/* Pairs within reach, by lists, with images and tilted boxes: their energy and virial are those of the forces. */
TEST(sums_over_pairs_are_complete)
{
    (void)state;
    const size_t counts[MOLECULES] = {[ATOM] = 40, [POLAR] = 40, [WATER] = 40, [ROD] = 30, [CHIRAL] = 30};
    const struct ph_box box = make_box(tilted_edges, 7.0);
    struct ph_system *system = make_system(counts, lennard_jones, &box, 0.85, 5);
    draw_momenta(system);
    struct ph_force_field *field = make_field(system, &smooth_field);
    struct ph_pair_flux pairs;
    struct ph_fluxes fluxes, again;
    struct ph_energy energy;
    observe(field, system, true, &fluxes, &energy);
    assert_ok(ph_force_field_flux(field, system, NULL, &(struct ph_rates){.velocity = system->p, .omega = system->m},
                                  &pairs, &err));
    assert_close(pairs.energy, energy.radial + energy.electric, 1e-12, 1e3);
    for (int k = 0; k < 9; ++k)
        assert_close(pairs.virial[k / 3][k % 3], energy.virial[k / 3][k % 3], 1e-12, 1e4);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(threads == 1 ? 3 : 1);
    observe(field, system, true, &again, &energy);
    omp_set_num_threads(threads);
    assert_memory_equal(&again, &fluxes, sizeof fluxes);
    put_away(field, system);
}

/* sum m_a d_a d'_a^T of molecules whose sites have all the mass */
static void internal_moment(const struct ph_system *system, const void *data, double *out)
{
    (void)data;
    memset(out, 0, 9 * sizeof *out);
    for (size_t i = 0; i < system->n; ++i) {
        const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        double omega[3];
        for (int k = 0; k < 3; ++k)
            omega[k] = species->inertia[k] > 0.0 ? system->m[k][i] / species->inertia[k] : 0.0;
        ph_quat_rotate(q, omega, omega);
        for (size_t a = 0; a < species->n_sites; ++a) {
            double d[3], rate[3];
            ph_quat_rotate(q, species->site[a].position, d);
            ph_vec3_cross(omega, d, rate);
            for (int k = 0; k < 9; ++k)
                out[k] += species->site[a].mass * d[k / 3] * rate[k % 3];
        }
    }
}

TEST(the_atomic_pressure_is_that_of_mass_points)
{
    (void)state;
    const size_t points[MOLECULES] = {[ATOM] = 20, [WATER] = 30, [ROD] = 20, [CHIRAL] = 20};
    const size_t all[MOLECULES] = {[POLAR] = 40, [WATER] = 40, [ROD] = 40};
    struct ph_interactions ewald = {.truncation = PH_TRUNCATE_SWITCHED,
                                    .cutoff = 3.0,
                                    .switch_width = 0.8,
                                    .smoothness = 6,
                                    .electrostatics = PH_ELECTROSTATICS_EWALD,
                                    .ewald = {.tolerance = 1e-8},
                                    .epsilon_rf = INFINITY,
                                    .coulomb = 1.3};
    const struct ph_box box = make_box(tilted_edges, 6.5);
    for (int k = 0; k < 2; ++k) {
        struct ph_system *system = make_system(k == 0 ? points : all, lennard_jones, &box, 0.85, 5);
        draw_momenta(system);
        struct ph_force_field *field = make_field(system, k == 0 ? &smooth_field : &ewald);
        struct ph_fluxes fluxes;
        struct ph_energy energy;
        double want[9], twist = 0.0;
        observe(field, system, false, &fluxes, &energy);
        differentiate(system, 9, internal_moment, NULL, want);
        for (int x = 0; x < 9; ++x) {
            const double *atomic = fluxes.momentum_atomic[0], *molecular = fluxes.momentum[0];
            if (k == 0)
                assert_close(box.volume * (atomic[x] - molecular[x]), want[x], 1e-9, 100.0);
            assert_close(box.volume * atomic[x], box.volume * atomic[x % 3 * 3 + x / 3], k == 0 ? 1e-12 : 1e-6, 100.0);
            twist = fmax(twist, box.volume * fabs(molecular[x] - molecular[x % 3 * 3 + x / 3]));
        }
        assert_true(twist > 0.1); /* the molecular one is not symmetric */
        put_away(field, system);
    }
}
