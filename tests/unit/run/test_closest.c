/* SPDX-License-Identifier: MIT */
/* The closest pair and the pairs within a radius, against looking at all of them; and that not all are looked at. */
#include "support.h"

#include "base/random.h"
#include "model/system.h"
#include "run/build/closest.h"
#include "run/build/overlap.h"

#include <stdlib.h>
#include <string.h>

static const double tilted[3][3] = {{1.2, 0.1, -0.05}, {0.4, 1.1, 0.2}, {-0.3, 0.35, 1.15}};
static const double cube[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double needle[3][3] = {{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 30}};

/* Points in a box of this shape and size, or in open space stretched along its axes */
static struct ph_system *scatter(size_t n, const double shape[3][3], double size, bool open, uint64_t seed)
{
    struct ph_species species = {.name = "point", .n_sites = 1};
    species.site[0] = (struct ph_site){.name = "A", .mass = 1.0};
    double edges[3][3];
    for (int k = 0; k < 9; ++k)
        edges[k / 3][k % 3] = size * shape[k / 3][k % 3];
    struct ph_box box = ph_box_open();
    struct ph_error err = {.text = ""};
    struct ph_system *system = NULL;
    if (ph_species_complete(&species, NULL, NULL, &err) != PH_OK ||
        (!open && ph_box_init_periodic((const double(*)[3])edges, &box, &err) != PH_OK) ||
        ph_system_create(1, &species, &n, &box, &system, &err) != PH_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < n; ++i) {
        struct ph_random random = ph_random_stream(seed, PH_RANDOM_TEST, i);
        for (int e = 0; e < 3; ++e) {
            const double part = ph_random_uniform(&random);
            for (int k = 0; k < 3; ++k)
                system->r[k][i] += part * edges[e][k];
        }
    }
    ph_system_wrap(system);
    return system;
}

static double distance(const struct ph_system *system, size_t i, size_t j)
{
    double d[3] = {system->r[0][i] - system->r[0][j], system->r[1][i] - system->r[1][j],
                   system->r[2][i] - system->r[2][j]};
    ph_box_minimum_image(&system->box, d);
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static void expect_closest(struct ph_system *system)
{
    struct ph_closest want = {.distance = INFINITY}, got;
    for (size_t i = 0; i < system->n; ++i)
        for (size_t j = i + 1; j < system->n; ++j)
            if (distance(system, i, j) < want.distance)
                want = (struct ph_closest){{i, j}, distance(system, i, j)};
    assert_ok(ph_closest_pair(system, &got, &err));
    assert_true(got.distance == want.distance);
    assert_int_equal(got.molecule[0], want.molecule[0]);
    assert_int_equal(got.molecule[1], want.molecule[1]);
    ph_system_destroy(system);
}

TEST(the_closest_pair_is_found)
{
    const size_t counts[] = {1, 2, 3, 50, 99, 101, 400, 1500};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
        for (uint64_t seed = 1; seed <= (PH_SANITIZED ? 1 : 5); ++seed) {
            expect_closest(scatter(counts[c], cube, 10.0, false, seed));
            expect_closest(scatter(counts[c], tilted, 3.0, false, seed));
            expect_closest(scatter(counts[c], needle, 4.0, false, seed));
            expect_closest(scatter(counts[c], cube, 10.0, true, seed));
            expect_closest(scatter(counts[c], needle, 4.0, true, seed));
        }
}

/* Layers, lines, one place; a lattice, where all are equally close; one molecule far from all others */
TEST(the_closest_pair_is_found_in_odd_places)
{
    for (int flat = 1; flat <= 3; ++flat) {
        struct ph_system *system = scatter(300, cube, 10.0, true, 3);
        for (int k = 0; k < flat; ++k)
            for (size_t i = 0; i < system->n; ++i)
                system->r[k][i] = -2.0;
        expect_closest(system);
    }
    for (int open = 0; open < 2; ++open) {
        struct ph_system *system = scatter(512, cube, 8.0, open, 1);
        for (size_t i = 0; i < system->n; ++i) {
            system->r[0][i] = (double)(i % 8);
            system->r[1][i] = (double)(i / 8 % 8);
            system->r[2][i] = (double)(i / 64);
        }
        expect_closest(system);
    }
    struct ph_system *system = scatter(300, cube, 1.0, true, 4);
    system->r[1][77] = 1e6;
    expect_closest(system);
}

struct seen {
    const struct ph_system *system;
    double radius;
    unsigned char *times; /* of pair i n + j */
    size_t visits;
};

static void see(size_t i, size_t j, void *context)
{
    struct seen *seen = context;
    assert_true(i < j && j < seen->system->n);
    ++seen->visits;
    if (seen->times)
        ++seen->times[i * seen->system->n + j];
}

TEST(near_pairs_are_visited_once)
{
    const double radii[] = {0.3, 1.1, 2.9, 9.0, 40.0};
    for (size_t k = 0; k < sizeof radii / sizeof radii[0]; ++k)
        for (int open = 0; open < 2; ++open)
            for (int shape = 0; shape < 3; ++shape) {
                struct ph_system *system = scatter(400,
                                                   shape == 0   ? cube
                                                   : shape == 1 ? tilted
                                                                : needle,
                                                   shape == 2 ? 2.0 : 6.0, open, 2);
                struct seen seen = {.system = system, .times = calloc(system->n * system->n, 1)};
                assert_ok(ph_near_pairs(system, radii[k], see, &seen, &err));
                for (size_t i = 0; i < system->n; ++i)
                    for (size_t j = i + 1; j < system->n; ++j) {
                        assert_true(seen.times[i * system->n + j] <= 1);
                        if (distance(system, i, j) < radii[k])
                            assert_int_equal(seen.times[i * system->n + j], 1);
                    }
                free(seen.times);
                ph_system_destroy(system);
            }
}

/* Work in proportion to the molecules: eight times as many in eight times the volume have about eight times the pairs,
 * not 64 times. */
TEST(the_work_grows_with_the_number_of_molecules)
{
    size_t visits[2];
    for (int k = 0; k < 2; ++k) {
        struct ph_system *system = scatter(k == 0 ? 4000 : 32000, cube, k == 0 ? 16.0 : 32.0, false, 5);
        struct seen seen = {.system = system};
        assert_ok(ph_near_pairs(system, 1.0, see, &seen, &err));
        visits[k] = seen.visits;
        ph_system_destroy(system);
    }
    const double ratio = (double)visits[1] / (double)visits[0];
    if (!(ratio > 7.0 && ratio < 9.0))
        fail_msg("%zu pairs of 4000 molecules, %zu of 32000: %.2f times", visits[0], visits[1], ratio);
    assert_true(visits[0] < 40 * 4000);
}

/* ---- Overlaps ---- */

/* All pairs nearer than 3/4 of sigma are counted, and the worst is named; with a smaller sigma there are none. */
TEST(overlaps_are_counted_and_the_worst_is_named)
{
    for (int k = 0; k < 4; ++k) {
        struct ph_system *system = scatter(k % 2 ? 700 : 60, k < 2 ? tilted : cube, k % 2 ? 9.0 : 4.0, k == 2, 11);
        struct ph_closest closest;
        struct ph_overlap overlap;
        const struct ph_interactions interactions = {.n_overrides = 0};
        assert_ok(ph_overlap_find(system, &interactions, &overlap, &err));
        assert_true(overlap.pairs == 0); /* points without a radial term */
        assert_ok(ph_closest_pair(system, &closest, &err));
        system->species[0].site[0].radial = (struct ph_radial){PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0};
        size_t pairs = 0;
        for (size_t i = 0; i < system->n; ++i)
            for (size_t j = i + 1; j < system->n; ++j)
                pairs += distance(system, i, j) < 0.75;
        assert_true(pairs > 3);
        assert_ok(ph_overlap_find(system, &interactions, &overlap, &err));
        assert_int_equal(overlap.pairs, pairs);
        assert_close(overlap.distance, closest.distance, 1e-14, 1.0);
        assert_true(overlap.molecule[0] == closest.molecule[0] && overlap.molecule[1] == closest.molecule[1]);
        assert_string_equal(overlap.site[0], "point.A");
        for (int half = 0; half < 2; ++half) { /* just below, and just above what counts */
            system->species[0].site[0].radial.sigma = closest.distance / (half ? 0.7501 : 0.7499);
            assert_ok(ph_overlap_find(system, &interactions, &overlap, &err));
            assert_int_equal(overlap.pairs, half ? 0 : 1);
        }
        ph_system_destroy(system);
    }
}

/* Two rods whose centres are as far apart overlap end to end, and not side by side, also through the wall of a box. */
TEST(sites_overlap_and_not_centres)
{
    const struct ph_radial lennard_jones = {PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0};
    struct ph_species rod = {.name = "rod", .n_sites = 2};
    rod.site[0] = (struct ph_site){.name = "A", .mass = 1.0, .position = {0.0, 0.0, 0.5}, .radial = lennard_jones};
    rod.site[1] = (struct ph_site){.name = "B", .mass = 1.0, .position = {0.0, 0.0, -0.5}, .radial = lennard_jones};
    struct ph_box box;
    struct ph_system *system = NULL;
    const double edges[3][3] = {{8, 0, 0}, {0, 8, 0}, {0, 0, 8}};
    assert_ok(ph_species_complete(&rod, NULL, NULL, &err));
    assert_ok(ph_box_init_periodic(edges, &box, &err));
    assert_ok(ph_system_create(1, &rod, (size_t[]){2}, &box, &system, &err));
    const struct ph_interactions interactions = {.n_overrides = 0};
    struct ph_overlap overlap;
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < 3; ++k) {
            system->r[k][0] = k == axis ? 0.7 : 4.0;
            system->r[k][1] = k == axis ? 7.2 : 4.0; /* 1.5 apart, across the wall */
        }
        assert_ok(ph_overlap_find(system, &interactions, &overlap, &err));
        const bool along = fabs(system->species[0].site[0].position[axis]) > 0.4; /* in the principal frame */
        assert_int_equal(overlap.pairs, along ? 1 : 0);
        if (!along)
            continue;
        assert_close(overlap.distance, 0.5, 1e-14, 1.0);
        assert_close(overlap.sigma, 1.0, 1e-15, 1.0);
        assert_true(strcmp(overlap.site[0], overlap.site[1]) != 0); /* A of one, B of the other */
        struct ph_error told = {.status = PH_ERR_NUMBERS, .text = "It fails."};
        ph_overlap_blame(&overlap, &told);
        assert_non_null(strstr(told.text, "It fails. The cause: molecules 0 and 1 of the start overlap: rod."));
        assert_non_null(strstr(told.text, "are 0.5 apart, where their sigma is 1. Give system.start.minimise"));
        told = (struct ph_error){.status = PH_ERR_IO, .text = "It is full."};
        ph_overlap_blame(&overlap, &told);
        assert_string_equal(told.text, "It is full.");
    }
    ph_system_destroy(system);
}
