/* SPDX-License-Identifier: MIT */
#include "lab/certify/card.h"

#include "base/room.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double order_tolerance = 0.2;

const struct ph_property ph_property_unseen = {.verdict = PH_VERDICT_UNRESOLVED, .deviation = -1.0, .rounding = 1.0};

void ph_property_judge(struct ph_property *property, double deviation, double rounding, double plain, double step)
{
    if (deviation <= property->deviation)
        return;
    const enum ph_property_verdict verdict = deviation <= rounding              ? PH_VERDICT_YES
                                             : !(deviation <= plain * rounding) ? PH_VERDICT_NO
                                                                                : PH_VERDICT_UNRESOLVED;
    *property = (struct ph_property){.verdict = verdict, .deviation = deviation, .rounding = rounding, .step = step};
}

bool ph_card_claims(const struct ph_card_property *property, const void *claims)
{
    bool claimed;
    memcpy(&claimed, (const char *)claims + property->claim, sizeof claimed);
    return claimed;
}

void ph_card_begin(struct ph_card *card, const struct ph_card_kind *kind, const char *name, const char *summary,
                   int order, const void *claims)
{
    *card = (struct ph_card){.kind = kind, .name = name, .summary = summary, .order = order};
    for (size_t k = 0; k < kind->n_properties; ++k) {
        card->property[k] = ph_property_unseen;
        card->claimed[k] = !claims || ph_card_claims(&kind->property[k], claims);
    }
    for (size_t k = 0; k < kind->n_figures; ++k)
        card->figure[k] = (struct ph_figure){.value = NAN, .deviation = NAN, .claimed = NAN};
}

void ph_card_add_order(struct ph_card *card, struct ph_card_order order)
{
    PH_ROOM(card->n_orders < PH_CARD_ORDERS);
    card->orders[card->n_orders++] = order;
}

const struct ph_property *ph_card_property(const struct ph_card *card, const char *name)
{
    size_t k = 0;
    while (k + 1 < card->kind->n_properties && strcmp(card->kind->property[k].name, name) != 0)
        ++k;
    assert(strcmp(card->kind->property[k].name, name) == 0);
    return &card->property[k];
}

const struct ph_figure *ph_card_figure(const struct ph_card *card, const char *key)
{
    size_t k = 0;
    while (k + 1 < card->kind->n_figures && strcmp(card->kind->figure[k].key, key) != 0)
        ++k;
    assert(strcmp(card->kind->figure[k].key, key) == 0);
    return &card->figure[k];
}

/* How far an order is from the claim: 0 if it is not resolved, and infinite where only one of the two is exact */
static double deviation_of(const struct ph_card_order *order)
{
    const struct ph_order *measured = &order->measured;
    const bool better_will_do = order->weight == PH_ORDER_AT_LEAST;
    if (!measured->resolved || (measured->exact && (order->claimed == 0 || better_will_do)))
        return 0.0;
    if (measured->exact || order->claimed == 0)
        return HUGE_VAL;
    return better_will_do ? fmax(0.0, order->claimed - measured->order) : fabs(measured->order - order->claimed);
}

const struct ph_order *ph_card_worst_order(const struct ph_card *card, size_t column)
{
    const char *quantity = card->kind->order[column].quantity, *where = card->kind->order[column].where;
    const struct ph_order *worst = NULL;
    double farthest = 0.0;
    for (size_t i = 0; i < card->n_orders; ++i) {
        const struct ph_card_order *order = &card->orders[i];
        if ((quantity && strcmp(order->quantity, quantity) != 0) || (where && strcmp(order->where, where) != 0))
            continue;
        const double deviation = deviation_of(order);
        const bool counts = order->weight < PH_ORDER_AGAINST || !(deviation <= order_tolerance);
        if (!worst || (order->measured.resolved && counts && (!worst->resolved || !(deviation <= farthest)))) {
            worst = &order->measured;
            farthest = deviation;
        }
    }
    return worst;
}

enum ph_claim_state ph_card_order_state(const struct ph_card *card, const char *quantity)
{
    bool open = false, confirmed = false;
    for (size_t i = 0; i < card->n_orders; ++i) {
        const struct ph_card_order *order = &card->orders[i];
        if (strcmp(order->quantity, quantity) != 0)
            continue;
        if (!(deviation_of(order) <= order_tolerance))
            return PH_CLAIM_CONTRADICTED;
        open = open || (order->weight == PH_ORDER_NEEDED && !order->measured.resolved);
        confirmed = confirmed || (order->weight < PH_ORDER_AGAINST && order->measured.resolved);
    }
    return confirmed && !open ? PH_CLAIM_CONFIRMED : PH_CLAIM_OPEN;
}

enum ph_claim_state ph_card_property_state(const struct ph_card *card, size_t property)
{
    const enum ph_property_verdict verdict = card->property[property].verdict;
    if (!card->claimed[property] && card->kind->property[property].nothing_otherwise)
        return PH_CLAIM_CONFIRMED;
    if (verdict == PH_VERDICT_UNRESOLVED)
        return PH_CLAIM_OPEN;
    return card->claimed[property] == (verdict == PH_VERDICT_YES) ? PH_CLAIM_CONFIRMED : PH_CLAIM_CONTRADICTED;
}

int ph_card_count(const struct ph_card *card, enum ph_claim_state state)
{
    int n = 0;
    for (size_t k = 0; k < card->kind->n_quantities; ++k)
        n += ph_card_order_state(card, card->kind->quantity[k]) == state;
    for (size_t k = 0; k < card->kind->n_properties; ++k)
        n += ph_card_property_state(card, k) == state;
    return n;
}

enum ph_claim_state ph_card_state(const struct ph_card *card)
{
    if (ph_card_count(card, PH_CLAIM_CONTRADICTED) > 0)
        return PH_CLAIM_CONTRADICTED;
    return ph_card_count(card, PH_CLAIM_OPEN) > 0 ? PH_CLAIM_OPEN : PH_CLAIM_CONFIRMED;
}

const char *ph_verdict_word(enum ph_property_verdict verdict)
{
    static const char *const words[] = {
        [PH_VERDICT_NO] = "no", [PH_VERDICT_YES] = "yes", [PH_VERDICT_UNRESOLVED] = "?"};
    return words[verdict];
}

const char *ph_claim_word(enum ph_claim_state state)
{
    static const char *const words[] = {
        [PH_CLAIM_CONFIRMED] = "confirmed", [PH_CLAIM_CONTRADICTED] = "CONTRADICTED", [PH_CLAIM_OPEN] = "open"};
    return words[state];
}
