/* SPDX-License-Identifier: MIT */
/* polhode certify: measures what the methods claim, and says where measurement and claim differ. */
#include "cli/cli.h"

#include <argp.h>
#include <math.h>
#include <stdlib.h>

static const char command[] = "polhode certify";

struct words {
    const char **names; /* as typed; owned */
    size_t n_names;
    bool all, json;
};

static const char *flow_name(size_t i) { return ph_flow_at(i)->name; }

/* ---- words for verdicts ---- */

static const char *const verdict_words[] = {
    [PH_VERDICT_NO] = "no", [PH_VERDICT_YES] = "yes", [PH_VERDICT_UNRESOLVED] = "?"};
static const char *const state_words[] = {
    [PH_CLAIM_CONFIRMED] = "confirmed", [PH_CLAIM_CONTRADICTED] = "CONTRADICTED", [PH_CLAIM_OPEN] = "open"};

/* "exact", "2.00", "?" */
static const char *order_text(const struct ph_order *order, char text[static 16])
{
    if (order->exact)
        return "exact";
    if (!order->resolved)
        return "?";
    snprintf(text, 16, "%.2f", order->order);
    return text;
}

static const struct ph_order *order_of(const struct ph_flow_card *card, bool momentum, int body, int source)
{
    return momentum ? &card->orders[body].m[source] : &card->orders[body].q[source];
}

/* 0: exact */
static int claimed_order(const struct ph_flow *flow, bool momentum)
{
    return momentum && flow->exact_momentum ? 0 : flow->order;
}

/* Of the orders that are resolved, the one that is farthest from the claim */
static const char *worst_order(const struct ph_flow_card *card, bool momentum, char text[static 16])
{
    const int claimed = claimed_order(card->flow, momentum);
    const struct ph_order *worst = order_of(card, momentum, 0, 0);
    for (int b = 0; b < PH_CERTIFY_BODIES; ++b)
        for (int s = 0; s < PH_ORDER_SOURCES; ++s) {
            const struct ph_order *order = order_of(card, momentum, b, s);
            if (order->resolved && (!worst->resolved || fabs(order->order - claimed) > fabs(worst->order - claimed)))
                worst = order;
        }
    return order_text(worst, text);
}

static const char *overall(const struct ph_flow_card *card)
{
    if (ph_flow_card_count(card, PH_CLAIM_CONTRADICTED) > 0)
        return state_words[PH_CLAIM_CONTRADICTED];
    return state_words[ph_flow_card_count(card, PH_CLAIM_OPEN) > 0 ? PH_CLAIM_OPEN : PH_CLAIM_CONFIRMED];
}

/* ---- one card ---- */

static void print_order(const struct ph_flow_card *card, bool momentum)
{
    const int order = claimed_order(card->flow, momentum);
    char claim[16] = "exact";
    if (order > 0)
        snprintf(claim, sizeof claim, "%d", order);
    for (int b = 0; b < PH_CERTIFY_BODIES; ++b) {
        char text[16], text_time[16], label[32];
        const struct ph_order *step = order_of(card, momentum, b, PH_ORDER_ONE_STEP);
        const struct ph_order *time = order_of(card, momentum, b, PH_ORDER_FIXED_TIME);
        snprintf(label, sizeof label, "order in %s, %s", momentum ? "m" : "q", ph_certify_bodies[b].name);
        printf("  %-22s %-9s %-9s one step: error %.1e at |omega| h = %.2g; at t = %g: %s%s", label, claim,
               order_text(step, text), step->error, step->turn, ph_certify_time, order_text(time, text_time),
               b + 1 < PH_CERTIFY_BODIES ? "\n" : "");
    }
    printf("   %s\n", state_words[ph_flow_card_order_state(card, momentum)]);
}

static void print_card(const struct ph_flow_card *card)
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
               lines[i].claimed ? "yes" : "no", verdict_words[p->verdict], p->deviation, p->turn, p->rounding,
               state_words[lines[i].state]);
    }
    printf("  cost                   %.1f ns per body and step, one thread; %.2f times mr2\n", card->ns_per_step,
           card->cost_to_mr2);
    printf("  claims %s\n", overall(card));
}

/* ---- a table of several ---- */

static void print_table(size_t n, const struct ph_flow_card *cards)
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
            snprintf(text, sizeof text, "%s%s", verdict_words[lines[k].measured->verdict],
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
    ph_json_integer(json, "claimed", claimed_order(card->flow, momentum)); /* 0: exact */
    ph_json_string(json, "claim", state_words[ph_flow_card_order_state(card, momentum)]);
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

static void write_cards(size_t n, const struct ph_flow_card *cards)
{
    struct ph_json json = {.out = stdout};
    ph_json_begin_object(&json, NULL);
    ph_json_begin_array(&json, "flows");
    for (size_t i = 0; i < n; ++i) {
        const struct ph_flow_card *card = &cards[i];
        ph_json_begin_object(&json, NULL);
        ph_json_string(&json, "name", card->flow->name);
        ph_json_string(&json, "claims", overall(card));
        write_orders(&json, card, true);
        write_orders(&json, card, false);
        struct ph_card_line lines[PH_CARD_PROPERTIES];
        ph_flow_card_lines(card, lines);
        ph_json_begin_array(&json, "properties");
        for (int k = 0; k < PH_CARD_PROPERTIES; ++k) {
            const struct ph_property *p = lines[k].measured;
            ph_json_begin_object(&json, NULL);
            ph_json_string(&json, "property", lines[k].name);
            ph_json_bool(&json, "claimed", lines[k].claimed);
            ph_json_string(&json, "measured", p->verdict == PH_VERDICT_UNRESOLVED ? NULL : verdict_words[p->verdict]);
            ph_json_string(&json, "claim", state_words[lines[k].state]);
            ph_json_number(&json, "deviation", p->deviation);
            ph_json_number(&json, "rounding", p->rounding);
            ph_json_number(&json, "turn", p->turn);
            ph_json_end(&json);
        }
        ph_json_end(&json);
        ph_json_number(&json, "ns_per_body_step", card->ns_per_step);
        ph_json_number(&json, "cost_to_mr2", card->cost_to_mr2);
        ph_json_end(&json);
    }
    ph_json_end(&json);
    ph_json_end(&json);
}

/* ---- the command ---- */

enum key { KEY_ALL = 256, KEY_JSON };

static const struct argp_option options[] = {
    {.name = "all", .key = KEY_ALL, .doc = "All flows (also without any NAME)"},
    {.name = "json", .key = KEY_JSON, .doc = "Print one JSON document"},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case KEY_ALL: words->all = true; return 0;
    case KEY_JSON: words->json = true; return 0;
    case ARGP_KEY_ARG: words->names[words->n_names++] = argument; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[NAME...]",
    .doc =
        "Measures the order, the conserved quantities, the geometry and the cost of flows of the free rigid body, and "
        "compares them with what the flows claim.\vOrders are slopes of the error, of one step and at a fixed time, "
        "against an independent Taylor-series solution; symplecticity is tested on the Jacobian of a step. Exit status "
        "1 if a claim is "
        "contradicted.",
};

/* The flows asked for, in the order typed; all without names */
static enum ph_status choose(const struct words *words, const struct ph_flow **flows, size_t *n, struct ph_error *err)
{
    if (words->all && words->n_names > 0)
        return ph_error_set(err, PH_ERR_INPUT, "Give either --all or names ('%s'), not both.", words->names[0]);
    *n = words->n_names > 0 ? words->n_names : ph_flow_count();
    for (size_t i = 0; i < *n; ++i) {
        flows[i] = words->n_names > 0 ? ph_flow_find(words->names[i]) : ph_flow_at(i);
        if (!flows[i])
            return ph_cli_unknown_name("flow", words->names[i], ph_flow_count(), flow_name, err);
    }
    return PH_OK;
}

static enum ph_status certify(const struct words *words, const struct ph_flow **flows, struct ph_flow_card *cards,
                              struct ph_error *err)
{
    size_t n = 0;
    enum ph_status status = choose(words, flows, &n, err);
    for (size_t i = 0; i < n && status == PH_OK; ++i)
        status = ph_certify_flow(flows[i], &cards[i], err);
    if (status != PH_OK)
        return status;
    if (words->json)
        write_cards(n, cards);
    else if (n == 1)
        print_card(&cards[0]);
    else
        print_table(n, cards);
    int contradicted = 0;
    for (size_t i = 0; i < n; ++i)
        contradicted += ph_flow_card_count(&cards[i], PH_CLAIM_CONTRADICTED);
    if (contradicted > 0)
        return ph_error_set(err, PH_ERR_CHECK, "%d claim%s contradicted by the measurement.", contradicted,
                            contradicted == 1 ? " is" : "s are");
    return PH_OK;
}

int ph_cmd_certify(int argc, char **argv)
{
    struct ph_error err = {0};
    const size_t most = (size_t)argc + ph_flow_count();
    struct words words = {.names = calloc(most, sizeof *words.names)};
    const struct ph_flow **flows = calloc(most, sizeof *flows);
    struct ph_flow_card *cards = calloc(most, sizeof *cards);
    enum ph_status status = PH_OK;
    if (!words.names || !flows || !cards)
        status = ph_error_set(&err, PH_ERR_MEMORY, "No memory for %zu cards.", most);
    if (status == PH_OK && argp_parse(&argp, argc, argv, 0, NULL, &words) != 0)
        status = ph_error_set(&err, PH_ERR_INPUT, "The command line could not be read.");
    if (status == PH_OK)
        status = certify(&words, flows, cards, &err);
    free(words.names);
    free(flows);
    free(cards);
    return status == PH_OK ? PH_OK : ph_cli_fail(command, &err);
}
