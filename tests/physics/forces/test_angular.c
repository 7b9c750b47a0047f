/* SPDX-License-Identifier: MIT */
/* Angular forms (potential/angular.h): numbers of their formulas, forces, torques and rates against differences, in
 * mixtures with spheres, charges and dipoles, and the order that schemes have with them. */
#include "physics/angular_reference.h"
#include "physics/form_checks.h"

#include "force/pairs/pair_table.h"

static const struct ph_interactions endless = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};

/* ---- Numbers ---- */

/* Uniaxial pairs whose energies are known by hand, or by another program. Catches wrong exponents and wells. */
TEST(gay_berne_pairs_have_their_numbers)
{
    const double near = 1.1224620483093729814, turn = 0.70710678118654752440;
    const double straight[2][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
    const double crossed[2][4] = {{1, 0, 0, 0}, {turn, turn, 0, 0}}; /* z and -y, d along x */
    const double tee[2][4] = {{1, 0, 0, 0}, {turn, 0, turn, 0}};     /* z and x, d along x */
    static const double sets[][4] = {{3, 5, 2, 1}, {3, 5, 1, 3}, {4.4, 20, 1, 1}};
    static const double side[] = {-5.0 / 3.0, -125.0 / 27.0, -2.31363636363636363636};
    static const double end[] = {-1.0 / 3.0, -25.0 / 27.0};
    static const double tees[] = {-0.327116167996046, -0.285467082027756};
    for (size_t k = 0; k < 3; ++k) {
        const struct ph_angular form = classic(sets[k][0], sets[k][1], sets[k][2], sets[k][3]);
        const struct {
            double d[3];
            const double (*q)[4];
            double u, tolerance;
        } pairs[] = {{{near, 0, 0}, straight, side[k], 1e-13},
                     {{near, 0, 0}, crossed, -1.0, 1e-13},
                     {{0, 0, 2.0 + near}, straight, k < 2 ? end[k] : NAN, 1e-13},
                     {{2.3, 0, 0}, tee, k < 2 ? tees[k] : NAN, 3e-15 / 0.28}};
        for (size_t p = 0; p < 4; ++p) {
            if (isnan(pairs[p].u))
                continue;
            struct ph_system *system = make_pair(&form, &form, pairs[p].d, pairs[p].q);
            assert_close(evaluate_once(system, &endless).radial, pairs[p].u, pairs[p].tolerance, pairs[p].u);
            ph_system_destroy(system);
        }
    }
}

/* Spheres, uniaxial ellipsoids about every axis and biaxial ones, each with each, in both orders. Catches a wrong entry
 * of a matrix, constants of the wrong site, and an axis in the wrong place. */
TEST(every_pair_agrees_with_matrices)
{
    double worst = 0.0;
    for (int kind = PH_ANGULAR_GAY_BERNE; kind <= PH_ANGULAR_RE_SQUARED; ++kind) {
        size_t n;
        const struct ph_angular *form = ellipsoids((enum ph_angular_kind)kind, &n);
        for (size_t a = 0; a < n; ++a)
            for (size_t b = 0; b < n; ++b)
                for (uint64_t trial = 0; trial < 3; ++trial) {
                    double q[2][4], d[3];
                    for (size_t k = 0; k < 8; ++k)
                        q[k / 4][k % 4] = random_number(trial, k);
                    for (size_t k = 0; k < 3; ++k)
                        d[k] = random_number(trial, 8 + k);
                    const double size = (1.7 + 0.4 * (double)trial) / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                    double back[3], turned[2][4];
                    for (size_t k = 0; k < 3; ++k)
                        back[k] = -(d[k] *= size);
                    memcpy(turned[0], q[1], sizeof q[1]);
                    memcpy(turned[1], q[0], sizeof q[0]);
                    struct ph_system *system = make_pair(&form[a], &form[b], d, (const double(*)[4])q);
                    struct ph_system *other = make_pair(&form[b], &form[a], back, (const double(*)[4])turned);
                    const double u = evaluate_once(system, &endless).radial,
                                 want = plain_energy(system, &form[a], &form[b]);
                    const double swapped = evaluate_once(other, &endless).radial;
                    const double scale = fabs(want) + 1e-3;
                    worst = fmax(worst, fmax(fabs(u - want), fabs(u - swapped)) / scale);
                    if (!(fabs(u - want) <= 3e-13 * scale && fabs(u - swapped) <= 3e-13 * scale))
                        fail_msg("form %d, bodies %zu and %zu: %.17g, %.17g in the other order, not %.17g", kind, a, b,
                                 u, swapped, want);
                    for (int x = 0; x < 3; ++x) {
                        assert_close(system->f[x][0], other->f[x][1], 1e-11, 1.0 + fabs(u));
                        assert_close(system->t[x][0], other->t[x][1], 1e-11, 1.0 + fabs(u));
                        assert_close(system->f[x][0], -system->f[x][1], 1e-11, 1.0 + fabs(u));
                    }
                    ph_system_destroy(system);
                    ph_system_destroy(other);
                }
    }
    print_message("pairs: largest deviation %.1g\n", worst);
}

/* A Lennard-Jones site is a sphere for ellipsoids, and a Gay-Berne sphere is a Lennard-Jones site. */
TEST(spheres_are_lennard_jones_sites)
{
    const double even[3] = {1, 1, 1}, d[3] = {0.9, 0.6, -0.5}, q[2][4] = {{1, 0.3, -0.2, 0.5}, {1, 0, 0, 0}};
    const struct ph_angular sphere = gay_berne(0.45, 0.45, 0.45, even, 2, 1), rod = classic(3, 5, 2, 1);
    struct ph_angular like = sphere;
    like.number[0] = 0.7;
    like.number[1] = 0.9;
    const struct ph_angular *partners[] = {&like, &rod};
    for (size_t k = 0; k < 2; ++k) {
        struct ph_system *system = make_pair(partners[k], &like, d, q);
        const double want = evaluate_once(system, &endless).radial;
        struct ph_site *site = &((struct ph_species *)system->species)[1].site[0];
        site->angular.kind = PH_ANGULAR_NONE;
        site->radial = (struct ph_radial){PH_RADIAL_MIE, 0.7, 0.9, 12.0, 6.0};
        assert_close(evaluate_once(system, &endless).radial, want, 1e-14, want);
        ph_system_destroy(system);
        if (k == 0)
            assert_close(want, 4.0 * 0.7 * (pow(0.81 / 1.42, 6.0) - pow(0.81 / 1.42, 3.0)), 1e-13, 1.0);
    }
}

/* ---- Forces and rates ---- */

static const struct ph_interactions kinds_of_ends[] = {
    {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.7},
    {.truncation = PH_TRUNCATE_CUT, .cutoff = 6.0, .coulomb = 1.7},
    {.truncation = PH_TRUNCATE_SWITCHED, .cutoff = 3.3, .switch_width = 1.6, .smoothness = 6, .coulomb = 1.7},
    {.truncation = PH_TRUNCATE_SWITCHED,
     .cutoff = 3.3,
     .switch_width = 1.6,
     .smoothness = PH_SMOOTH_ALL,
     .coulomb = 1.7},
};

/* Forces and torques against differences of the energy, in open space and boxes, with and without a switch. Catches a
 * wrong chain rule, and a torque about the wrong axis. */
TEST(forces_are_gradients)
{
    double worst = 0.0;
    for (int kind = PH_ANGULAR_GAY_BERNE; kind <= PH_ANGULAR_RE_SQUARED; ++kind)
        for (size_t e = 0; e < 4; ++e) {
            const struct ph_box box = make_box(e < 2 ? NULL : tilted_edges, 8.2);
            struct ph_system *system = make_mixture_of_forms((enum ph_angular_kind)kind, 2, &box, 1.9, 3 + e);
            struct ph_force_field *field = make_field(system, &kinds_of_ends[e]);
            worst = fmax(worst, check_gradients(system, field));
            put_away(field, system);
        }
    print_message("forces: largest deviation %.1g\n", worst);
}

/* Rates of forces and torques along a motion, against differences of forces */
TEST(rates_are_derivatives_of_forces)
{
    double worst = 0.0;
    for (int kind = PH_ANGULAR_GAY_BERNE; kind <= PH_ANGULAR_RE_SQUARED; ++kind)
        for (size_t e = 0; e < 4; ++e) {
            const struct ph_box box = make_box(e < 2 ? NULL : cube_edges, 7.2);
            struct ph_system *system = make_mixture_of_forms((enum ph_angular_kind)kind, 2, &box, 1.9, 5 + e);
            struct ph_force_field *field = make_field(system, &kinds_of_ends[e]);
            worst = fmax(worst, check_rates(system, field));
            put_away(field, system);
        }
    print_message("rates: largest deviation %.1g\n", worst);
}

/* ---- Errors ---- */

/* Where the contact distance is reached up to sigma the energy is infinite, and further in it would be finite. */
TEST(overlaps_name_their_molecules)
{
    const struct ph_angular rod = classic(3, 5, 2, 1);
    const double straight[2][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
    for (int within = 0; within < 3; ++within) {
        struct ph_system *system =
            make_pair(&rod, &rod, (const double[]){0.0, 0.0, within ? 2.1 - 0.4 * within : 2.1}, straight);
        struct ph_force_field *field = make_field(system, &endless);
        struct ph_error err = {.text = ""};
        const enum ph_status status = ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, NULL, &err);
        assert_int_equal(status, within ? PH_ERR_NUMBERS : PH_OK);
        if (within && !strstr(err.text, "Molecules 0 and 1 overlap: their sites A and A are so deep in each other that "
                                        "the Gay-Berne interaction is infinite"))
            fail_msg("'%s'", err.text);
        put_away(field, system);
    }
}

/* Of three rods, where a switch ends the interaction. (The first one was named whatever it did.) */
TEST(overlaps_name_those_that_overlap)
{
    const struct ph_angular rod = classic(3, 5, 2, 1);
    struct ph_species species = {.name = "rod", .n_sites = 1, .site = {angular_site(&rod)}};
    const struct ph_box box = ph_box_open();
    const struct ph_interactions interactions = switched(4.0, 0.5, 6);
    struct ph_system *system;
    struct ph_error said = {.text = ""};
    assert_ok(ph_species_complete(&species, NULL, (const double[]){0.5, 0.5, 0.0}, &err));
    assert_ok(ph_system_create(1, &species, (const size_t[]){3}, &box, &system, &err));
    const double z[3] = {0.0, 20.0, 21.5};
    for (size_t i = 0; i < 3; ++i) {
        system->q[0][i] = 1.0;
        system->r[2][i] = z[i];
    }
    struct ph_force_field *field = make_field(system, &interactions);
    assert_int_equal(ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, NULL, &said), PH_ERR_NUMBERS);
    if (!strstr(said.text, "Molecules 1 and 2 overlap") && !strstr(said.text, "Molecules 2 and 1 overlap"))
        fail_msg("'%s'", said.text);
    put_away(field, system);
}

/* Spheres, and molecules of one site with an axis that they do not feel: all of their fields must be written, though
 * the only kernel of such a pair knows no axis. Catches torques that are left over from elsewhere. */
TEST(spheres_exert_no_torque)
{
    enum { EACH = 8 };
    struct ph_species species[2] = {
        {.name = "sphere", .n_sites = 1, .site = {{.name = "A", .mass = 1.0, .radial = lennard_jones}}},
        {.name = "axis", .n_sites = 1, .site = {{.name = "B", .mass = 1.0, .radial = lennard_jones}}}};
    species[1].site[0].angular = (struct ph_angular){PH_ANGULAR_QUADRUPOLE, {[PH_QUADRUPOLE_Q] = 0.7}};
    for (int k = 0; k < 3; ++k)
        species[1].site[0].axis[k][k] = 1.0;
    assert_ok(ph_species_complete(&species[0], NULL, NULL, &err));
    assert_ok(ph_species_complete(&species[1], NULL, (const double[]){0.3, 0.3, 0.0}, &err));
    const struct ph_box box = make_box(cube_edges, 7.2);
    const struct ph_interactions interactions = switched(2.5, 0.8, 6);
    const struct ph_start start = {.kind = PH_START_RANDOM, .seed = 4, .minimum_distance = 1.1};
    struct ph_system *system;
    assert_ok(ph_system_create(2, species, (const size_t[]){EACH, EACH}, &box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    ph_start_turn(4, system);
    struct ph_force_field *field = make_field(system, &interactions);
    check_gradients(system, field);
    check_rates(system, field);
    put_away(field, system);
}

/* A pair that the input gives takes the place of an ellipsoid's with a sphere, rather than adding to it. */
TEST(given_pairs_replace_those_of_shapes)
{
    const struct ph_angular rod = classic(3, 5, 2, 1);
    const double d[3] = {0.9, 0.6, -0.5}, q[2][4] = {{1, 0.3, -0.2, 0.5}, {1, 0, 0, 0}};
    struct ph_system *system = make_pair(&rod, &rod, d, q);
    struct ph_species *species = (struct ph_species *)system->species;
    struct ph_pair_override pair = {.radial = {PH_RADIAL_MIE, 2.0, 1.0, 12.0, 6.0}};
    const struct ph_interactions given = {
        .truncation = PH_TRUNCATE_NONE, .coulomb = 1.0, .n_overrides = 1, .overrides = &pair};
    species[1].site[0].angular.kind = PH_ANGULAR_NONE;
    species[1].site[0].radial = (struct ph_radial){PH_RADIAL_MIE, 0.7, 0.9, 12.0, 6.0};
    for (size_t k = 0; k < 2; ++k)
        snprintf(pair.site[k], sizeof pair.site[k], "%s.%s", species[k].name, species[k].site[0].name);
    const double want = 8.0 * (pow(1.42, -6.0) - pow(1.42, -3.0));
    assert_close(evaluate_once(system, &given).radial, want, 1e-13, want);
    ph_system_destroy(system);
}

TEST(what_is_not_possible_is_refused)
{
    const struct ph_angular rod = classic(3, 5, 2, 1), steep = classic(3, 5, 1, 3);
    const double q[2][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
    const struct ph_interactions shifted = {.truncation = PH_TRUNCATE_SHIFTED, .cutoff = 4.0, .coulomb = 1.0};
    const struct ph_interactions corrected = {
        .truncation = PH_TRUNCATE_CUT, .cutoff = 4.0, .long_range_correction = true, .coulomb = 1.0};
    const struct ph_interactions shorter = switched(2.9, 0.5, 6);
    struct ph_pair_override pair = {.site = {"one.A", "other.A"}, .radial = {PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0}};
    const struct ph_interactions given = {
        .truncation = PH_TRUNCATE_NONE, .coulomb = 1.0, .n_overrides = 1, .overrides = &pair};
    struct ph_system *system = make_pair(&rod, &rod, (const double[]){3, 0, 0}, q);
    struct ph_force_field *field;
    assert_error(ph_force_field_create(system, &shorter, &field, &err), PH_ERR_INPUT, "may touch at 3");
    assert_error(ph_force_field_create(system, &given, &field, &err), PH_ERR_INPUT, "such a pair cannot be given");
    assert_error(ph_force_field_create(system, &shifted, &field, &err), PH_ERR_INPUT, "cannot be shifted");
    assert_error(ph_force_field_create(system, &corrected, &field, &err), PH_ERR_INPUT, "long_range_correction");
    ph_system_destroy(system);
    system = make_pair(&rod, &steep, (const double[]){3, 0, 0}, q);
    assert_error(ph_force_field_create(system, &endless, &field, &err), PH_ERR_INPUT, "no combining rule");
    struct ph_site *site = &((struct ph_species *)system->species)[0].site[0];
    site->angular.kind = PH_ANGULAR_NONE;
    site->radial = (struct ph_radial){PH_RADIAL_MIE, 1.0, 1.0, 14.0, 7.0};
    assert_error(ph_force_field_create(system, &endless, &field, &err), PH_ERR_INPUT, "no rule with the radial form");
    ph_system_destroy(system);
    struct ph_species species = {.name = "thin", .n_sites = 1, .site = {angular_site(&rod)}};
    assert_error(ph_species_complete(&species, NULL, (const double[]){0.5, 0.0, 0.5}, &err), PH_ERR_INPUT,
                 "axis whose moment of inertia is zero");
    assert_error(ph_species_complete(&species, NULL, NULL, &err), PH_ERR_INPUT, "Give the model the key inertia");
}

/* ---- Dynamics ---- */

/* Schemes with and without gradients of forces. Catches forces that are no gradients, and rates that are not theirs. */
TEST(schemes_keep_their_order)
{
    static const enum ph_angular_kind kinds[] = {PH_ANGULAR_GAY_BERNE, PH_ANGULAR_RE_SQUARED};
    const struct ph_box box = make_box(cube_edges, 8.4);
    for (size_t k = 0; k < 2; ++k) {
        struct ph_system *system = make_mixture_of_forms(kinds[k], k == 0 ? 10 : 8, &box, k == 0 ? 1.9 : 2.2, 3);
        struct ph_site *water = ((struct ph_species *)system->species)[2].site;
        for (size_t s = 0; kinds[k] == PH_ANGULAR_RE_SQUARED && s < 3; ++s)
            water[s].charge = 0.0; /* which nothing would keep apart */
        ph_start_move(0.5, true, false, 3, system);
        const struct ph_interactions interactions = switched(4.0, 2.2, 6);
        struct ph_force_field *field = make_field(system, &interactions);
        check_orders(system, field);
        put_away(field, system);
    }
}

static struct ph_system *make_moving_mixture(void)
{
    const struct ph_box box = make_box(cube_edges, 16.0);
    struct ph_system *system = make_mixture_of_forms(PH_ANGULAR_GAY_BERNE, 70, &box, 1.9, 9);
    ph_start_move(0.5, true, false, 3, system);
    return system;
}

TEST(threads_change_no_bit)
{
    const struct ph_interactions interactions = switched(3.5, 0.8, 6);
    check_threads(make_moving_mixture, &interactions, 0.002, 5);
}
