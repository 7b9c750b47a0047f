/* SPDX-License-Identifier: MIT */
#include "lab/certify/scheme.h"

#include "lab/certify/scheme_structure.h"

#include <math.h>
#include <stdlib.h>

static const struct ph_trial_problem *const problems[] = {&ph_trial_dipoles, &ph_trial_top};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* Errors of the end state whose cost is reported */
static const double accuracies[PH_SCHEME_COSTS] = {1e-3, 1e-6, 1e-9};

/* Residuals of coefficients that are rounded to double; all schemes here have residuals below half of this. */
static const double rounded_residual = 2e-15;

/* True solutions of problem i, which are the same for all schemes: found once, and kept until the program ends. They
 * take long where long double is emulated. */
static enum ph_status true_steps(size_t i, const struct ph_single_steps **out, struct ph_error *err)
{
    static struct ph_single_steps *kept[PROBLEMS];
    if (!kept[i]) {
        struct ph_single_steps *steps = malloc(sizeof *steps);
        if (!steps)
            return ph_no_memory(err, "reference solutions");
        const enum ph_status status = ph_single_steps_init(problems[i], steps, err);
        if (status != PH_OK) {
            free(steps);
            return status;
        }
        kept[i] = steps;
    }
    *out = kept[i];
    return PH_OK;
}

/* Of one step, against true solutions */
static enum ph_status measure_orders(const struct ph_scheme *scheme, const struct ph_scheme *inner,
                                     const struct ph_flow *flow, struct ph_card *card, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t i = 0; i < PROBLEMS && status == PH_OK; ++i) {
        struct ph_card_order order = {
            .quantity = "", .where = problems[i]->name, .claimed = card->order, .weight = PH_ORDER_NEEDED};
        const struct ph_single_steps *steps = NULL;
        status = true_steps(i, &steps, err);
        if (status == PH_OK)
            status = ph_order_of_one_step(scheme, inner, flow, steps, &order.measured, err);
        ph_card_add_order(card, order);
    }
    return status;
}

/* Measures the part of the card that needs motions */
static enum ph_status measure_motion(const struct ph_scheme *scheme, const struct ph_scheme *inner,
                                     const struct ph_flow *flow, struct ph_card *card, struct ph_error *err)
{
    struct ph_errors errors;
    enum ph_status status = measure_orders(scheme, inner, flow, card, err);
    if (status == PH_OK)
        status = ph_errors_at_the_end(scheme, inner, flow, &ph_trial_dipoles, &errors, err);
    if (status != PH_OK)
        return status;
    ph_card_add_order(card, (struct ph_card_order){.quantity = "",
                                                   .where = ph_trial_dipoles.name,
                                                   .time = ph_trial_dipoles.time,
                                                   .claimed = card->order,
                                                   .weight = PH_ORDER_AGAINST,
                                                   .measured = ph_order_of_errors(&errors, 0.0, 1.0)});
    const int passes = ph_scheme_evaluations(scheme) + ph_scheme_gradients(scheme);
    for (int i = 0; i < PH_SCHEME_COSTS; ++i)
        card->figure[PH_SCHEME_COST + i].value = passes / ph_step_for_error(&errors, accuracies[i]);
    return ph_measure_scheme_structure(scheme, inner, flow, &errors, card, err);
}

enum ph_status ph_certify_scheme(const struct ph_scheme *scheme, const struct ph_scheme *inner, const char *name,
                                 const struct ph_flow *flow, struct ph_card *card, struct ph_error *err)
{
    const int order = inner && inner->order < scheme->order ? inner->order : scheme->order;
    const double residual = ph_scheme_residual(scheme), of_inner = inner ? ph_scheme_residual(inner) : 0.0;
    const bool has_error = !inner && !ph_scheme_is_displaced(scheme);
    const double effective_error = has_error ? ph_scheme_effective_error(scheme) : NAN;
    if (isnan(residual + of_inner) || (has_error && isnan(effective_error)))
        return ph_no_memory(err, "the order conditions of '%s'", name);
    if (inner)
        ph_card_begin(card, &ph_nested_cards, name, "two time scales: outer/inner scheme", order, NULL);
    else {
        ph_card_begin(card, &ph_scheme_cards, name, scheme->summary, order, NULL);
        card->family = ph_scheme_kind_name(scheme->kind);
        card->figure[PH_SCHEME_EFFECTIVE_ERROR].value = effective_error;
    }
    if (ph_scheme_is_displaced(scheme))
        card->claimed[PH_SCHEME_SYMPLECTIC] = card->claimed[PH_SCHEME_ANGULAR_MOMENTUM] =
            card->claimed[PH_SCHEME_NO_DRIFT] = false;
    card->flow = flow->name;
    ph_property_judge(&card->property[PH_SCHEME_CONDITIONS], fmax(residual, of_inner), rounded_residual, 1.0, 0.0);
    return measure_motion(scheme, inner, flow, card, err);
}

static const char *name_at(size_t i) { return ph_scheme_at(i)->name; }

static enum ph_status measure(size_t i, struct ph_card *card, struct ph_error *err)
{
    return ph_certify_scheme(ph_scheme_at(i), NULL, name_at(i), ph_flow_find("exact"), card, err);
}

/* Nested schemes: the recommended ones, and one of order 4 */
static const struct {
    const char *name, *outer, *inner;
} nested[] = {
    {"verlet/bcss2-3", "verlet", "bcss2-3"},
    {"sbab2/bcss2-3", "sbab2", "bcss2-3"},
    {"saba2/bcss2-3", "saba2", "bcss2-3"},
    {"omelyan4-5fv/omelyan4-5fv", "omelyan4-5fv", "omelyan4-5fv"},
};

static size_t count_nested(void) { return sizeof nested / sizeof *nested; }

static const char *nested_name_at(size_t i) { return nested[i].name; }

static enum ph_status measure_nested(size_t i, struct ph_card *card, struct ph_error *err)
{
    return ph_certify_scheme(ph_scheme_find(nested[i].outer), ph_scheme_find(nested[i].inner), nested[i].name,
                             ph_flow_find("exact"), card, err);
}

#define CLAIMED NULL, NULL, 0, false, NULL
#define COST "evaluations and gradient passes per unit of time, dipoles at t = 1", "%.0f"
/* Common data of cards of plain and of nested schemes */
#define PROPERTIES                                                                                                     \
    [PH_SCHEME_SYMPLECTIC] = {"symplectic", "sympl.", CLAIMED}, [PH_SCHEME_VOLUME] = {"volume", "vol.", CLAIMED},      \
    [PH_SCHEME_REVERSIBLE] = {"reversible", "revers.", CLAIMED}, [PH_SCHEME_MOMENTUM] = {"momentum", "P", CLAIMED},    \
    [PH_SCHEME_ANGULAR_MOMENTUM] = {"angular momentum", "L", CLAIMED}, [PH_SCHEME_NO_DRIFT] = {"no energy drift",      \
                                                                                               "no drift",             \
                                                                                               NULL,                   \
                                                                                               NULL,                   \
                                                                                               0,                      \
                                                                                               true,                   \
                                                                                               NULL},                  \
    [PH_SCHEME_CONDITIONS] = {"order conditions", NULL, CLAIMED},                                                      \
    [PH_SCHEME_PASSES] = {"passes as listed", NULL, CLAIMED}
#define COMMON_FIGURES                                                                                                 \
    [PH_SCHEME_COST] = {"cost_1e-3", "cost for 1e-3", COST, "1e-3"},                                                   \
    [PH_SCHEME_COST + 1] = {"cost_1e-6", "cost for 1e-6", COST, "1e-6"},                                               \
    [PH_SCHEME_COST + 2] = {"cost_1e-9", "cost for 1e-9", COST, "1e-9"},                                               \
    [PH_SCHEME_DRIFT] = {"energy_drift", "energy drift", "per unit of time, dipoles on springs", "%.1e", NULL},        \
    [PH_SCHEME_FLUCTUATION] = {"energy_fluctuation", "energy errors", "root mean square", "%.1e", NULL},               \
    [PH_SCHEME_DRIFT_TIME] = {"energy_time", "energy followed", "units of time", "%.0f", NULL}

const struct ph_card_kind ph_scheme_cards = {
    .name = "scheme",
    .names = "schemes",
    .key = "schemes",
    .step = "h",
    .step_key = "step",
    .note = "order: claimed, then measured on three dipoles and a heavy top. vol.: volume of phase space. P, L: "
            "momentum and angular\nmomentum. f, g: force evaluations and gradient passes per step. eff.error: theirs "
            "times |leading error|^(1/order), "
            "for schemes of one order and\nkind. 1e-3, 1e-6, 1e-9: evaluations and passes per unit of time that such "
            "an error of the dipoles takes.",
    .n_quantities = 1,
    .quantity = {""},
    .order = {{"dipoles", NULL, "dipoles"}, {"top", NULL, "heavy top"}},
    .n_properties = PH_SCHEME_PROPERTIES,
    .property = {PROPERTIES},
    .n_figures = PH_SCHEME_FIGURES,
    .figure =
        {
            [PH_SCHEME_EVALUATIONS] = {"evaluations_per_step", "force evaluations", "per step, as counted", "%g", "f"},
            [PH_SCHEME_GRADIENTS] = {"gradients_per_step", "gradient passes", "per step, as counted", "%g", "g"},
            [PH_SCHEME_EFFECTIVE_ERROR] = {"effective_error", "effective error", "", "%.3f", "eff.error"},
            COMMON_FIGURES,
        },
    .count = ph_scheme_count,
    .name_at = name_at,
    .measure = measure,
};

const struct ph_card_kind ph_nested_cards = {
    .name = "nested scheme",
    .names = "nested",
    .key = "nested",
    .step = "h",
    .step_key = "step",
    .note = "order: claimed, then measured on three dipoles, of which those that are near are fast, and a heavy top, "
            "all of which is fast.\nP, L: momentum and angular momentum. slow, fast: evaluations per step. 1e-3, 1e-6, "
            "1e-9: slow evaluations per unit of time\nthat such an error of the dipoles takes.",
    .n_quantities = 1,
    .quantity = {""},
    .order = {{"dipoles", NULL, "dipoles"}, {"top", NULL, "heavy top"}},
    .n_properties = PH_SCHEME_PROPERTIES,
    .property = {PROPERTIES},
    .n_figures = PH_SCHEME_FIGURES,
    .figure =
        {
            [PH_SCHEME_EVALUATIONS] = {"slow_evaluations_per_step", "slow evaluations", "per step, as counted", "%g",
                                       "slow"},
            [PH_SCHEME_GRADIENTS] = {"fast_evaluations_per_step", "fast evaluations", "per step, as counted", "%g",
                                     "fast"},
            [PH_SCHEME_EFFECTIVE_ERROR] = {"effective_error", "effective error", "", "%.3f", NULL}, /* none */
            COMMON_FIGURES,
        },
    .count = count_nested,
    .name_at = nested_name_at,
    .measure = measure_nested,
};
