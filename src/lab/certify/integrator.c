/* SPDX-License-Identifier: MIT */
#include "lab/certify/integrator.h"

#include "base/clock.h"
#include "lab/certify/scheme_jacobian.h"
#include "lab/drift.h"
#include "lab/problems/course.h"

#include <math.h>

enum {
    FREE_MOMENTUM, /* free: without a potential */
    FREE_ENERGY,
    AXIS_MOMENTUM, /* with a potential */
    TOP_ENERGY,
    REVERSIBLE,
    SYMPLECTIC,
    FREE_SYMPLECTIC,
    NO_DRIFT,
    PROPERTIES
};

enum { DRIFTS = 2 };
enum { DRIFT, DRIFT_PER_SQUARE = DRIFT + DRIFTS, EVALUATIONS, US_PER_STEP, FIGURES };

/* ---- Order ---- */

/* Ends computed with 25 digits in multiple precision, and steps short enough for the error to be a power of them. A
 * method that is not symmetric needs eight times shorter steps. */
static const struct end {
    const struct ph_problem *problem;
    double time;
    long steps;
    double m[3], q[4];
} ends[] = {
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
enum { PROBLEMS = sizeof ends / sizeof *ends };

/* From the errors with two steps, one half of the other */
static void add_order(const char *quantity, const struct end *end, const double error[2], double step, int claimed,
                      struct ph_card *card)
{
    const struct ph_order order = {
        .resolved = true, .order = log2(error[0] / error[1]), .error = error[1], .turn = step};
    ph_card_add_order(card, (struct ph_card_order){.quantity = quantity,
                                                   .where = end->problem->name,
                                                   .time = end->time,
                                                   .claimed = claimed,
                                                   .measured = order});
}

static enum ph_status measure_order(const struct ph_posed *posed, const struct end *end,
                                    const struct ph_integrator *integrator, struct ph_card *card, struct ph_error *err)
{
    const long steps = end->steps * (card->property[REVERSIBLE].verdict == PH_VERDICT_YES ? 1 : 8);
    double m[2], q[2];
    for (int fine = 0; fine < 2; ++fine) {
        const long n = steps << fine;
        struct ph_course course;
        enum ph_status status = ph_course_begin(posed, integrator, end->time / (double)n, &course, err);
        if (status == PH_OK)
            status = ph_motion_advance(course.motion, n, err);
        if (status == PH_OK) {
            m[fine] = ph_course_momentum_error(&course, end->m);
            q[fine] = ph_course_orientation_error(&course, end->q);
        }
        ph_course_clear(&course);
        if (status != PH_OK)
            return status;
    }
    add_order("m", end, m, end->time / (double)(2 * steps), integrator->order, card);
    add_order("q", end, q, end->time / (double)(2 * steps), integrator->order, card);
    return PH_OK;
}

/* ---- Properties ---- */

/* A deviation of this many times rounding is a property of the method. */
static const double plain = 1e3;

/* Steps forth, and back with steps of the opposite sign; the same with reversed momenta */
static enum ph_status measure_return(const struct ph_posed *posed, const struct ph_integrator *integrator,
                                     struct ph_property *property, struct ph_error *err)
{
    enum { STEPS = 50 };
    static const double h = 0.1;
    double off = 0.0;
    for (int momenta = 0; momenta < 2; ++momenta) {
        const double sign = momenta ? -1.0 : 1.0;
        struct ph_course forth, back = {.system = NULL};
        enum ph_status status = ph_course_begin(posed, integrator, h, &forth, err);
        if (status == PH_OK)
            status = ph_motion_advance(forth.motion, STEPS, err);
        for (int k = 0; k < 3 && status == PH_OK; ++k)
            forth.system->m[k][0] *= sign;
        const struct ph_posed there = {.system = forth.system, .interactions = posed->interactions};
        if (status == PH_OK)
            status = ph_course_begin(&there, integrator, momenta ? h : -h, &back, err);
        if (status == PH_OK)
            status = ph_motion_advance(back.motion, STEPS, err);
        if (status == PH_OK) {
            double m[3], q[4];
            for (int k = 0; k < 3; ++k)
                m[k] = sign * posed->system->m[k][0];
            for (int k = 0; k < 4; ++k)
                q[k] = posed->system->q[k][0];
            off = fmax(off, ph_course_momentum_error(&back, m) + ph_course_orientation_error(&back, q));
        }
        ph_course_clear(&back);
        ph_course_clear(&forth);
        if (status != PH_OK)
            return status;
    }
    ph_property_judge(property, off, 1e-12, plain, h);
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
    ph_state_changed(ph_motion_state(course->motion), PH_STATE_PLACES | PH_STATE_MOMENTA);
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
        status = ph_two_form_residual(1, true, &start, &map, &residual, NULL, err);
    ph_course_clear(&course);
    if (status == PH_OK)
        ph_property_judge(property, residual, noise, plain, h);
    return status;
}

/* ---- Energy over a long time ---- */

static const double significant = 5.0;

static enum ph_status measure_drift(const struct ph_posed *posed, const struct ph_integrator *integrator,
                                    struct ph_card *card, struct ph_error *err)
{
    static const double steps[DRIFTS] = {0.125, 0.0625};
    struct ph_drift drift;
    int seen = 0, none = 0;
    for (int i = 0; i < DRIFTS; ++i) {
        const struct ph_drift_test test = {
            .integrator = integrator, .step = steps[i], .time = 4000.0, .samples = 16000};
        const enum ph_status status = ph_drift_measure(posed, &test, &drift, err);
        if (status != PH_OK)
            return status;
        card->figure[DRIFT + i] =
            (struct ph_figure){.value = drift.slope, .deviation = drift.deviation, .claimed = NAN};
        seen += fabs(drift.slope) > significant * drift.deviation;
        none += fabs(drift.slope) < significant * drift.deviation;
    }
    const double h = steps[DRIFTS - 1];
    card->figure[DRIFT_PER_SQUARE].value = drift.slope / (h * h);
    card->property[NO_DRIFT] = (struct ph_property){.verdict = seen == DRIFTS   ? PH_VERDICT_NO
                                                               : none == DRIFTS ? PH_VERDICT_YES
                                                                                : PH_VERDICT_UNRESOLVED,
                                                    .deviation = fabs(drift.slope),
                                                    .rounding = significant * drift.deviation,
                                                    .step = h};
    return PH_OK;
}

/* Forces and processor time of a step, the least time of several runs; the energy is not evaluated meanwhile. */
static enum ph_status measure_cost(const struct ph_posed *posed, const struct ph_integrator *integrator,
                                   struct ph_card *card, struct ph_error *err)
{
    enum { RUNS = 3, STEPS = 4000 };
    double least = INFINITY;
    enum ph_status status = PH_OK;
    for (int i = 0; i < RUNS && status == PH_OK; ++i) {
        struct ph_course course;
        status = ph_course_begin(posed, integrator, 0.1, &course, err);
        const double begun = ph_clock_thread();
        if (status == PH_OK)
            status = ph_motion_advance(course.motion, 1, err);
        const size_t first = status == PH_OK ? ph_motion_counts(course.motion).evaluations : 0;
        if (status == PH_OK)
            status = ph_motion_advance(course.motion, STEPS, err);
        if (status == PH_OK) {
            least = fmin(least, 1e6 * (ph_clock_thread() - begun) / (STEPS + 1));
            card->figure[EVALUATIONS].value = (double)(ph_motion_counts(course.motion).evaluations - first) / STEPS;
        }
        ph_course_clear(&course);
    }
    card->figure[US_PER_STEP].value = least;
    return status;
}

/* ---- All together ---- */

static enum ph_status certify(struct ph_posed posed[PROBLEMS], const struct ph_integrator *integrator,
                              struct ph_card *card, struct ph_error *err)
{
    enum { FREE, TOP, WALL, ATTRACTOR };
    static const double rounding = 3e-13;
    struct ph_property *property = card->property;
    struct changes body, top, wall;
    enum ph_status status = measure_return(&posed[WALL], integrator, &property[REVERSIBLE], err);
    for (int p = 0; p < PROBLEMS && status == PH_OK; ++p)
        status = measure_order(&posed[p], &ends[p], integrator, card, err);
    if (status == PH_OK)
        status = measure_changes(&posed[FREE], integrator, 0.25, &body, err);
    if (status == PH_OK)
        status = measure_changes(&posed[TOP], integrator, 0.05, &top, err);
    if (status == PH_OK)
        status = measure_changes(&posed[WALL], integrator, 0.1, &wall, err);
    if (status == PH_OK) {
        ph_property_judge(&property[FREE_ENERGY], body.energy, rounding, plain, 0.25);
        ph_property_judge(&property[FREE_MOMENTUM], body.momentum, rounding, plain, 0.25);
        ph_property_judge(&property[TOP_ENERGY], top.energy, rounding, plain, 0.05);
        ph_property_judge(&property[AXIS_MOMENTUM], wall.along, rounding, plain, 0.1);
        status = measure_two_form(&posed[FREE], integrator, 0.25, &property[FREE_SYMPLECTIC], err);
    }
    if (status == PH_OK)
        status = measure_two_form(&posed[TOP], integrator, 0.1, &property[SYMPLECTIC], err);
    if (status == PH_OK)
        status = measure_two_form(&posed[ATTRACTOR], integrator, 0.25, &property[SYMPLECTIC], err);
    if (status == PH_OK)
        status = measure_drift(&posed[ATTRACTOR], integrator, card, err);
    return status == PH_OK ? measure_cost(&posed[WALL], integrator, card, err) : status;
}

enum ph_status ph_certify_integrator(const struct ph_integrator *integrator, struct ph_card *card, struct ph_error *err)
{
    struct ph_posed posed[PROBLEMS] = {{.system = NULL}};
    ph_card_begin(card, &ph_integrator_cards, integrator->name, integrator->summary, integrator->order,
                  &integrator->claims);
    enum ph_status status = PH_OK;
    for (int p = 0; p < PROBLEMS && status == PH_OK; ++p)
        status = ph_problem_pose(ends[p].problem, 0, NULL, 1, 0, &posed[p], err);
    if (status == PH_OK)
        status = certify(posed, integrator, card, err);
    for (int p = 0; p < PROBLEMS; ++p)
        ph_posed_clear(&posed[p]);
    return status;
}

static const char *name_at(size_t i) { return ph_integrator_at(i)->name; }

static enum ph_status measure(size_t i, struct ph_card *card, struct ph_error *err)
{
    return ph_certify_integrator(ph_integrator_at(i), card, err);
}

#define CLAIM(claim) #claim, offsetof(struct ph_integrator_claims, claim), false, NULL

const struct ph_card_kind ph_integrator_cards = {
    .name = "integrator",
    .names = "integrators",
    .key = "integrators",
    .step = "h",
    .step_key = "step",
    .note = "free: without a potential; momentum: angular momentum in space, along an axis of symmetry if there is a "
            "potential.\nno drift: the energy in a potential is nearly conserved. If it drifts (by 'drift/h^2' per "
            "unit of time, h = 0.0625, problem\n'attractor'), the method is neither symplectic nor conjugate to a "
            "symplectic one; top energy: that of a heavy top is conserved.",
    .n_quantities = 2,
    .quantity = {"m", "q"},
    .order = {{"order m", "m", NULL}, {"order q", "q", NULL}},
    .n_properties = PROPERTIES,
    .n_conserved = 4,
    .property =
        {
            [FREE_MOMENTUM] = {"free: momentum", "free: mom.", "the angular momentum of a free body",
                               CLAIM(free_momentum)},
            [FREE_ENERGY] = {"free: energy", "free: energy", "the energy of a free body", CLAIM(free_energy)},
            [AXIS_MOMENTUM] = {"momentum on axis", "momentum", "angular momentum along an axis of symmetry",
                               CLAIM(axis_momentum)},
            [TOP_ENERGY] = {"energy of a top", "top energy", "the energy of a heavy top", CLAIM(top_energy)},
            [REVERSIBLE] = {"reversible", "reversible", "reversible", CLAIM(reversible)},
            [SYMPLECTIC] = {"symplectic", "symplectic", "symplectic", CLAIM(symplectic)},
            [FREE_SYMPLECTIC] = {"free: symplectic", "free: sympl.", "symplectic for a free body",
                                 CLAIM(free_symplectic)},
            [NO_DRIFT] = {"no energy drift", "no drift", NULL, NULL, offsetof(struct ph_integrator_claims, symplectic),
                          true, "not conjugate to a symplectic method"},
        },
    .n_figures = FIGURES,
    .figure =
        {
            [DRIFT] = {"energy_drift_coarse", "energy drift", "per unit of time with h = 0.125, over 4000", "%.2e",
                       NULL},
            [DRIFT + 1] = {"energy_drift_fine", "energy drift", "per unit of time with h = 0.0625, over 4000", "%.2e",
                           NULL},
            [DRIFT_PER_SQUARE] = {"energy_drift_per_square", "", "times h^2 with h = 0.0625", "%.1e", "drift/h^2"},
            [EVALUATIONS] = {"evaluations_per_step", "force evaluations", "per step", "%.1f", "forces"},
            [US_PER_STEP] = {"microseconds_per_step", "cost", "us per step of one body", "%.2f", "us/step"},
        },
    .count = ph_integrator_count,
    .name_at = name_at,
    .measure = measure,
};
