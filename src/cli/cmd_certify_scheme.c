/* SPDX-License-Identifier: MIT */
/* The part of `polhode certify` that shows schemes. */
#include "cli/cmd_certify.h"

#include <math.h>

static const char *overall(const struct ph_scheme_card *card)
{
    if (ph_scheme_card_count(card, PH_CLAIM_CONTRADICTED) > 0)
        return ph_claim_words[PH_CLAIM_CONTRADICTED];
    return ph_claim_words[ph_scheme_card_count(card, PH_CLAIM_OPEN) > 0 ? PH_CLAIM_OPEN : PH_CLAIM_CONFIRMED];
}

/* "120", "-" for what was not reached */
static const char *cost_text(double cost, char text[static 16])
{
    if (!isfinite(cost))
        return "-";
    snprintf(text, 16, "%.0f", cost);
    return text;
}

/* ---- one card ---- */

static void print_orders(const struct ph_scheme_card *card)
{
    char text[16], label[32];
    for (int i = 0; i < PH_CERTIFY_PROBLEMS; ++i) {
        const struct ph_order *order = &card->order[i];
        snprintf(label, sizeof label, "order, %s", ph_certify_problems[i]->name);
        printf("  %-22s %-9d %-9s one step: error %.1e at h = %.2g\n", label, card->scheme->order,
               ph_cli_order_text(order, text), order->error, order->turn);
    }
    snprintf(label, sizeof label, "order, %s", ph_trial_dipoles.name);
    printf("  %-22s %-9d %-9s at t = %g: error %.1e at h = %.2g   %s\n", label, card->scheme->order,
           ph_cli_order_text(&card->order_at_end, text), ph_trial_dipoles.time, card->order_at_end.error,
           card->order_at_end.turn, ph_claim_words[ph_scheme_card_order_state(card)]);
}

static void print_properties(const struct ph_scheme_card *card)
{
    for (int i = 0; i < PH_SCHEME_NO_DRIFT; ++i) {
        const struct ph_property *p = &card->property[i];
        printf("  %-22s %-9s %-9s deviation %.1e at h = %.2g, rounding %.1e   %s\n", ph_scheme_property_names[i], "yes",
               ph_verdict_words[p->verdict], p->deviation, p->turn, p->rounding,
               ph_claim_words[ph_scheme_card_property_state(card, (enum ph_scheme_property)i)]);
    }
    const struct ph_property *p = &card->property[PH_SCHEME_NO_DRIFT];
    printf("  %-22s %-9s %-9s %.1e +- %.1e per unit of time at h = %.2g, errors %.1e, in %.0f units   %s\n",
           ph_scheme_property_names[PH_SCHEME_NO_DRIFT], "yes", ph_verdict_words[p->verdict], card->drift,
           card->drift_deviation, p->turn, card->fluctuation, card->drift_time,
           ph_claim_words[ph_scheme_card_property_state(card, PH_SCHEME_NO_DRIFT)]);
}

void ph_cli_scheme_card(const struct ph_scheme_card *card)
{
    const struct ph_scheme *scheme = card->scheme;
    printf("%s: %s\n", scheme->name, scheme->summary);
    printf("  %-22s %-9s %-9s %s\n", "property", "claimed", "measured", "how");
    print_orders(card);
    print_properties(card);
    printf("  %-22s %-9d %-9g per step, as counted\n", "force evaluations", ph_scheme_evaluations(scheme),
           card->evaluations);
    printf("  %-22s %-9d %-9g per step, as counted   %s\n", "gradient passes", ph_scheme_gradients(scheme),
           card->gradients, ph_claim_words[ph_scheme_card_cost_state(card)]);
    printf("  %-22s %-9s %-9.1e residual; effective error %.3g   %s\n", "order conditions", "met", card->residual,
           card->effective_error, ph_claim_words[ph_scheme_card_conditions_state(card)]);
    printf("  cost                  ");
    for (int i = 0; i < PH_CERTIFY_COSTS; ++i) {
        char text[16];
        printf("%s %s for an error of %.0e", i > 0 ? "," : "", cost_text(card->cost[i], text),
               ph_certify_accuracies[i]);
    }
    printf("\n                         (evaluations and gradient passes per unit of time, %s at t = %g)\n",
           ph_trial_dipoles.name, ph_trial_dipoles.time);
    printf("  claims %s\n", overall(card));
}

/* ---- a table of several ---- */

void ph_cli_scheme_table(size_t n, const struct ph_scheme_card *cards)
{
    static const char *const heads[PH_SCHEME_PROPERTIES] = {"sympl.", "revers.", "P", "L", "no drift"};
    static const int width[PH_SCHEME_PROPERTIES] = {7, 8, 5, 5, 9};
    printf("%-26s %-8s %5s %7s %6s ", "scheme", "kind", "order", ph_certify_problems[0]->name, "top");
    for (int k = 0; k < PH_SCHEME_PROPERTIES; ++k)
        printf(" %-*s", width[k], heads[k]);
    printf(" %5s %9s %6s %6s %6s  %s\n", "f+g", "eff.error", "1e-3", "1e-6", "1e-9", "claims");
    for (size_t i = 0; i < n; ++i) {
        const struct ph_scheme_card *card = &cards[i];
        char dipoles[16], top[16], text[16];
        printf("%-26s %-8s %5d %7s %6s ", card->scheme->name, ph_scheme_kind_name(card->scheme->kind),
               card->scheme->order, ph_cli_order_text(&card->order[0], dipoles),
               ph_cli_order_text(&card->order[1], top));
        for (int k = 0; k < PH_SCHEME_PROPERTIES; ++k) {
            const enum ph_verdict verdict = card->property[k].verdict;
            snprintf(text, sizeof text, "%s%s", ph_verdict_words[verdict], verdict == PH_VERDICT_NO ? "!" : "");
            printf(" %-*s", width[k], text);
        }
        snprintf(text, sizeof text, card->gradients > 0.0 ? "%g+%g" : "%g", card->evaluations, card->gradients);
        printf(" %5s %9.3f", text, card->effective_error);
        for (int k = 0; k < PH_CERTIFY_COSTS; ++k)
            printf(" %6s", cost_text(card->cost[k], text));
        printf("  %s\n", overall(card));
    }
    puts("\norder: claimed, then measured on three dipoles and a heavy top. P, L: momentum and angular momentum. f+g: "
         "force\nevaluations and gradient passes per step. eff.error: theirs times |leading error|^(1/order), for "
         "schemes of one order and\nkind. 1e-3, 1e-6, 1e-9: evaluations and passes per unit of time that such an error "
         "of the dipoles takes.\n'?' not resolved above rounding, '!' differs from the claim. 'polhode certify NAME' "
         "shows the numbers.");
}

/* ---- JSON ---- */

static void write_order(struct ph_json *json, const char *problem, const char *measured, const struct ph_order *order)
{
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "problem", problem);
    ph_json_string(json, "measured", measured);
    ph_json_number(json, "order", order->resolved ? order->order : NAN);
    ph_json_number(json, "error", order->error);
    ph_json_number(json, "step", order->turn);
    ph_json_end(json);
}

static void write_orders(struct ph_json *json, const struct ph_scheme_card *card)
{
    ph_json_begin_object(json, "order");
    ph_json_integer(json, "claimed", card->scheme->order);
    ph_json_string(json, "claim", ph_claim_words[ph_scheme_card_order_state(card)]);
    ph_json_begin_array(json, "problems");
    for (int i = 0; i < PH_CERTIFY_PROBLEMS; ++i)
        write_order(json, ph_certify_problems[i]->name, "one step", &card->order[i]);
    write_order(json, ph_trial_dipoles.name, "fixed time", &card->order_at_end);
    ph_json_end(json);
    ph_json_end(json);
}

static void write_properties(struct ph_json *json, const struct ph_scheme_card *card)
{
    ph_json_begin_array(json, "properties");
    for (int i = 0; i < PH_SCHEME_PROPERTIES; ++i) {
        const struct ph_property *p = &card->property[i];
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "property", ph_scheme_property_names[i]);
        ph_json_bool(json, "claimed", true);
        ph_json_string(json, "measured", p->verdict == PH_VERDICT_UNRESOLVED ? NULL : ph_verdict_words[p->verdict]);
        ph_json_string(json, "claim", ph_claim_words[ph_scheme_card_property_state(card, (enum ph_scheme_property)i)]);
        ph_json_number(json, "deviation", p->deviation);
        ph_json_number(json, "rounding", p->rounding);
        ph_json_number(json, "step", p->turn);
        ph_json_end(json);
    }
    ph_json_end(json);
    ph_json_begin_object(json, "energy");
    ph_json_number(json, "drift", card->drift);
    ph_json_number(json, "standard_deviation", card->drift_deviation);
    ph_json_number(json, "fluctuation", card->fluctuation);
    ph_json_number(json, "time", card->drift_time);
    ph_json_end(json);
}

static void write_costs(struct ph_json *json, const struct ph_scheme_card *card)
{
    ph_json_begin_object(json, "per_step");
    ph_json_integer(json, "evaluations_claimed", ph_scheme_evaluations(card->scheme));
    ph_json_number(json, "evaluations", card->evaluations);
    ph_json_integer(json, "gradients_claimed", ph_scheme_gradients(card->scheme));
    ph_json_number(json, "gradients", card->gradients);
    ph_json_string(json, "claim", ph_claim_words[ph_scheme_card_cost_state(card)]);
    ph_json_end(json);
    ph_json_number(json, "order_conditions", card->residual);
    ph_json_string(json, "order_conditions_claim", ph_claim_words[ph_scheme_card_conditions_state(card)]);
    ph_json_number(json, "effective_error", card->effective_error);
    ph_json_begin_array(json, "costs");
    for (int i = 0; i < PH_CERTIFY_COSTS; ++i) {
        ph_json_begin_object(json, NULL);
        ph_json_number(json, "error", ph_certify_accuracies[i]);
        ph_json_number(json, "passes_per_time", card->cost[i]);
        ph_json_end(json);
    }
    ph_json_end(json);
}

void ph_cli_scheme_json(struct ph_json *json, size_t n, const struct ph_scheme_card *cards)
{
    ph_json_begin_array(json, "schemes");
    for (size_t i = 0; i < n; ++i) {
        const struct ph_scheme_card *card = &cards[i];
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "name", card->scheme->name);
        ph_json_string(json, "kind", ph_scheme_kind_name(card->scheme->kind));
        ph_json_string(json, "flow", card->flow->name);
        ph_json_string(json, "claims", overall(card));
        write_orders(json, card);
        write_properties(json, card);
        write_costs(json, card);
        ph_json_end(json);
    }
    ph_json_end(json);
}
