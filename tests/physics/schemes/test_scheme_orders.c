/* SPDX-License-Identifier: MIT */
/* Every scheme has its order, on rigid bodies that push and turn each other, against solutions that share no code with
 * the engine. */
#include "physics/trials.h"

#include "lab/certify/scheme_reference.h"

/* ---- The reference ---- */

/* A power series in many short pieces meets end states computed with other means in multiple precision. */
static double distance_from_table(const struct ph_trial_problem *problem, int pieces)
{
    struct ph_trial_body bodies[PH_TRIAL_MOST];
    memcpy(bodies, problem->start, sizeof bodies);
    for (int i = 0; i < pieces; ++i) {
        struct ph_taylor *series;
        assert_ok(ph_taylor_create(problem, bodies, &series, &err));
        assert_true(ph_taylor_tail(series, problem->time / pieces) < 1e-18);
        ph_taylor_at(series, problem->time / pieces, bodies);
        ph_taylor_destroy(series);
    }
    return ph_trial_distance(problem->n, bodies, problem->end);
}

TEST(the_reference_agrees_with_multiple_precision)
{
    static const struct {
        const char *name;
        double time;
        int pieces;
        double most; /* states are rounded between pieces, and trajectories part */
    } clusters[] = {{"p2a", 0.25, 2, 1e-15}, {"p2a", 1.0, 32, 5e-15},  {"p3a", 0.25, 2, 1e-15},
                    {"p3a", 1.0, 8, 4e-15},  {"p5a", 0.25, 16, 5e-15}, {"p5b", 0.25, 2, 2e-15}};
    for (size_t i = 0; i < sizeof clusters / sizeof *clusters; ++i) {
        const struct ph_trial_problem problem = read_cluster(clusters[i].name, clusters[i].time);
        const double distance = distance_from_table(&problem, clusters[i].pieces);
        if (!(distance < clusters[i].most))
            fail_msg("%s at %g: off by %.2e", clusters[i].name, clusters[i].time, distance);
    }
    struct rigid_row rows[32];
    const size_t n = read_rigid_rows(32, rows);
    int tops = 0;
    for (size_t i = 0; i < n; ++i) {
        struct ph_trial_problem problem;
        if (!heavy_top(&rows[i], &problem))
            continue;
        const double distance = distance_from_table(&problem, (int)(8.0 * rows[i].time));
        if (!(distance < 5e-17 * amplification(&rows[i]) * (1.0 + rows[i].time)))
            fail_msg("%s, %s at %g: off by %.2e", rows[i].name, rows[i].parameters, rows[i].time, distance);
        ++tops;
    }
    assert_int_equal(tops, 14);
}

/* ---- Orders ---- */

static struct ph_single_steps steps; /* too large for the stack */

static void prepare(struct ph_trial_problem *problem, double longest, const double middle[PH_MIDDLES])
{
    problem->longest = longest;
    memcpy(problem->middle, middle, sizeof problem->middle);
    assert_ok(ph_single_steps_init(problem, &steps, &err));
}

static struct ph_order order_of(const struct ph_scheme *scheme, const char *flow)
{
    struct ph_order order;
    assert_non_null(scheme);
    assert_non_null(ph_flow_find(flow));
    assert_ok(ph_order_of_one_step(scheme, NULL, ph_flow_find(flow), &steps, &order, &err));
    return order;
}

static void expect_order(const struct ph_scheme *scheme, const char *flow, double order)
{
    const struct ph_order got = order_of(scheme, flow);
    if (!(got.resolved && fabs(got.order - order) <= 0.2))
        fail_msg("%s with %s on %s: order %g expected, %.3f measured%s, error %.2e at step %.3g", scheme->name, flow,
                 steps.problem->name, order, got.order, got.resolved ? "" : " (not resolved)", got.error, got.turn);
}

static void expect_all_orders(void)
{
    assert_true(ph_scheme_count() > 70);
    for (size_t i = 0; i < ph_scheme_count(); ++i)
        expect_order(ph_scheme_at(i), "exact", ph_scheme_at(i)->order);
}

TEST(every_scheme_has_its_order_on_two_dipoles)
{
    struct ph_trial_problem problem = read_cluster("p2a", 1.0);
    prepare(&problem, 0.3, (const double[]){-0.05, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65});
    expect_all_orders();
}

TEST(every_scheme_has_its_order_on_five_dipoles)
{
    struct ph_trial_problem problem = read_cluster("p5b", 0.25);
    prepare(&problem, 0.3, (const double[]){-0.35, -0.25, -0.15, -0.05, 0.05, 0.15, 0.25, 0.35});
    expect_all_orders();
}

TEST(every_scheme_has_its_order_on_a_heavy_top)
{
    struct ph_trial_problem problem = ph_trial_top;
    prepare(&problem, problem.longest, problem.middle);
    expect_all_orders();
}

/* The lower of the two orders; a flow of order 0 is exact. Compositions of Verlet, below, can do more. */
TEST(scheme_and_flow_have_the_lower_order)
{
    static const struct {
        const char *scheme, *flow;
    } pairs[] = {
        {"verlet", "mr2"},
        {"verlet", "dmv10"},
        {"verlet-position", "sr2"},
        {"chin4a", "nosquish"},
        {"pefrl", "sr4"},
        {"chin4a", "dmv6"},
        {"omelyan4-5fv", "imr2"},
        {"srkn6-14a", "mr2"},
        {"srkn6-14a", "dmv6"},
        {"s6-10", "dmv8"},
        {"s6-10", "sr4"},
        {"srkn6-11b", "sr6"},
        {"omelyan6-5f3gp", "dmv4"},
        {"rkn8-17a", "dmv8"},
        {"rkn8-17a", "dmv6"},
        {"rkn8-17b", "exact-rotation-g8"},
        {"sofroniou10-35", "dmv10"},
        {"sofroniou10-35", "exact-kosenko"},

        {"sofroniou10-35", "mr2"},
    };
    struct ph_trial_problem problem = ph_trial_top;
    prepare(&problem, problem.longest, problem.middle);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        const struct ph_scheme *scheme = ph_scheme_find(pairs[i].scheme);
        const struct ph_flow *flow = ph_flow_find(pairs[i].flow);
        if (!scheme || !flow)
            fail_msg("no %s or no %s", pairs[i].scheme, pairs[i].flow);
        expect_order(scheme, flow->name, flow->order > 0 && flow->order < scheme->order ? flow->order : scheme->order);
    }
}

/* A step of Verlet with any symmetric flow is symmetric, and compositions of such steps have the order that their
 * coefficients give; if the kick is first, that is, for then each flow is whole. */
TEST(compositions_of_verlet_keep_their_order_with_any_flow)
{
    static const struct {
        const char *scheme, *flow;
        int order;
    } pairs[] = {{"yoshida4", "mr2", 4},
                 {"yoshida4-position", "mr2", 2},
                 {"suzuki4", "nosquish", 4},
                 {"kahan-li6-9", "mr2", 6},
                 {"mclachlan6-ss9", "imr2", 6},
                 {"kahan-li8-17", "sr2", 8},
                 {"kahan-li8-17-position", "sr2", 2}};
    struct ph_trial_problem problem = ph_trial_top;
    prepare(&problem, problem.longest, problem.middle);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
        expect_order(ph_scheme_find(pairs[i].scheme), pairs[i].flow, pairs[i].order);
}
