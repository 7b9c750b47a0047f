/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_INTEGRATOR_H
#define PH_LAB_CERTIFY_INTEGRATOR_H

/* Certification of one-step integrators of rigid bodies: every property is measured on one body, none is taken from the
 * claims. What a property means and how it is measured stands above the function that measures it. */

#include "dynamics/integrator.h"
#include "lab/certify/flow.h"

enum ph_integrator_property {
    PH_INTEGRATOR_REVERSIBLE,
    PH_INTEGRATOR_FREE_SYMPLECTIC, /* without a potential */
    PH_INTEGRATOR_FREE_ENERGY,
    PH_INTEGRATOR_FREE_MOMENTUM,
    PH_INTEGRATOR_SYMPLECTIC, /* with a potential */
    PH_INTEGRATOR_TOP_ENERGY,
    PH_INTEGRATOR_AXIS_MOMENTUM,
    PH_INTEGRATOR_PROPERTIES
};
extern const char *const ph_integrator_property_names[PH_INTEGRATOR_PROPERTIES];

/* Problems on which the order is measured, against end states computed with 25 digits */
enum { PH_INTEGRATOR_PROBLEMS = 4 };
extern const char *const ph_integrator_problems[PH_INTEGRATOR_PROBLEMS];

struct ph_integrator_card {
    const struct ph_integrator *integrator;
    double order_m[PH_INTEGRATOR_PROBLEMS], order_q[PH_INTEGRATOR_PROBLEMS];
    double error_m[PH_INTEGRATOR_PROBLEMS], error_q[PH_INTEGRATOR_PROBLEMS]; /* at the shorter of two steps */
    struct ph_property property[PH_INTEGRATOR_PROPERTIES];
    /* Energy per unit of time in the problem 'attractor', with its standard deviation, for two steps: what drifts is
     * neither symplectic nor conjugate to a symplectic method. */
    double drift_step[2], drift[2], drift_deviation[2], drift_time;
    enum ph_verdict drifts;
    double evaluations; /* per step of 0.1 in the problem 'soft-wall' */
    double us_per_step; /* likewise; processor time of one body */
};

enum ph_status ph_certify_integrator(const struct ph_integrator *integrator, struct ph_integrator_card *card,
                                     struct ph_error *err);

bool ph_integrator_claims(const struct ph_integrator *integrator, enum ph_integrator_property property);

enum ph_claim_state ph_integrator_card_order_state(const struct ph_integrator_card *card);
enum ph_claim_state ph_integrator_card_property_state(const struct ph_integrator_card *card,
                                                      enum ph_integrator_property property);
/* A method that claims to be symplectic must not drift. */
enum ph_claim_state ph_integrator_card_drift_state(const struct ph_integrator_card *card);

/* The number of claims that the measurement contradicts, or leaves open, or confirms */
int ph_integrator_card_count(const struct ph_integrator_card *card, enum ph_claim_state state);

#endif
