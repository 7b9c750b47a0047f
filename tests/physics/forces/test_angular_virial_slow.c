/* SPDX-License-Identifier: MIT */
/* Second virial coefficients of molecules with angular forms, against quadratures of other programs. Each is an
 * integral over all of the potential: catches any wrong term, and distances and angles that are too few. */
#include "physics/multipoles.h"

#include "force/pairs/pair_table.h"
#include "lab/virial.h"

static const struct ph_interactions endless = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};

static void assert_virial(const char *what, const struct ph_species *species, double kT, double want)
{
    const struct ph_box box = ph_box_open();
    struct ph_system *system;
    struct ph_pair_table table;
    struct ph_virial_result found = {.n = 0};
    assert_ok(ph_system_create(1, species, (const size_t[]){2}, &box, &system, &err));
    assert_ok(ph_pair_table_init(system, &endless, &table, &err));
    const struct ph_virial_task task = {.system = system, .table = &table, .interactions = &endless, .kT = kT};
    assert_true(ph_virial_axial(&task));
    assert_ok(ph_virial_by_quadrature(&task, &found, &err));
    print_message("%s, kT %g: B2 %.12f, estimated error %.1g\n", what, kT, found.value, found.error);
    assert_close(found.value, want, 1e-8, 1.0);
    assert_true(found.error < 1e-7);
    ph_virial_free(&found);
    ph_pair_table_clear(&table);
    ph_system_destroy(system);
}

/* 2CLJQ with L = 0.505 and the strongest of its quadrupoles, so that every term counts; the number has 9 decimals. */
static void quadrupoles_have_their_virial_coefficient(void **state)
{
    const struct ph_species species = make_2cljq(0.505, 2.0);
    assert_virial("2CLJQ", &species, 3.078, -5.484482124);
}

/* Gay-Berne (3, 5, 2, 1), at a temperature where attraction and repulsion nearly balance. The other program uses the
 * formula of Gay and Berne for uniaxial molecules, extended precision, and rules with 30 to 60 angles, which agree to
 * 5e-12. */
static void ellipsoids_have_their_virial_coefficient(void **state)
{
    const struct ph_angular form = classic(3.0, 5.0, 2.0, 1.0);
    const struct ph_species species = make_ellipsoid("gay-berne", &form);
    assert_virial("Gay-Berne", &species, 1.0, 0.512976034289);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quadrupoles_have_their_virial_coefficient),
                                       cmocka_unit_test(ellipsoids_have_their_virial_coefficient)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
