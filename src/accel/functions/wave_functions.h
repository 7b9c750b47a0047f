/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_WAVE_FUNCTIONS_H
#define PH_ACCEL_FUNCTIONS_WAVE_FUNCTIONS_H

/* Reciprocal space of an Ewald sum: functions that the direct sum and the mesh share, and the direct sum. Text of both
 * machines, see accel/functions/device_functions.h, which comes first; formulas as in force/longrange/ewald.c and
 * waves.h. */

#include "accel/functions/device_functions.h"

/* A charged site: molecule i of species s in slot k, its number of s, position and arm, charge and dipole */
struct charged {
    uint32_t k, s, at;
    double r[3], arm[3], q, mu[3];
};

/* Whether a slab has the molecule in slot k beyond the faces of the box, too: ions, or all with a net charge */
PH_INLINE bool is_unwrapped(const struct ph_accel_view *v, uint32_t k)
{
    const struct ph_wave_view *w = &v->waves;
    const uint32_t s = v->sites.species_at[k];
    double sum = 0.0, all = 0.0;
    for (uint32_t a = 0; a < w->n_charged[s]; ++a) {
        const double q = w->charge[s * PH_SITES_MAX + a];
        sum += q;
        all += fabs(q);
    }
    return w->surface.charge != 0.0 || fabs(sum) > 1e-9 * all;
}

/* False: the molecule has no such site */
PH_INLINE bool find_charged(const struct ph_accel_view *v, uint32_t k, uint32_t a, struct charged *site)
{
    const struct ph_wave_view *w = &v->waves;
    site->k = k;
    site->s = v->sites.species_at[k];
    site->at = site->s * PH_SITES_MAX + a;
    if (a >= w->n_charged[site->s])
        return false;
    const double *record = v->sites.place + (size_t)k * v->sites.record;
    const uint32_t position = w->position[site->at], dipole = w->dipole[site->at];
    site->q = w->charge[site->at];
    for (uint32_t x = 0; x < 3; ++x) {
        site->arm[x] = record[position + x];
        site->r[x] = v->slot[k].r[x] + site->arm[x];
        site->mu[x] = dipole == position ? 0.0 : record[dipole + x];
    }
    return true;
}

/* M of that site, 0 if it has no quadrupole */
PH_INLINE void find_tensor(const struct ph_accel_view *v, const struct charged *site, double m[6])
{
    ph_tensor_of_record(&v->waves.tensor[site->at], v->sites.place + (size_t)site->k * v->sites.record, m);
}

/* ---- Sums over all molecules ---- */

/* Adds slot k to the moments of the box. */
PH_INLINE void moment_body(bool energy, const struct ph_accel_view *v, size_t k)
{
    (void)energy;
    struct ph_moments moments = {{0.0, 0.0, 0.0}, 0.0};
    struct charged site;
    const bool unwrapped = v->waves.surface.slab && is_unwrapped(v, (uint32_t)k);
    for (uint32_t a = 0; find_charged(v, (uint32_t)k, a, &site); ++a) {
        if (unwrapped)
            ph_surface_place(&v->waves.surface, site.r, v->image[2][v->order[k]], site.r);
        ph_surface_add(&v->waves.surface, site.q, site.r, site.arm, site.mu, &moments);
        if (v->waves.quadrupoles) {
            double m[6];
            find_tensor(v, &site, m);
            ph_surface_add_tensor(&v->waves.surface, m, &moments);
        }
    }
    for (uint32_t x = 0; x < 3; ++x)
        v->waves.moment[(size_t)x * v->n + k] = moments.first[x];
    v->waves.moment[(size_t)3 * v->n + k] = moments.second;
}

PH_INLINE void moment_part_body(bool energy, const struct ph_accel_view *v, size_t index)
{
    (void)energy;
    const double *moment = v->waves.moment + index / PH_ENERGY_PARTS * v->n;
    double sum = 0.0;
    for (size_t k = index % PH_ENERGY_PARTS; k < v->n; k += PH_ENERGY_PARTS)
        sum += moment[k];
    v->waves.moment_parts[index] = sum;
}

PH_INLINE void moment_sum_body(bool energy, const struct ph_accel_view *v, size_t which)
{
    (void)energy;
    double sum = 0.0;
    for (size_t part = 0; part < PH_ENERGY_PARTS; ++part)
        sum += v->waves.moment_parts[which * PH_ENERGY_PARTS + part];
    v->waves.moments[which] = sum;
}

/* ---- Forces ---- */

/* The torque on the quadrupole of a site with place t, and its part of the virial */
PH_INLINE void push_tensor(const struct ph_accel_view *v, const struct charged *site, size_t t, double torque[3],
                           double virial[9])
{
    const struct ph_wave_view *w = &v->waves;
    double m[6], gradient[6], stress[3][3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    find_tensor(v, site, m);
    for (int s = 0; s < 6; ++s)
        gradient[s] = w->gradient[s][t];
    if (w->surface.factor != 0.0)
        ph_surface_add_gradient(&w->surface, gradient);
    ph_tensor_add_stress(m, gradient, stress);
    ph_tensor_add_torque((const double(*)[3])stress, torque);
    for (int x = 0; x < 9; ++x)
        virial[x] -= stress[x / 3][x % 3];
}

/* Force and torque of the molecule in slot k from fields and pulls at its sites */
PH_INLINE void push_body(bool energy, const struct ph_accel_view *v, size_t k)
{
    const struct ph_wave_view *w = &v->waves;
    const uint32_t i = v->order[k];
    double force[3] = {0.0, 0.0, 0.0}, torque[3] = {0.0, 0.0, 0.0}, virial[9], all = 0.0;
    struct charged site = {0}; /* compilers do not see that it is filled where it is used */
    for (int x = 0; x < 9; ++x)
        virial[x] = 0.0;
    const bool unwrapped = w->surface.slab && is_unwrapped(v, (uint32_t)k);
    for (uint32_t a = 0; find_charged(v, (uint32_t)k, a, &site); ++a) {
        const size_t t = k * w->most + a;
        if (unwrapped)
            ph_surface_place(&w->surface, site.r, v->image[2][i], site.r);
        double push[3], field[3], around[3] = {0.0, 0.0, 0.0}, pull[3] = {0.0, 0.0, 0.0};
        if (w->surface.factor != 0.0) {
            ph_surface_add_field(&w->surface, w->moments, site.r, around);
            ph_surface_add_pull(&w->surface, site.mu, pull);
        }
        for (int x = 0; x < 3; ++x) {
            field[x] = w->field[x][t] + around[x];
            push[x] = ph_fma(site.q, field[x], w->pull[x][t] + pull[x]);
            force[x] += push[x];
        }
        ph_vec3_add_cross(site.arm, push, torque);
        ph_vec3_add_cross(site.mu, field, torque);
        for (int x = 0; x < 9; ++x)
            virial[x] -= site.arm[x / 3] * push[x % 3] + site.mu[x / 3] * field[x % 3];
        if (w->quadrupoles)
            push_tensor(v, &site, t, torque, virial);
    }
    for (int x = 0; x < 3; ++x) {
        v->f[x][i] += force[x];
        v->t[x][i] += torque[x];
        all += v->f[x][i] + v->t[x][i];
        if (w->remove_net_force)
            w->moment[(size_t)(PH_NET_FORCE + x) * v->n + k] = force[x];
    }
    for (size_t x = 0; x < 9 && energy; ++x)
        v->energy[(2 + x) * v->n + k] += virial[x];
    if (!(fabs(all) < INFINITY))
        raise_to(UINT32_MAX - i, &v->signals->first_bad);
}

/* Takes off every molecule its share, by its mass, of the force on all */
PH_INLINE void net_body(bool energy, const struct ph_accel_view *v, size_t i)
{
    (void)energy;
    const double share = v->sites.kind[v->sites.species[i]].mass / v->waves.mass;
    for (int x = 0; x < 3; ++x)
        v->f[x][i] -= v->waves.moments[PH_NET_FORCE + x] * share;
}

/* ---- Energy and virial ---- */

/* The integers of wave number w, and how many waves it stands for, of half of them */
PH_INLINE double wave_integers(const struct ph_wave_view *w, size_t wave, double n[3])
{
    if (!w->mesh) {
        for (int e = 0; e < 3; ++e)
            n[e] = w->n[e][wave];
        return 1.0;
    }
    const size_t z = wave % w->half, x = wave / w->half % w->points[0], y = wave / w->half / w->points[0];
    n[0] = (double)x - (2 * x < w->points[0] ? 0.0 : w->points[0]);
    n[1] = (double)y - (2 * y < w->points[1] ? 0.0 : w->points[1]);
    n[2] = (double)z;
    return z == 0 ? 0.5 : 1.0;
}

/* One of PH_ENERGY_PARTS sums of the energy or a number of the virial, xx, xy, xz, yy, yz, zz */
PH_INLINE void wave_sum_body(bool energy, const struct ph_accel_view *v, size_t index)
{
    (void)energy;
    const struct ph_wave_view *w = &v->waves;
    const size_t which = index / PH_ENERGY_PARTS;
    const int a = which < 4 ? 0 : which < 6 ? 1 : 2;
    const int b = which < 4 ? (int)which - 1 : which < 6 ? (int)which - 3 : 2;
    double sum = 0.0, n[3];
    for (size_t wave = index % PH_ENERGY_PARTS; wave < w->n_waves; wave += PH_ENERGY_PARTS) {
        const double square = wave_integers(w, wave, n) * w->square[wave];
        if (which == 0) {
            sum += square * w->factor[wave];
        } else {
            const double ka = n[0] * w->dual[0][a] + n[1] * w->dual[1][a] + n[2] * w->dual[2][a];
            const double kb = n[0] * w->dual[0][b] + n[1] * w->dual[1][b] + n[2] * w->dual[2][b];
            sum += square * w->slope[wave] * ka * kb;
        }
    }
    w->sums[index] = sum;
}

/* ---- The direct sum ---- */

PH_INLINE void turn_body(bool energy, const struct ph_accel_view *v, size_t t)
{
    (void)energy;
    const struct ph_wave_view *w = &v->waves;
    struct charged site;
    if (!find_charged(v, (uint32_t)(t / w->most), (uint32_t)(t % w->most), &site))
        return;
    for (int e = 0; e < 3; ++e) {
        w->turns[e][t] = ph_vec3_dot(w->inverse[e], site.r);
        w->mu[e][t] = site.mu[e];
    }
    if (!w->quadrupoles)
        return;
    double m[6];
    find_tensor(v, &site, m);
    for (int s = 0; s < 6; ++s)
        w->m[s][t] = m[s];
}

/* exp(i k.r) of a site and a wave with the integers n */
PH_INLINE struct ph_complex phase_of(const struct ph_wave_view *w, const double n[3], size_t t)
{
    double turns = 0.0;
    struct ph_complex phase;
    for (int e = 0; e < 3; ++e) {
        const double own = w->turns[e][t] - ph_round(w->turns[e][t]), more = n[e] * own;
        turns += more - ph_round(more);
    }
    ph_sincos(6.28318530717958647692 * (turns - ph_round(turns)), &phase.im, &phase.re);
    return phase;
}

PH_INLINE void vector_of(const struct ph_wave_view *w, size_t wave, double n[3], double k[3])
{
    wave_integers(w, wave, n);
    for (int x = 0; x < 3; ++x)
        k[x] = n[0] * w->dual[0][x] + n[1] * w->dual[1][x] + n[2] * w->dual[2][x];
}

/* k.M k of the quadrupole of a site */
PH_INLINE double tensor_along(const struct ph_wave_view *w, const double k[3], size_t t)
{
    const double m[6] = {w->m[0][t], w->m[1][t], w->m[2][t], w->m[3][t], w->m[4][t], w->m[5][t]};
    double times[3];
    ph_tensor_times(m, k, times);
    return ph_vec3_dot(times, k);
}

/* One of PH_PARTS parts of S(k) = sum over sites of (q + i k.mu - k.M k) exp(i k.r) */
PH_INLINE void structure_body(bool energy, const struct ph_accel_view *v, size_t index)
{
    (void)energy;
    const struct ph_wave_view *w = &v->waves;
    const size_t wave = index / PH_PARTS;
    struct ph_complex sum = {0.0, 0.0};
    double n[3], k[3];
    vector_of(w, wave, n, k);
    for (size_t slot = index % PH_PARTS; slot < v->n; slot += PH_PARTS) {
        const uint32_t s = v->sites.species_at[slot];
        for (uint32_t a = 0; a < w->n_charged[s]; ++a) {
            const size_t t = slot * w->most + a;
            const struct ph_complex phase = phase_of(w, n, t);
            double q = w->charge[s * PH_SITES_MAX + a];
            if (w->quadrupoles)
                q -= tensor_along(w, k, t);
            const double along = ph_fma(k[0], w->mu[0][t], ph_fma(k[1], w->mu[1][t], k[2] * w->mu[2][t]));
            sum.re += ph_fma(q, phase.re, -(along * phase.im));
            sum.im += ph_fma(q, phase.im, along * phase.re);
        }
    }
    w->part[index] = sum;
}

PH_INLINE void structure_sum_body(bool energy, const struct ph_accel_view *v, size_t wave)
{
    (void)energy;
    const struct ph_wave_view *w = &v->waves;
    struct ph_complex sum = {0.0, 0.0};
    for (size_t part = 0; part < PH_PARTS; ++part) {
        sum.re += w->part[wave * PH_PARTS + part].re;
        sum.im += w->part[wave * PH_PARTS + part].im;
    }
    w->wave[wave] = sum;
    w->square[wave] = ph_fma(sum.re, sum.re, sum.im * sum.im);
}

/* Field, pull and gradient at a site: sums over all waves */
PH_INLINE void direct_field_body(bool energy, const struct ph_accel_view *v, size_t t)
{
    (void)energy;
    const struct ph_wave_view *w = &v->waves;
    double field[3] = {0.0, 0.0, 0.0}, pull[3] = {0.0, 0.0, 0.0}, n[3], k[3];
    double gradient[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    if (t % w->most >= w->n_charged[v->sites.species_at[t / w->most]])
        return;
    for (size_t wave = 0; wave < w->n_waves; ++wave) {
        vector_of(w, wave, n, k);
        const struct ph_complex phase = phase_of(w, n, t), s = w->wave[wave];
        const double re = 2.0 * w->factor[wave] * s.re, im = 2.0 * w->factor[wave] * s.im;
        const double y = ph_fma(re, phase.im, -(im * phase.re));
        const double along = ph_fma(k[0], w->mu[0][t], ph_fma(k[1], w->mu[1][t], k[2] * w->mu[2][t]));
        const double x = ph_fma(re, phase.re, im * phase.im);
        const double p = w->quadrupoles ? ph_fma(-tensor_along(w, k, t), y, x * along) : x * along;
        for (int c = 0; c < 3; ++c) {
            field[c] = ph_fma(k[c], y, field[c]);
            pull[c] = ph_fma(k[c], p, pull[c]);
        }
        for (int a = 0, place = 0; a < 3 && w->quadrupoles; ++a)
            for (int b = a; b < 3; ++b, ++place)
                gradient[place] = ph_fma(k[a] * k[b], x, gradient[place]);
    }
    for (int s = 0; s < 6 && w->quadrupoles; ++s)
        w->gradient[s][t] = gradient[s];
    for (int c = 0; c < 3; ++c) {
        w->field[c][t] = field[c];
        w->pull[c][t] = pull[c];
    }
}

#endif
