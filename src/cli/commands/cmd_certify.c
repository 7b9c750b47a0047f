/* SPDX-License-Identifier: MIT */
/* polhode certify: measures the claims of methods, and says where measurement and claim differ. */
#include "cli/cli.h"
#include "lab/certify/card.h"
#include "lab/table.h"

#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "polhode certify";

struct words {
    const char **names; /* as typed; owned */
    size_t n_names;
    bool all, json;
};

static const struct argp_option options[] = {
    {.name = "all", .key = KEEP_FLAG(all), .doc = "All flows, schemes and integrators (also without any NAME)"},
    {.name = "json", .key = KEEP_FLAG(json), .doc = "Print one JSON document"},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct words *words = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    words->names[words->n_names++] = argument;
    return 0;
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[NAME...]",
    .doc =
        "Measures what methods claim, and compares claim and measurement. For flows of the free rigid body: order, "
        "conserved quantities, geometry and cost, also for linear rotors. For splitting schemes with the exact flow: "
        "order on three dipoles and on a heavy top, geometry, conserved quantities, drift of the energy, and number of "
        "force evaluations. For one-step integrators: the same on one body, free and in a potential, or, for "
        "integrators on spheres, on pendulums and magnetic needles. NAME is the name of a flow, scheme or integrator. "
        "'flows', 'schemes' and 'integrators' stand for all of a kind.\vOrders are slopes of errors against "
        "independent power series of the true motion. Coefficients must meet the order conditions to rounding. "
        "Symplecticity is tested on the Jacobian of a step. Exit status 1 if a measurement contradicts a claim.",
};

/* ---- the requested methods ---- */

static const struct ph_card_kind *const kinds[] = {&ph_flow_cards, &ph_scheme_cards, &ph_nested_cards,
                                                   &ph_integrator_cards, &ph_s2_cards};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A method */
struct choice {
    const struct ph_card_kind *kind;
    size_t index;
};

static size_t count_all(void)
{
    size_t n = 0;
    for (size_t k = 0; k < KINDS; ++k)
        n += kinds[k]->count();
    return n;
}

/* Method i of all kinds, one after the other */
static struct choice any(size_t i)
{
    size_t k = 0;
    for (; i >= kinds[k]->count(); ++k)
        i -= kinds[k]->count();
    return (struct choice){kinds[k], i};
}

static const char *any_name(size_t i) { return any(i).kind->name_at(any(i).index); }

/* The method of this name, or all of this kind; name NULL: all. In the order typed, behind the n that there are */
static enum ph_status choose(const char *name, struct choice *choices, size_t *n, struct ph_error *err)
{
    const size_t all = count_all(), before = *n;
    for (size_t i = 0; i < all && *n == before; ++i)
        if (name && strcmp(any_name(i), name) == 0)
            choices[(*n)++] = any(i);
    if (*n > before)
        return PH_OK;
    for (size_t i = 0; i < all; ++i)
        if (!name || strcmp(any(i).kind->names, name) == 0)
            choices[(*n)++] = any(i);
    if (*n > before)
        return PH_OK;
    const char *near = ph_cli_nearest(name, all, any_name);
    return ph_error_set(err, PH_ERR_INPUT,
                        "There is no flow, scheme or integrator named '%s'.%s%s%s 'polhode list flows', 'polhode "
                        "list schemes' and 'polhode list integrators' show all.",
                        name, near ? " Did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static enum ph_status choose_all(const struct words *words, struct choice *choices, size_t *n, struct ph_error *err)
{
    if (words->all && words->n_names > 0)
        return ph_error_set(err, PH_ERR_INPUT, "Give either --all or names ('%s'), not both.", words->names[0]);
    enum ph_status status = words->n_names == 0 ? choose(NULL, choices, n, err) : PH_OK;
    for (size_t i = 0; i < words->n_names && status == PH_OK; ++i)
        status = choose(words->names[i], choices, n, err);
    return status;
}

/* ---- one card ---- */

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

static const char *claimed_order(int order, char text[static 16])
{
    snprintf(text, 16, order > 0 ? "%d" : "exact", order);
    return text;
}

/* "order in m, flat" */
static int order_label(const struct ph_card_order *order, char text[static 64])
{
    return snprintf(text, 64, "order%s%s, %s", order->quantity[0] ? " in " : "", order->quantity, order->where);
}

static void say_order(struct ph_json *json, const struct ph_card *card, size_t i, int width)
{
    const struct ph_card_order *order = &card->orders[i];
    const char *claim = ph_claim_word(ph_card_order_state(card, order->quantity));
    ph_json_begin_object(json, NULL);
    ph_json_strings(json, "quantity", order->quantity[0] ? order->quantity : NULL, "where", order->where);
    ph_json_number(json, "time", order->time > 0.0 ? order->time : NAN); /* null: one step */
    ph_json_integer(json, "claimed", order->claimed);                    /* 0: exact */
    ph_json_bool(json, "exact", order->measured.exact);
    ph_json_number(json, "order", order->measured.resolved ? order->measured.order : NAN);
    ph_json_number(json, "error", order->measured.error);
    ph_json_number(json, card->kind->step_key, order->measured.turn);
    ph_json_string(json, "claim", claim);
    ph_json_end(json);
    char label[64], claimed[16], text[16], when[32] = "one step";
    order_label(order, label);
    if (order->time > 0.0)
        snprintf(when, sizeof when, "at t = %g", order->time);
    size_t next = i + 1; /* of the same quantity */
    while (next < card->n_orders && strcmp(card->orders[next].quantity, order->quantity) != 0)
        ++next;
    const bool last = next == card->n_orders;
    ph_json_say(json, "  %-*s  %-8s %-9s %s: error %.1e at %s = %.3g%s%s\n", width, label,
                claimed_order(order->claimed, claimed), order_text(&order->measured, text), when, order->measured.error,
                card->kind->step, order->measured.turn, last ? "   " : "", last ? claim : "");
}

static void say_property(struct ph_json *json, const struct ph_card *card, size_t k, int width)
{
    const struct ph_card_property *kind = &card->kind->property[k];
    const struct ph_property *p = &card->property[k];
    const char *claim = ph_claim_word(ph_card_property_state(card, k)), *word = ph_verdict_word(p->verdict);
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "property", kind->name);
    ph_json_bool(json, "claimed", card->claimed[k]);
    ph_json_strings(json, "measured", p->verdict == PH_VERDICT_UNRESOLVED ? NULL : word, "claim", claim);
    ph_json_number(json, "deviation", p->deviation);
    ph_json_number(json, "rounding", p->rounding);
    ph_json_number(json, card->kind->step_key, p->step > 0.0 ? p->step : NAN);
    ph_json_end(json);
    const char *claimed = card->claimed[k] ? "yes" : kind->nothing_otherwise ? "-" : "no";
    const char *consequence = p->verdict == PH_VERDICT_NO ? kind->if_not : NULL;
    ph_json_say(json, "  %-*s  %-8s %-9s deviation %.1e", width, kind->name, claimed, word, p->deviation);
    if (p->step > 0.0)
        ph_json_say(json, " at %s = %.3g", card->kind->step, p->step);
    ph_json_say(json, ", rounding %.1e%s%s   %s\n", p->rounding, consequence ? ": " : "",
                consequence ? consequence : "", claim);
}

static void say_figure(struct ph_json *json, const struct ph_card *card, size_t k, int width)
{
    const struct ph_card_figure *kind = &card->kind->figure[k];
    const struct ph_figure *f = &card->figure[k];
    ph_json_begin_object(json, NULL);
    ph_json_strings(json, "figure", kind->key, "unit", kind->unit);
    ph_json_number(json, "value", f->value);
    ph_json_number(json, "standard_deviation", f->deviation);
    ph_json_number(json, "claimed", f->claimed);
    ph_json_end(json);
    char value[32] = "-";
    if (isfinite(f->value))
        snprintf(value, sizeof value, kind->format, f->value);
    ph_json_say(json, "  %-*s  %s", width, kind->name, value);
    if (isfinite(f->deviation))
        ph_json_say(json, " +- %.1e", f->deviation);
    ph_json_say(json, "%s%s", kind->unit[0] ? " " : "", kind->unit);
    if (isfinite(f->claimed))
        ph_json_say(json, " (%g claimed)", f->claimed);
    ph_json_say(json, "\n");
}

static void say_card(struct ph_json *json, const struct ph_card *card)
{
    const char *claims = ph_claim_word(ph_card_state(card));
    int width = 17; /* of the names of properties and figures */
    for (size_t i = 0; i < card->n_orders; ++i) {
        char label[64];
        const int length = order_label(&card->orders[i], label);
        width = length > width ? length : width;
    }
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "name", card->name);
    if (card->family)
        ph_json_string(json, "kind", card->family);
    if (card->flow)
        ph_json_string(json, "flow", card->flow);
    ph_json_string(json, "claims", claims);
    ph_json_say(json, "%s: %s\n", card->name, card->summary);
    ph_json_say(json, "  %-*s  %-8s %-9s %s\n", width, "property", "claimed", "measured", "how");
    ph_json_begin_array(json, "orders");
    for (size_t i = 0; i < card->n_orders; ++i)
        say_order(json, card, i, width);
    ph_json_end(json);
    ph_json_begin_array(json, "properties");
    for (size_t k = 0; k < card->kind->n_properties; ++k)
        say_property(json, card, k, width);
    ph_json_end(json);
    ph_json_begin_array(json, "figures");
    for (size_t k = 0; k < card->kind->n_figures; ++k)
        say_figure(json, card, k, width);
    ph_json_end(json);
    ph_json_end(json);
    ph_json_say(json, "  claims %s\n", claims);
}

/* ---- a table of several ---- */

static enum ph_status add_row(const struct ph_card *card, struct ph_table *table, struct ph_error *err)
{
    const struct ph_card_kind *kind = card->kind;
    const char *words[PH_TABLE_COLUMNS] = {card->name};
    double numbers[PH_CARD_FIGURES];
    char claimed[16], orders[2][16], marked[PH_CARD_PROPERTIES][16];
    size_t n_words = 1, n_numbers = 0;
    if (card->family)
        words[n_words++] = card->family;
    words[n_words++] = claimed_order(card->order, claimed);
    for (size_t k = 0; k < 2; ++k)
        words[n_words++] = order_text(ph_card_worst_order(card, k), orders[k]);
    for (size_t k = 0; k < kind->n_properties; ++k)
        if (kind->property[k].head) {
            snprintf(marked[k], sizeof marked[k], "%s%s", ph_verdict_word(card->property[k].verdict),
                     ph_card_property_state(card, k) == PH_CLAIM_CONTRADICTED ? "!" : "");
            words[n_words++] = marked[k];
        }
    words[n_words] = ph_claim_word(ph_card_state(card));
    for (size_t k = 0; k < kind->n_figures; ++k)
        if (kind->figure[k].head)
            numbers[n_numbers++] = card->figure[k].value;
    return ph_table_append(table, words, numbers, err);
}

static enum ph_status print_table(size_t n, const struct ph_card *cards, struct ph_error *err)
{
    const struct ph_card_kind *kind = cards[0].kind;
    struct ph_table table = {.name = kind->names};
    struct ph_table_look looks[PH_TABLE_COLUMNS] = {{.head = kind->name}};
    size_t columns = 1;
    if (cards[0].family)
        looks[columns++].head = "kind";
    looks[columns++].head = "order";
    for (size_t k = 0; k < 2; ++k)
        looks[columns++].head = kind->order[k].head;
    for (size_t k = 0; k < kind->n_properties; ++k)
        if (kind->property[k].head)
            looks[columns++].head = kind->property[k].head;
    for (size_t c = 0; c < columns; ++c)
        table.column[c].words = true;
    for (size_t k = 0; k < kind->n_figures; ++k)
        if (kind->figure[k].head)
            looks[columns++] = (struct ph_table_look){.head = kind->figure[k].head, .format = kind->figure[k].format};
    table.column[columns].words = true;
    looks[columns++].head = "claims";
    table.n_columns = columns;
    enum ph_status status = PH_OK;
    for (size_t i = 0; i < n && status == PH_OK; ++i)
        status = add_row(&cards[i], &table, err);
    if (status == PH_OK) {
        ph_table_write_text(&table, looks, stdout);
        printf("\n%s\n'?' not resolved above rounding, '!' differs from the claim. 'polhode certify NAME' shows the "
               "numbers.\n",
               kind->note);
    }
    ph_table_clear(&table);
    return status;
}

/* ---- measured and shown ---- */

/* Cards of one kind lie together. */
static size_t count_cards(size_t n, const struct ph_card *cards, const struct ph_card_kind *kind)
{
    size_t i = 0;
    while (i < n && cards[i].kind == kind)
        ++i;
    return i;
}

static void write_cards(size_t n, const struct ph_card *cards)
{
    struct ph_json json = {.out = stdout};
    ph_json_begin_object(&json, NULL);
    for (size_t k = 0, i = 0; k < KINDS; ++k) {
        ph_json_begin_array(&json, kinds[k]->key);
        for (const size_t end = i + count_cards(n - i, cards + i, kinds[k]); i < end; ++i)
            say_card(&json, &cards[i]);
        ph_json_end(&json);
    }
    ph_json_end(&json);
}

static enum ph_status print_cards(size_t n, const struct ph_card *cards, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t i = 0, several; i < n && status == PH_OK; i += several) {
        several = count_cards(n - i, cards + i, cards[i].kind);
        if (i > 0)
            putchar('\n');
        if (several == 1)
            say_card(&(struct ph_json){.out = stdout, .text = true}, &cards[i]);
        else
            status = print_table(several, cards + i, err);
    }
    return status;
}

static enum ph_status certify(size_t n, const struct choice *choices, bool json, struct ph_error *err)
{
    struct ph_card *cards = calloc(n, sizeof *cards);
    if (!cards)
        return ph_no_memory(err, "%zu cards", n);
    enum ph_status status = PH_OK;
    size_t measured = 0;
    int contradicted = 0;
    for (size_t k = 0; k < KINDS; ++k)
        for (size_t i = 0; i < n && status == PH_OK; ++i)
            if (choices[i].kind == kinds[k]) {
                status = kinds[k]->measure(choices[i].index, &cards[measured], err);
                if (status == PH_OK)
                    contradicted += ph_card_count(&cards[measured++], PH_CLAIM_CONTRADICTED);
            }
    if (status == PH_OK && json)
        write_cards(n, cards);
    else if (status == PH_OK)
        status = print_cards(n, cards, err);
    if (status == PH_OK && contradicted > 0)
        status = ph_error_set(err, PH_ERR_CHECK, "%d claim%s contradicted by the measurement.", contradicted,
                              contradicted == 1 ? " is" : "s are");
    free(cards);
    return status;
}

int ph_cmd_certify(int argc, char **argv)
{
    struct ph_error err = {0};
    struct words words = {.names = calloc((size_t)argc, sizeof *words.names)};
    struct choice *choices = calloc((size_t)argc * count_all(), sizeof *choices);
    size_t n = 0;
    enum ph_status status = PH_OK;
    if (!words.names || !choices)
        status = ph_no_memory(&err, "the names of %d methods", argc);
    const bool read = status == PH_OK && ph_cli_parse(&argp, argc, argv, &words) == 0;
    if (read)
        status = choose_all(&words, choices, &n, &err);
    if (read && status == PH_OK)
        status = certify(n, choices, words.json, &err);
    free(words.names);
    free(choices);
    if (status != PH_OK)
        return ph_cli_fail(command, &err);
    return read ? PH_OK : PH_ERR_INPUT;
}
