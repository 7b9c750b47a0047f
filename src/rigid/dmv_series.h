/* SPDX-License-Identifier: MIT */
#ifndef PH_RIGID_DMV_SERIES_H
#define PH_RIGID_DMV_SERIES_H

/* Per body: the coefficients of the modified moments 1/It_j = s/I_j + d as polynomials in two invariants of the free
 * motion,
 *   s = 1 + sum s[k,l] X^k V^l,  d = sum d[k,l] X^k V^l,   1 <= k + l <= order/2 - 1,
 *   X = h^2 x_scale ((1/I1-1/I3) y1^2 + (1/I2-1/I3) y2^2),   V = h^2 v_scale |y|^2. */

enum { PH_DMV_LEVELS = 6, PH_DMV_COEFFICIENTS = (PH_DMV_LEVELS + 1) * (PH_DMV_LEVELS + 2) / 2 - 1 };

/* Where the coefficient of X^k V^l is stored: level by level */
#define PH_DMV_INDEX(k, l) (((k) + (l)) * ((k) + (l) + 1) / 2 - 1 + (l))

struct ph_dmv_series {
    double x_scale, v_scale;
    double s[PH_DMV_COEFFICIENTS], d[PH_DMV_COEFFICIENTS];
};

/* inverse: 1/I1 >= 1/I2 >= 1/I3 > 0; difference23 = 1/I2 - 1/I3, without cancellation */
void ph_dmv_series_init(const double inverse[3], double difference23, struct ph_dmv_series *series);

#endif
