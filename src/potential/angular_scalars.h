/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_ANGULAR_SCALARS_H
#define PH_POTENTIAL_ANGULAR_SCALARS_H

/* What a formula of an angular form depends on: n is the unit vector from site i to site j at distance r, a are the
 * axes of site i, b those of site j. */

#include "potential/dual.h"

enum { PH_ANGULAR_CONSTANTS = 24, PH_AXES_MAX = 3, PH_SCALARS_MAX = 1 + 2 * PH_AXES_MAX + PH_AXES_MAX * PH_AXES_MAX };

/* Of one pair of sites. Axes beyond the number of a site are 0. */
struct ph_angular_scalars {
    struct ph_dual r, p[PH_AXES_MAX], q[PH_AXES_MAX], c[PH_AXES_MAX][PH_AXES_MAX]; /* a.n, b.n, a.b */
};

#endif
