/* SPDX-License-Identifier: MIT */
/* Backends: molecules of several sites, mixtures and tilted boxes, through `emulated`, against the processor; and the
 * bits that every machine gives. */
#include "physics/backends.h"

#include "accel/engine/engine_parts.h"
#include "base/hash.h"
#include "force/longrange/ewald.h"
#include "force/term.h"

#include <omp.h>

/* ---- Systems that need no library: the same bits wherever they are made ---- */

#define LJ(epsilon, sigma)                                                                                             \
    {                                                                                                                  \
        PH_RADIAL_MIE, epsilon, sigma, 12.0, 6.0                                                                       \
    }

/* A site without an angular form: name, place, mass, charge, dipole, radial */
#define SITE(...)                                                                                                      \
    {                                                                                                                  \
        __VA_ARGS__, {PH_ANGULAR_NONE, {0.0}}, {{0.0}}, 0                                                              \
    }

/* One of each shape that has a kernel of its own, and two that are nearly of a shape: hydrogens that differ, and
 * charges in another order */
static const struct ph_species shapes[] = {
    {.name = "pair",
     .n_sites = 2,
     .site = {SITE("A", {0.0, 0.0, 0.2}, 1.0, 0.4, {0}, LJ(1.0, 0.9)),
              SITE("A", {0.0, 0.0, -0.2}, 1.0, 0.4, {0}, LJ(1.0, 0.9))}},
    {.name = "two",
     .n_sites = 2,
     .site = {SITE("A", {0.0, 0.0, 0.2}, 1.0, 0.7, {0}, LJ(1.0, 0.9)),
              SITE("B", {0.0, 0.0, -0.3}, 0.5, -0.7, {0}, LJ(0.5, 0.8))}},
    {.name = "bent",
     .n_sites = 3,
     .site = {SITE("O", {0.0, 0.0, 0.0}, 1.0, -3.4, {0}, LJ(1.0, 1.0)),
              SITE("H", {0.26, 0.18, 0.0}, 0.06, 1.7, {0}, {0}), SITE("H", {-0.26, 0.18, 0.0}, 0.06, 1.7, {0}, {0})}},
    {.name = "between",
     .n_sites = 3,
     .site = {SITE("O", {0.0, 0.0, 0.35}, 1.3, -1.0, {0}, LJ(0.9, 1.0)),
              SITE("C", {0.0, 0.0, 0.0}, 1.0, 2.0, {0}, LJ(0.3, 0.9)),
              SITE("O", {0.0, 0.0, -0.35}, 1.3, -1.0, {0}, LJ(0.9, 1.0))}},
    {.name = "with-m",
     .n_sites = 4,
     .site = {SITE("O", {0.0, 0.0, 0.0}, 1.0, 0.0, {0}, LJ(1.0, 1.0)),
              SITE("H", {0.26, 0.18, 0.0}, 0.06, 1.7, {0}, {0}), SITE("H", {-0.26, 0.18, 0.0}, 0.06, 1.7, {0}, {0}),
              SITE("M", {0.0, 0.05, 0.0}, 0.0, -3.4, {0}, {0})}},
    {.name = "uneven",
     .n_sites = 3,
     .site = {SITE("O", {0.0, 0.0, 0.0}, 1.0, -3.4, {0}, LJ(1.0, 1.0)),
              SITE("H", {0.26, 0.18, 0.0}, 0.06, 1.8, {0}, {0}), SITE("H", {-0.26, 0.18, 0.0}, 0.06, 1.6, {0}, {0})}},
    {.name = "m-first",
     .n_sites = 4,
     .site = {SITE("O", {0.0, 0.0, 0.0}, 1.0, 0.0, {0}, LJ(1.0, 1.0)), SITE("M", {0.0, 0.05, 0.0}, 0.0, -3.4, {0}, {0}),
              SITE("H", {0.26, 0.18, 0.0}, 0.06, 1.7, {0}, {0}), SITE("H", {-0.26, 0.18, 0.0}, 0.06, 1.7, {0}, {0})}},
};

/* Molecules of diameters of about one */
static const struct ph_species molecules[] = {
    {.name = "water",
     .n_sites = 3,
     .site = {SITE("O", {0.0, 0.0, 0.0}, 1.0, -3.4, {0}, LJ(1.0, 1.0)),
              SITE("H1", {0.26, 0.18, 0.0}, 0.06, 1.7, {0}, {0}), SITE("H2", {-0.26, 0.18, 0.0}, 0.06, 1.7, {0}, {0})}},
    {.name = "four",
     .n_sites = 4,
     .site = {SITE("O", {0.0, 0.0, 0.0}, 1.0, 0.0, {0}, LJ(1.0, 1.0)), SITE("M", {0.0, 0.05, 0.0}, 0.0, -3.4, {0}, {0}),
              SITE("H1", {0.26, 0.18, 0.0}, 0.06, 1.7, {0}, {0}), SITE("H2", {-0.26, 0.18, 0.0}, 0.06, 1.7, {0}, {0})}},
    {.name = "rod",
     .n_sites = 3,
     .site = {SITE("C", {0.0, 0.0, 0.0}, 1.0, 2.0, {0}, LJ(0.3, 0.9)),
              SITE("O1", {0.0, 0.0, 0.35}, 1.3, -1.0, {0}, LJ(0.9, 1.0)),
              SITE("O2", {0.0, 0.0, -0.35}, 1.3, -1.0, {0}, LJ(0.9, 1.0))}},
    {.name = "mixed",
     .n_sites = 3,
     .site = {SITE("A", {0.2, 0.0, 0.0}, 1.0, 0.7, {0.3, 0.9, 0.1}, {PH_RADIAL_MIE, 1.0, 1.0, 14.0, 7.0}),
              SITE("B", {-0.2, 0.1, 0.0}, 0.8, 0.0, {-0.2, 0.0, 0.8}, {0}),
              SITE("C", {0.0, -0.2, 0.1}, 0.5, -0.7, {0}, {0})}},
    {.name = "soft",
     .n_sites = 2,
     .site = {SITE("A", {0.2, 0.0, 0.0}, 1.0, 0.5, {0.6, 0.0, 0.0}, {PH_RADIAL_SOFT_SPHERE, 1.0, 0.9, 10.0, 0.0}),
              SITE("B", {-0.3, 0.0, 0.0}, 1.0, -0.5, {0}, {PH_RADIAL_SOFT_SPHERE, 0.5, 0.9, 10.0, 0.0})}},
    {.name = "bump",
     .n_sites = 2,
     .site = {SITE("A", {0.2, 0.0, 0.0}, 1.0, 0.5, {0}, {PH_RADIAL_WCA, 1.0, 1.0, 0.0, 0.0}),
              SITE("B", {-0.2, 0.0, 0.0}, 1.0, -0.5, {0.3, 0.0, 0.0}, {PH_RADIAL_WCA, 1.0, 0.9, 0.0, 0.0})}},
    {.name = "exp-6",
     .n_sites = 2,
     .site = {SITE("A", {0.2, 0.0, 0.0}, 1.0, 0.5, {0}, {PH_RADIAL_BUCKINGHAM, 6e5, 0.08, 0.0, 2.0}),
              SITE("B", {-0.2, 0.0, 0.0}, 1.0, -0.5, {0.3, 0.0, 0.0}, {PH_RADIAL_BUCKINGHAM, 5e5, 0.07, 0.0, 0.0})}},
    {.name = "well",
     .n_sites = 2,
     .site = {SITE("A", {0.2, 0.0, 0.0}, 1.0, 0.5, {0}, {PH_RADIAL_MORSE, 1.0, 1.0, 6.0, 0.0}),
              SITE("B", {-0.2, 0.0, 0.0}, 1.0, -0.5, {0}, {PH_RADIAL_MORSE, 0.5, 0.9, 6.0, 0.0})}},
    {.name = "cloud",
     .n_sites = 1,
     .site = {SITE("A", {0.0, 0.0, 0.0}, 1.0, 0.0, {0}, {PH_RADIAL_YUKAWA, 1.0, 1.0, 2.0, 0.0})}},
    {.name = "atom", .n_sites = 1, .site = {SITE("A", {0.0, 0.0, 0.0}, 2.0, 0.0, {0}, LJ(0.7, 0.8))}},
    {.name = "ion", .n_sites = 1, .site = {SITE("A", {0.0, 0.0, 0.0}, 0.7, 1.0, {0}, LJ(0.7, 0.8))}},
    {.name = "long",
     .n_sites = 2,
     .site = {SITE("A", {0.0, 0.0, 1.4}, 1.0, 0.5, {0}, LJ(1.0, 1.0)),
              SITE("B", {0.0, 0.0, -1.4}, 1.0, -0.5, {0}, LJ(1.0, 1.0))}},
    {.name = "dipole",
     .n_sites = 2,
     .site = {SITE("A", {0.0, 0.0, 0.0}, 1.0, 0.0, {0.0, 0.0, 1.0}, LJ(1.0, 1.0)),
              SITE("B", {0.0, 0.0, 0.3}, 1.0, 0.0, {0}, {0})}},
};
enum molecule { WATER, FOUR, ROD, MIXED, SOFT, BUMP, EXP_6, WELL, CLOUD, ATOM, ION, LONG, DIPOLE, MOLECULES };

static struct ph_species complete(const struct ph_species *kind)
{
    struct ph_species species = *kind;
    assert_ok(ph_species_complete(&species, NULL, NULL, &err));
    return species;
}

static struct ph_species make_species(enum molecule molecule) { return complete(&molecules[molecule]); }

/* A box: open, right-angled, or tilted */
enum shape { OPEN, STRAIGHT, TILTED };

/* side^3 molecules, somewhat off a lattice of this spacing, which fills the box; kinds take turns in numbers */
static struct ph_system *make_system_of(size_t n_kinds, const struct ph_species species[], size_t side, double spacing,
                                        enum shape shape)
{
    const size_t all = side * side * side;
    const double edge = (double)side * spacing;
    const double edges[3][3] = {{edge, 0.0, 0.0},
                                {shape == TILTED ? 0.3 * edge : 0.0, edge, 0.0},
                                {shape == TILTED ? -0.2 * edge : 0.0, shape == TILTED ? 0.25 * edge : 0.0, edge}};
    size_t counts[4];
    for (size_t s = 0; s < n_kinds; ++s)
        counts[s] = all / n_kinds + (s < all % n_kinds);
    struct ph_box box = ph_box_open();
    struct ph_system *system;
    if (shape != OPEN)
        assert_ok(ph_box_init_periodic(edges, &box, &err));
    assert_ok(ph_system_create(n_kinds, species, counts, &box, &system, &err));
    uint64_t state = 17;
    for (size_t i = 0; i < all; ++i) {
        const size_t turn = (i * 11) % all, place[3] = {turn % side, turn / side % side, turn / side / side};
        const struct ph_species *own = &species[ph_system_species_of(system, i)];
        for (int x = 0; x < 3; ++x) {
            for (int k = 0; k < 3; ++k)
                system->r[x][i] += ((double)place[k] + 0.5) / (double)side * edges[k][x];
            system->r[x][i] += 0.12 * spacing * number(&state);
            system->p[x][i] = number(&state);
            system->m[x][i] = own->inertia[x] > 0.0 ? 2.0 * sqrt(own->inertia[x]) * number(&state) : 0.0;
        }
        turn_anyhow(own, i, &state, system);
    }
    return system;
}

static struct ph_system *make_system(size_t n_kinds, const enum molecule kind[], size_t side, double spacing,
                                     enum shape shape)
{
    struct ph_species species[4];
    for (size_t s = 0; s < n_kinds; ++s)
        species[s] = make_species(kind[s]);
    return make_system_of(n_kinds, species, side, spacing, shape);
}

static const struct ph_interactions plain = {.truncation = PH_TRUNCATE_CUT,
                                             .cutoff = 1.6,
                                             .switch_width = 0.5,
                                             .smoothness = 6,
                                             .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
                                             .epsilon_rf = 20.0,
                                             .coulomb = 1.0};

/* ---- Forces ---- */

static const enum ph_truncation truncations[] = {PH_TRUNCATE_NONE, PH_TRUNCATE_CUT, PH_TRUNCATE_SHIFTED,
                                                 PH_TRUNCATE_FORCE_SHIFTED, PH_TRUNCATE_SWITCHED};

/* Every truncation, with and without a reaction field, with lists and in a box that is too small for them */
TEST(forces_of_sites_are_those_of_the_processor)
{
    for (enum molecule kind = WATER; kind <= CLOUD; ++kind)
        for (size_t t = 0; t < sizeof truncations / sizeof *truncations; ++t)
            for (int field = 0; field < (t > 0 ? 2 : 1); ++field)
                for (int lists = 0; lists < (t > 0 ? 2 : 1); ++lists) {
                    if (kind > BUMP && field != lists) /* forms in loops: MIXED and SOFT have the other cases */
                        continue;
                    struct ph_interactions interactions = plain;
                    interactions.truncation = truncations[t];
                    interactions.electrostatics = field ? PH_ELECTROSTATICS_REACTION_FIELD : PH_ELECTROSTATICS_CUTOFF;
                    interactions.long_range_correction = (t == 1 || t == 4) && kind == WATER;
                    compare_forces(make_system(1, &kind, lists ? 7 : 3, 1.3, t > 0 ? STRAIGHT : OPEN), &interactions);
                }
}

TEST(forces_of_mixtures_are_those_of_the_processor)
{
    static const enum molecule one[] = {WATER, ATOM, ROD, ION}, other[] = {ATOM, ION};
    for (size_t t = 0; t < sizeof truncations / sizeof *truncations; ++t)
        for (int lists = 0; lists < (t > 0 ? 2 : 1); ++lists) {
            struct ph_interactions interactions = plain;
            interactions.truncation = truncations[t];
            if (t == 0)
                interactions.electrostatics = PH_ELECTROSTATICS_CUTOFF;
            compare_forces(make_system(4, one, lists ? 7 : 3, 1.3, t > 0 ? STRAIGHT : OPEN), &interactions);
            compare_forces(make_system(2, other, lists ? 6 : 3, 1.3, t > 0 ? STRAIGHT : OPEN), &interactions);
        }
}

TEST(forces_in_tilted_boxes_are_those_of_the_processor)
{
    static const enum molecule kinds[][2] = {{WATER, ATOM}, {ATOM, ATOM}, {MIXED, MIXED}};
    for (size_t k = 0; k < 3; ++k)
        for (int lists = 0; lists < 2; ++lists)
            compare_forces(make_system(k == 0 ? 2 : 1, kinds[k], lists ? 8 : 3, 1.3, TILTED), &plain);
}

/* An Ewald sum, direct or on a mesh, around what conductor or continuum there may be */
static struct ph_interactions ewald(enum ph_electrostatics method, enum ph_split_kind split, double epsilon)
{
    struct ph_interactions interactions = plain;
    interactions.electrostatics = method;
    interactions.epsilon_rf = epsilon;
    interactions.ewald = (struct ph_ewald_choice){.tolerance = 1e-4, .split = split, .smoothness = 4};
    if (method == PH_ELECTROSTATICS_MESH) {
        static const int grid[] = {18, 20, 15};
        memcpy(interactions.ewald.grid, grid, sizeof grid);
        interactions.ewald.width = 7;
        interactions.ewald.window = 12.0;
        interactions.ewald.shape = 10.0;
    }
    return interactions;
}

static void choose_ewald(const struct ph_system *system, struct ph_interactions *interactions)
{
    assert_ok(ph_ewald_choose(system, interactions, &err));
}

/* Charges, dipoles and both, in boxes of both shapes, around which there is a conductor or not; ions with a net charge;
 * slabs; Lennard-Jones that is switched */
TEST(ewald_sums_are_those_of_the_processor)
{
    static const enum molecule kinds[][2] = {{WATER, ATOM}, {MIXED, MIXED}, {ION, ROD}};
    for (int method = 0; method < 3; ++method)
        for (size_t k = 0; k < 3; ++k)
            for (int around = 0; around < 3; ++around) {
                struct ph_system *system =
                    make_system(k == 1 ? 1 : 2, kinds[k], 3, 1.3, around == 1 ? TILTED : STRAIGHT);
                struct ph_interactions interactions =
                    ewald(method == 2 ? PH_ELECTROSTATICS_MESH : PH_ELECTROSTATICS_EWALD,
                          method == 0 ? PH_SPLIT_GAUSS : PH_SPLIT_BESSEL, around == 1 && k < 2 ? 4.0 : INFINITY);
                interactions.ewald.slab = around == 2;
                interactions.ewald.remove_net_force = method == 2 && around == 1;
                if (around == 2)
                    interactions.truncation = PH_TRUNCATE_SWITCHED;
                choose_ewald(system, &interactions);
                compare_forces(system, &interactions);
            }
}

/* Every factor of the number of points, primes too */
TEST(meshes_of_all_sizes_are_those_of_the_processor)
{
    static const enum molecule kind = WATER;
    static const int grids[][3] = {{16, 17, 24}, {22, 32, 25}, {21, 19, 13}};
    for (size_t g = 0; g < 3; ++g) {
        struct ph_system *system = make_system(1, &kind, 3, 1.3, STRAIGHT);
        struct ph_interactions interactions = ewald(PH_ELECTROSTATICS_MESH, PH_SPLIT_BESSEL, INFINITY);
        memcpy(interactions.ewald.grid, grids[g], sizeof grids[g]);
        choose_ewald(system, &interactions);
        compare_forces(system, &interactions);
    }
}

/* Wide windows: their transforms are small near the corners of the grid, so that the rounding of densities is made
 * larger there, and integers that are coarser than these would give wrong energies. That of forces is, too: ten times
 * as large as with other meshes, 0.7e-13 to 1.2e-13 on aarch64 and on x86-64 without fused products. */
TEST(fine_meshes_are_those_of_the_processor)
{
    static const enum molecule kinds[] = {DIPOLE, MIXED};
    for (size_t k = 0; k < 2; ++k) {
        struct ph_system *system = make_system(1, &kinds[k], 4, 2.25, STRAIGHT);
        struct ph_interactions interactions = ewald(PH_ELECTROSTATICS_MESH, PH_SPLIT_BESSEL, INFINITY);
        const double edges[3][3] = {{30.0, 0.0, 0.0}, {0.0, 9.0, 0.0}, {0.0, 0.0, 9.0}};
        assert_ok(ph_box_init_periodic(edges, &system->box, &err));
        for (size_t i = 0; i < system->n; ++i)
            system->r[0][i] *= 30.0 / 9.0;
        interactions.cutoff = 2.4;
        interactions.ewald = (struct ph_ewald_choice){.tolerance = 9e-10,
                                                      .split = PH_SPLIT_BESSEL,
                                                      .smoothness = 6,
                                                      .width = 20,
                                                      .shape = 32.25,
                                                      .window = 29.0,
                                                      .grid = {kinds[k] == DIPOLE ? 150 : 144, 48, 48}};
        choose_ewald(system, &interactions);
        compare_forces_to(3e-13, system, &interactions);
    }
}

/* Molecules of length 2.8 in a box of 3.9: sites meet images of their own molecule, and two images of others. */
TEST(long_molecules_meet_their_own_images)
{
    static const enum molecule kind = LONG;
    for (int shape = STRAIGHT; shape <= TILTED; ++shape)
        compare_forces(make_system(1, &kind, 1, 3.9, (enum shape)shape), &plain);
    compare_forces(make_system(1, &kind, 2, 2.6, STRAIGHT), &plain);
}

/* ---- Dynamics ---- */

/* Points, linear and asymmetric bodies of different masses, in a tilted box, by the same steps here and there */
TEST(trajectories_of_mixtures_are_those_of_the_processor)
{
    static const enum molecule kinds[] = {WATER, ATOM, ROD};
    struct course course[2];
    for (int k = 0; k < 2; ++k) {
        course[k] = begin(make_system(3, kinds, 4, 1.4, TILTED), &plain, "suzuki4", 0.001, k);
        advance(&course[k], 40, NULL);
    }
    struct ph_system *start = make_system(3, kinds, 4, 1.4, TILTED);
    assert_true(distance(start, course[0].system) > 1.0);
    assert_true(distance(course[1].system, course[0].system) < 1e-10);
    ph_system_destroy(start);
    finish(&course[0]);
    finish(&course[1]);
}

/* Every field, the last of which moves with nothing: anchors are where molecules were. Molecules of one site and one
 * model have other kernels for pairs. */
static const struct ph_external_fields fields[] = {{.electric_field = {0.3, -1.0, 2.0}},
                                                   {.gravity = {0.5, 1.0, -0.7}},
                                                   {.body_force = {0.4, 0.2, -0.9}, .body_point = {0.1, 0.2, -0.3}},
                                                   {.gravity_gradient = 0.8},
                                                   {.wall_repulsion = 0.7, .wall_core = 0.01, .wall_height = 2.0},
                                                   {.valley_stiffness = 0.6, .valley_distance = 1.3},
                                                   {.attraction = 0.9, .attractor = {0.3, -0.4, 0.8}},
                                                   {.tether = 1.5}};

TEST(external_fields_are_those_of_the_processor)
{
    static const enum molecule kinds[][2] = {{WATER, ION}, {ATOM, ATOM}};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; ++f)
        for (size_t k = 0; k < 2; ++k) {
            struct ph_interactions interactions = plain;
            interactions.external = fields[f];
            compare_forces(make_system(2 - k, kinds[k], 3, 1.3, TILTED), &interactions);
            struct course course[2], free;
            for (int e = 0; e < 2; ++e) {
                course[e] = begin(make_system(2 - k, kinds[k], 3, 1.3, STRAIGHT), &interactions, "verlet", 0.002, e);
                advance(&course[e], 40, NULL);
            }
            free = begin(make_system(2 - k, kinds[k], 3, 1.3, STRAIGHT), &plain, "verlet", 0.002, false);
            advance(&free, 40, NULL);
            assert_true(distance(course[1].system, course[0].system) < 1e-10);
            if (k == 0)
                assert_true(distance(course[1].system, free.system) > 1e-4);
            finish(&course[0]);
            finish(&course[1]);
            finish(&free);
        }
}

/* Molecules of water, atoms and rods in open space */
TEST(schemes_have_their_orders)
{
    if (PH_SANITIZED)
        skip();
    static const struct {
        const char *name;
        double step;
        int order;
    } schemes[] = {{"verlet", 0.002, 2}, {"suzuki4", 0.01, 4}, {"mclachlan6-ss9", 0.02, 6}};
    static const enum molecule kinds[] = {WATER, ATOM, ROD};
    struct ph_interactions interactions = plain;
    interactions.truncation = PH_TRUNCATE_NONE;
    interactions.electrostatics = PH_ELECTROSTATICS_CUTOFF;
    struct course exact = begin(make_system(3, kinds, 2, 1.5, OPEN), &interactions, "srkn6-14a", 0.2 / 256.0, false);
    advance(&exact, 256, NULL);
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; ++s) {
        double error[2];
        for (int k = 0; k < 2; ++k) {
            const double step = schemes[s].step / (k + 1);
            struct course course =
                begin(make_system(3, kinds, 2, 1.5, OPEN), &interactions, schemes[s].name, step, true);
            advance(&course, (long)rint(0.2 / step), NULL);
            error[k] = distance(course.system, exact.system);
            finish(&course);
        }
        const double slope = log2(error[0] / error[1]);
        if (!(fabs(slope - schemes[s].order) < 0.2))
            fail_msg("%s: order %.3f (errors %.3g, %.3g)", schemes[s].name, slope, error[0], error[1]);
    }
    finish(&exact);
}

/* ---- Bits ---- */

static uint64_t hash_of_course(struct ph_system *system, const struct ph_interactions *interactions, const char *scheme,
                               double step, long steps)
{
    struct course course = begin(system, interactions, scheme, step, true);
    const uint64_t hash = hash_after(&course, steps);
    finish(&course);
    return hash;
}

static void check_hash(struct ph_system *system, const struct ph_interactions *interactions, const char *scheme,
                       double step, long steps, uint64_t want)
{
    const uint64_t got = hash_of_course(system, interactions, scheme, step, steps);
    if (got != want)
        fail_msg("%ld steps of %s: 0x%016llx", steps, scheme, (unsigned long long)got);
}

/* Of each of `shapes` */
static const enum ph_shape shape_wanted[] = {PH_SHAPE_X2,   PH_SHAPE_XY, PH_SHAPE_XY2, PH_SHAPE_YXY,
                                             PH_SHAPE_XY2M, PH_NO_SHAPE, PH_NO_SHAPE};

static bool is_water(enum ph_shape shape) { return shape == PH_SHAPE_XY2 || shape == PH_SHAPE_XY2M; }

/* More than two queues' worth of partners; rows and columns of shapes.h that are exchanged give other forces. */
TEST(shapes_have_kernels_of_their_own)
{
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s)
        for (int k = 0; k < 3; ++k) {
            const struct ph_species species = complete(&shapes[s]);
            struct ph_interactions interactions = plain;
            interactions.cutoff = 2.0;
            interactions.truncation = k == 0 ? PH_TRUNCATE_CUT : PH_TRUNCATE_SWITCHED;
            interactions.electrostatics = k == 2 ? PH_ELECTROSTATICS_CUTOFF : PH_ELECTROSTATICS_REACTION_FIELD;
            struct ph_system *system = make_system_of(1, &species, 7, 1.15, k == 1 ? TILTED : STRAIGHT);
            struct ph_backend *backend = make_backend(system, &interactions);
            const struct ph_accel_view *view = &((const struct ph_engine *)backend)->view;
            assert_true(view->listed);
            if (k < 2) /* otherwise charges are switched, by formulas that are looked up */
                assert_int_equal(view->sites.shape, shape_wanted[s]);
            assert_int_equal(view->sites.water_field,
                             k == 1 && is_water(shape_wanted[s]) ? PH_WATER_SMOOTH : PH_NO_WATER);
            backend->destroy(backend);
            compare_forces(system, &interactions);
        }
}

/* With the pairs of an Ewald sum, where boxes are periodic and molecules meet images */
TEST(water_on_a_mesh_has_a_kernel_of_its_own)
{
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        const struct ph_species species = complete(&shapes[s]);
        struct ph_interactions interactions = ewald(PH_ELECTROSTATICS_MESH, PH_SPLIT_BESSEL, INFINITY);
        struct ph_system *system = make_system_of(1, &species, 7, 1.15, STRAIGHT);
        interactions.cutoff = 2.0;
        interactions.truncation = PH_TRUNCATE_SWITCHED;
        choose_ewald(system, &interactions);
        struct ph_backend *backend = make_backend(system, &interactions);
        const struct ph_accel_view *view = &((const struct ph_engine *)backend)->view;
        assert_true(view->listed);
        assert_int_equal(view->sites.water_field, is_water(shape_wanted[s]) ? PH_WATER_SPLIT : PH_NO_WATER);
        backend->destroy(backend);
        compare_forces(system, &interactions);
    }
}

/* Recorded once: every compiler, architecture and device has to give these. If arithmetic is changed on purpose, they
 * change; then the new ones have to come out on a device too. */
TEST(bits_are_those_of_every_machine)
{
    static const enum molecule water = WATER, mixed = MIXED, kinds[] = {WATER, ATOM, ROD, ION};
    const int threads = omp_get_max_threads();
    struct ph_interactions smooth = plain;
    smooth.truncation = PH_TRUNCATE_SWITCHED;
    for (int k = 1; k <= 2; ++k) {
        omp_set_num_threads(k);
        check_hash(make_system(1, &water, 6, 1.3, STRAIGHT), &smooth, "verlet", 0.001, 20,
                   UINT64_C(0xfe65cecaa49b3c97));
    }
    omp_set_num_threads(threads);
    check_hash(make_system(4, kinds, 3, 1.3, STRAIGHT), &smooth, "verlet", 0.001, 1000, UINT64_C(0xf8c5ddb0e3212ade));
    check_hash(make_system(1, &mixed, 3, 1.3, TILTED), &plain, "suzuki4", 0.001, 40, UINT64_C(0x5e71920773b7ea3d));
    static const struct {
        enum molecule kind;
        uint64_t hash;
    } forms[] = {{EXP_6, UINT64_C(0xe069c2d70fccae6f)},
                 {WELL, UINT64_C(0x8e71e77d04f9cb5b)},
                 {CLOUD, UINT64_C(0xeaa541ef06dd18d7)}};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; ++k)
        check_hash(make_system(1, &forms[k].kind, 3, 1.3, TILTED), &smooth, "verlet", 0.001, 40, forms[k].hash);
}

/* What a mesh is made of comes from functions of the library in long double, which is not the same everywhere */
static uint64_t hash_of_tables(const struct ph_system *system, const struct ph_interactions *interactions)
{
    struct ph_sites sites = {.place = NULL};
    const struct ph_term_setup setup = {.system = system, .interactions = interactions, .sites = &sites};
    void *term = NULL;
    assert_ok(ph_pair_table_init(system, interactions, &sites.table, &err));
    assert_ok(ph_term_ewald.create(&setup, &term, &err));
    const struct ph_mesh_parts mesh = ph_ewald_parts(term).mesh;
    const size_t waves = (size_t)mesh.points[0] * (size_t)mesh.points[1] * (size_t)mesh.waves;
    uint64_t hash = ph_hash_bytes(ph_hash_begin(), 2 * sizeof mesh.window->q[0], mesh.window->q);
    hash = ph_hash_bytes(hash, waves * sizeof *mesh.factor, mesh.factor);
    hash = ph_hash_bytes(hash, sizeof *sites.table.split, sites.table.split);
    ph_term_ewald.destroy(term);
    ph_sites_clear(&sites);
    return hash;
}

/* Recorded as above, for the tables that most machines make; where they are others, one thread and two agree. */
TEST(bits_of_ewald_sums_are_those_of_every_machine)
{
    if (PH_SANITIZED)
        skip();
    static const enum molecule water = WATER;
    static const int grid[] = {16, 15, 12};
    const int threads = omp_get_max_threads();
    struct ph_interactions direct = ewald(PH_ELECTROSTATICS_EWALD, PH_SPLIT_GAUSS, INFINITY);
    struct ph_interactions mesh = ewald(PH_ELECTROSTATICS_MESH, PH_SPLIT_BESSEL, INFINITY);
    direct.ewald.screening = 1.9;
    direct.ewald.k_max = 6.0;
    mesh.truncation = PH_TRUNCATE_SWITCHED;
    mesh.ewald.width = 6;
    memcpy(mesh.ewald.grid, grid, sizeof grid);
    struct ph_system *system = make_system(1, &water, 3, 1.3, STRAIGHT);
    choose_ewald(system, &direct);
    choose_ewald(system, &mesh);
    const uint64_t tables = hash_of_tables(system, &mesh);
    ph_system_destroy(system);
    check_hash(make_system(1, &water, 3, 1.3, STRAIGHT), &direct, "verlet", 0.001, 20, UINT64_C(0xad82987bd4160300));
    uint64_t want = UINT64_C(0xf1d553ee9dfc0adc);
    if (tables != UINT64_C(0xc2273e607f05f8be)) {
        print_message("the tables of the mesh are others here: 0x%016llx\n", (unsigned long long)tables);
        omp_set_num_threads(1);
        want = hash_of_course(make_system(1, &water, 3, 1.3, STRAIGHT), &mesh, "verlet", 0.001, 1000);
        omp_set_num_threads(2);
    }
    check_hash(make_system(1, &water, 3, 1.3, STRAIGHT), &mesh, "verlet", 0.001, 1000, want);
    omp_set_num_threads(threads);
}

/* A molecule that has left by more boxes than can be counted */
TEST(who_is_too_far_away_is_an_error)
{
    static const enum molecule kind = ATOM;
    struct course course = begin(make_system(1, &kind, 4, 1.3, STRAIGHT), &plain, "verlet", 0.001, true);
    course.system->p[1][17] = 1e14;
    struct ph_error err = {.text = ""};
    enum ph_status status = ph_dynamics_advance(course.dynamics, 3, &err);
    if (status == PH_OK)
        status = ph_dynamics_synchronise(course.dynamics, NULL, &err);
    if (status == PH_OK)
        status = ph_state_show(ph_dynamics_state(course.dynamics), PH_STATE_PLACES | PH_STATE_MOMENTA, &err);
    assert_int_equal(status, PH_ERR_NUMBERS);
    assert_non_null(strstr(err.text, "Molecule 17 is too far away"));
    finish(&course);
}
