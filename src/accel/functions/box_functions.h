/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_BOX_FUNCTIONS_H
#define PH_ACCEL_FUNCTIONS_BOX_FUNCTIONS_H

/* Boxes of any shape, as model/box.c has them, for one molecule or pair; text of both machines, see device_functions.h.
 */

#include "accel/functions/view.h"
#include "base/vec3.h"

/* Fractional coordinate k */
PH_INLINE double fraction(const struct ph_accel_view *v, int k, const double r[3])
{
    return v->tilted ? ph_vec3_dot(v->inverses[k], r) : r[k] * v->inverse[k];
}

/* The sum of count_k edges */
PH_INLINE void edges_together(const struct ph_accel_view *v, const double count[3], double shift[3])
{
    for (int x = 0; x < 3; ++x)
        shift[x] = v->tilted
                       ? ph_fma(count[0], v->edges[0][x], ph_fma(count[1], v->edges[1][x], count[2] * v->edges[2][x]))
                       : count[x] * v->edge[x];
}

/* Finds the shift from d to its nearest image, if any is nearer than half of all widths; false: no shift */
PH_INLINE bool find_shift(const struct ph_accel_view *v, const double d[3], double shift[3])
{
    double count[3];
    for (int k = 0; k < 3; ++k) {
        count[k] = -ph_round(fraction(v, k, d));
        shift[k] = 0.0;
    }
    if (count[0] == 0.0 && count[1] == 0.0 && count[2] == 0.0)
        return false;
    edges_together(v, count, shift);
    return true;
}

/* Is a fractional coordinate, or one of open space, small enough? False for NaN */
PH_INLINE bool is_countable(double x) { return fabs(x) < PH_FAR; }

/* Right-angled, along one edge; returns how many boxes x has moved. */
PH_INLINE int wrap_along(const struct ph_accel_view *v, int k, double *x)
{
    const double n = floor(*x * v->inverse[k]);
    int count = (int)n;
    *x -= n * v->edge[k];
    if (*x < 0.0) {
        *x += v->edge[k];
        --count;
    }
    if (*x >= v->edge[k]) {
        *x -= v->edge[k];
        ++count;
    }
    return count;
}

/* As wrap_triclinic of model/box.c */
PH_INLINE void wrap_tilted(const struct ph_accel_view *v, double r[3], int count[3])
{
    const double rounding = 8.0 * 0x1p-52;
    double s[3];
    for (int pass = 0; pass < 2; ++pass) {
        double n[3];
        for (int k = 0; k < 3; ++k)
            n[k] = floor(fraction(v, k, r));
        if (n[0] == 0.0 && n[1] == 0.0 && n[2] == 0.0)
            return;
        for (int k = 0; k < 3; ++k) {
            for (int x = 0; x < 3; ++x)
                r[x] -= n[k] * v->edges[k][x];
            count[k] += (int)n[k];
        }
    }
    for (int k = 0; k < 3; ++k) { /* on a face to rounding, whichever side: onto the face at 0 */
        s[k] = fraction(v, k, r);
        count[k] += s[k] > 0.5 && s[k] >= 1.0 - rounding;
        s[k] = s[k] < rounding || s[k] >= 1.0 - rounding ? 0.0 : s[k];
    }
    for (int x = 0; x < 3; ++x)
        r[x] = s[0] * v->edges[0][x] + s[1] * v->edges[1][x] + s[2] * v->edges[2][x];
}

/* Into the box; false, and counts of 0, if r is not finite or too far away to count boxes */
PH_INLINE bool wrap_into_box(const struct ph_accel_view *v, double r[3], int count[3])
{
    for (int k = 0; k < 3; ++k)
        count[k] = 0;
    for (int k = 0; k < 3; ++k)
        if (!is_countable(v->periodic ? fraction(v, k, r) : r[k]))
            return false;
    if (v->tilted)
        wrap_tilted(v, r, count);
    else if (v->periodic)
        for (int k = 0; k < 3; ++k)
            count[k] = wrap_along(v, k, &r[k]);
    return true;
}

#endif
