/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_FLOW_H
#define PH_LAB_CERTIFY_FLOW_H

/* Certification of the flows of the free rigid body: every property is measured, none is taken from the claims.
 * What a property means and how it is measured stands above the function that measures it. */

#include "base/error.h"
#include "lab/power_law.h"
#include "rigid/flow.h"

enum ph_verdict {
    PH_VERDICT_NO,
    PH_VERDICT_YES,
    PH_VERDICT_UNRESOLVED, /* the deviation is neither rounding nor clearly more than rounding */
};

/* A property that holds if some deviation is zero up to rounding */
struct ph_property {
    enum ph_verdict verdict;
    double deviation; /* largest seen, relative */
    double rounding;  /* what rounding can make of zero */
    double turn;      /* |omega| h of the fastest body where the deviation was seen */
};

/* The bodies of E. Hairer, G. Vilmart, J. Phys. A 39 (2006) 13225, section 3; a rod, on which the errors of methods of
 * high order are large enough to be seen; and a linear rotor, last */
enum { PH_CERTIFY_LINEAR = 3, PH_CERTIFY_BODIES = 4 };
struct ph_certify_body {
    const char *name;
    double inertia[3], momentum[3];
};
extern const struct ph_certify_body ph_certify_bodies[PH_CERTIFY_BODIES]; /* flat (water), asymmetric, rod, linear */

/* The order on one body: from the error of one step, and from the error at a fixed time */
enum ph_order_source { PH_ORDER_ONE_STEP, PH_ORDER_FIXED_TIME, PH_ORDER_SOURCES };
struct ph_flow_orders {
    struct ph_order m[PH_ORDER_SOURCES], q[PH_ORDER_SOURCES];
};
extern const double ph_certify_time; /* 2 */

struct ph_flow_card {
    const struct ph_flow *flow;
    struct ph_flow_orders orders[PH_CERTIFY_BODIES];
    struct ph_property space_momentum, norm, energy, poisson, symplectic, reversible;
    double ns_per_step; /* per body, one thread */
    double cost_to_mr2; /* the same relative to the three-rotation splitting */
};

enum ph_status ph_certify_flow(const struct ph_flow *flow, struct ph_flow_card *card, struct ph_error *err);

/* One line per property, for tables and comparisons */
enum ph_claim_state { PH_CLAIM_CONFIRMED, PH_CLAIM_CONTRADICTED, PH_CLAIM_OPEN };
enum { PH_CARD_PROPERTIES = 6 };
struct ph_card_line {
    const char *name; /* "space momentum", "norm", "energy", "Poisson", "symplectic", "reversible" */
    bool claimed;
    const struct ph_property *measured;
    enum ph_claim_state state;
};
void ph_flow_card_lines(const struct ph_flow_card *card, struct ph_card_line lines[PH_CARD_PROPERTIES]);

/* The order claimed in m (or q), 0: exact; and how far a measured one on body b is from it: 0 if it is not resolved,
 * and HUGE_VAL where only one of the two is exact. A linear rotor moves like a sphere, simply enough for many flows to
 * be better than they claim: on it only a lower order counts. */
int ph_flow_claimed_order(const struct ph_flow *flow, bool momentum);
double ph_flow_order_deviation(const struct ph_flow_card *card, bool momentum, int b, enum ph_order_source source);

/* Whether the order in m (or q) is the claimed one, to 0.2, wherever it is resolved. Confirmed if it is on one body at
 * least, other than the linear rotor, in one step or at a fixed time (an error of order 14 falls into rounding before
 * it settles on most). */
enum ph_claim_state ph_flow_card_order_state(const struct ph_flow_card *card, bool momentum);

/* The number of claims that the measurement contradicts, or leaves open */
int ph_flow_card_count(const struct ph_flow_card *card, enum ph_claim_state state);

#endif
