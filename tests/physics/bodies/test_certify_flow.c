/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "base/rotation.h"
#include "lab/certify/flow.h"
#include "lab/certify/flow_structure.h"
#include "lab/problems/flow_states.h"

#include <string.h>

/* G. Vilmart, Rigid body dynamics (2013), Table 2: order, then conserved Q m, C, H, then Poisson, symplectic. All are
 * symmetric. The first rows are the table's; the others follow from its text (higher orders, other splittings). */
static const struct row {
    const char *name;
    int order; /* 0: exact */
    enum ph_property_verdict space_momentum, norm, energy, poisson, symplectic;
} table[] = {
#define YES PH_VERDICT_YES
#define NO PH_VERDICT_NO
    {"exact", 0, YES, YES, YES, YES, YES}, {"sr2", 2, YES, YES, NO, YES, YES},
    {"dmv2", 2, YES, YES, YES, YES, YES},  {"imr2", 2, YES, YES, YES, NO, NO},
    {"dmv4", 4, YES, YES, YES, YES, NO},   {"dmv6", 6, YES, YES, YES, YES, NO},
    {"dmv8", 8, YES, YES, YES, YES, NO},   {"dmv10", 10, YES, YES, YES, YES, NO},
    {"sr4", 4, YES, YES, NO, YES, YES},    {"sr6", 6, YES, YES, NO, YES, YES},
    {"imr4", 4, YES, YES, YES, NO, NO},    {"imr6", 6, YES, YES, YES, NO, NO},
    {"jem2", 2, NO, YES, YES, YES, NO},    {"jem4", 4, NO, YES, YES, YES, NO},
    {"mr2", 2, YES, YES, NO, YES, YES},    {"nosquish", 2, YES, YES, NO, YES, YES},
#undef YES
#undef NO
};

static const char *const required[] = {"exact", "sr2", "dmv2", "imr2", "dmv4", "dmv6", "dmv8", "dmv10"};

TEST(the_flows_of_the_table_exist)
{
    for (size_t i = 0; i < sizeof required / sizeof required[0]; ++i)
        if (!ph_flow_find(required[i]))
            fail_msg("there is no flow '%s'", required[i]);
}

static void expect(const char *flow, const char *property, enum ph_property_verdict want, const struct ph_property *got)
{
    static const char *const words[] = {"no", "yes", "unresolved"};
    if (got->verdict != want)
        fail_msg("%s, %s: %s expected, %s measured (deviation %.2e at |omega| h = %.2g, rounding %.2e)", flow, property,
                 words[want], words[got->verdict], got->deviation, got->step, got->rounding);
}

static void check_against_table(const struct ph_card *card)
{
    const char *name = card->name;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        const struct row *row = &table[i];
        if (strcmp(row->name, name) != 0)
            continue;
        assert_int_equal(card->order, row->order);
        expect(name, "space momentum", row->space_momentum, ph_card_property(card, "space momentum"));
        expect(name, "norm", row->norm, ph_card_property(card, "norm"));
        expect(name, "energy", row->energy, ph_card_property(card, "energy"));
        expect(name, "Poisson", row->poisson, ph_card_property(card, "Poisson"));
        expect(name, "symplectic", row->symplectic, ph_card_property(card, "symplectic"));
        expect(name, "reversible", PH_VERDICT_YES, ph_card_property(card, "reversible"));
    }
}

/* Every property and every order is as claimed, none is left open, and the cards are those of the literature. */
TEST(every_flow_is_what_it_claims)
{
    for (size_t i = 0; i < ph_flow_count(); ++i) {
        struct ph_card card;
        assert_ok(ph_certify_flow(ph_flow_at(i), &card, &err));
        check_against_table(&card);
        for (size_t k = 0; k < PH_FLOW_PROPERTIES; ++k)
            expect(card.name, ph_flow_cards.property[k].name, card.claimed[k] ? PH_VERDICT_YES : PH_VERDICT_NO,
                   &card.property[k]);
        assert_int_equal(ph_card_order_state(&card, "m"), PH_CLAIM_CONFIRMED);
        assert_int_equal(ph_card_order_state(&card, "q"), PH_CLAIM_CONFIRMED);
        assert_int_equal(ph_card_count(&card, PH_CLAIM_CONFIRMED), PH_FLOW_PROPERTIES + 2);
        assert_true(ph_card_figure(&card, "ns_per_body_step")->value > 0.0);
        assert_true(ph_card_figure(&card, "cost_to_mr2")->value > 0.0);
    }
}

static const struct ph_flow_claims everything = {.conserves_space_momentum = true,
                                                 .conserves_norm = true,
                                                 .conserves_energy = true,
                                                 .poisson = true,
                                                 .symplectic = true,
                                                 .reversible = true};

/* The explicit midpoint rule for m, and a rotation by the midpoint's angular velocity: order 2, and nothing else */
static void explicit_midpoint(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    for (int l = 0; l < PH_LANES; ++l) {
        const double h = block->tau[l];
        const double y[3] = {block->y[0][l], block->y[1][l], block->y[2][l]};
        const double middle[3] = {y[0] + 0.5 * h * top->a1 * y[1] * y[2], y[1] + 0.5 * h * top->a2 * y[2] * y[0],
                                  y[2] + 0.5 * h * top->a3 * y[0] * y[1]};
        double w[3], square = 0.0;
        for (int k = 0; k < 3; ++k) {
            w[k] = middle[k] * top->inverse[k];
            square += w[k] * w[k];
        }
        block->y[0][l] = y[0] + h * top->a1 * middle[1] * middle[2];
        block->y[1][l] = y[1] + h * top->a2 * middle[2] * middle[0];
        block->y[2][l] = y[2] + h * top->a3 * middle[0] * middle[1];
        const double rate = sqrt(square);
        block->dq[0][l] = cos(0.5 * h * rate);
        for (int k = 0; k < 3; ++k)
            block->dq[1 + k][l] = rate > 0.0 ? w[k] * sin(0.5 * h * rate) / rate : 0.0;
    }
}

TEST(false_claims_are_found)
{
    const struct ph_flow flow = {
        .name = "explicit midpoint", .order = 2, .claims = everything, .step = explicit_midpoint};
    struct ph_card card;
    assert_ok(ph_certify_flow(&flow, &card, &err));
    assert_int_equal(ph_card_order_state(&card, "m"), PH_CLAIM_CONFIRMED);
    assert_int_equal(ph_card_count(&card, PH_CLAIM_CONTRADICTED), PH_FLOW_PROPERTIES);
}

/* Measures a flow with another step, whose data is the flow it was. */
static void measure_false(const char *honest, const char *name,
                          void (*step)(const struct ph_flow *, const struct ph_top *, struct ph_block *),
                          struct ph_property property[PH_FLOW_PROPERTIES])
{
    struct ph_flow flow = *ph_flow_find(honest);
    flow.name = name;
    flow.step = step;
    flow.data = ph_flow_find(honest);
    assert_ok(ph_measure_flow_structure(&flow, property, &err));
}

/* A flow whose momentum loses one part in 1e9 per step: what ph_flow_advance repairs must still be seen. */
static void leak(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    const struct ph_flow *honest = flow->data;
    honest->step(honest, top, block);
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < PH_LANES; ++l)
            block->y[k][l] *= 1.0 - 1e-9;
}

TEST(a_small_loss_of_momentum_is_found)
{
    struct ph_property property[PH_FLOW_PROPERTIES];
    measure_false("sr2", "leak", leak, property);
    expect("leak", "norm", PH_VERDICT_NO, &property[PH_FLOW_NORM]);
}

/* The map of m is the map of sr2, and Q m is kept. But the body also turns about its momentum by 4e-6 H h |m|. So the
 * flow is Poisson, but not symplectic, because no Hamiltonian has this extra angle. */
static void extra_turn(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    const struct ph_flow *honest = flow->data;
    struct ph_block before = *block;
    honest->step(honest, top, block);
    for (int l = 0; l < PH_LANES; ++l) {
        const double energy = before.y[0][l] * before.y[0][l] * top->inverse[0] +
                              before.y[1][l] * before.y[1][l] * top->inverse[1] +
                              before.y[2][l] * before.y[2][l] * top->inverse[2];
        const double half = 1e-6 * energy * before.tau[l];
        const double w = block->dq[0][l], x = block->dq[1][l], y = block->dq[2][l], z = block->dq[3][l];
        const double a = half * block->y[0][l], b = half * block->y[1][l], c = half * block->y[2][l];
        const double unit = 1.0 / sqrt(1.0 + a * a + b * b + c * c);
        block->dq[0][l] = unit * (w - x * a - y * b - z * c); /* dq (1, half m) */
        block->dq[1][l] = unit * (x + w * a + y * c - z * b);
        block->dq[2][l] = unit * (y + w * b + z * a - x * c);
        block->dq[3][l] = unit * (z + w * c + x * b - y * a);
    }
}

TEST(poisson_is_not_symplectic)
{
    struct ph_property property[PH_FLOW_PROPERTIES];
    measure_false("sr2", "extra turn", extra_turn, property);
    expect("extra turn", "space momentum", PH_VERDICT_YES, &property[PH_FLOW_SPACE_MOMENTUM]);
    expect("extra turn", "Poisson", PH_VERDICT_YES, &property[PH_FLOW_POISSON]);
    expect("extra turn", "symplectic", PH_VERDICT_NO, &property[PH_FLOW_SYMPLECTIC]);
}

/* ---- Bodies with equal moments ---- */

static const double special[][3] = {{2.0, 2.0, 0.0}, {2.0, 0.0, 2.0}, {0.0, 0.7, 0.7}, {1.3, 1.3, 1.3},
                                    {0.4, 1.1, 1.1}, {1.5, 0.9, 0.9}, {1.0, 1.0, 1.9}, {0.6, 0.1, 0.6}};

/* Q m of each state in space */
static void momenta_in_space(struct ph_bodies bodies, double (*space)[3])
{
    for (size_t i = 0; i < bodies.n; ++i) {
        double m[3], q[4];
        ph_states_take(bodies, i, m, q);
        ph_quat_rotate(q, m, space[i]);
    }
}

static void check_special_top(const struct ph_flow *flow, const double inertia[3])
{
    enum { N = PH_STATES_DRAWN, STEPS = 200 };
    struct ph_top top;
    struct ph_bodies start, now;
    assert_ok(ph_top_init(inertia, &top, &err));
    assert_ok(ph_states_create(N, &start, &err));
    assert_ok(ph_states_create(N, &now, &err));
    for (int i = 0; i < N; ++i) {
        double m[3], q[4];
        ph_states_draw(&top, i, m, q);
        ph_states_put(start, (size_t)i, m, q);
    }
    ph_bodies_set_norm(start);
    ph_states_copy(start, now);
    const double h = 0.5 * top.moment[0] * top.scale / ph_states_momentum;
    double before[N][3], after[N][3];
    momenta_in_space(start, before);
    for (int n = 0; n < STEPS; ++n)
        ph_flow_advance(flow, &top, h, now);
    momenta_in_space(now, after);
    double lost = 0.0, turned = 0.0, about_axis = 0.0, left = 0.0;
    for (size_t i = 0; i < N; ++i) {
        for (int k = 0; k < 3; ++k)
            lost = fmax(lost, fabs(after[i][k] - before[i][k]));
        for (int k = 0; k < 4; ++k)
            turned = fmax(turned, fabs(now.q[k][i] - start.q[k][i]));
        about_axis = fmax(about_axis, top.linear_axis >= 0 ? fabs(now.m[top.linear_axis][i]) : 0.0);
    }
    for (int n = 0; n < STEPS; ++n)
        ph_flow_advance(flow, &top, -h, now);
    for (size_t i = 0; i < N; ++i) {
        double minus = 0.0, plus = 0.0;
        for (int k = 0; k < 3; ++k)
            left = fmax(left, fabs(now.m[k][i] - start.m[k][i]));
        for (int k = 0; k < 4; ++k) {
            minus = fmax(minus, fabs(now.q[k][i] - start.q[k][i]));
            plus = fmax(plus, fabs(now.q[k][i] + start.q[k][i]));
        }
        left = fmax(left, fmin(minus, plus));
    }
    ph_states_destroy(&start);
    ph_states_destroy(&now);
    if (!(turned > 0.1 && about_axis == 0.0 && left < 1e-12 &&
          (lost < 1e-12 || !flow->claims.conserves_space_momentum)))
        fail_msg("%s, moments %g, %g, %g: Q m off by %.1e, %.1e from the start after going back, m along the axis %.1e",
                 flow->name, inertia[0], inertia[1], inertia[2], lost, left, about_axis);
}

TEST(linear_rotors_and_symmetric_tops_keep_their_momentum_in_space_and_find_back)
{
    for (size_t i = 0; i < ph_flow_count(); ++i)
        for (size_t k = 0; k < sizeof special / sizeof *special; ++k)
            check_special_top(ph_flow_at(i), special[k]);
}

/* mr2, but linear rotors are split as if they were spheres: rotations 1-2-3-2-1, which give them momentum about the
 * axis; ph_flow_advance takes it away before the next step, and with it Q m and the way back. */
static void forget_the_axis(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    const struct ph_flow *honest = flow->data;
    struct ph_top sphere = *top;
    if (top->kind == PH_TOP_LINEAR)
        sphere.kind = PH_TOP_SPHERICAL;
    honest->step(honest, &sphere, block);
}

TEST(a_flow_that_is_wrong_for_linear_rotors_only_is_found)
{
    struct ph_property property[PH_FLOW_PROPERTIES];
    measure_false("mr2", "forgetful", forget_the_axis, property);
    expect("forgetful", "space momentum", PH_VERDICT_NO, &property[PH_FLOW_SPACE_MOMENTUM]);
    expect("forgetful", "reversible", PH_VERDICT_NO, &property[PH_FLOW_REVERSIBLE]);
}
