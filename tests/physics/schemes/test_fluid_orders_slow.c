/* SPDX-License-Identifier: MIT */
/* Every kind of scheme has its order in a periodic polar fluid too, if the switch is as smooth as that asks for; with
 * less, a high order is lost. test_scheme_orders.c has the orders of all schemes. */
#include "physics/motion.h"

#include "lab/power_law.h"

static const double time_span = 0.1;

struct fluid {
    struct ph_system *system;
    struct ph_force_field *field;
    double *start, *end; /* the end as schemes of order 8 and 10 find it with short steps */
};

/* NULL if steps are so long that the motion breaks down */
static double *end_of(const struct fluid *fluid, const struct ph_scheme *scheme, long steps)
{
    put_state(fluid->start, fluid->system, fluid->field);
    struct ph_dynamics *dynamics =
        make_dynamics(fluid->system, fluid->field, scheme->name, "exact", time_span / (double)steps);
    struct ph_error err = {.text = ""};
    enum ph_status status = ph_dynamics_advance(dynamics, steps, &err);
    if (status == PH_OK)
        status = ph_dynamics_synchronise(dynamics, NULL, &err);
    ph_dynamics_destroy(dynamics);
    if (status != PH_OK && status != PH_ERR_NUMBERS)
        fail_msg("%s", err.text);
    return status == PH_OK ? take_state(fluid->system) : NULL;
}

/* `most`: how far the two references may be apart, which is what can be measured */
static struct fluid make_melt(bool reaction_field, int smoothness, double width, double most)
{
    struct ph_interactions in = switched(2.3, width, smoothness);
    in.electrostatics = reaction_field ? PH_ELECTROSTATICS_REACTION_FIELD : PH_ELECTROSTATICS_CUTOFF;
    in.epsilon_rf = INFINITY;
    struct fluid fluid = {.system = make_fluid(108, 0.8, 21)};
    fluid.field = make_field(fluid.system, &in);
    run(fluid.system, fluid.field, "verlet", "exact", 0.005, 100); /* off the lattice: pairs cross the switch */
    fluid.start = take_state(fluid.system);
    fluid.end = end_of(&fluid, ph_scheme_find("rkn8-19a"), 100);
    double *other = end_of(&fluid, ph_scheme_find("sofroniou10-35"), 60);
    assert_true(fluid.end && other);
    assert_close(state_distance(fluid.system->n, fluid.end, other), 0.0, most, 1.0);
    free(other);
    return fluid;
}

static void free_fluid(struct fluid *fluid)
{
    free(fluid->start);
    free(fluid->end);
    put_away(fluid->field, fluid->system);
}

/* From long steps to short ones, until the error is nearly rounding */
static struct ph_order order_in(const struct fluid *fluid, const struct ph_scheme *scheme)
{
    static const double rounding = 2e-14;
    struct ph_errors errors = {.n = 0};
    const int evaluations = ph_scheme_evaluations(scheme);
    double passes = 20.0;
    long last = 0;
    while (errors.n < 16 && passes < 900.0) {
        const long steps = (long)ceil(passes / evaluations);
        passes *= 1.3;
        if (steps == last)
            continue;
        last = steps;
        double *end = end_of(fluid, scheme, steps);
        const double error = end ? state_distance(fluid->system->n, end, fluid->end) : INFINITY;
        free(end);
        if (!(error < 1e-2))
            continue;
        const int i = errors.n++;
        errors.step[i] = time_span / (double)steps;
        errors.error[i] = error;
        errors.rounding[i] = rounding;
        errors.most_rounding[i] = 10.0 * rounding;
        if (error < 100.0 * rounding)
            break;
    }
    return ph_order_of_errors(&errors, 0.0, 1.0);
}

/* Schemes that reach rounding before their steps are so short that the error follows a power law: it falls faster. */
static bool is_steep(const struct ph_scheme *scheme)
{
    static const char *const steep[] = {"polhode6-13a", "yoshida8", "rkn8-19a", "composed8-omelyan4-3f1gp"};
    for (size_t k = 0; k < sizeof steep / sizeof *steep; ++k)
        if (strcmp(scheme->name, steep[k]) == 0)
            return true;
    return scheme->order == 10 && strcmp(scheme->name, "composed10-chin4a") != 0;
}

/* Schemes of one kind and order that begin with the same flow differ by coefficients alone: the first stands for them,
 * beside the one that runs have by default. */
static bool is_tried(size_t k)
{
    const struct ph_scheme *scheme = ph_scheme_at(k);
    for (size_t j = 0; j < k; ++j) {
        const struct ph_scheme *other = ph_scheme_at(j);
        if (other->kind == scheme->kind && other->order == scheme->order &&
            strcmp(other->letters, scheme->letters) == 0)
            return strcmp(scheme->name, "polhode6-11b") == 0;
    }
    return true;
}

static void expect_orders(int smoothness, double width, int lowest, int highest)
{
    struct fluid fluid = make_melt(false, smoothness, width, 1e-12);
    int tried = 0;
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        const struct ph_scheme *scheme = ph_scheme_at(i);
        if (scheme->order < lowest || scheme->order > highest || !is_tried(i))
            continue;
        const struct ph_order got = order_in(&fluid, scheme);
        if (!(got.order > scheme->order - 0.2 && (got.order < scheme->order + 0.2 || is_steep(scheme))))
            fail_msg("%s: order %d expected, %.2f seen, error %.1e at step %.2g", scheme->name, scheme->order,
                     got.order, got.error, got.turn);
        ++tried;
    }
    assert_true(tried > 10);
    free_fluid(&fluid);
}

static void orders_up_to_six_with_six_derivatives(void **state) { expect_orders(6, 0.5, 2, 6); }

static void orders_beyond_with_all_derivatives(void **state) { expect_orders(PH_SMOOTH_ALL, 1.4, 8, 10); }

/* Without a reaction field, and with one, which vanishes by itself as smoothly as the radial terms are switched off */
static void two_derivatives_cost_the_order(bool reaction_field, size_t n, const char *const tried[])
{
    struct fluid rough = make_melt(reaction_field, 2, 0.5, 2e-9), smooth = make_melt(reaction_field, 6, 0.5, 1e-12);
    for (size_t i = 0; i < n; ++i) {
        const struct ph_scheme *scheme = ph_scheme_find(tried[i]);
        const struct ph_order got = order_in(&rough, scheme), best = order_in(&smooth, scheme);
        if (!(got.order > 2.4 && got.order < 3.6 && got.error > 50.0 * best.error))
            fail_msg("%s: order %.2f with two derivatives, error %.1e against %.1e with six", scheme->name, got.order,
                     got.error, best.error);
        if (!(fabs(best.order - 6.0) < 0.2))
            fail_msg("%s: order %.2f with six derivatives", scheme->name, best.order);
    }
    free_fluid(&rough);
    free_fluid(&smooth);
}

static void two_derivatives_of_a_switch_cost_the_order(void **state)
{
    static const char *const tried[] = {"s6-10", "rkn6-7a", "srkn6-14a", "omelyan6-5f3gp"};
    two_derivatives_cost_the_order(false, sizeof tried / sizeof *tried, tried);
}

static void two_derivatives_of_a_reaction_field_cost_the_order(void **state)
{
    static const char *const tried[] = {"s6-10", "srkn6-14a"};
    two_derivatives_cost_the_order(true, sizeof tried / sizeof *tried, tried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_up_to_six_with_six_derivatives),
        cmocka_unit_test(orders_beyond_with_all_derivatives),
        cmocka_unit_test(two_derivatives_of_a_switch_cost_the_order),
        cmocka_unit_test(two_derivatives_of_a_reaction_field_cost_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
