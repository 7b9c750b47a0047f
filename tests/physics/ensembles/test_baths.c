/* SPDX-License-Identifier: MIT */
/* Heat baths sample the canonical ensemble, up to a bias of the order of the scheme; with Metropolis' rule exactly. */
#include "physics/baths.h"

#include "dynamics/baths/metropolis.h"

#include <omp.h>

static const char *const all[] = {"langevin", "metropolis", "velocity-rescaling", "nose-hoover", "langevin-middle"};
enum { ALL = sizeof all / sizeof *all, AT_ENDS = ALL - 1 }; /* of steps: with any scheme */

/* Errors of 32 blocks that a mean may be off: beyond once in a million times, and all tests here have a hundred means.
 * A wrong factor in a bath is off by far more: means are known to a hundredth. */
static const double SURE = 6.0;

/* ---- Averages that are known ---- */

static double langevin_function(double x) { return 1.0 / tanh(x) - 1.0 / x; }

/* Molecules that do not interact need noise of their own: one number for all would not share out their energies. */
TEST(noise_gives_averages_of_tethered_dipoles_in_a_field)
{
    for (int bath = 0; bath < 2; ++bath) {
        const struct rotors rotors = {.n = 8, .inertia = {0.6, 0.9, 1.2}, .field = 2.0, .tether = 3.0};
        struct heated heated = make_rotors(&rotors);
        const struct ph_bath_options options = bath_of(all[bath], 1.0, 0.0, heated.system);
        set_moving(&heated, "mclachlan4-sb3a4", 0.3, &options);
        go(&heated, 200);
        const struct ph_force_memory memory = ph_force_field_memory(heated.field);
        struct averages averages = {.n = 6, .per_block = 400};
        while (averages.samples < BLOCKS * averages.per_block) {
            go(&heated, 2);
            double x[6] = {cosine(heated.system, rotor_dipole), rotor_energy(&rotors, heated.system, memory.anchor)};
            temperatures(heated.system, x + 2);
            sample(&averages, x);
        }
        const double want = langevin_function(rotors.field);
        assert_mean(&averages, 0, want, SURE, 0.01, all[bath], "<cos>");
        assert_mean(&averages, 1, 1.5 - rotors.field * want, SURE, 0.02, all[bath], "<U>");
        for (int group = 0; group < PH_BATH_GROUPS; ++group)
            assert_mean(&averages, 2 + group, 1.0, SURE, 0.02, all[bath], "a temperature");
        destroy(&heated);
    }
}

/* Clausius: <-(r - anchor).F> = 3 kT for every molecule that is bound, whatever else acts on it. */
static double virial_of(const struct heated *heated)
{
    const struct ph_force_memory memory = ph_force_field_memory(heated->field);
    const struct ph_system *system = heated->system;
    double sum = 0.0;
    for (size_t i = 0; i < system->n; ++i)
        for (int k = 0; k < 3; ++k)
            sum -= (system->r[k][i] - memory.anchor[k][i]) * system->f[k][i];
    return sum / (3.0 * (double)system->n);
}

TEST(all_baths_sample_the_same_ensemble_of_a_cluster)
{
    struct averages averages[AT_ENDS];
    for (int bath = 0; bath < AT_ENDS; ++bath) {
        struct heated heated = make_cluster(8);
        const struct ph_bath_options options = bath_of(all[bath], 1.0, 0.3, heated.system);
        set_moving(&heated, "mclachlan4-sb3a4", 0.05, &options);
        go(&heated, 1000);
        averages[bath] = (struct averages){.n = 8, .per_block = 200};
        while (averages[bath].samples < BLOCKS * averages[bath].per_block) {
            go(&heated, 4);
            const struct ph_energy energy = energy_of(&heated);
            double x[8] = {ph_energy_total(&energy) / 8.0, cosine(heated.system, (const double[3]){0.4, 0.0, 0.6}),
                           virial_of(&heated), ph_system_kinetic_translation(heated.system)};
            x[3] = (x[3] - 12.0) * (x[3] - 12.0) / 12.0; /* variance f/2 of 24 momenta */
            temperatures(heated.system, x + 4);
            sample(&averages[bath], x);
        }
        destroy(&heated);
        assert_mean(&averages[bath], 2, 1.0, SURE, 0.02, all[bath], "the virial");
        assert_mean(&averages[bath], 3, 1.0, SURE, 0.05, all[bath], "the variance of kinetic energies");
        for (int group = 0; group < PH_BATH_GROUPS; ++group)
            assert_mean(&averages[bath], 4 + group, 1.0, SURE, 0.02, all[bath], "a temperature");
        for (int k = 0; k < 2; ++k) {
            double error[2];
            const double here = mean(&averages[bath], k, &error[0]), first = mean(&averages[0], k, &error[1]);
            if (!(fabs(here - first) <= SURE * hypot(error[0], error[1])))
                fail_msg("%s: %s is %.4f +- %.4f, %.4f +- %.4f with %s", all[bath], k == 0 ? "<U>" : "<cos>", here,
                         error[0], first, error[1], all[0]);
        }
    }
}

static struct heated make_gas(size_t n, const double inertia[3])
{
    const struct ph_site site = {.name = "A"};
    const struct ph_box box = make_box(cube_edges, 10.0);
    const struct ph_start start = {.kind = PH_START_RANDOM, .seed = 1};
    const struct ph_interactions interactions = {.cutoff = 1.0, .truncation = PH_TRUNCATE_CUT, .coulomb = 1.0};
    struct heated heated = {.system = make_bodies(&site, inertia, n, &box, &start)};
    heated.field = make_field(heated.system, &interactions);
    return heated;
}

/* K - K_0 decays like exp(-2 friction t), translation and rotation each with a friction of its own. */
TEST(friction_is_that_asked_for)
{
    struct heated gas = make_gas(4000, (const double[3]){0.6, 0.9, 1.2});
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < gas.system->n; ++i) {
            gas.system->p[k][i] *= 3.0; /* a temperature of 9 */
            gas.system->m[k][i] *= 3.0;
        }
    struct ph_bath_options bath = bath_of("langevin", 0.0, 0.0, gas.system);
    bath.friction[0] = 0.7;
    bath.friction[1] = 0.3;
    set_moving(&gas, "verlet", 0.1, &bath);
    go(&gas, 10);
    double t[PH_BATH_GROUPS];
    temperatures(gas.system, t);
    assert_close(t[0], 1.0 + 8.0 * exp(-1.4), 0.03, 3.0);
    assert_close((t[1] + t[2] + t[3]) / 3.0, 1.0 + 8.0 * exp(-0.6), 0.03, 5.4);
    destroy(&gas);
}

TEST(ideal_gases_are_canonical)
{
    for (int bath = 0; bath < 3; ++bath) {
        struct heated gas = make_gas(10, (const double[3]){0.6, 0.9, 1.2});
        const struct ph_bath_options options = bath_of(all[bath], 1.0, 0.5, gas.system);
        set_moving(&gas, "verlet", 0.5, &options);
        go(&gas, 50);
        struct averages averages = {.n = 8, .per_block = 150};
        while (averages.samples < BLOCKS * averages.per_block) {
            go(&gas, 4);
            double x[8], t[PH_BATH_GROUPS];
            temperatures(gas.system, t);
            for (int group = 0; group < PH_BATH_GROUPS; ++group) { /* variance of 2 K/f: 2/f */
                x[group] = t[group];
                x[4 + group] = (t[group] - 1.0) * (t[group] - 1.0) / (2.0 / (group == 0 ? 30.0 : 10.0));
            }
            sample(&averages, x);
        }
        for (int k = 0; k < 8; ++k)
            assert_mean(&averages, k, 1.0, SURE, 0.04, all[bath], k < 4 ? "a temperature" : "a variance");
        if (strcmp(all[bath], "metropolis") == 0) /* steps have no error */
            assert_true(ph_mover_acceptance(gas.mover) == 1.0);
        destroy(&gas);
    }
}

/* ---- Distributions of momenta ---- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov: sqrt(n) times the largest distance from the normal distribution of this width; above 2.6 for
 * three of a million samples of it. Sorts x. */
static double normal_distance(size_t n, double *x, double width)
{
    double largest = 0.0;
    qsort(x, n, sizeof *x, ascending);
    for (size_t i = 0; i < n; ++i) {
        const double want = 0.5 * erfc(-x[i] / (width * sqrt(2.0)));
        largest = fmax(largest, fmax((double)(i + 1) / (double)n - want, want - (double)i / (double)n));
    }
    return sqrt((double)n) * largest;
}

TEST(momenta_are_normal)
{
    enum { N = 64, TIMES = 200 };
    for (int bath = 0; bath < 2; ++bath) {
        const struct rotors rotors = {
            .n = bath == 0 ? N : N / 16, .inertia = {0.6, 0.9, 1.2}, .field = 4.0, .tether = 5.0};
        struct heated heated = make_rotors(&rotors);
        const struct ph_bath_options options = bath_of(all[bath], 4.0, 0.0, heated.system);
        set_moving(&heated, bath == 0 ? "srkn6-11b" : "mclachlan4-sb3a4", 0.3, &options);
        static double x[6][N * TIMES];
        for (size_t n = 0; n < N * TIMES; n += heated.system->n) {
            go(&heated, 5); /* momenta have forgotten: exp(-6) */
            for (int k = 0; k < 6; ++k)
                memcpy(x[k] + n, k < 3 ? heated.system->p[k] : heated.system->m[k - 3], rotors.n * sizeof(double));
        }
        for (int k = 0; k < 6; ++k) {
            const double width = k < 3 ? 1.0 : sqrt(rotors.inertia[k - 3]);
            const double distance = normal_distance(N * TIMES, x[k], width);
            if (!(distance < 2.6) || !(distance > 0.3))
                fail_msg("%s: momentum %d is %.2f from normal", all[bath], k, distance);
            assert_true(normal_distance(N * TIMES, x[k], 0.85 * width) > 2.6); /* it would be seen */
        }
        destroy(&heated);
    }
}

/* ---- Bias ---- */

/* Energies; test_baths_slow has the temperatures. */
TEST(bias_has_the_order_of_the_scheme)
{
    static const struct {
        const char *scheme, *better;
        int order;
        double step[2];
    } cases[] = {{"verlet", "pefrl", 2, {0.15, 0.075}},
                 {"yoshida4", "srkn6-11b", 4, {0.2, 0.1}},
                 {"yoshida6", "srkn6-11b", 6, {0.25, 0.15}}};
    const struct rotors rotors = {.n = 32, .inertia = {0.6, 0.9, 1.2}, .field = 8.0, .tether = 8.0};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        struct averages bias[2];
        for (int s = 0; s < 2; ++s) {
            const struct pair_of_runs runs = {.scheme = cases[c].scheme,
                                              .better = cases[c].better,
                                              .step = cases[c].step[s],
                                              .time = 120.0,
                                              .friction = 2.0,
                                              .every = 1,
                                              .observe = observe_rotors,
                                              .data = &rotors};
            struct heated pair[2] = {make_rotors(&rotors), make_rotors(&rotors)};
            bias[s] = measure_bias(&runs, pair);
        }
        assert_slope(cases[c].scheme, "<U>", BIAS_ENERGY, cases[c].order, bias, cases[c].step, 0.15);
    }
}

/* Springs with w h = 1.2: no bias. With noise at the ends of steps <U> is 1.5/0.64; momenta after the last kick have
 * the temperature 0.64. */
TEST(noise_in_the_middle_leaves_springs_without_bias)
{
    const struct rotors rotors = {.n = 64, .inertia = {0.6, 0.9, 1.2}, .tether = 4.0};
    struct heated heated = make_rotors(&rotors);
    const struct ph_bath_options bath = bath_of("langevin-middle", 1.5, 0.0, heated.system);
    set_moving(&heated, "verlet", 0.6, &bath);
    go(&heated, 50);
    const struct ph_force_memory memory = ph_force_field_memory(heated.field);
    struct averages averages = {.n = 5, .per_block = 50};
    while (averages.samples < BLOCKS * averages.per_block) {
        go(&heated, 1);
        (void)energy_of(&heated); /* as a row does: the last kick stays pending */
        double x[5] = {rotor_energy(&rotors, heated.system, memory.anchor)};
        temperatures(heated.system, x + 1);
        sample(&averages, x);
    }
    assert_mean(&averages, 0, 1.5, SURE, 0.02, "springs", "<U>");
    assert_mean(&averages, 1, 1.0, SURE, 0.02, "springs", "the temperature");
    assert_mean(&averages, 2, 1.0, SURE, 0.02, "free rotation", "the temperature");
    const double before = heated.system->p[0][0];
    const double kick = -0.3 * rotors.tether * (heated.system->r[0][0] - memory.anchor[0][0]);
    assert_true(ph_mover_save(heated.mover).has_pending_flow && !ph_mover_is_between(heated.mover));
    assert_ok(ph_mover_complete(heated.mover, NULL, &err)); /* as the end of a stage does */
    assert_ok(ph_state_bring(ph_mover_state(heated.mover), PH_STATE_MOMENTA, &err));
    assert_close(heated.system->p[0][0], before + kick, 1e-12, 10.0);
    assert_false(ph_mover_save(heated.mover).has_pending_flow);
    destroy(&heated);
    const struct ph_mover_options options = {
        .dynamics = {.scheme = ph_scheme_find("sbab2"), .flow = ph_flow_find("exact"), .step = 0.6}, .bath = bath};
    heated = make_rotors(&rotors);
    assert_error(ph_mover_create(heated.system, heated.field, &options, &heated.mover, &err), PH_ERR_INPUT, "middle");
    destroy(&heated);
}

/* Long steps of verlet, alone and by threes: far off without Metropolis' rule, exact with it. */
TEST(metropolis_has_no_bias_at_any_step)
{
    static const double steps[] = {0.2, 0.42};
    struct rotors rotors = {.inertia = {0.6, 0.9, 1.2}, .field = 8.0, .tether = 8.0};
    const double want = 1.5 - rotors.field * langevin_function(rotors.field);
    double square = 0.0;
    int numbers = 0;
    for (size_t s = 0; s < sizeof steps / sizeof *steps; ++s)
        for (int bath = 0; bath < 2; ++bath) {
            char what[64];
            snprintf(what, sizeof what, "%s, step %g", all[bath], steps[s]);
            rotors.n = bath == 0 ? 8 : 3; /* all are accepted or none */
            struct heated heated = make_rotors(&rotors);
            struct ph_bath_options options = bath_of(all[bath], 1.5, 0.0, heated.system);
            options.substeps = bath == 1 && s == 1 ? 3 : 1;
            set_moving(&heated, "verlet", steps[s], &options);
            go(&heated, 500);
            assert_close(ph_mover_time(heated.mover), 500.0 * steps[s] * options.substeps, 1e-14, 1.0);
            const struct ph_force_memory memory = ph_force_field_memory(heated.field);
            struct averages averages = {.n = 5, .per_block = bath == 0 ? 400 : 2000};
            while (averages.samples < BLOCKS * averages.per_block) {
                go(&heated, 1);
                double x[5] = {rotor_energy(&rotors, heated.system, memory.anchor)};
                temperatures(heated.system, x + 1);
                sample(&averages, x);
            }
            double error;
            const double got = mean(&averages, 0, &error);
            print_message("%s: <U> %.4f +- %.4f, should be %.4f; %.3f accepted\n", what, got, error, want,
                          ph_mover_acceptance(heated.mover));
            if (bath == 0) {
                assert_true(got - want > 10.0 * error);
            } else {
                assert_mean(&averages, 0, want, SURE, 0.02, what, "<U>");
                for (int group = 0; group < PH_BATH_GROUPS; ++group)
                    assert_mean(&averages, 1 + group, 1.0, SURE, 0.01, what, "a temperature");
                for (int k = 0; k < 5; ++k, ++numbers) {
                    const double deviation = mean(&averages, k, &error) - (k == 0 ? want : 1.0);
                    square += deviation * deviation / (error * error);
                }
                assert_true(ph_mover_acceptance(heated.mover) > 0.3 && ph_mover_acceptance(heated.mover) < 0.98);
            }
            destroy(&heated);
        }
    print_message("mean square of %d deviations in units of their errors: %.2f\n", numbers, square / numbers);
    assert_true(square > 0.05 * numbers && square < 4.5 * numbers); /* beyond: one of a hundred thousand */
}

/* ---- Metropolis' rule ---- */

static void reverse(struct ph_system *system)
{
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < system->n; ++i) {
            system->p[k][i] = -system->p[k][i];
            system->m[k][i] = -system->m[k][i];
        }
}

/* Determinant of the map of one free body's angular momentum over a step, by central differences */
static double volume_factor(const struct ph_flow *flow)
{
    struct ph_top top;
    assert_ok(ph_top_init((const double[3]){0.6, 0.9, 1.2}, &top, &err));
    double d[3][3];
    for (int j = 0; j < 3; ++j) {
        double end[2][3];
        for (int side = 0; side < 2; ++side) {
            double m[3] = {0.9, 0.7, -0.8}, q[4] = {1.0, 0.0, 0.0, 0.0};
            m[j] += side == 0 ? 1e-5 : -1e-5;
            ph_flow_advance(flow, &top, 1.0,
                            (struct ph_bodies){.n = 1, .m = {&m[0], &m[1], &m[2]}, .q = {&q[0], &q[1], &q[2], &q[3]}});
            memcpy(end[side], m, sizeof m);
        }
        for (int k = 0; k < 3; ++k)
            d[k][j] = (end[0][k] - end[1][k]) / 2e-5;
    }
    return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
           d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

/* Forwards, reversed, forwards again, reversed: nothing has happened. */
static void assert_reversible(const struct ph_mover_options *options, const char *what)
{
    struct heated heated = make_cluster(4);
    struct ph_system *system = heated.system;
    double *before[13];
    double *const now[13] = {system->r[0], system->r[1], system->r[2], system->p[0], system->p[1],
                             system->p[2], system->m[0], system->m[1], system->m[2], system->q[0],
                             system->q[1], system->q[2], system->q[3]};
    for (int k = 0; k < 13; ++k) {
        before[k] = malloc(system->n * sizeof(double));
        memcpy(before[k], now[k], system->n * sizeof(double));
    }
    assert_ok(ph_mover_create(system, heated.field, options, &heated.mover, &err));
    double moved = 0.0;
    for (int way = 0; way < 2; ++way) {
        go(&heated, 1);
        assert_ok(ph_mover_synchronise(heated.mover, NULL, &err));
        if (way == 0)
            moved = fabs(system->q[1][0] - before[10][0]);
        reverse(system);
        ph_mover_momenta_changed(heated.mover);
    }
    assert_true(moved > 1e-3);
    for (int k = 0; k < 13; ++k) {
        for (size_t i = 0; i < system->n; ++i)
            if (!(fabs(now[k][i] - before[k][i]) < 1e-11))
                fail_msg("%s: not reversible, off by %.2g", what, now[k][i] - before[k][i]);
        free(before[k]);
    }
    destroy(&heated);
}

TEST(metropolis_takes_what_is_reversible_and_keeps_volumes)
{
    struct ph_mover_options options = {
        .dynamics = {.scheme = ph_scheme_find("verlet"), .flow = ph_flow_find("exact"), .step = 0.05}};
    size_t taken = 0, refused = 0;
    for (size_t k = 0; k < ph_flow_count(); ++k) {
        const struct ph_flow *flow = options.dynamics.flow = ph_flow_at(k);
        const double factor = volume_factor(flow);
        const bool objection = ph_metropolis_objection(flow, NULL) != NULL;
        if (objection ? fabs(factor - 1.0) < 1e-6 : !(fabs(factor - 1.0) < 1e-8))
            fail_msg("%s changes volumes by %.3g, and is %s", flow->name, factor - 1.0,
                     objection ? "refused" : "taken");
        if (!objection)
            assert_reversible(&options, flow->name);
        taken += !objection;
        refused += objection;
    }
    assert_true(taken > 20 && refused == 3); /* imr2, imr4, imr6 */
    options.dynamics.flow = ph_flow_find("exact");
    for (size_t k = 0; k < ph_scheme_count(); ++k) {
        options.dynamics.scheme = ph_scheme_at(k);
        assert_reversible(&options, ph_scheme_at(k)->name);
    }
    for (size_t k = 0; k < ph_integrator_count(); ++k) {
        options.integrator = ph_integrator_at(k);
        if (!ph_metropolis_objection(NULL, options.integrator))
            assert_reversible(&options, options.integrator->name);
    }
    assert_null(ph_metropolis_objection(NULL, ph_integrator_find("rattle")));
    assert_non_null(ph_metropolis_objection(NULL, ph_integrator_find("trap")));
}

/* The mover itself refuses, and names the method. */
TEST(metropolis_refuses_other_flows)
{
    struct heated heated = make_cluster(4);
    const struct ph_mover_options options = {
        .dynamics = {.scheme = ph_scheme_find("verlet"), .flow = ph_flow_find("imr2"), .step = 0.05},
        .bath = bath_of("metropolis", 1.0, 0.0, heated.system)};
    assert_error(ph_mover_create(heated.system, heated.field, &options, &heated.mover, &err), PH_ERR_INPUT, "imr2");
    destroy(&heated);
}

/* Steps that lead to overlaps and beyond all numbers are rejected; the system stays where it was. */
TEST(steps_that_fail_are_rejected)
{
    for (int k = 0; k < 3; ++k) {
        static const double steps[] = {0.3, 30.0, 1e200};
        struct heated heated = make_fluid(108, 2.2);
        const struct ph_bath_options bath = bath_of("metropolis", 1.0, 0.0, heated.system);
        struct ph_system *system = heated.system;
        const struct ph_energy before = evaluate(heated.field, system);
        const double place = system->r[1][17];
        set_moving(&heated, "yoshida4", steps[k], &bath);
        go(&heated, 20);
        assert_true(ph_mover_acceptance(heated.mover) == 0.0);
        assert_true(system->r[1][17] == place);
        assert_true(isfinite(ph_system_kinetic_translation(system)));
        const struct ph_energy after = energy_of(&heated);
        assert_close(ph_energy_total(&after), ph_energy_total(&before), 1e-12, ph_energy_total(&before));
        set_moving(&heated, "yoshida4", 1e-3, &bath); /* and goes on */
        go(&heated, 20);
        assert_true(ph_mover_acceptance(heated.mover) > 0.9);
        assert_true(system->r[1][17] != place);
        destroy(&heated);
    }
}

/* ---- What is left alone ---- */

TEST(momenta_without_a_bath_are_left_alone)
{
    static const double bodies[][3] = {{0.6, 0.9, 1.2}, {0.5, 0.5, 0.0}};
    for (int body = 0; body < 2; ++body)
        for (int bath = 0; bath < ALL; ++bath) {
            struct heated gas = make_gas(12, bodies[body]);
            struct ph_bath_options options = bath_of(all[bath], 1.0, 0.5, gas.system);
            options.translation = 0;
            const double translation = ph_system_kinetic_translation(gas.system);
            const double rotation = ph_system_kinetic_rotation(gas.system);
            set_moving(&gas, "verlet", 0.1, &options);
            go(&gas, 5);
            assert_true(ph_system_kinetic_translation(gas.system) == translation);
            if (bath != 3) /* chains begin at rest, where they were asked to be */
                assert_true(fabs(ph_system_kinetic_rotation(gas.system) - rotation) > 1e-3);
            for (size_t i = 0; i < gas.system->n && body == 1; ++i)
                assert_true(gas.system->m[2][i] == 0.0);
            options.rotation = 0;
            options.translation = 36;
            const double now = ph_system_kinetic_rotation(gas.system);
            set_moving(&gas, "verlet", 0.1, &options);
            go(&gas, 5);
            assert_close(ph_system_kinetic_rotation(gas.system), now, 1e-14, now);
            destroy(&gas);
        }
}

/* ---- Conserved quantities ---- */

/* Free flight and free rotation are exact: all that could spoil the conserved energy is the chains' own error. */
TEST(chains_are_exact)
{
    for (int length = 1; length <= PH_BATH_CHAIN_MAX; ++length) {
        struct heated gas = make_gas(50, (const double[3]){0.6, 0.9, 1.2});
        for (int k = 0; k < 3; ++k)
            for (size_t i = 0; i < gas.system->n; ++i)
                gas.system->p[k][i] *= 1.5; /* off the mean: the chains swing */
        struct ph_bath_options bath = bath_of("nose-hoover", 0.0, 0.5, gas.system);
        bath.chain = length;
        set_moving(&gas, "verlet", 0.1, &bath);
        const double energy = total_of(&gas), begin = ph_mover_conserved(gas.mover, energy);
        double most = 0.0, least = INFINITY;
        for (int step = 0; step < 500; ++step) {
            go(&gas, 1);
            const double total = total_of(&gas);
            assert_close(ph_mover_conserved(gas.mover, total), begin, 2e-9, begin);
            most = fmax(most, total);
            least = fmin(least, total);
        }
        assert_true(most > 1.2 * least);
        destroy(&gas);
    }
}

static void copy(size_t n, int components, double *const from[], double *const to[])
{
    for (int k = 0; k < components; ++k)
        memcpy(to[k], from[k], n * sizeof(double));
}

static void copy_state(const struct ph_system *from, struct ph_system *to)
{
    copy(from->n, 3, from->r, to->r);
    copy(from->n, 3, from->p, to->p);
    copy(from->n, 3, from->m, to->m);
    copy(from->n, 4, from->q, to->q);
    for (int k = 0; k < 3; ++k)
        memcpy(to->image[k], from->image[k], from->n * sizeof(int32_t));
}

/* Root mean square of a quantity about its mean over a run of a Stockmayer fluid that begins like `warm`, what is
 * conserved and, in *total, the energy; `bath` NULL: none. Little friction is enough for much heat, and leaves
 * trajectories alike whose steps differ. */
static double unrest(const struct heated *warm, const char *bath, const char *scheme, double step, double *total)
{
    struct heated fluid = make_fluid(108, 2.5);
    copy_state(warm->system, fluid.system);
    const struct ph_bath_options none = {.kind = NULL};
    const struct ph_bath_options options = bath ? bath_of(bath, 0.001, 0.3, fluid.system) : none;
    set_moving(&fluid, scheme, step, &options);
    enum { SAMPLES = 80 };
    const double begin = total_of(&fluid);
    double sum[2] = {0.0}, squares[2] = {0.0};
    for (int k = 0; k < SAMPLES; ++k) {
        go(&fluid, lround(0.02 / step));
        const double energy = total_of(&fluid),
                     x[2] = {ph_mover_conserved(fluid.mover, energy) - begin, energy - begin};
        for (int j = 0; j < 2; ++j) {
            sum[j] += x[j] / SAMPLES;
            squares[j] += x[j] * x[j] / SAMPLES;
        }
    }
    destroy(&fluid);
    *total = sqrt(squares[1] - sum[1] * sum[1]);
    return sqrt(squares[0] - sum[0] * sum[0]);
}

/* As steady as the energy is without a bath, and of the order of the scheme */
TEST(what_is_conserved_is_as_steady_as_energy_without_a_bath)
{
    static const struct {
        const char *scheme;
        int order;
        double step;
    } cases[] = {{"verlet", 2, 0.0025}, {"mclachlan4-sb3a4", 4, 0.01}};
    static const char *const baths[] = {"velocity-rescaling", "nose-hoover", "langevin"};
    struct heated warm = make_fluid(108, 2.5);
    const struct ph_bath_options strong = bath_of("langevin", 5.0, 0.0, warm.system);
    set_moving(&warm, "verlet", 0.002, &strong); /* off the lattice */
    go(&warm, 500);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        double total;
        const double free = unrest(&warm, NULL, cases[c].scheme, cases[c].step, &total);
        for (size_t b = 0; b < sizeof baths / sizeof *baths; ++b) {
            const double coarse = unrest(&warm, baths[b], cases[c].scheme, cases[c].step, &total);
            const double energy = total;
            const double fine = unrest(&warm, baths[b], cases[c].scheme, 0.5 * cases[c].step, &total);
            const double slope = log2(coarse / fine);
            print_message("%s, %s: %.2e (energy %.2e; without bath %.2e), slope %.2f\n", cases[c].scheme, baths[b],
                          coarse, energy, free, slope);
            assert_true(coarse < 2.0 * free && coarse > 0.3 * free);
            assert_true(energy > 30.0 * coarse);
            assert_true(fabs(slope - cases[c].order) < 0.7);
        }
    }
    destroy(&warm);
}

/* ---- Bits ---- */

static uint64_t hash_state(const struct heated *heated)
{
    const struct ph_system *system = heated->system;
    double *const arrays[] = {system->r[0], system->r[1], system->r[2], system->p[0], system->p[1],
                              system->p[2], system->m[0], system->m[1], system->m[2], system->q[0],
                              system->q[1], system->q[2], system->q[3]};
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    const struct ph_mover_memory memory = ph_mover_save(heated->mover);
    for (size_t k = 0; k <= sizeof arrays / sizeof *arrays; ++k) {
        const bool last = k == sizeof arrays / sizeof *arrays;
        const unsigned char *byte = (const unsigned char *)(last ? memory.numbers : arrays[k]);
        for (size_t i = 0; i < (last ? PH_MOVER_NUMBERS : system->n) * sizeof(double); ++i)
            hash = (hash ^ byte[i]) * 1099511628211u;
    }
    return hash;
}

TEST(bits_do_not_depend_on_threads)
{
    const int threads = omp_get_max_threads();
    for (int bath = 0; bath < ALL; ++bath) {
        uint64_t hash[3];
        for (int n = 0; n < 3; ++n) {
            omp_set_num_threads(n + 1);
            struct heated fluid = make_fluid(1003, 2.5); /* 125 blocks and three molecules */
            const struct ph_bath_options options = bath_of(all[bath], 1.0, 0.3, fluid.system);
            set_moving(&fluid, "verlet", 0.004, &options);
            go(&fluid, 8);
            hash[n] = hash_state(&fluid);
            destroy(&fluid);
        }
        assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    }
    omp_set_num_threads(threads);
}

/* All that a checkpoint has */
static void copy_run(const struct heated *from, struct heated *to)
{
    copy_state(from->system, to->system);
    const struct ph_force_memory lists = ph_force_field_memory(from->field);
    assert_ok(ph_force_field_restore(to->field, to->system, &lists, &err));
    const struct ph_mover_memory kept = ph_mover_save(from->mover), place = ph_mover_save(to->mover);
    memcpy(place.numbers, kept.numbers, PH_MOVER_NUMBERS * sizeof(double));
    if (kept.residuals)
        copy(from->system->n, PH_STATE_RESIDUAL_COLUMNS, kept.residuals, place.residuals);
    ph_mover_restore(to->mover, kept.step, kept.has_pending_flow);
}

TEST(runs_that_are_restored_have_the_same_bits)
{
    static const char *const schemes[] = {"verlet", "verlet-position", "omelyan4-3f1gv"};
    for (int bath = 0; bath < ALL; ++bath)
        for (size_t s = 0; s < 2 * sizeof schemes / sizeof *schemes; ++s) {
            if (bath >= AT_ENDS && !ph_scheme_drift_in_the_middle(ph_scheme_find(schemes[s / 2])))
                continue;
            struct heated whole = make_fluid(108, 2.5), resumed = {.mover = NULL};
            struct ph_mover_options options = {.dynamics = {.scheme = ph_scheme_find(schemes[s / 2]),
                                                            .flow = ph_flow_find("exact"),
                                                            .step = s / 2 == 2 ? 0.03 : 0.016,
                                                            .compensated = s % 2 == 1},
                                               .bath = bath_of(all[bath], 1.0, 0.3, whole.system)};
            options.bath.substeps = s / 2 == 1 ? 2 : 1; /* of metropolis */
            assert_ok(ph_mover_create(whole.system, whole.field, &options, &whole.mover, &err));
            for (int at = 0; at < 15; ++at) {
                go(&whole, 3);
                if (at % 5 == 4) { /* all is new, as when a program starts */
                    destroy(&resumed);
                    resumed = make_fluid(108, 2.5);
                    assert_ok(ph_mover_create(resumed.system, resumed.field, &options, &resumed.mover, &err));
                    copy_run(&whole, &resumed);
                } else if (at > 4) {
                    go(&resumed, 3);
                }
                if (at >= 4 && hash_state(&whole) != hash_state(&resumed))
                    fail_msg("%s, %s: other bits at step %ld", all[bath], schemes[s / 2], 3L * at);
            }
            const double accepted = ph_mover_acceptance(whole.mover);
            if (strcmp(all[bath], "metropolis") == 0 && !(accepted > 0.05 && accepted < 0.95))
                fail_msg("%s: %g accepted: nothing was rejected, or everything", schemes[s / 2], accepted);
            destroy(&whole);
            destroy(&resumed);
        }
}
