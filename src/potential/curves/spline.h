/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_SPLINE_H
#define PH_POTENTIAL_SPLINE_H

/* The interpolating spline of degree 7 through given points: six continuous derivatives, error of order h^8. It has no
 * knots at the three points next to each end ("not a knot"), so it reproduces polynomials of degree 7. */

#include "base/error.h"
#include "potential/jet.h"

#include <stdbool.h>
#include <stddef.h>

enum { PH_SPLINE_DEGREE = 7, PH_SPLINE_POINTS_MIN = PH_SPLINE_DEGREE + 1 };

struct ph_spline {
    size_t n;          /* intervals: one less than knots */
    double *knot;      /* owned: n + 1, growing */
    double *power;     /* owned: 8 for each interval k, the factors of (r - knot[k])^0 .. ^7 */
    size_t n_buckets;  /* of equal length */
    size_t *bucket;    /* owned: the interval in which each of them begins */
    double per_bucket; /* buckets per unit of length */
};

/* r must grow; n >= PH_SPLINE_POINTS_MIN. Returns false without memory. ph_spline_free is safe in any case. */
bool ph_spline_make(size_t n, const double *r, const double *u, struct ph_spline *spline);
void ph_spline_free(struct ph_spline *spline);

/* The interval of r; the first or the last one outside the range, the first for NaN */
PH_INLINE size_t ph_spline_interval(const struct ph_spline *spline, double r)
{
    const double place = (r - spline->knot[0]) * spline->per_bucket, most = (double)(spline->n_buckets - 1);
    const double within = place > 0.0 ? (place < most ? place : most) : 0.0;
    size_t k = spline->bucket[(size_t)within];
    while (k > 0 && r < spline->knot[k]) /* the product was rounded up */
        --k;
    while (k + 1 < spline->n && r >= spline->knot[k + 1])
        ++k;
    return k;
}

/* The polynomial with these eight factors at t, by Horner's scheme with its derivatives */
PH_INLINE struct ph_jet ph_spline_polynomial(const double *power, double t)
{
    double value = power[PH_SPLINE_DEGREE], slope = 0.0, half = 0.0;
    for (int k = PH_SPLINE_DEGREE - 1; k >= 0; --k) {
        half = ph_fma(half, t, slope);
        slope = ph_fma(slope, t, value);
        value = ph_fma(value, t, power[k]);
    }
    return (struct ph_jet){value, slope, 2.0 * half};
}

PH_INLINE struct ph_jet ph_spline_at(const struct ph_spline *spline, double r)
{
    const size_t k = ph_spline_interval(spline, r);
    return ph_spline_polynomial(spline->power + (PH_SPLINE_DEGREE + 1) * k, r - spline->knot[k]);
}

#endif
