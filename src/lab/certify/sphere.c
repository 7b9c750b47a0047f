/* SPDX-License-Identifier: MIT */
#include "lab/certify/sphere.h"

#include "base/vec3.h"
#include "lab/drift.h"
#include "lab/stopwatch.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct property {
    const char *key, *words;
    size_t claim; /* offset in the claims */
} properties[PH_S2_PROPERTIES] = {
    [PH_S2_NORM] = {"norm", "|q| = 1", offsetof(struct ph_s2_claims, norm)},
    [PH_S2_TANGENT] = {"tangent", "q.w = 0", offsetof(struct ph_s2_claims, tangent)},
    [PH_S2_MOMENTUM] = {"momentum", "angular momentum along axes of symmetry", offsetof(struct ph_s2_claims, momentum)},
    [PH_S2_MOMENTUM_COUPLED] = {"momentum_coupled", "also coupled", offsetof(struct ph_s2_claims, momentum_coupled)},
    [PH_S2_REVERSIBLE] = {"reversible", "reversible", offsetof(struct ph_s2_claims, reversible)},
    [PH_S2_SYMPLECTIC] = {"symplectic", "symplectic", offsetof(struct ph_s2_claims, symplectic)},
    [PH_S2_SYMPLECTIC_COUPLED] = {"symplectic_coupled", "also coupled",
                                  offsetof(struct ph_s2_claims, symplectic_coupled)},
};

const char *ph_s2_property_words(enum ph_s2_property property) { return properties[property].words; }
const char *ph_s2_property_key(enum ph_s2_property property) { return properties[property].key; }

bool ph_s2_claims(const struct ph_s2_method *method, enum ph_s2_property property)
{
    bool claimed;
    memcpy(&claimed, (const char *)&method->claims + properties[property].claim, sizeof claimed);
    return claimed;
}

static double distance(size_t n, const double (*a)[3], const double (*b)[3])
{
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            sum += (a[i][k] - b[i][k]) * (a[i][k] - b[i][k]);
    return sqrt(sum);
}

/* ---- Order ---- */

/* A problem at t = 1, after equal steps */
static enum ph_status reach(const struct ph_s2_method *method, size_t problem, long steps, struct ph_s2 **out,
                            struct ph_error *err)
{
    const enum ph_status status = ph_s2_create(ph_s2_problem_at(problem), out, err);
    return status == PH_OK ? ph_s2_advance(method, 1.0 / (double)steps, steps, *out, err) : status;
}

/* The ratio of errors at t = 1 with so many steps, by problem, and twice as many, against rkmkgl4 with 8192: errors of
 * order 4 are then 4096 times those of the reference or more, and far from rounding. */
static const long coarse_steps[PH_S2_PROBLEMS] = {64, 256, 512};

static enum ph_status measure_order(size_t problem, struct ph_s2_card *card, struct ph_error *err)
{
    struct ph_s2 *end[3] = {NULL, NULL, NULL};
    enum ph_status status = reach(&ph_s2_rkmkgl4, problem, 8192, &end[0], err);
    for (int k = 1; k < 3 && status == PH_OK; ++k)
        status = reach(card->method, problem, coarse_steps[problem] << (k - 1), &end[k], err);
    if (status == PH_OK) {
        const size_t n = end[0]->n;
        double q[3], w[3];
        for (int k = 1; k < 3; ++k) {
            q[k] = distance(n, (const double(*)[3])end[k]->q, (const double(*)[3])end[0]->q);
            w[k] = distance(n, (const double(*)[3])end[k]->w, (const double(*)[3])end[0]->w);
        }
        card->order_q[problem] = log2(q[1] / q[2]);
        card->order_w[problem] = log2(w[1] / w[2]);
        card->error_q[problem] = q[2];
    }
    for (int k = 0; k < 3; ++k)
        ph_s2_destroy(end[k]);
    return status;
}

/* ---- What is conserved ---- */

/* The larger of two deviations counts: a property must hold on every problem. */
static void note(struct ph_property *property, double deviation, double rounding, double least)
{
    property->rounding = rounding;
    if (!(deviation <= property->deviation))
        property->deviation = deviation;
    property->verdict = property->deviation < rounding ? PH_VERDICT_YES
                        : property->deviation > least  ? PH_VERDICT_NO
                                                       : PH_VERDICT_UNRESOLVED;
}

/* After 1000 steps of 0.01: deviations of |q| and q.w, change of the angular momentum along an axis of symmetry; then
 * ten steps of 0.04 forth and back again. Rounding of a thousand steps is far below 1e-12, what is not conserved is off
 * by more than 1e-10 on every problem. */
static enum ph_status measure_conserved(const struct ph_s2_problem *problem, struct ph_s2_card *card,
                                        struct ph_error *err)
{
    static const double rounding = 1e-12, least = 1e-10, step = 0.01;
    struct ph_s2 *s2 = NULL, *kept = NULL;
    double before[3], after[3], norm = 0.0, tangent = 0.0;
    enum ph_status status = ph_s2_create(problem, &s2, err);
    if (status == PH_OK) {
        ph_s2_momentum(s2, before);
        status = ph_s2_advance(card->method, step, 1000, s2, err);
    }
    if (status == PH_OK) {
        ph_s2_momentum(s2, after);
        ph_s2_defects(s2, &norm, &tangent);
        note(&card->property[PH_S2_NORM], norm, rounding, least);
        note(&card->property[PH_S2_TANGENT], tangent, rounding, least);
        if (ph_vec3_norm(problem->axis) > 0.0)
            note(&card->property[problem->n_coupled > 0 ? PH_S2_MOMENTUM_COUPLED : PH_S2_MOMENTUM],
                 fabs(ph_vec3_dot(problem->axis, after) - ph_vec3_dot(problem->axis, before)), rounding, least);
        status = ph_s2_create(problem, &kept, err);
    }
    if (status == PH_OK) {
        memcpy(kept->q, s2->q, s2->n * sizeof *s2->q);
        memcpy(kept->w, s2->w, s2->n * sizeof *s2->w);
        status = ph_s2_advance(card->method, 4.0 * step, 10, s2, err);
    }
    if (status == PH_OK)
        status = ph_s2_advance(card->method, -4.0 * step, 10, s2, err);
    if (status == PH_OK)
        note(&card->property[PH_S2_REVERSIBLE],
             hypot(distance(s2->n, (const double(*)[3])s2->q, (const double(*)[3])kept->q),
                   distance(s2->n, (const double(*)[3])s2->w, (const double(*)[3])kept->w)),
             rounding, least);
    ph_s2_destroy(s2);
    ph_s2_destroy(kept);
    return status;
}

/* One step of 0.15: differences leave some 1e-9 of zero, and methods that are not symplectic change the form by 1e-4.
 */
static enum ph_status measure_symplectic(const struct ph_s2_problem *problem, struct ph_s2_card *card,
                                         struct ph_error *err)
{
    double defect = 0.0;
    const enum ph_status status = ph_s2_form_defect(card->method, problem, 0.15, &defect, err);
    if (status == PH_OK)
        note(&card->property[problem->n_coupled > 0 ? PH_S2_SYMPLECTIC_COUPLED : PH_S2_SYMPLECTIC], defect, 1e-7, 1e-5);
    return status;
}

/* ---- Drift and cost ---- */

/* A straight line through the means of the energy over 40 parts of t = 200. It drifts if the slope is more than five
 * times its deviation and changes the energy by more than rounding. */
static enum ph_status measure_drift(struct ph_s2_card *card, struct ph_error *err)
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
        status = ph_s2_advance(card->method, step, STEPS, s2, err);
        if (status == PH_OK)
            status = ph_s2_energy(s2, &energy, err);
        mean[k / LOOKS] += (energy - start) / LOOKS;
    }
    ph_s2_destroy(s2);
    if (status != PH_OK)
        return status;
    const double spacing = step * STEPS * LOOKS, time = spacing * PARTS;
    ph_drift_line(PARTS, mean, spacing, &card->drift, &card->drift_deviation);
    card->drifts = fabs(card->drift) > 5.0 * card->drift_deviation && fabs(card->drift) * time > 1e-11 ? PH_VERDICT_YES
                                                                                                       : PH_VERDICT_NO;
    return PH_OK;
}

/* Of the needles, on one thread */
static enum ph_status measure_cost(struct ph_s2_card *card, struct ph_error *err)
{
    enum { STEPS = 500 };
    struct ph_s2 *s2 = NULL;
    enum ph_status status = ph_s2_create(ph_s2_problem_find("dipole-array"), &s2, err);
    if (status == PH_OK) {
        const struct ph_stopwatch watch = ph_stopwatch_start(1);
        status = ph_s2_advance(card->method, 0.01, STEPS, s2, err);
        card->us_per_step = 1e6 * ph_stopwatch_read_any(&watch) / STEPS;
        card->evaluations = (double)(s2->evaluations - 1) / STEPS;
        card->iterations = (double)s2->iterations / STEPS;
    }
    ph_s2_destroy(s2);
    return status;
}

/* ---- The card ---- */

enum ph_status ph_certify_s2(const struct ph_s2_method *method, struct ph_s2_card *card, struct ph_error *err)
{
    memset(card, 0, sizeof *card);
    card->method = method;
    enum ph_status status = PH_OK;
    for (size_t p = 0; p < PH_S2_PROBLEMS && status == PH_OK; ++p) {
        const struct ph_s2_problem *problem = ph_s2_problem_at(p);
        status = measure_order(p, card, err);
        if (status == PH_OK)
            status = measure_conserved(problem, card, err);
        if (status == PH_OK && ph_vec3_norm(problem->axis) > 0.0) /* the pendulums, with one and two bodies */
            status = measure_symplectic(problem, card, err);
    }
    if (status == PH_OK)
        status = measure_drift(card, err);
    return status == PH_OK ? measure_cost(card, err) : status;
}

enum ph_claim_state ph_s2_card_order_state(const struct ph_s2_card *card)
{
    bool right = true;
    for (size_t p = 0; p < PH_S2_PROBLEMS; ++p)
        right = right && fabs(card->order_q[p] - card->method->order) < 0.2 &&
                fabs(card->order_w[p] - card->method->order) < 0.2;
    return right ? PH_CLAIM_CONFIRMED : PH_CLAIM_CONTRADICTED;
}

enum ph_claim_state ph_s2_card_property_state(const struct ph_s2_card *card, enum ph_s2_property property)
{
    const enum ph_verdict verdict = card->property[property].verdict;
    if (verdict == PH_VERDICT_UNRESOLVED)
        return PH_CLAIM_OPEN;
    return (verdict == PH_VERDICT_YES) == ph_s2_claims(card->method, property) ? PH_CLAIM_CONFIRMED
                                                                               : PH_CLAIM_CONTRADICTED;
}

enum ph_claim_state ph_s2_card_drift_state(const struct ph_s2_card *card)
{
    return card->method->claims.symplectic && card->drifts == PH_VERDICT_YES ? PH_CLAIM_CONTRADICTED
                                                                             : PH_CLAIM_CONFIRMED;
}

int ph_s2_card_count(const struct ph_s2_card *card, enum ph_claim_state state)
{
    int count = (ph_s2_card_order_state(card) == state) + (ph_s2_card_drift_state(card) == state);
    for (int k = 0; k < PH_S2_PROPERTIES; ++k)
        count += ph_s2_card_property_state(card, (enum ph_s2_property)k) == state;
    return count;
}
