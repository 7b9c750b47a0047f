/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "dynamics/schemes/scheme.h"

#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct ph_scheme *scheme_named(const char *name)
{
    const struct ph_scheme *scheme = ph_scheme_find(name);
    if (!scheme)
        fail_msg("there is no scheme %s", name);
    return scheme;
}

TEST(names_are_unique_and_found)
{
    for (size_t i = 0; i < ph_scheme_count(); ++i)
        assert_ptr_equal(ph_scheme_find(ph_scheme_at(i)->name), ph_scheme_at(i));
    assert_null(ph_scheme_at(ph_scheme_count()));
    assert_null(ph_scheme_find("Verlet"));
    assert_null(ph_scheme_find(""));
}

TEST(every_scheme_is_complete)
{
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        const struct ph_scheme *scheme = ph_scheme_at(i);
        assert_true(strlen(scheme->summary) > 0 && strlen(scheme->reference) > 0);
        assert_true(strspn(scheme->name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(scheme->name));
        assert_true(scheme->order >= 2 && scheme->order <= 10 && scheme->order % 2 == 0);
        assert_true(scheme->digits >= 14 && scheme->digits <= PH_SCHEME_DIGITS);
        assert_true(scheme->flows % 2 == 1 && scheme->flows / 2 < PH_SCHEME_HALF_MAX);
        for (int k = 0; k < PH_SCHEME_HALF_MAX; ++k) /* as many coefficients as flows say, none of them zero */
            assert_true((scheme->x[k] != 0.0) == (k <= scheme->flows / 2));
        assert_true((ph_scheme_gradients(scheme) > 0) == (scheme->kind == PH_SCHEME_GRADIENT));
        assert_true(ph_scheme_is_plain(scheme) == (scheme->kind < PH_SCHEME_GRADIENT));
        assert_true(isnan(ph_scheme_effective_error(scheme)) == ph_scheme_is_displaced(scheme));
    }
}

/* Forces at displaced places stand for gradients up to order 4, with the same coefficients. */
TEST(schemes_with_gradients_up_to_order_4_have_a_displaced_form)
{
    size_t forms = 0, displaced = 0;
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        const struct ph_scheme *scheme = ph_scheme_at(i);
        displaced += ph_scheme_is_displaced(scheme);
        if (scheme->kind != PH_SCHEME_GRADIENT)
            continue;
        char name[64];
        snprintf(name, sizeof name, "%s-displaced", scheme->name);
        const struct ph_scheme *form = ph_scheme_find(name);
        assert_true((form != NULL) == (scheme->order <= 4));
        if (!form)
            continue;
        assert_true(ph_scheme_is_displaced(form) && form->order == scheme->order && form->flows == scheme->flows);
        assert_memory_equal(form->x, scheme->x, sizeof form->x);
        assert_memory_equal(form->c, scheme->c, sizeof form->c);
        assert_int_equal(ph_scheme_evaluations(form), ph_scheme_evaluations(scheme) + ph_scheme_gradients(scheme));
        ++forms;
    }
    assert_true(forms == displaced && forms > 10);
}

TEST(a_step_is_a_palindrome_of_drifts_and_kicks_that_sum_to_one)
{
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        const struct ph_scheme *scheme = ph_scheme_at(i);
        double sum[2] = {0.0, 0.0}, size[2] = {0.0, 0.0};
        for (int k = 0; k < scheme->flows; ++k) {
            const struct ph_scheme_flow flow = ph_scheme_flow_at(scheme, k);
            const struct ph_scheme_flow mirrored = ph_scheme_flow_at(scheme, scheme->flows - 1 - k);
            assert_true(flow.x == mirrored.x && flow.c == mirrored.c && flow.kind == mirrored.kind);
            assert_true((flow.kind == PH_FLOW_KICK) == ((k % 2 == 0) == ph_scheme_kick_first(scheme)));
            assert_true(flow.kind == PH_FLOW_KICK || flow.c == 0.0);
            sum[flow.kind == PH_FLOW_KICK] += flow.x;
            size[flow.kind == PH_FLOW_KICK] += fabs(flow.x);
        }
        assert_close(sum[0], 1.0, 4.0 * DBL_EPSILON, size[0]);
        assert_close(sum[1], 1.0, 4.0 * DBL_EPSILON, size[1]);
    }
}

TEST(every_scheme_has_its_order_and_no_more)
{
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        const struct ph_scheme *scheme = ph_scheme_at(i);
        const double met = ph_scheme_residual(scheme), beyond = ph_scheme_residual_to(scheme, scheme->order + 1);
        if (!(met < 1e-15))
            fail_msg("%s misses order %d by %.2e", scheme->name, scheme->order, met);
        /* The more evaluations, the smaller the leading error; 4e-10 is the smallest here. */
        if (!(beyond > 1e-10 && beyond < 1.0))
            fail_msg("%s has order %d, but a residual of %.2e beyond", scheme->name, scheme->order, beyond);
    }
}

/* Terms of an even degree follow from those below: residuals need not look at degree `order`. */
TEST(symmetry_gives_the_even_degree)
{
    static const char *const names[] = {"verlet", "s4-6", "srkn6-11b", "omelyan6-5f3gp", "rkn8-19a"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const struct ph_scheme *scheme = scheme_named(names[i]);
        assert_true(ph_scheme_residual_to(scheme, scheme->order) < 1e-15);
    }
}

TEST(costs_are_those_of_the_publications)
{
    static const struct {
        const char *name;
        int order, evaluations, gradients;
        bool kick_first;
    } known[] = {
        {"verlet", 2, 1, 0, true},
        {"verlet-position", 2, 1, 0, false},
        {"mclachlan2", 2, 2, 0, true},
        {"bcss2-3", 2, 3, 0, true},
        {"takahashi-imada2", 2, 1, 1, false},
        {"yoshida4", 4, 3, 0, true},
        {"suzuki4", 4, 5, 0, true},
        {"pefrl", 4, 4, 0, false},
        {"vefrl", 4, 4, 0, true},
        {"omelyan4-5fv", 4, 5, 0, true},
        {"s4-6", 4, 6, 0, false},
        {"s4-6-kick", 4, 6, 0, true},
        {"srkn4-6b", 4, 6, 0, true},
        {"polhode4-6b", 4, 6, 0, true},
        {"aba864", 4, 7, 0, false},
        {"chin4a", 4, 2, 1, true},
        {"chin4a-displaced", 4, 3, 0, true},
        {"chin4b-displaced", 4, 4, 0, false},
        {"omelyan4-2f2gv-displaced", 4, 4, 0, true},
        {"chin4b", 4, 2, 2, false},
        {"chin4c", 4, 3, 1, false},
        {"omelyan4-2f2gv", 4, 2, 2, true},
        {"omelyan4-3f1gp", 4, 3, 1, false},
        {"omelyan4-4f2gv", 4, 4, 2, true},
        {"omelyan4-4f2gvg", 4, 4, 2, true},
        {"omelyan6-5f5gv", 6, 5, 5, true},
        {"omelyan6-5f3gp", 6, 5, 3, false},
        {"yoshida6", 6, 7, 0, true},
        {"s6-10", 6, 10, 0, false},
        {"s6-10-kick", 6, 10, 0, true},
        {"srkn6-11b", 6, 11, 0, true},
        {"srkn6-14a", 6, 14, 0, false},
        {"polhode6-11b", 6, 11, 0, true},
        {"polhode6-13a", 6, 13, 0, false},
        {"yoshida8", 8, 15, 0, true},
        {"kahan-li8-17", 8, 17, 0, true},
        {"rkn8-17a", 8, 17, 0, false},
        {"rkn8-17b", 8, 17, 0, true},
        {"rkn8-19a", 8, 19, 0, false},
        {"omelyan8-11f11gp", 8, 11, 11, false},
        {"sofroniou10-35", 10, 35, 0, false},
        {"composed10-rkn6-7a", 10, 49, 0, false},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        const struct ph_scheme *scheme = scheme_named(known[i].name);
        if (scheme->order != known[i].order || ph_scheme_evaluations(scheme) != known[i].evaluations ||
            ph_scheme_gradients(scheme) != known[i].gradients || ph_scheme_kick_first(scheme) != known[i].kick_first)
            fail_msg("%s: order %d, %d evaluations, %d gradients, %s first", scheme->name, scheme->order,
                     ph_scheme_evaluations(scheme), ph_scheme_gradients(scheme),
                     ph_scheme_kick_first(scheme) ? "kick" : "drift");
    }
}

TEST(a_wrong_digit_at_the_twelfth_place_shows)
{
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        const struct ph_scheme *scheme = ph_scheme_at(i);
        if (scheme->order > 6) /* to save time */
            continue;
        for (int k = 0; k <= scheme->flows / 2; ++k) {
            struct ph_scheme wrong = *scheme;
            wrong.x[k] += 1e-12;
            if (!(ph_scheme_residual(&wrong) > 5e-13))
                fail_msg("%s: coefficient %d may be wrong", scheme->name, k);
            wrong = *scheme;
            wrong.c[k] += 1e-12;
            if (scheme->c[k] != 0.0 && scheme->order > 2 && !(ph_scheme_residual(&wrong) > 5e-13))
                fail_msg("%s: gradient %d may be wrong", scheme->name, k);
        }
    }
}

/* Not by the sums alone: two coefficients that are wrong by opposite amounts */
TEST(wrong_digits_show_where_sums_hold)
{
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        const struct ph_scheme *scheme = ph_scheme_at(i);
        if (scheme->order < 4 || scheme->order > 6)
            continue;
        for (int k = 0; k + 2 <= scheme->flows / 2; ++k) {
            struct ph_scheme wrong = *scheme;
            wrong.x[k] += 1e-10;
            wrong.x[k + 2] -= k + 2 == scheme->flows / 2 ? 2e-10 : 1e-10; /* the middle one comes once */
            if (!(ph_scheme_residual(&wrong) > 2e-14))
                fail_msg("%s: coefficients %d and %d may be wrong", scheme->name, k, k + 2);
        }
    }
}

/* E. Celledoni, F. Fasso, N. Safstrom, A. Zanna, SIAM J. Sci. Comput. 30 (2008) 2084 print + for b2 of s4-6, ...477 for
 * ...447 in a4 of srkn6-14a, and all their schemes with A outermost. */
TEST(misprints_of_the_literature_show)
{
    struct ph_scheme wrong = *scheme_named("s4-6");
    wrong.x[3] = -wrong.x[3];
    wrong.x[5] -= 2.0 * wrong.x[3]; /* they leave b3 to the sum */
    assert_close(ph_scheme_residual(&wrong), 1.4e-2, 0.5, 1.4e-2);

    wrong = *scheme_named("srkn6-14a");
    assert_close(wrong.x[6], 0.314241403071447, 4e-15, 1.0);
    wrong.x[6] = 0.314241403071477;
    wrong.x[14] -= 2.0 * (wrong.x[6] - scheme_named("srkn6-14a")->x[6]);
    assert_true(ph_scheme_residual(scheme_named("srkn6-14a")) < 2e-16);
    assert_true(ph_scheme_residual(&wrong) > 2e-15);

    wrong = *scheme_named("srkn4-6b"); /* remains of order 4, with a larger error */
    wrong.letters = "AB";
    assert_true(ph_scheme_residual(&wrong) < 1e-15);
    assert_true(ph_scheme_residual_to(&wrong, 5) > 20.0 * ph_scheme_residual_to(scheme_named("srkn4-6b"), 5));
}

TEST(drift_and_kick_of_rkn_schemes_cannot_be_exchanged)
{
    struct ph_scheme exchanged = *scheme_named("srkn6-14a");
    exchanged.letters = "BA";
    assert_true(ph_scheme_residual_to(&exchanged, 4) < 1e-15);
    assert_true(ph_scheme_residual(&exchanged) > 1e-5);

    struct ph_scheme taken_for_prk = *scheme_named("srkn6-14a");
    taken_for_prk.kind = PH_SCHEME_PRK;
    assert_true(ph_scheme_residual(&taken_for_prk) > 1e-5);
    exchanged = *scheme_named("s6-10"); /* but those of PRK can */
    exchanged.letters = "BA";
    assert_true(ph_scheme_residual(&exchanged) < 1e-15);
}

/* RKN needs less than PRK, so that what holds for any A and B holds for kinetic and potential energies. */
TEST(schemes_for_any_flows_have_their_order_as_rkn_too)
{
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        struct ph_scheme scheme = *ph_scheme_at(i);
        if (scheme.kind != PH_SCHEME_PRK)
            continue;
        scheme.kind = PH_SCHEME_RKN;
        assert_true(ph_scheme_residual(&scheme) < 1e-15);
    }
}

/* chin4a: with b = 2/3 of the middle kick c must be 1/72; other signs or factors leave an error in h^3. */
TEST(gradients_have_their_sign_and_factor)
{
    struct ph_scheme scheme = *scheme_named("chin4a");
    assert_close(scheme.c[2], 1.0 / 72.0, DBL_EPSILON, 1.0);
    static const double factors[] = {-1.0, 0.0, 0.5, 2.0};
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; ++i) {
        scheme.c[2] = factors[i] / 72.0;
        assert_true(ph_scheme_residual(&scheme) > 0.4 / 72.0);
    }
}

/* As printed by the authors, and by Celledoni et al., to two digits; scheme_error.c says what is special in srkn4-6b.
 */
TEST(effective_errors_are_those_of_the_publications)
{
    static const struct {
        const char *name;
        double published, tolerance;
    } known[] = {{"s4-6", 0.56, 0.005}, {"s6-10", 1.12, 0.005}, {"srkn6-14a", 0.63, 0.005}, {"srkn4-6b", 0.28, 0.012}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        assert_close(ph_scheme_effective_error(scheme_named(known[i].name)), known[i].published, known[i].tolerance,
                     1.0);
    /* verlet: -(1/24) [A,[A,B]] - (1/12) [B,[A,B]] or the other way round */
    assert_close(ph_scheme_effective_error(scheme_named("verlet")), sqrt(hypot(1.0 / 24.0, 1.0 / 12.0)), 1e-14, 1.0);
    assert_close(ph_scheme_effective_error(scheme_named("takahashi-imada2")), 2.0 * sqrt(hypot(1.0 / 24.0, 1.0 / 24.0)),
                 1e-14, 1.0);
}
