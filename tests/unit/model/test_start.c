/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "base/normals.h"
#include "base/random.h"
#include "base/ranges.h"
#include "base/rotation.h"
#include "formats/start_file.h"
#include "model/start.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double water[4][3] = {{0, 0, 0}, {0.0757, 0, 0.0586}, {-0.0757, 0, 0.0586}, {0, 0, 0.015}};

/* Species: water with a massless site, a linear rotor, a point */
static void make_species(struct ph_species species[3])
{
    memset(species, 0, 3 * sizeof *species);
    species[0] = (struct ph_species){.name = "water", .n_sites = 4};
    static const char *const names[] = {"O", "H", "H", "M"};
    static const double masses[] = {16, 1, 1, 0};
    for (int a = 0; a < 4; ++a) {
        strcpy(species[0].site[a].name, names[a]);
        memcpy(species[0].site[a].position, water[a], sizeof water[a]);
        species[0].site[a].mass = masses[a];
    }
    species[1] = (struct ph_species){.name = "rotor", .n_sites = 2};
    for (int a = 0; a < 2; ++a) {
        strcpy(species[1].site[a].name, "N");
        species[1].site[a].position[2] = a - 0.5;
        species[1].site[a].mass = 14.0;
    }
    species[2] = (struct ph_species){.name = "point", .n_sites = 1};
    strcpy(species[2].site[0].name, "A");
    species[2].site[0].mass = 40.0;
    for (int s = 0; s < 3; ++s)
        assert_int_equal(ph_species_complete(&species[s], NULL, NULL, NULL), PH_OK);
}

static struct ph_system *mixture(size_t a, size_t b, size_t c, const double (*edge)[3])
{
    struct ph_species species[3];
    struct ph_box box = ph_box_open();
    struct ph_system *system;
    make_species(species);
    if (edge)
        assert_int_equal(ph_box_init_periodic(edge, &box, NULL), PH_OK);
    assert_int_equal(ph_system_create(3, species, (size_t[]){a, b, c}, &box, &system, NULL), PH_OK);
    return system;
}

static struct ph_system *points(size_t n, const double (*edge)[3])
{
    struct ph_species species[3];
    struct ph_box box = ph_box_open();
    struct ph_system *system;
    make_species(species);
    if (edge)
        assert_int_equal(ph_box_init_periodic(edge, &box, NULL), PH_OK);
    assert_int_equal(ph_system_create(1, &species[2], &n, &box, &system, NULL), PH_OK);
    return system;
}

static double smallest_distance(const struct ph_system *system)
{
    double smallest = INFINITY;
    for (size_t i = 0; i < system->n; ++i)
        for (size_t j = 0; j < i; ++j) {
            double d[3] = {system->r[0][i] - system->r[0][j], system->r[1][i] - system->r[1][j],
                           system->r[2][i] - system->r[2][j]};
            ph_box_minimum_image(&system->box, d);
            smallest = fmin(smallest, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
        }
    return smallest;
}

static const double cube[3][3] = {{10, 0, 0}, {0, 10, 0}, {0, 0, 10}};

TEST(lattices_have_the_distance_of_their_neighbours)
{
    static const struct {
        enum ph_start_kind kind;
        size_t n;
        double distance;
    } cases[] = {{PH_START_FCC, 4, 7.0710678118654755},   {PH_START_FCC, 108, 10 / 3.0 * 0.70710678118654757},
                 {PH_START_FCC, 256, 1.7677669529663687}, {PH_START_FCC, 109, 1.7677669529663687}, /* the next size */
                 {PH_START_SIMPLE_CUBIC, 64, 2.5},        {PH_START_SIMPLE_CUBIC, 65, 2.0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        struct ph_system *system = points(cases[k].n, cube);
        const struct ph_start start = {.kind = cases[k].kind, .seed = 1};
        assert_int_equal(ph_start_place(&start, system, NULL), PH_OK);
        assert_close(smallest_distance(system), cases[k].distance, 1e-13, 10.0);
        ph_system_destroy(system);
    }
    /* a long box gets long rows of near-cubic cells: 2 x 4 x 8 */
    static const double brick[3][3] = {{2, 0, 0}, {0, 4, 0}, {0, 0, 8}};
    struct ph_system *system = points(64, brick);
    assert_int_equal(ph_start_place(&(struct ph_start){.kind = PH_START_SIMPLE_CUBIC}, system, NULL), PH_OK);
    assert_close(smallest_distance(system), 1.0, 1e-13, 1.0);
    ph_system_destroy(system);
    /* open space: by spacing, centred */
    system = points(125, NULL);
    assert_int_equal(ph_start_place(&(struct ph_start){.kind = PH_START_SIMPLE_CUBIC, .spacing = 1.5}, system, NULL),
                     PH_OK);
    assert_close(smallest_distance(system), 1.5, 1e-13, 1.0);
    double sum = 0.0;
    for (size_t i = 0; i < 125; ++i)
        sum += system->r[0][i];
    assert_close(sum, 0.0, 1e-13, 1.0);
    assert_int_equal(ph_start_place(&(struct ph_start){.kind = PH_START_FCC}, system, NULL), PH_ERR_INPUT);
    ph_system_destroy(system);
}

TEST(jitter_displaces_by_its_standard_deviation)
{
    struct ph_system *still = points(4000, cube), *moved = points(4000, cube);
    struct ph_start start = {.kind = PH_START_FCC, .seed = 3};
    assert_int_equal(ph_start_place(&start, still, NULL), PH_OK);
    start.jitter = 0.02;
    assert_int_equal(ph_start_place(&start, moved, NULL), PH_OK);
    double square = 0.0;
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < 4000; ++i)
            square += pow(moved->r[k][i] - still->r[k][i], 2);
    const double expected = 0.02 * 0.70710678118654757; /* cells of length 1 */
    assert_close(sqrt(square / 12000.0), expected, 5.0 / sqrt(2.0 * 12000.0), expected);
    ph_system_destroy(still);
    ph_system_destroy(moved);
}

/* On neighbouring lattice sites, like meets unlike as often as counts say. */
TEST(mixtures_are_mixed)
{
    struct ph_system *system = mixture(0, 500, 500, cube);
    assert_int_equal(ph_start_place(&(struct ph_start){.kind = PH_START_SIMPLE_CUBIC, .seed = 5}, system, NULL), PH_OK);
    assert_close(smallest_distance(system), 1.0, 1e-13, 1.0);
    size_t like = 0, all = 0;
    for (size_t i = 0; i < 1000; ++i)
        for (size_t j = 0; j < i; ++j) {
            double d[3] = {system->r[0][i] - system->r[0][j], system->r[1][i] - system->r[1][j],
                           system->r[2][i] - system->r[2][j]};
            ph_box_minimum_image(&system->box, d);
            if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 1.1) {
                ++all;
                like += (i < 500) == (j < 500);
            }
        }
    assert_int_equal(all, 3000);
    assert_close((double)like, 1500.0, 5.0 * sqrt(750.0), 1.0);
    ph_system_destroy(system);
}

TEST(random_places_keep_their_distance)
{
    static const double tilted[3][3] = {{10, 0, 0}, {3, 9, 0}, {-2, 1, 11}};
    for (int open = 0; open < 3; ++open) {
        struct ph_system *system = points(400, open == 0 ? cube : (open == 1 ? tilted : NULL));
        const struct ph_start start = {.kind = PH_START_RANDOM, .seed = 2, .minimum_distance = 1.0, .radius = 6.0};
        assert_ok(ph_start_place(&start, system, &err));
        const double smallest = smallest_distance(system);
        assert_true(smallest >= 1.0 && smallest < 1.02);
        double far = 0.0, mean = 0.0;
        for (size_t i = 0; i < 400; ++i) {
            const double square = pow(system->r[0][i], 2) + pow(system->r[1][i], 2) + pow(system->r[2][i], 2);
            far = fmax(far, sqrt(square));
            mean += system->r[2][i] / 400.0;
        }
        if (open == 2)
            assert_true(far <= 6.0 && far > 5.5);
        const double third = open == 2 ? 0.0 : (open == 0 ? 5.0 : 5.5); /* centre of the volume, z */
        assert_close(mean, third, 5.0 * 3.2 / 20.0, 1.0);
        ph_system_destroy(system);
    }
}

TEST(too_many_random_places_are_an_error_with_numbers)
{
    struct ph_system *system = points(1000, cube);
    struct ph_error err = {.text = ""};
    const struct ph_start start = {.kind = PH_START_RANDOM, .seed = 2, .minimum_distance = 1.2};
    assert_int_equal(ph_start_place(&start, system, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "of 1000 molecules"));
    assert_non_null(strstr(err.text, "1.2"));
    assert_non_null(strstr(err.text, "0.90")); /* the filling, pi/6 1.728 */
    ph_system_destroy(system);
}

/* Each body axis in space, and q itself: means and second moments of the uniform distribution */
TEST(orientations_are_uniform)
{
    const size_t n = 20000;
    struct ph_system *system = mixture(n, 0, 1, NULL);
    ph_start_turn(11, system);
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < 3; ++k) {
            double mean = 0.0, square = 0.0;
            for (size_t i = 0; i < n; ++i) {
                const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
                const double e[3] = {axis == 0, axis == 1, axis == 2};
                double x[3];
                ph_quat_rotate(q, e, x);
                mean += x[k] / (double)n;
                square += x[k] * x[k] / (double)n;
            }
            assert_close(mean, 0.0, 5.0 * sqrt(1.0 / 3.0 / (double)n), 1.0);
            assert_close(square, 1.0 / 3.0, 5.0 * sqrt(4.0 / 45.0 / (double)n), 1.0);
        }
    double norm = 0.0, turn = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double square = 0.0;
        for (int k = 0; k < 4; ++k)
            square += system->q[k][i] * system->q[k][i];
        norm = fmax(norm, fabs(square - 1.0));
        turn += system->q[0][i] * system->q[0][i] / (double)n; /* 1/4, not 1/3 as with uniform angles */
    }
    assert_true(norm < 1e-15);
    assert_close(turn, 0.25, 5.0 * sqrt(1.0 / 16.0 / (double)n), 1.0);
    assert_true(system->q[0][n] == 1.0); /* the point */
    ph_system_destroy(system);
}

/* Kinetic energies of each species and axis lie within five standard deviations of kT/2 per degree of freedom. */
TEST(momenta_are_those_of_maxwell_and_boltzmann)
{
    const double kT = 2.5;
    struct ph_system *system = mixture(3000, 3000, 3000, cube);
    ph_start_move(kT, false, false, 7, system);
    double total[3] = {0, 0, 0};
    for (size_t s = 0; s < 3; ++s)
        for (int k = 0; k < 3; ++k) {
            const double moment = system->species[s].inertia[k];
            double translation = 0.0, rotation = 0.0, fourth = 0.0;
            for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
                const double p = system->p[k][i] / sqrt(system->species[s].mass * kT);
                total[k] += system->p[k][i];
                translation += p * p / 3000.0;
                fourth += p * p * p * p / 3000.0;
                if (moment > 0.0)
                    rotation += system->m[k][i] * system->m[k][i] / (moment * kT) / 3000.0;
                else
                    assert_true(system->m[k][i] == 0.0);
            }
            assert_close(translation, 1.0, 5.0 * sqrt(2.0 / 3000.0), 1.0);
            assert_close(fourth, 3.0, 5.0 * sqrt(96.0 / 3000.0), 1.0); /* normal, not only of the right width */
            assert_close(rotation, moment > 0.0, 5.0 * sqrt(2.0 / 3000.0), 1.0);
        }
    for (int k = 0; k < 3; ++k)
        assert_close(total[k], 0.0, 1e-15, sqrt(9000.0 * 40.0 * kT) * 9000.0);
    assert_int_equal(ph_system_degrees_rotation(system), 3000 * 3 + 3000 * 2);

    ph_start_move(kT, true, false, 7, system);
    assert_close(ph_system_thermal_translation(system), kT, 1e-14, kT);
    assert_close(ph_system_thermal_rotation(system), kT, 1e-14, kT);
    ph_start_move(kT, true, true, 7, system); /* pinned */
    assert_true(ph_system_kinetic_translation(system) == 0.0);
    assert_close(ph_system_thermal_rotation(system), kT, 1e-14, kT);
    ph_start_move(0.0, true, false, 7, system); /* at rest */
    assert_true(ph_system_kinetic_translation(system) == 0.0 && ph_system_kinetic_rotation(system) == 0.0);
    ph_system_destroy(system);
}

static void make_start(struct ph_system *system)
{
    const struct ph_start start = {.kind = PH_START_FCC, .jitter = 0.05, .seed = 99};
    assert_int_equal(ph_start_place(&start, system, NULL), PH_OK);
    ph_start_turn(99, system);
    ph_start_move(1.0, true, false, 99, system);
}

TEST(the_number_of_threads_changes_no_bit)
{
    struct ph_system *one = mixture(50, 60, 70, cube), *many = mixture(50, 60, 70, cube);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    make_start(one);
    omp_set_num_threads(4);
    make_start(many);
    omp_set_num_threads(threads);
    double *const *const left[] = {one->r, one->p, one->q, one->m}, *const *const right[] = {many->r, many->p, many->q,
                                                                                             many->m};
    for (int g = 0; g < 4; ++g)
        for (int k = 0; k < (g == 2 ? 4 : 3); ++k)
            assert_memory_equal(left[g][k], right[g][k], one->n * sizeof(double));
    ph_system_destroy(one);
    ph_system_destroy(many);
}

/* Each part in a thread of its own, which sees nothing of the others but their sums */
enum { PARTS = 3, BLOCKS = 4 };
static double table[BLOCKS][2];

static void complete(size_t blocks, double (*sums)[2], void *data)
{
    const struct ph_start_part *part = data;
    assert_int_equal(blocks, BLOCKS);
    for (size_t b = part->begin / PH_RANGE_BLOCK; b * PH_RANGE_BLOCK < part->end; ++b)
        memcpy(table[b], sums[b], sizeof table[b]);
#pragma omp barrier
    memcpy(sums, table, sizeof table);
#pragma omp barrier
}

TEST(parts_have_the_bits_of_the_whole)
{
    static const size_t counts[3] = {5000, 6000, 2000}, begins[PARTS + 1] = {0, 8192, 12288, 13000};
    struct ph_system *whole = mixture(counts[0], counts[1], counts[2], cube), *rooms[PARTS], parts[PARTS];
    make_start(whole);
    struct ph_species species[3];
    make_species(species);
    int made = 0;
#pragma omp parallel num_threads(PARTS) reduction(+ : made)
    {
        const int k = omp_get_thread_num();
        double sums[BLOCKS][2];
        struct ph_system *room, *view = &parts[k];
        const bool reserved = ph_system_reserve(3, species, counts, &whole->box, &room, NULL) == PH_OK;
        struct ph_start_part part = {
            .begin = begins[k], .end = begins[k + 1], .whole = room, .sums = sums, .complete = complete, .data = &part};
        const struct ph_start start = {.kind = PH_START_FCC, .jitter = 0.05, .seed = 99};
        ph_system_number(room, begins[k], begins[k + 1]);
        made += reserved && ph_start_part_view(&part, view, NULL) == PH_OK &&
                ph_start_place_part(&start, &part, view, NULL) == PH_OK;
        ph_start_turn(99, view);
        ph_start_move_part(1.0, true, false, 99, &part, view);
        rooms[k] = room;
    }
    assert_int_equal(made, PARTS);
    for (int part = 0; part < PARTS; ++part) {
        const struct ph_system *one = &parts[part];
        double *const *const left[] = {one->r, one->p, one->q, one->m}, *const *const right[] = {whole->r, whole->p,
                                                                                                 whole->q, whole->m};
        assert_int_equal(one->n, begins[part + 1] - begins[part]);
        for (int g = 0; g < 4; ++g)
            for (int k = 0; k < (g == 2 ? 4 : 3); ++k)
                assert_memory_equal(left[g][k], right[g][k] + begins[part], one->n * sizeof(double));
        for (size_t i = 0; i < 13000; ++i) /* others are as they were: nothing was written there */
            assert_int_equal(rooms[part]->id[i], i >= begins[part] && i < begins[part + 1] ? i : 0);
        free(parts[part].first);
        ph_system_destroy(rooms[part]);
    }
    ph_system_destroy(whole);
}

/* A molecule's own numbers do not depend on how many others there are; other seeds and purposes give others. */
TEST(streams_belong_to_a_molecule)
{
    struct ph_system *few = mixture(10, 0, 0, NULL), *more = mixture(200, 0, 0, NULL);
    ph_start_turn(4, few);
    ph_start_turn(4, more);
    for (size_t i = 0; i < 10; ++i)
        assert_true(few->q[0][i] == more->q[0][i] && few->q[3][i] == more->q[3][i]);
    ph_start_turn(5, few);
    assert_true(few->q[0][0] != more->q[0][0]);
    ph_system_destroy(few);
    ph_system_destroy(more);
    struct ph_random a = ph_random_stream(1, PH_RANDOM_TEST, 0), b = ph_random_stream(1, PH_RANDOM_SPIN, 0),
                     c = ph_random_stream(1, PH_RANDOM_TEST, 1);
    const uint64_t bits = ph_random_bits(&a);
    assert_true(bits != ph_random_bits(&b) && bits != ph_random_bits(&c));
    /* Philox4x64-10 of counter 0 and key 0: the known answer of its authors */
    struct ph_random known = {.seed = 0};
    assert_true(ph_random_bits(&known) == UINT64_C(0x16554d9eca36314c));
    struct ph_random stream = ph_random_stream(UINT64_C(0xfedcba9876543210), PH_RANDOM_TEST, UINT64_C(1) << 63);
    uint64_t block[4] = {0, UINT64_C(1) << 63, 0, 0};
    ph_philox(UINT64_C(0xfedcba9876543210), PH_RANDOM_TEST, block); /* of the other text of Philox */
    for (int k = 0; k < 4; ++k)
        assert_true(ph_random_bits(&stream) == block[k]);
    double low = 1.0, high = 0.0;
    for (int k = 0; k < 100000; ++k) {
        const double x = ph_random_uniform(&a);
        low = fmin(low, x);
        high = fmax(high, x);
        assert_true(ph_random_below(&a, 7) < 7);
    }
    assert_true(low > 0.0 && low < 1e-4 && high < 1.0 && high > 1.0 - 1e-4);
}

TEST(directions_are_uniform)
{
    const int n = 20000;
    struct ph_random random = ph_random_stream(8, PH_RANDOM_TEST, 0);
    double mean[3] = {0}, square[3] = {0};
    for (int sample = 0; sample < n; ++sample) {
        double v[3];
        ph_random_direction(&random, v);
        assert_close(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], 1.0, 1e-15, 1.0);
        for (int k = 0; k < 3; ++k) {
            mean[k] += v[k] / n;
            square[k] += v[k] * v[k] / n;
        }
    }
    for (int k = 0; k < 3; ++k) {
        assert_close(mean[k], 0.0, 5.0 * sqrt(1.0 / 3.0 / n), 1.0);
        assert_close(square[k], 1.0 / 3.0, 5.0 * sqrt(4.0 / 45.0 / n), 1.0);
    }
}

/* Writes sites, cut by the boundary; reads them back: the same centres and orientations. */
TEST(sites_in_a_file_give_centres_and_orientations_back)
{
    char name[] = "/tmp/polhode-start-XXXXXX";
    for (int all = 0; all < 2; ++all) {
        struct ph_system *system = mixture(20, 10, 5, cube), *copy = mixture(20, 10, 5, cube);
        make_start(system);
        for (size_t i = 0; i < 20; ++i)
            system->r[i % 3][i] = i % 2 ? 0.01 : 9.99; /* so that the boundary cuts some */
        size_t cut = 0;
        FILE *file = all == 0 ? fdopen(mkstemp(name), "w") : fopen(name, "w");
        assert_non_null(file);
        fprintf(file, "%d\nLattice=\"10 0 0 0 10 0 0 0 10\" Properties=species:S:1:pos:R:3 pbc=\"T T T\"\n",
                all ? 20 * 4 + 10 * 2 + 5 : 20 * 3 + 10 * 2 + 5);
        for (size_t i = 0; i < system->n; ++i) {
            const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
            const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
            for (size_t a = 0; a < species->n_sites; ++a) {
                if (!all && species->site[a].mass == 0.0)
                    continue;
                double x[3];
                int image[3] = {0};
                ph_quat_rotate(q, species->site[a].position, x);
                for (int k = 0; k < 3; ++k)
                    x[k] += system->r[k][i];
                ph_box_wrap(&system->box, x, image);
                cut += image[0] != 0 || image[1] != 0 || image[2] != 0;
                fprintf(file, "%s %.15g %.15g %.15g\n", species->site[a].name, x[0], x[1], x[2]);
            }
        }
        fclose(file);
        assert_true(cut > 5);
        struct ph_frame frame;
        struct ph_error err = {.text = ""};
        struct ph_frame_fit fit;
        if (ph_frame_read(name, 1.0, &frame, &err) != PH_OK ||
            ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 1e-6}, copy, &fit, &err) != PH_OK)
            fail_msg("%s", err.text);
        assert_true(frame.periodic && fit.n_fitted == 30 && fit.worst > 0.0 && fit.worst < 1e-13);
        for (size_t i = 0; i < system->n; ++i) {
            double same = 0.0;
            for (int k = 0; k < 4; ++k)
                same += system->q[k][i] * copy->q[k][i];
            if (i < 20)
                assert_close(fabs(same), 1.0, 1e-12, 1.0);
            double d[3];
            for (int k = 0; k < 3; ++k)
                d[k] = copy->r[k][i] - system->r[k][i];
            ph_box_minimum_image(&system->box, d);
            for (int k = 0; k < 3; ++k)
                assert_close(d[k], 0.0, 1e-13, 10.0);
        }
        for (size_t i = 20; i < 30; ++i) { /* of a linear rotor only the axis is defined */
            const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
            const double p[4] = {copy->q[0][i], copy->q[1][i], copy->q[2][i], copy->q[3][i]}, z[3] = {0, 0, 1};
            double x[3], y[3];
            ph_quat_rotate(q, z, x);
            ph_quat_rotate(p, z, y);
            for (int k = 0; k < 3; ++k)
                assert_close(x[k], y[k], 1e-12, 1.0);
        }
        frame.position[3][0] += 0.05; /* the first site of the second water, or its last */
        assert_int_equal(ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 1e-3}, copy, NULL, &err),
                         PH_ERR_INPUT);
        assert_non_null(strstr(err.text, all ? "molecule 1 " : "molecule 2 "));
        strcpy(frame.name[0], "X");
        assert_int_equal(ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 1e-3}, copy, NULL, &err),
                         PH_ERR_INPUT);
        assert_non_null(strstr(err.text, ":3: 'X' where site 'O' of molecule 1"));
        frame.n = 7;
        assert_int_equal(ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 1e-3}, copy, NULL, &err),
                         PH_ERR_INPUT);
        frame.n = 1;
        ph_frame_free(&frame);
        ph_system_destroy(system);
        ph_system_destroy(copy);
    }
    unlink(name);
}

TEST(orientations_in_a_file_are_taken_as_they_are)
{
    char name[] = "/tmp/polhode-start-XXXXXX";
    FILE *file = fdopen(mkstemp(name), "w");
    fputs("3\nProperties=id:I:1:species:S:1:pos:R:3:orientation:R:4\n1 point 1 2 3 1 0 0 0\n2 water 4 5 6 0.5 0.5 -0.5 "
          "0.5\n"
          "3 rotor -1 -2 -3 0 0 1 0\n",
          file);
    fclose(file);
    struct ph_system *system = mixture(1, 1, 1, NULL);
    struct ph_frame frame;
    assert_ok(ph_frame_read(name, 2.0, &frame, &err));
    assert_ok(ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 1e-6}, system, NULL, &err));
    assert_true(system->r[0][0] == 8.0 && system->q[2][0] == -0.5 && system->r[2][1] == -6.0 && system->q[2][1] == 1.0);
    assert_true(system->r[1][2] == 4.0 && !frame.periodic);
    frame.orientation[1][0] = 0.7;
    assert_error(ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 1e-6}, system, NULL, &err), PH_ERR_INPUT,
                 ":4: the orientation has norm");
    ph_frame_free(&frame);
    ph_system_destroy(system);
    unlink(name);
}

/* NIST's sample configurations, in Angstrom */
/* A bent molecule whose file does not use principal axes, with its corner away from the centre of mass */
static struct ph_species tilted_molecule(double places[3][3])
{
    static const double masses[3] = {16.0, 1.0, 3.0};
    static const double at[3][3] = {{0.1, 0.2, -0.3}, {0.9, 0.4, 0.1}, {-0.2, 0.8, 0.5}};
    struct ph_species species = {.n_sites = 3};
    strcpy(species.name, "bent");
    double centre[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < 3; ++a) {
        snprintf(species.site[a].name, PH_NAME, "S%d", a);
        species.site[a].mass = masses[a];
        for (int k = 0; k < 3; ++k) {
            species.site[a].position[k] = at[a][k];
            centre[k] += masses[a] / 20.0 * at[a][k];
        }
    }
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < 3; ++k)
            places[a][k] = at[a][k] - centre[k];
    assert_ok(ph_species_complete(&species, NULL, NULL, &err));
    assert_true(fabs(species.file_rotation[0]) < 0.99);
    return species;
}

/* With orientation_frame=model an orientation 1 puts the sites where the model file has them, and momenta turn with it.
 */
TEST(orientations_can_refer_to_the_frame_of_the_model)
{
    double places[3][3];
    const struct ph_species species = tilted_molecule(places);
    static const double turn[4] = {0.5, 0.5, -0.5, 0.5}, momentum[3] = {0.3, -0.2, 0.7};
    static const char *const frames[] = {"", " orientation_frame=principal", " orientation_frame=model"};
    char name[] = "/tmp/polhode-start-XXXXXX";
    close(mkstemp(name));
    for (int f = 0; f < 3; ++f) {
        FILE *file = fopen(name, "w");
        fprintf(file,
                "1\nProperties=species:S:1:pos:R:3:orientation:R:4:velo:R:3:angular_momentum:R:3%s\n"
                "bent 1 2 3 0.5 0.5 -0.5 0.5 0 0 0 0.3 -0.2 0.7\n",
                frames[f]);
        fclose(file);
        const struct ph_box box = ph_box_open();
        struct ph_system *system;
        struct ph_frame frame;
        assert_ok(ph_system_create(1, &species, &(size_t){1}, &box, &system, &err));
        assert_ok(ph_frame_read(name, 1.0, &frame, &err));
        assert_ok(
            ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 1e-6, .momenta = true}, system, NULL, &err));
        const double q[4] = {system->q[0][0], system->q[1][0], system->q[2][0], system->q[3][0]};
        const double m[3] = {system->m[0][0], system->m[1][0], system->m[2][0]};
        for (int a = 0; a < 3; ++a) {
            double got[3], want[3], off = 0.0;
            ph_quat_rotate(q, species.site[a].position, got);
            ph_quat_rotate(turn, f == 2 ? places[a] : species.site[a].position, want);
            for (int k = 0; k < 3; ++k)
                off = fmax(off, fabs(got[k] - want[k]));
            assert_true(off < 1e-14);
        }
        double got[3], want[3]; /* in space the momentum is the same, however it is written */
        ph_quat_rotate(q, m, got);
        ph_quat_rotate(turn, momentum, want);
        for (int k = 0; k < 3; ++k)
            assert_close(got[k], want[k], 1e-14, 1.0);
        ph_frame_free(&frame);
        ph_system_destroy(system);
    }
    unlink(name);
}

TEST(reference_configurations_are_read)
{
    struct ph_frame frame;
    assert_ok(ph_frame_read(POLHODE_TEST_DATA "/lj_sample_config_periodic4.xyz", 1.0, &frame, &err));
    struct ph_system *system = points(30, (const double(*)[3])frame.edge);
    assert_true(system->box.edge[1][1] == 8.0);
    assert_ok(ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 0.0}, system, NULL, &err));
    assert_close(system->r[0][0], 1.077169909511, 1e-15, 1.0);
    ph_frame_free(&frame);
    ph_system_destroy(system);

    assert_ok(ph_frame_read(POLHODE_TEST_DATA "/spce_sample_config_periodic1.xyz", 0.1, &frame, &err));
    struct ph_species species = {.name = "spc-e", .n_sites = 3};
    const double half = 109.47 / 360.0 * acos(-1.0);
    for (int a = 0; a < 3; ++a) {
        strcpy(species.site[a].name, a == 0 ? "O" : "H");
        species.site[a].mass = a == 0 ? 15.9994 : 1.008;
        species.site[a].position[0] = a == 0 ? 0.0 : (a == 1 ? 0.1 : -0.1) * sin(half);
        species.site[a].position[2] = a == 0 ? 0.0 : 0.1 * cos(half);
    }
    assert_ok(ph_species_complete(&species, NULL, NULL, &err));
    struct ph_box box;
    assert_ok(ph_box_init_periodic((const double(*)[3])frame.edge, &box, &err));
    assert_ok(ph_system_create(1, &species, (size_t[]){100}, &box, &system, &err));
    struct ph_frame_fit fit;
    assert_ok(ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 1e-3}, system, &fit, &err));
    assert_true(fit.n_fitted == 100 && fit.worst < 1e-6 &&
                fit.rms < fit.worst); /* the sample's molecules are rigid to about this */
    assert_close(box.volume, 8.0, 1e-14, 8.0);
    ph_frame_free(&frame);
    ph_system_destroy(system);
}

TEST(bad_files_are_refused_with_their_line)
{
    static const struct {
        const char *text, *word;
    } bad[] = {{"", ":1:"},
               {"x\n\n", ":1:"},
               {"2\n", ":2:"},
               {"2\ncomment\nA 1 2 3\n", ":4:"},
               {"1\ncomment\nA 1 2\n", ":3:"},
               {"1\ncomment\nA 1 2 nan\n", ":3:"},
               {"1\nLattice=\"1 2 3\"\nA 1 2 3\n", ":2:"},
               {"1\nLattice=\"9 0 0 0 9 0 0 0 nan\"\nA 1 2 3\n", ":2: Lattice"},
               {"1\nProperties=species:S:1:pos:R:3:pos:R:3\nA 1 2 3 4 5 6\n", ":2: Properties"},
               {"1\nProperties=species:S:1:pos:R:3:velo:R:3:velo:R:3\nA 1 2 3 4 5 6 7 8 9\n", ":2: Properties"},
               {"1\nProperties=species:S:1\nA 1 2 3\n", ":2:"},
               {"1\nProperties=species:S:1:pos:R\nA 1 2 3\n", ":2:"},
               {"1\nProperties=species:S:1:pos:R:3 orientation_order=wxzy\nA 1 2 3\n", "orientation_order=wxzy is not"},
               {"1\nProperties=species:S:1:pos:R:3 orientation_frame=file\nA 1 2 3\n", "one of principal, model"}};
    char name[] = "/tmp/polhode-start-XXXXXX";
    close(mkstemp(name));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        FILE *file = fopen(name, "w");
        fputs(bad[k].text, file);
        fclose(file);
        struct ph_frame frame;
        struct ph_error err = {.text = ""};
        assert_int_equal(ph_frame_read(name, 1.0, &frame, &err), PH_ERR_INPUT);
        if (!strstr(err.text, bad[k].word))
            fail_msg("'%s' gives '%s'", bad[k].text, err.text);
    }
    unlink(name);
    struct ph_frame frame;
    assert_int_equal(ph_frame_read("/nowhere/at/all", 1.0, &frame, NULL), PH_ERR_IO);
}
