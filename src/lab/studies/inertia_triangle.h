/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_STUDIES_INERTIA_TRIANGLE_H
#define PH_LAB_STUDIES_INERTIA_TRIANGLE_H

/* Accuracy of free-body methods for all possible bodies: those with moments (x, y, 1), x <= y <= 1 <= x + y, up to
 * scale. Many momenta at each point of a grid over this triangle are followed to t = 10 with two steps. */

#include "lab/studies/frame/survey.h"

#include <stddef.h>
#include <stdint.h>

enum { PH_TRIANGLE_METHODS = 11, PH_TRIANGLE_STEPS = 2, PH_TRIANGLE_STARTS = 20 };
extern const char *const ph_triangle_methods[PH_TRIANGLE_METHODS]; /* flows */
extern const double ph_triangle_steps[PH_TRIANGLE_STEPS];          /* 0.4, 0.04 */

/* Mean digits of the orientation at one point, over the starts that are not lost */
struct ph_triangle_point {
    double x, y;
    double digits[PH_TRIANGLE_STEPS][PH_TRIANGLE_METHODS];
    int failed[PH_TRIANGLE_STEPS][PH_TRIANGLE_METHODS]; /* starts with an error above 0.1 */
    double checked; /* distance of the reference from long double arithmetic, at the first start; NaN: not computed */
    enum ph_status status;
};

/* Centres of the cells of a grid over [0, 1] x [1/2, 1] that lie in the triangle; returns how many. */
size_t ph_triangle_grid(size_t columns, size_t rows, struct ph_triangle_point *points);

/* All points, in parallel; the result does not depend on the number of threads. */
enum ph_status ph_triangle_measure(uint64_t seed, const struct ph_lab_progress *progress, size_t n,
                                   struct ph_triangle_point *points, struct ph_error *err);

/* Digits of one method and step, over the triangle and of the corner x < 0.15, y > 0.85 */
struct ph_triangle_summary {
    double mean, deviation, least, most, corner;
    long failed;
};
struct ph_triangle_summary ph_triangle_summarise(size_t n, const struct ph_triangle_point *points, int step,
                                                 int method);

#endif
