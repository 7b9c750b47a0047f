/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_ROTATION_H
#define PH_BASE_ROTATION_H

/* Conventions, stated once.
 *   - A quaternion is (w, x, y, z), scalar first. The orientation q of a body maps body to space: x = Q X, Q = E(q).
 *   - Q changes as dQ/dt = Q hat(omega), dq/dt = 1/2 q (0, omega), with omega in the body frame.
 *   - Angular momentum m is in the body frame; in space it is Q m.
 *   - q and -q are the same orientation. */

#include "base/vec3.h"

/* a b, the rotation b (in the frame turned by a) after a; out may be a or b */
PH_INLINE void ph_quat_multiply(const double a[4], const double b[4], double out[4])
{
    const double w = ph_fma(a[0], b[0], -ph_fma(a[1], b[1], ph_fma(a[2], b[2], a[3] * b[3])));
    const double x = ph_fma(a[0], b[1], ph_fma(a[1], b[0], ph_fma(a[2], b[3], -(a[3] * b[2]))));
    const double y = ph_fma(a[0], b[2], ph_fma(a[2], b[0], ph_fma(a[3], b[1], -(a[1] * b[3]))));
    const double z = ph_fma(a[0], b[3], ph_fma(a[3], b[0], ph_fma(a[1], b[2], -(a[2] * b[1]))));
    out[0] = w;
    out[1] = x;
    out[2] = y;
    out[3] = z;
}

/* Q v for a unit quaternion: v + 2 w (u x v) + 2 u x (u x v), u the vector part */
PH_INLINE void ph_quat_rotate(const double q[4], const double v[3], double out[3])
{
    const double tx = 2.0 * (q[2] * v[2] - q[3] * v[1]);
    const double ty = 2.0 * (q[3] * v[0] - q[1] * v[2]);
    const double tz = 2.0 * (q[1] * v[1] - q[2] * v[0]);
    const double x = v[0] + (q[0] * tx + (q[2] * tz - q[3] * ty));
    const double y = v[1] + (q[0] * ty + (q[3] * tx - q[1] * tz));
    const double z = v[2] + (q[0] * tz + (q[1] * ty - q[2] * tx));
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* exp(hat(v)) as a quaternion: a turn by |v| about v; hat(v) x = v x x */
PH_INLINE void ph_turn_exp(const double v[3], double turn[4])
{
    const double angle = ph_vec3_norm(v), half = 0.5 * angle;
    double sine, cosine;
    ph_sincos(half, &sine, &cosine);
    const double factor = angle > 1e-8 ? sine / angle : 0.5; /* 1/2 - angle^2/48 there */
    turn[0] = cosine;
    for (int k = 0; k < 3; ++k)
        turn[1 + k] = factor * v[k];
}

#endif
