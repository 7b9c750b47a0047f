/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "lab/certify/flow_order.h"
#include "lab/problems/flow_reference.h"

/* The reference itself, against values computed with other means in multiple precision (I, m0, t, m, q) */
static const struct row {
    double inertia[3], m0[3], t;
    long double m[3], q[4];
} rows[] = {
    {{0.126477710160961, 0.9479644336926083, 1.0},
     {0.46171532400296655, -0.3284316466473199, -0.8239852019674659},
     1.0,
     {4.616324062703553467914350e-1L, 3.427833292583464775968545e-1L, 8.181656987821022196654724e-1L},
     {-2.344807977020820080345415e-1L, 8.688952162697181588992340e-1L, -4.035129264665220087874489e-1L,
      1.649762917119250899302449e-1L}},
    {{0.31352957659788316, 0.7715926246187585, 1.0},
     {0.5785783894783296, 0.24964901815919238, -0.7764807885329897},
     10.0,
     {4.995499214691845621349655e-1L, 8.321779229533038496125511e-1L, 2.406860621416549884995870e-1L},
     {4.343182369220464761741000e-1L, -7.962207503317196792360462e-1L, -3.891920296317362088388019e-1L,
      1.610271712763041309246040e-1L}},
    {{0.6, 0.8, 1.0},
     {1.8, 0.4, -0.9},
     10.0,
     {1.765962508518207939167326L, -6.954641970330867930558450e-1L, 7.795549814818723872275632e-1L},
     {-7.360613641607934164527700e-1L, -5.707869512403514144867748e-1L, -2.993885718307904040081499e-1L,
      -2.068390861046727129281637e-1L}},
    {{0.345, 0.653, 1.0},
     {1.8, 0.4, -0.9},
     10.0,
     {1.805748694153317269057892L, -2.931590700520161765706626e-1L, 9.291552148106508565993226e-1L},
     {-5.909531300598798089180342e-1L, 7.497771466036227332041280e-1L, -2.775673505986918366263867e-1L,
      -1.075406638671311570341444e-1L}},
};

TEST(reference_agrees_with_multiple_precision)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const struct row *row = &rows[i];
        struct ph_reference_body body = {.m = {row->m0[0], row->m0[1], row->m0[2]}, .q = {1.0L}};
        ph_reference_advance(row->inertia, (long double)row->t, &body);
        const double size = (double)sqrtl(row->m[0] * row->m[0] + row->m[1] * row->m[1] + row->m[2] * row->m[2]);
        const double sign = body.q[0] * row->q[0] < 0.0L ? -1.0 : 1.0;
        for (int k = 0; k < 3; ++k)
            assert_close((double)(body.m[k] - row->m[k]), 0.0, 1e-17 * (1.0 + row->t), size);
        for (int k = 0; k < 4; ++k)
            assert_close((double)(sign * body.q[k] - row->q[k]), 0.0, 1e-17 * (1.0 + row->t), 1.0);
        ph_reference_advance(row->inertia, -(long double)row->t, &body);
        for (int k = 0; k < 3; ++k)
            assert_close((double)(body.m[k] - row->m0[k]), 0.0, 1e-17 * (1.0 + row->t), size);
    }
}

/* Many times from one series are the same as one time after the other. */
TEST(reference_follows_a_list_of_times)
{
    enum { TIMES = 9 };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        for (int sign = -1; sign <= 1; sign += 2) {
            const struct ph_reference_body start = {.m = {rows[i].m0[0], rows[i].m0[1], rows[i].m0[2]}, .q = {1.0L}};
            struct ph_reference_body listed[TIMES];
            long double t[TIMES];
            for (int n = 0; n < TIMES; ++n)
                t[n] = sign * 0.02L * n * n; /* 0, and several within the reach of a series as well as beyond */
            ph_reference_follow(rows[i].inertia, &start, TIMES, t, listed);
            for (int n = 0; n < TIMES; ++n) {
                struct ph_reference_body alone = start;
                ph_reference_advance(rows[i].inertia, t[n], &alone);
                for (int k = 0; k < 3; ++k)
                    assert_close((double)(listed[n].m[k] - alone.m[k]), 0.0, 2e-17, 2.0);
                for (int k = 0; k < 4; ++k)
                    assert_close((double)(listed[n].q[k] - alone.q[k]), 0.0, 2e-17, 2.0);
            }
        }
}

static const char *const source_names[PH_ORDER_SOURCES] = {
    [PH_ORDER_ONE_STEP] = "in one step", [PH_ORDER_FIXED_TIME] = "at a fixed time"};

/* Wherever the order is told from rounding it is the claimed one, from both sides; m or q that is claimed to have no
 * step size error is at rounding throughout. Returns whether the order is resolved. */
static bool check(const struct ph_flow *flow, const char *quantity, int b, int source, int claimed,
                  const struct ph_order *measured)
{
    const char *body = ph_certify_bodies[b].name;
    const bool exact = claimed == 0;
    if (b == PH_CERTIFY_LINEAR && (measured->exact || (!exact && measured->order > claimed - 0.2)))
        return false; /* moves like a sphere, for which many flows are better than they claim */
    if (exact != measured->exact || (!exact && measured->resolved && !(fabs(measured->order - claimed) <= 0.2)))
        fail_msg("%s, %s %s, %s body: order %d claimed (0: exact), %.2f measured, error %.2e at |omega| h = %.2g",
                 flow->name, quantity, source_names[source], body, claimed, measured->order, measured->error,
                 measured->turn);
    return measured->resolved;
}

TEST(every_flow_has_its_stated_order)
{
    assert_true(ph_flow_count() > 0);
    for (size_t i = 0; i < ph_flow_count(); ++i) {
        const struct ph_flow *flow = ph_flow_at(i);
        int resolved_m = 0, resolved_q = 0; /* in one step */
        for (int b = 0; b < PH_CERTIFY_BODIES; ++b) {
            struct ph_flow_orders orders;
            assert_ok(ph_measure_flow_order(flow, &ph_certify_bodies[b], &orders, &err));
            for (int s = 0; s < PH_ORDER_SOURCES; ++s) {
                const bool m = check(flow, "m", b, s, flow->exact_momentum ? 0 : flow->order, &orders.m[s]);
                const bool q = check(flow, "q", b, s, flow->order, &orders.q[s]);
                resolved_m += s == PH_ORDER_ONE_STEP && m;
                resolved_q += s == PH_ORDER_ONE_STEP && q;
            }
        }
        if (resolved_m == 0 || resolved_q == 0)
            fail_msg("%s: order %d claimed, but resolved on %d (m) and %d (q) bodies", flow->name, flow->order,
                     resolved_m, resolved_q);
    }
}

/* sr2 whose step is too long by one part in a million: seen only because the reference is independent of the flow. */
static void slow_clock(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    for (int l = 0; l < PH_LANES; ++l)
        block->tau[l] *= 1.000001;
    const struct ph_flow *honest = flow->data;
    honest->step(honest, top, block);
}

TEST(a_consistent_but_wrong_flow_has_no_order)
{
    const struct ph_flow *honest = ph_flow_find("sr2");
    assert_non_null(honest);
    struct ph_flow wrong = *honest;
    wrong.name = "slow clock";
    wrong.step = slow_clock;
    wrong.data = honest;
    struct ph_flow_orders orders;
    assert_ok(ph_measure_flow_order(&wrong, &ph_certify_bodies[0], &orders, &err));
    for (int s = 0; s < PH_ORDER_SOURCES; ++s) {
        assert_false(orders.m[s].exact);
        assert_false(orders.q[s].exact);
        assert_true(!(fabs(orders.m[s].order - 2.0) < 0.2));
        assert_true(!(fabs(orders.q[s].order - 2.0) < 0.2));
    }
}

TEST(an_order_claimed_too_high_is_found)
{
    static const char *const names[] = {"dmv8", "exact-rotation-g8", "exact-kosenko-g8", "exact-vanzon-g8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const struct ph_flow *flow = ph_flow_find(names[i]);
        if (!flow)
            continue;
        int contradicted = 0; /* the claim would be 10 */
        for (int b = 0; b < PH_CERTIFY_BODIES; ++b) {
            struct ph_flow_orders orders;
            assert_ok(ph_measure_flow_order(flow, &ph_certify_bodies[b], &orders, &err));
            const struct ph_order *q = &orders.q[PH_ORDER_ONE_STEP];
            contradicted += q->resolved && !(fabs(q->order - 10.0) <= 0.2);
        }
        if (contradicted == 0)
            fail_msg("%s could claim order 10", flow->name);
    }
}
