/* SPDX-License-Identifier: MIT */
/* Sticky dipoles (potential/sticky_formulas.h) and the water models made of them: numbers, their end, forces and rates
 * against differences, the order that schemes have with each switch, and threads. */
#include "physics/form_checks.h"

#include "input/model_file.h"
#include "potential/truncation.h"
#include "run/build/build.h"
#include "run/build/methods.h"

/* C for dipoles in e nm such that two of 1 D at 1 A have 14.39325 kcal/mol */
#define KCAL 4.184 /* kJ */
#define CONSTANT (14.39325e-3 * KCAL * 48.03204712 * 48.03204712)
static const char *const names[] = {"ssd", "ssd1", "ssd-e", "ssd-rf"};
enum { MODELS = 4 };
enum part { LJ = 1, DIPOLE = 2, STICKY = 4, ALL = 7 };

/* A model of the library with some parts of its interaction; smoothness 0: its own */
static struct ph_species read_model(const char *name, enum part parts, int smoothness)
{
    static struct ph_input_model model;
    struct ph_species species;
    char file[512];
    snprintf(file, sizeof file, "%s/../../potentials/%s.yaml", POLHODE_TEST_DATA, name);
    assert_ok(ph_model_read(file, NULL, &model, &err));
    assert_ok(ph_build_species(&model, &species, &err));
    struct ph_site *site = &species.site[0];
    if (smoothness > 0)
        site->angular.number[PH_STICKY_SMOOTHNESS] = smoothness;
    if (!(parts & LJ))
        site->radial.kind = PH_RADIAL_NONE;
    if (!(parts & DIPOLE))
        set_dipole(site, 0.0, 0.0, 0.0);
    if (!(parts & STICKY))
        site->angular.kind = PH_ANGULAR_NONE;
    return species;
}

static const struct ph_interactions endless = {.truncation = PH_TRUNCATE_NONE, .coulomb = CONSTANT};

static double energy_of(const struct ph_species *species, const double d[3], const double q[2][4])
{
    struct ph_system *system = make_two(species, species, d, q);
    const struct ph_energy energy = evaluate_once(system, &endless);
    ph_system_destroy(system);
    return energy.radial + energy.electric;
}

/* ---- Numbers ---- */

/* Numbers of 30 digits, by a program that shares nothing with this one. Catches a wrong sign of the direction seen by
 * the second molecule, exchanged axes, and every parameter of the models but those of the other pair of switches. */
TEST(pairs_have_their_numbers)
{
    static const double want[MODELS][3] = {{0.07159979984658775, -1.962635138888889, -0.4417613919012346},
                                           {0.02035669070260653, -1.962635138888889, -0.4338110138847737},
                                           {0.04697914104571959, -2.081299488888889, -0.4708541535285116},
                                           {0.02437913068472592, -2.185783822222222, -0.4708541535285116}};
    const double d[3] = {0.1, 0.2, 0.2}, q[2][4] = {{1, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5}};
    for (size_t m = 0; m < MODELS; ++m)
        for (size_t k = 0; k < 3; ++k) {
            const struct ph_species species = read_model(names[m], (enum part)(1 << k), 0);
            assert_close(energy_of(&species, d, q) / KCAL, want[m][k], 1e-13, want[m][k]);
        }
}

/* The dimer of SSD/E, found by another program: its energy, no force and no torque, and more energy around it */
TEST(the_dimer_of_ssd_e_is_a_minimum)
{
    const struct ph_species species = read_model("ssd-e", ALL, 0);
    const double d[3] = {0.17254755549591212, 0.19924629966168717, 0.04579472537301614};
    const double q[2][4] = {{-0.8247607161539448, 0.3686276762107707, 0.07036984020165073, 0.4230029349906141},
                            {-0.5402632650697734, 0.42040217958432435, -0.7287328349911818, -0.018057326009470288}};
    assert_close(energy_of(&species, d, q) / KCAL, -7.92284703, 5e-9, 7.92284703);
    assert_close(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), 0.2675236, 1e-7, 1.0);
    struct ph_system *system = make_two(&species, &species, d, q);
    struct ph_force_field *field = make_field(system, &endless);
    struct ph_energy energy = evaluate(field, system);
    const double least = energy.radial + energy.electric;
    for (int x = 0; x < 3; ++x)
        for (size_t i = 0; i < 2; ++i) {
            assert_close(system->f[x][i], 0.0, 1e-4, 1e3); /* of usual forces, kJ/mol/nm, and torques */
            assert_close(system->t[x][i], 0.0, 1e-4, 1e2);
        }
    for (uint64_t trial = 0; trial < 40; ++trial) {
        for (int x = 0; x < 6; ++x)
            displace(system, 1, x, (x < 3 ? 2e-3 : 1e-2) * random_number(trial, (uint64_t)x));
        energy = evaluate(field, system);
        if (!(energy.radial + energy.electric > least))
            fail_msg("trial %d: energy lower by %g", (int)trial, least - energy.radial - energy.electric);
        for (size_t k = 0; k < 4; ++k)
            system->q[k][1] = q[1][k];
        for (size_t k = 0; k < 3; ++k)
            system->r[k][1] = d[k];
    }
    put_away(field, system);
}

/* ---- A plain text of the formula ---- */

static double plain_switch(double r, double on, double off, int smoothness)
{
    const double x = (r - on) / (off - on);
    double value, slope;
    if (smoothness == 1)
        return x <= 0.0 ? 1.0 : x >= 1.0 ? 0.0 : 1.0 - 3.0 * x * x + 2.0 * x * x * x;
    ph_switch(smoothness == 2 ? PH_SWITCH_C2 : smoothness == 4 ? PH_SWITCH_C4 : PH_SWITCH_C6, x, &value, &slope);
    return value;
}

/* By angles: theta from the dipole, phi about it from the plane that has no hydrogens */
static double plain_energy(const struct ph_system *system, size_t a, size_t b, const struct ph_angular *form)
{
    const double *k = form->number, sign[2] = {1.0, -1.0};
    const size_t at[2] = {a, b};
    double n[3], w = 0.0, w_prime = -2.0 * k[PH_STICKY_W0];
    for (int x = 0; x < 3; ++x)
        n[x] = system->r[x][b] - system->r[x][a];
    ph_box_minimum_image(&system->box, n);
    const double r = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (size_t i = 0; i < 2; ++i) {
        const size_t m = at[i];
        const double q[4] = {system->q[0][m], -system->q[1][m], -system->q[2][m], -system->q[3][m]};
        const double to[3] = {sign[i] * n[0] / r, sign[i] * n[1] / r, sign[i] * n[2] / r};
        double seen[3];
        ph_quat_rotate(q, to, seen);
        const double theta = atan2(hypot(seen[0], seen[1]), seen[2]), phi = atan2(seen[1], seen[0]), z = cos(theta);
        w += sin(theta) * sin(2.0 * theta) * cos(2.0 * phi);
        w_prime += (z - 0.6) * (z - 0.6) * (z + 0.8) * (z + 0.8);
    }
    const int smoothness = (int)k[PH_STICKY_SMOOTHNESS];
    return 0.5 * k[PH_STICKY_V0] *
           (plain_switch(r, k[PH_STICKY_RL], k[PH_STICKY_RU], smoothness) * w +
            plain_switch(r, k[PH_STICKY_RL_PRIME], k[PH_STICKY_RU_PRIME], smoothness) * w_prime);
}

/* All models and switches at random, also in the other order. Catches wrong polynomials and unsymmetric pairs. */
TEST(every_pair_agrees_with_angles)
{
    static const int switches[] = {1, 2, 4, 6};
    double worst = 0.0;
    for (size_t m = 0; m < MODELS; ++m)
        for (size_t s = 0; s < 4; ++s) {
            const struct ph_species species = read_model(names[m], STICKY, switches[s]);
            for (uint64_t trial = 0; trial < 12; ++trial) {
                double q[2][4], turned[2][4], d[3], back[3], length = 0.0;
                for (size_t k = 0; k < 8; ++k)
                    turned[1 - k / 4][k % 4] = q[k / 4][k % 4] = random_number(trial, k);
                for (size_t k = 0; k < 3; ++k) {
                    d[k] = random_number(trial, 8 + k);
                    length += d[k] * d[k];
                }
                for (size_t k = 0; k < 3; ++k)
                    back[k] = -(d[k] *= (0.23 + 0.015 * (double)trial) / sqrt(length));
                struct ph_system *system = make_two(&species, &species, d, (const double(*)[4])q);
                struct ph_system *other = make_two(&species, &species, back, (const double(*)[4])turned);
                const double u = evaluate_once(system, &endless).radial;
                const double want = plain_energy(system, 0, 1, &species.site[0].angular);
                const double swapped = evaluate_once(other, &endless).radial, off = fabs(u - want), scale = 8.0;
                worst = fmax(worst, off / scale);
                if (!(off <= 3e-15 * scale && fabs(u - swapped) <= 3e-15 * scale))
                    fail_msg("%s, %d derivatives, trial %d: %.17g, %.17g in the other order, not %.17g", names[m],
                             switches[s], (int)trial, u, swapped, want);
                for (int x = 0; x < 3; ++x) {
                    assert_close(system->f[x][0], other->f[x][1], 1e-13, 100.0);
                    assert_close(system->t[x][0], other->t[x][1], 1e-13, 100.0);
                    assert_close(system->f[x][0], -system->f[x][1], 1e-13, 100.0);
                }
                ph_system_destroy(system);
                ph_system_destroy(other);
            }
        }
    print_message("pairs: largest deviation %.1g of v0/2\n", worst);
}

/* Unlike sites: v0 geometric, lengths arithmetic. The first model's numbers alone would be another energy. */
TEST(unlike_models_combine)
{
    const double d[3] = {0.1, 0.21, 0.17}, q[2][4] = {{1, 0.4, -0.2, 0.3}, {0.5, 0.1, 0.5, 0.9}};
    const struct ph_species one = read_model("ssd1", STICKY, 0), other = read_model("ssd-e", STICKY, 0);
    struct ph_angular mean = one.site[0].angular;
    for (size_t k = PH_STICKY_RL; k <= PH_STICKY_RU_PRIME; ++k)
        mean.number[k] = 0.5 * (mean.number[k] + other.site[0].angular.number[k]);
    mean.number[PH_STICKY_V0] = sqrt(mean.number[PH_STICKY_V0] * other.site[0].angular.number[PH_STICKY_V0]);
    struct ph_system *system = make_two(&one, &other, d, q);
    const double want = plain_energy(system, 0, 1, &mean);
    assert_close(evaluate_once(system, &endless).radial, want, 1e-14, 8.0);
    ph_system_destroy(system);
}

/* With lists, cells and images, and where most pairs are beyond the end of the form. Catches a pair that is lost, or
 * counted twice, when those within the end are gathered. */
TEST(a_fluid_has_the_sum_of_its_pairs)
{
    const struct ph_species species = read_model("ssd-e", STICKY, 0);
    const struct ph_box box = make_box(tilted_edges, 2.3);
    const size_t n = 400;
    const struct ph_interactions interactions = {.truncation = PH_TRUNCATE_CUT, .cutoff = 0.9, .coulomb = 1.0};
    struct ph_system *system = make_at_random(1, &species, &n, &box, 0.22, 5);
    double want = 0.0, size = 0.0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < i; ++j) {
            const double u = plain_energy(system, i, j, &species.site[0].angular);
            want += u;
            size += fabs(u);
        }
    assert_true(size > 100.0);
    assert_close(evaluate_once(system, &interactions).radial, want, 1e-14, size);
    ph_system_destroy(system);
}

/* ---- The end of the form ---- */

/* From ru and ru' on there is nothing at all; before, no truncation of the input changes the form. */
TEST(the_form_ends_by_itself)
{
    const double q[2][4] = {{1, 0.4, -0.2, 0.3}, {0.5, 0.1, 0.5, 0.9}}, n[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3};
    const struct ph_species species = read_model("ssd-e", STICKY, 0);
    static const double distances[] = {0.3, 0.36, 0.379, 0.3800001, 0.45, 5.0};
    const struct ph_interactions ends[] = {
        {.truncation = PH_TRUNCATE_CUT, .cutoff = 0.38, .coulomb = 1.0},
        {.truncation = PH_TRUNCATE_SHIFTED, .cutoff = 0.4, .coulomb = 1.0},
        {.truncation = PH_TRUNCATE_SWITCHED, .cutoff = 0.4, .switch_width = 0.3, .smoothness = 6, .coulomb = 1.0}};
    for (size_t k = 0; k < sizeof distances / sizeof *distances; ++k) {
        const double r = distances[k], d[3] = {r * n[0], r * n[1], r * n[2]};
        struct ph_system *system = make_two(&species, &species, d, q);
        const double u = evaluate_once(system, &endless).radial;
        assert_true((u == 0.0) == (k > 2));
        for (int x = 0; x < 3 && k > 2; ++x)
            assert_true(system->f[x][0] == 0.0 && system->t[x][0] == 0.0 && system->t[x][1] == 0.0);
        for (size_t e = 0; e < 3; ++e)
            assert_true(evaluate_once(system, &ends[e]).radial == u);
        ph_system_destroy(system);
    }
    struct ph_system *system = make_two(&species, &species, n, q);
    struct ph_force_field *field;
    const struct ph_interactions near = {.truncation = PH_TRUNCATE_CUT, .cutoff = 0.37, .coulomb = 1.0};
    assert_error(ph_force_field_create(system, &near, &field, &err), PH_ERR_INPUT,
                 "interactions.cutoff is 0.37, but the sticky interaction of ssd-e.W reaches to 0.38");
    ph_system_destroy(system);
}

/* The smoothness of the form counts beside that of the truncation, and the advice names it. */
TEST(the_switch_limits_the_order)
{
    static const int switches[] = {1, 2, 4, 6};
    const double d[3] = {0.1, 0.2, 0.2}, q[2][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
    const struct ph_interactions quadratic = {
        .truncation = PH_TRUNCATE_SWITCHED, .cutoff = 0.9, .switch_width = 0.1, .smoothness = 2, .coulomb = 1.0};
    const struct ph_methods methods = {
        .scheme = ph_scheme_find("rkn6-7a"), .flow = ph_flow_find("exact"), .substeps = 1, .step = 0.001};
    for (size_t s = 0; s < 4; ++s) {
        const struct ph_species species = read_model("ssd-rf", ALL, switches[s]);
        struct ph_system *system = make_two(&species, &species, d, q);
        char advice[PH_ADVICE];
        assert_int_equal(ph_smoothness(system, &endless), switches[s]);
        assert_int_equal(ph_smoothness(system, &quadratic), switches[s] < 2 ? 1 : 2);
        ph_methods_advice(&methods, system, &endless, advice);
        const bool said = strstr(advice, "sticky interaction of ssd-rf.W: a model with sticky.smoothness: 6") != NULL;
        if (said != (switches[s] < 6))
            fail_msg("%d derivatives: '%s'", switches[s], advice);
        ph_system_destroy(system);
    }
}

/* Catches a cubic switch that is asked for as 3, and ends that changed places. */
TEST(impossible_numbers_are_refused)
{
    const struct ph_angular good = read_model("ssd", STICKY, 0).site[0].angular;
    char why[128];
    assert_true(ph_angular_possible(&good, sizeof why, why));
    static const struct {
        size_t place;
        double value;
        const char *why;
    } bad[] = {{PH_STICKY_SMOOTHNESS, 3.0, "smoothness is 3; it must be 1, 2, 4 or 6."},
               {PH_STICKY_RU, 0.275, "rl is 0.275, not below ru, 0.275."},
               {PH_STICKY_RL_PRIME, 0.5, "rl_prime is 0.5, not below ru_prime, 0.4."}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        struct ph_angular form = good;
        form.number[bad[k].place] = bad[k].value;
        assert_false(ph_angular_possible(&form, sizeof why, why));
        assert_string_equal(why, bad[k].why);
    }
}

/* ---- Forces and rates ---- */

/* Angstroms, for which form_checks.h has steps of a usual size: then the unit of time is 0.1 ps */
static const struct ph_interactions endless_in_angstrom = {.truncation = PH_TRUNCATE_NONE, .coulomb = 10.0 * CONSTANT};

static struct ph_species read_in_angstrom(const char *name, int smoothness)
{
    struct ph_species species = read_model(name, ALL, smoothness);
    struct ph_site *site = &species.site[0];
    site->radial.sigma *= 10.0;
    site->dipole[2] *= 10.0;
    for (size_t k = PH_STICKY_RL; k <= PH_STICKY_RU_PRIME; ++k)
        site->angular.number[k] *= 10.0;
    for (int k = 0; k < 3; ++k)
        species.inertia[k] *= 100.0;
    return species;
}

/* Distance of the pair that is nearest to where second derivatives of the published form jump */
static double from_jump(const struct ph_system *system)
{
    const double *at = &system->species[0].site[0].angular.number[PH_STICKY_RL];
    double nearest = INFINITY;
    for (size_t i = 0; i < system->n; ++i)
        for (size_t j = 0; j < i; ++j)
            for (size_t k = 0; k < 4; ++k) {
                const double x = system->r[0][i] - system->r[0][j], y = system->r[1][i] - system->r[1][j];
                nearest = fmin(nearest, fabs(hypot(hypot(x, y), system->r[2][i] - system->r[2][j]) - at[k]));
            }
    return nearest;
}

/* Molecules of a model at 298 K, close to each other, in open space or in a box */
static struct ph_system *make_water(const char *name, int smoothness, size_t n, struct ph_box box)
{
    const struct ph_species species = read_in_angstrom(name, smoothness);
    for (uint64_t seed = 1; seed < 1000; ++seed) {
        struct ph_system *system;
        assert_ok(ph_system_create(1, &species, &n, &box, &system, &err));
        const struct ph_start start = {
            .kind = PH_START_RANDOM, .seed = seed, .minimum_distance = 2.65, .radius = 2.1 * cbrt((double)n)};
        assert_ok(ph_start_place(&start, system, &err));
        ph_start_turn(seed, system);
        ph_start_move(298.0 * 0.00831446261815324, true, false, seed, system);
        if (smoothness > 1 || from_jump(system) > 6e-3)
            return system;
        ph_system_destroy(system);
    }
    fail_msg("no configuration found");
    return NULL;
}

static struct ph_system *make_drop(const char *name, int smoothness, size_t n)
{
    return make_water(name, smoothness, n, ph_box_open());
}

/* Catches a switch whose slope or curvature is not its own, and a torque about the wrong axis. */
TEST(forces_and_rates_are_derivatives)
{
    static const int switches[] = {1, 2, 4, 6};
    double worst[2] = {0.0};
    for (size_t m = 0; m < MODELS; ++m)
        for (size_t s = 0; s < 4; ++s) {
            struct ph_system *system = make_drop(names[m], switches[s], 5);
            struct ph_force_field *field = make_field(system, &endless_in_angstrom);
            worst[0] = fmax(worst[0], check_gradients(system, field));
            worst[1] = fmax(worst[1], check_rates(system, field));
            put_away(field, system);
        }
    print_message("largest deviation: forces %.1g, rates %.1g\n", worst[0], worst[1]);
}

/* ---- Dynamics ---- */

TEST(schemes_have_their_order)
{
    struct ph_system *system = make_water("ssd-e", 6, 26, make_box(cube_edges, 10.0));
    struct ph_interactions interactions = endless_in_angstrom;
    interactions.truncation = PH_TRUNCATE_SWITCHED;
    interactions.cutoff = 4.9;
    interactions.switch_width = 2.0;
    interactions.smoothness = 6;
    struct ph_force_field *field = make_field(system, &interactions);
    check_orders(system, field);
    put_away(field, system);
}

/* A switch with p continuous derivatives is enough for order p. */
TEST(fewer_derivatives_are_enough_for_lower_orders)
{
    static const struct {
        const char *scheme;
        int order;
        double step;
    } tried[] = {{"verlet", 2, 0.005}, {"chin4a", 4, 0.01}};
    for (size_t t = 0; t < 2; ++t) {
        struct ph_system *system = make_drop("ssd-e", tried[t].order, 8);
        struct ph_force_field *field = make_field(system, &endless_in_angstrom);
        double *start = take_state(system);
        run(system, field, "mclachlan8-ss17", "exact", 0.00125, 400);
        double *want = take_state(system);
        const double coarse = error_of(tried[t].scheme, tried[t].step, system, field, start, want);
        const double fine = error_of(tried[t].scheme, 0.5 * tried[t].step, system, field, start, want);
        const double order = log2(coarse / fine);
        if (!(fabs(order - tried[t].order) < 0.2))
            fail_msg("%s: order %.2f, errors %.2e and %.2e", tried[t].scheme, order, coarse, fine);
        free(start);
        free(want);
        put_away(field, system);
    }
}

static struct ph_system *make_moving_water(void)
{
    const struct ph_box box = make_box(cube_edges, 2.2);
    const struct ph_species species = read_model("ssd-rf", ALL, 0);
    const struct ph_start start = {.kind = PH_START_SIMPLE_CUBIC, .seed = 7, .jitter = 0.02};
    struct ph_system *system;
    assert_ok(ph_system_create(1, &species, (const size_t[]){343}, &box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    ph_start_turn(7, system);
    ph_start_move(2.48, true, false, 7, system);
    return system;
}

TEST(threads_change_no_bit)
{
    const struct ph_interactions interactions = {.truncation = PH_TRUNCATE_SWITCHED,
                                                 .cutoff = 0.9,
                                                 .switch_width = 0.2,
                                                 .smoothness = 6,
                                                 .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
                                                 .epsilon_rf = 80.0,
                                                 .coulomb = CONSTANT};
    check_threads(make_moving_water, &interactions, 0.001, 3);
}
