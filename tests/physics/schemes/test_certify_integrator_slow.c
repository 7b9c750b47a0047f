/* SPDX-License-Identifier: MIT */
/* Cards of one-step integrators: every claim is confirmed, and claims that are false are not. */
#include "support.h"

#include "lab/certify/integrator.h"

#include <string.h>

static struct ph_card certify(const struct ph_integrator *integrator)
{
    struct ph_card card;
    struct ph_error err = {.text = ""};
    if (ph_certify_integrator(integrator, &card, &err) != PH_OK)
        fail_msg("%s: %s", integrator->name, err.text);
    return card;
}

static enum ph_claim_state state_of(const struct ph_card *card, const char *property)
{
    return ph_card_property_state(card, (size_t)(ph_card_property(card, property) - card->property));
}

TEST(every_claim_is_confirmed_and_only_two_methods_are_symplectic)
{
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        const struct ph_card card = certify(integrator);
        if (ph_card_count(&card, PH_CLAIM_CONFIRMED) != (int)ph_integrator_cards.n_properties + 2)
            fail_msg("%s: %d claims contradicted, %d open", integrator->name,
                     ph_card_count(&card, PH_CLAIM_CONTRADICTED), ph_card_count(&card, PH_CLAIM_OPEN));
        const bool symplectic = strcmp(integrator->name, "rattle") == 0 || strcmp(integrator->name, "vlv") == 0;
        assert_int_equal(ph_card_property(&card, "symplectic")->verdict, symplectic ? PH_VERDICT_YES : PH_VERDICT_NO);
        assert_int_equal(ph_card_property(&card, "no energy drift")->verdict,
                         symplectic ? PH_VERDICT_YES : PH_VERDICT_NO);
        const double evaluations = ph_card_figure(&card, "evaluations_per_step")->value;
        assert_true(integrator->implicit ? evaluations > 2.0 : evaluations == 1.0);
    }
}

TEST(false_claims_are_contradicted)
{
    struct ph_integrator wrong = *ph_integrator_find("imidm"); /* as its paper conjectures */
    wrong.claims.symplectic = true;
    struct ph_card card = certify(&wrong);
    assert_int_equal(state_of(&card, "symplectic"), PH_CLAIM_CONTRADICTED);
    assert_int_equal(state_of(&card, "no energy drift"), PH_CLAIM_CONTRADICTED);
    wrong = *ph_integrator_find("mcg"); /* as the thesis has it in its table */
    wrong.claims.free_energy = true;
    wrong.claims.free_momentum = false;
    wrong.order = 1;
    card = certify(&wrong);
    assert_int_equal(state_of(&card, "free: energy"), PH_CLAIM_CONTRADICTED);
    assert_int_equal(state_of(&card, "free: momentum"), PH_CLAIM_CONTRADICTED);
    assert_int_equal(ph_card_order_state(&card, "m"), PH_CLAIM_CONTRADICTED);
    assert_int_equal(ph_card_order_state(&card, "q"), PH_CLAIM_CONTRADICTED);
    assert_int_equal(ph_card_count(&card, PH_CLAIM_CONTRADICTED), 4);
}
