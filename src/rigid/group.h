/* SPDX-License-Identifier: MIT */
#ifndef PH_RIGID_GROUP_H
#define PH_RIGID_GROUP_H

/* From rotation vectors to rotations, for methods that work on one body at a time. hat(v) x = v x x. */

#include "base/rotation.h"
#include "base/vec3.h"

/* Cayley's map (1 + hat(v)/2)(1 - hat(v)/2)^-1: a turn by 2 atan(|v|/2) about v */
PH_INLINE void ph_turn_cay(const double v[3], double turn[4])
{
    const double c = 1.0 / sqrt(1.0 + 0.25 * ph_vec3_dot(v, v));
    turn[0] = c;
    for (int k = 0; k < 3; ++k)
        turn[1 + k] = 0.5 * c * v[k];
}

/* The turn that makes `turn` if it is done twice; for turns by less than pi */
PH_INLINE void ph_turn_half(const double turn[4], double half[4])
{
    const double c = sqrt(0.5 * (1.0 + turn[0]));
    half[0] = c;
    for (int k = 1; k < 4; ++k)
        half[k] = 0.5 * turn[k] / c;
}

/* R^T x of the turn R */
PH_INLINE void ph_turn_back(const double turn[4], const double x[3], double out[3])
{
    const double back[4] = {turn[0], -turn[1], -turn[2], -turn[3]};
    ph_quat_rotate(back, x, out);
}

/* out = q turn, brought back to unit norm to first order */
PH_INLINE void ph_turn_apply(const double q[4], const double turn[4], double out[4])
{
    ph_quat_multiply(q, turn, out);
    const double excess = 0.5 * (out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3] - 1.0);
    for (int k = 0; k < 4; ++k)
        out[k] -= excess * out[k];
}

/* x + b v x x + c v x (v x x) */
PH_INLINE void ph_turn_polynomial(double b, double c, const double v[3], const double x[3], double out[3])
{
    double once[3], twice[3];
    ph_vec3_cross(v, x, once);
    ph_vec3_cross(v, once, twice);
    for (int k = 0; k < 3; ++k)
        out[k] = x[k] + b * once[k] + c * twice[k];
}

/* dexp_v = 1 + b hat(v) + c hat(v)^2, the derivative of the exponential map: d exp(hat(v)) along x is
 * hat(dexp_v x) exp(hat(v)). b = (1-cos t)/t^2, c = (t-sin t)/t^3, t = |v| */
PH_INLINE void ph_turn_dexp_factors(const double v[3], double *b, double *c)
{
    const double square = ph_vec3_dot(v, v), t = sqrt(square);
    double sine, half_sine, unused;
    ph_sincos(t, &sine, &unused);
    ph_sincos(0.5 * t, &half_sine, &unused);
    const double s = t > 1e-8 ? half_sine / t : 0.5;
    *b = 2.0 * s * s;
    *c = square > 0.04 ? (t - sine) / (square * t)
                       : 1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0));
}

/* dexp_v x */
PH_INLINE void ph_turn_dexp(const double v[3], const double x[3], double out[3])
{
    double b, c;
    ph_turn_dexp_factors(v, &b, &c);
    ph_turn_polynomial(b, c, v, x, out);
}

/* Its inverse: 1 - hat(v)/2 + (1 - (t/2) cot(t/2))/t^2 hat(v)^2, for |v| below 2 pi */
PH_INLINE void ph_turn_dexp_inverse(const double v[3], const double x[3], double out[3])
{
    const double square = ph_vec3_dot(v, v), half = 0.5 * sqrt(square);
    double sine, cosine;
    ph_sincos(half, &sine, &cosine);
    const double c = square > 0.04 ? (1.0 - half * cosine / sine) / square
                                   : 1.0 / 12.0 + square / 720.0 * (1.0 + square / 42.0 * (1.0 + square / 40.0));
    ph_turn_polynomial(-0.5, c, v, x, out);
}

#endif
