/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_SPHERE_ROTATE_H
#define PH_LAB_SPHERE_ROTATE_H

/* Functions that the methods on spheres share. */

#include "base/rotation.h"
#include "base/vec3.h"

#include <stddef.h>

/* out = exp(hat(u)) v: v turned about u by the angle |u| */
static inline void ph_s2_rotate(const double u[3], const double v[3], double out[3])
{
    const double angle = ph_vec3_norm(u), factor = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    const double turn[4] = {cos(0.5 * angle), factor * u[0], factor * u[1], factor * u[2]};
    ph_quat_rotate(turn, v, out);
}

/* out += factor a for n vectors */
static inline void ph_s2_add(size_t n, double factor, const double (*a)[3], double (*out)[3])
{
    for (size_t i = 0; i < n; ++i)
        ph_vec3_add(factor, a[i], out[i]);
}

/* The largest component; NaN if there is one */
static inline double ph_s2_largest(size_t n, const double (*a)[3])
{
    double largest = 0.0;
    for (size_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            if (!(fabs(a[i][k]) <= largest))
                largest = fabs(a[i][k]);
    return largest;
}

#endif
