/* SPDX-License-Identifier: MIT */
/* The part of `polhode certify` that shows methods on products of spheres. */
#include "cli/cmd_certify.h"

#include <math.h>

static const char *overall(const struct ph_s2_card *card)
{
    if (ph_s2_card_count(card, PH_CLAIM_CONTRADICTED) > 0)
        return ph_claim_words[PH_CLAIM_CONTRADICTED];
    return ph_claim_words[ph_s2_card_count(card, PH_CLAIM_OPEN) > 0 ? PH_CLAIM_OPEN : PH_CLAIM_CONFIRMED];
}

/* ---- one card ---- */

void ph_cli_s2_card(const struct ph_s2_card *card)
{
    printf("%s: %s\n", card->method->name, card->method->summary);
    printf("  %-32s %-9s %-9s %s\n", "property", "claimed", "measured", "how");
    for (size_t p = 0; p < PH_S2_PROBLEMS; ++p) {
        char label[48];
        snprintf(label, sizeof label, "order, %s", ph_s2_problem_at(p)->name);
        printf("  %-32s %-9d %.2f/%.2f in q and w at t = 1; error %.1e with the shorter of two steps%s%s\n", label,
               card->method->order, card->order_q[p], card->order_w[p], card->error_q[p],
               p + 1 < PH_S2_PROBLEMS ? "" : "   ",
               p + 1 < PH_S2_PROBLEMS ? "" : ph_claim_words[ph_s2_card_order_state(card)]);
    }
    for (int k = 0; k < PH_S2_PROPERTIES; ++k) {
        const enum ph_s2_property kind = (enum ph_s2_property)k;
        const struct ph_property *p = &card->property[k];
        printf("  %-32s %-9s %-9s deviation %.1e, rounding %.0e   %s\n", ph_s2_property_key(kind),
               ph_s2_claims(card->method, kind) ? "yes" : "no", ph_verdict_words[p->verdict], p->deviation, p->rounding,
               ph_claim_words[ph_s2_card_property_state(card, kind)]);
    }
    printf("  %-32s %-9s %-9s %.1e +- %.0e per unit of time, pendulum to t = 200 with h = 0.01   %s\n",
           "energy over long times", card->method->claims.symplectic ? "nearly" : "-",
           card->drifts == PH_VERDICT_YES ? "drifts" : "nearly", card->drift, card->drift_deviation,
           ph_claim_words[ph_s2_card_drift_state(card)]);
    printf("  %-32s %.1f evaluations of forces, %.1f iterations and %.1f us per step of 16 needles\n", "cost",
           card->evaluations, card->iterations, card->us_per_step);
    printf("  claims %s\n", overall(card));
}

/* ---- a table of several ---- */

static double worst_order(const struct ph_s2_card *card)
{
    double worst = card->order_q[0];
    for (int p = 0; p < PH_S2_PROBLEMS; ++p) {
        const double both[2] = {card->order_q[p], card->order_w[p]};
        for (int k = 0; k < 2; ++k)
            if (!(fabs(both[k] - card->method->order) <= fabs(worst - card->method->order)))
                worst = both[k];
    }
    return worst;
}

void ph_cli_s2_table(size_t n, const struct ph_s2_card *cards)
{
    printf("%-10s %6s  %-7s %-7s %-10s %-8s %-10s %-9s | %-8s %-10s | %6s %8s  %s\n", "", "", "", "", "", "", "", "",
           "coupled", "", "", "", "");
    printf("%-10s %6s  %-7s %-7s %-10s %-8s %-10s %-9s | %-8s %-10s | %6s %8s  %s\n", "on spheres", "order", "|q|=1",
           "q.w=0", "reversible", "momentum", "symplectic", "drift", "momentum", "symplectic", "forces", "us/step",
           "claims");
    for (size_t i = 0; i < n; ++i) {
        const struct ph_s2_card *c = &cards[i];
        const char *word[PH_S2_PROPERTIES];
        char drift[16] = "no";
        for (int k = 0; k < PH_S2_PROPERTIES; ++k)
            word[k] = ph_verdict_words[c->property[k].verdict];
        if (c->drifts == PH_VERDICT_YES)
            snprintf(drift, sizeof drift, "%.1e", c->drift);
        printf("%-10s %6.2f  %-7s %-7s %-10s %-8s %-10s %-9s | %-8s %-10s | %6.1f %8.2f  %s\n", c->method->name,
               worst_order(c), word[PH_S2_NORM], word[PH_S2_TANGENT], word[PH_S2_REVERSIBLE], word[PH_S2_MOMENTUM],
               word[PH_S2_SYMPLECTIC], drift, word[PH_S2_MOMENTUM_COUPLED], word[PH_S2_SYMPLECTIC_COUPLED],
               c->evaluations, c->us_per_step, overall(c));
    }
    puts("\non spheres: linear rotors whose centres are pinned, and coupled: a double pendulum; drift: of the energy "
         "of a "
         "pendulum, per unit of time, h = 0.01.");
}

/* ---- JSON ---- */

static void write_card(struct ph_json *json, const struct ph_s2_card *card)
{
    ph_json_string(json, "name", card->method->name);
    ph_json_string(json, "claims", overall(card));
    ph_json_begin_object(json, "order");
    ph_json_integer(json, "claimed", card->method->order);
    ph_json_string(json, "claim", ph_claim_words[ph_s2_card_order_state(card)]);
    ph_json_begin_array(json, "problems");
    for (size_t p = 0; p < PH_S2_PROBLEMS; ++p) {
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "problem", ph_s2_problem_at(p)->name);
        ph_json_number(json, "q", card->order_q[p]);
        ph_json_number(json, "w", card->order_w[p]);
        ph_json_number(json, "error_q", card->error_q[p]);
        ph_json_end(json);
    }
    ph_json_end(json);
    ph_json_end(json);
    ph_json_begin_array(json, "properties");
    for (int k = 0; k < PH_S2_PROPERTIES; ++k) {
        const enum ph_s2_property kind = (enum ph_s2_property)k;
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "property", ph_s2_property_key(kind));
        ph_json_bool(json, "claimed", ph_s2_claims(card->method, kind));
        ph_json_string(json, "measured", ph_verdict_words[card->property[k].verdict]);
        ph_json_string(json, "claim", ph_claim_words[ph_s2_card_property_state(card, kind)]);
        ph_json_number(json, "deviation", card->property[k].deviation);
        ph_json_number(json, "rounding", card->property[k].rounding);
        ph_json_end(json);
    }
    ph_json_end(json);
    ph_json_number(json, "drift", card->drift);
    ph_json_number(json, "drift_standard_deviation", card->drift_deviation);
    ph_json_string(json, "drifts", ph_verdict_words[card->drifts]);
    ph_json_number(json, "evaluations_per_step", card->evaluations);
    ph_json_number(json, "microseconds_per_step", card->us_per_step);
}

void ph_cli_s2_json(struct ph_json *json, size_t n, const struct ph_s2_card *cards)
{
    ph_json_begin_array(json, "spheres");
    for (size_t i = 0; i < n; ++i) {
        ph_json_begin_object(json, NULL);
        write_card(json, &cards[i]);
        ph_json_end(json);
    }
    ph_json_end(json);
}
