/* SPDX-License-Identifier: MIT */
/* Mixtures of molecules that one kernel takes together, and molecules whose sites one kernel takes together: against
 * the plain sum of force_reference.h, against differences, and with any number of threads. */
#include "physics/force_reference.h"
#include "physics/force_systems.h"

#include <omp.h>

enum { SPECIES = 4 };

/* Atoms that differ in size and depth; with charges; with dipoles; soft ones with dipoles */
enum mixture { ATOMS, IONS, POLAR_ATOMS, SOFT_POLAR_ATOMS, MIXTURES };

static struct ph_species make_component(enum mixture mixture, size_t s)
{
    static const double charges[SPECIES] = {0.7, -0.9, 0.4, -0.2}, inertia[3] = {1.0, 1.5, 2.0};
    const struct ph_radial radial = {mixture == SOFT_POLAR_ATOMS ? PH_RADIAL_SOFT_SPHERE : PH_RADIAL_MIE, 1.0, 1.0,
                                     12.0, mixture == SOFT_POLAR_ATOMS ? 0.0 : 6.0};
    const double x = (double)s;
    struct ph_species species = {.n_sites = 1};
    snprintf(species.name, sizeof species.name, "s%zu", s);
    species.site[0] =
        site_at("A", 1.0 + x, mixture == IONS ? charges[s] : 0.0, radial, 1.3 - 0.2 * x, 0.9 + 0.07 * x, 0, 0, 0);
    if (mixture == POLAR_ATOMS || mixture == SOFT_POLAR_ATOMS)
        set_dipole(&species.site[0], 0.3 + 0.1 * x, -0.5, 1.1 - 0.3 * x);
    assert_ok(ph_species_complete(&species, NULL, mixture == ATOMS || mixture == IONS ? NULL : inertia, &err));
    return species;
}

/* Sites with Lennard-Jones centres, charges, or both, of each of which a kernel takes two or three at once */
enum molecule_of_groups { CARBON_DIOXIDE, METHANOL, HALIDE, CHLORINE, RING, FIVE, GROUP_MOLECULES };

static struct ph_species make_grouped(enum molecule_of_groups which)
{
    static const struct {
        const char *name;
        size_t n;
        struct {
            double epsilon, charge, x, y, z;
        } site[6];
    } plan[GROUP_MOLECULES] = {
        {"dioxide", 3, {{0.5, 0.8, 0, 0, 0}, {0.9, -0.4, 0, 0, 0.35}, {0.9, -0.4, 0, 0, -0.35}}},
        {"methanol", 3, {{0, 0.5, 0.3, 0.2, 0}, {0.7, -0.8, 0.1, 0, 0}, {0.8, 0.3, -0.3, 0, 0.1}}},
        {"halide", 2, {{0, 0.4, 0.3, 0, 0.05}, {1.2, -0.4, 0, 0, 0}}},
        {"chlorine", 2, {{1.1, 0, 0.2, 0, 0}, {0.6, 0, -0.2, 0, 0.03}}},
        {"ring", 4, {{0.6, 0, 0.3, 0, 0}, {0.7, 0, 0, 0.3, 0}, {0.5, 0, -0.3, 0, 0}, {0.8, 0, 0, -0.3, 0.02}}},
        {"five",
         5,
         {{0.6, -0.5, 0, 0, 0.2},
          {0, 0.3, 0, 0.3, 0},
          {0, 0.2, -0.3, 0, 0},
          {0, -0.3, 0, -0.3, 0.1},
          {0, 0.3, 0.3, 0.1, 0}}},
    };
    struct ph_species species = {.n_sites = plan[which].n};
    snprintf(species.name, sizeof species.name, "%s", plan[which].name);
    for (size_t a = 0; a < plan[which].n; ++a) {
        struct ph_radial radial = lennard_jones;
        radial.kind = plan[which].site[a].epsilon > 0.0 ? PH_RADIAL_MIE : PH_RADIAL_NONE;
        char name[3] = {'S', (char)('0' + a), '\0'};
        species.site[a] =
            site_at(name, 1.0 + (double)a, plan[which].site[a].charge, radial, plan[which].site[a].epsilon,
                    0.7 + 0.05 * (double)a, plan[which].site[a].x, plan[which].site[a].y, plan[which].site[a].z);
    }
    assert_ok(ph_species_complete(&species, NULL, NULL, &err));
    return species;
}

static struct ph_system *make_mixture(enum mixture mixture, size_t each, double length, uint64_t seed)
{
    struct ph_species species[SPECIES];
    size_t count[SPECIES];
    for (size_t s = 0; s < SPECIES; ++s) {
        species[s] = make_component(mixture, s);
        count[s] = each * (s + 1) / 2; /* few of the first, many of the last */
    }
    const struct ph_box box = make_box(cube_edges, length);
    return make_at_random(SPECIES, species, count, &box, 0.95, seed);
}

static const struct {
    const char *name;
    enum ph_truncation truncation;
    int smoothness;
} truncations[] = {
    {"cut", PH_TRUNCATE_CUT, 0},
    {"shifted", PH_TRUNCATE_SHIFTED, 0},
    {"force-shifted", PH_TRUNCATE_FORCE_SHIFTED, 0},
    {"C2", PH_TRUNCATE_SWITCHED, 2},
    {"C6", PH_TRUNCATE_SWITCHED, 6},
    {"all", PH_TRUNCATE_SWITCHED, PH_SMOOTH_ALL},
};
enum { TRUNCATIONS = sizeof truncations / sizeof truncations[0] };

static struct ph_interactions interactions_of(size_t t, bool field, double cutoff)
{
    return (struct ph_interactions){
        .truncation = truncations[t].truncation,
        .smoothness = truncations[t].smoothness,
        .cutoff = cutoff,
        .switch_width = 0.4,
        .electrostatics = field ? PH_ELECTROSTATICS_REACTION_FIELD : PH_ELECTROSTATICS_CUTOFF,
        .epsilon_rf = t % 2 ? 5.0 : INFINITY,
        .coulomb = 1.7,
    };
}

/* With and without energy; the virial comes with the energy. */
static void compare(struct ph_system *system, const struct ph_interactions *interactions, const char *what)
{
    const double tolerance = 1e-13;
    struct ph_force_field *field = make_field(system, interactions);
    struct reference want = reference_evaluate(system, interactions, NULL);
    const struct ph_energy energy = evaluate(field, system);
    for (int with_energy = 1; with_energy >= 0; --with_energy) {
        struct ph_error err = {.text = ""};
        if (!with_energy && ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, NULL, &err) != PH_OK)
            fail_msg("%s: %s", what, err.text);
        const struct deviation off = reference_compare(&want, system, &energy);
        if (!(off.energy < tolerance && off.force < tolerance && off.torque < tolerance && off.virial < tolerance))
            fail_msg("%s, %s energy: deviations energy %.2g, force %.2g, torque %.2g, virial %.2g", what,
                     with_energy ? "with" : "without", off.energy, off.force, off.torque, off.virial);
    }
    reference_free(&want);
    ph_force_field_destroy(field);
}

/* Long lists and lists of a few, of every truncation. Catches constants of another species or of a wrong place in a
 * chunk, the shift of another pair, and a molecule that meets itself where it shares a list. */
TEST(mixtures_agree_with_the_plain_sum)
{
    for (int mixture = 0; mixture < MIXTURES; ++mixture)
        for (size_t t = 0; t < TRUNCATIONS; ++t)
            for (int field = 0; field < 2; ++field) {
                if (field && (mixture == ATOMS || truncations[t].smoothness == PH_SMOOTH_ALL))
                    continue;
                const size_t each = t % 2 ? 26 : 9; /* 5 times as many in all */
                const double length = t % 2 ? 6.2 : 5.4;
                struct ph_system *system = make_mixture((enum mixture)mixture, each, length, t);
                const struct ph_interactions interactions = interactions_of(t, field, t % 2 ? 3.0 : 2.6);
                char what[96];
                snprintf(what, sizeof what, "mixture %d, %s, field %d", mixture, truncations[t].name, field);
                compare(system, &interactions, what);
                ph_system_destroy(system);
            }
}

/* More neighbours than a kernel takes at once: the constants of a chunk begin in the middle of a species. */
TEST(many_neighbours_keep_their_constants)
{
    struct ph_system *system = make_mixture(POLAR_ATOMS, 120, 9.4, 1);
    const struct ph_interactions interactions = interactions_of(4, true, 4.5);
    compare(system, &interactions, "hundreds of neighbours of four species");
    ph_system_destroy(system);
}

/* A pair given explicitly, species that only share their form with the next, and one between them that does not; beside
 * a molecule with several sites, which meets each species by itself */
TEST(kinds_begin_and_end_anywhere)
{
    const struct ph_species species[] = {make_component(ATOMS, 0), make_component(ATOMS, 1),
                                         make_component(POLAR_ATOMS, 2), make_component(ATOMS, 3),
                                         make_grouped(CARBON_DIOXIDE)};
    const size_t counts[] = {20, 25, 20, 15, 12};
    const struct ph_box box = make_box(tilted_edges, 6.0);
    struct ph_pair_override override = {.site = {"s0.A", "s1.A"}, .radial = lennard_jones};
    override.radial.sigma = 1.07;
    for (size_t t = 0; t < TRUNCATIONS; ++t) {
        struct ph_interactions interactions = interactions_of(t, t < 5, 2.8);
        interactions.overrides = &override;
        interactions.n_overrides = 1;
        struct ph_system *system = make_at_random(t % 2 ? 5 : 4, species, counts, &box, 0.95, 5);
        compare(system, &interactions, truncations[t].name);
        ph_system_destroy(system);
    }
}

/* Each kind of group with every truncation. Catches a centre that is left out, counted twice, or given to another site
 * of the group; a switch on what ends by itself, or none on what does not. */
TEST(groups_of_sites_agree_with_the_plain_sum)
{
    for (int which = 0; which < GROUP_MOLECULES; ++which)
        for (size_t t = 0; t < TRUNCATIONS; ++t)
            for (int field = 0; field < 2; ++field) {
                if (field && truncations[t].smoothness == PH_SMOOTH_ALL)
                    continue;
                const struct ph_species species = make_grouped((enum molecule_of_groups)which);
                const size_t count = 70;
                const struct ph_box box = make_box(tilted_edges, 5.8);
                struct ph_system *system = make_at_random(1, &species, &count, &box, 1.1, t);
                const struct ph_interactions interactions = interactions_of(t, field, 2.7);
                char what[96];
                snprintf(what, sizeof what, "%s, %s, field %d", species.name, truncations[t].name, field);
                compare(system, &interactions, what);
                ph_system_destroy(system);
            }
}

TEST(mixtures_of_groups_agree_with_the_plain_sum)
{
    struct ph_species species[GROUP_MOLECULES];
    size_t counts[GROUP_MOLECULES];
    for (size_t k = 0; k < GROUP_MOLECULES; ++k) {
        species[k] = make_grouped((enum molecule_of_groups)k);
        counts[k] = 14;
    }
    const struct ph_box box = make_box(cube_edges, 6.5);
    for (size_t t = 0; t < TRUNCATIONS; ++t) {
        struct ph_system *system = make_at_random(GROUP_MOLECULES, species, counts, &box, 1.1, t);
        const struct ph_interactions interactions = interactions_of(t, t < 5, 3.0);
        compare(system, &interactions, truncations[t].name);
        ph_system_destroy(system);
    }
}

/* ---- Differences ---- */

/* The energy, and forces along x, with molecule i moved along x */
static double energy_at(struct ph_force_field *field, struct ph_system *system, size_t i, double x, double *forces)
{
    const double before = system->r[0][i];
    system->r[0][i] = before + x;
    const struct ph_energy energy = evaluate(field, system);
    memcpy(forces, system->f[0], system->n * sizeof *forces);
    system->r[0][i] = before;
    return ph_energy_total(&energy);
}

/* Forces are slopes of the energy, rates of forces are slopes of forces: catches lists of a mixture that only one of
 * the two loops reads rightly. */
TEST(forces_and_rates_of_mixtures_are_slopes)
{
    const double h = 1e-3;
    for (int mixture = 0; mixture <= POLAR_ATOMS; mixture += POLAR_ATOMS) {
        struct ph_system *system = make_mixture((enum mixture)mixture, 30, 7.0, 3);
        const struct ph_interactions interactions = interactions_of(4, mixture == POLAR_ATOMS, 3.2);
        struct ph_force_field *field = make_field(system, &interactions);
        const size_t n = system->n, i = n / 3;
        double *block = calloc(15 * n, sizeof(double)), *set[5][3];
        for (size_t k = 0; k < 15; ++k)
            set[k / 3][k % 3] = block + k * n;
        double *before = set[4][0], *after = set[4][1], *rate = set[4][2], slope = 0.0;
        static const double weights[] = {0.0, 0.75, -0.15, 1.0 / 60};
        for (int k = 1; k <= 3; ++k) {
            slope -= weights[k] * energy_at(field, system, i, -k * h, before) / h;
            slope += weights[k] * energy_at(field, system, i, k * h, after) / h;
            for (size_t m = 0; m < n; ++m)
                rate[m] += weights[k] * (after[m] - before[m]) / h;
        }
        evaluate(field, system);
        set[0][0][i] = 1.0; /* the motion: molecule i along x */
        assert_ok(ph_force_field_rates(field, system, NULL, &(struct ph_rates){set[0], set[1], set[2], set[3]}, &err));
        assert_close(-slope, system->f[0][i], 1e-8, fabs(system->f[0][i]) + 1.0);
        for (size_t m = 0; m < n; ++m)
            assert_close(rate[m], set[2][0][m], 1e-8, fabs(rate[i]));
        free(block);
        put_away(field, system);
    }
}

/* ---- Threads ---- */

TEST(threads_do_not_change_a_bit)
{
    const int before = omp_get_max_threads();
    const struct ph_species species = make_grouped(CARBON_DIOXIDE);
    const size_t count = 600;
    const struct ph_box box = make_box(cube_edges, 11.0);
    for (int grouped = 0; grouped < 2; ++grouped) {
        struct ph_system *system =
            grouped ? make_at_random(1, &species, &count, &box, 0.9, 2) : make_mixture(POLAR_ATOMS, 130, 11.0, 2);
        const struct ph_interactions interactions = interactions_of(4, true, 2.9);
        double *first = NULL;
        for (int threads = 1; threads <= 3; ++threads) {
            omp_set_num_threads(threads);
            evaluate_once(system, &interactions);
            double *bits = calloc(6 * system->n, sizeof *bits);
            for (size_t k = 0; k < 6; ++k)
                memcpy(bits + k * system->n, k < 3 ? system->f[k] : system->t[k - 3], system->n * sizeof *bits);
            if (first) {
                assert_int_equal(memcmp(first, bits, 6 * system->n * sizeof *bits), 0);
                free(bits);
            } else {
                first = bits;
            }
        }
        free(first);
        ph_system_destroy(system);
    }
    omp_set_num_threads(before);
}
