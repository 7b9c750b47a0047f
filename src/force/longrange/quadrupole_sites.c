/* SPDX-License-Identifier: MIT */
#include "force/longrange/quadrupole_sites.h"

#include "base/vec3.h"

double ph_quadrupoles_energy(const struct ph_site *one, const struct ph_site *other, const double d[3],
                             const double b[3])
{
    double m1[6], m2[6], v1[3], v2[3];
    ph_site_tensor(one, m1);
    ph_site_tensor(other, m2);
    ph_tensor_times(m1, d, v1);
    ph_tensor_times(m2, d, v2);
    const double t1 = ph_vec3_dot(v1, d), t2 = ph_vec3_dot(v2, d);
    const double charges = (one->charge * t2 + other->charge * t1) * b[0];
    const double dipoles = 2.0 * (ph_vec3_dot(other->dipole, v1) - ph_vec3_dot(one->dipole, v2)) * b[0] +
                           (ph_vec3_dot(one->dipole, d) * t2 - ph_vec3_dot(other->dipole, d) * t1) * b[1];
    return charges + dipoles + t1 * t2 * b[2] - 4.0 * ph_vec3_dot(v1, v2) * b[1] +
           2.0 * ph_tensor_product(m1, m2) * b[0];
}
