/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "model/system.h"
#include "run/arrays.h"

#include <stdlib.h>

static struct ph_system *two_species(size_t n_points, size_t n_rotors)
{
    struct ph_species species[2] = {
        {.name = "point", .mass = 2.0, .n_sites = 1},
        {.name = "rotor", .mass = 3.0, .inertia = {0.0, 0.5, 0.5}, .n_sites = 1, .degrees = 2}};
    const double edge[3][3] = {{4, 0, 0}, {0, 5, 0}, {0, 0, 6}};
    struct ph_box box;
    struct ph_system *system;
    assert_int_equal(ph_box_init_periodic(edge, &box, NULL), PH_OK);
    assert_int_equal(ph_system_create(2, species, (size_t[]){n_points, n_rotors}, &box, &system, NULL), PH_OK);
    return system;
}

TEST(arrays_are_aligned_zeroed_and_apart)
{
    struct ph_system *system = two_species(5, 6);
    double *const *const groups[] = {system->r, system->p, system->q, system->m, system->f, system->t};
    const int components[] = {3, 3, 4, 3, 3, 3};
    for (int g = 0; g < 6; ++g)
        for (int k = 0; k < components[g]; ++k) {
            assert_int_equal((uintptr_t)groups[g][k] % 64, 0);
            for (size_t i = 0; i < 16; ++i) { /* 11 molecules, padded to 16; what one array holds no other changes */
                assert_true(groups[g][k][i] == (g == 2 && k == 0 ? 1.0 : 0.0));
            }
        }
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < 11; ++i)
            system->image[k][i] = 7;
    for (int pass = 0; pass < 2; ++pass)
        for (int g = 0; g < 6; ++g)
            for (int k = 0; k < components[g]; ++k)
                for (size_t i = 0; i < 16; ++i) {
                    if (pass == 1)
                        assert_true(groups[g][k][i] == 100.0 * g + 10.0 * k + (double)i);
                    groups[g][k][i] = 100.0 * g + 10.0 * k + (double)i;
                }
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < 11; ++i)
            assert_int_equal(system->image[k][i], 7);
    for (size_t i = 0; i < 11; ++i)
        assert_int_equal(ph_system_species_of(system, i), i < 5 ? 0 : 1);
    assert_int_equal(ph_system_degrees_rotation(system), 12);
    ph_system_destroy(system);
    ph_system_destroy(NULL);
}

TEST(species_without_molecules_are_skipped)
{
    struct ph_system *system = two_species(0, 3);
    assert_int_equal(ph_system_species_of(system, 0), 1);
    assert_int_equal(ph_system_species_of(system, 2), 1);
    ph_system_destroy(system);
    system = two_species(3, 0);
    assert_int_equal(ph_system_species_of(system, 2), 0);
    assert_true(ph_system_kinetic_rotation(system) == 0.0);
    ph_system_destroy(system);
}

TEST(kinetic_energies_are_those_of_the_definition)
{
    struct ph_system *system = two_species(1, 2);
    system->p[0][0] = 2.0;  /* 4 / 4 = 1 */
    system->p[1][2] = -3.0; /* 9 / 6 = 1.5 */
    system->m[1][1] = 1.0;  /* 1 / (2 0.5) = 1 */
    system->m[2][2] = 2.0;  /* 4 */
    assert_true(ph_system_kinetic_translation(system) == 2.5);
    assert_true(ph_system_kinetic_rotation(system) == 5.0);
    ph_system_destroy(system);
}

/* A plain sum would lose the million small terms beside the large one. */
TEST(energies_of_many_molecules_do_not_lose_digits)
{
    const size_t n = 1000000;
    struct ph_system *system = two_species(n, 0);
    for (size_t i = 1; i < n; ++i)
        system->p[0][i] = 2e-4; /* 1e-8 each */
    system->p[0][0] = 2e4;      /* 1e8 */
    assert_close(ph_system_kinetic_translation(system), 1e8 + 1e-8 * (double)(n - 1), 2e-16, 1e8);
    ph_system_destroy(system);
}

TEST(wrapping_the_system_counts_images)
{
    struct ph_system *system = two_species(2, 1);
    system->r[0][0] = 9.0;
    system->r[2][2] = -0.5;
    ph_system_wrap(system);
    assert_true(system->r[0][0] == 1.0 && system->image[0][0] == 2);
    assert_true(system->r[2][2] == 5.5 && system->image[2][2] == -1);
    assert_true(system->image[1][1] == 0);
    ph_system_destroy(system);
}

/* As other programs have them: wherever molecules lie, before and after they have changed places */
TEST(rows_for_users_are_in_the_order_of_numbers)
{
    struct ph_system *system = two_species(3, 2);
    double given[15], read[15];
    for (int k = 0; k < 15; ++k)
        given[k] = 0.3 * (k - 4);
    assert_int_equal(ph_arrays_write(given, PH_ARRAY_UNWRAPPED, system, NULL), PH_OK);
    ph_system_exchange(system, 0, 2);
    assert_close(system->r[1][2], 4.1, 1e-15, 5.0); /* number 0: -0.9, in a box of length 5 */
    ph_arrays_read(system, PH_ARRAY_UNWRAPPED, read);
    for (int k = 0; k < 15; ++k)
        assert_close(read[k], given[k], 1e-15, 6.0);
    assert_int_equal(ph_arrays_write(given, PH_ARRAY_MOMENTUM, system, NULL), PH_OK);
    assert_true(system->p[2][0] == given[8] && system->p[0][4] == given[12]);
    ph_arrays_read(system, PH_ARRAY_MOMENTUM, read);
    assert_memory_equal(read, given, sizeof given);
    ph_system_destroy(system);
}
