/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_WATER_FUNCTIONS_H
#define PH_ACCEL_FUNCTIONS_WATER_FUNCTIONS_H

/* Forces between molecules of water with three or four sites: text of both machines, see
 * accel/functions/device_functions.h. Site 0 of each has a Lennard-Jones potential with a switch, all others charges
 * alone, and site 0 a charge if there are three. Charges have a reaction field that ends smoothly, or the part of an
 * Ewald sum that ends by itself.
 *
 * PH_LANES_TOGETHER threads have a molecule, and each takes every PH_LANES_TOGETHER-th partner. It computes all pairs
 * of sites; those beyond the cutoff add 0. There are no branches, so the operations of several pairs overlap. Forces
 * are summed for each site of the molecule, and become force and torque at the end. */

#include "accel/functions/list_functions.h"
#include "accel/functions/site_functions.h"

/* On a device indices are constants then, and arrays are in registers. */
#ifdef __CUDACC__
#define PH_UNROLLED _Pragma("unroll")
#else
#define PH_UNROLLED _Pragma("GCC unroll 4")
#endif

/* Sums of the forces on the sites of a molecule, with opposite sign; and energies */
struct water_sums {
    double push[PH_SHAPE_SITES][3], energy[PH_ENERGIES];
};

PH_INLINE struct water_sums no_water_sums(void)
{
    struct water_sums sums;
    for (int a = 0; a < PH_SHAPE_SITES; ++a)
        for (int x = 0; x < 3; ++x)
            sums.push[a][x] = 0.0;
    for (int k = 0; k < PH_ENERGIES; ++k)
        sums.energy[k] = 0.0;
    return sums;
}

/* c[n] x^n + ... + c[0] */
#define PH_STEP(c, k) sum = ph_fma(sum, x, c[k])
PH_INLINE double eight_terms(const double *c, double x)
{
    double sum = c[7];
    PH_STEP(c, 6), PH_STEP(c, 5), PH_STEP(c, 4), PH_STEP(c, 3), PH_STEP(c, 2), PH_STEP(c, 1), PH_STEP(c, 0);
    return sum;
}
#undef PH_STEP

/* B0 and B1 of two charges of 1, within the cutoff; B0 is 0 without `energy`. The derivative of T(v) + v^9 R(y) of
 * potential/electric.h has polynomials of its own: T'(v) + v^8 S(y). */
PH_INLINE struct ph_radial_value water_charges(enum ph_water_field field, bool energy, const struct ph_water *w,
                                               double r2, double inv_r)
{
    const double inv_r2 = inv_r * inv_r, i3 = inv_r * inv_r2;
    struct ph_radial_value b = {0.0, 0.0};
    if (field == PH_WATER_SMOOTH) {
        const double v = ph_min(1.0, (w->cut2 - r2) * w->inverse), y = 1.0 - v;
        const double v2 = v * v, v4 = v2 * v2, slope = ph_fma(v4 * v4, eight_terms(w->s, y), eight_terms(w->t, v));
        b.w = ph_fma(2.0 * w->inverse, slope, i3);
        if (energy)
            b.u = ph_smooth(&w->term.field, r2, inv_r).b0;
    } else {
        const double y = ph_fma(r2, w->scale, -1.0), y2 = y * y;
        b.w = i3 - ph_split_smooth(w->power[1], y, y2);
        if (energy)
            b.u = inv_r - ph_split_smooth(w->power[0], y, y2);
    }
    return b;
}

/* Pair m of a kind of pairs, at the distance d; adds its part to `all`, of the molecules. `there`: there is a partner
 */
PH_INLINE void add_water_sites(enum ph_shape shape, enum ph_water_field field, bool energy, bool there, uint32_t kind,
                               const struct ph_water *w, const double d[3], double push_of_site[3], double all[3],
                               struct water_sums *sums)
{
    const double r2 = ph_fma(d[0], d[0], ph_fma(d[1], d[1], d[2] * d[2]));
    const bool near = there && !(r2 >= w->cut2); /* also NaN, so that it shows */
    const bool radial = kind == 0, charges = kind > 0 || shape == PH_SHAPE_XY2;
#ifndef __CUDA_ARCH__
    if (!near) /* adds 0 */
        return;
#endif
    struct pair p = {.r2 = r2, .inv_r = ph_inverse_sqrt(r2)};
    double along = 0.0, electric = 0.0, lennard_jones = 0.0;
    if (radial) {
        double slope;
        ph_switch(w->term.switch_kind, (r2 * p.inv_r - w->term.switch_on) * w->term.inverse_width, &p.s, &slope);
        p.ds = slope * w->term.inverse_width;
        const struct ph_radial_value u = radial_part(PH_KERNEL_LENNARD_JONES, PH_SWITCHED, &w->term, &p);
        lennard_jones = u.u;
        along = u.w;
    }
    if (charges) {
        const struct ph_radial_value b = water_charges(field, energy, w, r2, p.inv_r);
        electric = w->strength[kind] * b.u;
        along = ph_fma(w->strength[kind], b.w, along);
    }
    along = near ? along : 0.0;
    for (int x = 0; x < 3; ++x)
        push_of_site[x] = ph_fma(along, d[x], push_of_site[x]);
    if (!energy)
        return;
    for (int x = 0; x < 3; ++x)
        all[x] = ph_fma(along, d[x], all[x]);
    sums->energy[0] += near ? lennard_jones : 0.0;
    sums->energy[1] += near ? electric : 0.0;
}

/* The square of the distance from which on centres have no sites within the cutoff; slightly too large */
PH_INLINE double reach_of_water(enum ph_shape shape, const struct ph_water *w, const double arm[3 * PH_SHAPE_SITES])
{
    double longest2 = 0.0;
    for (uint32_t a = 0; a < ph_shape_sites(shape); ++a) {
        const double *r = arm + (size_t)3 * a, arm2 = ph_fma(r[0], r[0], ph_fma(r[1], r[1], r[2] * r[2]));
        longest2 = arm2 > longest2 ? arm2 : longest2;
    }
    const double reach = (1.0 + 0x1p-20) * (w->cutoff + 2.0 * sqrt(longest2));
    return reach * reach;
}

/* The partner in slot l of the molecule in slot k, whose sites are at `arm`. Without `there` nothing is added. */
PH_INLINE void add_water(enum ph_shape shape, enum ph_water_field field, bool energy, bool images, bool there,
                         const struct ph_accel_view *v, const struct ph_water *w, uint32_t k, uint32_t l, double reach2,
                         const double arm[3 * PH_SHAPE_SITES], struct water_sums *sums)
{
    const double *its = v->sites.place + (size_t)l * v->sites.record;
    double centres[3], shift[3], all[3] = {0.0, 0.0, 0.0};
    for (int x = 0; x < 3; ++x)
        centres[x] = v->slot[l].r[x] - v->slot[k].r[x];
    if (images && find_shift(v, centres, shift))
        for (int x = 0; x < 3; ++x)
            centres[x] += shift[x];
    const double far2 = ph_fma(centres[0], centres[0], ph_fma(centres[1], centres[1], centres[2] * centres[2]));
    if (!any_of_warp(there && !(far2 >= reach2)))
        return;
    double to[3 * PH_SHAPE_SITES];
    for (uint32_t b = 0; b < ph_shape_sites(shape); ++b)
        for (uint32_t x = 0; x < 3; ++x)
            to[3 * b + x] = centres[x] + its[3 * b + x];
    PH_UNROLLED
    for (uint32_t kind = 0; kind < ph_shape_kinds(shape); ++kind) {
        PH_UNROLLED
        for (uint32_t m = 0; m < ph_shape_pairs(shape, kind); ++m) {
            const uint32_t pair = ph_shape_pair(shape, kind, m), a = ph_pair_first(pair), b = ph_pair_second(pair);
            const double d[3] = {to[3 * b] - arm[3 * a], to[3 * b + 1] - arm[3 * a + 1],
                                 to[3 * b + 2] - arm[3 * a + 2]};
            add_water_sites(shape, field, energy, there, kind, w, d, sums->push[a], all, sums);
        }
    }
    for (int x = 0; x < 9 && energy; ++x)
        sums->energy[2 + x] = ph_fma(centres[x / 3], all[x % 3], sums->energy[2 + x]);
}

/* All partners of thread `lane`. Threads of a warp stay together. */
PH_INLINE struct site_sums water_part(enum ph_shape shape, enum ph_water_field field, bool energy,
                                      const struct ph_accel_view *v, const struct ph_water *w, uint32_t k,
                                      uint32_t lane)
{
    const uint32_t partners = v->partners[k];
    const double *mine = v->sites.place + (size_t)k * v->sites.record;
    const bool images = meets_images(v, k);
    struct water_sums sums = no_water_sums();
    double arm[3 * PH_SHAPE_SITES];
    for (uint32_t x = 0; x < 3 * ph_shape_sites(shape); ++x)
        arm[x] = mine[x];
    const double reach2 = reach_of_water(shape, w, arm);
    for (uint32_t first = 0; any_of_warp(first + lane < partners); first += PH_LANES_TOGETHER) {
        const bool there = first + lane < partners;
        const uint32_t l = there ? v->list[place_in_list(v, k, first + lane)] : k;
        add_water(shape, field, energy, images, there, v, w, k, l, reach2, arm, &sums);
    }
    struct site_sums found = no_site_sums();
    for (int x = 0; x < PH_ENERGIES && energy; ++x)
        found.energy[x] = sums.energy[x];
    for (uint32_t a = 0; a < ph_shape_sites(shape); ++a) {
        for (int x = 0; x < 3; ++x)
            found.f[x] += sums.push[a][x];
        ph_vec3_add_cross(sums.push[a], arm + (size_t)3 * a, found.t);
    }
    return found;
}

#endif
