/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "base/random.h"
#include "model/box.h"

#include <string.h>

static const double edges[][3][3] = {
    {{7.0, 0, 0}, {0, 7.0, 0}, {0, 0, 7.0}},
    {{3.0, 0, 0}, {0, 11.0, 0}, {0, 0, 5.0}},
    {{5.0, 0, 0}, {1.5, 6.0, 0}, {-2.0, 1.0, 7.0}},
    {{5.0, 0, 0}, {2.5, 4.330127018922193, 0}, {2.5, 1.4433756729740643, 4.08248290463863}}, /* rhombic dodecahedron */
    {{4.0, 1.0, -0.5}, {0.3, 5.0, 0.9}, {1.1, -0.7, 6.0}},                                   /* no zeros at all */
};
enum { BOXES = sizeof edges / sizeof *edges };

static struct ph_box box_of(const double edge[3][3])
{
    struct ph_box box;
    struct ph_error err = {.text = ""};
    if (ph_box_init_periodic(edge, &box, &err) != PH_OK)
        fail_msg("refused: %s", err.text);
    return box;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

TEST(kinds_volumes_and_widths_are_right)
{
    const struct ph_box cube = box_of(edges[0]), tilted = box_of(edges[2]);
    assert_int_equal(cube.kind, PH_BOX_ORTHORHOMBIC);
    assert_int_equal(tilted.kind, PH_BOX_TRICLINIC);
    assert_close(cube.volume, 343.0, 1e-15, 343.0);
    assert_close(tilted.volume, 5.0 * 6.0 * 7.0, 1e-15, 210.0);
    assert_close(tilted.width[2], 7.0, 1e-15, 7.0); /* along z, whatever the tilt */
    assert_true(tilted.width[0] < 5.0 && tilted.width[0] > 4.0);
    for (int b = 0; b < BOXES; ++b) {
        const struct ph_box box = box_of(edges[b]);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                assert_close(dot(box.inverse[i], box.edge[j]), i == j, 1e-14, 1.0);
    }
}

/* Wrapped, inside; and r + image . edges gives the old place back. */
TEST(wrapping_keeps_the_place_and_counts_images)
{
    struct ph_random random = ph_random_stream(1, PH_RANDOM_TEST, 0);
    for (int b = 0; b < BOXES; ++b) {
        const struct ph_box box = box_of(edges[b]);
        for (int sample = 0; sample < 2000; ++sample) {
            double r[3], old[3];
            int image[3] = {5, -3, 0};
            for (int k = 0; k < 3; ++k)
                old[k] = r[k] = sample % 10 == 0 ? box.edge[0][k] * (sample % 7 - 3) + box.edge[2][k] * (sample % 3)
                                                 : 100.0 * (ph_random_uniform(&random) - 0.5);
            ph_box_wrap(&box, r, image);
            for (int k = 0; k < 3; ++k) {
                const double s = dot(box.inverse[k], r);
                if (!(s >= -1e-15 && s < 1.0))
                    fail_msg("box %d: fraction %.17g", b, s);
            }
            for (int j = 0; j < 3; ++j) {
                double back = r[j];
                for (int k = 0; k < 3; ++k)
                    back += (image[k] - (k == 0 ? 5 : (k == 1 ? -3 : 0))) * box.edge[k][j];
                assert_close(back, old[j], 1e-14, 100.0);
            }
        }
    }
}

TEST(faces_belong_to_the_lower_side)
{
    const struct ph_box box = box_of(edges[1]);
    double r[3] = {3.0, -11.0, -1e-18};
    int image[3] = {0, 0, 0};
    ph_box_wrap(&box, r, image);
    assert_true(r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0);
    assert_true(image[0] == 1 && image[1] == -1 && image[2] == 0);
}

/* All images within five boxes: none is shorter. */
TEST(the_minimum_image_is_the_shortest_of_all)
{
    struct ph_random random = ph_random_stream(2, PH_RANDOM_TEST, 0);
    for (int b = 0; b < BOXES; ++b) {
        const struct ph_box box = box_of(edges[b]);
        for (int sample = 0; sample < 300; ++sample) {
            double d[3], best[3] = {0}, smallest = INFINITY;
            for (int k = 0; k < 3; ++k)
                d[k] = 20.0 * (ph_random_uniform(&random) - 0.5);
            for (int n = 0; n < 11 * 11 * 11; ++n) {
                double other[3];
                for (int j = 0; j < 3; ++j)
                    other[j] = d[j] + (n % 11 - 5) * box.edge[0][j] + (n / 11 % 11 - 5) * box.edge[1][j] +
                               (n / 121 - 5) * box.edge[2][j];
                if (dot(other, other) < smallest) {
                    smallest = dot(other, other);
                    memcpy(best, other, sizeof best);
                }
            }
            ph_box_minimum_image(&box, d);
            for (int k = 0; k < 3; ++k)
                assert_close(d[k], best[k], 1e-14, 20.0);
        }
    }
}

TEST(open_space_changes_nothing)
{
    const struct ph_box box = ph_box_open();
    double r[3] = {1e9, -3, 0.5};
    int image[3] = {0, 0, 0};
    ph_box_wrap(&box, r, image);
    ph_box_minimum_image(&box, r);
    assert_true(r[0] == 1e9 && r[1] == -3 && r[2] == 0.5 && image[0] == 0);
}

TEST(impossible_boxes_are_refused)
{
    static const double bad[][3][3] = {
        {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}},  /* flat */
        {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},  /* left-handed */
        {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}, /* left-handed */
        {{1, 0, 0}, {0, 0, 0}, {0, 0, 1}},  /* no edge */
        {{1, 0, 0}, {0, NAN, 0}, {0, 0, 1}}, {{INFINITY, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        struct ph_box box;
        struct ph_error err = {.text = ""};
        assert_int_equal(ph_box_init_periodic(bad[k], &box, &err), PH_ERR_INPUT);
        assert_true(strlen(err.text) > 10);
    }
}
