/* SPDX-License-Identifier: MIT */
/* Two molecules alone have the energy that the force field gives them, whatever they are made of and however
 * interactions end; a test molecule has the energy that the force field gains by it; and second virial coefficients are
 * those of series that are exact. */
#include "support.h"

#include "base/random.h"
#include "force/force_field.h"
#include "lab/free_energy/insertion.h"
#include "lab/virial.h"

#include <stdio.h>

static struct ph_site site(const char *name, double x, double y, double z, double charge, double mu, double epsilon)
{
    struct ph_site s = {.position = {x, y, z}, .mass = 1.0, .charge = charge, .dipole = {0.3 * mu, -0.2 * mu, mu}};
    snprintf(s.name, sizeof s.name, "%s", name);
    if (epsilon > 0.0)
        s.radial = (struct ph_radial){PH_RADIAL_MIE, epsilon, 1.0, 12.0, 6.0};
    return s;
}

/* Charges, dipoles and radial terms in one bent molecule, and a dipole on a sphere */
static void make_species(struct ph_species species[2])
{
    static const double mass = 1.0, inertia[3] = {0.1, 0.1, 0.1};
    species[0] =
        (struct ph_species){.name = "bent",
                            .n_sites = 3,
                            .site = {site("A", 0.0, 0.0, 0.1, -0.8, 0.0, 1.0), site("B", 0.3, 0.0, -0.1, 0.4, 0.5, 0.0),
                                     site("C", -0.3, 0.1, -0.1, 0.4, 0.0, 0.3)}};
    species[1] = (struct ph_species){.name = "ball", .n_sites = 1, .site = {site("D", 0.0, 0.0, 0.0, 0.0, 1.2, 0.7)}};
    assert_ok(ph_species_complete(&species[0], NULL, NULL, &err));
    assert_ok(ph_species_complete(&species[1], &mass, inertia, &err));
}

static void compare(size_t a, size_t b, const struct ph_interactions *interactions)
{
    struct ph_species species[2];
    const struct ph_box box = ph_box_open();
    struct ph_system *system = NULL;
    struct ph_force_field *field;
    struct ph_pair_table table;
    struct ph_two_molecules two;
    make_species(species);
    assert_ok(ph_system_create(2, species, (size_t[]){a == 0 ? 1 + (b == 0) : 0, b == 1 ? 1 + (a == 1) : 0}, &box,
                               &system, &err));
    assert_ok(ph_force_field_create(system, interactions, &field, &err));
    assert_ok(ph_pair_table_init(system, interactions, &table, &err));
    ph_two_molecules_init(system, &table, a, b, &two);
    struct ph_random random = ph_random_stream(5, PH_RANDOM_ORIENTATION, 0);
    for (int k = 0; k < 200; ++k) {
        const double r[3] = {0.5 + 0.02 * k * ph_random_uniform(&random), 0.9, -0.1 * k / 200.0};
        struct ph_energy energy;
        double q[2][4], radial, electric;
        for (int i = 0; i < 2; ++i) {
            ph_random_orientation(&random, q[i]);
            ph_two_molecules_turn(&two, i, q[i]);
            for (int x = 0; x < 4; ++x)
                system->q[x][i] = q[i][x];
            for (int x = 0; x < 3; ++x)
                system->r[x][i] = i == 1 ? r[x] : 0.0;
        }
        assert_ok(ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, &energy, &err));
        ph_two_molecules_energy(&two, r, &radial, &electric);
        assert_close(radial, energy.radial, 1e-13, fabs(energy.radial) + 1.0);
        assert_close(electric, energy.electric, 1e-13, fabs(energy.electric) + 1.0);
    }
    ph_pair_table_clear(&table);
    ph_force_field_destroy(field);
    ph_system_destroy(system);
}

TEST(the_energy_is_that_of_the_force_field)
{
    const struct ph_interactions kinds[] = {
        {.truncation = PH_TRUNCATE_NONE},
        {.truncation = PH_TRUNCATE_CUT, .cutoff = 2.5},
        {.truncation = PH_TRUNCATE_FORCE_SHIFTED, .cutoff = 2.5},
        {.truncation = PH_TRUNCATE_SWITCHED, .cutoff = 2.5, .switch_width = 0.8, .smoothness = 4},
        {.truncation = PH_TRUNCATE_SWITCHED,
         .cutoff = 2.5,
         .switch_width = 0.8,
         .smoothness = 2,
         .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
         .epsilon_rf = 10.0},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        for (size_t a = 0; a < 2; ++a)
            for (size_t b = a; b < 2; ++b) {
                struct ph_interactions interactions = kinds[k];
                interactions.coulomb = 1.3;
                compare(a, b, &interactions);
            }
}

/* ---- Test molecules ---- */

enum { LATTICE = 4, CROWD = LATTICE * LATTICE * LATTICE - 1 };

/* Molecules on a lattice, all sites but one taken: first bent ones, then balls. The one of species `more` that is put
 * to the free site comes last of its kind. */
static struct ph_system *make_crowd(const struct ph_box *box, size_t bent, size_t balls, int more)
{
    struct ph_species species[2];
    struct ph_system *system = NULL;
    make_species(species);
    assert_ok(ph_system_create(2, species, (size_t[]){bent + (more == 0), balls + (more == 1)}, box, &system, &err));
    for (size_t i = 0; i < bent + balls; ++i) {
        struct ph_random random = ph_random_stream(9, PH_RANDOM_ORIENTATION, i);
        const size_t at = i + (more == 0 && i >= bent);
        const double fraction[3] = {(double)(i % LATTICE) / LATTICE, (double)(i / LATTICE % LATTICE) / LATTICE,
                                    (double)(i / LATTICE / LATTICE) / LATTICE};
        double q[4];
        ph_random_orientation(&random, q);
        for (int x = 0; x < 4; ++x)
            system->q[x][at] = q[x];
        for (int x = 0; x < 3; ++x)
            for (int e = 0; e < 3; ++e)
                system->r[x][at] += (fraction[e] + 0.01 * ph_random_uniform(&random)) * box->edge[e][x];
    }
    return system;
}

static double energy_of_crowd(struct ph_system *system, const struct ph_interactions *interactions)
{
    struct ph_force_field *field;
    struct ph_energy energy;
    assert_ok(ph_force_field_create(system, interactions, &field, &err));
    assert_ok(ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, &energy, &err));
    ph_force_field_destroy(field);
    return ph_energy_total(&energy);
}

/* The mean of exp(-u/kT) over the directions of a dipole, by quadrature: rotations by half a turn about the bisector
 * take the dipole to each direction */
static double mean_by_quadrature(struct ph_insertion *insertion, const double r[3], const double mu[3], double kT)
{
    enum { POLAR = 40, AROUND = 24 };
    const double pi = 3.14159265358979323846, length = sqrt(mu[0] * mu[0] + mu[1] * mu[1] + mu[2] * mu[2]);
    double sum = 0.0, weights = 0.0;
    for (int k = 0; k < POLAR; ++k) /* Gauss and Chebyshev, of the second kind, in the cosine */
        for (int m = 0; m < AROUND; ++m) {
            const double t = pi * (k + 1) / (POLAR + 1), s = sin(t), phi = 2.0 * pi * m / AROUND;
            const double n[3] = {s * cos(phi), s * sin(phi), cos(t)};
            double weight = 0.0, q[4] = {0.0}, norm = 0.0;
            for (int j = 1; j <= (POLAR + 1) / 2; ++j) /* Fejer */
                weight += sin((2 * j - 1) * t) / (2 * j - 1);
            weight *= s;
            for (int x = 0; x < 3; ++x)
                q[x + 1] = n[x] + mu[x] / length;
            for (int x = 1; x < 4; ++x)
                norm += q[x] * q[x];
            for (int x = 1; x < 4; ++x)
                q[x] /= sqrt(norm);
            sum += weight * exp(-ph_insertion_energy(insertion, r, q) / kT);
            weights += weight;
        }
    return sum / weights;
}

static void insert_into_crowd(const struct ph_box *box, size_t species, const struct ph_interactions *interactions)
{
    enum { BENT = CROWD / 2, BALLS = CROWD - BENT };
    struct ph_system *before = make_crowd(box, BENT, BALLS, -1), *after = make_crowd(box, BENT, BALLS, (int)species);
    const size_t at = species == 0 ? BENT : CROWD;
    const double kT = 1.7;
    struct ph_pair_table table;
    double centre[3 * CROWD], orientation[4 * CROWD], r[3], q[4];
    struct ph_random random = ph_random_stream(3, PH_RANDOM_INSERTION, 0);
    assert_ok(ph_pair_table_init(before, interactions, &table, &err));
    for (size_t i = 0; i < CROWD; ++i) {
        for (size_t x = 0; x < 3; ++x)
            centre[3 * i + x] = before->r[x][i];
        for (size_t x = 0; x < 4; ++x)
            orientation[4 * i + x] = before->q[x][i];
    }
    const struct ph_insertion_task task = {.system = before,
                                           .table = &table,
                                           .interactions = interactions,
                                           .species = species,
                                           .n = CROWD,
                                           .kT = kT,
                                           .orientations = 1};
    assert_int_equal(ph_insertion_is_exact(&task), species == 1);
    struct ph_insertion *insertion = ph_insertion_create(&task);
    assert_non_null(insertion);
    assert_true(ph_insertion_frame(insertion, box, centre, orientation));
    ph_random_orientation(&random, q);
    for (size_t x = 0; x < 3; ++x)
        after->r[x][at] = r[x] = 0.74 * (box->edge[0][x] + box->edge[1][x] + box->edge[2][x]);
    for (size_t x = 0; x < 4; ++x)
        after->q[x][at] = q[x];
    const double want = energy_of_crowd(after, interactions) - energy_of_crowd(before, interactions);
    assert_true(fabs(want) > 0.05);
    assert_close(ph_insertion_energy(insertion, r, q), want, 1e-11, fabs(want) + 100.0);
    if (species == 1) {
        const double exact = ph_insertion_weight(insertion, r, &random);
        assert_close(exact, mean_by_quadrature(insertion, r, before->species[1].site[0].dipole, kT), 1e-10, exact);
    }
    ph_insertion_destroy(insertion);
    ph_pair_table_clear(&table);
    ph_system_destroy(before);
    ph_system_destroy(after);
}

/* In boxes in which a molecule has one image within reach, or several, and in a tilted one; for a dipole in the centre
 * the mean over orientations is that of a quadrature. */
TEST(a_test_molecule_has_the_energy_that_the_force_field_gains)
{
    static const double edges[3][3][3] = {{{7.6, 0.0, 0.0}, {0.0, 8.0, 0.0}, {0.0, 0.0, 8.4}},
                                          {{6.4, 0.0, 0.0}, {0.0, 6.4, 0.0}, {0.0, 0.0, 6.4}},
                                          {{8.0, 0.0, 0.0}, {2.0, 8.0, 0.0}, {-1.5, 1.0, 8.4}}};
    struct ph_interactions interactions = {.truncation = PH_TRUNCATE_CUT,
                                           .cutoff = 3.0,
                                           .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
                                           .epsilon_rf = 20.0,
                                           .coulomb = 1.3};
    interactions.external.electric_field[0] = 0.4;
    interactions.external.electric_field[2] = -0.7;
    for (size_t b = 0; b < 3; ++b)
        for (size_t species = 0; species < 2; ++species) {
            struct ph_box box;
            assert_ok(ph_box_init_periodic(edges[b], &box, &err));
            insert_into_crowd(&box, species, &interactions);
        }
    interactions.truncation = PH_TRUNCATE_SWITCHED;
    interactions.switch_width = 0.8;
    interactions.smoothness = 6;
    struct ph_box box;
    assert_ok(ph_box_init_periodic(edges[0], &box, &err));
    insert_into_crowd(&box, 0, &interactions);
    insert_into_crowd(&box, 1, &interactions);
}

/* ---- Series ---- */

/* Spheres 4 [r^-12 - lj r^-6] with dipoles at their centres: exp(-u/T) as a series in powers of r^-6, times
 * exp(-4 r^-12/T). The mean over angles of (s1 s2 cos phi - 2 c1 c2)^2k is sum over m of binomial(k, m) 3^m/(2m + 1),
 * over 2k + 1. See J. O. Hirschfelder, C. F. Curtiss, R. B. Bird, Molecular Theory of Gases and Liquids (1954), 3.10.
 */
static double series(double mu_square, double temperature, int lj)
{
    const double a = 4.0 / temperature, pi = 3.14159265358979323846;
    double sum = 0.0;
    for (int k = 0; k < 60; ++k) {
        double mean = 0.0;
        for (int m = 0; m <= k; ++m)
            mean += exp(lgamma(k + 1.0) - lgamma(m + 1.0) - lgamma(k - m + 1.0)) * pow(3.0, m) / (2.0 * m + 1.0);
        mean /= 2.0 * k + 1.0;
        for (int j = 0; j < (lj ? 100 : 1); ++j) {
            const double s = j + k, sign = s > 0.0 ? 1.0 : -1.0; /* of the gamma function, whose logarithm is taken */
            const double powers = (k > 0 ? 2.0 * k * log(mu_square / temperature) - lgamma(2.0 * k + 1.0) : 0.0) +
                                  j * log(a) - lgamma(j + 1.0) + 0.25 * (1.0 - 2.0 * s) * log(a) +
                                  lgamma(0.25 * (2.0 * s - 1.0));
            if (k == 0 || mu_square > 0.0)
                sum += sign * mean * exp(powers) / 12.0;
        }
    }
    return -2.0 * pi * sum;
}

static void expect_series(enum ph_radial_kind kind, double mu_square, double temperature)
{
    const bool lj = kind == PH_RADIAL_MIE;
    static const double mass = 1.0, inertia[3] = {0.1, 0.1, 0.1};
    struct ph_species species = {.name = "ball", .n_sites = 1};
    species.site[0] = (struct ph_site){.name = "A",
                                       .mass = 1.0,
                                       .dipole = {0.6 * sqrt(mu_square), 0.0, -0.8 * sqrt(mu_square)},
                                       .radial = {kind, 1.0, 1.0, 12.0, lj ? 6.0 : 0.0}};
    const struct ph_interactions interactions = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};
    const struct ph_box box = ph_box_open();
    struct ph_system *system = NULL;
    struct ph_pair_table table;
    struct ph_virial_result found;
    assert_ok(ph_species_complete(&species, &mass, inertia, &err));
    assert_ok(ph_system_create(1, &species, &(size_t){2}, &box, &system, &err));
    assert_ok(ph_pair_table_init(system, &interactions, &table, &err));
    const struct ph_virial_task task = {
        .system = system, .table = &table, .interactions = &interactions, .kT = temperature};
    assert_true(ph_virial_axial(&task));
    assert_ok(ph_virial_by_quadrature(&task, &found, &err));
    const double want = series(mu_square, temperature, lj);
    if (!(fabs(found.value - want) < fmin(found.error, 1e-9 * fmax(fabs(want), 1.0)) && found.error < 3e-7))
        fail_msg("mu^2 = %g, T = %g: %.12g +- %.1e found, %.12g expected", mu_square, temperature, found.value,
                 found.error, want);
    ph_virial_free(&found);
    ph_pair_table_clear(&table);
    ph_system_destroy(system);
}

TEST(quadrature_gives_the_digits_of_exact_series)
{
    static const double cases[][2] = {{0.0, 0.7}, {0.0, 3.0}, {0.0, 30.0}, {1.0, 1.0}, {3.0, 1.35}, {3.0, 4.0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        expect_series(PH_RADIAL_MIE, cases[k][0], cases[k][1]);
        expect_series(PH_RADIAL_SOFT_SPHERE, cases[k][0], cases[k][1]);
    }
}
