/* SPDX-License-Identifier: MIT */
#include "lab/certify/integrator.h"

#include "base/clock.h"
#include "lab/certify/scheme_jacobian.h"
#include "lab/drift.h"
#include "lab/problems/course.h"

#include <math.h>
#include <string.h>

const char *const ph_integrator_property_names[PH_INTEGRATOR_PROPERTIES] = {
    [PH_INTEGRATOR_REVERSIBLE] = "reversible",          [PH_INTEGRATOR_FREE_SYMPLECTIC] = "free: symplectic",
    [PH_INTEGRATOR_FREE_ENERGY] = "free: energy",       [PH_INTEGRATOR_FREE_MOMENTUM] = "free: momentum",
    [PH_INTEGRATOR_SYMPLECTIC] = "symplectic",          [PH_INTEGRATOR_TOP_ENERGY] = "energy of a top",
    [PH_INTEGRATOR_AXIS_MOMENTUM] = "momentum on axis",
};

bool ph_integrator_claims(const struct ph_integrator *integrator, enum ph_integrator_property property)
{
    const struct ph_integrator_claims *claims = &integrator->claims;
    switch (property) {
    case PH_INTEGRATOR_REVERSIBLE: return claims->reversible;
    case PH_INTEGRATOR_FREE_SYMPLECTIC: return claims->free_symplectic;
    case PH_INTEGRATOR_FREE_ENERGY: return claims->free_energy;
    case PH_INTEGRATOR_FREE_MOMENTUM: return claims->free_momentum;
    case PH_INTEGRATOR_SYMPLECTIC: return claims->symplectic;
    case PH_INTEGRATOR_TOP_ENERGY: return claims->top_energy;
    case PH_INTEGRATOR_AXIS_MOMENTUM: return claims->axis_momentum;
    default: return false;
    }
}

/* ---- Order ---- */

/* Ends computed with 25 digits in multiple precision, and steps short enough for the error to be a power of them; a
 * method that is not symmetric needs eight times shorter ones. */
static const struct end {
    const struct ph_problem *problem;
    double time;
    long steps;
    double m[3], q[4];
} ends[PH_INTEGRATOR_PROBLEMS] = {
    {&ph_problem_free_body,
     100.0,
     4000,
     {0.6615686038527636818, 0.6341307090387867032, 0.4000247708794113935},
     {0.9357751480830911556, -0.3054767877725219505, -0.1396046546315315471, 0.107328210492214955}},
    {&ph_problem_heavy_book,
     10.0,
     800,
     {0.6020062740752861610, 0.3052888778818010888, -1.076374300128743433},
     {-0.8353830932458659425, -0.4467732023458620599, -0.3110430422413335040, 0.07603301294732614681}},
    {&ph_problem_soft_wall,
     10.0,
     800,
     {0.9227430108264030943, -2.726363884692451779, 1.745793988561119866},
     {-0.4855955416275373439, -0.3397035211530601220, 0.5543383193524095756, -0.5843864435159469510}},
    {&ph_problem_attractor,
     5.0,
     200,
     {-1.344060171519657896, 0.6283065130682129637, -1.351338105230282029},
     {0.9244491828609173389, -0.01217342822878503862, -0.3548453727228356929, 0.1390333679737804891}},
};
const char *const ph_integrator_problems[PH_INTEGRATOR_PROBLEMS] = {"free-body", "heavy-book", "soft-wall",
                                                                    "attractor"};

static enum ph_status measure_order(const struct ph_posed *posed, int p, struct ph_integrator_card *card,
                                    struct ph_error *err)
{
    const struct end *end = &ends[p];
    double m[2], q[2];
    for (int fine = 0; fine < 2; ++fine) {
        const long n = (end->steps * (card->property[PH_INTEGRATOR_REVERSIBLE].verdict == PH_VERDICT_YES ? 1 : 8))
                       << fine;
        struct ph_course course;
        enum ph_status status = ph_course_begin(posed, card->integrator, end->time / (double)n, &course, err);
        if (status == PH_OK)
            status = ph_motion_advance(course.motion, n, err);
        if (status == PH_OK) {
            m[fine] = ph_course_momentum_error(&course, end->m);
            q[fine] = ph_course_attitude_error(&course, end->q);
        }
        ph_course_clear(&course);
        if (status != PH_OK)
            return status;
    }
    card->order_m[p] = log2(m[0] / m[1]);
    card->order_q[p] = log2(q[0] / q[1]);
    card->error_m[p] = m[1];
    card->error_q[p] = q[1];
    return PH_OK;
}

/* ---- Properties ---- */

/* A deviation up to `rounding` is none; from so many times that on it is a property of the method. */
static const double plain = 1e3;

static struct ph_property judge(double deviation, double rounding, double step)
{
    const enum ph_verdict verdict = deviation <= rounding              ? PH_VERDICT_YES
                                    : !(deviation <= plain * rounding) ? PH_VERDICT_NO
                                                                       : PH_VERDICT_UNRESOLVED;
    return (struct ph_property){.verdict = verdict, .deviation = deviation, .rounding = rounding, .turn = step};
}

/* Steps forth, and back with steps of the opposite sign; the same with reversed momenta */
static enum ph_status measure_return(const struct ph_posed *posed, struct ph_integrator_card *card,
                                     struct ph_error *err)
{
    enum { STEPS = 50 };
    static const double h = 0.1;
    double off = 0.0;
    for (int momenta = 0; momenta < 2; ++momenta) {
        const double sign = momenta ? -1.0 : 1.0;
        struct ph_course forth, back = {.system = NULL};
        enum ph_status status = ph_course_begin(posed, card->integrator, h, &forth, err);
        if (status == PH_OK)
            status = ph_motion_advance(forth.motion, STEPS, err);
        for (int k = 0; k < 3 && status == PH_OK; ++k)
            forth.system->m[k][0] *= sign;
        const struct ph_posed there = {.system = forth.system, .interactions = posed->interactions};
        if (status == PH_OK)
            status = ph_course_begin(&there, card->integrator, momenta ? h : -h, &back, err);
        if (status == PH_OK)
            status = ph_motion_advance(back.motion, STEPS, err);
        if (status == PH_OK) {
            double m[3], q[4];
            for (int k = 0; k < 3; ++k)
                m[k] = sign * posed->system->m[k][0];
            for (int k = 0; k < 4; ++k)
                q[k] = posed->system->q[k][0];
            off = fmax(off, ph_course_momentum_error(&back, m) + ph_course_attitude_error(&back, q));
        }
        ph_course_clear(&back);
        ph_course_clear(&forth);
        if (status != PH_OK)
            return status;
    }
    card->property[PH_INTEGRATOR_REVERSIBLE] = judge(off, 1e-12, h);
    return PH_OK;
}

/* Largest relative changes over many steps, of the energy, the angular momentum in space and its component along e3 */
struct changes {
    double energy, momentum, along;
};

static enum ph_status measure_changes(const struct ph_posed *posed, const struct ph_integrator *integrator, double h,
                                      struct changes *changes, struct ph_error *err)
{
    enum { SAMPLES = 100, EVERY = 7 };
    struct ph_course course;
    double energy = 0.0, now, start[3], momentum[3];
    *changes = (struct changes){0.0, 0.0, 0.0};
    enum ph_status status = ph_course_begin(posed, integrator, h, &course, err);
    if (status == PH_OK)
        status = ph_course_energy(&course, &energy, err);
    if (status == PH_OK)
        ph_course_momentum(&course, start);
    for (int i = 0; i < SAMPLES && status == PH_OK; ++i) {
        status = ph_motion_advance(course.motion, EVERY, err);
        if (status == PH_OK)
            status = ph_course_energy(&course, &now, err);
        if (status != PH_OK)
            break;
        ph_course_momentum(&course, momentum);
        changes->energy = fmax(changes->energy, fabs(now - energy) / fabs(energy));
        for (int k = 0; k < 3; ++k)
            changes->momentum = fmax(changes->momentum, fabs(momentum[k] - start[k]) / ph_vec3_norm(start));
        changes->along = fmax(changes->along, fabs(momentum[2] - start[2]) / ph_vec3_norm(start));
    }
    ph_course_clear(&course);
    return status;
}

/* One step as a map, for its Jacobian */
static enum ph_status step_course(void *data, const struct ph_trial_body start[], struct ph_trial_body end[],
                                  struct ph_error *err)
{
    struct ph_course *course = data;
    struct ph_system *system = course->system;
    for (int k = 0; k < 3; ++k)
        system->m[k][0] = start[0].m[k];
    for (int k = 0; k < 4; ++k)
        system->q[k][0] = start[0].q[k];
    ph_motion_reset(course->motion);
    const enum ph_status status = ph_motion_advance(course->motion, 1, err);
    end[0] = start[0];
    for (int k = 0; k < 3; ++k)
        end[0].m[k] = status == PH_OK ? system->m[k][0] : NAN;
    for (int k = 0; k < 4; ++k)
        end[0].q[k] = system->q[k][0];
    return status == PH_ERR_NUMBERS ? PH_OK : status;
}

/* J^T W(m') J - W(m) of one step, by differences of order 10, after a few steps have led away from the start, where
 * symmetries might hide something */
static enum ph_status measure_two_form(const struct ph_posed *posed, const struct ph_integrator *integrator, double h,
                                       struct ph_property *property, struct ph_error *err)
{
    static const double noise = 1e-11;
    enum { LEAD = 9 };
    struct ph_course course;
    struct ph_trial_body start = {.r = {0.0}};
    double residual = 0.0;
    const struct ph_step_map map = {.step = step_course, .data = &course};
    enum ph_status status = ph_course_begin(posed, integrator, h, &course, err);
    if (status == PH_OK)
        status = ph_motion_advance(course.motion, LEAD, err);
    for (int k = 0; k < 3 && status == PH_OK; ++k)
        start.m[k] = course.system->m[k][0];
    for (int k = 0; k < 4 && status == PH_OK; ++k)
        start.q[k] = course.system->q[k][0];
    if (status == PH_OK)
        status = ph_two_form_residual(1, true, &start, &map, &residual, err);
    ph_course_clear(&course);
    if (status == PH_OK && residual >= property->deviation)
        *property = judge(residual, noise, h);
    return status;
}

/* ---- Energy over a long time ---- */

static const double significant = 5.0;

static enum ph_status measure_drift(const struct ph_posed *posed, struct ph_integrator_card *card, struct ph_error *err)
{
    for (int i = 0; i < 2; ++i) {
        card->drift_step[i] = i == 0 ? 0.125 : 0.0625;
        const struct ph_drift_test test = {
            .integrator = card->integrator, .step = card->drift_step[i], .time = 4000.0, .samples = 16000};
        struct ph_drift drift;
        const enum ph_status status = ph_drift_measure(posed, &test, &drift, err);
        if (status != PH_OK)
            return status;
        card->drift[i] = drift.slope;
        card->drift_deviation[i] = drift.deviation;
        card->drift_time = test.time;
    }
    const bool yes = fabs(card->drift[0]) > significant * card->drift_deviation[0] &&
                     fabs(card->drift[1]) > significant * card->drift_deviation[1];
    const bool no = fabs(card->drift[0]) < significant * card->drift_deviation[0] &&
                    fabs(card->drift[1]) < significant * card->drift_deviation[1];
    card->drifts = yes ? PH_VERDICT_YES : no ? PH_VERDICT_NO : PH_VERDICT_UNRESOLVED;
    return PH_OK;
}

/* Forces and processor time of a step, the least time of several runs; nobody looks at the energy meanwhile. */
static enum ph_status measure_cost(const struct ph_posed *posed, struct ph_integrator_card *card, struct ph_error *err)
{
    enum { RUNS = 3, STEPS = 4000 };
    card->us_per_step = INFINITY;
    enum ph_status status = PH_OK;
    for (int i = 0; i < RUNS && status == PH_OK; ++i) {
        struct ph_course course;
        status = ph_course_begin(posed, card->integrator, 0.1, &course, err);
        const double begun = ph_clock_thread();
        if (status == PH_OK)
            status = ph_motion_advance(course.motion, 1, err);
        const size_t first = status == PH_OK ? ph_motion_counts(course.motion).evaluations : 0;
        if (status == PH_OK)
            status = ph_motion_advance(course.motion, STEPS, err);
        if (status == PH_OK) {
            card->us_per_step = fmin(card->us_per_step, 1e6 * (ph_clock_thread() - begun) / (STEPS + 1));
            card->evaluations = (double)(ph_motion_counts(course.motion).evaluations - first) / STEPS;
        }
        ph_course_clear(&course);
    }
    return status;
}

/* ---- All together ---- */

static enum ph_status certify(struct ph_posed posed[PH_INTEGRATOR_PROBLEMS], struct ph_integrator_card *card,
                              struct ph_error *err)
{
    enum { FREE, TOP, WALL, ATTRACTOR };
    static const double rounding = 3e-13;
    const struct ph_integrator *integrator = card->integrator;
    struct ph_property *property = card->property;
    struct changes body, top, wall;
    enum ph_status status = measure_return(&posed[WALL], card, err);
    for (int p = 0; p < PH_INTEGRATOR_PROBLEMS && status == PH_OK; ++p)
        status = measure_order(&posed[p], p, card, err);
    if (status == PH_OK)
        status = measure_changes(&posed[FREE], integrator, 0.25, &body, err);
    if (status == PH_OK)
        status = measure_changes(&posed[TOP], integrator, 0.05, &top, err);
    if (status == PH_OK)
        status = measure_changes(&posed[WALL], integrator, 0.1, &wall, err);
    if (status == PH_OK) {
        property[PH_INTEGRATOR_FREE_ENERGY] = judge(body.energy, rounding, 0.25);
        property[PH_INTEGRATOR_FREE_MOMENTUM] = judge(body.momentum, rounding, 0.25);
        property[PH_INTEGRATOR_TOP_ENERGY] = judge(top.energy, rounding, 0.05);
        property[PH_INTEGRATOR_AXIS_MOMENTUM] = judge(wall.along, rounding, 0.1);
        status = measure_two_form(&posed[FREE], integrator, 0.25, &property[PH_INTEGRATOR_FREE_SYMPLECTIC], err);
    }
    if (status == PH_OK)
        status = measure_two_form(&posed[TOP], integrator, 0.1, &property[PH_INTEGRATOR_SYMPLECTIC], err);
    if (status == PH_OK)
        status = measure_two_form(&posed[ATTRACTOR], integrator, 0.25, &property[PH_INTEGRATOR_SYMPLECTIC], err);
    if (status == PH_OK)
        status = measure_drift(&posed[ATTRACTOR], card, err);
    return status == PH_OK ? measure_cost(&posed[WALL], card, err) : status;
}

enum ph_status ph_certify_integrator(const struct ph_integrator *integrator, struct ph_integrator_card *card,
                                     struct ph_error *err)
{
    struct ph_posed posed[PH_INTEGRATOR_PROBLEMS] = {{.system = NULL}};
    memset(card, 0, sizeof *card);
    card->integrator = integrator;
    enum ph_status status = PH_OK;
    for (int p = 0; p < PH_INTEGRATOR_PROBLEMS && status == PH_OK; ++p)
        status = ph_problem_pose(ends[p].problem, 0, NULL, 1, 0, &posed[p], err);
    if (status == PH_OK)
        status = certify(posed, card, err);
    for (int p = 0; p < PH_INTEGRATOR_PROBLEMS; ++p)
        ph_posed_clear(&posed[p]);
    return status;
}

/* ---- Claims ---- */

static const double order_tolerance = 0.2;

enum ph_claim_state ph_integrator_card_order_state(const struct ph_integrator_card *card)
{
    for (int p = 0; p < PH_INTEGRATOR_PROBLEMS; ++p)
        if (!(fabs(card->order_m[p] - card->integrator->order) <= order_tolerance) ||
            !(fabs(card->order_q[p] - card->integrator->order) <= order_tolerance))
            return PH_CLAIM_CONTRADICTED;
    return PH_CLAIM_CONFIRMED;
}

enum ph_claim_state ph_integrator_card_property_state(const struct ph_integrator_card *card,
                                                      enum ph_integrator_property property)
{
    const enum ph_verdict verdict = card->property[property].verdict;
    if (verdict == PH_VERDICT_UNRESOLVED)
        return PH_CLAIM_OPEN;
    return (verdict == PH_VERDICT_YES) == ph_integrator_claims(card->integrator, property) ? PH_CLAIM_CONFIRMED
                                                                                           : PH_CLAIM_CONTRADICTED;
}

enum ph_claim_state ph_integrator_card_drift_state(const struct ph_integrator_card *card)
{
    if (!card->integrator->claims.symplectic || card->drifts == PH_VERDICT_NO)
        return PH_CLAIM_CONFIRMED;
    return card->drifts == PH_VERDICT_YES ? PH_CLAIM_CONTRADICTED : PH_CLAIM_OPEN;
}

int ph_integrator_card_count(const struct ph_integrator_card *card, enum ph_claim_state state)
{
    int n = (ph_integrator_card_order_state(card) == state) + (ph_integrator_card_drift_state(card) == state);
    for (int i = 0; i < PH_INTEGRATOR_PROPERTIES; ++i)
        n += ph_integrator_card_property_state(card, (enum ph_integrator_property)i) == state;
    return n;
}
