/* SPDX-License-Identifier: MIT */
/* The spline as a sum of B-splines, whose factors follow from the points by a banded system, and then as a polynomial
 * for each interval (C. de Boor, A Practical Guide to Splines, 2001, chapters X, XIII). The matrix is totally positive,
 * so elimination without pivoting is stable. */
#include "potential/curves/spline.h"

#include <stdlib.h>
#include <string.h>

enum { DEGREE = PH_SPLINE_DEGREE, ORDER = DEGREE + 1, BAND = 2 * DEGREE + 1, DROPPED = (DEGREE - 1) / 2 };

/* The values at x of the B-splines of this degree that are not 0 in knots[span] <= x < knots[span + 1]: those with the
 * numbers span - degree .. span */
static void b_splines(const double *knots, size_t span, int degree, double x, double value[ORDER])
{
    value[0] = 1.0;
    for (int d = 1; d <= degree; ++d) {
        double carried = 0.0;
        for (int k = 0; k < d; ++k) {
            const double right = knots[span + (size_t)k + 1], left = knots[span + (size_t)k + 1 - (size_t)d];
            const double part = value[k] / (right - left);
            value[k] = carried + (right - x) * part;
            carried = (x - left) * part;
        }
        value[d] = carried;
    }
}

/* Knots: each end ORDER times, between them all points but DROPPED of them next to each end; n + ORDER in all */
static void set_knots(size_t n, const double *r, double *knots)
{
    for (size_t k = 0; k < ORDER; ++k) {
        knots[k] = r[0];
        knots[n + k] = r[n - 1];
    }
    for (size_t k = ORDER; k < n; ++k)
        knots[k] = r[k - ORDER + DROPPED + 1];
}

/* Solves for the factors of the B-splines, in place of u. Row i of the band holds columns i - DEGREE .. i + DEGREE. */
static void solve(size_t n, const double *r, const double *knots, double (*band)[BAND], double *u)
{
    size_t span = DEGREE;
    for (size_t i = 0; i < n; ++i) {
        double value[ORDER];
        while (span + 1 < n && r[i] >= knots[span + 1])
            ++span;
        b_splines(knots, span, DEGREE, r[i], value);
        memset(band[i], 0, sizeof band[i]);
        for (size_t k = 0; k < ORDER; ++k) /* column span - DEGREE + k, at most DEGREE from i */
            if (value[k] != 0.0)
                band[i][span + k - i] = value[k];
    }
    for (size_t i = 0; i < n; ++i)
        for (size_t down = 1; down <= DEGREE && i + down < n; ++down) {
            const double factor = band[i + down][DEGREE - down] / band[i][DEGREE];
            for (size_t k = 1; k <= DEGREE && factor != 0.0; ++k)
                band[i + down][DEGREE - down + k] -= factor * band[i][DEGREE + k];
            u[i + down] -= factor * u[i];
        }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = 1; k <= DEGREE && i + k < n; ++k)
            u[i] -= band[i][DEGREE + k] * u[i + k];
        u[i] /= band[i][DEGREE];
    }
}

/* Factors of the powers of r - knots[span], from those of the B-splines: their differences are the factors of the
 * derivatives, which are sums of B-splines of lower degree. */
static void expand(const double *knots, size_t span, const double *factor, double power[ORDER])
{
    double part[ORDER], value[ORDER], factorial = 1.0;
    memcpy(part, factor + span - DEGREE, sizeof part);
    for (int d = 0; d <= DEGREE; ++d) {
        const int degree = DEGREE - d;
        b_splines(knots, span, degree, knots[span], value);
        power[d] = 0.0;
        for (int k = 0; k <= degree; ++k)
            power[d] += value[k] * part[k + d];
        factorial *= d > 0 ? (double)d : 1.0;
        power[d] /= factorial;
        for (int k = DEGREE; k > d; --k) {
            const size_t first = span - DEGREE + (size_t)k;
            part[k] = (double)degree * (part[k] - part[k - 1]) / (knots[first + (size_t)degree] - knots[first]);
        }
    }
}

static void set_buckets(struct ph_spline *spline)
{
    const double length = spline->knot[spline->n] - spline->knot[0];
    spline->per_bucket = (double)spline->n_buckets / length;
    size_t k = 0;
    for (size_t b = 0; b < spline->n_buckets; ++b) {
        const double begin = spline->knot[0] + (double)b / spline->per_bucket;
        while (k + 1 < spline->n && begin >= spline->knot[k + 1])
            ++k;
        spline->bucket[b] = k;
    }
}

bool ph_spline_make(size_t n, const double *r, const double *u, struct ph_spline *spline)
{
    const size_t intervals = n - DEGREE;
    *spline = (struct ph_spline){.n = intervals, .n_buckets = 4 * intervals};
    spline->knot = malloc((intervals + 1) * sizeof *spline->knot);
    spline->power = malloc(intervals * ORDER * sizeof *spline->power);
    spline->bucket = malloc(spline->n_buckets * sizeof *spline->bucket);
    double *knots = malloc((n + ORDER) * sizeof *knots), *factor = malloc(n * sizeof *factor);
    double(*band)[BAND] = malloc(n * sizeof *band);
    const bool enough = spline->knot && spline->power && spline->bucket && knots && factor && band;
    if (enough) {
        set_knots(n, r, knots);
        memcpy(factor, u, n * sizeof *factor);
        solve(n, r, knots, band, factor);
        for (size_t k = 0; k < intervals; ++k)
            expand(knots, DEGREE + k, factor, spline->power + k * ORDER);
        memcpy(spline->knot, knots + DEGREE, (intervals + 1) * sizeof *spline->knot);
        set_buckets(spline);
    }
    free(knots);
    free(factor);
    free(band);
    return enough;
}

void ph_spline_free(struct ph_spline *spline)
{
    free(spline->knot);
    free(spline->power);
    free(spline->bucket);
    *spline = (struct ph_spline){.n = 0};
}
