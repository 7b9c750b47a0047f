/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_PROBLEMS_FREE_BODIES_H
#define PH_LAB_PROBLEMS_FREE_BODIES_H

/* Free bodies of one inertia that begin in the orientation 1, followed to a time and compared with exact orientations.
 * For studies of accuracy on many bodies. */

#include "base/error.h"
#include "rigid/flow.h"

#include <stddef.h>
#include <stdint.h>

/* Moments I1 <= I2 <= I3 = 1 with I1 + I2 >= 1, uniform in the triangle of (I1, I2): of body `index` of a seed */
void ph_free_draw_inertia(uint64_t seed, uint64_t index, double inertia[3]);
/* |m| = 1, uniform in the octant where all components are positive */
void ph_free_draw_momentum(uint64_t seed, uint64_t index, double m[3]);

/* Where n bodies with the momenta m are at a time, q[i], by the exact flow in one step. With `checked`, the first body
 * is also followed by Taylor series in long double, and its distance in q from there is returned in *checked. */
enum ph_status ph_free_reference(const struct ph_top *top, size_t n, const double (*m)[3], double time, double (*q)[4],
                                 double *checked, struct ph_error *err);

/* n bodies with the momenta m, and their orientations q* at a time */
struct ph_free_course {
    const struct ph_top *top;
    size_t n;
    const double (*m)[3];
    double time;
    const double (*q)[4];
};

/* |q - q*| of each body, whatever the sign of q, after `steps` equal steps; at most 2, and 2 for NaN. */
enum ph_status ph_free_errors(const struct ph_flow *flow, const struct ph_free_course *course, long steps,
                              double *error, struct ph_error *err);

/* The same for one body and one step, against Taylor series in long double */
enum ph_status ph_free_error_checked(const struct ph_flow *flow, const struct ph_top *top, const double m[3],
                                     double step, double *error, struct ph_error *err);

/* -log10 of an error: significant digits, none for errors above 1, and 17 at most */
double ph_free_digits(double error);

#endif
