/* SPDX-License-Identifier: MIT */
/* Ewald sums of charges, dipoles and point quadrupoles: numbers of another program, lattices, charges close together in
 * place of quadrupoles, and the sums against themselves. */
#include "physics/ewald_sums.h"
#include "physics/form_checks.h"
#include "physics/multipoles.h"

#include "force/longrange/ewald.h"
#include "run/gradients.h"

/* ---- Numbers ---- */

/* Four bodies with a charge, a dipole and a linear quadrupole each, in a box of some edge; `moments` are their sizes */
static struct ph_system *four_bodies(double edge, const double moments[3], struct ph_radial radial)
{
    static const double place[4][3] = {{0.5, 0.7, 0.9}, {3.1, 1.2, 4.4}, {6.3, 7.9, 2.2}, {8.8, 4.1, 9.5}};
    static const double moment[4][3] = {{1, 2, 2}, {2, -1, 2}, {-2, 2, 1}, {2, 2, -1}};
    static const double axis[4][3] = {{0, 0, 1}, {1, 1, 1}, {1, 0, -1}, {2, 1, 0}};
    struct ph_species species[4];
    for (size_t s = 0; s < 4; ++s) {
        const struct ph_angular form = quadrupole(moments[2]);
        struct ph_site site = angular_site(&form);
        const double norm = ph_vec3_norm(axis[s]);
        double *x = site.axis[0], *z = site.axis[2];
        for (int k = 0; k < 3; ++k) {
            z[k] = axis[s][k] / norm;
            site.dipole[k] = moments[1] * moment[s][k] / 3.0;
        }
        const double other[3] = {0.3, -0.2, 0.9 - z[2]};
        ph_vec3_cross(other, z, x);
        const double across = ph_vec3_norm(x);
        for (int k = 0; k < 3; ++k)
            x[k] /= across;
        ph_vec3_cross(z, x, site.axis[1]);
        site.charge = s % 2 ? -moments[0] : moments[0];
        site.radial = radial;
        species[s] = (struct ph_species){.name = "body", .n_sites = 1, .site = {site}};
        assert_ok(ph_species_complete(&species[s], NULL, (const double[]){0.5, 0.6, 0.7}, &err));
    }
    const struct ph_box box = make_box(cube_edges, edge);
    struct ph_system *system;
    assert_ok(ph_system_create(4, species, (const size_t[]){1, 1, 1, 1}, &box, &system, &err));
    for (size_t i = 0; i < 4; ++i) {
        system->q[0][i] = 1.0;
        for (int x = 0; x < 3; ++x)
            system->r[x][i] = 0.1 * edge * place[i][x];
    }
    return system;
}

static struct ph_interactions gauss_of(double half)
{
    return (struct ph_interactions){.truncation = PH_TRUNCATE_CUT,
                                    .cutoff = half,
                                    .electrostatics = PH_ELECTROSTATICS_EWALD,
                                    .epsilon_rf = INFINITY,
                                    .ewald = {.screening = 6.2 / half, .k_max = 77.0 / half},
                                    .coulomb = 1.0};
}

static struct ph_interactions bessel_of(double half)
{
    struct ph_interactions in = gauss_of(half);
    in.ewald = (struct ph_ewald_choice){.split = PH_SPLIT_BESSEL, .shape = 26.0, .k_max = 70.0 / half};
    return in;
}

/* By sums in another program, at two values of alpha that agree to 1e-14; forces and torques by differences. Catches a
 * wrong factor anywhere. */
TEST(a_box_has_its_numbers)
{
    static const double force[2][3] = {{-0.00673831677, 0.10009795914, 0.03170517676},
                                       {-0.01776667114, -0.08282915970, -0.05247664407}};
    static const double torque[2][3] = {{-0.05381617031, 0.07032319543, 0.04013526945},
                                        {-0.09998147094, -0.00402805493, 0.06944363981}};
    for (int k = 0; k < 2; ++k) {
        const struct ph_interactions in = k == 0 ? gauss_of(4.99) : bessel_of(4.99);
        struct ph_system *bare = four_bodies(10.0, (const double[]){0, 0, 3}, none);
        struct ph_system *full = four_bodies(10.0, (const double[]){1, 1, 3}, none);
        const struct result alone = result_of(bare, &in), all = result_of(full, &in);
        print_message("%.14f %.14f\n", electric(&alone.energy), electric(&all.energy));
        assert_close(electric(&alone.energy), 0.00861174890350, k == 0 ? 1e-12 : 3e-11, 1.0);
        assert_close(electric(&all.energy), -0.68669699450833, k == 0 ? 1e-12 : 3e-11, 1.0);
        for (int i = 0; i < 2; ++i)
            for (int x = 0; x < 3; ++x) {
                assert_close(all.force[x][i], force[i][x], 2e-10, 1.0);
                assert_close(all.force[x + 3][i], torque[i][x], 2e-10, 1.0);
            }
        ph_system_destroy(bare);
        ph_system_destroy(full);
    }
}

/* Linear quadrupoles with Q = 1 on a cubic lattice of edge 1, `n` cells along each edge; all along one direction, or on
 * the four sites of a face-centred cell along its four diagonals (alpha nitrogen). Returns the energy of each. */
static double lattice(bool four, const double along[3])
{
    enum { N = 3 };
    static const double corner[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    static const double diagonal[4][3] = {{1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, -1}};
    const struct ph_angular form = quadrupole(1.0);
    const struct ph_species species = make_ellipsoid("Q", &form);
    const struct ph_box box = make_box(cube_edges, N);
    const size_t each = four ? 4 : 1;
    struct ph_system *system;
    assert_ok(ph_system_create(1, &species, (size_t[]){N * N * N * each}, &box, &system, &err));
    for (size_t i = 0; i < system->n; ++i) {
        const size_t cell = i / each, at[3] = {cell % N, cell / N % N, cell / N / N};
        const double *u = four ? diagonal[i % each] : along;
        const double norm = ph_vec3_norm(u), turn[3] = {u[0] / norm, u[1] / norm, u[2] / norm};
        double q[4];
        turn_to(turn, q);
        const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
        for (int x = 0; x < 4; ++x)
            system->q[x][i] = q[x] / size;
        for (int x = 0; x < 3; ++x)
            system->r[x][i] = (double)at[x] + (four ? corner[i % each][x] : 0.0);
    }
    const struct ph_interactions in = gauss_of(1.49);
    const struct ph_energy energy = evaluate_once(system, &in);
    const double trace = energy.virial[0][0] + energy.virial[1][1] + energy.virial[2][2], u = electric(&energy);
    assert_close(trace, 5.0 * u, 1e-11, 5.0 * u); /* of degree -5 in lengths */
    const double each_u = u / (double)system->n;
    ph_system_destroy(system);
    return each_u;
}

TEST(lattices_have_their_constants)
{
    assert_close(lattice(false, (const double[]){1, 1, 1}), -6.216453365399, 1e-11, 1.0);
    assert_close(lattice(false, (const double[]){0, 0, 1}), 9.324680048098, 1e-11, 1.0);
    assert_close(lattice(true, NULL), -59.988529831712, 1e-11, 1.0);
}

/* ---- Against itself ---- */

static const double turned_axes[3][3] = {{0, 0.6, 0.8}, {1, 0, 0}, {0, 0.8, -0.6}};

static void set_quadrupole(struct ph_site *site, double q, const double axes[3][3])
{
    site->angular = quadrupole(q);
    memcpy(site->axis, axes, sizeof site->axis);
}

/* Molecules with charges, dipoles, quadrupoles and all of these on one site, neutral or not */
static struct ph_system *multipoles(const struct ph_box *box, struct ph_radial radial, bool is_neutral, uint64_t seed)
{
    struct ph_system *system = make_system((size_t[MOLECULES]){0, 2, 2, 2, 2}, radial, box, 1.3, seed);
    for (size_t s = 0; s < system->n_species && is_neutral; ++s)
        for (size_t a = 1; a < system->species[s].n_sites; ++a)
            system->species[s].site[0].charge -= a == 1 ? ph_species_charge(&system->species[s]) : 0.0;
    static const double upright[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    set_quadrupole(&system->species[0].site[0], -0.7, turned_axes);
    set_quadrupole(&system->species[2].site[0], 0.6, upright);
    set_quadrupole(&system->species[2].site[1], -0.4, upright);
    set_quadrupole(&system->species[3].site[0], 0.9, turned_axes);
    set_quadrupole(&system->species[3].site[2], 0.5, upright);
    system->species[3].site[0].angular = quadrupole_of(0.9, -0.5, -0.4);
    return system;
}

static double half_of(const struct ph_box *box)
{
    return 0.499 * fmin(box->width[0], fmin(box->width[1], box->width[2]));
}

/* Where the sum is split between pairs and waves does not matter, also with a net charge and in a slab. Catches a wrong
 * term of what a molecule does to itself, of the virial, and of the wave k = 0. */
TEST(the_split_does_not_matter)
{
    for (size_t b = 0; b < 6; b += b == 0 || PH_SANITIZED ? 2 : 1) {
        const struct ph_box box = make_box(boxes[b % 3].shape, 7.0);
        struct ph_system *system = multipoles(&box, none, b < 2, 3 + b);
        const double half = half_of(&box);
        struct ph_interactions in[3] = {gauss_of(half), gauss_of(0.75 * half), bessel_of(half)};
        struct result result[3];
        for (int k = 0; k < 3; ++k) {
            in[k].ewald.slab = b >= 4;
            result[k] = result_of(system, &in[k]);
        }
        const double gauss = distance(&result[1], &result[0]), bessel = distance(&result[2], &result[0]);
        print_message("%s %zu: off by %.2g, other split %.2g of %.3g\n", boxes[b % 3].name, b, gauss, bessel,
                      electric(&result[0].energy));
        assert_true(gauss < 2e-11 && bessel < 3e-10);
        assert_true(fabs(result[0].energy.waves - result[1].energy.waves) > 1e-4); /* it is split otherwise indeed */
        ph_system_destroy(system);
    }
}

/* A slab in a higher box is the same slab, also with a net charge, whose part with quadrupoles this tests. */
TEST(the_height_of_a_slab_does_not_matter)
{
    double energy[2], force[2][6][MOST];
    for (int k = 0; k < 2; ++k) {
        static const double edges[2][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 6.0}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 7.0}}};
        const struct ph_box box = make_box(edges[k], 3.0);
        const struct ph_species species[2] = {make_molecule(POLAR, none), make_molecule(CHIRAL, none)};
        struct ph_system *system;
        assert_ok(ph_system_create(2, species, (size_t[]){2, 2}, &box, &system, &err));
        set_quadrupole(&system->species[0].site[0], -0.7, turned_axes);
        set_quadrupole(&system->species[1].site[0], 0.9, turned_axes);
        ph_start_turn(3, system);
        for (size_t i = 0; i < 4; ++i)
            for (int x = 0; x < 3; ++x)
                system->r[x][i] = x < 2 ? 0.4 + 0.7 * (double)(i * (size_t)(x + 1) % 4)
                                        : 0.5 * box.edge[2][2] + 0.6 * random_number(5, i);
        system->species[1].site[0].charge += 0.6;
        struct ph_interactions in = gauss_of(1.49);
        in.ewald.slab = true;
        const struct result result = result_of(system, &in);
        energy[k] = electric(&result.energy);
        memcpy(force[k], result.force, sizeof result.force);
        ph_system_destroy(system);
    }
    double off = 0.0;
    for (int k = 0; k < 24; ++k)
        off = fmax(off, fabs(force[0][k / 4][k % 4] - force[1][k / 4][k % 4]));
    print_message("energies %.12g %.12g, forces off by %.2g\n", energy[0], energy[1], off);
    assert_true(fabs(energy[0] - energy[1]) < 1e-9 && off < 1e-9);
}

/* ---- Charges close together ---- */

/* In place of the quadrupole of a site: charges at -h and h along its axes */
static void add_charges(const struct ph_site *of, double h, struct ph_species *species)
{
    for (int k = 0; k < 6; ++k) {
        const double q = of->angular.number[PH_QUADRUPOLE_Q], more = of->angular.number[PH_QUADRUPOLE_MOMENTS + k / 2];
        struct ph_site *site = &species->site[species->n_sites++];
        *site = (struct ph_site){.name = "+", .charge = ((k / 2 == 2 ? q : -0.5 * q) + more) / (3.0 * h * h)};
        for (int x = 0; x < 3; ++x)
            site->position[x] = of->position[x] + (k % 2 ? -h : h) * of->axis[k / 2][x];
    }
}

static struct result close_together(const struct ph_box *box, double h)
{
    struct ph_system *system = multipoles(box, none, true, 4);
    for (size_t s = 0; s < system->n_species && h > 0.0; ++s)
        for (size_t a = 0, n = system->species[s].n_sites; a < n; ++a)
            if (ph_angular_is_multipole(&system->species[s].site[a].angular)) {
                add_charges(&system->species[s].site[a], h, &system->species[s]);
                system->species[s].site[a].angular.kind = PH_ANGULAR_NONE;
            }
    const struct ph_interactions in = gauss_of(half_of(box));
    const struct result result = result_of(system, &in);
    ph_system_destroy(system);
    return result;
}

/* Extrapolated to no distance. Catches a wrong sign or factor of anything with charges or dipoles, for these have
 * tests of their own. */
TEST(charges_close_together_are_quadrupoles)
{
    const struct ph_box box = make_box(tilted_edges, 7.0);
    const struct result want = close_together(&box, 0.0);
    struct result at[4];
    for (int k = 0; k < 4; ++k)
        at[k] = close_together(&box, 0.16 / (1 << k));
    double *const number[4] = {&at[0].force[0][0], &at[1].force[0][0], &at[2].force[0][0], &at[3].force[0][0]};
    for (int level = 1; level < 4; ++level)
        for (int k = 3; k >= level; --k) {
            const double weight = 1.0 / (pow(4.0, level) - 1.0);
            for (int n = 0; n < 6 * MOST; ++n)
                number[k][n] += weight * (number[k][n] - number[k - 1][n]);
            at[k].energy.electric += weight * (at[k].energy.electric - at[k - 1].energy.electric);
            at[k].energy.waves += weight * (at[k].energy.waves - at[k - 1].energy.waves);
            for (int n = 0; n < 9; ++n)
                at[k].energy.virial[n / 3][n % 3] +=
                    weight * (at[k].energy.virial[n / 3][n % 3] - at[k - 1].energy.virial[n / 3][n % 3]);
        }
    const double off = distance(&at[3], &want);
    print_message("off by %.2g\n", off);
    assert_true(off < 1e-7);
}

/* ---- Gradients, rates and motion ---- */

/* Sums that are far from exact, and smooth: Gauss' split, the other split, and on a mesh, odd ones of a slab */
static struct ph_interactions rough(int kind)
{
    struct ph_interactions in = ewald(2.9, 1e-2);
    in.truncation = PH_TRUNCATE_SWITCHED;
    in.smoothness = 6;
    in.switch_width = 1.1;
    in.ewald.slab = kind % 2 == 1;
    if (kind >= 2) {
        in.ewald.split = PH_SPLIT_BESSEL;
        in.ewald.shape = 9.0;
        in.ewald.smoothness = 4;
    }
    if (kind >= 4) {
        in.electrostatics = PH_ELECTROSTATICS_MESH;
        in.ewald.shape = 0.0;
    }
    return in;
}

TEST(forces_are_the_gradient_of_the_energy)
{
    static const int kinds[] = {0, 3, 4, 5};
    for (int n = 0; n < 4; n += PH_SANITIZED ? 3 : 1) {
        const int k = kinds[n];
        const struct ph_box box = make_box(boxes[n % 3].shape, 7.0);
        struct ph_system *system = multipoles(&box, none, k < 1, (uint64_t)k);
        const struct ph_interactions in = rough(k);
        struct ph_gradients gradients;
        assert_ok(ph_check_gradients(system, &in, 1, &gradients, &err));
        print_message("%d: force %.2g, torque %.2g, virial %.2g\n", k, gradients.force.deviation,
                      gradients.torque.deviation, gradients.virial.deviation);
        assert_true(gradients.virial.checked && gradients.force.deviation < 1e-8 && gradients.torque.deviation < 1e-8 &&
                    gradients.virial.deviation < 1e-8);
        ph_system_destroy(system);
    }
}

TEST(rates_are_derivatives_of_forces)
{
    for (int k = PH_SANITIZED ? 1 : 0; k < 6; k += PH_SANITIZED ? 2 : 1) { /* of each method one, with a slab */
        const struct ph_box box = make_box(boxes[k % 3].shape, 7.0);
        struct ph_system *system = multipoles(&box, none, k < 1, 5);
        struct ph_interactions in = rough(k);
        struct ph_force_field *field = make_field(system, &in);
        print_message("rates: largest deviation %.1g\n", check_rates(system, field));
        put_away(field, system);
    }
}

static struct ph_interactions smooth_sum(bool mesh)
{
    struct ph_interactions in = rough(mesh ? 4 : 2);
    in.cutoff = 1.99;
    in.switch_width = 0.9;
    in.ewald.smoothness = 6;
    in.coulomb = 1.0;
    return in;
}

static struct ph_system *moving(void)
{
    struct ph_system *system = four_bodies(4.0, (const double[]){0.4, 0.5, 0.5}, lennard_jones);
    ph_start_move(0.5, true, false, 3, system);
    return system;
}

/* With sums and with a mesh, whose splines must be as smooth as the scheme asks */
TEST(schemes_keep_their_order)
{
    if (PH_SANITIZED)
        skip(); /* rates and threads run the same code */
    for (int mesh = 0; mesh < 2; ++mesh) {
        struct ph_system *system = moving();
        const struct ph_interactions in = smooth_sum(mesh == 1);
        struct ph_force_field *field = make_field(system, &in);
        check_orders(system, field);
        put_away(field, system);
    }
}

TEST(threads_change_no_bit)
{
    for (int mesh = 0; mesh < 2; ++mesh) {
        const struct ph_interactions in = smooth_sum(mesh == 1);
        check_threads(moving, &in, 0.002, 5);
    }
}

/* ---- Tolerance ---- */

enum { MANY = 48 };

/* Molecules at random places, more than 1 from each other: quadrupoles alone, all multipoles on one site, or apart */
static struct ph_system *fluid(int kind)
{
    struct ph_species species[2];
    for (int s = 0; s < 2; ++s) {
        const struct ph_angular form = quadrupole(kind == 0 ? 1.3 : 0.8);
        struct ph_site site = angular_site(&form);
        site.charge = kind == 1 ? 0.8 - 1.6 * s : 0.0;
        site.dipole[0] = kind == 1 ? 0.9 : 0.0;
        species[s] = (struct ph_species){.name = "body", .n_sites = 1, .site = {site}};
        if (kind == 2) {
            species[s].n_sites = 3;
            species[s].site[1] = site_at("B", 0.0, 1.0, none, 0, 0, 0.2, 0, 0);
            species[s].site[2] = site_at("C", 0.0, -1.0, none, 0, 0, -0.2, 0, 0);
        }
        assert_ok(ph_species_complete(&species[s], NULL, (const double[]){0.5, 0.6, 0.7}, &err));
    }
    const struct ph_box box = make_box(cube_edges, cbrt(MANY / 0.4));
    const struct ph_start start = {.kind = PH_START_RANDOM, .seed = 4, .minimum_distance = 1.0};
    struct ph_system *system;
    assert_ok(ph_system_create(2, species, (size_t[]){MANY / 2, MANY / 2}, &box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    ph_start_turn(4, system);
    return system;
}

static void find_forces(struct ph_system *system, const struct ph_interactions *in, double force[6][MANY])
{
    evaluate_once(system, in);
    for (int x = 0; x < 3; ++x) {
        memcpy(force[x], system->f[x], MANY * sizeof(double));
        memcpy(force[3 + x], system->t[x], MANY * sizeof(double));
    }
}

/* Root mean square, relative, of three rows */
static double relative(double (*const got)[MANY], double (*const want)[MANY])
{
    double off = 0.0, size = 0.0;
    for (int k = 0; k < 3 * MANY; ++k) {
        off += pow(got[k / MANY][k % MANY] - want[k / MANY][k % MANY], 2.0);
        size += pow(want[k / MANY][k % MANY], 2.0);
    }
    return sqrt(off / size);
}

/* Errors stay below the tolerance, and not far below: a sum of quadrupoles has parameters of its own. */
TEST(the_tolerance_is_kept)
{
    static const double tolerance[] = {1e-3, 1e-6, 1e-9};
    double got[6][MANY], want[6][MANY];
    for (int kind = 0; kind < 3; ++kind) {
        struct ph_system *system = fluid(kind);
        const double half = half_of(&system->box);
        const struct ph_interactions exact = gauss_of(half);
        find_forces(system, &exact, want);
        for (int k = 0; k < 12; k += PH_SANITIZED ? 5 : 1) {
            struct ph_interactions in = gauss_of(0.9 * half);
            in.ewald = (struct ph_ewald_choice){.tolerance = tolerance[k % 3],
                                                .split = k < 6 ? PH_SPLIT_GAUSS : PH_SPLIT_BESSEL};
            if (k / 3 == 3)
                in.electrostatics = PH_ELECTROSTATICS_MESH;
            if (k / 3 == 1) {
                in.truncation = PH_TRUNCATE_SWITCHED;
                in.switch_width = 0.15 * in.cutoff;
                in.smoothness = 6;
            }
            find_forces(system, &in, got);
            const double force = relative(got, want), torque = relative(got + 3, want + 3);
            print_message("%d %d %.0e: force %.2f, torque %.2f of it\n", kind, k / 3, tolerance[k % 3],
                          force / tolerance[k % 3], torque / tolerance[k % 3]);

            assert_true(force < tolerance[k % 3] && torque < tolerance[k % 3] && force > 0.03 * tolerance[k % 3]);
        }
        ph_system_destroy(system);
    }
}
