/* SPDX-License-Identifier: MIT */
/* Certificates of schemes: what is right is confirmed, and coefficients that are wrong are found, however little. */
#include "support.h"

#include "lab/certify/scheme.h"
#include "lab/certify/scheme_jacobian.h"
#include "lab/certify/scheme_structure.h"

static struct ph_card certify(const struct ph_scheme *scheme)
{
    struct ph_card card;
    struct ph_error err = {.text = ""};
    if (ph_certify_scheme(scheme, NULL, scheme->name, ph_flow_find("exact"), &card, &err) != PH_OK)
        fail_msg("%s: %s", scheme->name, err.text);
    return card;
}

TEST(every_claim_of_a_right_scheme_is_confirmed)
{
    static const char *const names[] = {"verlet", "omelyan4-5fv", "chin4a", "chin4a-displaced"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const struct ph_card card = certify(ph_scheme_find(names[i]));
        assert_int_equal(ph_card_property_state(&card, PH_SCHEME_CONDITIONS), PH_CLAIM_CONFIRMED);
        assert_int_equal(ph_card_count(&card, PH_CLAIM_CONFIRMED), PH_SCHEME_PROPERTIES + 1);
        assert_int_equal(ph_card_count(&card, PH_CLAIM_CONTRADICTED), 0);
        const bool displaced = ph_scheme_is_displaced(ph_scheme_find(names[i]));
        assert_int_equal(card.property[PH_SCHEME_SYMPLECTIC].verdict, displaced ? PH_VERDICT_NO : PH_VERDICT_YES);
        assert_int_equal(card.property[PH_SCHEME_VOLUME].verdict, PH_VERDICT_YES);
        assert_int_equal(card.property[PH_SCHEME_REVERSIBLE].verdict, PH_VERDICT_YES);
        assert_true(isnan(ph_card_figure(&card, "effective_error")->value) == displaced);
    }
}

/* Stretches one momentum of the first molecule by a part in 1000. */
static enum ph_status stretch(void *data, const struct ph_trial_body start[], struct ph_trial_body end[],
                              struct ph_error *err)
{
    const size_t n = *(const size_t *)data;
    (void)err;
    memcpy(end, start, n * sizeof *end);
    end[0].p[1] *= 1.001;
    return PH_OK;
}

TEST(a_volume_that_changes_is_seen)
{
    size_t n = ph_trial_dipoles.n;
    const struct ph_step_map map = {.step = stretch, .data = &n};
    double residual, volume;
    struct ph_error err = {.text = ""};
    assert_int_equal(ph_two_form_residual(n, false, ph_trial_dipoles.start, &map, &residual, &volume, &err), PH_OK);
    assert_close(volume, 1e-3, 1e-8, 1e-3);
    assert_close(residual, 1e-3, 1e-8, 1e-3);
}

/* Order, symplecticity, reversibility and the rest of nested schemes; parts that do not belong together are found: an
 * inner scheme that takes less than the whole force has no order. */
TEST(nested_schemes_are_certified)
{
    const struct ph_flow *exact = ph_flow_find("exact");
    struct ph_error err = {.text = ""};
    struct ph_card card;
    for (size_t i = 0; i < ph_nested_cards.count(); ++i) {
        if (ph_nested_cards.measure(i, &card, &err) != PH_OK)
            fail_msg("%s", err.text);
        if (ph_card_count(&card, PH_CLAIM_CONFIRMED) != PH_SCHEME_PROPERTIES + 1)
            fail_msg("%s: %d of %d claims are confirmed", ph_nested_cards.name_at(i),
                     ph_card_count(&card, PH_CLAIM_CONFIRMED), PH_SCHEME_PROPERTIES + 1);
    }
    struct ph_scheme wrong = *ph_scheme_find("verlet");
    wrong.x[0] = 0.49; /* not all of the fast force */
    assert_int_equal(ph_certify_scheme(ph_scheme_find("verlet"), &wrong, "wrong", exact, &card, &err), PH_OK);
    assert_int_equal(ph_card_order_state(&card, ""), PH_CLAIM_CONTRADICTED);
    assert_int_equal(
        ph_certify_scheme(ph_scheme_find("omelyan4-5fv"), ph_scheme_find("verlet"), "mixed", exact, &card, &err),
        PH_OK);
    assert_int_equal(ph_card_order_state(&card, ""), PH_CLAIM_CONFIRMED); /* of order 2: the smaller of both */
    assert_int_equal(card.order, 2);
}

/* Too little to be seen in the motion of anything: the order conditions tell, and the card says what they tell. */
TEST(a_coefficient_off_by_1e_8_is_found)
{
    struct ph_scheme wrong = *ph_scheme_find("omelyan4-5fv");
    for (int k = 0; k <= wrong.flows / 2; k += 2) {
        wrong = *ph_scheme_find("omelyan4-5fv");
        wrong.x[k] += 1e-8;
        const double residual = ph_scheme_residual(&wrong);
        assert_true(residual > 1e-9 && residual < 1e-7);
        if (k > 0)
            continue;
        const struct ph_card card = certify(&wrong);
        assert_true(ph_card_property(&card, "order conditions")->deviation == residual);
        assert_int_equal(ph_card_property_state(&card, PH_SCHEME_CONDITIONS), PH_CLAIM_CONTRADICTED);
        assert_true(ph_card_count(&card, PH_CLAIM_CONTRADICTED) > 0);
    }
}

/* Whatever the step, the energy goes astray: the search for a step that keeps it must end. */
TEST(the_certificate_of_an_inconsistent_scheme_ends)
{
    static const char *const names[] = {"omelyan4-5fv", "verlet", "srkn6-11b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        static const double factors[] = {1.01, 0.5, -3.0};
        for (size_t k = 0; k < 3; ++k) {
            if (i > 0 && k != i) /* all of them with one scheme, one of them with the others */
                continue;
            struct ph_scheme wrong = *ph_scheme_find(names[i]);
            wrong.x[0] *= factors[k];
            const struct ph_card card = certify(&wrong);
            assert_int_not_equal(ph_card_order_state(&card, ""), PH_CLAIM_CONFIRMED);
            assert_int_equal(ph_card_property_state(&card, PH_SCHEME_CONDITIONS), PH_CLAIM_CONTRADICTED);
        }
    }
}
