/* SPDX-License-Identifier: MIT */
/* Quick versions of the studies of one-step integrators: what the papers claim of orders, of drifts of the energy and
 * of a body before a soft wall, and what does not come out. */
#include "physics/studies.h"

/* The number in a column of the row of a method, and of a step if that is not 0 */
static double number_in(const struct ph_table *table, const char *method, double step, const char *column)
{
    size_t c = 0;
    while (c < table->n_columns && strcmp(table->column[c].name, column) != 0)
        ++c;
    assert_true(c < table->n_columns && !table->column[c].words);
    for (size_t row = 0; row < table->n_rows; ++row)
        if (strcmp(table->word[0][row], method) == 0 && (step == 0.0 || table->number[1][row] == step))
            return table->number[c][row];
    fail_msg("no row %s with step %g", method, step);
    return NAN;
}

/* Slopes of the energy per unit of time with h = 0.125, computed before in multiple precision over [0, 10000]; the
 * reduced time of the quick version changes them by up to a tenth. */
static void energies_drift_as_the_thesis_says(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double slope;
    } known[] = {{"eln-cay", -1.06e-6}, {"tln-cay", -1.59e-6}, {"prk", -1.70e-6},
                 {"mcg", 5.69e-7},      {"new3", 5.69e-7},     {"liemid-ea", 1.42e-7}};
    struct ph_study_result *result = run_study("energy-drift");
    const struct ph_table *table = &result->table[0];
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        const double slope = number_in(table, known[k].name, 0.125, "slope");
        const double shorter = number_in(table, known[k].name, 0.0625, "slope");
        assert_between(slope / known[k].slope, 0.9, 1.1);
        assert_between(log2(slope / shorter), 1.9, 2.1);
        assert_between(number_in(table, known[k].name, 0.125, "slope_second") /
                           number_in(table, known[k].name, 0.125, "slope_first"),
                       0.9, 1.1);
        assert_true(fabs(slope) > 5.0 * number_in(table, known[k].name, 0.125, "deviation"));
    }
    static const char *const symplectic[] = {"vlv", "rattle"};
    for (size_t k = 0; k < 2; ++k) {
        assert_between(number_in(table, symplectic[k], 0.125, "slope"), -1e-8, 1e-8);
        assert_true(number_in(table, symplectic[k], 0.125, "highest") > 1e-4); /* errors there are, but no drift */
    }
    assert_verdicts(result, 6,
                    (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_HOLDS,
                                                PH_FINDING_HOLDS, PH_FINDING_PARTLY});
    end_study(result);
}

static void a_body_before_a_soft_wall_does_as_the_paper_says_but_for_symplecticity(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double low, high;
    } known[] = {{"trap", 0.991, 1.006},  {"imid", 0.999, 1.007}, {"trapm", 0.988, 1.006},
                 {"imidm", 0.997, 1.005}, {"akw", 0.973, 1.037},  {"swc1", 0.997, 1.062}};
    struct ph_study_result *result = run_study("soft-wall");
    const struct ph_table *table = &result->table[0];
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        /* ranges of a longer run, which the paper's own methods fill soon, the others later */
        assert_between(number_in(table, known[k].name, 0.0, "lowest"), known[k].low - 1e-3,
                       k < 4 ? known[k].low + 1e-3 : 1.0);
        assert_between(number_in(table, known[k].name, 0.0, "highest"), k < 4 ? known[k].high - 1e-3 : 1.0,
                       known[k].high + 1e-3);
    }
    assert_between(number_in(table, "imidm", 0.0, "drift"), -9.0e-7, -6.5e-7);
    assert_between(number_in(table, "trapm", 0.0, "drift"), -9.0e-7, -6.5e-7);
    assert_verdicts(result, 5,
                    (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_HOLDS,
                                                PH_FINDING_FAILS});
    end_study(result);
}

static void midpoint_and_trapezoidal_rules_converge_as_the_paper_says(void **state)
{
    (void)state;
    struct ph_study_result *result = run_study("conjugate-pairs");
    assert_verdicts(result, 6,
                    (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_PARTLY, PH_FINDING_HOLDS, PH_FINDING_HOLDS,
                                                PH_FINDING_HOLDS, PH_FINDING_HOLDS});
    end_study(result);
}

/* The speeds depend on the machine and are not judged here. */
static void seven_methods_are_as_accurate_as_the_thesis_says_but_for_two_claims(void **state)
{
    (void)state;
    struct ph_study_result *result = run_study("attractor-accuracy");
    assert_verdicts(result, 3, (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_PARTLY, PH_FINDING_FAILS});
    end_study(result);
    result = run_study("book");
    assert_verdicts(result, 3, (enum ph_finding_verdict[]){PH_FINDING_HOLDS, PH_FINDING_HOLDS, PH_FINDING_HOLDS});
    end_study(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_drift_as_the_thesis_says),
        cmocka_unit_test(a_body_before_a_soft_wall_does_as_the_paper_says_but_for_symplecticity),
        cmocka_unit_test(midpoint_and_trapezoidal_rules_converge_as_the_paper_says),
        cmocka_unit_test(seven_methods_are_as_accurate_as_the_thesis_says_but_for_two_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
