/* SPDX-License-Identifier: MIT */
/* Two time scales: parts of the forces add up, nested schemes have the order of their parts, lead back, count what they
 * evaluate, and give the same bits whatever the threads, in pieces, and after a restart. */
#include "force/force_parts.h"
#include "physics/movers.h"

#include <omp.h>

static struct ph_interactions nested_pairs(double cutoff, double radius, double width)
{
    struct ph_interactions in = switched(cutoff, 0.5, 6);
    in.fast = (struct ph_fast_part){PH_FAST_NEAR, radius, width};
    return in;
}

static void evaluate_part(struct ph_force_field *field, enum ph_force_part part, struct ph_system *system)
{
    assert_ok(ph_force_field_evaluate(field, system, part, NULL, NULL, &err));
}

/* ---- Parts ---- */

static double size_of(const struct ph_system *system, const double *numbers)
{
    double sum = 0.0;
    for (size_t i = 0; i < 6 * system->n; ++i)
        sum += numbers[i] * numbers[i];
    return sqrt(sum / (double)system->n);
}

static double *take_forces(const struct ph_system *system)
{
    double *forces = malloc(6 * system->n * sizeof *forces);
    for (size_t k = 0; k < 6; ++k)
        memcpy(forces + k * system->n, k < 3 ? system->f[k] : system->t[k - 3], system->n * sizeof *forces);
    return forces;
}

/* fast + slow = all, and neither is all alone; recalling the fast part gives it again. */
static void expect_sum(struct ph_system *system, const struct ph_interactions *in, double least_share)
{
    struct ph_force_field *field = make_field(system, in);
    evaluate_part(field, PH_FORCES_FAST, system);
    double *fast = take_forces(system);
    evaluate_part(field, PH_FORCES_SLOW, system);
    double *slow = take_forces(system);
    ph_force_field_recall_fast(field, system);
    double *recalled = take_forces(system);
    assert_memory_equal(fast, recalled, 6 * system->n * sizeof *fast);
    evaluate(field, system);
    double *all = take_forces(system);
    const double size = size_of(system, all);
    assert_true(size_of(system, fast) > least_share * size && size_of(system, slow) > least_share * size);
    for (size_t i = 0; i < 6 * system->n; ++i)
        assert_close(fast[i] + slow[i], all[i], 3e-15, size * sqrt((double)system->n));
    free(fast);
    free(slow);
    free(recalled);
    free(all);
    put_away(field, system);
}

TEST(parts_add_up_to_all_forces)
{
    const size_t some[MOLECULES] = {8, 9, 8, 7, 6};
    struct ph_interactions in = nested_pairs(3.0, 1.8, 0.9);
    const struct ph_box box = make_box(tilted_edges, 6.5);
    in.external.electric_field[2] = 0.7;
    expect_sum(make_system(some, lennard_jones, &box, 1.1, 1), &in, 0.01);
    in.electrostatics = PH_ELECTROSTATICS_REACTION_FIELD;
    in.epsilon_rf = INFINITY;
    expect_sum(make_system(some, lennard_jones, &box, 1.1, 2), &in, 0.01);
    in.electrostatics = PH_ELECTROSTATICS_EWALD;
    in.ewald.tolerance = 1e-4;
    expect_sum(make_system((const size_t[MOLECULES]){0, 20, 0, 0, 0}, lennard_jones, &box, 1.1, 3), &in, 0.01);
    in.fast.kind = PH_FAST_BUT_WAVES;
    expect_sum(make_system((const size_t[MOLECULES]){0, 20, 0, 0, 0}, lennard_jones, &box, 1.1, 3), &in, 0.01);
    struct ph_interactions open = all_pairs;
    open.fast = (struct ph_fast_part){PH_FAST_NEAR, 1.8, 0.9};
    expect_sum(make_mixture(some, 4), &open, 0.01);
}

TEST(impossible_parts_are_refused)
{
    struct ph_system *system = make_fluid(108, 0.8, 1);
    static const struct {
        struct ph_fast_part fast;
        const char *words;
    } wrong[] = {{{PH_FAST_NEAR, 2.3, 0.5}, "dynamics.nested.radius is 2.3"},
                 {{PH_FAST_NEAR, 1.6, 1.7}, "dynamics.nested.width is 1.7"},
                 {{PH_FAST_BUT_WAVES, 0.0, 0.0}, "no reciprocal space"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        struct ph_interactions in = switched(2.3, 0.5, 6);
        struct ph_force_field *field;
        struct ph_error err = {.text = ""};
        in.fast = wrong[k].fast;
        assert_int_equal(ph_force_field_create(system, &in, &field, &err), PH_ERR_INPUT);
        if (!strstr(err.text, wrong[k].words))
            fail_msg("'%s' is not in: %s", wrong[k].words, err.text);
    }
    ph_system_destroy(system);
}

/* ---- Steps ---- */

static struct ph_mover_options nested_options(const char *outer, const char *inner, int substeps, double step)
{
    struct ph_mover_options options = plain_options(outer, step);
    options.dynamics.inner = ph_scheme_find(inner);
    options.dynamics.substeps = substeps;
    options.dynamics.compensated = true;
    return options;
}

static void run_nested(struct ph_system *system, struct ph_force_field *field, const struct ph_mover_options *options,
                       long n)
{
    struct ph_mover *mover = make_mover(system, field, options);
    move(mover, n);
    assert_ok(ph_mover_synchronise(mover, NULL, &err));
    ph_mover_destroy(mover);
}

/* Distance from the same run by steps so short that they are exact */
static double end_error(struct ph_system *system, struct ph_force_field *field, const double *start,
                        const double *exact, struct ph_mover_options options, double time, long n)
{
    options.dynamics.step = time / (double)n;
    put_state(start, system, field);
    run_nested(system, field, &options, n);
    double *end = take_state(system);
    const double error = state_distance(system->n, end, exact);
    free(end);
    return error;
}

/* The order is the smaller of the two. */
TEST(order_is_that_of_the_outer_and_the_inner_scheme)
{
    if (PH_SANITIZED)
        skip();
    static const struct {
        const char *outer, *inner;
        int substeps, order;
        long n;
    } cases[] = {{"verlet", "verlet", 2, 2, 64},
                 {"saba2", "bcss2-3", 1, 2, 64},
                 {"sbab2", "mclachlan2", 3, 2, 64},
                 {"omelyan4-5fv", "omelyan4-5fv", 1, 4, 24},
                 {"omelyan4-5fv", "verlet-position", 1, 2, 32},
                 {"verlet", "omelyan4-5fv", 1, 2, 64}};
    struct ph_system *system = make_fluid(108, 0.8, 4);
    const struct ph_interactions in = nested_pairs(2.4, 1.6, 0.8);
    struct ph_force_field *field = make_field(system, &in);
    double *start = take_state(system);
    const double time = 0.1;
    run(system, field, "srkn6-11b", "exact", time / 256, 256);
    double *exact = take_state(system);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const struct ph_mover_options options = nested_options(cases[k].outer, cases[k].inner, cases[k].substeps, 1.0);
        const double coarse = end_error(system, field, start, exact, options, time, cases[k].n);
        const double fine = end_error(system, field, start, exact, options, time, 2 * cases[k].n);
        const double slope = log2(coarse / fine);
        if (!(fabs(slope - cases[k].order) < 0.2))
            fail_msg("%s over %s: order %d stated, %.2f measured (errors %.2e, %.2e)", cases[k].outer, cases[k].inner,
                     cases[k].order, slope, coarse, fine);
    }
    free(start);
    free(exact);
    put_away(field, system);
}

TEST(steps_back_undo_nested_steps_forth)
{
    struct ph_system *system = make_fluid(108, 0.8, 5);
    const struct ph_interactions in = nested_pairs(2.4, 1.6, 0.8);
    struct ph_force_field *field = make_field(system, &in);
    double *start = take_state(system);
    static const char *const outers[] = {"saba2", "sbab2", "omelyan4-5fv"}, *const inners[] = {"bcss2-3",
                                                                                               "verlet-position"};
    for (int k = 0; k < 6; ++k) {
        struct ph_mover_options options = nested_options(outers[k / 2], inners[k % 2], 2, 0.01);
        put_state(start, system, field);
        run_nested(system, field, &options, 8);
        double *away = take_state(system);
        options.dynamics.step = -0.01;
        run_nested(system, field, &options, 8);
        double *back = take_state(system);
        assert_true(state_distance(system->n, start, away) > 1e-2);
        if (!(state_distance(system->n, start, back) < 1e-13))
            fail_msg("%s over %s: back to %.2e", outers[k / 2], inners[k % 2], state_distance(system->n, start, back));
        free(away);
        free(back);
    }
    free(start);
    put_away(field, system);
}

/* Fast forces of a place are evaluated once, also where a slow kick comes in between. */
TEST(a_nested_step_evaluates_what_its_schemes_say)
{
    static const struct {
        const char *outer, *inner;
        int substeps;
        size_t fast, slow; /* of a step */
        int first;         /* fast ones of the first step more: saba2 leaves its last inner step to the next step */
    } cases[] = {{"saba2", "bcss2-3", 1, 9, 2, -2},
                 {"sbab2", "bcss2-3", 2, 12, 2, 1},
                 {"verlet", "verlet", 4, 4, 1, 1},
                 {"verlet", "verlet-position", 2, 3, 1, 0}}; /* slow kicks need fast forces at their place, too */
    struct ph_system *system = make_fluid(108, 0.8, 6);
    const struct ph_interactions in = nested_pairs(2.4, 1.6, 0.8);
    struct ph_force_field *field = make_field(system, &in);
    evaluate(field, system); /* makes the list of all pairs: what was kept before that would be evaluated anew */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const struct ph_mover_options options =
            nested_options(cases[k].outer, cases[k].inner, cases[k].substeps, 5e-4); /* no list ages */
        struct ph_mover *mover = make_mover(system, field, &options);
        move(mover, 1);
        const struct ph_state_counts one = ph_mover_counts(mover);
        move(mover, 4);
        const struct ph_state_counts five = ph_mover_counts(mover);
        assert_int_equal(five.fast - one.fast, 4 * cases[k].fast);
        assert_int_equal(five.slow - one.slow, 4 * cases[k].slow);
        assert_int_equal((int)one.fast - (int)cases[k].fast, cases[k].first);
        assert_int_equal(five.evaluations, 0);
        ph_mover_destroy(mover);
    }
    const double share = ph_force_field_part_costs(field).fast; /* of pairs within 1.6 and 2.4, and skins */
    assert_true(share > 0.2 && share < 0.45);
    put_away(field, system);
}

/* ---- Bits ---- */

TEST(threads_and_pieces_do_not_change_a_bit_of_nested_runs)
{
    struct ph_system *system = make_fluid(864, 0.8, 7);
    const struct ph_interactions in = nested_pairs(2.6, 1.6, 0.8);
    struct ph_force_field *field = make_field(system, &in);
    double *start = take_state(system), *want = NULL;
    const struct ph_mover_options options = nested_options("saba2", "bcss2-3", 1, 0.02);
    const int before = omp_get_max_threads();
    for (int threads = 1; threads <= 3; ++threads) {
        omp_set_num_threads(threads);
        put_state(start, system, field);
        struct ph_mover *mover = make_mover(system, field, &options);
        if (threads == 1) {
            move(mover, 12);
        } else {
            move(mover, 5);
            move(mover, 7);
        }
        mover_energy(mover);
        ph_mover_destroy(mover);
        double *got = take_state(system);
        if (!want)
            want = got;
        else {
            assert_memory_equal(want, got, NUMBERS * system->n * sizeof *got);
            free(got);
        }
    }
    omp_set_num_threads(before);
    assert_true(ph_force_field_counts(field).lists_made > 3); /* on the way, too */
    free(want);
    free(start);
    put_away(field, system);
}
