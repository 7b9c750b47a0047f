/* SPDX-License-Identifier: MIT */
/* Cards of one-step integrators: every claim is confirmed, and claims that are false are not. */
#include "support.h"

#include "lab/certify/integrator.h"

#include <string.h>

static struct ph_integrator_card certify(const struct ph_integrator *integrator)
{
    struct ph_integrator_card card;
    struct ph_error err = {.text = ""};
    if (ph_certify_integrator(integrator, &card, &err) != PH_OK)
        fail_msg("%s: %s", integrator->name, err.text);
    return card;
}

static void every_claim_is_confirmed_and_only_two_methods_are_symplectic(void **state)
{
    (void)state;
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        const struct ph_integrator_card card = certify(integrator);
        if (ph_integrator_card_count(&card, PH_CLAIM_CONFIRMED) != PH_INTEGRATOR_PROPERTIES + 2)
            fail_msg("%s: %d claims contradicted, %d open", integrator->name,
                     ph_integrator_card_count(&card, PH_CLAIM_CONTRADICTED),
                     ph_integrator_card_count(&card, PH_CLAIM_OPEN));
        const bool symplectic = strcmp(integrator->name, "rattle") == 0 || strcmp(integrator->name, "vlv") == 0;
        assert_int_equal(card.property[PH_INTEGRATOR_SYMPLECTIC].verdict, symplectic ? PH_VERDICT_YES : PH_VERDICT_NO);
        assert_int_equal(card.drifts, symplectic ? PH_VERDICT_NO : PH_VERDICT_YES);
        if (integrator->implicit)
            assert_true(card.evaluations > 2.0);
        else
            assert_true(card.evaluations == 1.0);
    }
}

static void false_claims_are_contradicted(void **state)
{
    (void)state;
    struct ph_integrator wrong = *ph_integrator_find("imidm"); /* as its paper conjectures */
    wrong.claims.symplectic = true;
    struct ph_integrator_card card = certify(&wrong);
    assert_int_equal(ph_integrator_card_property_state(&card, PH_INTEGRATOR_SYMPLECTIC), PH_CLAIM_CONTRADICTED);
    assert_int_equal(ph_integrator_card_drift_state(&card), PH_CLAIM_CONTRADICTED);
    wrong = *ph_integrator_find("mcg"); /* as the thesis has it in its table */
    wrong.claims.free_energy = true;
    wrong.claims.free_momentum = false;
    wrong.order = 1;
    card = certify(&wrong);
    assert_int_equal(ph_integrator_card_property_state(&card, PH_INTEGRATOR_FREE_ENERGY), PH_CLAIM_CONTRADICTED);
    assert_int_equal(ph_integrator_card_property_state(&card, PH_INTEGRATOR_FREE_MOMENTUM), PH_CLAIM_CONTRADICTED);
    assert_int_equal(ph_integrator_card_order_state(&card), PH_CLAIM_CONTRADICTED);
    assert_int_equal(ph_integrator_card_count(&card, PH_CLAIM_CONTRADICTED), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_claim_is_confirmed_and_only_two_methods_are_symplectic),
        cmocka_unit_test(false_claims_are_contradicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
