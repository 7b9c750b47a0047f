/* SPDX-License-Identifier: MIT */
/* Studies on spheres: what Ortolan's thesis claims of pendulums and magnetic needles. Claims about time are not tested:
 * a busy machine can spoil them. */
#include "physics/studies.h"

#include <float.h>

enum { METHOD, RUN_SECONDS, ENERGY, ENERGY_SLOPE, RESIDUAL, NORM, TANGENT, MOMENTUM, ORDER_Q, ORDER_W };

static double summary(const struct ph_study_result *result, const char *method, int column)
{
    const struct ph_table *table = &result->table[0];
    for (size_t row = 0; row < table->n_rows; ++row)
        if (strcmp(table->word[METHOD][row], method) == 0)
            return table->number[column][row];
    fail_msg("no row of %s", method);
    return NAN;
}

static void check_orders(const struct ph_study_result *result)
{
    static const struct {
        const char *method;
        double order;
    } all[] = {{"eln-s2", 2.0}, {"rkmk4", 4.0}, {"rkmkgl4", 4.0}, {"rattle-s2", 2.0}};
    for (size_t k = 0; k < 4; ++k) {
        assert_between(summary(result, all[k].method, ORDER_Q), all[k].order - 0.2, all[k].order + 0.2);
        assert_between(summary(result, all[k].method, ORDER_W), all[k].order - 0.2, all[k].order + 0.2);
    }
}

/* Runge-Kutta-Munthe-Kaas methods drift in energy and leave the tangent bundle; Lie-Newmark and RATTLE do not. */
static void a_pendulum_drifts_with_munthe_kaas_methods_only(void **state)
{
    (void)state;
    struct ph_study_result *result = run_study("spherical-pendulum");
    check_orders(result);
    assert_between(summary(result, "rkmk4", ENERGY_SLOPE), -6.6e-9, -6.3e-9);
    assert_between(summary(result, "rkmkgl4", ENERGY_SLOPE), -8.9e-11, -8.6e-11);
    assert_true(fabs(summary(result, "eln-s2", ENERGY_SLOPE)) * 200.0 < 0.02 * summary(result, "eln-s2", ENERGY));
    assert_true(summary(result, "rkmk4", TANGENT) > 1e-8 && summary(result, "rkmkgl4", TANGENT) > 1e-10);
    assert_true(summary(result, "eln-s2", TANGENT) < 1e-13 && summary(result, "rattle-s2", TANGENT) < 1e-14);
    assert_between(summary(result, "rattle-s2", ENERGY) / summary(result, "eln-s2", ENERGY), 1.5, 2.1);
    /* the claim that Lie group methods keep |q| = 1 better than RATTLE holds in its first half only */
    assert_verdicts(result, 5,
                    (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_PARTLY, PH_FINDING_HOLDS,
                                                PH_FINDING_HOLDS});
    end_study(result);
}

static void coupled_pendulums_keep_their_momentum_with_rattle_only(void **state)
{
    (void)state;
    struct ph_study_result *result = run_study("double-pendulum");
    check_orders(result);
    assert_true(summary(result, "rattle-s2", MOMENTUM) < 1e-11);
    assert_true(summary(result, "eln-s2", MOMENTUM) > 1e-3);
    assert_true(summary(result, "rkmkgl4", MOMENTUM) > 1e-7);
    assert_true(summary(result, "eln-s2", TANGENT) < 1e-12);
    /* no drift of rkmkgl4 is seen beside its fluctuations */
    assert_verdicts(result, 5,
                    (enum ph_finding_verdict[]){PH_FINDING_PARTLY, PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_HOLDS,
                                                PH_FINDING_HOLDS});
    end_study(result);
}

static void needles_are_followed_best_by_the_engine(void **state)
{
    (void)state;
    struct ph_study_result *result = run_study("dipole-array");
    check_orders(result);
    assert_between(summary(result, "srkn4-6b", ORDER_W), 3.8, 4.2);
    assert_between(summary(result, "srkn6-14a", ORDER_W), 5.8, 6.2);
    assert_true(summary(result, "srkn4-6b", ENERGY) < 1e-2 * summary(result, "rkmkgl4", ENERGY));
    /* the rounding of 20 000 steps with |w| up to 18, and what is lost beside it */
    assert_true(summary(result, "eln-s2", TANGENT) < 2e4 * 18.0 * DBL_EPSILON);
    assert_true(summary(result, "rkmkgl4", TANGENT) > 1e-6);
    assert_verdicts(result, 5,
                    (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_PARTLY, PH_FINDING_HOLDS,
                                                PH_FINDING_HOLDS});
    end_study(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_drifts_with_munthe_kaas_methods_only),
        cmocka_unit_test(coupled_pendulums_keep_their_momentum_with_rattle_only),
        cmocka_unit_test(needles_are_followed_best_by_the_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
