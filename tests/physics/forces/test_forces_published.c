/* SPDX-License-Identifier: MIT */
/* Published and independently computed numbers: a Lennard-Jones configuration, clusters of dipoles, dipolar lattices.
 */
#include "physics/force_systems.h"

/* ---- Lennard-Jones ---- */

/* NIST's sample configuration 4: 30 particles in a cube of edge 8 */
static struct ph_system *nist_configuration(void)
{
    struct ph_species atom = make_molecule(ATOM, lennard_jones);
    atom.site[0].radial = lennard_jones;
    const struct ph_box box = make_box(cube_edges, 8.0);
    const size_t n = 30;
    struct ph_system *system;
    assert_int_equal(ph_system_create(1, &atom, &n, &box, &system, NULL), PH_OK);
    FILE *file = fopen(POLHODE_TEST_DATA "/lj_sample_config_periodic4.xyz", "r");
    assert_non_null(file);
    char line[256];
    assert_non_null(fgets(line, sizeof line, file));
    assert_non_null(fgets(line, sizeof line, file));
    for (size_t i = 0; i < n; ++i) {
        assert_non_null(fgets(line, sizeof line, file));
        assert_int_equal(sscanf(line, "%*d %lf %lf %lf", &system->r[0][i], &system->r[1][i], &system->r[2][i]), 3);
    }
    fclose(file);
    return system;
}

static double trace(const struct ph_energy *energy)
{
    return energy->virial[0][0] + energy->virial[1][1] + energy->virial[2][2];
}

/* Energies and virials as printed there, and to 15 digits from another program where there are any. */
TEST(the_nist_configuration_has_its_energies)
{
    static const struct {
        enum ph_truncation truncation;
        double cutoff, energy, energy_digits, virial;
    } cases[] = {
        {PH_TRUNCATE_CUT, 3.0, -16.790321304625856, 1e-12, -46.249},
        {PH_TRUNCATE_CUT, 4.0, -17.060, 5e-4, -47.869},
        {PH_TRUNCATE_FORCE_SHIFTED, 3.0, -15.001, 5e-4, -43.096},
    };
    for (size_t k = 0; k < 3; ++k) {
        struct ph_system *system = nist_configuration();
        struct ph_interactions interactions = {.truncation = cases[k].truncation, .cutoff = cases[k].cutoff};
        const struct ph_energy energy = evaluate_once(system, &interactions);
        assert_close(ph_energy_total(&energy), cases[k].energy, cases[k].energy_digits, 1.0);
        assert_close(trace(&energy), cases[k].virial, 5e-4, 1.0);
        ph_system_destroy(system);
    }
    struct ph_system *system = nist_configuration();
    const struct ph_interactions interactions = {
        .truncation = PH_TRUNCATE_CUT, .cutoff = 3.0, .long_range_correction = true};
    const struct ph_energy energy = evaluate_once(system, &interactions);
    assert_close(energy.long_range, -0.5451660014945704, 1e-14, 1.0);
    ph_system_destroy(system);
}

/* ---- Clusters of dipoles ---- */

enum { CLUSTER = 5, COLUMNS = 29 };

/* Energies, forces and torques of dipolar soft spheres, computed with 25 digits: clusters of 2, 3 and 5 */
TEST(clusters_of_dipoles_have_their_forces)
{
    FILE *file = fopen(POLHODE_TEST_DATA "/dipoles.csv", "r");
    assert_non_null(file);
    char line[2048];
    assert_non_null(fgets(line, sizeof line, file)); /* names of the columns */
    double row[CLUSTER][COLUMNS], worst = 0.0;       /* from eps on */
    size_t n = 0, of, clusters = 0;
    while (fgets(line, sizeof line, file)) {
        char name[16];
        int used;
        assert_int_equal(sscanf(line, "%15[^,],%zu,%*d%n", name, &of, &used), 2);
        char *at = line + used;
        for (int c = 0; c < COLUMNS; ++c) {
            assert_int_equal(*at, ',');
            row[n][c] = strtod(at + 1, &at);
        }
        if (++n < of)
            continue;
        struct ph_species species =
            make_molecule(POLAR, (struct ph_radial){PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 12.0, 0.0});
        species.site[0].radial.epsilon = row[0][0];
        species.site[0].radial.sigma = row[0][1];
        set_dipole(&species.site[0], row[0][2], row[0][3], row[0][4]);
        struct ph_system *s;
        const struct ph_box box = ph_box_open();
        assert_int_equal(ph_system_create(1, &species, &of, &box, &s, NULL), PH_OK);
        for (size_t i = 0; i < of; ++i) {
            for (int x = 0; x < 3; ++x)
                s->r[x][i] = row[i][5 + x];
            for (int k = 0; k < 4; ++k)
                s->q[k][i] = row[i][8 + k];
        }
        const struct ph_interactions interactions = {.coulomb = 1.0};
        const struct ph_energy energy = evaluate_once(s, &interactions);
        const double size = fabs(row[0][27]) + 1.0;
        for (size_t i = 0; i < of; ++i) {
            for (int x = 0; x < 3; ++x) {
                assert_close(s->f[x][i], row[i][18 + x], 2e-15, 12.0 * size);
                assert_close(s->t[x][i], row[i][21 + x], 2e-15, size);
                worst = fmax(worst, fabs(s->f[x][i] - row[i][18 + x]) / size);
            }
            const double back[4] = {s->q[0][i], -s->q[1][i], -s->q[2][i], -s->q[3][i]};
            const double torque[3] = {s->t[0][i], s->t[1][i], s->t[2][i]};
            double body[3];
            ph_quat_rotate(back, torque, body);
            for (int x = 0; x < 3; ++x)
                assert_close(body[x], row[i][24 + x], 4e-15, size);
        }
        assert_close(ph_energy_total(&energy), row[0][27], 2e-15, size);
        ph_system_destroy(s);
        n = 0;
        ++clusters;
    }
    fclose(file);
    assert_int_equal(clusters, 4);
    print_message("dipole clusters: largest deviation of a force %.2g of the energy\n", worst);
}

/* ---- Dipolar lattices ---- */

enum lattice { SIMPLE_CUBIC, BODY_CENTRED, FACE_CENTRED };

/* n^3 cells of edge 1, dipoles along +z or -z; `sign` says which from twice the coordinates */
static struct ph_system *make_lattice(enum lattice lattice, size_t n, int (*sign)(const int doubled[3]))
{
    static const int places[3][4][3] = {
        {{0, 0, 0}}, {{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}}};
    static const size_t per_cell[] = {1, 2, 4};
    struct ph_species species = make_molecule(POLAR, (struct ph_radial){.kind = PH_RADIAL_NONE});
    set_dipole(&species.site[0], 0.0, 0.0, 1.0);
    const struct ph_box box = make_box(cube_edges, (double)n);
    const size_t count = per_cell[lattice] * n * n * n;
    struct ph_system *system;
    assert_int_equal(ph_system_create(1, &species, &count, &box, &system, NULL), PH_OK);
    for (size_t i = 0; i < count; ++i) {
        const size_t cell = i / per_cell[lattice];
        const int *place = places[lattice][i % per_cell[lattice]];
        const int doubled[3] = {2 * (int)(cell % n) + place[0], 2 * (int)(cell / n % n) + place[1],
                                2 * (int)(cell / n / n) + place[2]};
        for (int x = 0; x < 3; ++x)
            system->r[x][i] = 0.5 * doubled[x];
        if (sign(doubled) < 0) {
            system->q[0][i] = 0.0;
            system->q[1][i] = 1.0;
        }
    }
    return system;
}

static int columns(const int d[3]) { return (d[0] / 2 + d[1] / 2) % 2 ? -1 : 1; }
static int layers(const int d[3]) { return d[2] % 2 ? -1 : 1; }
static int aligned(const int d[3]) { return 1; }

/* Energy per dipole over density, in units of mu^2 */
static double lattice_constant(struct ph_system *system, const struct ph_interactions *interactions)
{
    const struct ph_energy energy = evaluate_once(system, interactions);
    return energy.electric / ((double)system->n * (double)system->n) * system->box.volume;
}

/* Antiferroelectric lattices have no moment, so sums over growing spheres converge to the constants of Luttinger and
 * Tisza (Phys. Rev. 70 (1946) 954), unlike those of aligned dipoles, whose limit depends on the shape. With a sharp
 * sphere they do so slowly and irregularly; where a smooth switch ends the sum, the error falls by orders of magnitude:
 * what is left is the Fourier transform of the switch at the wave vector of the order. */
TEST(antiferroelectric_lattices_have_the_constants_of_luttinger_and_tisza)
{
    static const struct {
        const char *name;
        enum lattice lattice;
        int (*sign)(const int[3]);
        double constant;
        size_t sizes[2];
        double sharp, smooth; /* largest errors at the larger size */
    } cases[] = {
        {"simple cubic", SIMPLE_CUBIC, columns, -2.676788684353, {8, 16}, 0.05, 2e-4},
        {"face-centred cubic", FACE_CENTRED, layers, 2.166932835057, {5, 10}, 0.1, 5e-4},
        {"body-centred cubic", BODY_CENTRED, layers, 0.0, {4, 8}, 1e-12, 1e-12},
    };
    for (size_t k = 0; k < 3; ++k) {
        double error[2][2];
        for (int large = 0; large < 2; ++large) {
            struct ph_system *system = make_lattice(cases[k].lattice, cases[k].sizes[large], cases[k].sign);
            const double rc = 0.5 * (double)cases[k].sizes[large];
            struct ph_interactions interactions = {.truncation = PH_TRUNCATE_CUT, .cutoff = rc, .coulomb = 1.0};
            error[large][0] = fabs(lattice_constant(system, &interactions) - cases[k].constant);
            interactions.truncation = PH_TRUNCATE_SWITCHED;
            interactions.smoothness = 6;
            interactions.switch_width = rc;
            error[large][1] = fabs(lattice_constant(system, &interactions) - cases[k].constant);
            ph_system_destroy(system);
        }
        print_message("%s: errors of the sharp sphere %.2g, %.2g; of the smooth one %.2g, %.2g\n", cases[k].name,
                      error[0][0], error[1][0], error[0][1], error[1][1]);
        if (!(error[1][0] < cases[k].sharp && error[1][1] < cases[k].smooth))
            fail_msg("%s: errors %.2g and %.2g", cases[k].name, error[1][0], error[1][1]);
        if (cases[k].constant != 0.0) /* twice the radius: at least 2^6 times more accurate */
            assert_true(error[1][1] < error[0][1] / 64.0);
    }
}

/* Aligned dipoles on a cubic lattice: a sphere of them has no field at its centre, so a plain cutoff gives 0. A
 * reaction field of a conductor adds -mu^2/rc^3 for each neighbour, half of it per dipole: towards -2 pi/3, the value
 * of conducting boundaries, as the number of neighbours approaches 4 pi rc^3/3 - 1. */
TEST(aligned_dipoles_feel_the_reaction_field_alone)
{
    struct ph_system *system = make_lattice(SIMPLE_CUBIC, 14, aligned);
    const double rc = 6.9;
    struct ph_interactions interactions = {.truncation = PH_TRUNCATE_CUT, .cutoff = rc, .coulomb = 1.0};
    assert_close(lattice_constant(system, &interactions), 0.0, 1e-13, 1.0);
    interactions.electrostatics = PH_ELECTROSTATICS_REACTION_FIELD;
    interactions.epsilon_rf = INFINITY;
    size_t neighbours = 0;
    for (int x = -6; x <= 6; ++x)
        for (int y = -6; y <= 6; ++y)
            for (int z = -6; z <= 6; ++z)
                neighbours += x * x + y * y + z * z < rc * rc;
    --neighbours; /* itself */
    const double got = lattice_constant(system, &interactions);
    assert_close(got, -0.5 * (double)neighbours / (rc * rc * rc), 1e-13, 1.0);
    assert_close(got, -2.0943951023931953, 0.05, 1.0);
    interactions.epsilon_rf = 1.0; /* vacuum: nothing to react */
    assert_close(lattice_constant(system, &interactions), 0.0, 1e-13, 1.0);
    ph_system_destroy(system);
}
