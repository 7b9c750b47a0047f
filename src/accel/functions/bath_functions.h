/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_BATH_FUNCTIONS_H
#define PH_ACCEL_FUNCTIONS_BATH_FUNCTIONS_H

/* Baths, as accel/functions/device_functions.h: noise and scaling of momenta, and their kinetic energies. For the
 * processor see dynamics/baths/bath.h; noise uses the same random numbers. */

#include "accel/functions/device_functions.h"
#include "base/normals.h"
#include "base/random.h"
#include "state/noise.h"

PH_INLINE uint32_t species_of(const struct ph_accel_view *v, uint32_t i)
{
    return v->sites.n_kinds > 0 ? v->sites.species[i] : 0;
}

PH_INLINE double *momentum_of(const struct ph_accel_view *v, int k, uint32_t i)
{
    return k < 3 ? &v->p[k][i] : &v->m[k - 3][i];
}

/* Clears residuals, which are invalid after a change of momenta. */
PH_INLINE void forget_residuals(const struct ph_accel_view *v, uint32_t i)
{
    for (int k = 3; k < 9 && v->residual[k]; ++k)
        v->residual[k][i] = 0.0;
}

/* The pending kick, then friction and noise of all half steps; the heat of each */
PH_INLINE void noise_body(const struct ph_accel_view *v, uint32_t i, double heat[PH_BATH_HALVES])
{
    const struct ph_noise_kind *noise = &v->bath.noise[species_of(v, i)];
    if (v->pending.kick != 0.0)
        kick_body(v, v->pending.kick, i);
    for (uint32_t half = 0; half < v->pending.halves; ++half) {
        uint64_t bits[6];
        double xi[6], sum = 0.0;
        ph_draw_six(v->pending.seed, PH_RANDOM_LANGEVIN, v->pending.index[half], v->bath.id[i], bits);
        for (int k = 0; k < 6; k += 2)
            ph_normal_pair(ph_uniform_of(bits[k]), ph_uniform_of(bits[k + 1]), &xi[k], &xi[k + 1]);
        for (int k = 0; k < 6; ++k)
            ph_noise_mix(noise->keep[k], noise->width[k], noise->half_inverse[k], xi[k], momentum_of(v, k, i), &sum);
        heat[half] = sum;
    }
    forget_residuals(v, i);
}

/* Kinetic energies of molecule i in all groups, after the pending kick */
PH_INLINE void kinetic_body(const struct ph_accel_view *v, uint32_t i, double kinetic[PH_BATH_GROUPS])
{
    const double *half_inverse = v->bath.kind[species_of(v, i)].half_inverse;
    if (v->pending.kick != 0.0)
        kick_body(v, v->pending.kick, i);
    const double x = v->p[0][i], y = v->p[1][i], z = v->p[2][i];
    kinetic[0] = half_inverse[0] * ph_fma(x, x, ph_fma(y, y, z * z));
    for (int k = 0; k < 3; ++k)
        kinetic[1 + k] = half_inverse[1 + k] * (v->m[k][i] * v->m[k][i]);
}

/* Factors of a group in all half steps, from its kinetic energy where that is fresh; and the heat of each */
PH_INLINE void factors_body(const struct ph_accel_view *v, int group, double kinetic, double heat[PH_BATH_HALVES])
{
    double *remembered = &v->bath.numbers[PH_BATH_KINETIC + group];
    kinetic = v->pending.kinetic_stale ? kinetic : *remembered;
    for (uint32_t half = 0; half < v->pending.halves; ++half)
        v->bath.factor[half * PH_BATH_GROUPS + (uint32_t)group] =
            ph_scaling_factor(&v->pending.scaling[half], group, &kinetic, v->bath.numbers, &heat[half]);
    *remembered = kinetic;
}

PH_INLINE void scale_body(const struct ph_accel_view *v, uint32_t i)
{
    for (int k = 0; k < 3; ++k)
        for (uint32_t half = 0; half < v->pending.halves; ++half) {
            const double *factor = v->bath.factor + half * PH_BATH_GROUPS;
            v->p[k][i] *= factor[0];
            v->m[k][i] *= factor[1 + k];
        }
    forget_residuals(v, i);
}

/* Molecule i in each of the sums of model/state_sums.h */
PH_INLINE void observe_body(const struct ph_accel_view *v, uint32_t i, double out[PH_STATE_SUMS])
{
    const struct ph_sum_kind *kind = &v->bath.kind[species_of(v, i)];
    const double q[4] = {v->q[0][i], v->q[1][i], v->q[2][i], v->q[3][i]};
    const double m[3] = {v->m[0][i], v->m[1][i], v->m[2][i]}, p[3] = {v->p[0][i], v->p[1][i], v->p[2][i]};
    double r[3], spin[3], mu[3];
    struct ph_state_sums sums;
    for (int k = 0; k < 3; ++k) {
        r[k] = v->r[k][i];
        for (int e = 0; e < 3; ++e)
            r[k] = ph_fma((double)v->image[e][i], v->edges[e][k], r[k]);
    }
    ph_quat_rotate(q, m, spin);
    ph_quat_rotate(q, kind->dipole, mu);
    for (int k = 0; k < 3; ++k) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        sums.momentum[k] = p[k];
        sums.angular_momentum[k] = r[a] * p[b] - r[b] * p[a] + spin[k];
        sums.dipole[k] = mu[k];
        sums.force[k] = v->f[k][i];
        sums.axis[k] = kind->half_inverse[1 + k] * (m[k] * m[k]);
        for (int l = 0; l < 3; ++l)
            sums.kinetic[k][l] = kind->half_inverse[0] * (p[k] * p[l]);
    }
    memcpy(out, &sums, sizeof sums);
}

/* ---- Sums: see accel/functions/bath_view.h ---- */

PH_INLINE uint32_t sum_groups(const struct ph_accel_view *v) { return (v->n + PH_SUM_GROUP - 1) / PH_SUM_GROUP; }

/* Sum number `sum` of PH_PART_SUMS of one quantity */
PH_INLINE double add_parts(const struct ph_accel_view *v, uint32_t which, uint32_t sum)
{
    const uint32_t groups = sum_groups(v);
    double all = 0.0;
    for (uint32_t g = sum; g < groups; g += PH_PART_SUMS)
        all += v->bath.parts[(size_t)which * groups + g];
    return all;
}

#endif
