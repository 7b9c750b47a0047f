/* SPDX-License-Identifier: MIT */
#ifndef PH_RIGID_BLOCK_H
#define PH_RIGID_BLOCK_H

/* From the state of bodies to a block in the units of a flow, and back: for flow.c, and for accel, whose blocks are of
 * one body. */

#include "base/rotation.h"
#include "rigid/flow.h"

/* The largest |m_k| is brought to [1, 2) by a power of two, as far as that and its inverse are doubles. */
static const double smallest_unit = 0x1p-1000, largest_unit = 0x1p1000;

/* Beyond this step the angle turned has no correct digit; it is finite so that no NaN can arise. */
static const double largest_step = 1e150;

PH_INLINE double unit_of(double m0, double m1, double m2)
{
    const double largest = ph_max(fabs(m0), ph_max(fabs(m1), fabs(m2)));
    return ph_power_of_two_below(ph_min(ph_max(largest, smallest_unit), largest_unit));
}

/* Lanes of the bodies' arrays, in the order of the sorted axes. */
struct lanes {
    double *m[3], *q[4];
    const double *norm; /* or NULL */
};

PH_DEVICE static inline void load(const struct ph_top *top, double h, const struct lanes *lanes, struct ph_block *block,
                                  double *restrict unit, double *restrict norm_square)
{
    const double *restrict m0 = lanes->m[0], *restrict m1 = lanes->m[1], *restrict m2 = lanes->m[2];
    const double *restrict norm = lanes->norm;
    const double sign = top->parity, step = h / top->scale;
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        const double u = unit_of(m0[l], m1[l], m2[l]), inverse = sign / u;
        const double y0 = m0[l] * inverse, y1 = m1[l] * inverse, y2 = m2[l] * inverse;
        unit[l] = sign * u;
        block->tau[l] = ph_max(-largest_step, ph_min(largest_step, step * u));
        block->y[0][l] = y0;
        block->y[1][l] = y1;
        block->y[2][l] = y2;
        block->dq[0][l] = 1.0;
        block->dq[1][l] = block->dq[2][l] = block->dq[3][l] = 0.0;
        norm_square[l] = ph_fma(y0, y0, ph_fma(y1, y1, y2 * y2));
    }
    if (norm) {
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l) {
            const double kept = norm[l] / fabs(unit[l]);
            norm_square[l] = kept < largest_step ? kept * kept : norm_square[l];
        }
    }
}

/* Does ph_fma round once? (1 + e)^2 - (1 + 2 e) = e^2 is lost otherwise. A constant of the compiler's */
PH_INLINE bool fuses(void)
{
#ifdef PH_FUSED
    return true;
#else
    const double e = 0x1p-52;
    return ph_fma(1.0 + e, 1.0 + e, -(1.0 + 2.0 * e)) > 0.0;
#endif
}

/* Returns |y|^2 - |x|^2 without cancellation. */
PH_INLINE double growth(double x0, double x1, double x2, double y0, double y1, double y2)
{
    return (y0 - x0) * (y0 + x0) + (y1 - x1) * (y1 + x1) + (y2 - x2) * (y2 + x2);
}

/* Stores y as m, and restores |m| to first order. Every flow conserves |m|, so this removes only rounding. Without a
 * fused multiply-add |y|^2 itself has a rounding error of the same size. For a fast top this error is nearly the same
 * in every step. The component along its axis does not change then, but components across the axis would shrink or grow
 * in every step. So the change of |m|^2 is computed from differences to the old m, unless the norm was kept from
 * before. */
PH_DEVICE static inline void store_momentum(const struct ph_block *block, const double *restrict unit,
                                            const double *restrict norm_square, const struct lanes *lanes)
{
    double *restrict m0 = lanes->m[0], *restrict m1 = lanes->m[1], *restrict m2 = lanes->m[2];
    const bool by_differences = !fuses() && !lanes->norm;
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        const double y0 = block->y[0][l], y1 = block->y[1][l], y2 = block->y[2][l], square = norm_square[l];
        const double inverse = 1.0 / unit[l],
                     more = growth(m0[l] * inverse, m1[l] * inverse, m2[l] * inverse, y0, y1, y2);
        const double excess = by_differences ? more : ph_fma(y0, y0, ph_fma(y1, y1, ph_fma(y2, y2, -square)));
        const double too_long = square > 0.0 ? 0.5 * excess / square : 0.0;
        m0[l] = unit[l] * ph_fma(-too_long, y0, y0);
        m1[l] = unit[l] * ph_fma(-too_long, y1, y1);
        m2[l] = unit[l] * ph_fma(-too_long, y2, y2);
    }
}

/* q <- q dq, brought back to unit norm to first order; the vector parts refer to the sorted axes. */
PH_INLINE void turn_lane(const struct ph_block *block, double sign, double *restrict q0, double *restrict q1,
                         double *restrict q2, double *restrict q3, int l)
{
    const double dq[4] = {block->dq[0][l], block->dq[1][l], block->dq[2][l], block->dq[3][l]};
    const double q[4] = {q0[l], sign * q1[l], sign * q2[l], sign * q3[l]};
    double turned[4];
    ph_quat_multiply(q, dq, turned);
    const double too_long =
        0.5 * ph_fma(turned[0], turned[0],
                     ph_fma(turned[1], turned[1], ph_fma(turned[2], turned[2], ph_fma(turned[3], turned[3], -1.0))));
    q0[l] = ph_fma(-too_long, turned[0], turned[0]);
    q1[l] = sign * ph_fma(-too_long, turned[1], turned[1]);
    q2[l] = sign * ph_fma(-too_long, turned[2], turned[2]);
    q3[l] = sign * ph_fma(-too_long, turned[3], turned[3]);
}

PH_DEVICE static inline void turn_orientation(const struct ph_block *block, double sign, const struct lanes *lanes)
{
    double *restrict q0 = lanes->q[0], *restrict q1 = lanes->q[1], *restrict q2 = lanes->q[2],
                     *restrict q3 = lanes->q[3];
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        turn_lane(block, sign, q0, q1, q2, q3, l);
}

#endif
