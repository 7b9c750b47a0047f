/* SPDX-License-Identifier: MIT */
/* The part of `polhode certify` that shows flows. */
#include "cli/cmd_certify.h"

#include <math.h>

/* ---- orders ---- */

static const struct ph_order *order_of(const struct ph_flow_card *card, bool momentum, int body, int source)
{
    return momentum ? &card->orders[body].m[source] : &card->orders[body].q[source];
}

/* Of the orders that are resolved, the one that is farthest from the claim */
static const char *worst_order(const struct ph_flow_card *card, bool momentum, char text[static 16])
{
    const struct ph_order *worst = order_of(card, momentum, 0, 0);
    double farthest = 0.0;
    for (int b = 0; b < PH_CERTIFY_BODIES; ++b)
        for (int s = 0; s < PH_ORDER_SOURCES; ++s) {
            const struct ph_order *order = order_of(card, momentum, b, s);
            const double deviation = ph_flow_order_deviation(card, momentum, b, (enum ph_order_source)s);
            if (order->resolved && (deviation > farthest || (!worst->resolved && b != PH_CERTIFY_LINEAR))) {
                worst = order;
                farthest = deviation;
            }
        }
    return ph_cli_order_text(worst, text);
}

static const char *overall(const struct ph_flow_card *card)
{
    if (ph_flow_card_count(card, PH_CLAIM_CONTRADICTED) > 0)
        return ph_claim_words[PH_CLAIM_CONTRADICTED];
    return ph_claim_words[ph_flow_card_count(card, PH_CLAIM_OPEN) > 0 ? PH_CLAIM_OPEN : PH_CLAIM_CONFIRMED];
}

/* ---- one card ---- */

static void print_order(const struct ph_flow_card *card, bool momentum)
{
    const int order = ph_flow_claimed_order(card->flow, momentum);
    char claim[16] = "exact";
    if (order > 0)
        snprintf(claim, sizeof claim, "%d", order);
    for (int b = 0; b < PH_CERTIFY_BODIES; ++b) {
        char text[16], text_time[16], label[32];
        const struct ph_order *step = order_of(card, momentum, b, PH_ORDER_ONE_STEP);
        const struct ph_order *time = order_of(card, momentum, b, PH_ORDER_FIXED_TIME);
        snprintf(label, sizeof label, "order in %s, %s", momentum ? "m" : "q", ph_certify_bodies[b].name);
        printf("  %-22s %-9s %-9s one step: error %.1e at |omega| h = %.2g; at t = %g: %s%s", label, claim,
               ph_cli_order_text(step, text), step->error, step->turn, ph_certify_time,
               ph_cli_order_text(time, text_time), b + 1 < PH_CERTIFY_BODIES ? "\n" : "");
    }
    printf("   %s\n", ph_claim_words[ph_flow_card_order_state(card, momentum)]);
}

void ph_cli_flow_card(const struct ph_flow_card *card)
{
    printf("%s: %s\n", card->flow->name, card->flow->summary);
    printf("  %-22s %-9s %-9s %s\n", "property", "claimed", "measured", "how");
    print_order(card, true);
    print_order(card, false);
    struct ph_card_line lines[PH_CARD_PROPERTIES];
    ph_flow_card_lines(card, lines);
    for (int i = 0; i < PH_CARD_PROPERTIES; ++i) {
        const struct ph_property *p = lines[i].measured;
        printf("  %-22s %-9s %-9s deviation %.1e at |omega| h = %.2g, rounding %.1e   %s\n", lines[i].name,
               lines[i].claimed ? "yes" : "no", ph_verdict_words[p->verdict], p->deviation, p->turn, p->rounding,
               ph_claim_words[lines[i].state]);
    }
    printf("  cost                   %.1f ns per body and step, one thread; %.2f times mr2\n", card->ns_per_step,
           card->cost_to_mr2);
    printf("  claims %s\n", overall(card));
}

/* ---- a table of several ---- */

void ph_cli_flow_table(size_t n, const struct ph_flow_card *cards)
{
    printf("%-20s %7s %7s  %-5s %-5s %-5s %-8s %-11s %-10s %8s %6s  %s\n", "flow", "order m", "order q", "Q m", "C",
           "H", "Poisson", "symplectic", "reversible", "ns/step", "/mr2", "claims");
    for (size_t i = 0; i < n; ++i) {
        const struct ph_flow_card *card = &cards[i];
        char m[16], q[16];
        printf("%-20s %7s %7s  ", card->flow->name, worst_order(card, true, m), worst_order(card, false, q));
        struct ph_card_line lines[PH_CARD_PROPERTIES];
        ph_flow_card_lines(card, lines);
        static const int width[PH_CARD_PROPERTIES] = {5, 5, 5, 8, 11, 10};
        for (int k = 0; k < PH_CARD_PROPERTIES; ++k) {
            char text[16];
            snprintf(text, sizeof text, "%s%s", ph_verdict_words[lines[k].measured->verdict],
                     lines[k].state == PH_CLAIM_CONTRADICTED ? "!" : "");
            printf("%-*s ", width[k], text);
        }
        printf("%8.1f %6.2f  %s\n", card->ns_per_step, card->cost_to_mr2, overall(card));
    }
    puts("\nQ m, C = |m|^2/2, H: conserved to rounding over 1024 steps. Poisson: the map of m; symplectic: the map of "
         "(m, Q).\n"
         "'?' not resolved above rounding, '!' differs from the claim. 'polhode certify NAME' shows the numbers.");
}

/* ---- JSON ---- */

static void write_order(struct ph_json *json, const char *key, const struct ph_order *order)
{
    ph_json_begin_object(json, key);
    ph_json_bool(json, "exact", order->exact);
    ph_json_number(json, "order", order->resolved ? order->order : NAN);
    ph_json_number(json, "error", order->error);
    ph_json_number(json, "turn", order->turn);
    ph_json_end(json);
}

static void write_orders(struct ph_json *json, const struct ph_flow_card *card, bool momentum)
{
    ph_json_begin_object(json, momentum ? "order_m" : "order_q");
    ph_json_integer(json, "claimed", ph_flow_claimed_order(card->flow, momentum)); /* 0: exact */
    ph_json_string(json, "claim", ph_claim_words[ph_flow_card_order_state(card, momentum)]);
    ph_json_begin_array(json, "bodies");
    for (int b = 0; b < PH_CERTIFY_BODIES; ++b) {
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "body", ph_certify_bodies[b].name);
        write_order(json, "one_step", order_of(card, momentum, b, PH_ORDER_ONE_STEP));
        write_order(json, "fixed_time", order_of(card, momentum, b, PH_ORDER_FIXED_TIME));
        ph_json_end(json);
    }
    ph_json_end(json);
    ph_json_end(json);
}

void ph_cli_flow_json(struct ph_json *json, size_t n, const struct ph_flow_card *cards)
{
    ph_json_begin_array(json, "flows");
    for (size_t i = 0; i < n; ++i) {
        const struct ph_flow_card *card = &cards[i];
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "name", card->flow->name);
        ph_json_string(json, "claims", overall(card));
        write_orders(json, card, true);
        write_orders(json, card, false);
        struct ph_card_line lines[PH_CARD_PROPERTIES];
        ph_flow_card_lines(card, lines);
        ph_json_begin_array(json, "properties");
        for (int k = 0; k < PH_CARD_PROPERTIES; ++k) {
            const struct ph_property *p = lines[k].measured;
            ph_json_begin_object(json, NULL);
            ph_json_string(json, "property", lines[k].name);
            ph_json_bool(json, "claimed", lines[k].claimed);
            ph_json_string(json, "measured", p->verdict == PH_VERDICT_UNRESOLVED ? NULL : ph_verdict_words[p->verdict]);
            ph_json_string(json, "claim", ph_claim_words[lines[k].state]);
            ph_json_number(json, "deviation", p->deviation);
            ph_json_number(json, "rounding", p->rounding);
            ph_json_number(json, "turn", p->turn);
            ph_json_end(json);
        }
        ph_json_end(json);
        ph_json_number(json, "ns_per_body_step", card->ns_per_step);
        ph_json_number(json, "cost_to_mr2", card->cost_to_mr2);
        ph_json_end(json);
    }
    ph_json_end(json);
}
