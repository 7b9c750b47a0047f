/* SPDX-License-Identifier: MIT */
/* Second virial coefficients of molecules with point quadrupoles */
#include "physics/multipoles.h"

#include "force/pairs/pair_table.h"
#include "lab/virial.h"

static const struct ph_interactions endless = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};

/* B2 of 2CLJQ with L = 0.505 at T = 3.078, from a quadrature of another program in two orders. It is an integral over
 * all of the potential: catches any wrong term. */
static void virial_coefficients_are_those_of_the_formula(void **state)
{
    static const struct {
        double square, b2;
    } known[] = {{0.0, -4.139167272}, {1.0, -4.221614357}, {4.0, -5.484482124}};
    for (size_t k = 0; k < 3; ++k) {
        const struct ph_species species = make_2cljq(0.505, sqrt(known[k].square));
        const struct ph_box box = ph_box_open();
        struct ph_system *system;
        struct ph_pair_table table;
        struct ph_virial_result found = {.n = 0};
        assert_ok(ph_system_create(1, &species, (const size_t[]){2}, &box, &system, &err));
        assert_ok(ph_pair_table_init(system, &endless, &table, &err));
        const struct ph_virial_task task = {.system = system, .table = &table, .interactions = &endless, .kT = 3.078};
        assert_true(ph_virial_axial(&task));
        assert_ok(ph_virial_by_quadrature(&task, &found, &err));
        print_message("Q*^2 %g: B2 %.10f, estimated error %.1g\n", known[k].square, found.value, found.error);
        assert_close(found.value, known[k].b2, 1e-8, 1.0);
        ph_virial_free(&found);
        ph_pair_table_clear(&table);
        ph_system_destroy(system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(virial_coefficients_are_those_of_the_formula)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
