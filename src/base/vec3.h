/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_VEC3_H
#define PH_BASE_VEC3_H

/* Vectors of three numbers, for code that is not a vectorised loop. Outputs may be inputs. */

#include "base/lanes.h"

PH_INLINE double ph_vec3_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

PH_INLINE double ph_vec3_norm(const double a[3]) { return sqrt(ph_vec3_dot(a, a)); }

PH_INLINE void ph_vec3_cross(const double a[3], const double b[3], double out[3])
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

PH_INLINE bool ph_vec3_is_zero(const double a[3]) { return a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0; }

/* out += a x b */
PH_INLINE void ph_vec3_add_cross(const double a[3], const double b[3], double out[3])
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

/* out += factor a */
PH_INLINE void ph_vec3_add(double factor, const double a[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] += factor * a[k];
}

#endif
