/* SPDX-License-Identifier: MIT */
/* The part of `polhode certify` that shows one-step integrators. */
#include "cli/cmd_certify.h"

#include <math.h>

static const char *overall(const struct ph_integrator_card *card)
{
    if (ph_integrator_card_count(card, PH_CLAIM_CONTRADICTED) > 0)
        return ph_claim_words[PH_CLAIM_CONTRADICTED];
    return ph_claim_words[ph_integrator_card_count(card, PH_CLAIM_OPEN) > 0 ? PH_CLAIM_OPEN : PH_CLAIM_CONFIRMED];
}

/* What becomes of the energy in a potential: exact conservation there is none */
static const char *energy_word(const struct ph_integrator_card *card)
{
    switch (card->drifts) {
    case PH_VERDICT_YES: return "drifts";
    case PH_VERDICT_NO: return "nearly";
    default: return "?";
    }
}

/* ---- one card ---- */

void ph_cli_integrator_card(const struct ph_integrator_card *card)
{
    printf("%s: %s\n", card->integrator->name, card->integrator->summary);
    printf("  %-22s %-9s %-9s %s\n", "property", "claimed", "measured", "how");
    for (int p = 0; p < PH_INTEGRATOR_PROBLEMS; ++p) {
        char label[32];
        snprintf(label, sizeof label, "order, %s", ph_integrator_problems[p]);
        printf("  %-22s %-9d %.2f/%.2f in m and q; errors %.1e, %.1e at the shorter of two steps%s%s\n", label,
               card->integrator->order, card->order_m[p], card->order_q[p], card->error_m[p], card->error_q[p],
               p + 1 < PH_INTEGRATOR_PROBLEMS ? "" : "   ",
               p + 1 < PH_INTEGRATOR_PROBLEMS ? "" : ph_claim_words[ph_integrator_card_order_state(card)]);
    }
    for (int i = 0; i < PH_INTEGRATOR_PROPERTIES; ++i) {
        const enum ph_integrator_property kind = (enum ph_integrator_property)i;
        const struct ph_property *p = &card->property[i];
        printf("  %-22s %-9s %-9s deviation %.1e with h = %g, rounding %.0e   %s\n", ph_integrator_property_names[i],
               ph_integrator_claims(card->integrator, kind) ? "yes" : "no", ph_verdict_words[p->verdict], p->deviation,
               p->turn, p->rounding, ph_claim_words[ph_integrator_card_property_state(card, kind)]);
    }
    printf("  %-22s %-9s %-9s %.2e +- %.0e per unit of time with h = %g, %.2e +- %.0e with h = %g, over %g%s   %s\n",
           "energy over long times", card->integrator->claims.symplectic ? "nearly" : "-", energy_word(card),
           card->drift[0], card->drift_deviation[0], card->drift_step[0], card->drift[1], card->drift_deviation[1],
           card->drift_step[1], card->drift_time,
           card->drifts == PH_VERDICT_YES ? ": not conjugate to a symplectic method" : "",
           ph_claim_words[ph_integrator_card_drift_state(card)]);
    printf("  cost                   %.1f evaluation%s of forces and %.2f us per step of one body\n", card->evaluations,
           card->evaluations == 1.0 ? "" : "s", card->us_per_step);
    printf("  claims %s\n", overall(card));
}

/* ---- a table of several ---- */

static double worst_order(const struct ph_integrator_card *card, const double orders[PH_INTEGRATOR_PROBLEMS])
{
    double worst = orders[0];
    for (int p = 1; p < PH_INTEGRATOR_PROBLEMS; ++p)
        if (!(fabs(orders[p] - card->integrator->order) <= fabs(worst - card->integrator->order)))
            worst = orders[p];
    return worst;
}

void ph_cli_integrator_table(size_t n, const struct ph_integrator_card *cards)
{
    printf("%-10s %7s %7s  %-10s | %-10s %-6s %-8s | %-10s %-6s %-8s %-6s %9s | %6s %8s  %s\n", "", "", "", "", "free",
           "", "", "potential", "", "", "", "", "", "", "");
    printf("%-10s %7s %7s  %-10s | %-10s %-6s %-8s | %-10s %-6s %-8s %-6s %9s | %6s %8s  %s\n", "integrator", "order m",
           "order q", "reversible", "symplectic", "energy", "momentum", "symplectic", "energy", "momentum", "top",
           "drift/h^2", "forces", "us/step", "claims");
    for (size_t i = 0; i < n; ++i) {
        const struct ph_integrator_card *c = &cards[i];
        const char *word[PH_INTEGRATOR_PROPERTIES];
        for (int k = 0; k < PH_INTEGRATOR_PROPERTIES; ++k)
            word[k] = ph_verdict_words[c->property[k].verdict];
        printf("%-10s %7.2f %7.2f  %-10s | %-10s %-6s %-8s | %-10s %-6s %-8s %-6s %9.1e | %6.1f %8.2f  %s\n",
               c->integrator->name, worst_order(c, c->order_m), worst_order(c, c->order_q),
               word[PH_INTEGRATOR_REVERSIBLE], word[PH_INTEGRATOR_FREE_SYMPLECTIC], word[PH_INTEGRATOR_FREE_ENERGY],
               word[PH_INTEGRATOR_FREE_MOMENTUM], word[PH_INTEGRATOR_SYMPLECTIC], energy_word(c),
               word[PH_INTEGRATOR_AXIS_MOMENTUM], word[PH_INTEGRATOR_TOP_ENERGY],
               c->drift[1] / (c->drift_step[1] * c->drift_step[1]), c->evaluations, c->us_per_step, overall(c));
    }
    puts("\nfree: without a potential; momentum: angular momentum in space, along an axis of symmetry if there is a "
         "potential;\nenergy in a potential: nearly conserved, or it drifts (by 'drift/h^2' per unit of time, h = "
         "0.0625, "
         "problem 'attractor'),\nand then the method is neither symplectic nor conjugate to a symplectic one; top: the "
         "energy of a heavy top is conserved.\n'polhode certify NAME' shows the numbers.");
}

/* ---- JSON ---- */

static void write_orders(struct ph_json *json, const struct ph_integrator_card *card)
{
    ph_json_begin_object(json, "order");
    ph_json_integer(json, "claimed", card->integrator->order);
    ph_json_string(json, "claim", ph_claim_words[ph_integrator_card_order_state(card)]);
    ph_json_begin_array(json, "problems");
    for (int p = 0; p < PH_INTEGRATOR_PROBLEMS; ++p) {
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "problem", ph_integrator_problems[p]);
        ph_json_number(json, "m", card->order_m[p]);
        ph_json_number(json, "q", card->order_q[p]);
        ph_json_number(json, "error_m", card->error_m[p]);
        ph_json_number(json, "error_q", card->error_q[p]);
        ph_json_end(json);
    }
    ph_json_end(json);
    ph_json_end(json);
}

static void write_drift(struct ph_json *json, const struct ph_integrator_card *card)
{
    ph_json_begin_array(json, "drift");
    for (int i = 0; i < 2; ++i) {
        ph_json_begin_object(json, NULL);
        ph_json_number(json, "step", card->drift_step[i]);
        ph_json_number(json, "slope", card->drift[i]);
        ph_json_number(json, "standard_deviation", card->drift_deviation[i]);
        ph_json_number(json, "time", card->drift_time);
        ph_json_end(json);
    }
    ph_json_end(json);
    ph_json_string(json, "drifts", ph_verdict_words[card->drifts]);
}

void ph_cli_integrator_json(struct ph_json *json, size_t n, const struct ph_integrator_card *cards)
{
    ph_json_begin_array(json, "integrators");
    for (size_t i = 0; i < n; ++i) {
        const struct ph_integrator_card *card = &cards[i];
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "name", card->integrator->name);
        ph_json_string(json, "claims", overall(card));
        write_orders(json, card);
        ph_json_begin_array(json, "properties");
        for (int k = 0; k < PH_INTEGRATOR_PROPERTIES; ++k) {
            const enum ph_integrator_property kind = (enum ph_integrator_property)k;
            ph_json_begin_object(json, NULL);
            ph_json_string(json, "property", ph_integrator_property_names[k]);
            ph_json_bool(json, "claimed", ph_integrator_claims(card->integrator, kind));
            ph_json_string(json, "measured", ph_verdict_words[card->property[k].verdict]);
            ph_json_string(json, "claim", ph_claim_words[ph_integrator_card_property_state(card, kind)]);
            ph_json_number(json, "deviation", card->property[k].deviation);
            ph_json_number(json, "rounding", card->property[k].rounding);
            ph_json_number(json, "step", card->property[k].turn);
            ph_json_end(json);
        }
        ph_json_end(json);
        write_drift(json, card);
        ph_json_number(json, "evaluations_per_step", card->evaluations);
        ph_json_number(json, "microseconds_per_step", card->us_per_step);
        ph_json_end(json);
    }
    ph_json_end(json);
}
