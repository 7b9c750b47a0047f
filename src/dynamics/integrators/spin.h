/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_INTEGRATORS_SPIN_H
#define PH_DYNAMICS_INTEGRATORS_SPIN_H

/* One body in one step of a one-step integrator, and the equations that such integrators solve for it. W = I^-1 below;
 * angular momenta and torques are in the body frame, a torque in the body frame of the orientation where it acts. */

#include "rigid/group.h"

#include <stdbool.h>

struct ph_spin {
    double h;
    double w[3];                  /* diagonal of W; 0 about the axis of a linear rotor */
    double q[4], m[3], torque[3]; /* at the beginning */
    double kept[3];               /* passed from `lead` to `close` */
    double where[4];              /* the orientation at which the second torque is wanted, */
    double push[3];               /* and that torque */
    double end_q[4], end_m[3];
};

/* W m, and f W m: the rotation vector of a time f */
PH_INLINE void ph_spin_rate(const struct ph_spin *spin, double f, const double m[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = f * spin->w[k] * m[k];
}

/* out = m + f m x W m */
PH_INLINE void ph_spin_euler(const struct ph_spin *spin, double f, const double m[3], double out[3])
{
    double rate[3], cross[3];
    ph_spin_rate(spin, 1.0, m, rate);
    ph_vec3_cross(m, rate, cross);
    for (int k = 0; k < 3; ++k)
        out[k] = m[k] + f * cross[k];
}

/* All by Newton's iteration, from z = b or near it, until z changes by rounding only; false if it does not converge.
 *   euler:  z = b + c z x W z - lag c^2 (z . W z) W z
 *   turned: z = R^T b + H^T half + d,   R = exp(v), H = exp(v/2), v = c (W (z + shift) + extra) */
bool ph_spin_solve_euler(const double w[3], double c, double lag, const double b[3], double z[3]);
struct ph_spin_turned {
    double c, shift[3], extra[3], b[3], half[3], d[3];
};
bool ph_spin_solve_turned(const double w[3], const struct ph_spin_turned *equation, double z[3]);

#endif
