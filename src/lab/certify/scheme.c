/* SPDX-License-Identifier: MIT */
#include "lab/certify/scheme.h"

#include "lab/certify/scheme_structure.h"

#include <math.h>
#include <stdlib.h>

const char *const ph_scheme_property_names[PH_SCHEME_PROPERTIES] = {
    [PH_SCHEME_SYMPLECTIC] = "symplectic",    [PH_SCHEME_REVERSIBLE] = "reversible",
    [PH_SCHEME_MOMENTUM] = "momentum",        [PH_SCHEME_ANGULAR_MOMENTUM] = "angular momentum",
    [PH_SCHEME_NO_DRIFT] = "no energy drift",
};

const struct ph_trial_problem *const ph_certify_problems[PH_CERTIFY_PROBLEMS] = {&ph_trial_dipoles, &ph_trial_top};

const double ph_certify_accuracies[PH_CERTIFY_COSTS] = {1e-3, 1e-6, 1e-9};

static const double order_tolerance = 0.2;

/* Residuals of coefficients that are rounded to double; those of all schemes here are below half of this. */
static const double rounded_residual = 2e-15;

struct ph_scheme_bench {
    struct ph_single_steps steps[PH_CERTIFY_PROBLEMS];
};

void ph_scheme_bench_destroy(struct ph_scheme_bench *bench) { free(bench); }

enum ph_status ph_scheme_bench_create(struct ph_scheme_bench **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_scheme_bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for reference solutions.");
    for (int i = 0; i < PH_CERTIFY_PROBLEMS; ++i) {
        const enum ph_status status = ph_single_steps_init(ph_certify_problems[i], &bench->steps[i], err);
        if (status != PH_OK) {
            ph_scheme_bench_destroy(bench);
            return status;
        }
    }
    *out = bench;
    return PH_OK;
}

enum ph_status ph_certify_scheme(const struct ph_scheme_bench *bench, const struct ph_scheme *scheme,
                                 const struct ph_flow *flow, struct ph_scheme_card *card, struct ph_error *err)
{
    *card = (struct ph_scheme_card){.scheme = scheme,
                                    .flow = flow,
                                    .residual = ph_scheme_residual(scheme),
                                    .effective_error = ph_scheme_effective_error(scheme)};
    if (isnan(card->residual) || isnan(card->effective_error))
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the order conditions of '%s'.", scheme->name);
    struct ph_errors errors;
    for (int i = 0; i < PH_CERTIFY_PROBLEMS; ++i) {
        const enum ph_status status = ph_order_of_one_step(scheme, flow, &bench->steps[i], &card->order[i], err);
        if (status != PH_OK)
            return status;
    }
    const enum ph_status status = ph_errors_at_the_end(scheme, flow, &ph_trial_dipoles, &errors, err);
    if (status != PH_OK)
        return status;
    card->order_at_end = ph_order_of_errors(&errors, 0.0, 1.0);
    const int passes = ph_scheme_evaluations(scheme) + ph_scheme_gradients(scheme);
    for (int i = 0; i < PH_CERTIFY_COSTS; ++i)
        card->cost[i] = passes / ph_step_for_error(&errors, ph_certify_accuracies[i]);
    return ph_measure_scheme_structure(&errors, card, err);
}

/* ---- claims ---- */

enum ph_claim_state ph_scheme_card_order_state(const struct ph_scheme_card *card)
{
    bool all = true;
    for (int i = 0; i <= PH_CERTIFY_PROBLEMS; ++i) {
        const struct ph_order *order = i < PH_CERTIFY_PROBLEMS ? &card->order[i] : &card->order_at_end;
        if (order->resolved && !(fabs(order->order - card->scheme->order) <= order_tolerance))
            return PH_CLAIM_CONTRADICTED;
        all = all && (order->resolved || i == PH_CERTIFY_PROBLEMS);
    }
    return all ? PH_CLAIM_CONFIRMED : PH_CLAIM_OPEN;
}

enum ph_claim_state ph_scheme_card_conditions_state(const struct ph_scheme_card *card)
{
    return card->residual <= rounded_residual ? PH_CLAIM_CONFIRMED : PH_CLAIM_CONTRADICTED;
}

enum ph_claim_state ph_scheme_card_cost_state(const struct ph_scheme_card *card)
{
    return card->evaluations == ph_scheme_evaluations(card->scheme) &&
                   card->gradients == ph_scheme_gradients(card->scheme)
               ? PH_CLAIM_CONFIRMED
               : PH_CLAIM_CONTRADICTED;
}

enum ph_claim_state ph_scheme_card_property_state(const struct ph_scheme_card *card, enum ph_scheme_property property)
{
    switch (card->property[property].verdict) {
    case PH_VERDICT_YES: return PH_CLAIM_CONFIRMED;
    case PH_VERDICT_NO: return PH_CLAIM_CONTRADICTED;
    default: return PH_CLAIM_OPEN;
    }
}

int ph_scheme_card_count(const struct ph_scheme_card *card, enum ph_claim_state state)
{
    int n = (ph_scheme_card_order_state(card) == state) + (ph_scheme_card_conditions_state(card) == state) +
            (ph_scheme_card_cost_state(card) == state);
    for (int i = 0; i < PH_SCHEME_PROPERTIES; ++i)
        n += ph_scheme_card_property_state(card, (enum ph_scheme_property)i) == state;
    return n;
}
