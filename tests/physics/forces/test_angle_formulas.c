/* SPDX-License-Identifier: MIT */
/* Formulas of the user's own that depend on the axes of sites (potential/curves/program_angles.h): against built-in
 * forms, forces and rates against differences, the order that schemes have with them, and threads. */
#include "physics/angular_reference.h"
#include "physics/form_checks.h"

#include "force/pairs/pair_table.h"
#include "potential/curves/curve.h"

#define LENNARD_JONES "4*((1/r)^12 - (1/r)^6)"

static const struct ph_curve *curve_of(const char *formula)
{
    struct ph_program program;
    struct ph_program_fault fault = {.text = ""};
    const struct ph_curve *curve;
    if (!ph_program_compile(formula, 0, NULL, &program, &fault))
        fail_msg("%s: column %zu: %s", formula, fault.column, fault.text);
    assert_ok(ph_curve_of_formula(formula, &program, &curve, &err));
    return curve;
}

static struct ph_angular angular_of(const char *formula)
{
    const struct ph_curve *curve = curve_of(formula);
    char where[160];
    assert_true(curve->program.angular);
    if (!ph_curve_is_symmetric(curve, sizeof where, where))
        fail_msg("%s: %s", formula, where);
    return ph_curve_angular(curve);
}

static struct ph_species make_body(const char *name, const struct ph_site *site)
{
    struct ph_species species = {.n_sites = 1, .site = {*site}};
    snprintf(species.name, sizeof species.name, "%s", name);
    for (int k = 0; k < 3; ++k)
        species.site[0].axis[k][k] = 1.0;
    assert_ok(ph_species_complete(&species, NULL, (const double[]){0.5, 0.6, 0.25}, &err));
    return species;
}

/* `each` molecules of both species, or of one, turned at random; no centres nearer than `apart` */
static struct ph_system *make_bodies(const struct ph_species species[], size_t n_species, size_t each,
                                     const struct ph_box *box, double apart, uint64_t seed)
{
    struct ph_system *system;
    const size_t n[2] = {each, each};
    assert_ok(ph_system_create(n_species, species, n, box, &system, &err));
    const struct ph_start start = {.kind = PH_START_RANDOM,
                                   .seed = seed,
                                   .minimum_distance = apart,
                                   .radius = 1.2 * apart * cbrt((double)(n_species * each))};
    assert_ok(ph_start_place(&start, system, &err));
    ph_start_turn(seed, system);
    return system;
}

static double energy_of(const struct all_forces *forces) { return forces->energy.radial + forces->energy.electric; }

/* The same molecules with one interaction or another, which both have no rounding but their own */
static void compare(const char *name, struct ph_system *one, struct ph_system *other,
                    const struct ph_interactions *interactions, const struct ph_interactions *others)
{
    struct all_forces got = evaluate_all(one, interactions), want = evaluate_all(other, others);
    const size_t n = one->n;
    const double energy = fabs(energy_of(&got) / energy_of(&want) - 1.0);
    const double force = difference(3 * n, got.f, want.f), torque = difference(3 * n, got.f + 3 * n, want.f + 3 * n);
    const double rate = difference(6 * n, got.f + 6 * n, want.f + 6 * n);
    if (!(energy < 1e-12 && force < 1e-12 && torque < 1e-12 && rate < 1e-11))
        fail_msg("%s: energy %.2g, forces %.2g, torques %.2g, rates %.2g", name, energy, force, torque, rate);
    free(got.f);
    free(want.f);
    ph_system_destroy(one);
    ph_system_destroy(other);
}

/* ---- Built-in forms ---- */

static const struct ph_interactions ends[] = {
    {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.7},
    {.truncation = PH_TRUNCATE_CUT, .cutoff = 3.4, .coulomb = 1.7},
    {.truncation = PH_TRUNCATE_SWITCHED, .cutoff = 3.4, .switch_width = 1.6, .smoothness = 6, .coulomb = 1.7}};
enum { ENDS = sizeof ends / sizeof *ends };

/* Catches a sign of n, a torque of the wrong site, and a formula that is not cut or switched like all others. */
TEST(a_formula_of_dipoles_is_dipoles)
{
    const struct ph_site written = {
        .name = "A", .mass = 1.0, .angular = angular_of(LENNARD_JONES " + 1.7*1.3^2*(a.b - 3*(n.a)*(b.n))/r^3")};
    const struct ph_site built_in = {.name = "A", .mass = 1.0, .radial = lennard_jones, .dipole = {0.0, 0.0, 1.3}};
    const struct ph_species one = make_body("one", &written), other = make_body("one", &built_in);
    for (size_t e = 0; e < ENDS; ++e) {
        const struct ph_box box = make_box(e == 0 ? NULL : tilted_edges, 8.2);
        compare("dipoles", make_bodies(&one, 1, 40, &box, 1.0, e), make_bodies(&other, 1, 40, &box, 1.0, e), &ends[e],
                &ends[e]);
    }
}

/* Powers that are not whole, and quotients of angles */
TEST(a_formula_of_gay_berne_is_gay_berne)
{
    static const char contact[] = "(1 - 0.4*((a.n + b.n)^2/(1 + 0.8*a.b) + (a.n - b.n)^2/(1 - 0.8*a.b)))^-0.5";
    static const char wells[] = "(1 - 0.5*x*((a.n + b.n)^2/(1 + x*a.b) + (a.n - b.n)^2/(1 - x*a.b)))^2";
    char formula[1024];
    struct ph_program_constant x = {.name = "x", .value = (sqrt(5.0) - 1.0) / (sqrt(5.0) + 1.0)};
    struct ph_program program;
    struct ph_program_fault fault = {.text = ""};
    const struct ph_curve *curve;
    snprintf(formula, sizeof formula, "4*((1/(r - %s + 1))^12 - (1/(r - %s + 1))^6)/(1 - 0.64*(a.b)^2)^0.5*%s", contact,
             contact, wells);
    if (!ph_program_compile(formula, 1, &x, &program, &fault))
        fail_msg("%s: column %zu: %s", formula, fault.column, fault.text);
    assert_ok(ph_curve_of_formula(formula, &program, &curve, &err));
    const struct ph_site written = {.name = "A", .mass = 1.0, .angular = ph_curve_angular(curve)};
    const struct ph_site built_in = {.name = "A", .mass = 1.0, .angular = classic(3, 5, 2, 1)};
    const struct ph_species one = make_body("one", &written), other = make_body("one", &built_in);
    const struct ph_interactions switched_off = switched(5.0, 1.5, 6);
    const struct ph_box box = make_box(cube_edges, 12.0);
    compare("Gay-Berne", make_bodies(&one, 1, 30, &box, 2.9, 3), make_bodies(&other, 1, 30, &box, 2.9, 3),
            &switched_off, &switched_off);
}

#define SEEN(s) "2*((" s "1.n)^2 - (" s "2.n)^2)*(" s "3.n)"

/* Three axes of each site. A sticky form whose switches are one is switched off by the input. Catches exchanged axes.
 */
TEST(a_formula_of_sticky_dipoles_is_sticky)
{
    const struct ph_angular sticky = {PH_ANGULAR_STICKY, {3.7, 0.08, 1.6, 2.9, 1.6, 2.9, 6.0}};
    const struct ph_site built_in = {.name = "A", .mass = 1.0, .angular = sticky};
    const struct ph_site written = {
        .name = "A",
        .mass = 1.0,
        .angular = angular_of("1.85*(" SEEN("a") " - " SEEN("b") " + (a.n - 0.6)^2*(a3.n + 0.8)^2 + "
                                                                 "(b.n + 0.6)^2*(b.n - 0.8)^2 - 0.16) + 0*r")};
    const struct ph_species one = make_body("one", &written), other = make_body("one", &built_in);
    const struct ph_interactions off = switched(2.9, 1.3, 6);
    const struct ph_box box = make_box(tilted_edges, 8.2);
    compare("sticky", make_bodies(&one, 1, 40, &box, 1.0, 5), make_bodies(&other, 1, 40, &box, 1.0, 5), &off, &off);
}

/* Products of three axes of one site with three of the other: (a1 x a2).b3 - a3.b3 is 0, and so are its forces. */
TEST(products_of_axes_are_found)
{
    const struct ph_angular zero = angular_of("r*((a1.b1)*(a2.b2) - (a1.b2)*(a2.b1) - a3.b3) + (a.n)^2 + (b.n)^2");
    const struct ph_site site = {.name = "A", .mass = 1.0, .angular = zero};
    const struct ph_site plain = {.name = "A", .mass = 1.0, .angular = angular_of("0*r + (a.n)^2 + (n.b)^2")};
    const struct ph_species one = make_body("one", &site), other = make_body("one", &plain);
    const struct ph_box box = ph_box_open();
    compare("axes", make_bodies(&one, 1, 12, &box, 1.0, 5), make_bodies(&other, 1, 12, &box, 1.0, 5), &ends[0],
            &ends[0]);
}

/* ---- Unlike sites ---- */

/* A dipole and a charge, whichever of them is the first site. Catches sites that are exchanged without n. */
TEST(unlike_sites_have_a_first_one)
{
    static const char *const formulas[2] = {"1.7*1.3*0.8*(a.n)/r^2 + 0.3*(a.n)^3/r^3",
                                            "-1.7*1.3*0.8*(b.n)/r^2 - 0.3*(b.n)^3/r^3"};
    struct ph_site dipole = {.name = "A", .mass = 1.0, .radial = lennard_jones, .pair_axes = 1};
    struct ph_site charge = {.name = "A", .mass = 1.0, .radial = lennard_jones};
    const struct ph_species unlike[] = {make_body("dipole", &dipole), make_body("charge", &charge)};
    struct ph_pair_override pair[2];
    struct ph_interactions in[2];
    for (int k = 0; k < 2; ++k) {
        pair[k] = (struct ph_pair_override){.angular = ph_curve_angular(curve_of(formulas[k]))};
        strcpy(pair[k].site[k], "dipole.A");
        strcpy(pair[k].site[1 - k], "charge.A");
        in[k] = switched(3.4, 1.6, 6);
        in[k].n_overrides = 1;
        in[k].overrides = &pair[k];
    }
    const struct ph_box box = make_box(tilted_edges, 8.2);
    compare("both ways", make_bodies(unlike, 2, 20, &box, 1.0, 5), make_bodies(unlike, 2, 20, &box, 1.0, 5), &in[0],
            &in[1]);
    /* without the last term: charges and dipoles; the like ones do not interact */
    dipole.radial = charge.radial = (struct ph_radial){.kind = PH_RADIAL_NONE};
    const struct ph_species bare[] = {make_body("dipole", &dipole), make_body("charge", &charge)};
    dipole.dipole[2] = 1.3;
    charge.charge = 0.8;
    const struct ph_species built_in[] = {make_body("dipole", &dipole), make_body("charge", &charge)};
    const double q[4] = {0.6, 0.3, -0.7, 0.25}, d[3] = {0.9, -0.6, 0.7};
    pair[0].angular = ph_curve_angular(curve_of("1.7*1.3*0.8*(a.n)/r^2"));
    in[0].coulomb = 1.7;
    struct ph_system *system[2];
    for (int k = 0; k < 2; ++k) {
        assert_ok(ph_system_create(2, k == 0 ? bare : built_in, (const size_t[]){1, 1}, &(struct ph_box){0}, &system[k],
                                   &err));
        system[k]->box = ph_box_open();
        for (int x = 0; x < 4; ++x)
            system[k]->q[x][0] = q[x] / sqrt(0.36 + 0.09 + 0.49 + 0.0625);
        system[k]->q[0][1] = 1.0;
        for (int x = 0; x < 3; ++x)
            system[k]->r[x][1] = d[x];
    }
    struct ph_interactions plain = in[0];
    plain.n_overrides = 0;
    struct all_forces got = evaluate_all(system[0], &in[0]), want = evaluate_all(system[1], &plain);
    assert_close(energy_of(&got), energy_of(&want), 1e-14, energy_of(&want));
    assert_true(difference(12, got.f, want.f) < 1e-13 && fabs(energy_of(&want)) > 0.1);
    free(got.f);
    free(want.f);
    ph_system_destroy(system[0]);
    ph_system_destroy(system[1]);
}

/* Sites that C code makes itself, with fewer axes than a formula takes: z, or three. Catches forces from other numbers
 * of the record. */
TEST(sites_without_the_axes_of_a_formula_are_refused)
{
    static const char *const formulas[] = {"1/r^12", "a.n/r^2", "(a1.n)*(a3.n)/r^2", "(b1.n)*(b.n)/r^2"};
    static const size_t takes[4][2] = {{0, 0}, {1, 0}, {3, 0}, {0, 3}};
    const struct ph_box box = ph_box_open();
    for (size_t f = PH_SANITIZED ? 3 : 0; f < 4; ++f)
        for (size_t has = 0; has <= 3; has += has + 1) {
            const struct ph_site one = {.name = "A", .mass = 1.0, .radial = lennard_jones, .pair_axes = has};
            const struct ph_species species[] = {make_body("one", &one), make_body("other", &one)};
            struct ph_pair_override pair = {{"one.A", "other.A"}, .angular = ph_curve_angular(curve_of(formulas[f]))};
            struct ph_interactions interactions = switched(3.4, 1.6, 6);
            interactions.n_overrides = 1;
            interactions.overrides = &pair;
            struct ph_system *system;
            struct ph_pair_table table;
            struct ph_error error = {.text = ""};
            assert_ok(ph_system_create(2, species, (const size_t[]){1, 1}, &box, &system, &err));
            const bool enough = has >= takes[f][0] && has >= takes[f][1];
            const enum ph_status status = ph_pair_table_init(system, &interactions, &table, &error);
            if (status != (enough ? PH_OK : PH_ERR_INPUT))
                fail_msg("%s with %zu axes: %d %s", formulas[f], has, (int)status, error.text);
            assert_true(enough ||
                        (strstr(error.text, takes[f][0] ? "one.A" : "other.A") && strstr(error.text, "pair_axes")));
            ph_pair_table_clear(&table);
            ph_system_destroy(system);
        }
}

TEST(sites_of_one_kind_can_be_exchanged)
{
    static const struct {
        const char *formula;
        bool symmetric;
    } tried[] = {{"r + a.n - b.n", true},
                 {"r + a.n + b.n", false},
                 {"r + a.n", false},
                 {"r + (a.n)^2 + (b.n)^2", true},
                 {"r + (a.n)^2 + 1.001*(b.n)^2", false},
                 {"r + a1.b2 + a2.b1", true},
                 {"r + a1.b2", false},
                 {"r + a.b*sin(a.n*b.n)", true},
                 {"1/r^12 + (a1.n)^3 - (b1.n)^3", true},
                 {"1/r^12 + (a1.n)^3 - (b2.n)^3", false}};
    for (size_t k = 0; k < sizeof tried / sizeof *tried; k += PH_SANITIZED ? 3 : 1) {
        char where[160] = "";
        if (ph_curve_is_symmetric(curve_of(tried[k].formula), sizeof where, where) != tried[k].symmetric)
            fail_msg("%s: '%s'", tried[k].formula, where);
        assert_true(tried[k].symmetric || strstr(where, "one way and"));
    }
}

/* Its size and depth are those of the orientations with the lowest energy: here head to tail. */
TEST(size_and_depth_are_of_the_lowest_energy)
{
    const struct ph_curve *curve = curve_of(LENNARD_JONES " + (a.b - 3*(a.n)*(b.n))/r^3");
    const struct ph_curve *aligned = curve_of(LENNARD_JONES " - 2/r^3");
    assert_close(curve->size, aligned->size, 1e-9, 1.0);
    assert_close(curve->depth, aligned->depth, 1e-9, 1.0);
    assert_true(curve->first == 0.0);
}

/* ---- Forces, schemes, threads ---- */

/* Bodies of three axes that meet each other, and spheres, which they see along their axes x and z */
static const char body[] =
    LENNARD_JONES " + (" SEEN("a") " - " SEEN("b") " + 0.4*(a1.b2 + a2.b1) + 0.5*tanh(a.b) + "
                                                   "exp(0.3*(a.n)*(b.n)) + sqrt(2 + a.n - b.n))/r^3";
static const char sphere[] = "2*((1/r)^12 - (1/r)^6*(1 + 0.5*b1.n + 0.7*(b.n)^2)) + cos(b.n)*log(1 + (b2.n)^2)/r^4";

static struct ph_system *make_spheres(size_t each, const struct ph_box *box, double apart,
                                      struct ph_pair_override *pair)
{
    const struct ph_site turned = {.name = "A", .mass = 1.0, .angular = angular_of(body)};
    const struct ph_site round = {.name = "B", .mass = 1.0, .radial = lennard_jones, .position = {0.2, 0.0, 0.1}};
    struct ph_species species[] = {make_body("body", &turned), {.name = "sphere", .n_sites = 2}};
    species[1].site[0] = round;
    species[1].site[1] = (struct ph_site){.name = "C", .mass = 1.0, .position = {-0.2, 0.0, -0.1}};
    assert_ok(ph_species_complete(&species[1], NULL, NULL, &err));
    *pair = (struct ph_pair_override){{"sphere.B", "body.A"}, .angular = ph_curve_angular(curve_of(sphere))};
    return make_bodies(species, 2, each, box, apart, 7);
}

static struct ph_pair_override of_spheres;

TEST(forces_are_gradients)
{
    for (size_t e = 0; e < ENDS; e += PH_SANITIZED ? 2 : 1) {
        const struct ph_box box = make_box(e == 0 ? NULL : tilted_edges, 9.2);
        struct ph_system *system = make_spheres(4, &box, 1.2, &of_spheres);
        struct ph_interactions interactions = ends[e];
        interactions.n_overrides = 1;
        interactions.overrides = &of_spheres;
        if (interactions.truncation == PH_TRUNCATE_CUT)
            interactions.cutoff = 4.0;
        struct ph_force_field *field = make_field(system, &interactions);
        const double forces = check_gradients(system, field), rates = check_rates(system, field);
        print_message("largest deviation: forces %.1g, rates %.1g\n", forces, rates);
        put_away(field, system);
    }
}

static struct ph_interactions with_spheres(void)
{
    struct ph_interactions interactions = switched(3.4, 1.6, 6);
    interactions.n_overrides = 1;
    interactions.overrides = &of_spheres;
    return interactions;
}

TEST(schemes_have_their_order)
{
    if (PH_SANITIZED)
        skip();
    const struct ph_box box = make_box(cube_edges, 7.0);
    struct ph_system *system = make_spheres(16, &box, 1.2, &of_spheres);
    ph_start_move(0.5, true, false, 3, system);
    const struct ph_interactions interactions = with_spheres();
    struct ph_force_field *field = make_field(system, &interactions);
    check_orders(system, field);
    put_away(field, system);
}

static struct ph_system *make_moving_spheres(void)
{
    const struct ph_box box = make_box(cube_edges, 10.5);
    struct ph_system *system = make_spheres(150, &box, 1.1, &of_spheres);
    ph_start_move(0.5, true, false, 3, system);
    return system;
}

TEST(threads_change_no_bit)
{
    if (PH_SANITIZED)
        skip();
    ph_system_destroy(make_moving_spheres()); /* the pairs are known */
    const struct ph_interactions interactions = with_spheres();
    check_threads(make_moving_spheres, &interactions, 0.002, 3);
}

TEST(what_is_not_possible_is_refused)
{
    const struct ph_angular one = angular_of("1/r^12 + (a.n)*(b.n)/r^3"), two = angular_of("1/r^12 + a.b/r^3");
    const double q[2][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}}, d[3] = {1.5, 0, 0};
    const struct ph_interactions shifted = {.truncation = PH_TRUNCATE_SHIFTED, .cutoff = 4.0, .coulomb = 1.0};
    struct ph_force_field *field;
    struct ph_system *system = make_pair(&one, &two, d, q);
    assert_error(ph_force_field_create(system, &ends[0], &field, &err), PH_ERR_INPUT, "no combining rule");
    ph_system_destroy(system);
    system = make_pair(&one, &one, d, q);
    assert_error(ph_force_field_create(system, &shifted, &field, &err), PH_ERR_INPUT,
                 "the formula interaction of one.A cannot be shifted");
    struct ph_site *site = &((struct ph_species *)system->species)[0].site[0];
    site->angular.kind = PH_ANGULAR_NONE;
    site->radial = lennard_jones;
    assert_error(ph_force_field_create(system, &ends[0], &field, &err), PH_ERR_INPUT, "or the pair a formula");
    ph_system_destroy(system);
}
