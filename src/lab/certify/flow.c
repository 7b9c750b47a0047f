/* SPDX-License-Identifier: MIT */
#include "lab/certify/flow.h"

#include "lab/bench/flows.h"
#include "lab/certify/flow_order.h"
#include "lab/certify/flow_structure.h"

#include <math.h>

static const double timing_seconds = 0.05;

enum { NS_PER_STEP, COST_TO_MR2, FIGURES };

static void add_orders(const struct ph_flow *flow, bool momentum, const struct ph_flow_orders orders[PH_CERTIFY_BODIES],
                       struct ph_card *card)
{
    for (int b = 0; b < PH_CERTIFY_BODIES; ++b)
        for (int s = 0; s < PH_ORDER_SOURCES; ++s)
            ph_card_add_order(
                card, (struct ph_card_order){.quantity = momentum ? "m" : "q",
                                             .where = ph_certify_bodies[b].name,
                                             .time = s == PH_ORDER_ONE_STEP ? 0.0 : ph_certify_time,
                                             .claimed = momentum && flow->exact_momentum ? 0 : flow->order,
                                             .weight = b == PH_CERTIFY_LINEAR ? PH_ORDER_AT_LEAST : PH_ORDER_ENOUGH,
                                             .measured = momentum ? orders[b].m[s] : orders[b].q[s]});
}

enum ph_status ph_certify_flow(const struct ph_flow *flow, struct ph_card *card, struct ph_error *err)
{
    struct ph_flow_orders orders[PH_CERTIFY_BODIES];
    ph_card_begin(card, &ph_flow_cards, flow->name, flow->summary, flow->order, &flow->claims);
    enum ph_status status = PH_OK;
    for (int b = 0; b < PH_CERTIFY_BODIES && status == PH_OK; ++b)
        status = ph_measure_flow_order(flow, &ph_certify_bodies[b], &orders[b], err);
    if (status == PH_OK)
        status = ph_measure_flow_structure(flow, card->property, err);
    if (status != PH_OK)
        return status;
    add_orders(flow, true, orders, card);
    add_orders(flow, false, orders, card);

    const struct ph_flow *const pair[] = {flow, ph_flow_find("mr2")};
    const int threads[] = {1};
    struct ph_flow_timing timing[2];
    status = ph_time_flows(pair[1] ? 2 : 1, pair, 1, threads, timing_seconds, timing, err);
    if (status != PH_OK)
        return status;
    card->figure[NS_PER_STEP].value = timing[0].ns[0];
    card->figure[COST_TO_MR2].value = pair[1] ? timing[0].ns[0] / timing[1].ns[0] : NAN;
    return PH_OK;
}

static const char *name_at(size_t i) { return ph_flow_at(i)->name; }

static enum ph_status measure(size_t i, struct ph_card *card, struct ph_error *err)
{
    return ph_certify_flow(ph_flow_at(i), card, err);
}

#define CLAIM(claim) #claim, offsetof(struct ph_flow_claims, claim), false, NULL

const struct ph_card_kind ph_flow_cards = {
    .name = "flow",
    .names = "flows",
    .key = "flows",
    .step = "|omega| h",
    .step_key = "turn",
    .note = "Q m, C = |m|^2/2, H: conserved to rounding over 1024 steps. Poisson: the map of m; symplectic: the map of "
            "(m, Q).",
    .n_quantities = 2,
    .quantity = {"m", "q"},
    .order = {{"order m", "m", NULL}, {"order q", "q", NULL}},
    .n_properties = PH_FLOW_PROPERTIES,
    .n_conserved = 3,
    .property =
        {
            [PH_FLOW_SPACE_MOMENTUM] = {"space momentum", "Q m", "angular momentum in space",
                                        CLAIM(conserves_space_momentum)},
            [PH_FLOW_NORM] = {"norm", "C", "|angular momentum|", CLAIM(conserves_norm)},
            [PH_FLOW_ENERGY] = {"energy", "H", "energy", CLAIM(conserves_energy)},
            [PH_FLOW_POISSON] = {"Poisson", "Poisson", "Poisson", CLAIM(poisson)},
            [PH_FLOW_SYMPLECTIC] = {"symplectic", "symplectic", "symplectic", CLAIM(symplectic)},
            [PH_FLOW_REVERSIBLE] = {"reversible", "reversible", "reversible", CLAIM(reversible)},
        },
    .n_figures = FIGURES,
    .figure = {[NS_PER_STEP] = {"ns_per_body_step", "cost", "ns per body and step, one thread", "%.1f", "ns/step"},
               [COST_TO_MR2] = {"cost_to_mr2", "", "times the cost of mr2", "%.2f", "/mr2"}},
    .count = ph_flow_count,
    .name_at = name_at,
    .measure = measure,
};
