/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_CARD_H
#define PH_LAB_CERTIFY_CARD_H

/* The card of a method: its claims, and the measurements. There is one type for all kinds of methods (flows, schemes,
 * integrators, methods on spheres). One constant object holds the common data of all cards of a kind. Texts, tables and
 * JSON documents are made from these two. */

#include "base/error.h"
#include "lab/power_law.h"

#include <stddef.h>

enum ph_property_verdict {
    PH_VERDICT_NO,
    PH_VERDICT_YES,
    PH_VERDICT_UNRESOLVED, /* the deviation is neither within rounding nor clearly above it */
};
enum ph_claim_state { PH_CLAIM_CONFIRMED, PH_CLAIM_CONTRADICTED, PH_CLAIM_OPEN };

/* A property that holds if some deviation is zero up to rounding */
struct ph_property {
    enum ph_property_verdict verdict;
    double deviation; /* largest seen, relative; negative before any was */
    double rounding;  /* largest deviation from zero by rounding */
    double step;      /* where the deviation was seen; 0: of the coefficients alone */
};
extern const struct ph_property ph_property_unseen;

/* Records a deviation if it is the worst so far (NaN is worse than any number). Up to `rounding` it counts as none.
 * From `plain` times `rounding` on it is a property of the method. */
void ph_property_judge(struct ph_property *property, double deviation, double rounding, double plain, double step);

/* How a measured order bears on the claim: no resolved order may be off by more than 0.2 */
enum ph_order_weight {
    PH_ORDER_NEEDED,   /* the claim is open unless this one is resolved */
    PH_ORDER_ENOUGH,   /* one such that is resolved confirms the claim */
    PH_ORDER_AGAINST,  /* can contradict, not confirm */
    PH_ORDER_AT_LEAST, /* likewise, and a higher order than the claimed one is as good */
};

struct ph_card_order {
    const char *quantity; /* whose error it is: "m", "q", ..; "": of all */
    const char *where;    /* body or problem */
    double time;          /* of the error; 0: after one step */
    int claimed;          /* 0: exact */
    enum ph_order_weight weight;
    struct ph_order measured;
};

/* A further number: a cost, a drift. NaN if there is none. */
struct ph_figure {
    double value, deviation, claimed; /* standard deviation; claim of the method */
};

enum { PH_CARD_ORDERS = 16, PH_CARD_PROPERTIES = 8, PH_CARD_FIGURES = 9, PH_CARD_QUANTITIES = 2 };

struct ph_card {
    const struct ph_card_kind *kind;
    const char *name, *summary; /* of the method */
    const char *family, *flow;  /* of schemes: "PRK", ..., and the flow composed with; else NULL */
    int order;                  /* claimed; 0: exact */
    size_t n_orders;
    struct ph_card_order orders[PH_CARD_ORDERS];
    bool claimed[PH_CARD_PROPERTIES];
    struct ph_property property[PH_CARD_PROPERTIES]; /* in the order of the kind, as are the figures */
    struct ph_figure figure[PH_CARD_FIGURES];
};

/* Common data of all cards of a kind */
struct ph_card_kind {
    const char *name;  /* "flow": the head of tables */
    const char *names; /* "flows": as typed for all of them */
    const char *key;   /* in JSON documents */
    const char *step;  /* "h", or the quantity that stands for the step; step_key in JSON documents */
    const char *step_key;
    const char *note; /* under a table */
    size_t n_quantities, n_properties, n_figures;
    const char *quantity[PH_CARD_QUANTITIES]; /* the order in each is a claim of its own */
    struct {
        const char *head, *quantity, *where; /* a column of tables: the order farthest from the claim; NULL: any */
    } order[2];
    size_t n_conserved; /* the first properties are conserved quantities */
    struct ph_card_property {
        const char *name, *head; /* on cards, and in tables; head NULL: not there */
        const char *words;       /* in lists */
        const char *key;         /* of the claim in JSON documents of lists; NULL: not listed */
        size_t claim;            /* offset in the claims of a method */
        bool nothing_otherwise;  /* a method that does not claim this claims nothing about it */
        const char *if_not;      /* the consequence if it does not hold; NULL: none */
    } property[PH_CARD_PROPERTIES];
    struct ph_card_figure {
        const char *key, *name, *unit;
        const char *format; /* of the value */
        const char *head;   /* in tables; NULL: not there */
    } figure[PH_CARD_FIGURES];
    /* The methods of this kind */
    size_t (*count)(void);
    const char *(*name_at)(size_t index);
    enum ph_status (*measure)(size_t index, struct ph_card *card, struct ph_error *err);
};
extern const struct ph_card_kind ph_flow_cards, ph_scheme_cards, ph_nested_cards, ph_integrator_cards, ph_s2_cards;

/* ---- To fill cards ---- */

/* A card without measurements; `claims` NULL: all properties are claimed */
void ph_card_begin(struct ph_card *card, const struct ph_card_kind *kind, const char *name, const char *summary,
                   int order, const void *claims);
void ph_card_add_order(struct ph_card *card, struct ph_card_order order);

/* ---- To read cards ---- */

bool ph_card_claims(const struct ph_card_property *property, const void *claims);
const struct ph_property *ph_card_property(const struct ph_card *card, const char *name); /* a name of the kind */
const struct ph_figure *ph_card_figure(const struct ph_card *card, const char *key);      /* likewise */

/* Returns the order farthest from the claim in a column of tables, or the first if none is resolved */
const struct ph_order *ph_card_worst_order(const struct ph_card *card, size_t column);

enum ph_claim_state ph_card_order_state(const struct ph_card *card, const char *quantity);
enum ph_claim_state ph_card_property_state(const struct ph_card *card, size_t property);

/* The number of claims that the measurement confirms, contradicts or leaves open, and the verdict on all together */
int ph_card_count(const struct ph_card *card, enum ph_claim_state state);
enum ph_claim_state ph_card_state(const struct ph_card *card);

const char *ph_verdict_word(enum ph_property_verdict verdict); /* "no", "yes", "?" */
const char *ph_claim_word(enum ph_claim_state state);          /* "confirmed", "CONTRADICTED", "open" */

#endif
