/* SPDX-License-Identifier: MIT */
/* Backends: tables and formulas of the user's own, through `emulated`, against the processor. */
#include "physics/backends.h"

#include "physics/angular_reference.h"

#include "potential/curves/curve.h"

#include <omp.h>

static const struct ph_curve *formula_of(const char *formula)
{
    struct ph_program program;
    struct ph_program_fault fault = {.text = ""};
    const struct ph_curve *curve;
    if (!ph_program_compile(formula, 0, NULL, &program, &fault))
        fail_msg("%s: column %zu: %s", formula, fault.column, fault.text);
    assert_ok(ph_curve_of_formula(formula, &program, &curve, &err));
    return curve;
}

/* Every operation of programs; softer than Lennard-Jones, and with an inner maximum, which is a wall */
static const char *const radial_formulas[] = {
    "6*exp(-2*r)/r^3 - 1.1*r^-6.5 + tanh(r - 2)/r^5",
    "4*(1/r^12 - 1/r^6) + 0.2*sin(3*r)*cos(r)/r^4 + 0.1*log(1 + r^2)/sqrt(r^2 + 1)",
};

/* Table k of two, with points that are not equally far apart */
static const struct ph_curve *table_of(int k)
{
    enum { POINTS = 160 };
    double r[POINTS], u[POINTS];
    for (int p = 0; p < POINTS; ++p) {
        const double part = (double)p / (POINTS - 1);
        r[p] = 0.7 + part * (1.4 + (2.0 + k) * part);
        u[p] = 4.0 * (pow(r[p], -12.0) - (k + 1) * pow(r[p], -6.0));
    }
    const struct ph_curve *curve;
    assert_ok(ph_curve_of_table(k == 0 ? "one" : "other", POINTS, r, u, &curve, &err));
    return curve;
}

static const struct ph_interactions ends[] = {{.truncation = PH_TRUNCATE_CUT, .cutoff = 3.1, .coulomb = 1.7},
                                              {.truncation = PH_TRUNCATE_FORCE_SHIFTED, .cutoff = 3.1, .coulomb = 1.7},
                                              {.truncation = PH_TRUNCATE_SWITCHED,
                                               .cutoff = 3.1,
                                               .switch_width = 0.9,
                                               .smoothness = 6,
                                               .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
                                               .epsilon_rf = 5.0,
                                               .coulomb = 1.7}};

/* Dumb-bells with a charge or a dipole beside the curve of each site, and single sites; unlike pairs have a curve of
 * the input. */
static struct ph_system *make_dumb_bells(size_t each, const struct ph_box *box, const struct ph_curve *const curve[2])
{
    struct ph_species species[2] = {
        {.name = "long",
         .n_sites = 2,
         .site = {{.name = "A",
                   .mass = 2.0,
                   .position = {0.05, 0, 0.2},
                   .radial = ph_curve_radial(curve[0]),
                   .charge = 0.4},
                  {.name = "B",
                   .mass = 1.0,
                   .position = {-0.1, 0, -0.4},
                   .radial = ph_curve_radial(curve[1]),
                   .dipole = {0.2, 0.1, 0.6}}}},
        {.name = "short", .n_sites = 1, .site = {{.name = "C", .mass = 3.0, .radial = ph_curve_radial(curve[1])}}}};
    assert_ok(ph_species_complete(&species[0], NULL, (const double[]){0.5, 0.6, 0.25}, &err));
    assert_ok(ph_species_complete(&species[1], NULL, NULL, &err));
    return make_at_random(2, species, (const size_t[]){each, each}, box, 1.9, 5);
}

/* The unlike pairs of make_dumb_bells */
static void give_pairs(const struct ph_curve *curve, struct ph_pair_override pair[2])
{
    static const char *const names[2][2] = {{"long.A", "long.B"}, {"short.C", "long.A"}};
    for (int k = 0; k < 2; ++k) {
        pair[k] = (struct ph_pair_override){.radial = ph_curve_radial(curve)};
        strcpy(pair[k].site[0], names[k][0]);
        strcpy(pair[k].site[1], names[k][1]);
    }
}

/* Catches a spline whose arrays stay on the host, a curve that is taken for another, an operation without its
 * derivative, and a curve beside a reaction field whose sum has one of both. */
TEST(forces_of_curves_are_those_of_the_processor)
{
    for (int tables = 0; tables < 2; ++tables) {
        const struct ph_curve *curve[2];
        for (int k = 0; k < 2; ++k)
            curve[k] = tables ? table_of(k) : formula_of(radial_formulas[k]);
        struct ph_pair_override pair[2];
        give_pairs(tables ? formula_of(radial_formulas[1]) : table_of(1), pair);
        for (size_t e = 0; e < 3; ++e)
            for (size_t each = 12; each < 200; each += 150) { /* 324 molecules have lists */
                if (each > 12 && e != 2)
                    continue;
                struct ph_interactions interactions = ends[e];
                interactions.n_overrides = 2;
                interactions.overrides = pair;
                const struct ph_box box = make_box(e == 1 ? tilted_edges : cube_edges, each < 100 ? 9.2 : 20.0);
                compare_forces(make_dumb_bells(each, &box, curve), &interactions);
            }
    }
}

#define SOFT "4*((1/r)^12 - (1/r)^6)"

/* Formulas with angles of both sites of a molecule, and of unlike sites, which have a first one. Catches a formula that
 * is not exchanged, and torques of the wrong axis. */
static struct ph_system *make_turned(size_t each, const struct ph_box *box)
{
    struct ph_species species[2] = {
        {.name = "two", .n_sites = 2, .site = {{.name = "A", .mass = 1.0}, {.name = "B", .mass = 1.0, .pair_axes = 3}}},
        {.name = "one", .n_sites = 1, .site = {{.name = "C", .mass = 1.0, .radial = lennard_jones, .pair_axes = 3}}}};
    species[0].site[0].position[2] = 0.3;
    species[0].site[1].position[2] = -0.3;
    species[0].site[0].angular =
        ph_curve_angular(formula_of(SOFT " + ((a1.n)*(b2.n) + (a2.n)*(b1.n) - a.b)/r^4 + 0.1*exp(a.b)/r^5"));
    species[0].site[1].angular = ph_curve_angular(formula_of(SOFT " + ((a.n)*(b.n))^2/r^3"));
    for (int s = 0; s < 2; ++s) {
        for (size_t a = 0; a < species[s].n_sites; ++a)
            for (int x = 0; x < 3; ++x)
                species[s].site[a].axis[x][(x + (int)a) % 3] = 1.0;
        assert_ok(ph_species_complete(&species[s], NULL, (const double[]){0.5, 0.6, 0.25}, &err));
    }
    return make_at_random(2, species, (const size_t[]){each, each}, box, 1.6, 7);
}

static struct ph_interactions turned_interactions(size_t end, struct ph_pair_override pair[3])
{
    static const char *const names[3][2] = {{"two.A", "two.B"}, {"two.A", "one.C"}, {"one.C", "two.B"}};
    static const char *const formulas[3] = {SOFT " + 0.1*a2.b3/r^3", SOFT " + 0.7*(a1.n)/r^2 + 0.2*(a2.b1)*(b3.n)/r^3",
                                            SOFT " + sqrt(1.5 + a3.n)*(b2.n)^3/r^3"};
    for (int k = 0; k < 3; ++k) {
        pair[k] = (struct ph_pair_override){.angular = ph_curve_angular(formula_of(formulas[k]))};
        strcpy(pair[k].site[0], names[k][0]);
        strcpy(pair[k].site[1], names[k][1]);
    }
    struct ph_interactions interactions = ends[end];
    interactions.n_overrides = 3;
    interactions.overrides = pair;
    return interactions;
}

TEST(forces_of_formulas_with_angles_are_those_of_the_processor)
{
    struct ph_pair_override pair[3];
    for (size_t e = 0; e < 3; e += 2)
        for (size_t each = 10; each < 200; each += 150) {
            if (each > 10 && e != 2)
                continue;
            const struct ph_interactions interactions = turned_interactions(e, pair);
            const struct ph_box box = make_box(e == 0 ? tilted_edges : cube_edges, each < 100 ? 9.2 : 20.0);
            compare_forces(make_turned(each, &box), &interactions);
        }
}

/* Catches sums that depend on who makes them. */
TEST(bits_do_not_depend_on_threads)
{
    if (PH_SANITIZED)
        skip();
    struct ph_pair_override pair[3];
    const struct ph_interactions interactions = turned_interactions(2, pair);
    const struct ph_box box = make_box(cube_edges, 20.0);
    uint64_t hash[2];
    struct course course[3];
    const int threads = omp_get_max_threads();
    for (int k = 0; k < 3; ++k) {
        omp_set_num_threads(k == 1 ? 3 : 1);
        struct ph_system *system = make_turned(150, &box);
        ph_start_move(0.5, true, false, 3, system);
        course[k] = begin(system, &interactions, "verlet", 0.002, k < 2);
        advance(&course[k], 10, NULL);
        if (k < 2)
            hash[k] = hash_after(&course[k], 0);
    }
    omp_set_num_threads(threads);
    assert_true(hash[0] == hash[1]);
    assert_true(distance(course[0].system, course[2].system) < 1e-10);
    for (int k = 0; k < 3; ++k)
        finish(&course[k]);
}
