/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_QUADRUPOLE_SITES_H
#define PH_FORCE_LONGRANGE_QUADRUPOLE_SITES_H

/* Tensors M of quadrupoles, xx xy xz yy yz zz (wave_sites.h), and what acts on them. */

#include "base/lanes.h"
#include "model/species.h"

/* M = iso + sum of s a a over n axes */
PH_INLINE void ph_tensor_of_axes(const double s[4], size_t n, const double *const axis[], double m[6])
{
    for (int a = 0, k = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++k) {
            m[k] = a == b ? s[3] : 0.0;
            for (size_t x = 0; x < n; ++x)
                m[k] += s[x] * axis[x][a] * axis[x][b];
        }
}

/* The rate of M that turns with the angular velocity w */
PH_INLINE void ph_tensor_turning(const double m[6], const double w[3], double rate[6])
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double turned[3][3]; /* w x column b */
    for (int b = 0; b < 3; ++b)
        for (int a = 0; a < 3; ++a) {
            const int c = (a + 1) % 3, d = (a + 2) % 3;
            turned[a][b] = w[c] * m[at[d][b]] - w[d] * m[at[c][b]];
        }
    for (int a = 0, k = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++k)
            rate[k] = turned[a][b] + turned[b][a];
}

/* Adds 2 M G of a tensor and minus the gradient in it: the work of a strain, as arm times force is. What is not
 * symmetric in it is a torque. */
PH_INLINE void ph_tensor_add_stress(const double m[6], const double g[6], double stress[3][3])
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 3; ++c)
                stress[a][b] += 2.0 * m[at[a][c]] * g[at[c][b]];
}

PH_INLINE void ph_tensor_add_torque(const double stress[3][3], double torque[3])
{
    for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        torque[a] += stress[b][c] - stress[c][b];
    }
}

/* The energy of the quadrupoles of two sites, with each other and with charges and dipoles, at a distance d from one to
 * the other: as in potential/quadrupole_formulas.h, for B2, B3, B4 of any potential B0 */
double ph_quadrupoles_energy(const struct ph_site *one, const struct ph_site *other, const double d[3],
                             const double b[3]);

#endif
