/* SPDX-License-Identifier: MIT */
/* Backends: molecules with point quadrupoles, through `emulated`, against the processor. */
#include "physics/backends.h"

#include "physics/multipoles.h"

/* With charges, dipoles, ellipsoids and Lennard-Jones centres, with lists and without, in open space and in boxes.
 * Catches the torque of a dipole that is lost because it is no axis, and an energy that counts as radial. */
static void forces_of_quadrupoles_are_those_of_the_processor(void **state)
{
    static const struct ph_interactions ends[] = {
        {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.7},
        {.truncation = PH_TRUNCATE_CUT, .cutoff = 3.1, .coulomb = 1.7},
        {.truncation = PH_TRUNCATE_SWITCHED, .cutoff = 3.1, .switch_width = 0.9, .smoothness = 6, .coulomb = 1.7},
        {.truncation = PH_TRUNCATE_SWITCHED,
         .cutoff = 3.1,
         .switch_width = 0.9,
         .smoothness = 6,
         .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
         .epsilon_rf = 5.0,
         .coulomb = 1.7}};
    for (size_t e = 0; e < 4; ++e) {
        const struct ph_box box = make_box(e == 0 ? NULL : e == 1 ? tilted_edges : cube_edges, e == 3 ? 20.0 : 9.2);
        compare_forces(make_multipole_mixture(e == 3 ? 70 : 4, &box, 1.7, 7), &ends[e]); /* 280 molecules have lists */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forces_of_quadrupoles_are_those_of_the_processor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
