/* SPDX-License-Identifier: MIT */
/* Methods on products of spheres: order against end states that were computed with 25 digits, what they claim to
 * conserve, and that they say so when they cannot go on. */
#include "physics/s2_ends.h"

#include "dynamics/dynamics.h"
#include "lab/certify/sphere.h"

#include <stdlib.h>
#include <string.h>

static struct ph_s2 *create(const char *problem)
{
    struct ph_s2 *s2;
    struct ph_error err = {.text = ""};
    if (ph_s2_create(ph_s2_problem_find(problem), &s2, &err) != PH_OK)
        fail_msg("%s: %s", problem, err.text);
    return s2;
}

static void advance(const struct ph_s2_method *method, double h, long n, struct ph_s2 *s2)
{
    struct ph_error err = {.text = ""};
    if (ph_s2_advance(method, h, n, s2, &err) != PH_OK)
        fail_msg("%s, %s: %s", method->name, s2->problem->name, err.text);
}

/* ---- Problems ---- */

TEST(problems_start_as_the_references_do)
{
    for (size_t p = 0; p < ph_s2_problem_count(); ++p) {
        struct ph_s2 *s2 = create(ph_s2_problem_at(p)->name);
        const struct end end = read_end(s2->problem->name);
        assert_int_equal(s2->n, end.n);
        const double rounding = 1e-15 * sqrt((double)s2->n);
        assert_true(distance(end.n, (const double(*)[3])s2->q, end.q0) < rounding);
        assert_true(distance(end.n, (const double(*)[3])s2->w, end.w0) < rounding);
        double energy;
        assert_ok(ph_s2_energy(s2, &energy, &err));
        /* potentials of about 20 cancel in part */
        assert_close(energy, end.energy, 1e-14, s2->n == MOST ? end.energy : 40.0);
        ph_s2_destroy(s2);
    }
    assert_int_equal(ph_s2_problem_count(), 4);
    assert_null(ph_s2_problem_find("triple-pendulum"));
}

/* ---- Order ---- */

static void errors_at(const struct ph_s2_method *method, const struct end *end, const char *problem, long steps,
                      double *place, double *velocity)
{
    struct ph_s2 *s2 = create(problem);
    advance(method, end->time / (double)steps, steps, s2);
    *place = distance(end->n, (const double(*)[3])s2->q, end->q);
    *velocity = distance(end->n, (const double(*)[3])s2->w, end->w);
    ph_s2_destroy(s2);
}

/* Steps for which errors are small, but far from rounding; the needles turn by 12 a unit of time and diverge. */
static long coarse_steps(const struct ph_s2_method *method, const char *problem)
{
    const long steps = strcmp(problem, "dipole-array") == 0              ? 1024
                       : strncmp(problem, "spherical-pendulum", 18) == 0 ? 128
                                                                         : 512;
    return method->order == 2 ? steps : steps / 2;
}

TEST(every_method_has_its_order_on_every_problem)
{
    for (size_t p = 0; p < ph_s2_problem_count(); ++p) {
        const char *problem = ph_s2_problem_at(p)->name;
        const struct end end = read_end(problem);
        for (size_t k = 0; k < ph_s2_method_count(); ++k) {
            const struct ph_s2_method *method = ph_s2_method_at(k);
            const long steps = coarse_steps(method, problem);
            double coarse[2], fine[2];
            errors_at(method, &end, problem, steps, &coarse[0], &coarse[1]);
            errors_at(method, &end, problem, 2 * steps, &fine[0], &fine[1]);
            for (int c = 0; c < 2; ++c) {
                const double order = log2(coarse[c] / fine[c]);
                if (!(fabs(order - method->order) < 0.2))
                    fail_msg("%s, %s, %s: order %d claimed, %.2f measured (errors %.2e, %.2e)", problem, method->name,
                             c == 0 ? "places" : "velocities", method->order, order, coarse[c], fine[c]);
            }
        }
    }
}

/* ---- The engine's schemes ---- */

/* Follows the rotors of a problem with the engine's own dynamics. */
static void follow_rotors(struct ph_s2 *s2, const char *scheme, double h, long n)
{
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find(scheme), .flow = ph_flow_find("exact"), .step = h, .pinned = true};
    struct ph_dynamics *dynamics;
    struct ph_error err = {.text = ""};
    ph_s2_put(s2->n, (const double(*)[3])s2->q, (const double(*)[3])s2->w, s2->posed.system);
    if (ph_dynamics_create(s2->posed.system, s2->field, &options, &dynamics, &err) != PH_OK ||
        ph_dynamics_advance(dynamics, n, &err) != PH_OK || ph_dynamics_synchronise(dynamics, NULL, &err) != PH_OK)
        fail_msg("%s: %s", scheme, err.text);
    ph_dynamics_destroy(dynamics);
    ph_s2_take(s2->posed.system, s2->q, s2->w);
}

TEST(the_engines_schemes_have_their_order_on_pinned_rotors)
{
    static const char *const problems[] = {"spherical-pendulum", "dipole-array"};
    static const struct {
        const char *scheme;
        long steps[2];
    } runs[] = {{"verlet", {128, 1024}},
                {"srkn4-6b", {16, 128}},
                {"omelyan4-3f1gp", {32, 256}},
                {"srkn6-14a", {8, 64}},
                {"rkn8-19a", {4, 32}}};
    for (size_t p = 0; p < 2; ++p) {
        const struct end end = read_end(problems[p]);
        for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k) {
            const int claimed = ph_scheme_find(runs[k].scheme)->order;
            double error[2];
            for (int fine = 0; fine < 2; ++fine) {
                struct ph_s2 *s2 = create(problems[p]);
                const long steps = runs[k].steps[p] << fine;
                follow_rotors(s2, runs[k].scheme, end.time / (double)steps, steps);
                error[fine] = hypot(distance(end.n, (const double(*)[3])s2->q, end.q),
                                    distance(end.n, (const double(*)[3])s2->w, end.w));
                ph_s2_destroy(s2);
            }
            const double order = log2(error[0] / error[1]);
            if (!(fabs(order - claimed) < 0.2))
                fail_msg("%s, %s: order %d claimed, %.2f measured (errors %.2e, %.2e)", problems[p], runs[k].scheme,
                         claimed, order, error[0], error[1]);
        }
    }
}

/* Without coupling the Lie-Newmark method is the Verlet scheme with exact rotation. */
TEST(newmark_on_spheres_is_verlet_of_linear_rotors)
{
    static const char *const problems[] = {"spherical-pendulum", "dipole-array"};
    for (size_t p = 0; p < 2; ++p) {
        struct ph_s2 *lie = create(problems[p]), *engine = create(problems[p]);
        advance(&ph_s2_eln, 0.01, 20, lie);
        follow_rotors(engine, "verlet", 0.01, 20);
        assert_true(distance(lie->n, (const double(*)[3])lie->q, (const double(*)[3])engine->q) < 1e-13);
        assert_true(distance(lie->n, (const double(*)[3])lie->w, (const double(*)[3])engine->w) < 1e-12);
        ph_s2_destroy(lie);
        ph_s2_destroy(engine);
    }
}

/* ---- Claims ---- */

/* Claimed properties hold to rounding. Properties that are not claimed are seen not to hold. */
TEST(every_claim_is_confirmed_and_nothing_else_holds)
{
    for (size_t k = 0; k < ph_s2_method_count(); ++k) {
        const struct ph_s2_method *method = ph_s2_method_at(k);
        struct ph_card card;
        struct ph_error err = {.text = ""};
        if (ph_certify_s2(method, &card, &err) != PH_OK)
            fail_msg("%s: %s", method->name, err.text);
        for (size_t p = 0; p < ph_s2_cards.n_properties; ++p)
            if (ph_card_property_state(&card, p) != PH_CLAIM_CONFIRMED)
                fail_msg("%s, %s: %s, but it is off by %.2e", method->name, ph_s2_cards.property[p].name,
                         card.claimed[p] ? "claimed" : "not claimed", card.property[p].deviation);
        assert_int_equal(ph_card_order_state(&card, "q"), PH_CLAIM_CONFIRMED);
        assert_int_equal(ph_card_order_state(&card, "w"), PH_CLAIM_CONFIRMED);
        /* Munthe-Kaas methods drift, which is no contradiction of theirs; symplectic ones must not. */
        assert_int_equal(ph_card_property(&card, "no energy drift")->verdict,
                         method->claims.symplectic ? PH_VERDICT_YES : PH_VERDICT_NO);
        assert_int_equal(ph_card_count(&card, PH_CLAIM_CONFIRMED), ph_s2_cards.n_properties + 2);
        if (method->evaluations > 0)
            assert_close(ph_card_figure(&card, "evaluations_per_step")->value, method->evaluations, 1e-12, 1.0);
    }
}

/* The card takes measure, not claims: with claims turned round it says so. */
TEST(false_claims_are_contradicted)
{
    struct ph_s2_method method = ph_s2_rkmk4;
    method.order = 2;
    method.claims = (struct ph_s2_claims){.tangent = true, .symplectic = true, .momentum_coupled = true};
    struct ph_card card;
    assert_ok(ph_certify_s2(&method, &card, &err));
    /* orders in q and w, drift, norm not claimed, and the three that are */
    assert_int_equal(ph_card_count(&card, PH_CLAIM_CONTRADICTED), 7);
}

/* ---- Failures ---- */

TEST(steps_that_are_too_long_are_refused)
{
    static const struct {
        const char *method, *problem;
        double step;
    } runs[] = {{"rattle-s2", "spherical-pendulum", 1.0},
                {"rattle-s2", "double-spherical-pendulum", 2.0},
                {"rkmkgl4", "spherical-pendulum", 10.0},
                {"eln-s2", "double-spherical-pendulum", 1e200}};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k) {
        struct ph_s2 *s2 = create(runs[k].problem);
        struct ph_error err = {.text = ""};
        if (ph_s2_advance(ph_s2_method_find(runs[k].method), runs[k].step, 3, s2, &err) != PH_ERR_NUMBERS)
            fail_msg("%s goes on with a step of %g", runs[k].method, runs[k].step);
        assert_true(strlen(err.text) > 20);
        ph_s2_destroy(s2);
    }
}
