/* SPDX-License-Identifier: MIT */
/* Backends: molecules with point quadrupoles, through `emulated`, against the processor. */
#include "physics/backends.h"

#include "force/longrange/ewald.h"
#include "physics/multipoles.h"

#include <omp.h>

/* With charges, dipoles, ellipsoids and Lennard-Jones centres, with lists and without, in open space and in boxes.
 * Catches the torque of a dipole that is lost because it is no axis, and an energy that counts as radial. */
TEST(forces_of_quadrupoles_are_those_of_the_processor)
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

/* ---- Ewald sums ---- */

/* A direct sum with either split, or a mesh */
enum method { GAUSS, BESSEL, MESH };

static struct ph_interactions make_ewald(enum method method, const struct ph_system *system, bool slab)
{
    struct ph_interactions interactions = {.truncation = PH_TRUNCATE_SWITCHED,
                                           .cutoff = 3.1,
                                           .switch_width = 0.9,
                                           .smoothness = 6,
                                           .coulomb = 1.7,
                                           .electrostatics =
                                               method == MESH ? PH_ELECTROSTATICS_MESH : PH_ELECTROSTATICS_EWALD,
                                           .epsilon_rf = INFINITY,
                                           .ewald = {.tolerance = 1e-4,
                                                     .split = method == GAUSS ? PH_SPLIT_GAUSS : PH_SPLIT_BESSEL,
                                                     .smoothness = 4,
                                                     .slab = slab}};
    assert_ok(ph_ewald_choose(system, &interactions, &err));
    return interactions;
}

/* Linear and general quadrupoles with charges and dipoles, on the same site and on others, with a net charge: in a
 * cube, in a tilted box, and in a slab, which has a gradient of its own. Catches derivatives of a window that are left
 * out or in another's place, that gradient left out, and a torque or virial without quadrupoles. */
TEST(ewald_sums_of_quadrupoles_are_those_of_the_processor)
{
    for (enum method method = GAUSS; method <= MESH; ++method)
        for (int around = 0; around < 3; ++around) {
            const struct ph_box box = make_box(around == 1 ? tilted_edges : cube_edges, 9.2);
            struct ph_system *system = make_multipole_mixture(5, &box, 1.7, 7);
            const struct ph_interactions interactions = make_ewald(method, system, around == 2);
            compare_forces_to(1e-12, system, &interactions);
        }
}

/* ---- Steps ---- */

static struct course begin_course(enum method method, bool elsewhere)
{
    const struct ph_box box = make_box(cube_edges, 9.2);
    struct ph_system *system = make_multipole_mixture(5, &box, 1.6, 9);
    ph_start_move(0.5, true, false, 5, system);
    const struct ph_interactions interactions = make_ewald(method, system, false);
    return begin(system, &interactions, "suzuki4", 0.003, elsewhere);
}

static double energy_after(const struct course *course, long steps)
{
    struct ph_energy energy;
    advance(course, steps, &energy);
    return ph_energy_total(&energy) + ph_system_kinetic_translation(course->system) +
           ph_system_kinetic_rotation(course->system);
}

/* The same course as on the processor, with its energy kept. Catches forces that are no derivatives of the energy, even
 * where both were wrong. */
TEST(steps_of_quadrupoles_keep_their_energy)
{
    for (enum method method = PH_SANITIZED ? MESH : BESSEL; method <= MESH; ++method) {
        struct course course[2];
        for (int k = 0; k < 2; ++k)
            course[k] = begin_course(method, k == 1);
        struct ph_system *start = make_multipole_mixture(5, &course[0].system->box, 1.6, 9);
        const double before = energy_after(&course[1], 1), after = energy_after(&course[1], 9);
        const double kinetic = ph_system_kinetic_rotation(course[1].system);
        advance(&course[0], 10, NULL);
        assert_true(kinetic > 1.0);
        assert_close(after, before, 1e-6, kinetic);
        assert_true(distance(start, course[0].system) > 1.0);
        assert_true(distance(course[1].system, course[0].system) < 1e-10);
        ph_system_destroy(start);
        finish(&course[0]);
        finish(&course[1]);
    }
}

/* Sites are spread by several threads. Catches sums that depend on which comes first. */
TEST(threads_do_not_change_bits_of_quadrupoles)
{
    const int threads = omp_get_max_threads();
    for (enum method method = GAUSS; method <= MESH; method = method == GAUSS ? MESH : method + 1) {
        uint64_t hash[2];
        for (int k = 0; k < 2; ++k) {
            omp_set_num_threads(k == 0 ? 1 : 3);
            struct course course = begin_course(method, true);
            hash[k] = hash_after(&course, 1);
            finish(&course);
        }
        assert_true(hash[0] == hash[1]);
    }
    omp_set_num_threads(threads);
}
