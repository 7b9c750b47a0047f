/* SPDX-License-Identifier: MIT */
/* Which columns a series has, and that a row is their numbers one after the other. */
#include "support.h"

#include "run/observables.h"

#include <string.h>

/* Where the numbers of a column begin in a row; -1 without it */
static int place_of(const char *name, size_t n, const struct ph_column *const columns[])
{
    int place = 0;
    for (size_t k = 0; k < n; ++k) {
        if (strcmp(columns[k]->name, name) == 0)
            return place;
        place += columns[k]->width;
    }
    return -1;
}

/* Pairs act and react: only a mesh leaves a force on all molecules together, and says so. */
static void the_net_force_is_that_of_a_mesh(void **state)
{
    const double edge[3][3] = {{5, 0, 0}, {0, 5, 0}, {0, 0, 5}};
    struct ph_species species = {.name = "atom", .n_sites = 1, .site = {{.name = "A", .mass = 2.0, .charge = 1.0}}};
    struct ph_box box;
    struct ph_system *system;
    assert_int_equal(ph_species_complete(&species, NULL, NULL, NULL), PH_OK);
    assert_int_equal(ph_box_init_periodic(edge, &box, NULL), PH_OK);
    assert_int_equal(ph_system_create(1, &species, (size_t[]){3}, &box, &system, NULL), PH_OK);
    for (int x = 0; x < 3; ++x)
        for (int i = 0; i < 3; ++i)
            system->f[x][i] = (x + 1) * (i == 2 ? -2.25 : 1.0);
    struct ph_interactions interactions = {.electrostatics = PH_ELECTROSTATICS_EWALD};
    const struct ph_degrees degrees = ph_degrees_count(system, &interactions);
    const struct ph_energy energy = {.electric = 3.0};
    struct ph_observables observables;
    const struct ph_column *columns[PH_COLUMNS_MAX];
    double row[PH_OBSERVABLE_NUMBERS];
    const struct ph_column_choice none = {.shadow = false};
    ph_observe(system, &degrees, &energy, 1.0, &observables);
    const size_t without = ph_columns(system, &interactions, &none, columns);
    assert_int_equal(place_of("net_force", without, columns), -1);
    interactions.electrostatics = PH_ELECTROSTATICS_MESH;
    const size_t n = ph_columns(system, &interactions, &none, columns);
    assert_int_equal(n, without + 1);
    const int place = place_of("net_force", n, columns);
    assert_int_equal(ph_observables_row(&observables, n, columns, row), place + 3);
    for (int x = 0; x < 3; ++x)
        assert_close(row[place + x], -0.25 * (x + 1), 1e-15, 1.0);
    assert_close(row[place_of("energy_electric", n, columns)], 3.0, 1e-15, 1.0);
    ph_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_net_force_is_that_of_a_mesh)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
