/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_QUADRUPOLE_SITES_H
#define PH_FORCE_LONGRANGE_QUADRUPOLE_SITES_H

/* Tensors M of quadrupoles, xx xy xz yy yz zz (wave_sites.h), and what acts on them: text of the processor and of
 * devices. */

#include "base/lanes.h"
#include "model/species.h"
#include "potential/angular_scalars.h"

/* The quadrupole of a site, whose axes are in the record of its molecule: M = iso + sum of s a a */
struct ph_charged_tensor {
    double s[4];                      /* see ph_angular_tensor */
    size_t n_axes, axis[PH_AXES_MAX]; /* fields */
};

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

PH_INLINE void ph_tensor_of_record(const struct ph_charged_tensor *tensor, const double *record, double m[6])
{
    const double *axis[PH_AXES_MAX];
    for (size_t x = 0; x < tensor->n_axes; ++x)
        axis[x] = record + tensor->axis[x];
    ph_tensor_of_axes(tensor->s, tensor->n_axes, axis, m);
}

/* M v */
PH_INLINE void ph_tensor_times(const double m[6], const double v[3], double out[3])
{
    out[0] = m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
    out[1] = m[1] * v[0] + m[3] * v[1] + m[4] * v[2];
    out[2] = m[2] * v[0] + m[4] * v[1] + m[5] * v[2];
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

/* ---- On a mesh: `to` are the rows that make vectors in space vectors in points along the edges ---- */

/* M in points: the numbers of second derivatives that a site spreads */
PH_INLINE void ph_tensor_to_points(const double to[3][3], const double m[6], double out[6])
{
    for (int a = 0, s = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++s) {
            out[s] = 0.0;
            for (int x = 0, k = 0; x < 3; ++x)
                for (int y = x; y < 3; ++y, ++k)
                    out[s] += m[k] * (x == y ? to[a][x] * to[b][x] : to[a][x] * to[b][y] + to[a][y] * to[b][x]);
            if (a != b)
                out[s] *= 2.0; /* both places of a symmetric tensor have one derivative */
        }
}

/* Six second derivatives in points to a tensor in space, -(to^T g to) */
PH_INLINE void ph_tensor_from_points(const double to[3][3], const double g[6], double out[6])
{
    for (int x = 0, k = 0; x < 3; ++x)
        for (int y = x; y < 3; ++y, ++k) {
            out[k] = 0.0;
            for (int a = 0, s = 0; a < 3; ++a)
                for (int b = a; b < 3; ++b, ++s)
                    out[k] -= g[s] * (a == b ? to[a][x] * to[a][y] : to[a][x] * to[b][y] + to[b][x] * to[a][y]);
        }
}

/* Adds ten third derivatives, in the order of grid.h, times the numbers of second derivatives that a site spreads */
PH_INLINE void ph_tensor_add_third(const double t[10], const double p[6], double out[3])
{
    for (int s = 0; s < 6; ++s) {
        const int below = s == 0 ? 0 : s < 3 ? 1 : 2; /* rows above that of place s */
        out[0] += t[s] * p[s];
        out[1] += t[s + 1 + below] * p[s];
        out[2] += t[s + 2 + below] * p[s];
    }
}

/* The energy of the quadrupoles of two sites, with each other and with charges and dipoles, at a distance d from one to
 * the other: as in potential/quadrupole_formulas.h, for B2, B3, B4 of any potential B0 */
double ph_quadrupoles_energy(const struct ph_site *one, const struct ph_site *other, const double d[3],
                             const double b[3]);

#endif
