/* SPDX-License-Identifier: MIT */
/* Lists of `emulated` while molecules move: nobody comes within the cutoff unseen, and none is made before it must be.
 * Two molecules, pushed along by hand, in steps of a hundredth of half the skin. */
#include "physics/backends.h"

enum { STEPS = 100 }; /* to half the skin */
static const double edge = 6.0, cutoff = 1.6, skin = 0.2;

/* Along one axis; where they stand, and whither they go, step by step, in units of half the skin */
struct pair {
    double r[2], toward[2];
};

static struct ph_system *make_system(int axis, const struct pair *pair)
{
    const double edges[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
    const size_t count = 2;
    struct ph_species species = {.n_sites = 1, .name = "test"};
    struct ph_box box;
    struct ph_system *system;
    species.site[0] = (struct ph_site){.name = "A", .mass = 1.0, .radial = {PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0}};
    assert_ok(ph_species_complete(&species, NULL, NULL, &err));
    assert_ok(ph_box_init_periodic(edges, &box, &err));
    assert_ok(ph_system_create(1, &species, &count, &box, &system, &err));
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            system->r[k][i] = k == axis ? pair->r[i] : 0.5 * edge;
            system->p[k][i] = k == axis ? 0.5 * skin * pair->toward[i] : 0.0;
        }
    return system;
}

struct walk {
    struct ph_system *system;
    struct ph_force_field *field; /* of the processor */
    struct ph_backend *backend;
};

static struct walk set_out(int axis, const struct pair *pair)
{
    const struct ph_interactions interactions = {
        .truncation = PH_TRUNCATE_CUT, .cutoff = cutoff, .skin = skin, .coulomb = 1.0};
    struct walk walk = {.system = make_system(axis, pair)};
    assert_ok(ph_force_field_create(walk.system, &interactions, &walk.field, &err));
    walk.backend = make_backend(walk.system, &interactions);
    assert_ok(walk.backend->write(walk.backend, PH_STATE_ALL, walk.system, NULL, &err));
    return walk;
}

static void end(struct walk *walk)
{
    walk->backend->destroy(walk->backend);
    ph_force_field_destroy(walk->field);
    ph_system_destroy(walk->system);
}

/* The force on the first along this axis where both are now, if it is that of the processor. */
static double look(const struct walk *walk, int axis)
{
    struct ph_system *system = walk->system;
    assert_ok(walk->backend->evaluate(walk->backend, NULL, &err));
    assert_ok(walk->backend->read(walk->backend, PH_STATE_PLACES | PH_STATE_FORCES, system, NULL, &err));
    const double force[2] = {system->f[axis][0], system->f[axis][1]};
    assert_ok(ph_force_field_evaluate(walk->field, system, PH_FORCES_ALL, NULL, NULL, &err));
    for (int i = 0; i < 2; ++i)
        assert_close(force[i], system->f[axis][i], 1e-13, 1.0);
    return force[0];
}

static size_t lists_made(const struct walk *walk)
{
    struct ph_engine_counts counts;
    assert_ok(ph_engine_count(walk->backend, &counts, &err));
    return counts.lists_made;
}

/* Returns the last force, after so many steps. Before the last but one there is none, and one list. */
static double walk_along(struct walk *walk, int axis, int steps, size_t *lists)
{
    double force = look(walk, axis);
    for (int step = 1; step <= steps; ++step) {
        assert_true(force == 0.0);
        assert_int_equal(lists_made(walk), 1);
        assert_ok(walk->backend->drift(walk->backend, 1.0 / STEPS, &err));
        force = look(walk, axis);
    }
    *lists = lists_made(walk);
    return force;
}

/* Each comes nearer by half the skin, from just beyond what a list reaches: the new one is made in the nick of time,
 * with the step that takes them within the cutoff. A list that is kept a step longer has not got them. */
TEST(two_that_come_nearer_meet)
{
    const double apart = cutoff + 1.002 * skin;
    const struct pair pair = {{2.0, 2.0 + apart}, {0.995, -0.995}};
    for (int axis = 0; axis < 3; ++axis) {
        size_t lists;
        struct walk walk = set_out(axis, &pair);
        const double force = walk_along(&walk, axis, STEPS + 1, &lists);
        assert_true(fabs(force) > 0.1);
        assert_int_equal(lists, 2);
        end(&walk);
    }
}

/* One leaves the box, by nearly half the skin, and its image comes within the cutoff of another, which stands as far
 * from that face as it may without having images. Images that are looked for up to 0.49 skins beyond the cutoff leave
 * it out. */
TEST(one_that_leaves_the_box_is_met_by_its_image)
{
    const double at_face = 0.001 * skin, stands = cutoff + 0.492 * skin;
    const struct pair pairs[] = {{{edge - stands, at_face}, {0.0, -1.0}}, {{stands, edge - at_face}, {0.0, 1.0}}};
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side) {
            size_t lists;
            struct walk walk = set_out(axis, &pairs[side]);
            const double force = walk_along(&walk, axis, STEPS - 1, &lists);
            assert_true(fabs(force) > 0.1);
            assert_int_equal(lists, 1);
            end(&walk);
        }
}
