/* SPDX-License-Identifier: MIT */
/* Pair lists hold every pair within the radius once, whatever the size of their indices, and so do those drawn from
 * them. */
#include "support.h"

#include "base/lanes.h"
#include "force/pairs/lists/tile.h"
#include "force/ranks/share.h"
#include "model/start.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* n molecules in a cube, as one or several species of different numbers */
static struct ph_system *make_gas(size_t n, size_t n_species, double edge)
{
    enum { MOST = 5 };
    struct ph_species species[MOST] = {{.name = "point", .n_sites = 1}};
    size_t count[MOST], left = n;
    species[0].site[0] = (struct ph_site){.name = "A", .mass = 1.0};
    const double edges[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
    struct ph_box box;
    struct ph_system *system = NULL;
    const struct ph_start start = {.kind = PH_START_RANDOM, .seed = 5};
    assert_ok(ph_species_complete(&species[0], NULL, NULL, &err));
    for (size_t s = 0; s < n_species; left -= count[s++]) {
        species[s] = species[0];
        count[s] = s + 1 < n_species ? left / 2 : left;
    }
    assert_ok(ph_box_init_periodic(edges, &box, &err));
    assert_ok(ph_system_create(n_species, species, count, &box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    return system;
}

/* Pairs by the definition, images up to twice the box included; of a molecule and itself every second image. Images
 * that are too far along one axis or two are passed over. */
static size_t count_pairs(const struct ph_system *system, double edge, double radius)
{
    const double most = radius * radius;
    size_t pairs = 0;
    for (size_t i = 0; i < system->n; ++i)
        for (size_t j = i; j < system->n; ++j) {
            double square[3][5];
            for (int k = 0; k < 3; ++k)
                for (int s = 0; s < 5; ++s) {
                    const double d = system->r[k][j] + (s - 2) * edge - system->r[k][i];
                    square[k][s] = d * d;
                }
            for (int x = 0; x < 5; ++x)
                for (int y = 0; y < 5 && square[0][x] < most; ++y)
                    for (int z = 0; z < 5 && square[0][x] + square[1][y] < most; ++z)
                        pairs += square[0][x] + square[1][y] + square[2][z] < most &&
                                 (j != i || 25 * x + 5 * y + z > 62); /* 62 is no shift at all */
        }
    return pairs;
}

/* Every list holds molecules of its species alone. */
static void expect_species(const struct ph_system *system, const struct ph_tile *tile)
{
    uint32_t *list = malloc(tile->n_local * sizeof *list);
    for (size_t l = 0; l < tile->n_couples * system->n_species; ++l) {
        const size_t n = tile->begin[l + 1] - tile->begin[l];
        assert_true(n <= tile->n_local);
        ph_tile_unpack(tile, tile->neighbour, tile->begin[l], n, list);
        for (size_t k = 0; k < n; ++k)
            assert_int_equal(ph_system_species_of(system, tile->molecule[list[k]]), l % system->n_species);
    }
    for (size_t c = 0; c < tile->n_couples; ++c)
        assert_int_equal(ph_system_species_of(system, tile->molecule[tile->couple[c]]),
                         ph_system_species_of(system, tile->molecule[tile->couple[c + 1] - 1]));
    free(list);
}

/* Closer than `radius` now? Asked for every pair of every list, so sanitizers, which see the same memory read
 * elsewhere, leave it alone. */
__attribute__((no_sanitize("address", "undefined"))) static bool is_near(const struct ph_system *system,
                                                                         const struct ph_tiles *tiles,
                                                                         const struct ph_tile *tile, size_t a, size_t b,
                                                                         double radius)
{
    double d2 = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double d = system->r[k][tile->molecule[b]] + tiles->shift[tile->image[b]][k] -
                         (system->r[k][tile->molecule[a]] + tiles->shift[tile->image[a]][k]);
        d2 += d * d;
    }
    return d2 < radius * radius;
}

/* A neighbour of a couple is in the part that its distances say; the second of the couple is one of the first's. */
static void expect_part(const struct ph_system *system, const struct ph_tiles *tiles, const struct ph_tile *tile,
                        size_t c, double inside, double radius, size_t neighbour, size_t part)
{
    const size_t first = tile->couple[c], second = tile->couple[c + 1] - 1;
    const bool to_first = is_near(system, tiles, tile, first, neighbour, radius);
    const bool to_second = neighbour != second && is_near(system, tiles, tile, second, neighbour, radius);
    assert_true(to_first || to_second);
    if (part == PH_PART_INSIDE)
        assert_true(is_near(system, tiles, tile, first, neighbour, inside) &&
                    is_near(system, tiles, tile, second, neighbour, inside) && neighbour != second);
    else
        assert_int_equal(part, to_first && to_second ? PH_PART_ALL : to_first ? PH_PART_FIRST : PH_PART_SECOND);
}

/* What is near lies in the order of kinds, of parts and of species; part_end says where species begin and end. Of those
 * inside only what fills no block is elsewhere. */
static void expect_order(const struct ph_system *system, const struct ph_tiles *tiles, const size_t kind_end[],
                         double inside, double radius, const struct ph_tile *tile)
{
    const size_t n_species = system->n_species;
    uint32_t *list = malloc((tile->n_local + 1) * sizeof *list);
    for (size_t c = 0; c < tile->n_couples; ++c)
        for (size_t first = 0; first < n_species; first = kind_end[first]) {
            const size_t l = c * n_species, last = kind_end[first] - 1, n = tile->part_end[l + last][PH_TILE_PARTS - 1];
            assert_true(tile->begin[l + first] + n <= tile->begin[l + last + 1]);
            ph_tile_unpack(tile, tile->near, tile->begin[l + first], n, list);
            size_t k = 0, left[8] = {0};
            for (size_t part = 0; part < PH_TILE_PARTS; ++part)
                for (size_t s = first; s <= last; ++s)
                    for (; k < tile->part_end[l + s][part]; ++k) {
                        assert_int_equal(ph_system_species_of(system, tile->molecule[list[k]]), s);
                        expect_part(system, tiles, tile, c, inside, radius, list[k], part);
                        left[s] += part == PH_PART_ALL &&
                                   is_near(system, tiles, tile, tile->couple[c], list[k], inside) &&
                                   is_near(system, tiles, tile, tile->couple[c + 1] - 1, list[k], inside);
                    }
            assert_int_equal(k, n);
            for (size_t s = first; s <= last; ++s)
                assert_true(tile->part_end[l + s][PH_PART_INSIDE] % PH_LANES == 0 && left[s] < PH_LANES);
        }
    free(list);
}

/* Thinned out for a radius, with pairs inside and without, and species of their own kinds or not: so many pairs */
static void expect_pairs(const struct ph_system *system, double radius, size_t expected, size_t index_bytes,
                         struct ph_tiles *tiles)
{
    const size_t n_species = system->n_species;
    const double inside[] = {0.0, 0.6 * radius, 0.6 * radius};
    for (size_t k = PH_SANITIZED && index_bytes == 4 ? 2 : 0; k < 3; ++k) { /* long lists have many millions of pairs */
        size_t kind_end[8]; /* at last the first two species, and the others, are of one kind */
        assert_true(n_species <= 8);
        for (size_t s = 0; s < n_species; ++s)
            kind_end[s] = k < 2 ? s + 1 : s < 2 && n_species > 2 ? 2 : n_species;
        ph_tiles_thin(system, NULL, kind_end, inside[k], radius, tiles);
        size_t pairs = 0, bytes = 0;
        for (size_t d = 0; d < tiles->n; ++d) {
            bytes = tiles->tile[d].index_bytes > bytes ? tiles->tile[d].index_bytes : bytes;
            pairs += tiles->tile[d].pairs;
            expect_species(system, &tiles->tile[d]);
            expect_order(system, tiles, kind_end, inside[k], radius, &tiles->tile[d]);
        }
        assert_int_equal(bytes, index_bytes); /* of the largest tile */
        assert_int_equal(pairs, expected);
    }
}

static void expect_all_pairs(size_t n, size_t n_species, double edge, double radius, size_t index_bytes)
{
    struct ph_system *system = make_gas(n, n_species, edge);
    struct ph_tiles tiles = {.n = 0};
    assert_ok(ph_tiles_neighbours(system, NULL, 1.05 * radius, 3, &tiles, &err));
    expect_pairs(system, radius, count_pairs(system, edge, radius), index_bytes, &tiles);
    ph_tiles_clear(&tiles);
    ph_system_destroy(system);
}

static void short_indices_hold_every_pair_once(void **state)
{
    expect_all_pairs(700, 1, 10.0, 2.3, 2);
    expect_all_pairs(120, 1, 4.0, 5.1, 2); /* with images of oneself */
}

static void long_indices_hold_every_pair_once(void **state) { expect_all_pairs(2200, 1, 10.0, 18.9, 4); }

static void lists_of_mixtures_hold_every_pair_once(void **state)
{
    expect_all_pairs(700, 2, 10.0, 2.3, 2);
    expect_all_pairs(1500, 5, 10.0, 2.6, 2); /* of the last species few, of the first many in each cell */
    expect_all_pairs(40, 4, 10.0, 4.9, 2);   /* cells without some of them */
    expect_all_pairs(120, 3, 4.0, 5.1, 2);
}

/* A smaller radius, from the same long lists, twice: the second time with the memory of the first. Copies that no list
 * names are gone. `is_short`: couples of the long lists are taken apart. */
static void expect_drawn(size_t n, size_t n_species, double edge, double radius, double near, bool is_short)
{
    struct ph_system *system = make_gas(n, n_species, edge);
    struct ph_tiles tiles = {.n = 0}, drawn = {.n = 0};
    assert_ok(ph_tiles_neighbours(system, NULL, radius, 3, &tiles, &err));
    assert_false(tiles.tile[0].is_short);
    const double radii[] = {near, 0.95 * near};
    for (int k = 0; k < 2; ++k) {
        size_t before = 0, after = 0;
        assert_ok(ph_tiles_draw(system, &tiles, 1.05 * radii[k], 3, &drawn, &err));
        for (size_t d = 0; d < tiles.n; ++d) {
            assert_int_equal(drawn.tile[d].is_short, is_short);
            assert_int_equal(drawn.tile[d].n_home, tiles.tile[d].n_home);
            before += tiles.tile[d].n_local;
            after += drawn.tile[d].n_local;
        }
        assert_true(after < before);
        expect_pairs(system, radii[k], count_pairs(system, edge, radii[k]), 2, &drawn);
    }
    ph_tiles_clear(&drawn);
    ph_tiles_clear(&tiles);
    ph_system_destroy(system);
}

static void short_lists_are_drawn_from_long_ones(void **state)
{
    expect_drawn(2000, 1, 10.0, 3.0, 2.4, false);
    expect_drawn(2000, 1, 10.0, 3.0, 0.9, true);
    expect_drawn(1500, 3, 10.0, 3.4, 2.5, false);
    expect_drawn(1500, 3, 10.0, 3.4, 1.1, true);
    expect_drawn(120, 2, 4.0, 6.3, 4.4, false); /* with images of oneself */
}

/* ---- Threads ---- */

static void expect_same_tiles(const struct ph_tiles *a, const struct ph_tiles *b, size_t n)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->first, b->first, (n + 1) * sizeof *a->first);
    assert_memory_equal(a->copy_tile, b->copy_tile, a->first[n] * sizeof *a->copy_tile);
    assert_memory_equal(a->copy_local, b->copy_local, a->first[n] * sizeof *a->copy_local);
    for (int k = 0; k < 3; ++k)
        assert_memory_equal(a->built_at[k], b->built_at[k], n * sizeof(double));
    for (size_t d = 0; d < a->n; ++d) {
        const struct ph_tile *of_a = &a->tile[d], *of_b = &b->tile[d];
        assert_int_equal(of_a->n_local, of_b->n_local);
        assert_int_equal(of_a->n_couples, of_b->n_couples);
        assert_memory_equal(of_a->molecule, of_b->molecule, of_a->n_local * sizeof *of_a->molecule);
        assert_memory_equal(of_a->neighbour, of_b->neighbour, of_a->begin[of_a->n_couples] * of_a->index_bytes);
    }
}

/* Enough molecules that threads share each part of the work: one that leaves out or repeats a molecule at the ends of
 * its range, or in another's range, gives other tables. */
static void threads_make_the_lists_of_one(void **state)
{
    enum { N = 5003 };
    struct ph_system *system = make_gas(N, 1, 17.0);
    struct ph_tiles one = {.n = 0};
    omp_set_num_threads(1);
    assert_ok(ph_tiles_neighbours(system, NULL, 2.3, 3, &one, &err));
    assert_true(one.first[N] > N);
    for (int threads = 2; threads <= 7; ++threads) {
        struct ph_tiles many = {.n = 0};
        omp_set_num_threads(threads);
        assert_ok(ph_tiles_neighbours(system, NULL, 2.3, 3, &many, &err));
        expect_same_tiles(&one, &many, N);
        ph_tiles_clear(&many);
    }
    ph_tiles_clear(&one);
    ph_system_destroy(system);
}

/* Not the one that a thread happens to find first */
static void the_first_molecule_that_is_lost_is_named(void **state)
{
    struct ph_system *system = make_gas(5003, 1, 17.0);
    const size_t lost[] = {4999, 3000, 1234, 1233};
    for (size_t k = 0; k < sizeof lost / sizeof *lost; ++k) {
        struct ph_tiles tiles = {.n = 0};
        struct ph_error err = {.text = ""};
        char name[32];
        snprintf(name, sizeof name, "molecule %u ", system->id[lost[k]]);
        system->r[1][lost[k]] = NAN;
        omp_set_num_threads(5);
        assert_int_equal(ph_tiles_neighbours(system, NULL, 2.3, 3, &tiles, &err), PH_ERR_NUMBERS);
        assert_non_null(strstr(err.text, name));
        ph_tiles_clear(&tiles);
    }
    ph_system_destroy(system);
}

static void count_call(const void *data, const struct ph_tiles *tiles, struct ph_tile *tile)
{
    _Atomic int *calls = *(_Atomic int *const *)data;
    ++calls[tile - tiles->tile];
}

/* Some threads begin only when others have finished: their tiles are taken by these. */
static void threads_do_each_tile_once(void **state)
{
    enum { MOST = 19, ROUNDS = 50 };
    struct ph_tile tile[MOST] = {{.n_home = 0}};
    uint32_t here[MOST];
    for (uint32_t k = 0; k < MOST; ++k)
        here[k] = k;
    const size_t numbers[] = {0, 1, 2, 5, MOST};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
        for (int threads = 1; threads <= 7; threads += 3) {
            struct ph_tiles tiles = {
                .n = MOST, .tile = tile, .n_here = numbers[k], .here = here, .round = tile[0].round};
            for (int round = 0; round < ROUNDS; ++round) {
                _Atomic int calls[MOST] = {0}, *of = calls;
                ++tiles.round;
#pragma omp parallel num_threads(threads)
                ph_tiles_each(&tiles, count_call, &of);
                for (size_t d = 0; d < MOST; ++d)
                    assert_int_equal(calls[d], d < numbers[k]);
            }
            tile[0].round = tiles.round;
        }
}

/* ---- Running out of memory ---- */

/* The linker puts this in the place of calloc (tests/CMakeLists.txt): the first call after `calls_left` others fails.
 */
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
static _Atomic long calls_left = -1; /* below zero: none fails */

void *__wrap_calloc(size_t n, size_t size)
{
    if (calls_left >= 0 && atomic_fetch_sub(&calls_left, 1) == 0)
        return NULL;
    return __real_calloc(n, size);
}

/* Whatever there was no room for, what is there can be cleared. */
static void tiles_without_memory_can_be_cleared(void **state)
{
    struct ph_system *system = make_gas(700, 2, 10.0);
    for (int lists = 0; lists < 2; ++lists)
        for (long k = 0;; ++k) {
            struct ph_tiles tiles = {.n = 0};
            struct ph_error err = {.text = ""};
            calls_left = k;
            const enum ph_status status = lists ? ph_tiles_neighbours(system, NULL, 2.3, 3, &tiles, &err)
                                                : ph_tiles_all_pairs(system, 3, &tiles, &err);
            const bool all = calls_left >= 0;
            calls_left = -1;
            assert_int_equal(status, all ? PH_OK : PH_ERR_MEMORY);
            ph_tiles_clear(&tiles);
            if (all) {
                assert_true(k > 0); /* some call did fail */
                break;
            }
        }
    ph_system_destroy(system);
}

/* Each of three ranks counts some of the tiles, and the counts are added up. */
static void deal(size_t n, const uint64_t *cost, size_t n_processes, size_t *first)
{
    const size_t begin[] = {0, n / 4, n / 2, n};
    uint64_t sum = 0, before = 0;
    for (size_t d = 0; d < n; ++d)
        sum += cost[d];
    memset(first, 0, (n_processes + 1) * sizeof *first);
    for (size_t rank = 0; rank < 3; ++rank) {
        int64_t counted[16];
        ph_share_deal(begin[rank + 1] - begin[rank], cost + begin[rank], before, sum, n_processes, counted);
        for (size_t p = 0; p <= n_processes; ++p)
            first[p] += (size_t)counted[p];
        for (size_t d = begin[rank]; d < begin[rank + 1]; ++d)
            before += cost[d];
    }
}

/* Costs as they are measured where process 2 takes thrice as long as the others: dealing by them, again and again, ends
 * with processes that take the same time, up to one of the slow one's tiles. All tiles are dealt, in order. */
static void tiles_are_dealt_by_what_they_cost(void **state)
{
    enum { TILES = 101, PROCESSES = 5, SLOW = 2 };
    size_t first[PROCESSES + 1];
    uint64_t cost[TILES], time[PROCESSES];
    for (size_t d = 0; d < TILES; ++d)
        cost[d] = 1;
    for (int round = 0; round < 6; ++round) {
        deal(TILES, cost, PROCESSES, first);
        assert_int_equal(first[0], 0);
        assert_int_equal(first[PROCESSES], TILES);
        for (size_t p = 0; p < PROCESSES; ++p) {
            assert_true(first[p] <= first[p + 1]);
            time[p] = 0;
            for (size_t d = first[p]; d < first[p + 1]; ++d)
                time[p] += cost[d] = (p == SLOW ? 300 : 100) + d % 7;
        }
    }
    for (size_t p = 0; p < PROCESSES; ++p)
        for (size_t other = 0; other < PROCESSES; ++other)
            assert_true(time[p] <= time[other] + 310);
    /* More processes than tiles, and tiles that cost nothing */
    const uint64_t few[3] = {5, 0, 5};
    size_t of_few[PROCESSES + 1];
    deal(3, few, PROCESSES, of_few);
    for (size_t p = 0; p < PROCESSES; ++p)
        assert_true(of_few[p] <= of_few[p + 1] && of_few[p + 1] - of_few[p] <= 2);
    assert_int_equal(of_few[PROCESSES], 3);
}

/* clang's library loses memory where a team grows, and the sanitizer says so: the largest team comes first. */
static int make_largest_team(void **state)
{
    int largest = 0;
#pragma omp parallel num_threads(7)
#pragma omp single
    largest = omp_get_num_threads();
    return largest > 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_indices_hold_every_pair_once),       cmocka_unit_test(long_indices_hold_every_pair_once),
        cmocka_unit_test(lists_of_mixtures_hold_every_pair_once),   cmocka_unit_test(threads_make_the_lists_of_one),
        cmocka_unit_test(the_first_molecule_that_is_lost_is_named), cmocka_unit_test(threads_do_each_tile_once),
        cmocka_unit_test(tiles_without_memory_can_be_cleared),      cmocka_unit_test(tiles_are_dealt_by_what_they_cost),
        cmocka_unit_test(short_lists_are_drawn_from_long_ones),
    };
    return cmocka_run_group_tests(tests, make_largest_team, NULL);
}
