/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "base/numerics/matrix.h"
#include "base/random.h"
#include "base/rotation.h"
#include "model/species.h"
#include "rigid/top.h"
#include "run/build/build.h"

#include <stdlib.h>
#include <string.h>

static struct ph_species of_sites(size_t n, const double (*position)[3], const double *mass)
{
    struct ph_species species = {.name = "test", .n_sites = n};
    for (size_t a = 0; a < n; ++a) {
        memcpy(species.site[a].position, position[a], sizeof species.site[a].position);
        species.site[a].mass = mass[a];
    }
    return species;
}

static void complete(struct ph_species *species)
{
    struct ph_error err = {.text = ""};
    if (ph_species_complete(species, NULL, NULL, &err) != PH_OK)
        fail_msg("refused: %s", err.text);
}

static const double water[3][3] = {{0, 0, 0}, {0.0757, 0, 0.0586}, {-0.0757, 0, 0.0586}};
static const double water_mass[3] = {15.9994, 1.008, 1.008};

/* Turned and shifted at random, a body keeps its moments; its sites seen from space stay where they were. */
TEST(moments_do_not_depend_on_the_frame_of_the_file)
{
    static const double chiral[5][3] = {
        {0, 0, 0}, {1, 0.2, 0}, {-0.3, 1.1, 0.1}, {-0.2, -0.4, 0.9}, {-0.1, -0.5, -1.3}};
    static const double mass[5] = {12, 1, 19, 35, 80};
    struct ph_species reference = of_sites(5, chiral, mass);
    complete(&reference);
    double sorted[3];
    memcpy(sorted, reference.inertia, sizeof sorted);
    for (int sample = 0; sample < 200; ++sample) {
        struct ph_random random = ph_random_stream(3, PH_RANDOM_TEST, (uint64_t)sample);
        double q[4], turned[5][3];
        ph_random_orientation(&random, q);
        for (int a = 0; a < 5; ++a) {
            ph_quat_rotate(q, chiral[a], turned[a]);
            for (int k = 0; k < 3; ++k)
                turned[a][k] += 3.0 * k;
        }
        struct ph_species species = of_sites(5, (const double(*)[3])turned, mass);
        complete(&species);
        double products = 1.0, sum = 0.0;
        for (int k = 0; k < 3; ++k) {
            products *= species.inertia[k];
            sum += species.inertia[k];
        }
        assert_close(products, sorted[0] * sorted[1] * sorted[2], 1e-13, products);
        assert_close(sum, sorted[0] + sorted[1] + sorted[2], 1e-14, sum);
        const double back[4] = {species.file_rotation[0], -species.file_rotation[1], -species.file_rotation[2],
                                -species.file_rotation[3]};
        for (int a = 0; a < 5; ++a) {
            double x[3];
            ph_quat_rotate(back, species.site[a].position, x);
            for (int k = 0; k < 3; ++k)
                assert_close(x[k] + species.file_centre[k], turned[a][k], 1e-14, 10.0);
        }
        /* principal: the products of inertia vanish */
        for (int k = 0; k < 3; ++k) {
            double product = 0.0, centre = 0.0;
            for (int a = 0; a < 5; ++a) {
                product += mass[a] * species.site[a].position[k] * species.site[a].position[(k + 1) % 3];
                centre += mass[a] * species.site[a].position[k];
            }
            assert_close(product, 0.0, 1e-14, sum);
            assert_close(centre, 0.0, 1e-13, sum);
        }
    }
}

TEST(a_principal_frame_is_not_turned)
{
    struct ph_species species = of_sites(3, water, water_mass);
    complete(&species);
    assert_true(species.file_rotation[0] == 1.0 && species.file_rotation[1] == 0.0 && species.file_rotation[2] == 0.0 &&
                species.file_rotation[3] == 0.0);
    assert_true(species.site[1].position[0] == 0.0757);
    assert_int_equal(species.degrees, 3);
}

/* Whatever plane: coordinates normal to it are zero, the largest moment is the sum of the others, bit for bit. */
TEST(planar_molecules_are_exactly_planar)
{
    for (int sample = 0; sample < 100; ++sample) {
        struct ph_random random = ph_random_stream(4, PH_RANDOM_TEST, (uint64_t)sample);
        double q[4], turned[3][3];
        ph_random_orientation(&random, q);
        for (int a = 0; a < 3; ++a)
            ph_quat_rotate(q, water[a], turned[a]);
        struct ph_species species = of_sites(3, (const double(*)[3])turned, water_mass);
        complete(&species);
        int normal = 0;
        for (int k = 1; k < 3; ++k)
            if (species.inertia[k] > species.inertia[normal])
                normal = k;
        for (int a = 0; a < 3; ++a)
            assert_true(species.site[a].position[normal] == 0.0);
        assert_true(species.inertia[normal] == species.inertia[(normal + 1) % 3] + species.inertia[(normal + 2) % 3]);
    }
}

TEST(linear_molecules_have_one_moment_zero_and_two_equal)
{
    static const double mass[3] = {16, 12, 15};
    for (int sample = 0; sample < 200; ++sample) {
        struct ph_random random = ph_random_stream(5, PH_RANDOM_TEST, (uint64_t)sample);
        double u[3], x[3][3];
        ph_random_direction(&random, u);
        if (sample == 0)
            memcpy(u, (double[]){0, 0, 1}, sizeof u);
        for (int a = 0; a < 3; ++a)
            for (int k = 0; k < 3; ++k)
                x[a][k] = 5.0 + 1.16 * (a - 1) * u[k];
        struct ph_species species = of_sites(3, (const double(*)[3])x, mass);
        memcpy(species.site[1].dipole, u, sizeof u);
        complete(&species);
        struct ph_top top;
        assert_int_equal(ph_top_init(species.inertia, &top, NULL), PH_OK);
        assert_int_equal(top.kind, PH_TOP_LINEAR);
        const int k = top.linear_axis;
        assert_true(species.inertia[k] == 0.0);
        assert_true(species.inertia[(k + 1) % 3] == species.inertia[(k + 2) % 3]);
        /* mu d^2 for masses on a line: sum m s^2 - (sum m s)^2 / M */
        assert_close(species.inertia[(k + 1) % 3], 1.16 * 1.16 * (31.0 - 1.0 / 43.0), 1e-13, 40.0);
        assert_close(fabs(species.site[1].dipole[k]), 1.0, 1e-14, 1.0);
        assert_true(species.site[1].dipole[(k + 1) % 3] == 0.0);
        for (int a = 0; a < 3; ++a)
            assert_true(species.site[a].position[(k + 1) % 3] == 0.0 && species.site[a].position[(k + 2) % 3] == 0.0);
        assert_int_equal(species.degrees, 2);
    }
}

TEST(symmetric_and_spherical_tops_are_recognised)
{
    static const double tetrahedron[5][3] = {
        {0, 0, 0}, {1.02, 1.02, 1.02}, {1.02, -1.02, -1.02}, {-1.02, 1.02, -1.02}, {-1.02, -1.02, 1.02}};
    static const double mass[5] = {12.011, 35.453, 35.453, 35.453, 35.453};
    struct ph_species species = of_sites(5, tetrahedron, mass);
    complete(&species);
    assert_true(species.inertia[0] == species.inertia[1] && species.inertia[1] == species.inertia[2]);
    double triangle[3][3];
    for (int a = 0; a < 3; ++a)
        memcpy(triangle[a], (double[]){cos(2.0 * a * acos(-1.0) / 3.0), sin(2.0 * a * acos(-1.0) / 3.0), 0.0},
               sizeof triangle[a]);
    species = of_sites(3, (const double(*)[3])triangle, (double[]){1, 1, 1});
    complete(&species);
    assert_true(species.inertia[0] == species.inertia[1] && species.inertia[2] == 2.0 * species.inertia[0]);
}

TEST(molecules_that_spin_freely_are_recognised)
{
    static const struct {
        double inertia[3], dipole[2][3], position[3]; /* of two sites, the first at the centre */
        bool free;
    } cases[] = {
        {{0.1, 0.1, 0.1}, {{0, 0, 1}}, {0, 0, 0}, true},
        {{0.1, 0.1, 0.1}, {{1, 0, 1}}, {0, 0, 0}, true},
        {{0.1, 0.1, 0.1}, {{1, 0, 1}, {-2, 0, -2}}, {0.3, 0, 0.3}, true},
        {{0.1, 0.1, 0.1}, {{1, 0, 1}, {0, 0, 1}}, {0, 0, 0}, false},
        {{0.1, 0.1, 0.1}, {{0, 1, 0}}, {0, 0.1, 0.3}, false},
        {{0.1, 0.1, 0.2}, {{0, 0, 1}}, {0, 0, 0}, true},
        {{0.1, 0.2, 0.1}, {{0, 0, 0}, {0, 1, 0}}, {0, 0.4, 0}, true},
        {{0.1, 0.1, 0.2}, {{1, 0, 0}}, {0, 0, 0}, false},
        {{0.1, 0.1, 0.2}, {{1e-3, 0, 1}}, {0, 0, 0}, false},
        {{0.1, 0.15, 0.2}, {{0, 0, 1}}, {0, 0, 0}, false},
        {{0.1, 0.15, 0.2}, {{0, 0, 0}}, {0, 0, 0}, true}, /* nothing turns it */
        {{0.1, 0.1, 0.0}, {{0, 0, 1}}, {0, 0, 0.2}, false},
        {{0.0, 0.0, 0.0}, {{0, 0, 0}}, {0, 0, 0}, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        struct ph_species species = {.mass = 1.0, .n_sites = 2, .extent = 0.5};
        memcpy(species.inertia, cases[k].inertia, sizeof species.inertia);
        memcpy(species.site[1].position, cases[k].position, sizeof cases[k].position);
        for (int a = 0; a < 2; ++a) {
            species.site[a].radial.kind = PH_RADIAL_MIE;
            memcpy(species.site[a].dipole, cases[k].dipole[a], sizeof cases[k].dipole[a]);
        }
        if (ph_species_spins_freely(&species) != cases[k].free)
            fail_msg("case %zu", k);
    }
}

TEST(a_point_has_no_rotation_and_scale_does_not_matter)
{
    struct ph_species point = of_sites(1, (const double[][3]){{3, 4, 5}}, (double[]){2.0});
    complete(&point);
    assert_int_equal(point.degrees, 0);
    assert_true(ph_species_single_site(&point) && point.inertia[0] == 0.0 && point.mass == 2.0);
    for (int e = -60; e <= 60; e += 30) { /* thresholds are relative */
        double small[3][3];
        for (int a = 0; a < 3; ++a)
            for (int k = 0; k < 3; ++k)
                small[a][k] = ldexp(water[a][k], e);
        struct ph_species species = of_sites(3, (const double(*)[3])small, water_mass),
                          plain = of_sites(3, water, water_mass);
        complete(&species);
        complete(&plain);
        for (int k = 0; k < 3; ++k)
            assert_true(species.inertia[k] == ldexp(plain.inertia[k], 2 * e));
    }
}

TEST(given_moments_keep_the_frame)
{
    struct ph_species species = of_sites(1, (const double[][3]){{0, 0, 0}}, (double[]){0.0});
    memcpy(species.site[0].dipole, (double[]){0, 1, 1}, sizeof species.site[0].dipole);
    const double mass = 1.0, inertia[3] = {1, 1.88, 2.88};
    assert_int_equal(ph_species_complete(&species, &mass, inertia, NULL), PH_OK);
    assert_true(species.inertia[1] == 1.88 && species.site[0].dipole[2] == 1.0 && species.degrees == 3);
    assert_true(ph_species_single_site(&species));
}

TEST(impossible_molecules_are_refused)
{
    const double one = 1.0, too_large[3] = {1, 1, 2.1}, negative[3] = {-1, 1, 1}, unequal[3] = {0, 1, 1.1},
                 flat[3] = {0, 1, 1};
    struct ph_species point = of_sites(1, (const double[][3]){{0, 0, 0}}, (double[]){1.0}), copy = point;
    assert_error(ph_species_complete(&copy, &one, too_large, &err), PH_ERR_INPUT, "");
    assert_error(ph_species_complete(&copy, &one, negative, &err), PH_ERR_INPUT, "");
    assert_error(ph_species_complete(&copy, &one, unequal, &err), PH_ERR_INPUT, "");
    copy.site[0].dipole[1] = 1.0; /* across the axis without inertia */
    assert_error(ph_species_complete(&copy, &one, flat, &err), PH_ERR_INPUT, "");
    assert_error(ph_species_complete(&copy, NULL, NULL, &err), PH_ERR_INPUT, ""); /* a dipole on a point */
    copy = point;
    copy.site[0].mass = 0.0;
    assert_error(ph_species_complete(&copy, NULL, NULL, &err), PH_ERR_INPUT, ""); /* no mass */
    copy = point;
    const double two = 2.0;
    assert_error(ph_species_complete(&copy, &two, NULL, &err), PH_ERR_INPUT, ""); /* masses disagree */
    struct ph_species bent =
        of_sites(3, water, (double[]){16, 1, 0}); /* the third site is off the axis of the others */
    assert_error(ph_species_complete(&bent, NULL, NULL, &err), PH_ERR_INPUT, "site 3");
}

TEST(eigenvectors_rebuild_the_matrix)
{
    for (int sample = 0; sample < 300; ++sample) {
        struct ph_random random = ph_random_stream(6, PH_RANDOM_TEST, (uint64_t)sample);
        const int n = sample % 4 + 1;
        double a[16], value[4], v[16];
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j)
                a[i * n + j] = a[j * n + i] = ph_random_normal(&random);
        ph_symmetric_eigen(n, a, value, v);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = 0.0, product = 0.0;
                for (int k = 0; k < n; ++k) {
                    sum += v[i * n + k] * value[k] * v[j * n + k];
                    product += v[k * n + i] * v[k * n + j];
                }
                assert_close(sum, a[i * n + j], 2e-15, 4.0);
                assert_close(product, i == j, 2e-15, 1.0);
            }
    }
}

TEST(matrices_and_quaternions_agree)
{
    for (int sample = 0; sample < 300; ++sample) {
        struct ph_random random = ph_random_stream(7, PH_RANDOM_TEST, (uint64_t)sample);
        double q[4], back[4], r[3][3], x[3], v[3] = {0.3, -0.7, 1.1};
        ph_random_orientation(&random, q);
        if (sample < 4) /* half turns and no turn */
            for (int k = 0; k < 4; ++k)
                q[k] = k == sample;
        ph_quat_to_matrix(q, r);
        ph_quat_from_matrix((const double(*)[3])r, back);
        double same = 0.0;
        for (int k = 0; k < 4; ++k)
            same += q[k] * back[k];
        assert_close(fabs(same), 1.0, 1e-15, 1.0);
        ph_quat_rotate(q, v, x);
        for (int k = 0; k < 3; ++k)
            assert_close(r[k][0] * v[0] + r[k][1] * v[1] + r[k][2] * v[2], x[k], 1e-15, 2.0);
    }
}
