/* SPDX-License-Identifier: MIT */
/* Studies of the free rigid body: what Celledoni et al. and Hairer and Vilmart claim of its methods. Claims about time
 * are not tested: a busy machine can spoil them. */
#include "physics/studies.h"

/* Digits of a flow at a step, from the table of the triangle: mean, or of the corner of thin bodies */
static double digits(const struct ph_study_result *result, const char *flow, double step, bool corner)
{
    const struct ph_table *table = &result->table[0];
    for (size_t row = 0; row < table->n_rows; ++row)
        if (strcmp(table->word[0][row], flow) == 0 && table->number[1][row] == step)
            return table->number[corner ? 5 : 2][row];
    fail_msg("no row of %s", flow);
    return NAN;
}

static void exact_methods_are_accurate_for_all_inertias(void **state)
{
    (void)state;
    struct ph_study_result *result = run_study("inertia-triangle");
    static const char *const exact[] = {"exact-rotation", "exact-kosenko"};
    for (int k = 0; k < 2; ++k) {
        assert_between(digits(result, exact[k], 0.4, false), 14.0, 15.5);
        assert_between(digits(result, exact[k], 0.04, false), 13.3, 14.5);
    }
    /* ten times shorter steps: as many digits more as the order says, less what ends in rounding */
    assert_between(digits(result, "dmv6", 0.04, false) - digits(result, "dmv6", 0.4, false), 5.8, 7.2);
    assert_between(digits(result, "dmv10", 0.4, false), 8.0, 9.2);
    assert_between(digits(result, "dmv10", 0.4, true), 5.0, 7.0);
    assert_between(digits(result, "exact-rotation-g6", 0.4, false), 8.5, 9.7);
    assert_between(digits(result, "exact-kosenko-g10", 0.4, true), 3.0, 5.5);
    const enum ph_finding_verdict expected[] = {PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_PARTLY};
    assert_verdicts(result, 3, expected);
    assert_int_equal(result->finding[4].verdict, PH_FINDING_HOLDS);
    assert_int_equal(result->finding[5].verdict, PH_FINDING_HOLDS);
    end_study(result);
}

static void random_bodies_are_followed_as_in_the_paper(void **state)
{
    (void)state;
    struct ph_study_result *result = run_study("free-body");
    const struct ph_table *single = &result->table[0];
    assert_int_equal(single->n_rows, 2);
    for (size_t row = 0; row < 2; ++row)
        assert_between(single->number[1][row], 5e-17, 2e-15);
    assert_int_equal(result->table[2].n_rows, 200);
    assert_int_equal(result->finding[1].verdict, PH_FINDING_PARTLY); /* dmv converges always */
    assert_non_null(strstr(result->finding[1].measured, "in parts, and converge for 100, 100 and 100"));
    assert_int_equal(result->finding[3].verdict, PH_FINDING_HOLDS); /* rounding */
    end_study(result);
}

static void preprocessed_moser_veselov_shows_its_orders(void **state)
{
    (void)state;
    struct ph_study_result *result = run_study("dmv-work");
    const struct ph_table *orders = &result->table[0];
    for (size_t row = 0; row < orders->n_rows; ++row)
        for (int column = 3; column <= 4; ++column)
            if (!isnan(orders->number[column][row]) && orders->number[2][row] <= 6.0)
                assert_close(orders->number[column][row], orders->number[2][row], 0.2, 1.0);
    assert_int_equal(result->finding[0].verdict, PH_FINDING_HOLDS);
    assert_int_equal(result->finding[1].verdict, PH_FINDING_HOLDS);
    assert_int_equal(result->finding[3].verdict, PH_FINDING_HOLDS);
    end_study(result);
}

static void flows_have_the_properties_of_the_table(void **state)
{
    (void)state;
    struct ph_study_result *result = run_study("free-body-properties");
    for (size_t c = 0; c < result->study->n_claims; ++c)
        if (result->finding[c].verdict != PH_FINDING_HOLDS)
            fail_msg("\"%s\": %s", result->study->claim[c], result->finding[c].measured);
    assert_true(result->table[0].n_rows >= 15);
    end_study(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_methods_are_accurate_for_all_inertias),
        cmocka_unit_test(random_bodies_are_followed_as_in_the_paper),
        cmocka_unit_test(preprocessed_moser_veselov_shows_its_orders),
        cmocka_unit_test(flows_have_the_properties_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
