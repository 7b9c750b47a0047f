/* SPDX-License-Identifier: MIT */
/* A tolerance is kept: forces and torques of fluids on a mesh whose every parameter was chosen, against direct sums.
 * The fluids are melted here, for the error depends on how molecules lie: of a lattice it would be another. */
#include "physics/force_systems.h"

#include "dynamics/dynamics.h"
#include "force/longrange/ewald.h"

static const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10, 3e-12};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };

/* ---- Fluids ---- */

static const struct ph_radial no_radial = {.kind = PH_RADIAL_NONE};

static struct ph_species ion(const char *name, double charge)
{
    struct ph_species species = {.n_sites = 1};
    snprintf(species.name, sizeof species.name, "%s", name);
    species.site[0] = site_at("A", 1.0, charge, lennard_jones, 1.0, 1.0, 0, 0, 0);
    assert_int_equal(ph_species_complete(&species, NULL, NULL, NULL), PH_OK);
    return species;
}

static struct ph_species dipole(double moment)
{
    static const double inertia[3] = {0.1, 0.1, 0.1};
    struct ph_species species = {.name = "stockmayer", .n_sites = 1};
    species.site[0] = site_at("A", 1.0, 0.0, lennard_jones, 1.0, 1.0, 0, 0, 0);
    set_dipole(&species.site[0], 0, 0, moment);
    assert_int_equal(ph_species_complete(&species, NULL, inertia, NULL), PH_OK);
    return species;
}

/* SPC/E in units of its own Lennard-Jones potential: charges of 20 sqrt(epsilon sigma) and about */
static struct ph_species water(void)
{
    const double unit = sqrt(138.935458 / (0.650169581 * 0.316555789)), nm = 1.0 / 0.316555789;
    const double half = 109.47 / 360.0 * 3.14159265358979323846;
    struct ph_species species = {.name = "water", .n_sites = 3};
    species.site[0] = site_at("O", 0.888, -0.8476 * unit, lennard_jones, 1.0, 1.0, 0, 0, 0);
    for (int h = 1; h <= 2; ++h)
        species.site[h] = site_at("H", 0.056, 0.4238 * unit, no_radial, 0, 0, (h == 1 ? 0.1 : -0.1) * sin(half) * nm, 0,
                                  0.1 * cos(half) * nm);
    assert_int_equal(ph_species_complete(&species, NULL, NULL, NULL), PH_OK);
    return species;
}

struct fluid {
    const char *name;
    const double (*shape)[3];
    size_t cells; /* of the lattice along the shortest edge; even for two species */
    double density, temperature, cutoff, step;
};

static const double long_edges[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 3}};
static const double leaning_edges[3][3] = {{1, 0, 0}, {0.35, 1, 0}, {-0.2, 0.3, 1}};

/* A lattice along the edges, neighbours of different species */
static struct ph_system *make_lattice(const struct fluid *fluid, size_t n_species, const struct ph_species *species)
{
    size_t along[3], count[2] = {0}, next[2] = {0};
    for (int e = 0; e < 3; ++e)
        along[e] = fluid->cells * (fluid->shape == long_edges && e == 2 ? 3 : 1);
    const size_t n = along[0] * along[1] * along[2];
    for (size_t s = 0; s < n_species; ++s) {
        count[s] = n / n_species;
        next[s] = s * count[s];
    }
    const struct ph_box unit = make_box(fluid->shape, 1.0);
    const struct ph_box box = make_box(fluid->shape, cbrt((double)n / fluid->density / unit.volume));
    struct ph_system *system;
    assert_ok(ph_system_create(n_species, species, count, &box, &system, &err));
    struct ph_random random = ph_random_stream(1, PH_RANDOM_ORDER, 0);
    for (size_t k = 0; k < n; ++k) {
        const size_t at[3] = {k % along[0], k / along[0] % along[1], k / along[0] / along[1]};
        const size_t i = next[(at[0] + at[1] + at[2]) % n_species]++;
        for (int e = 0; e < 3; ++e) {
            const double u = ((double)at[e] + 0.1 * ph_random_uniform(&random)) / (double)along[e];
            for (int x = 0; x < 3; ++x)
                system->r[x][i] += u * box.edge[e][x];
        }
    }
    ph_start_turn(1, system);
    return system;
}

static struct ph_interactions on_mesh(const struct fluid *fluid, double tolerance)
{
    return (struct ph_interactions){.truncation = PH_TRUNCATE_SWITCHED,
                                    .cutoff = fluid->cutoff,
                                    .switch_width = 0.15 * fluid->cutoff,
                                    .smoothness = 6,
                                    .electrostatics = PH_ELECTROSTATICS_MESH,
                                    .epsilon_rf = INFINITY,
                                    .ewald = {.tolerance = tolerance, .split = PH_SPLIT_BESSEL},
                                    .coulomb = 1.0};
}

static void melt(const struct fluid *fluid, struct ph_system *system)
{
    enum { TIMES = 40, STEPS = 10 };
    const struct ph_interactions interactions = on_mesh(fluid, 1e-3);
    struct ph_force_field *field = make_field(system, &interactions);
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find("verlet"), .flow = ph_flow_find("exact"), .step = fluid->step};
    struct ph_dynamics *dynamics;
    struct ph_error err = {.text = ""};
    ph_start_move(fluid->temperature, true, false, 1, system);
    enum ph_status status = ph_dynamics_create(system, field, &options, &dynamics, &err);
    for (uint64_t n = 2; n < TIMES + 2 && status == PH_OK; ++n) {
        status = ph_dynamics_advance(dynamics, STEPS, &err);
        if (status == PH_OK)
            status = ph_dynamics_synchronise(dynamics, NULL, &err);
        ph_start_move(fluid->temperature, true, false, n, system); /* takes off the heat of melting */
        ph_state_changed(ph_dynamics_state(dynamics), PH_STATE_MOMENTA);
    }
    if (status != PH_OK)
        fail_msg("%s: %s", fluid->name, err.text);
    ph_dynamics_destroy(dynamics);
    ph_force_field_destroy(field);
}

/* ---- Errors ---- */

static void copy_forces(const struct ph_system *system, double *out)
{
    for (size_t i = 0; i < system->n; ++i)
        for (size_t x = 0; x < 3; ++x) {
            out[6 * i + x] = system->f[x][i];
            out[6 * i + 3 + x] = system->t[x][i];
        }
}

static void sum(struct ph_system *system, const struct ph_interactions *interactions, double *out)
{
    evaluate_once(system, interactions);
    copy_forces(system, out);
}

/* Root mean square of a - b, relative to that of b - c */
static double relative(size_t n, size_t first, const double *a, const double *b, const double *c)
{
    double error = 0.0, all = 0.0;
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 6 * i + first; k < 6 * i + first + 3; ++k) {
            error += (a[k] - b[k]) * (a[k] - b[k]);
            all += (b[k] - c[k]) * (b[k] - c[k]);
        }
    return all > 0.0 ? sqrt(error / all) : 0.0;
}

/* Not above twice the tolerance; nor needlessly good, which would be slow: not below a tenth of it. Sums are compared
 * with the Gaussian split, so that nothing is shared but the formulas of charges and dipoles. */
static void keeps_its_tolerance(const struct fluid *fluid, size_t n_species, const struct ph_species *species)
{
    struct ph_system *system = make_lattice(fluid, n_species, species);
    melt(fluid, system);
    const size_t n = system->n;
    double *direct = calloc(18 * n, sizeof *direct), *radial = direct + 6 * n, *mesh = direct + 12 * n;
    struct ph_interactions interactions = on_mesh(fluid, 1e-6);
    interactions.electrostatics = PH_ELECTROSTATICS_EWALD;
    interactions.ewald = (struct ph_ewald_choice){.tolerance = 1e-14, .split = PH_SPLIT_GAUSS};
    interactions.truncation = PH_TRUNCATE_CUT; /* a switch would not be Gauss' split */
    struct ph_interactions none = interactions;
    none.electrostatics = PH_ELECTROSTATICS_CUTOFF;
    none.coulomb = 0.0;
    sum(system, &interactions, direct);
    sum(system, &none, radial);
    for (int k = 0; k < TOLERANCES; ++k) {
        const double tolerance = tolerances[k];
        interactions = on_mesh(fluid, tolerance);
        interactions.truncation = PH_TRUNCATE_CUT;
        sum(system, &interactions, mesh);
        const double force = relative(n, 0, mesh, direct, radial), torque = relative(n, 3, mesh, direct, radial);
        print_message("%-28s %7.0e: force %.2f, torque %.2f of it\n", fluid->name, tolerance, force / tolerance,
                      torque / tolerance);
        assert_true(force < 2.0 * tolerance && torque < 2.0 * tolerance);
        assert_true(force > 0.1 * tolerance);
    }
    /* Pairs cannot follow such a shape: their polynomials make nearly all of the error, and it is expected. */
    interactions = on_mesh(fluid, 1e-8);
    interactions.truncation = PH_TRUNCATE_CUT;
    interactions.ewald = (struct ph_ewald_choice){.tolerance = 1e-8,
                                                  .split = PH_SPLIT_BESSEL,
                                                  .shape = 39.0,
                                                  .window = 36.0,
                                                  .width = 18,
                                                  .grid = {54, 54, fluid->shape == long_edges ? 162 : 54}};
    assert_int_equal(ph_ewald_choose(system, &interactions, NULL), PH_OK);
    sum(system, &interactions, mesh);
    const double force = relative(n, 0, mesh, direct, radial), expected = interactions.ewald.expected_error;
    print_message("%-28s shape 39: force %.1e, %.1e expected\n", fluid->name, force, expected);
    assert_true(force > 1e-10 && force < 3.0 * expected && force > expected / 3.0);
    free(direct);
    ph_system_destroy(system);
}

TEST(water_keeps_it)
{
    const struct ph_species species = water();
    keeps_its_tolerance(&(struct fluid){"water", cube_edges, 6, 1.06, 3.8, 2.84, 0.002}, 1, &species);
}

TEST(dipoles_keep_it)
{
    const struct ph_species species = dipole(sqrt(3.0));
    keeps_its_tolerance(&(struct fluid){"Stockmayer", cube_edges, 7, 0.8, 1.35, 3.0, 0.004}, 1, &species);
}

TEST(molten_salt_keeps_it)
{
    const struct ph_species species[] = {ion("plus", 10.0), ion("minus", -10.0)};
    keeps_its_tolerance(&(struct fluid){"molten salt", cube_edges, 6, 0.7, 3.0, 2.8, 0.002}, 2, species);
}

TEST(ions_and_dipoles_keep_it)
{
    struct ph_species species[] = {dipole(sqrt(3.0)), ion("plus", 2.0)};
    /* as many charges of the other sign: beside the dipole, on its molecule */
    species[0].site[0].charge = -2.0;
    keeps_its_tolerance(&(struct fluid){"ions and dipoles", cube_edges, 6, 0.8, 2.0, 2.8, 0.002}, 2, species);
}

TEST(a_leaning_box_keeps_it)
{
    const struct ph_species species = water();
    keeps_its_tolerance(&(struct fluid){"water, leaning box", leaning_edges, 6, 1.06, 3.8, 2.6, 0.002}, 1, &species);
}

TEST(a_long_box_keeps_it)
{
    const struct ph_species species = dipole(sqrt(3.0));
    keeps_its_tolerance(&(struct fluid){"Stockmayer, long box", long_edges, 6, 0.8, 1.35, 2.8, 0.004}, 1, &species);
}

/* Not taken in silence: the message has what would be reached */
TEST(what_is_not_reached_is_refused)
{
    const struct ph_species species = dipole(1.0);
    const struct fluid fluid = {"dipoles", cube_edges, 6, 0.8, 1.0, 2.8, 0.004};
    struct ph_system *system = make_lattice(&fluid, 1, &species);
    struct ph_interactions interactions = on_mesh(&fluid, 1e-8);
    struct ph_error err = {.text = ""};
    for (int e = 0; e < 3; ++e)
        interactions.ewald.grid[e] = 12;
    assert_int_equal(ph_ewald_choose(system, &interactions, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "1.0e-08"));
    assert_non_null(strstr(err.text, "12 x 12 x 12"));
    interactions = on_mesh(&fluid, 1e-11);
    interactions.ewald.shape = 39.0; /* the polynomials of pairs are worse */
    assert_int_equal(ph_ewald_choose(system, &interactions, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "not the tolerance of 1.0e-11"));
    interactions = on_mesh(&fluid, 2e-12); /* not kept by all fluids */
    assert_int_equal(ph_ewald_choose(system, &interactions, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "between 3e-12 and 0.01"));
    interactions = on_mesh(&fluid, 3e-12);
    assert_int_equal(ph_ewald_choose(system, &interactions, &err), PH_OK);
    assert_true(interactions.ewald.expected_error < 3e-12 && interactions.ewald.shape < 32.0);
    ph_system_destroy(system);
}

/* Electric forces and torques of a direct sum much finer than any mesh, and of what is left without charges */
static void sum_finely(struct ph_system *system, const struct ph_interactions *of, double *direct, double *radial)
{
    struct ph_interactions in = *of;
    in.electrostatics = PH_ELECTROSTATICS_EWALD;
    in.truncation = PH_TRUNCATE_CUT;
    in.ewald =
        (struct ph_ewald_choice){.split = PH_SPLIT_GAUSS, .screening = 7.0 / in.cutoff, .k_max = 98.0 / in.cutoff};
    sum(system, &in, direct);
    in.electrostatics = PH_ELECTROSTATICS_CUTOFF;
    in.coulomb = 0.0;
    sum(system, &in, radial);
}

/* Molecules at random places in a long box, more than 1 from each other */
static struct ph_system *make_gas(size_t n, const double (*shape)[3], double edge, const struct ph_species *species)
{
    const struct ph_box box = make_box(shape, edge);
    const struct ph_start start = {.kind = PH_START_RANDOM, .seed = 3, .minimum_distance = 1.0};
    struct ph_system *system;
    assert_ok(ph_system_create(1, species, &n, &box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    ph_start_turn(3, system);
    return system;
}

/* In a gas the forces are small beside what windows of sites make of their own fields. A finer tolerance must not be
 * worse: the polynomials of windows that are too narrow are counted, and what they do not reach is refused. */
TEST(a_gas_keeps_it_or_is_refused)
{
    enum { N = 4 };
    static const double finer[] = {1e-8, 1e-10, 3e-12};
    const struct ph_species species = dipole(sqrt(3.0));
    const struct fluid fluid = {.name = "gas", .cutoff = 1.2};
    struct ph_system *system = make_gas(N, long_edges, 4.0, &species);
    double direct[6 * N], radial[6 * N], mesh[6 * N], before = INFINITY;
    struct ph_interactions in = on_mesh(&fluid, 1e-6);
    in.truncation = PH_TRUNCATE_CUT;
    sum_finely(system, &in, direct, radial);
    int refused = 0;
    for (int k = 0; k < 3; ++k) {
        struct ph_error err = {.text = ""};
        in.ewald = (struct ph_ewald_choice){.tolerance = finer[k], .split = PH_SPLIT_BESSEL};
        if (ph_ewald_choose(system, &in, &err) != PH_OK) { /* it says what is reached */
            const char *good = strstr(err.text, "is good to ");
            assert_non_null(good);
            assert_non_null(strstr(err.text, "not the tolerance of "));
            const double reached = atof(good + strlen("is good to "));
            assert_true(reached > finer[k] && reached < 1e-8);
            in.ewald = (struct ph_ewald_choice){.tolerance = reached, .split = PH_SPLIT_BESSEL};
            assert_int_equal(ph_ewald_choose(system, &in, &err), PH_OK);
            ++refused;
        }
        sum(system, &in, mesh);
        const double force = relative(N, 0, mesh, direct, radial), torque = relative(N, 3, mesh, direct, radial);
        print_message("gas, %.1e: force %.1e, torque %.1e\n", in.ewald.tolerance, force, torque);
        assert_true(force < in.ewald.tolerance && torque < in.ewald.tolerance);
        assert_true(force < before);
        before = 1.5 * force;
    }
    assert_true(refused > 0);
    ph_system_destroy(system);
}

/* Direct sums, the reference, keep their tolerance too: with pairs that are cut or switched off, whose width counts,
 * and with those that end by themselves; of dipoles and of sites that are near to each other; in a long box. */
TEST(direct_sums_keep_it)
{
    enum { N = 40 };
    const struct {
        const char *name;
        struct ph_species species;
        const double (*shape)[3];
        double edge, cutoff;
    } cases[] = {{"dipoles, long box", dipole(sqrt(3.0)), long_edges, 3.0, 1.45},
                 {"water", water(), cube_edges, 4.2, 2.0}};
    for (size_t c = 0; c < 2; ++c) {
        struct ph_system *system = make_gas(N, cases[c].shape, cases[c].edge, &cases[c].species);
        const struct fluid fluid = {.cutoff = cases[c].cutoff};
        double direct[6 * N], radial[6 * N], got[6 * N], rest[6 * N];
        struct ph_interactions in = on_mesh(&fluid, 1e-6);
        in.truncation = PH_TRUNCATE_CUT;
        sum_finely(system, &in, direct, radial);
        in.electrostatics = PH_ELECTROSTATICS_EWALD;
        for (int kind = 0; kind < 3; ++kind)
            for (double tolerance = 1e-4; tolerance > 5e-11; tolerance *= 1e-3) {
                in.truncation = kind == 1 ? PH_TRUNCATE_SWITCHED : PH_TRUNCATE_CUT;
                in.ewald = (struct ph_ewald_choice){.tolerance = tolerance,
                                                    .split = kind == 2 ? PH_SPLIT_BESSEL : PH_SPLIT_GAUSS};
                assert_int_equal(ph_ewald_choose(system, &in, NULL), PH_OK);
                sum(system, &in, got);
                struct ph_interactions none = in;
                none.electrostatics = PH_ELECTROSTATICS_CUTOFF;
                none.coulomb = 0.0;
                sum(system, &none, rest);
                for (size_t k = 0; k < 6 * N; ++k) /* a switch acts on radial terms too */
                    got[k] += radial[k] - rest[k];
                const double force = relative(N, 0, got, direct, radial) / tolerance,
                             torque = relative(N, 3, got, direct, radial) / tolerance;
                print_message("%s, %s, %.0e: force %.2f, torque %.2f of it, %.2f expected\n", cases[c].name,
                              kind == 0   ? "cut"
                              : kind == 1 ? "switched"
                                          : "Bessel",
                              tolerance, force, torque, in.ewald.expected_error / tolerance);
                assert_true(force < 1.0 && torque < 1.0 && force > 0.02);
            }
        ph_system_destroy(system);
    }
}
