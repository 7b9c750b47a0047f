/* SPDX-License-Identifier: MIT */
#include "lab/certify/flow.h"

#include "lab/bench/flows.h"
#include "lab/certify/flow_order.h"
#include "lab/certify/flow_structure.h"

#include <math.h>

const struct ph_certify_body ph_certify_bodies[PH_CERTIFY_BODIES] = {
    {.name = "flat", .inertia = {0.345, 0.653, 1.0}, .momentum = {1.8, 0.4, -0.9}},
    {.name = "asymmetric", .inertia = {0.6, 0.8, 1.0}, .momentum = {1.8, 0.4, -0.9}},
    {.name = "rod", .inertia = {0.1, 0.95, 1.0}, .momentum = {1.3, 0.1, 1.3}},
    [PH_CERTIFY_LINEAR] = {.name = "linear", .inertia = {1.0, 1.0, 0.0}, .momentum = {1.6, -0.7, 0.0}},
};

const double ph_certify_time = 2.0;

static const double order_tolerance = 0.2;
static const double timing_seconds = 0.05;

enum ph_status ph_certify_flow(const struct ph_flow *flow, struct ph_flow_card *card, struct ph_error *err)
{
    *card = (struct ph_flow_card){.flow = flow};
    for (int b = 0; b < PH_CERTIFY_BODIES; ++b) {
        const enum ph_status status = ph_measure_flow_order(flow, &ph_certify_bodies[b], &card->orders[b], err);
        if (status != PH_OK)
            return status;
    }
    enum ph_status status = ph_measure_flow_structure(flow, card, err);
    if (status != PH_OK)
        return status;

    const struct ph_flow *const pair[] = {flow, ph_flow_find("mr2")};
    const int threads[] = {1};
    struct ph_flow_timing timing[2];
    status = ph_time_flows(pair[1] ? 2 : 1, pair, 1, threads, timing_seconds, timing, err);
    if (status != PH_OK)
        return status;
    card->ns_per_step = timing[0].ns[0];
    card->cost_to_mr2 = pair[1] ? timing[0].ns[0] / timing[1].ns[0] : NAN;
    return PH_OK;
}

static enum ph_claim_state compare(bool claimed, enum ph_verdict verdict)
{
    if (verdict == PH_VERDICT_UNRESOLVED)
        return PH_CLAIM_OPEN;
    return claimed == (verdict == PH_VERDICT_YES) ? PH_CLAIM_CONFIRMED : PH_CLAIM_CONTRADICTED;
}

void ph_flow_card_lines(const struct ph_flow_card *card, struct ph_card_line lines[PH_CARD_PROPERTIES])
{
    const struct ph_flow_claims *claims = &card->flow->claims;
    const struct ph_card_line all[PH_CARD_PROPERTIES] = {
        {.name = "space momentum", .claimed = claims->conserves_space_momentum, .measured = &card->space_momentum},
        {.name = "norm", .claimed = claims->conserves_norm, .measured = &card->norm},
        {.name = "energy", .claimed = claims->conserves_energy, .measured = &card->energy},
        {.name = "Poisson", .claimed = claims->poisson, .measured = &card->poisson},
        {.name = "symplectic", .claimed = claims->symplectic, .measured = &card->symplectic},
        {.name = "reversible", .claimed = claims->reversible, .measured = &card->reversible},
    };
    for (int i = 0; i < PH_CARD_PROPERTIES; ++i) {
        lines[i] = all[i];
        lines[i].state = compare(all[i].claimed, all[i].measured->verdict);
    }
}

int ph_flow_claimed_order(const struct ph_flow *flow, bool momentum)
{
    return momentum && flow->exact_momentum ? 0 : flow->order;
}

double ph_flow_order_deviation(const struct ph_flow_card *card, bool momentum, int b, enum ph_order_source source)
{
    const int claimed = ph_flow_claimed_order(card->flow, momentum);
    const struct ph_order *order = momentum ? &card->orders[b].m[source] : &card->orders[b].q[source];
    const bool better_will_do = b == PH_CERTIFY_LINEAR;
    if (!order->resolved || (order->exact && (claimed == 0 || better_will_do)))
        return 0.0;
    if (order->exact || claimed == 0)
        return HUGE_VAL;
    return better_will_do ? fmax(0.0, claimed - order->order) : fabs(order->order - claimed);
}

enum ph_claim_state ph_flow_card_order_state(const struct ph_flow_card *card, bool momentum)
{
    enum ph_claim_state state = PH_CLAIM_OPEN;
    for (int b = 0; b < PH_CERTIFY_BODIES; ++b)
        for (int s = 0; s < PH_ORDER_SOURCES; ++s) {
            const struct ph_order *order = momentum ? &card->orders[b].m[s] : &card->orders[b].q[s];
            if (!(ph_flow_order_deviation(card, momentum, b, (enum ph_order_source)s) <= order_tolerance))
                return PH_CLAIM_CONTRADICTED;
            if (order->resolved && b != PH_CERTIFY_LINEAR)
                state = PH_CLAIM_CONFIRMED;
        }
    return state;
}

int ph_flow_card_count(const struct ph_flow_card *card, enum ph_claim_state state)
{
    struct ph_card_line lines[PH_CARD_PROPERTIES];
    ph_flow_card_lines(card, lines);
    int n = (ph_flow_card_order_state(card, true) == state) + (ph_flow_card_order_state(card, false) == state);
    for (int i = 0; i < PH_CARD_PROPERTIES; ++i)
        n += lines[i].state == state;
    return n;
}
