/* SPDX-License-Identifier: MIT */
/* The spline of degree 7 through the points of a table, and the estimate of its error. */
#include "support.h"

#include "potential/curves/curve.h"

#include <stdlib.h>

enum { MOST = 400 };

static double damped(double r) { return 3.0 * exp(-1.5 * r) * sin(12.0 * r); }

static double lennard_jones(double r)
{
    const double r6 = pow(r, -6.0);
    return 4.0 * r6 * (r6 - 1.0);
}

/* n points from `first` to `last`; uneven: they grow further apart */
static void place(size_t n, double first, double last, bool uneven, double *r)
{
    for (size_t k = 0; k < n; ++k) {
        const double x = (double)k / (double)(n - 1);
        r[k] = first + (last - first) * (uneven ? x * (0.4 + 0.6 * x) : x);
    }
}

static struct ph_spline through(double (*u)(double), size_t n, double first, double last, bool uneven)
{
    double r[MOST], values[MOST];
    struct ph_spline spline;
    place(n, first, last, uneven, r);
    for (size_t k = 0; k < n; ++k)
        values[k] = u(r[k]);
    assert_true(ph_spline_make(n, r, values, &spline));
    return spline;
}

static double polynomial(double r)
{
    const double x = r - 1.5;
    return ((((((0.5 * x - 1.0) * x + 2.0) * x + 0.25) * x - 3.0) * x + 1.0) * x - 2.0) * x + 0.75;
}

/* Catches knots next to the ends, end conditions, and a wrong power. */
TEST(polynomials_of_degree_7_are_exact)
{
    for (int uneven = 0; uneven < 2; ++uneven)
        for (size_t n = PH_SPLINE_POINTS_MIN; n < 40; n += 9) {
            struct ph_spline spline = through(polynomial, n, 0.5, 2.5, uneven);
            for (double r = 0.5; r <= 2.5; r += 0.0078125) {
                const struct ph_jet f = ph_spline_at(&spline, r);
                const double h = 1e-3;
                assert_close(f.value, polynomial(r), 1e-12, 1.0);
                assert_close(f.slope, (polynomial(r + h) - polynomial(r - h)) / (2.0 * h), 1e-4, 1.0);
                assert_close(f.curvature, (polynomial(r + h) - 2.0 * polynomial(r) + polynomial(r - h)) / (h * h), 1e-4,
                             1.0);
            }
            ph_spline_free(&spline);
        }
}

/* Six derivatives of neighbouring polynomials agree at their knot, and the seventh does not. */
TEST(six_derivatives_are_continuous)
{
    static const double factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040};
    for (int uneven = 0; uneven < 2; ++uneven) {
        struct ph_spline spline = through(damped, 30, 0.5, 3.0, uneven);
        double jump[8] = {0.0}, size[8] = {0.0};
        for (size_t k = 0; k + 1 < spline.n; ++k) {
            const double *a = spline.power + 8 * k, *b = a + 8, t = spline.knot[k + 1] - spline.knot[k];
            for (int d = 0; d < 8; ++d) {
                double left = 0.0;
                for (int j = 7; j >= d; --j)
                    left = left * t + a[j] * factorial[j] / factorial[j - d];
                jump[d] = fmax(jump[d], fabs(left - b[d] * factorial[d]));
                size[d] = fmax(size[d], fabs(left));
            }
        }
        for (int d = 0; d < 7; ++d)
            if (!(jump[d] < 1e-7 * size[d]))
                fail_msg("derivative %d jumps by %.2g of %.2g", d, jump[d], size[d]);
        assert_true(jump[7] > 1e-3 * size[7]);
        ph_spline_free(&spline);
    }
}

static double largest_error(size_t n, bool uneven, int derivative)
{
    struct ph_spline spline = through(damped, n, 0.5, 3.0, uneven);
    double largest = 0.0;
    for (double r = 0.5; r <= 3.0; r += 1.0 / 1024.0) {
        const struct ph_jet f = ph_spline_at(&spline, r);
        const double s = sin(12.0 * r), c = cos(12.0 * r), e = 3.0 * exp(-1.5 * r);
        const double want = derivative == 0   ? damped(r)
                            : derivative == 1 ? e * (12.0 * c - 1.5 * s)
                                              : e * (-141.75 * s - 36.0 * c);
        largest = fmax(largest, fabs((derivative == 0 ? f.value : derivative == 1 ? f.slope : f.curvature) - want));
    }
    ph_spline_free(&spline);
    return largest;
}

TEST(errors_fall_at_order_8)
{
    for (int uneven = 0; uneven < 2; ++uneven)
        for (int derivative = 0; derivative < 3; ++derivative) {
            const double coarse = largest_error(101, uneven, derivative), fine = largest_error(201, uneven, derivative);
            const double order = log2(coarse / fine);
            if (!(fabs(order - (8 - derivative)) < 0.2))
                fail_msg("derivative %d: order %.2f, errors %.2e and %.2e", derivative, order, coarse, fine);
        }
}

/* At a knot the interval to its right; outside the range the nearest one; NaN gives NaN. Points far from evenly spaced
 * fall into few buckets. */
TEST(every_distance_has_its_interval)
{
    double r[MOST], u[MOST];
    for (size_t k = 0; k < MOST; ++k) {
        r[k] = 0.01 * pow(1.02, (double)k);
        u[k] = 1.0 / r[k];
    }
    struct ph_spline spline;
    assert_true(ph_spline_make(MOST, r, u, &spline));
    for (size_t k = 0; k < spline.n; ++k) {
        assert_int_equal(ph_spline_interval(&spline, spline.knot[k]), k);
        assert_int_equal(ph_spline_interval(&spline, 0.5 * (spline.knot[k] + spline.knot[k + 1])), k);
        assert_int_equal(ph_spline_interval(&spline, nextafter(spline.knot[k + 1], 0.0)), k);
    }
    assert_int_equal(ph_spline_interval(&spline, 0.0), 0);
    assert_int_equal(ph_spline_interval(&spline, 1e300), spline.n - 1);
    assert_true(isnan(ph_spline_at(&spline, NAN).value));
    ph_spline_free(&spline);
}

static const struct ph_curve *table_of(size_t n, double rounding)
{
    double r[MOST], u[MOST];
    const struct ph_curve *curve;
    place(n, 0.8, 3.0, false, r);
    for (size_t k = 0; k < n; ++k)
        u[k] = rounding > 0.0 ? rint(lennard_jones(r[k]) / rounding) * rounding : lennard_jones(r[k]);
    assert_ok(ph_curve_of_table("numbers", n, r, u, &curve, &err));
    return curve;
}

/* Of points that are exact and of points that are rounded. In the well the estimate is high, because the error of a
 * steep wall reaches further into it when points are further apart. */
TEST(estimates_are_as_large_as_errors)
{
    static const struct {
        size_t n;
        double rounding;
    } tables[] = {{41, 0.0}, {80, 0.0}, {161, 0.0}, {161, 1e-4}};
    for (size_t k = 0; k < 4; ++k) {
        const struct ph_curve *curve = table_of(tables[k].n, tables[k].rounding);
        double all = 0.0, well = 0.0;
        for (double r = 0.8; r <= 3.0; r += 1.0 / 4096.0) {
            const double u = lennard_jones(r), off = fabs(ph_curve_at(curve, r).value - u);
            all = fmax(all, off);
            well = u <= 1.0 ? fmax(well, off) : well;
        }
        const struct ph_table_error *error = &curve->error;
        if (!(error->all > 0.1 * all && error->all < 10.0 * all && error->well > 0.1 * well &&
              error->well < 30.0 * well && error->at < 1.0))
            fail_msg("%zu points: errors %.2g and %.2g, estimated as %.2g at %g and %.2g", tables[k].n, all, well,
                     error->all, error->at, error->well);
    }
}

TEST(a_table_knows_size_and_depth)
{
    const struct ph_curve *curve = table_of(161, 0.0);
    assert_close(curve->size, 1.0, 1e-8, 1.0);
    assert_close(curve->depth, 1.0, 1e-8, 1.0);
    const struct ph_radial radial = ph_curve_radial(curve);
    assert_true(ph_curve_of(&radial) == curve && ph_radial_wall(&radial) == 0.8 && radial.kind == PH_RADIAL_TABLE);
    assert_true(table_of(161, 0.0) == curve); /* equal ones are one */
    assert_true(table_of(161, 1e-4) != curve);
}
