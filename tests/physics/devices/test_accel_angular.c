/* SPDX-License-Identifier: MIT */
/* Backends: molecules with angular forms, through `emulated`, against the processor. */
#include "physics/backends.h"

#include "physics/angular_reference.h"

/* A mixture whose forces are neither very strong nor very weak */
static struct ph_system *make_moderate(enum ph_angular_kind kind, size_t each, const struct ph_box *box,
                                       const struct ph_interactions *interactions)
{
    for (uint64_t seed = 1; seed < 200; ++seed) {
        struct ph_system *system = make_mixture_of_forms(kind, each, box, 2.2, seed);
        struct ph_force_field *field = make_field(system, interactions);
        const bool apart = ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, NULL, NULL) == PH_OK;
        const double force = apart ? largest(system->n, system->f) : INFINITY;
        ph_force_field_destroy(field);
        if (force > 0.2 && force < 1e5)
            return system;
        ph_system_destroy(system);
    }
    fail_msg("no configuration found");
    return NULL;
}

/* Uniaxial and biaxial ellipsoids with charges and dipoles, and spheres: forces, torques, energies and virials, with
 * lists and without, in open space and in boxes. Catches axes of the wrong site, and a torque that is lost beside that
 * of a dipole. */
TEST(forces_of_angular_forms_are_those_of_the_processor)
{
    static const struct ph_interactions ends[] = {
        {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.7},
        {.truncation = PH_TRUNCATE_CUT, .cutoff = 3.1, .coulomb = 1.7},
        {.truncation = PH_TRUNCATE_SWITCHED, .cutoff = 3.1, .switch_width = 0.9, .smoothness = 6, .coulomb = 1.7}};
    for (int kind = PH_ANGULAR_GAY_BERNE; kind <= PH_ANGULAR_RE_SQUARED; ++kind)
        for (size_t e = 0; e < 3; ++e)
            for (size_t each = 4; each < 120; each += 100) { /* 312 molecules have lists */
                const struct ph_box box = make_box(e == 0   ? NULL
                                                   : e == 1 ? tilted_edges
                                                            : cube_edges,
                                                   each < 100 ? 9.2 : 22.0);
                if (e == 0 && each > 100)
                    continue;
                compare_forces(make_moderate((enum ph_angular_kind)kind, each, &box, &ends[e]), &ends[e]);
            }
}

/* Patches on spheres, in two kinds of molecules */
TEST(forces_of_patches_are_those_of_the_processor)
{
    const struct ph_angular wide = {PH_ANGULAR_PATCH, {6.0, 1.1, 1.9, 20.0, 90.0, 6.0}};
    const struct ph_angular narrow = {PH_ANGULAR_PATCH, {9.0, 1.2, 2.0, 0.0, 70.0, 6.0}};
    const struct ph_interactions interactions = {
        .truncation = PH_TRUNCATE_SWITCHED, .cutoff = 2.5, .switch_width = 0.5, .smoothness = 6, .coulomb = 1.0};
    const struct ph_box box = make_box(cube_edges, 10.0);
    struct ph_species species[2] = {{.name = "wide", .n_sites = 2, .site = {angular_site(&wide), angular_site(&wide)}},
                                    {.name = "narrow", .n_sites = 1, .site = {angular_site(&narrow)}}};
    species[0].site[1].axis[2][2] = species[0].site[1].axis[0][0] = -1.0;
    for (int s = 0; s < 2; ++s) {
        species[s].site[0].radial = lennard_jones;
        assert_ok(ph_species_complete(&species[s], NULL, (const double[]){0.1, 0.1, 0.1}, &err));
    }
    const struct ph_start start = {.kind = PH_START_RANDOM, .seed = 5, .minimum_distance = 1.0};
    struct ph_system *system;
    assert_ok(ph_system_create(2, species, (const size_t[]){150, 150}, &box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    ph_start_turn(5, system);
    compare_forces(system, &interactions);
}

TEST(trajectories_of_angular_forms_are_those_of_the_processor)
{
    const struct ph_box box = make_box(cube_edges, 20.0);
    const struct ph_interactions interactions = {
        .truncation = PH_TRUNCATE_SWITCHED, .cutoff = 3.1, .switch_width = 0.9, .smoothness = 6, .coulomb = 1.7};
    struct course course[2];
    for (int k = 0; k < 2; ++k) {
        struct ph_system *system = make_mixture_of_forms(PH_ANGULAR_GAY_BERNE, 60, &box, 1.9, 5);
        ph_start_move(0.5, true, false, 3, system);
        course[k] = begin(system, &interactions, "verlet", 0.002, k == 1);
        advance(&course[k], 25, NULL);
    }
    assert_true(distance(course[1].system, course[0].system) < 1e-10);
    finish(&course[0]);
    finish(&course[1]);
}
