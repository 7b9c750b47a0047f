/* SPDX-License-Identifier: MIT */
/* The Ewald sum against published numbers and lattice constants, and against itself: where the sum is split between
 * pairs and waves must not matter, which a wrong factor in either, in what molecules do to themselves or between
 * charges and dipoles would show. */
#include "physics/ewald_sums.h"
#include "physics/nist_water.h"

#include "force/longrange/ewald.h"
#include "run/gradients.h"

#include <omp.h>

/* ---- Published numbers ---- */

/* Energies in kJ/mol from another program to ten digits and more, whose sum over waves, self and intramolecular terms
 * it gives apart. Its sum over pairs differs from ours by 2e-9, and so it does from a plain sum over all pairs with
 * another library's erfc, which agrees with ours to 1e-12. NIST's own table, in kelvins, has six digits of each. */
TEST(water_has_the_energies_of_nist)
{
    struct ph_system *system = nist_water();
    const struct ph_interactions interactions = {.truncation = PH_TRUNCATE_CUT,
                                                 .cutoff = 1.0,
                                                 .electrostatics = PH_ELECTROSTATICS_EWALD,
                                                 .epsilon_rf = INFINITY,
                                                 .ewald = {.screening = 2.8, .k_max = 2.0 * pi / 2.0 * sqrt(26.5)},
                                                 .coulomb = 138.935457644382,
                                                 .long_range_correction = true};
    const struct ph_energy energy = evaluate_once(system, &interactions);
    const double kelvin = 0.00831446261815324;
    assert_close(energy.waves, 52.13245734204947 + 23363.573741866534 - 23652.080370504391, 1e-12, 23652.0);
    assert_close(energy.radial + energy.electric, -3819.2497140430355, 3e-9, 3819.0);
    assert_close(energy.long_range, -6.84874714555147, 1e-12, 6.8);
    assert_close(energy.radial / kelvin, 9.95387e4, 0.5, 1.0);
    assert_close(energy.electric / kelvin, -5.58889e5, 0.5, 1.0);
    /* a small difference of large terms: a unit of NIST's last digit */
    assert_close(ph_energy_total(&energy) / kelvin, -4.88604e5, 1.5, 1.0);
    ph_system_destroy(system);
}

/* Two kinds of ions, one at the corners of n^3 cells of edge 1, the other where `shift` says */
static struct ph_system *ions(size_t n, const double corners[][3], size_t n_corners, const double shift[3])
{
    struct ph_species species[2];
    for (int s = 0; s < 2; ++s) {
        species[s] = make_molecule(ATOM, none);
        species[s].site[0].charge = s == 0 ? 1.0 : -1.0;
    }
    const size_t each = n * n * n * n_corners;
    const struct ph_box box = make_box(cube_edges, (double)n);
    struct ph_system *system;
    assert_int_equal(ph_system_create(2, species, (size_t[]){each, each}, &box, &system, NULL), PH_OK);
    for (size_t i = 0; i < 2 * each; ++i) {
        const size_t cell = i % each / n_corners;
        const size_t at[3] = {cell % n, cell / n % n, cell / n / n};
        for (int x = 0; x < 3; ++x)
            system->r[x][i] = (double)at[x] + corners[i % n_corners][x] + (i >= each ? shift[x] : 0.0);
    }
    return system;
}

/* Energy per pair of ions times the distance of neighbours */
static double madelung(struct ph_system *system, double distance)
{
    struct ph_interactions interactions = ewald(1.4, 1e-15);
    interactions.coulomb = 1.0;
    const struct ph_energy energy = evaluate_once(system, &interactions);
    double largest = 0.0;
    for (size_t i = 0; i < system->n; ++i)
        for (int x = 0; x < 3; ++x)
            largest = fmax(largest, fabs(system->f[x][i]));
    assert_true(largest < 1e-11); /* every ion lies in a centre of symmetry */
    /* U is homogeneous of degree -1 in lengths: the trace of the virial is U. */
    const double trace = energy.virial[0][0] + energy.virial[1][1] + energy.virial[2][2];
    assert_close(trace, electric(&energy), 1e-11, electric(&energy));
    return electric(&energy) / (0.5 * (double)system->n) * distance;
}

TEST(crystals_of_ions_have_the_constants_of_madelung)
{
    static const double simple[][3] = {{0, 0, 0}},
                        centred[][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    struct ph_system *salt = ions(3, centred, 4, (const double[]){0.5, 0.5, 0.5});
    assert_close(madelung(salt, 0.5), -1.7475645946331822, 1e-12, 1.0);
    struct ph_system *caesium = ions(3, simple, 1, (const double[]){0.5, 0.5, 0.5});
    assert_close(madelung(caesium, sqrt(0.75)), -1.7626747730709884, 1e-12, 1.0);
    struct ph_system *blende = ions(3, centred, 4, (const double[]){0.25, 0.25, 0.25});
    assert_close(madelung(blende, sqrt(3.0) / 4.0), -1.6380550533887963, 1e-12, 1.0);
    ph_system_destroy(salt);
    ph_system_destroy(caesium);
    ph_system_destroy(blende);
}

/* Dipoles of a simple cubic lattice, along z, in columns that alternate or all alike */
static double lattice_of_dipoles(bool alternating, double permittivity)
{
    enum { N = 4 };
    struct ph_species species = make_molecule(POLAR, none);
    set_dipole(&species.site[0], 0.0, 0.0, 1.0);
    const struct ph_box box = make_box(cube_edges, N);
    struct ph_system *system;
    assert_int_equal(ph_system_create(1, &species, (size_t[]){N * N * N}, &box, &system, NULL), PH_OK);
    for (size_t i = 0; i < system->n; ++i) {
        system->r[0][i] = (double)(i % N);
        system->r[1][i] = (double)(i / N % N);
        system->r[2][i] = (double)(i / N / N);
        if (alternating && (i + i / N) % 2) {
            system->q[0][i] = 0.0;
            system->q[1][i] = 1.0;
        }
    }
    struct ph_interactions interactions = ewald(1.9, 1e-15);
    interactions.epsilon_rf = permittivity;
    interactions.coulomb = 1.0;
    const struct ph_energy energy = evaluate_once(system, &interactions);
    const double trace = energy.virial[0][0] + energy.virial[1][1] + energy.virial[2][2];
    assert_close(trace, 3.0 * electric(&energy), 1e-11, (double)system->n); /* of degree -3 */
    ph_system_destroy(system);
    return electric(&energy) / (N * N * N);
}

/* Luttinger and Tisza's constant, where there is no moment, in any surroundings; aligned dipoles feel Lorentz' field in
 * a conductor, -2 pi/3 each, and in a sphere in a continuum as much less as its own field weakens it. */
TEST(lattices_of_dipoles_have_their_constants)
{
    assert_close(lattice_of_dipoles(true, INFINITY), -2.676788684353, 1e-11, 1.0);
    assert_close(lattice_of_dipoles(true, 1.0), -2.676788684353, 1e-11, 1.0);
    assert_close(lattice_of_dipoles(false, INFINITY), -2.0 * pi / 3.0, 1e-12, 1.0);
    assert_close(lattice_of_dipoles(false, 1.0), 0.0, 1e-12, 1.0);
    assert_close(lattice_of_dipoles(false, 4.0), -2.0 * pi / 3.0 + 2.0 * pi / 9.0, 1e-12, 1.0);
}

/* ---- Against itself ---- */

/* Molecules with charges, dipoles and both, each neutral; ions in the place of atoms, if any, must be even in number */
static struct ph_system *neutral(const size_t counts[MOLECULES], struct ph_radial radial, const struct ph_box *box,
                                 uint64_t seed)
{
    struct ph_system *system = make_system(counts, radial, box, 1.2, seed);
    for (size_t s = 0; s < system->n_species; ++s) {
        double net = 0.0;
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            net += system->species[s].site[a].charge;
        system->species[s].site[0].charge -= net;
    }
    return system;
}

static struct ph_system *mixture(const struct ph_box *box, uint64_t seed)
{
    return neutral((size_t[MOLECULES]){0, 5, 5, 5, 5}, none, box, seed);
}

static void assert_same(const struct result *one, const struct result *other, double tolerance, const char *what)
{
    const double size = 100.0; /* of the parts: what molecules do to themselves is hundreds, and cancels */
    double off[3] = {fabs(electric(&one->energy) - electric(&other->energy)), 0.0, 0.0};
    for (int k = 0; k < 120; ++k)
        off[1] = fmax(off[1], fabs(one->force[k / 20][k % 20] - other->force[k / 20][k % 20]));
    for (int k = 0; k < 9; ++k)
        off[2] = fmax(off[2], fabs(one->energy.virial[k / 3][k % 3] - other->energy.virial[k / 3][k % 3]));
    if (!(off[0] < tolerance * size && off[1] < tolerance * size && off[2] < tolerance * size))
        fail_msg("%s: energies differ by %.2g, forces by %.2g, virials by %.2g", what, off[0], off[1], off[2]);
    print_message("%s: energies differ by %.2g, forces by %.2g, virials by %.2g of %.3g\n", what, off[0], off[1],
                  off[2], size);
}

TEST(the_screening_does_not_matter)
{
    for (size_t b = 0; b < 3; ++b) {
        const struct ph_box box = make_box(boxes[b].shape, 7.0);
        struct ph_system *system = mixture(&box, 3 + b);
        const double half = 0.499 * fmin(box.width[0], fmin(box.width[1], box.width[2]));
        const struct ph_interactions wide = ewald(half, 1e-15), narrow = ewald(0.7 * half, 1e-15);
        const struct result want = result_of(system, &wide), got = result_of(system, &narrow);
        assert_same(&got, &want, 1e-13, boxes[b].name);
        struct ph_interactions smooth = wide; /* a switch takes away what is negligible */
        smooth.truncation = PH_TRUNCATE_SWITCHED;
        smooth.smoothness = 6;
        smooth.switch_width = 0.05 * half;
        smooth.ewald.screening = 7.5 / half;
        const struct result switched = result_of(system, &smooth);
        assert_same(&switched, &want, 1e-13, "switched");
        assert_true(fabs(want.energy.waves - got.energy.waves) > 1e-2); /* it is split otherwise indeed */
        ph_system_destroy(system);
    }
}

/* Pairs that end by themselves give the same sums, whatever happens to the radial terms beside them. Gauss' pairs are
 * screened so strongly here that no truncation matters to them. */
TEST(the_kind_of_split_does_not_matter)
{
    static const struct {
        const char *name;
        size_t counts[MOLECULES];
    } systems[] = {{"mixture", {0, 5, 5, 5, 5}}, {"charges", {0, 0, 20, 0, 0}}, {"dipoles", {0, 20, 0, 0, 0}}};
    for (size_t k = 0; k < 36; ++k) {
        const size_t b = k % 3;
        const enum ph_truncation truncation = (enum ph_truncation)(PH_TRUNCATE_CUT + k / 3 % 4);
        const struct ph_box box = make_box(boxes[b].shape, 7.0);
        struct ph_system *system = neutral(systems[k / 12].counts, k % 2 ? none : lennard_jones, &box, 3 + b);
        const double half = 0.499 * fmin(box.width[0], fmin(box.width[1], box.width[2]));
        struct ph_interactions gauss = ewald(half, 1e-15);
        gauss.truncation = truncation;
        gauss.smoothness = 6;
        gauss.switch_width = 0.05 * half;
        gauss.ewald.screening = 7.5 / half;
        gauss.epsilon_rf = k / 3 % 2 ? 4.5 : INFINITY;
        struct ph_interactions bessel = gauss;
        bessel.ewald = (struct ph_ewald_choice){.split = PH_SPLIT_BESSEL, .shape = 26.0, .k_max = 70.0 / half};
        const struct result want = result_of(system, &gauss), got = result_of(system, &bessel);
        char what[64];
        snprintf(what, sizeof what, "%s, %s, truncation %d", systems[k / 12].name, boxes[b].name, (int)truncation);
        assert_same(&got, &want, 3e-12, what);
        assert_close(got.energy.radial, want.energy.radial, 1e-14, 1.0 + fabs(want.energy.radial));
        assert_true(fabs(want.energy.waves - got.energy.waves) > 1e-4); /* it is split otherwise indeed */
        ph_system_destroy(system);
    }
}

/* Energy of a neutral molecule with all its own images in a cube, by the definition: the n images on each side, less
 * the energy of the surface of such a cube of dipoles (in a conductor there is none), extrapolated in 1/(2 n + 1)^2 */
static double own_images(const struct ph_site site[2], double edge)
{
    double sum[2] = {0.0}, length = site[0].position[2] - site[1].position[2];
    const double charge2 = site[0].charge * site[0].charge, moment = site[0].charge * length;
    for (int k = 0; k < 2; ++k)
        for (int n = k == 0 ? 20 : 40, x = -n; x <= n; ++x)
            for (int y = -n; y <= n; ++y)
                for (int z = -n; z <= n; ++z) {
                    const double side2 = (x * x + y * y) * edge * edge, up = z * edge;
                    if (x != 0 || y != 0 || z != 0)
                        sum[k] +=
                            charge2 * (1.0 / sqrt(side2 + up * up) - 1.0 / sqrt(side2 + (up + length) * (up + length)));
                }
    return (81.0 * 81.0 * sum[1] - 41.0 * 41.0 * sum[0]) / (81.0 * 81.0 - 41.0 * 41.0) -
           2.0 * pi / 3.0 * moment * moment / (edge * edge * edge);
}

/* Charges +-0.8 a distance 1.5 apart in a cube of 1.6: each is nearest to an image of the other. */
TEST(a_molecule_meets_its_own_images)
{
    struct ph_species species = {.name = "long", .n_sites = 2};
    species.site[0] = site_at("A", 1.0, 0.8, none, 0, 0, 0, 0, 0.75);
    species.site[1] = site_at("B", 1.0, -0.8, none, 0, 0, 0, 0, -0.75);
    const struct ph_box box = make_box(cube_edges, 1.6);
    struct ph_system *system;
    assert_int_equal(ph_species_complete(&species, NULL, NULL, NULL), PH_OK);
    assert_int_equal(ph_system_create(1, &species, (size_t[]){1}, &box, &system, NULL), PH_OK);
    struct ph_interactions interactions = ewald(0.7, 1e-12);
    interactions.coulomb = 1.0;
    const struct result result = result_of(system, &interactions);
    assert_close(electric(&result.energy), own_images(species.site, 1.6), 1e-6, 1.0);
    assert_close(electric(&result.energy), -5.9766, 1e-4, 1.0);
    ph_system_destroy(system);
}

TEST(long_molecules_do_not_mind_the_screening)
{
    for (size_t n = 1; n <= 3; ++n)
        for (size_t b = 0; b < 3; ++b) {
            const struct ph_box box = make_box(boxes[b].shape, 3.4);
            struct ph_system *system = make_long_system(n, none, &box, 3 + b);
            const double half = 0.499 * fmin(box.width[0], fmin(box.width[1], box.width[2]));
            const struct ph_interactions wide = ewald(half, 1e-15), narrow = ewald(0.7 * half, 1e-15);
            const struct result want = result_of(system, &wide), got = result_of(system, &narrow);
            assert_same(&got, &want, 1e-13, boxes[b].name);
            ph_system_destroy(system);
        }
}

/* What the tolerance promises, from both sides: leaving out 1e-4 is seen, but not as much more than that. */
TEST(the_tolerance_is_the_error)
{
    const struct ph_box box = make_box(cube_edges, 7.0);
    struct ph_system *system = mixture(&box, 3);
    const struct ph_interactions best = ewald(3.4, 1e-15);
    const struct result want = result_of(system, &best);
    double last = INFINITY;
    for (double tolerance = 1e-2; tolerance > 1e-11; tolerance *= 1e-2) {
        const struct ph_interactions rough = ewald(3.4, tolerance);
        const struct result got = result_of(system, &rough);
        double off = 0.0, size = 0.0;
        for (int k = 0; k < 60; ++k) {
            off += pow(got.force[k / 20][k % 20] - want.force[k / 20][k % 20], 2.0);
            size += pow(want.force[k / 20][k % 20], 2.0);
        }
        off = sqrt(off / size);
        print_message("tolerance %.0e: forces off by %.2g (root mean square)\n", tolerance, off);
        assert_true(off < 10.0 * tolerance && off > 1e-3 * tolerance && off < 0.1 * last);
        last = off;
    }
    ph_system_destroy(system);
}

/* The energy of the surroundings, 2 pi C M^2/((2 eps' + 1) V), is what they add. */
TEST(surroundings_weaken_the_moment)
{
    const struct ph_box box = make_box(tilted_edges, 6.5);
    struct ph_system *system = mixture(&box, 8);
    double moment[3] = {0.0};
    for (size_t i = 0; i < system->n; ++i) {
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        double body[3], space[3];
        ph_species_dipole(&system->species[ph_system_species_of(system, i)], body);
        ph_quat_rotate(q, body, space);
        for (int x = 0; x < 3; ++x)
            moment[x] += space[x];
    }
    const double square = moment[0] * moment[0] + moment[1] * moment[1] + moment[2] * moment[2];
    assert_true(square > 1.0);
    struct ph_interactions interactions = ewald(3.0, 1e-8);
    const struct result conductor = result_of(system, &interactions);
    interactions.epsilon_rf = 4.5;
    const struct result dielectric = result_of(system, &interactions);
    assert_close(dielectric.energy.waves - conductor.energy.waves, 2.0 * pi * 1.7 * square / 10.0 / box.volume, 1e-13,
                 fabs(conductor.energy.waves));
    ph_system_destroy(system);
}

/* Forces, torques and virial are derivatives of the energy also where the sums end too early to be accurate: the
 * switch, the waves and the surroundings belong to the energy. */
TEST(forces_are_the_gradient_of_the_energy)
{
    static const int smoothness[] = {2, 4, 6, PH_SMOOTH_ALL};
    for (size_t b = 0; b < 3; ++b)
        for (size_t k = 0; k < 4; ++k) {
            const struct ph_box box = make_box(boxes[b].shape, 7.0);
            struct ph_system *system = mixture(&box, 4 * b + k);
            struct ph_interactions interactions = ewald(2.9, 1e-2);
            interactions.truncation = PH_TRUNCATE_SWITCHED;
            interactions.smoothness = smoothness[k];
            interactions.switch_width = 1.1;
            if (k % 2)
                interactions.epsilon_rf = 3.0;
            struct ph_gradients gradients;
            assert_ok(ph_check_gradients(system, &interactions, 5, &gradients, &err));
            print_message("%s, %d: force %.2g, torque %.2g, virial %.2g\n", boxes[b].name, smoothness[k],
                          gradients.force.deviation, gradients.torque.deviation, gradients.virial.deviation);
            assert_true(gradients.virial.checked);
            assert_true(gradients.force.deviation < 1e-8 && gradients.torque.deviation < 1e-8 &&
                        gradients.virial.deviation < 1e-8);
            ph_system_destroy(system);
        }
}

/* Pairs that end by themselves are smooth, though the truncation is a cut, also with a tolerance that is not met. */
TEST(pairs_that_end_by_themselves_are_a_gradient)
{
    for (size_t b = 0; b < 3; ++b)
        for (int smoothness = 4; smoothness <= 8; smoothness += 4) {
            const struct ph_box box = make_box(boxes[b].shape, 7.0);
            struct ph_system *system = mixture(&box, 4 * b);
            struct ph_interactions interactions = ewald(2.9, 1e-2);
            interactions.ewald = (struct ph_ewald_choice){
                .split = PH_SPLIT_BESSEL, .tolerance = 1e-2, .smoothness = smoothness, .shape = 9.0};
            interactions.epsilon_rf = smoothness == 4 ? 3.0 : INFINITY;
            struct ph_gradients gradients;
            assert_ok(ph_check_gradients(system, &interactions, 5, &gradients, &err));
            print_message("%s, %d: force %.2g, torque %.2g, virial %.2g\n", boxes[b].name, smoothness,
                          gradients.force.deviation, gradients.torque.deviation, gradients.virial.deviation);
            assert_true(gradients.virial.checked);
            assert_true(gradients.force.deviation < 1e-8 && gradients.torque.deviation < 1e-8 &&
                        gradients.virial.deviation < 1e-8);
            ph_system_destroy(system);
        }
}

/* Alone in its box a molecule feels no force, but has the energy of its images: forces are compared with that, not with
 * a rounding error. Its torque and virial come from the images alone. */
TEST(a_lone_molecule_has_gradients_too)
{
    for (size_t b = 0; b < 3; ++b) {
        const struct ph_box box = make_box(boxes[b].shape, 3.4);
        struct ph_system *system = make_long_system(1, none, &box, 3 + b);
        struct ph_interactions interactions = ewald(1.4, 1e-2);
        interactions.truncation = PH_TRUNCATE_SWITCHED;
        interactions.smoothness = 6;
        interactions.switch_width = 0.5;
        interactions.ewald.screening = 1.7; /* pairs have forces, though these are missed by those that end */
        interactions.ewald.k_max = 8.2;
        struct ph_gradients gradients;
        assert_ok(ph_check_gradients(system, &interactions, 5, &gradients, &err));
        print_message("%s: force %.2g of %.3g, torque %.2g of %.3g, virial %.2g of %.3g\n", boxes[b].name,
                      gradients.force.deviation, gradients.force.scale, gradients.torque.deviation,
                      gradients.torque.scale, gradients.virial.deviation, gradients.virial.scale);
        assert_true(fabs(gradients.force.given) < 1e-12 && gradients.force.scale > 1e-3);
        assert_true(gradients.virial.checked && gradients.virial.scale > 1e-3 && gradients.torque.scale > 1e-3);
        assert_true(gradients.force.deviation < 1e-8 && gradients.torque.deviation < 1e-8 &&
                    gradients.virial.deviation < 1e-8);
        ph_system_destroy(system);
    }
}

TEST(threads_do_not_change_a_bit)
{
    const struct ph_box box = make_box(tilted_edges, 7.0);
    struct ph_system *system = mixture(&box, 5);
    const struct ph_interactions interactions = ewald(3.0, 1e-6);
    const int threads = omp_get_max_threads();
    struct result result[3];
    for (int n = 1; n <= 3; ++n) {
        omp_set_num_threads(n);
        result[n - 1] = result_of(system, &interactions);
    }
    omp_set_num_threads(threads);
    for (int n = 1; n < 3; ++n) {
        assert_memory_equal(result[n].force, result[0].force, sizeof result[0].force);
        assert_memory_equal(&result[n].energy, &result[0].energy, sizeof result[0].energy);
    }
    ph_system_destroy(system);
}

/* ---- What is refused ---- */

static void assert_refused(const struct ph_system *system, const struct ph_interactions *interactions, const char *word)
{
    struct ph_force_field *field;
    struct ph_error err = {.text = ""};
    assert_int_equal(ph_force_field_create(system, interactions, &field, &err), PH_ERR_INPUT);
    if (!strstr(err.text, word))
        fail_msg("'%s' is not in: %s", word, err.text);
}

TEST(what_has_no_sum_is_refused)
{
    const struct ph_box box = make_box(cube_edges, 7.0), open = ph_box_open();
    struct ph_system *system = mixture(&box, 1), *free_one = mixture(&open, 1);
    struct ph_interactions interactions = ewald(3.0, 0.1);
    assert_refused(system, &interactions, "tolerance is 0.1");
    interactions.ewald.tolerance = 1e-6;
    assert_refused(free_one, &interactions, "periodic box");
    interactions.ewald.k_max = 1e4;
    assert_refused(system, &interactions, "reciprocal vectors");
    interactions.ewald.k_max = 0.0;
    system->species[1].site[0].charge += 0.5; /* five molecules of it */
    interactions.epsilon_rf = 80.0;
    assert_refused(system, &interactions, "dipole moment of a box of ions");
    interactions.epsilon_rf = INFINITY;
    ph_force_field_destroy(make_field(system, &interactions)); /* a background neutralises it */
    ph_system_destroy(system);
    ph_system_destroy(free_one);
}

/* ---- Another box ---- */

/* Stretches the box, and the centres with it. */
static void stretch(struct ph_system *system, double factor)
{
    double edge[3][3];
    for (int e = 0; e < 3; ++e)
        for (int k = 0; k < 3; ++k)
            edge[e][k] = factor * system->box.edge[e][k];
    assert_ok(ph_box_init_periodic((const double(*)[3])edge, &system->box, &err));
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < system->n; ++i)
            system->r[k][i] *= factor;
}

/* Lists, sums over waves, the field around and the long-range correction all know the box: a field that is told of a
 * new one must be like a field that was made for it, in every bit. */
TEST(a_field_that_is_told_of_a_new_box_is_like_a_new_field)
{
    for (int kind = 0; kind < 3; ++kind) {
        struct ph_system *system = nist_water();
        struct ph_interactions interactions = {.truncation = kind == 0 ? PH_TRUNCATE_CUT : PH_TRUNCATE_SWITCHED,
                                               .cutoff = 0.9,
                                               .switch_width = 0.2,
                                               .smoothness = 6,
                                               .electrostatics = kind == 2 ? PH_ELECTROSTATICS_REACTION_FIELD
                                                                           : PH_ELECTROSTATICS_EWALD,
                                               .epsilon_rf = kind == 0 ? 4.0 : INFINITY,
                                               .coulomb = 138.935457644382,
                                               .long_range_correction = true};
        if (kind < 2)
            assert_ok(ph_ewald_choose(system, &interactions, &err));
        struct ph_force_field *told = make_field(system, &interactions);
        const struct ph_energy before = evaluate(told, system);
        stretch(system, 1.01);
        assert_ok(ph_force_field_box_changed(told, system, &err));
        ph_force_field_forget(told); /* a list that is kept sums in another order */
        const struct ph_energy now = evaluate(told, system);
        double forces[6][100];
        for (int k = 0; k < 3; ++k) {
            memcpy(forces[k], system->f[k], sizeof forces[k]);
            memcpy(forces[3 + k], system->t[k], sizeof forces[k]);
        }
        const struct ph_energy anew = evaluate_once(system, &interactions);
        assert_memory_equal(&now, &anew, sizeof now);
        for (int k = 0; k < 3; ++k) {
            assert_memory_equal(forces[k], system->f[k], sizeof forces[k]);
            assert_memory_equal(forces[3 + k], system->t[k], sizeof forces[k]);
        }
        assert_true(fabs(ph_energy_total(&now) - ph_energy_total(&before)) > 1e-3 * fabs(ph_energy_total(&before)));
        assert_true(now.long_range != before.long_range);
        stretch(system, 0.8); /* the cutoff does not fit any more */
        assert_error(ph_force_field_box_changed(told, system, &err), PH_ERR_INPUT, "cutoff");
        put_away(told, system);
    }
}
