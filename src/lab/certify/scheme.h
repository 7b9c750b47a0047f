/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_SCHEME_H
#define PH_LAB_CERTIFY_SCHEME_H

/* Certification of splitting schemes, composed with a flow: every property is measured on small systems, none is taken
 * from the claims. What a property means and how it is measured stands above the function that measures it. */

#include "lab/certify/flow.h"
#include "lab/certify/scheme_order.h"

/* What a scheme must be to be what it claims; `turn` of each is the step */
enum ph_scheme_property {
    PH_SCHEME_SYMPLECTIC,
    PH_SCHEME_REVERSIBLE,
    PH_SCHEME_MOMENTUM,         /* total momentum is conserved, */
    PH_SCHEME_ANGULAR_MOMENTUM, /* angular momentum too, */
    PH_SCHEME_NO_DRIFT,         /* and energy does not drift: the deviation is the drift per unit of time */
    PH_SCHEME_PROPERTIES
};
extern const char *const ph_scheme_property_names[PH_SCHEME_PROPERTIES];

/* Three dipoles and a heavy top */
enum { PH_CERTIFY_PROBLEMS = 2 };
extern const struct ph_trial_problem *const ph_certify_problems[PH_CERTIFY_PROBLEMS];

/* Errors of the end state whose cost is told */
enum { PH_CERTIFY_COSTS = 3 };
extern const double ph_certify_accuracies[PH_CERTIFY_COSTS]; /* 1e-3, 1e-6, 1e-9 */

struct ph_scheme_card {
    const struct ph_scheme *scheme;
    const struct ph_flow *flow;
    struct ph_order order[PH_CERTIFY_PROBLEMS]; /* of one step */
    struct ph_order order_at_end;               /* of the dipoles, at a fixed time */
    struct ph_property property[PH_SCHEME_PROPERTIES];
    double evaluations, gradients; /* per step, as counted */
    double residual;               /* of the order conditions */
    double effective_error;
    /* Evaluations and passes for gradients per unit of time, for end states of the dipoles that are as accurate; NaN:
     * more than was tried */
    double cost[PH_CERTIFY_COSTS];
    /* Energy of dipoles on springs over a long time: drift per unit of time with its standard deviation, and the root
     * mean square of what is left, all relative to the size of the energy */
    double drift, drift_deviation, fluctuation, drift_time;
};

/* The true solutions to measure against; the same for all schemes. Destroy accepts NULL. */
struct ph_scheme_bench;
enum ph_status ph_scheme_bench_create(struct ph_scheme_bench **out, struct ph_error *err);
void ph_scheme_bench_destroy(struct ph_scheme_bench *bench);

enum ph_status ph_certify_scheme(const struct ph_scheme_bench *bench, const struct ph_scheme *scheme,
                                 const struct ph_flow *flow, struct ph_scheme_card *card, struct ph_error *err);

/* Whether every order that is resolved is the claimed one, to 0.2; open unless both problems resolve that of one step.
 */
enum ph_claim_state ph_scheme_card_order_state(const struct ph_scheme_card *card);
/* The order conditions are met up to rounding of the coefficients: finds what is too small to be seen in a motion. */
enum ph_claim_state ph_scheme_card_conditions_state(const struct ph_scheme_card *card);
/* Evaluations and gradients are as many as said */
enum ph_claim_state ph_scheme_card_cost_state(const struct ph_scheme_card *card);
enum ph_claim_state ph_scheme_card_property_state(const struct ph_scheme_card *card, enum ph_scheme_property property);

/* The number of claims that the measurement contradicts, or leaves open, or confirms */
int ph_scheme_card_count(const struct ph_scheme_card *card, enum ph_claim_state state);

#endif
