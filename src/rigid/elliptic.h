/* SPDX-License-Identifier: MIT */
#ifndef PH_RIGID_ELLIPTIC_H
#define PH_RIGID_ELLIPTIC_H

/* Elliptic functions and integrals of PH_LANES arguments at once. Loops run until every lane has converged. A converged
 * lane does not change any more, so that its bits do not depend on other lanes. */

#include "base/lanes.h"

/* Jacobi's sn, cn, dn of u for complementary modulus kc = k', and a quarter period.
 *
 * Descending Landen transformation (DLMF 22.7(i)) down to circular functions, k1 = (1-k')/(1+k') from the
 * arithmetic-geometric mean of 1 and k'. Sums of positive terms only: cn and dn keep their relative accuracy where
 * they are small. Needs kc in [PH_JACOBI_KC_MIN, 1]. */
struct ph_jacobi {
    PH_ALIGNED double sn[PH_LANES], cn[PH_LANES], dn[PH_LANES];
    PH_ALIGNED double mean[PH_LANES]; /* agm(1, k'); the quarter period is K = pi / (2 mean) */
};

#define PH_JACOBI_KC_MIN 1e-150

void ph_jacobi_functions(const double u[PH_LANES], const double kc[PH_LANES], struct ph_jacobi *out);

/* Carlson's R_J(x, y, z, p) for x, y, z >= 0, at most one of them zero, p > 0, and delta = (p-x)(p-y)(p-z) >= 0. The
 * caller passes delta, because it has the differences without cancellation. B. C. Carlson, Numer. Algorithms 10 (1995)
 * 13; DLMF 19.36(i). */
struct ph_carlson_rj {
    PH_ALIGNED double x[PH_LANES], y[PH_LANES], z[PH_LANES], p[PH_LANES], delta[PH_LANES];
};

void ph_carlson_rj(const struct ph_carlson_rj *arguments, double out[PH_LANES]);

#endif
