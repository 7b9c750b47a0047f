/* SPDX-License-Identifier: MIT */
/* Two molecules alone have the energy that the force field gives them, whatever they are made of and however
 * interactions end; and second virial coefficients are those of series that are exact. */
#include "support.h"

#include "base/random.h"
#include "force/force_field.h"
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

static void the_energy_is_that_of_the_force_field(void **state)
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

static void quadrature_gives_the_digits_of_exact_series(void **state)
{
    static const double cases[][2] = {{0.0, 0.7}, {0.0, 3.0}, {0.0, 30.0}, {1.0, 1.0}, {3.0, 1.35}, {3.0, 4.0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        expect_series(PH_RADIAL_MIE, cases[k][0], cases[k][1]);
        expect_series(PH_RADIAL_SOFT_SPHERE, cases[k][0], cases[k][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_energy_is_that_of_the_force_field),
        cmocka_unit_test(quadrature_gives_the_digits_of_exact_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
