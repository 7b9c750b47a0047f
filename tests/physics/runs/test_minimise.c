/* SPDX-License-Identifier: MIT */
/* Minima of known energy are found; dense random starts become starts that can be followed with a normal step. */
#include "physics/motion.h"
#include "physics/nist_water.h"

#include "output/checkpoint/hash.h"
#include "run/minimise.h"

#include <omp.h>

static struct ph_minimise_result minimise(struct ph_system *system, const struct ph_interactions *in, int64_t steps,
                                          double force)
{
    struct ph_force_field *field = make_field(system, in);
    const struct ph_minimise_options options = {.max_steps = steps, .force = force, .pinned = in->pinned};
    struct ph_minimise_result result;
    assert_ok(ph_minimise(system, field, &options, &result, &err));
    ph_force_field_destroy(field);
    return result;
}

static const struct ph_interactions everything = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};

/* ---- Minima of known energy ---- */

/* Head to tail: u = 4 (r^-12 - r^-6) - 2 mu^2/r^3, lowest where 48 r^-13 = 24 r^-7 + 6 mu^2 r^-4 */
TEST(two_dipoles_line_up)
{
    const double mu = sqrt(0.3 * 0.3 + 0.5 * 0.5 + 1.1 * 1.1), epsilon = 0.9; /* of make_molecule */
    double low = 0.7, high = 1.2;
    for (int k = 0; k < 100; ++k) {
        const double r = 0.5 * (low + high);
        if (epsilon * (48.0 - 24.0 * pow(r, 6.0)) > 6.0 * mu * mu * pow(r, 9.0))
            low = r;
        else
            high = r;
    }
    const double r = low, want = 4.0 * epsilon * (pow(r, -12.0) - pow(r, -6.0)) - 2.0 * mu * mu / (r * r * r);
    const struct ph_box open = ph_box_open();
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        struct ph_system *system = make_system((const size_t[MOLECULES]){[POLAR] = 2}, lennard_jones, &open, 1.0, seed);
        const struct ph_minimise_result result = minimise(system, &everything, 20000, 1e-7);
        assert_true(result.converged && result.steps > 10 && result.energy_before > want + 0.01);
        assert_close(result.energy_after, want, 1e-12, want);
        double d[3], one[3], other[3];
        const double axis[3] = {0.3 / mu, -0.5 / mu, 1.1 / mu};
        const double q[2][4] = {{system->q[0][0], system->q[1][0], system->q[2][0], system->q[3][0]},
                                {system->q[0][1], system->q[1][1], system->q[2][1], system->q[3][1]}};
        for (int k = 0; k < 3; ++k)
            d[k] = system->r[k][1] - system->r[k][0];
        ph_quat_rotate(q[0], axis, one);
        ph_quat_rotate(q[1], axis, other);
        assert_close(ph_vec3_norm(d), r, 1e-7, r);
        assert_close(fabs(ph_vec3_dot(one, d)), r, 1e-7, r);
        assert_close(ph_vec3_dot(one, other), 1.0, 1e-7, 1.0);
        ph_system_destroy(system);
    }
}

/* The global minimum of 13 Lennard-Jones atoms, -44.326801 (Hoare, Pal, Adv. Phys. 20 (1971) 161) */
TEST(thirteen_atoms_become_an_icosahedron)
{
    const struct ph_radial unit = {PH_RADIAL_MIE, 1.0 / 1.1, 1.0 / 1.05, 12.0,
                                   6.0}; /* make_molecule scales them back */
    const struct ph_species atom = make_molecule(ATOM, unit);
    const struct ph_box open = ph_box_open();
    struct ph_system *system;
    assert_ok(ph_system_create(1, &atom, (const size_t[]){13}, &open, &system, &err));
    const double golden = 0.5 * (1.0 + sqrt(5.0)), scale = 1.08 / sqrt(1.0 + golden * golden);
    for (size_t i = 0; i < 12; ++i) { /* the 13th is in the centre */
        const size_t k = i / 4;
        system->r[(k + 1) % 3][i] = i % 2 ? scale : -scale;
        system->r[(k + 2) % 3][i] = scale * golden * (i / 2 % 2 ? 1.0 : -1.0);
    }
    struct ph_random random = ph_random_stream(1, PH_RANDOM_TEST, 0);
    for (size_t i = 0; i < 13; ++i)
        for (int k = 0; k < 3; ++k)
            system->r[k][i] += 0.2 * (ph_random_uniform(&random) - 0.5);
    const struct ph_minimise_result result = minimise(system, &everything, 5000, 1e-6);
    assert_true(result.converged && result.energy_before > -43.0);
    assert_close(result.energy_after, -44.326801, 6e-7, 1.0); /* six digits are known */
    ph_system_destroy(system);
}

/* Forces between molecules in one place are not numbers. */
TEST(molecules_in_one_place_are_taken_apart)
{
    const struct ph_species atom = make_molecule(ATOM, lennard_jones);
    const struct ph_box open = ph_box_open();
    struct ph_system *system;
    assert_ok(ph_system_create(1, &atom, (const size_t[]){3}, &open, &system, &err));
    const struct ph_minimise_result result = minimise(system, &everything, 2000, 1e-6);
    assert_true(isinf(result.energy_before) && result.apart > 0 && result.converged);
    assert_close(result.energy_after, -3.0 * 1.1, 1e-10, 1.0); /* a triangle */
    ph_system_destroy(system);
}

/* Kinds of molecules together (all but one whose dipole has no core around it: it would fall into others); what is said
 * of the end is true, and of centres that are pinned none moves. */
TEST(every_kind_of_molecule_comes_to_rest)
{
    const struct ph_box open = ph_box_open();
    struct ph_interactions in = everything;
    const size_t counts[MOLECULES] = {[ATOM] = 3, [POLAR] = 3, [WATER] = 3, [ROD] = 3};
    for (int pinned = 0; pinned < 2; ++pinned) {
        in.pinned = pinned;
        struct ph_system *system = make_system(counts, lennard_jones, &open, 1.3, 3);
        ph_start_move(1.0, true, false, 5, system);
        double *before = take_state(system);
        const struct ph_minimise_result result = minimise(system, &in, 50000, 1e-5);
        double *after = take_state(system), force = 0.0, torque = 0.0;
        const size_t n = system->n;
        const double level = fmax(result.force, result.torque / ph_species_gyration(&system->species[2]));
        if (!result.converged || !(result.energy_after < result.energy_before))
            fail_msg("%lld steps, energy from %g to %g, force %g, torque %g", (long long)result.steps,
                     result.energy_before, result.energy_after, result.force, result.torque);
        assert_true(level > 0.0 && result.steps > 20 && result.steps < 50000);
        assert_memory_equal(before + 3 * n, after + 3 * n, 6 * n * sizeof(double)); /* momenta */
        assert_true(memcmp(before + 9 * n, after + 9 * n, 4 * n * sizeof(double)) != 0);
        assert_int_equal(memcmp(before, after, 3 * n * sizeof(double)) == 0, pinned);
        struct ph_force_field *field = make_field(system, &in);
        struct ph_energy energy;
        assert_ok(ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, &energy, &err));
        for (size_t i = 0; i < n; ++i) {
            const double f[3] = {system->f[0][i], system->f[1][i], system->f[2][i]};
            const double t[3] = {system->t[0][i], system->t[1][i], system->t[2][i]};
            force = fmax(force, ph_vec3_norm(f));
            torque = fmax(torque, ph_vec3_norm(t));
        }
        if (!pinned)
            assert_close(result.force, force, 1e-6, force);
        assert_true(pinned ? force > 1e-3 : force <= 1e-5);
        assert_close(result.torque, torque, 1e-6, torque);
        assert_close(result.energy_after, ph_energy_total(&energy), 1e-12, result.energy_after);
        ph_force_field_destroy(field);
        free(before);
        free(after);
        ph_system_destroy(system);
    }
}

/* ---- Dense random starts ---- */

/* Uniformly random places: centres may be anywhere, even on top of each other */
static struct ph_system *random_start(const struct ph_species *species, size_t n, double density, uint64_t seed)
{
    const struct ph_box box = make_box(cube_edges, cbrt((double)n / density));
    struct ph_system *system;
    const struct ph_start start = {.kind = PH_START_RANDOM, .seed = seed};
    assert_ok(ph_system_create(1, species, &n, &box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    ph_start_turn(seed, system);
    return system;
}

static struct ph_species stockmayer(void)
{
    struct ph_species species = {.name = "stockmayer", .n_sites = 1};
    species.site[0] = site_at("A", 1.0, 0.0, lennard_jones, 1.0, 1.0, 0, 0, 0);
    set_dipole(&species.site[0], 0.0, 0.0, sqrt(3.0));
    assert_ok(ph_species_complete(&species, NULL, (const double[]){0.1, 0.1, 0.1}, &err));
    return species;
}

static struct ph_species water(void)
{
    struct ph_system *system = nist_water();
    const struct ph_species species = system->species[0];
    ph_system_destroy(system);
    return species;
}

static const struct ph_interactions of_stockmayer = {
    .truncation = PH_TRUNCATE_SWITCHED,
    .cutoff = 2.8,
    .switch_width = 0.5,
    .smoothness = 6,
    .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
    .epsilon_rf = INFINITY,
    .coulomb = 1.0,
};

static const struct ph_interactions of_water = {
    .truncation = PH_TRUNCATE_SWITCHED,
    .cutoff = 0.9,
    .switch_width = 0.1,
    .smoothness = 6,
    .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
    .epsilon_rf = INFINITY,
    .coulomb = 138.935458,
};

/* Change of the total energy per molecule in 100 steps of Verlet's scheme from momenta of this temperature */
static double energy_error(struct ph_system *system, const struct ph_interactions *in, double kT, double h)
{
    struct ph_force_field *field = make_field(system, in);
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find("verlet"), .flow = ph_flow_find("exact"), .step = h, .compensated = true};
    struct ph_dynamics *dynamics;
    struct ph_energy energy;
    struct ph_error err = {.text = ""};
    double total[2] = {0.0};
    ph_start_move(kT, true, false, 9, system);
    if (ph_dynamics_create(system, field, &options, &dynamics, &err) != PH_OK)
        fail_msg("%s", err.text);
    for (int k = 0; k < 2; ++k) {
        if ((k > 0 && ph_dynamics_advance(dynamics, 100, &err) != PH_OK) ||
            ph_dynamics_synchronise(dynamics, &energy, &err) != PH_OK)
            fail_msg("%s", err.text);
        total[k] =
            ph_energy_total(&energy) + ph_system_kinetic_translation(system) + ph_system_kinetic_rotation(system);
    }
    ph_dynamics_destroy(dynamics);
    ph_force_field_destroy(field);
    return fabs(total[1] - total[0]) / (double)system->n;
}

TEST(dense_random_starts_can_be_run)
{
    const struct {
        const char *name;
        struct ph_species species;
        const struct ph_interactions *in;
        size_t n;
        double density, force, most, kT, h; /* `most`: energy per molecule */
    } cases[] = {{"stockmayer", stockmayer(), &of_stockmayer, 256, 0.8, 1.0, -12.0, 1.0, 0.002},
                 {"water", water(), &of_water, 216, 33.37, 2.0, -50.0, 2.5, 0.001}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
        for (uint64_t seed = 1; seed <= 3; ++seed) {
            struct ph_system *system = random_start(&cases[c].species, cases[c].n, cases[c].density, seed);
            const struct ph_minimise_result result = minimise(system, cases[c].in, 6000, cases[c].force);
            const double n = (double)cases[c].n, before = result.energy_before / n, after = result.energy_after / n;
            if (!result.converged || !(before > 1e3 * cases[c].kT) || !(after < cases[c].most))
                fail_msg("%s: %lld steps, energy from %g to %g, force %g", cases[c].name, (long long)result.steps,
                         before, after, result.force);
            const double error = energy_error(system, cases[c].in, cases[c].kT, cases[c].h);
            if (!(error < 1e-2 * cases[c].kT) || !(error > 0.0))
                fail_msg("%s: energy changed by %g per molecule", cases[c].name, error);
            ph_system_destroy(system);
        }
}

TEST(the_number_of_threads_changes_nothing)
{
    const struct ph_species species[] = {stockmayer(), water()};
    const int threads = omp_get_max_threads();
    uint64_t first[2] = {0};
    for (int t = 1; t <= 3; ++t)
        for (int k = 0; k < 2; ++k) {
            omp_set_num_threads(t);
            struct ph_system *system = random_start(&species[k], 600, k ? 33.37 : 0.8, 1);
            minimise(system, k ? &of_water : &of_stockmayer, 40, 0.0);
            const uint64_t hash = ph_state_hash(system);
            first[k] = t == 1 ? hash : first[k];
            assert_true(hash == first[k]);
            ph_system_destroy(system);
        }
    omp_set_num_threads(threads);
}
