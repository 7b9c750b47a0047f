/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_SPHERE_H
#define PH_LAB_CERTIFY_SPHERE_H

/* Certification of the methods on products of spheres: every property is measured, none is taken from the claims. What
 * a property means and how it is measured stands above the function that measures it. */

#include "lab/certify/flow.h"
#include "lab/sphere/s2.h"

enum ph_s2_property {
    PH_S2_NORM,
    PH_S2_TANGENT,
    PH_S2_MOMENTUM,
    PH_S2_MOMENTUM_COUPLED,
    PH_S2_REVERSIBLE,
    PH_S2_SYMPLECTIC,
    PH_S2_SYMPLECTIC_COUPLED,
    PH_S2_PROPERTIES
};

/* "|q| = 1", ...; and the key in JSON documents */
const char *ph_s2_property_words(enum ph_s2_property property);
const char *ph_s2_property_key(enum ph_s2_property property);
bool ph_s2_claims(const struct ph_s2_method *method, enum ph_s2_property property);

enum { PH_S2_PROBLEMS = 3 }; /* the first ones of the registry, one of each kind */

struct ph_s2_card {
    const struct ph_s2_method *method;
    double order_q[PH_S2_PROBLEMS], order_w[PH_S2_PROBLEMS]; /* at t = 1, by problem in the order of the registry */
    double error_q[PH_S2_PROBLEMS];                          /* at the shorter of the two steps */
    struct ph_property property[PH_S2_PROPERTIES];
    double drift, drift_deviation; /* dE/dt of the pendulum over t = 200, steps of 0.01, with its standard deviation */
    enum ph_verdict drifts;
    double evaluations, iterations; /* per step of the needles, h = 0.01 */
    double us_per_step;             /* likewise; processor time */
};

enum ph_status ph_certify_s2(const struct ph_s2_method *method, struct ph_s2_card *card, struct ph_error *err);

enum ph_claim_state ph_s2_card_order_state(const struct ph_s2_card *card);
enum ph_claim_state ph_s2_card_property_state(const struct ph_s2_card *card, enum ph_s2_property property);
/* A method that claims to be symplectic must not drift. */
enum ph_claim_state ph_s2_card_drift_state(const struct ph_s2_card *card);

/* The number of claims that the measurement contradicts, or leaves open, or confirms */
int ph_s2_card_count(const struct ph_s2_card *card, enum ph_claim_state state);

/* s2_structure.c: how much one step of a method changes the symplectic form sum dq_i ^ dp_i, p_i = sum_j M_ij q'_j, at
 * the start of a problem with at most two bodies: the largest over pairs of disturbances, by central differences. */
enum ph_status ph_s2_form_defect(const struct ph_s2_method *method, const struct ph_s2_problem *problem, double step,
                                 double *defect, struct ph_error *err);

#endif
