/* SPDX-License-Identifier: MIT */
#include "lab/certify/sphere.h"

#include "base/vec3.h"
#include "lab/drift.h"
#include "lab/stopwatch.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { NORM, TANGENT, MOMENTUM, MOMENTUM_COUPLED, REVERSIBLE, SYMPLECTIC, SYMPLECTIC_COUPLED, NO_DRIFT, PROPERTIES };
enum { DRIFT, EVALUATIONS, ITERATIONS, US_PER_STEP, FIGURES };
enum { PROBLEMS = 3 }; /* the first ones of the registry, one of each kind */

/* A deviation of this many times rounding is a property of the method. */
static const double plain = 100.0;

/* ---- Order ---- */

/* A problem at t = 1, after equal steps */
static enum ph_status reach(const struct ph_s2_method *method, size_t problem, long steps, struct ph_s2 **out,
                            struct ph_error *err)
{
    const enum ph_status status = ph_s2_create(ph_s2_problem_at(problem), out, err);
    return status == PH_OK ? ph_s2_advance(method, 1.0 / (double)steps, steps, *out, err) : status;
}

/* The ratio of errors at t = 1 with so many steps, by problem, and twice as many, against rkmkgl4 with 8192. Errors of
 * order 4 are then at least 4096 times the errors of the reference, and far from rounding. */
static const long coarse_steps[PROBLEMS] = {64, 256, 512};

static enum ph_status measure_order(const struct ph_s2_method *method, size_t problem, struct ph_card *card,
                                    struct ph_error *err)
{
    struct ph_s2 *end[3] = {NULL, NULL, NULL};
    enum ph_status status = reach(&ph_s2_rkmkgl4, problem, 8192, &end[0], err);
    for (int k = 1; k < 3 && status == PH_OK; ++k)
        status = reach(method, problem, coarse_steps[problem] << (k - 1), &end[k], err);
    if (status == PH_OK) {
        for (int w = 0; w < 2; ++w) {
            double error[3];
            for (int k = 1; k < 3; ++k)
                error[k] = ph_s2_distance(end[0]->n, (const double(*)[3])(w ? end[k]->w : end[k]->q),
                                          (const double(*)[3])(w ? end[0]->w : end[0]->q));
            const struct ph_order order = {.resolved = true,
                                           .order = log2(error[1] / error[2]),
                                           .error = error[2],
                                           .turn = 0.5 / (double)coarse_steps[problem]};
            ph_card_add_order(card, (struct ph_card_order){.quantity = w ? "w" : "q",
                                                           .where = ph_s2_problem_at(problem)->name,
                                                           .time = 1.0,
                                                           .claimed = method->order,
                                                           .measured = order});
        }
    }
    for (int k = 0; k < 3; ++k)
        ph_s2_destroy(end[k]);
    return status;
}

/* ---- Conserved quantities ---- */

/* After 1000 steps of 0.01: deviations of |q| and q.w, change of the angular momentum along an axis of symmetry; then
 * ten steps of 0.04 forth and back again. Rounding of a thousand steps is far below 1e-12. A quantity that is not
 * conserved is off by more than 1e-10 on every problem. A property must hold on each problem. */
static enum ph_status measure_conserved(const struct ph_s2_method *method, const struct ph_s2_problem *problem,
                                        struct ph_property *property, struct ph_error *err)
{
    static const double rounding = 1e-12, step = 0.01;
    struct ph_s2 *s2 = NULL, *kept = NULL;
    double before[3], after[3], norm = 0.0, tangent = 0.0;
    enum ph_status status = ph_s2_create(problem, &s2, err);
    if (status == PH_OK) {
        ph_s2_momentum(s2, before);
        status = ph_s2_advance(method, step, 1000, s2, err);
    }
    if (status == PH_OK) {
        ph_s2_momentum(s2, after);
        ph_s2_defects(s2, &norm, &tangent);
        ph_property_judge(&property[NORM], norm, rounding, plain, step);
        ph_property_judge(&property[TANGENT], tangent, rounding, plain, step);
        if (ph_vec3_norm(problem->axis) > 0.0)
            ph_property_judge(&property[problem->n_coupled > 0 ? MOMENTUM_COUPLED : MOMENTUM],
                              fabs(ph_vec3_dot(problem->axis, after) - ph_vec3_dot(problem->axis, before)), rounding,
                              plain, step);
        status = ph_s2_create(problem, &kept, err);
    }
    if (status == PH_OK) {
        memcpy(kept->q, s2->q, s2->n * sizeof *s2->q);
        memcpy(kept->w, s2->w, s2->n * sizeof *s2->w);
        status = ph_s2_advance(method, 4.0 * step, 10, s2, err);
    }
    if (status == PH_OK)
        status = ph_s2_advance(method, -4.0 * step, 10, s2, err);
    if (status == PH_OK)
        ph_property_judge(&property[REVERSIBLE],
                          hypot(ph_s2_distance(s2->n, (const double(*)[3])s2->q, (const double(*)[3])kept->q),
                                ph_s2_distance(s2->n, (const double(*)[3])s2->w, (const double(*)[3])kept->w)),
                          rounding, plain, 4.0 * step);
    ph_s2_destroy(s2);
    ph_s2_destroy(kept);
    return status;
}

/* One step of 0.15: differences leave some 1e-9 of zero, and methods that are not symplectic change the form by 1e-4.
 */
static enum ph_status measure_symplectic(const struct ph_s2_method *method, const struct ph_s2_problem *problem,
                                         struct ph_property *property, struct ph_error *err)
{
    static const double step = 0.15;
    double defect = 0.0;
    const enum ph_status status = ph_s2_form_defect(method, problem, step, &defect, err);
    if (status == PH_OK)
        ph_property_judge(&property[problem->n_coupled > 0 ? SYMPLECTIC_COUPLED : SYMPLECTIC], defect, 1e-7, plain,
                          step);
    return status;
}

/* ---- Drift and cost ---- */

/* A straight line through the means of the energy over 40 parts of t = 200. It drifts if the slope is more than five
 * times its deviation and changes the energy by more than rounding. */
static enum ph_status measure_drift(const struct ph_s2_method *method, struct ph_card *card, struct ph_error *err)
{
    enum { PARTS = PH_DRIFT_PARTS, LOOKS = 50, STEPS = 10 };
    static const double step = 0.01;
    struct ph_s2 *s2 = NULL;
    double mean[PARTS] = {0.0}, start = 0.0;
    enum ph_status status = ph_s2_create(ph_s2_problem_at(0), &s2, err);
    if (status == PH_OK)
        status = ph_s2_energy(s2, &start, err);
    for (int k = 0; k < PARTS * LOOKS && status == PH_OK; ++k) {
        double energy = 0.0;
        status = ph_s2_advance(method, step, STEPS, s2, err);
        if (status == PH_OK)
            status = ph_s2_energy(s2, &energy, err);
        mean[k / LOOKS] += (energy - start) / LOOKS;
    }
    ph_s2_destroy(s2);
    if (status != PH_OK)
        return status;
    const double spacing = step * STEPS * LOOKS, time = spacing * PARTS;
    struct ph_figure *drift = &card->figure[DRIFT];
    ph_drift_line(PARTS, mean, spacing, &drift->value, &drift->deviation);
    ph_property_judge(&card->property[NO_DRIFT], fabs(drift->value), fmax(5.0 * drift->deviation, 1e-11 / time), 1.0,
                      step);
    return PH_OK;
}

/* Of the needles, on one thread */
static enum ph_status measure_cost(const struct ph_s2_method *method, struct ph_card *card, struct ph_error *err)
{
    enum { STEPS = 500 };
    struct ph_s2 *s2 = NULL;
    enum ph_status status = ph_s2_create(ph_s2_problem_find("dipole-array"), &s2, err);
    if (status == PH_OK) {
        const struct ph_stopwatch watch = ph_stopwatch_start(1);
        status = ph_s2_advance(method, 0.01, STEPS, s2, err);
        card->figure[US_PER_STEP].value = 1e6 * ph_stopwatch_read_any(&watch) / STEPS;
        card->figure[EVALUATIONS].value = (double)(s2->evaluations - 1) / STEPS;
        card->figure[ITERATIONS].value = (double)s2->iterations / STEPS;
    }
    ph_s2_destroy(s2);
    return status;
}

/* ---- The card ---- */

enum ph_status ph_certify_s2(const struct ph_s2_method *method, struct ph_card *card, struct ph_error *err)
{
    ph_card_begin(card, &ph_s2_cards, method->name, method->summary, method->order, &method->claims);
    enum ph_status status = PH_OK;
    for (size_t p = 0; p < PROBLEMS && status == PH_OK; ++p) {
        const struct ph_s2_problem *problem = ph_s2_problem_at(p);
        status = measure_order(method, p, card, err);
        if (status == PH_OK)
            status = measure_conserved(method, problem, card->property, err);
        if (status == PH_OK && ph_vec3_norm(problem->axis) > 0.0) /* the pendulums, with one and two bodies */
            status = measure_symplectic(method, problem, card->property, err);
    }
    if (status == PH_OK)
        status = measure_drift(method, card, err);
    return status == PH_OK ? measure_cost(method, card, err) : status;
}

static const char *name_at(size_t i) { return ph_s2_method_at(i)->name; }

static enum ph_status measure(size_t i, struct ph_card *card, struct ph_error *err)
{
    return ph_certify_s2(ph_s2_method_at(i), card, err);
}

#define CLAIM(claim) #claim, offsetof(struct ph_s2_claims, claim), false, NULL

const struct ph_card_kind ph_s2_cards = {
    .name = "on spheres",
    .names = "integrators",
    .key = "spheres",
    .step = "h",
    .step_key = "step",
    .note = "on spheres: linear rotors whose centres are pinned, and coupled: a double pendulum; drift: of the energy "
            "of a pendulum,\nper unit of time, h = 0.01.",
    .n_quantities = 2,
    .quantity = {"q", "w"},
    .order = {{"order q", "q", NULL}, {"order w", "w", NULL}},
    .n_properties = PROPERTIES,
    .n_conserved = REVERSIBLE,
    .property =
        {
            [NORM] = {"norm", "|q|=1", "|q| = 1", CLAIM(norm)},
            [TANGENT] = {"tangent", "q.w=0", "q.w = 0", CLAIM(tangent)},
            [MOMENTUM] = {"momentum", "momentum", "angular momentum along axes of symmetry", CLAIM(momentum)},
            [MOMENTUM_COUPLED] = {"momentum_coupled", "coupled", "also coupled", CLAIM(momentum_coupled)},
            [REVERSIBLE] = {"reversible", "reversible", "reversible", CLAIM(reversible)},
            [SYMPLECTIC] = {"symplectic", "symplectic", "symplectic", CLAIM(symplectic)},
            [SYMPLECTIC_COUPLED] = {"symplectic_coupled", "coupled", "also coupled", CLAIM(symplectic_coupled)},
            [NO_DRIFT] = {"no energy drift", "no drift", NULL, NULL, offsetof(struct ph_s2_claims, symplectic), true,
                          NULL},
        },
    .n_figures = FIGURES,
    .figure =
        {
            [DRIFT] = {"energy_drift", "energy drift", "per unit of time, pendulum to t = 200 with h = 0.01", "%.1e",
                       "drift"},
            [EVALUATIONS] = {"evaluations_per_step", "force evaluations", "per step of 16 needles", "%.1f", "forces"},
            [ITERATIONS] = {"iterations_per_step", "iterations", "per step of 16 needles", "%.1f", NULL},
            [US_PER_STEP] = {"microseconds_per_step", "cost", "us per step of 16 needles", "%.2f", "us/step"},
        },
    .count = ph_s2_method_count,
    .name_at = name_at,
    .measure = measure,
};
