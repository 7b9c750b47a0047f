/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_ANGULAR_SCALARS_H
#define PH_POTENTIAL_ANGULAR_SCALARS_H

/* What a formula of an angular form depends on: n is the unit vector from site i to site j at distance r, a are the
 * axes of site i, b those of site j. */

#include "potential/dual.h"

#include <stdbool.h>
#include <stddef.h>

enum { PH_ANGULAR_CONSTANTS = 24, PH_AXES_MAX = 3, PH_SCALARS_MAX = 1 + 2 * PH_AXES_MAX + PH_AXES_MAX * PH_AXES_MAX };

/* Of one pair of sites. Axes beyond the number of a site are 0. */
struct ph_angular_scalars {
    struct ph_dual r, p[PH_AXES_MAX], q[PH_AXES_MAX], c[PH_AXES_MAX][PH_AXES_MAX]; /* a.n, b.n, a.b */
    const double *b; /* of pairs of an Ewald sum: their radial functions, `step` apart; else NULL */
    size_t step;
    bool screened; /* whether b is one: kernels know it when they are compiled */
};

/* Number of the scalar r, a_i.n, b_j.n or a_i.b_j, as kernels count them */
PH_INLINE size_t ph_scalar_p(size_t i) { return 1 + i; }
PH_INLINE size_t ph_scalar_q(size_t na, size_t j) { return 1 + na + j; }
PH_INLINE size_t ph_scalar_c(size_t na, size_t nb, size_t i, size_t j) { return 1 + na + nb + i * nb + j; }
PH_INLINE size_t ph_scalar_count(size_t na, size_t nb) { return 1 + na + nb + na * nb; }

#endif
