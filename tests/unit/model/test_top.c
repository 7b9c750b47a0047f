/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "rigid/top.h"

#include <float.h>
#include <string.h>

static struct ph_top top_of(double i1, double i2, double i3)
{
    struct ph_top top;
    struct ph_error err = {.text = ""};
    if (ph_top_init((double[]){i1, i2, i3}, &top, &err) != PH_OK)
        fail_msg("moments %g, %g, %g refused: %s", i1, i2, i3, err.text);
    return top;
}

static const double permutations[6][3] = {{1, 2, 2.5}, {2, 2.5, 1}, {2.5, 1, 2}, {2, 1, 2.5}, {1, 2.5, 2}, {2.5, 2, 1}};

TEST(moments_come_out_sorted_with_their_axes)
{
    for (int p = 0; p < 6; ++p) {
        const double *given = permutations[p];
        const struct ph_top top = top_of(given[0], given[1], given[2]);
        assert_true(top.moment[0] < top.moment[1] && top.moment[1] < top.moment[2]);
        for (int k = 0; k < 3; ++k) {
            assert_true(top.moment[k] * top.scale == given[top.axis[k]]);
            assert_true(top.inertia[k] == given[k]);
            assert_close(top.inverse[k] * top.moment[k], 1.0, DBL_EPSILON, 1.0);
        }
    }
}

/* Sorted axis k is parity times the unit vector of body axis axis[k]: the determinant must be +1 for every order
 * of the moments (parity^3 = parity). */
TEST(sorting_is_a_proper_rotation)
{
    for (int p = 0; p < 6; ++p) {
        const struct ph_top top = top_of(permutations[p][0], permutations[p][1], permutations[p][2]);
        const int *a = top.axis;
        const int levi_civita = (a[1] - a[0]) * (a[2] - a[0]) * (a[2] - a[1]) / 2;
        assert_true(levi_civita == 1 || levi_civita == -1);
        assert_true(top.parity == (double)levi_civita);
    }
}

/* A power of two as unit of inertia changes no bit of what the flows see. */
TEST(scale_is_the_power_of_two_that_brings_moments_to_order_one)
{
    const struct ph_top plain = top_of(1.1, 1.7, 2.3);
    assert_true(plain.scale == 2.0);
    for (int e = -700; e <= 1000; e += 100) {
        const double unit = ldexp(1.0, e);
        const struct ph_top top = top_of(1.1 * unit, 1.7 * unit, 2.3 * unit);
        assert_true(top.scale == 2.0 * unit);
        assert_true(top.moment[2] >= 1.0 && top.moment[2] < 2.0);
        assert_memory_equal(top.moment, plain.moment, sizeof top.moment);
        assert_memory_equal(top.inverse, plain.inverse, sizeof top.inverse);
    }
}

/* d/dt of |y|^2 and of 2 H vanish with y' = (a1 y2 y3, a2 y3 y1, a3 y1 y2) only if these sums do; the signs say which
 * axis is the unstable one. */
TEST(coefficients_are_those_of_eulers_equations)
{
    const struct ph_top top = top_of(1.3, 0.4, 1.1);
    const double *w = top.inverse;
    assert_close(top.a1 + top.a2 + top.a3, 0.0, 4 * DBL_EPSILON, top.a2);
    assert_close(top.a1 * w[0] + top.a2 * w[1] + top.a3 * w[2], 0.0, 4 * DBL_EPSILON, top.a2);
    assert_close(top.a1, w[2] - w[1], 8 * DBL_EPSILON, w[2]);
    assert_close(top.a2, w[0] - w[2], 8 * DBL_EPSILON, w[0]);
    assert_close(top.a3, w[1] - w[0], 8 * DBL_EPSILON, w[0]);
    assert_true(top.a1 < 0.0 && top.a2 > 0.0 && top.a3 < 0.0);
    assert_close(top.p, -top.a1 * top.a2, 2 * DBL_EPSILON, top.p);
    assert_close(top.q, top.a1 * top.a3, 2 * DBL_EPSILON, top.q);
    assert_close(top.r, -top.a2 * top.a3, 2 * DBL_EPSILON, top.r);
    assert_close(top.c1, -top.a1 / top.a2, 8 * DBL_EPSILON, 1.0);
    assert_close(top.c3, -top.a3 / top.a2, 8 * DBL_EPSILON, 1.0);
}

/* Neighbouring doubles are still two different moments: no tolerance makes a body symmetric. */
TEST(kinds_are_told_apart_by_exact_equality)
{
    const double above = nextafter(2.0, 3.0);
    assert_int_equal(top_of(1, 2, 2.5).kind, PH_TOP_ASYMMETRIC);
    assert_int_equal(top_of(2, 2, 2).kind, PH_TOP_SPHERICAL);
    assert_int_equal(top_of(2, above, 2).kind, PH_TOP_SYMMETRIC);
    assert_int_equal(top_of(2, above, 3).kind, PH_TOP_ASYMMETRIC);
    for (int odd = 0; odd < 3; ++odd) {
        double i[3] = {2, 2, 2};
        i[odd] = 3;
        assert_int_equal(top_of(i[0], i[1], i[2]).kind, PH_TOP_SYMMETRIC); /* oblate */
        i[odd] = 1;
        assert_int_equal(top_of(i[0], i[1], i[2]).kind, PH_TOP_SYMMETRIC); /* prolate */
        assert_int_equal(top_of(i[0], i[1], i[2]).linear_axis, -1);
    }
    assert_string_equal(ph_top_kind_name(PH_TOP_ASYMMETRIC), "asymmetric top");
    assert_string_equal(ph_top_kind_name(PH_TOP_SYMMETRIC), "symmetric top");
    assert_string_equal(ph_top_kind_name(PH_TOP_SPHERICAL), "spherical top");
    assert_string_equal(ph_top_kind_name(PH_TOP_LINEAR), "linear rotor");
}

TEST(a_linear_rotor_is_a_sphere_without_one_axis)
{
    for (int axis = 0; axis < 3; ++axis) {
        double i[3] = {3, 3, 3};
        i[axis] = axis == 1 ? -0.0 : 0.0;
        const struct ph_top top = top_of(i[0], i[1], i[2]);
        assert_int_equal(top.kind, PH_TOP_LINEAR);
        assert_int_equal(top.linear_axis, axis);
        assert_true(top.possible);
        assert_true(top.a1 == 0.0 && top.a2 == 0.0 && top.a3 == 0.0 && top.c1 == 0.0 && top.c3 == 0.0);
        for (int k = 0; k < 3; ++k)
            assert_true(top.moment[k] * top.scale == 3.0);
    }
    assert_int_equal(top_of(1.0, 0.0, 1.0 + 4 * DBL_EPSILON).kind, PH_TOP_LINEAR); /* equal but for rounding */
}

TEST(impossible_bodies_are_marked_and_planar_ones_are_not)
{
    assert_true(top_of(1, 2, 2.999).possible);
    assert_true(top_of(1, 2, 3).possible); /* planar */
    assert_true(top_of(0.1, 0.2, 0.1 + 0.2).possible);
    assert_true(top_of(0.3, 0.1, 0.4 * (1 + 2 * DBL_EPSILON)).possible);
    assert_false(top_of(1, 2, 3.001).possible);
    assert_false(top_of(3.001, 1, 2).possible);
    assert_false(top_of(0.3, 0.1, 0.4 * (1 + 64 * DBL_EPSILON)).possible);
}

/* Refused, with a sentence that has all of these words */
static void assert_refused(double i1, double i2, double i3, const char *one, const char *two)
{
    struct ph_top top;
    struct ph_error err = {.text = ""};
    assert_int_equal(ph_top_init((double[]){i1, i2, i3}, &top, &err), PH_ERR_INPUT);
    assert_int_equal(err.status, PH_ERR_INPUT);
    if (!strstr(err.text, one) || !strstr(err.text, two))
        fail_msg("moments %g, %g, %g: '%s' and '%s' expected in: %s", i1, i2, i3, one, two, err.text);
    assert_int_equal(ph_top_init((double[]){i1, i2, i3}, &top, NULL), PH_ERR_INPUT); /* the record is optional */
}

TEST(wrong_moments_are_refused_with_the_reason)
{
    assert_refused(-1, 2, 3, "first", "negative");
    assert_refused(1, -2, 3, "second", "-2");
    assert_refused(1, 2, -3, "third", "negative");
    assert_refused(1, (double)NAN, 3, "second", "finite");
    assert_refused(1, 2, (double)INFINITY, "third", "finite");
    assert_refused(0, 0, 1, "first", "second");
    assert_refused(1, 0, 0, "second", "third");
    assert_refused(0, 1, 0, "first and the third", "zero");
    assert_refused(0, 0, 0, "zero", "point particle");
    assert_refused(0, 1, 1.001, "linear rotor", "equal");
    assert_refused(1, 1 + 32 * DBL_EPSILON, 0, "linear rotor", "equal");
    assert_refused(1e-70, 1, 1, "first", "linear rotor");
    assert_refused(1e-300, 1e-300, 1e-300, "out of range", "1e-300");
    assert_refused(1e308, 1e308, 1e308, "out of range", "1e+308");
    top_of(1e-59, 1, 1); /* from the other side: extreme, but accepted */
    top_of(1e-247, 1e-247, 1e-247);
    top_of(4e307, 4e307, 4e307);
}
