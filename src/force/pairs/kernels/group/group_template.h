/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_GROUP_GROUP_TEMPLATE_H
#define PH_FORCE_PAIRS_KERNELS_GROUP_GROUP_TEMPLATE_H

/* The one source of all kernels for groups; see kernel_template.h, which is that for single sites. */

#include "force/pairs/kernels/distance.h"
#include "force/pairs/kernels/group/group_kernel.h"
#include "potential/pair_force.h"

/* As PH_KERNEL_BODY of kernel_template.h */
#ifdef PH_KERNELS_AT_RUN_TIME
#define PH_GROUP_BODY ph_group_any
#else
#define PH_GROUP_BODY group_kernel
#endif

/* Whether 1/r has a loop of its own. Not with switches: clang compares the places of all rows, and gives up where they
 * are many. */
PH_INLINE bool has_inverse(enum ph_truncate truncate) { return PH_NARROW && truncate != PH_SWITCHED; }

/* One site of i with one of j: d = r_j - r_i, the force on j over d, and energies. inverse: 1/r, if it has a loop of
 * its own (has_inverse) */
struct push {
    double x, y, z, along, radial, electric;
};

PH_INLINE struct push push(bool lennard_jones, bool charges, enum ph_truncate truncate, enum field field,
                           const struct ph_pair_term *t, double x, double y, double z, double s, double ds,
                           double inverse)
{
    const enum ph_kernel_radial radial = lennard_jones ? PH_KERNEL_LENNARD_JONES : PH_KERNEL_NO_RADIAL;
    const enum ph_kernel_electric electric = charges ? PH_KERNEL_CHARGE_CHARGE : PH_KERNEL_NO_ELECTRIC;
    struct pair p = {.r2 = ph_fma(x, x, ph_fma(y, y, z * z)), .s = s, .ds = ds};
    p.inv_r = has_inverse(truncate) ? inverse : ph_inverse_distance_meanwhile(truncate, t->cut2, p.r2);
    if (field == SMOOTH_FIELD) {
        const struct ph_smooth b = ph_smooth(&t->field, p.r2, p.inv_r);
        const bool in = !(p.r2 >= t->cut2); /* also NaN, so that it shows */
        p.slow = (struct ph_radial_value){in ? b.b0 : 0.0, in ? b.b1 : 0.0};
    }
    const struct coefficients c = coefficients(radial, electric, truncate, field, t, &p);
    return (struct push){x, y, z, c.along_d, c.radial, c.electric};
}

/* The switch and its slope for one site of i */
struct switch_row {
    PH_ALIGNED double s[PH_KERNEL_ROW], ds[PH_KERNEL_ROW];
};

PH_INLINE void find_switch(const struct ph_pair_term *term, size_t n, const struct ph_kernel_j *j,
                           const struct ph_kernel_i *i, struct switch_row *row)
{
    PH_ALIGNED double distance[PH_KERNEL_ROW];
    const double *restrict rx = j->r[0], *restrict ry = j->r[1], *restrict rz = j->r[2];
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2];
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const double x = rx[k] - ix, y = ry[k] - iy, z = rz[k] - iz, r2 = ph_fma(x, x, ph_fma(y, y, z * z));
        distance[k] = r2 * ph_inverse_distance(PH_SWITCHED, 0.0, r2);
    }
    ph_switch_row(term, n, distance, row->s, row->ds);
}

#define PH_SIMD_NARROW PH_SIMD /* other machines do not compile this loop */

/* 1/r for one site of i, see has_inverse */
PH_INLINE void find_inverse(enum ph_truncate truncate, double cut2, size_t n, const struct ph_kernel_j *j,
                            const struct ph_kernel_i *i, double *restrict inverse)
{
    const double *restrict rx = j->r[0], *restrict ry = j->r[1], *restrict rz = j->r[2];
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2];
    PH_SIMD_NARROW
    for (size_t k = 0; k < n; ++k) {
        const double x = rx[k] - ix, y = ry[k] - iy, z = rz[k] - iz, r2 = ph_fma(x, x, ph_fma(y, y, z * z));
        inverse[k] = ph_inverse_distance(truncate, cut2, r2);
    }
}

/* Returns the term of a further site: the first term with its own constants */
PH_INLINE struct ph_pair_term like(const struct ph_pair_term *first, const struct ph_pair_term *other)
{
    struct ph_pair_term term = *first;
    term.strength = other->strength;
    term.four_epsilon = other->four_epsilon;
    term.sigma2 = other->sigma2;
    term.radial = other->radial;
    return term;
}

/* Sums over j are kept lane by lane (base/lanes.h). Arrays of lanes have a name each: in arrays of arrays gcc does not
 * keep them in registers. */
PH_INLINE void group(size_t n_sites, size_t n_lj, bool charges, enum ph_truncate truncate, enum field field,
                     bool energy, const struct ph_pair_term *const term[], size_t n, const struct ph_kernel_j *j,
                     struct ph_kernel_i i[])
{
    const bool three = n_sites == 3, switched = truncate == PH_SWITCHED;
    const size_t n_switched = !switched ? 0 : charges && field == NO_FIELD ? n_sites : n_lj;
    struct switch_row row[PH_GROUP_MAX];
    for (size_t k = 0; k < n_switched; ++k)
        find_switch(term[k], n, j, &i[k], &row[k]);
    PH_ALIGNED double inverse[PH_GROUP_MAX][PH_KERNEL_ROW];
    for (size_t k = 0; has_inverse(truncate) && k < n_sites; ++k)
        find_inverse(truncate, term[0]->cut2, n, j, &i[k], inverse[k]);
    const double *restrict va = inverse[0], *restrict vb = inverse[1], *restrict vc = inverse[2];
    const double *restrict sa = row[0].s, *restrict sb = row[1].s, *restrict sc = row[2].s;
    const double *restrict da = row[0].ds, *restrict db = row[1].ds, *restrict dc = row[2].ds;
    const double *restrict rx = j->r[0], *restrict ry = j->r[1], *restrict rz = j->r[2];
    double *restrict gx = j->force[0], *restrict gy = j->force[1], *restrict gz = j->force[2];
    const struct ph_pair_term ta = *term[0], tb = like(&ta, term[1]), tc = like(&ta, term[three ? 2 : 1]);
    const struct ph_kernel_i c = i[three ? 2 : 1];
    const double xa = i[0].r[0], ya = i[0].r[1], za = i[0].r[2], xb = i[1].r[0], yb = i[1].r[1], zb = i[1].r[2];
    const double xc = c.r[0], yc = c.r[1], zc = c.r[2];
    double ax[PH_LANES] = {0.0}, ay[PH_LANES] = {0.0}, az[PH_LANES] = {0.0}, bx[PH_LANES] = {0.0}, by[PH_LANES] = {0.0},
           bz[PH_LANES] = {0.0}, cx[PH_LANES] = {0.0}, cy[PH_LANES] = {0.0}, cz[PH_LANES] = {0.0};
    double radial[PH_LANES] = {0.0}, electric[PH_LANES] = {0.0};
    for (size_t begin = 0; begin < n; begin += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t k = begin + l;
            const double x = rx[k], y = ry[k], z = rz[k];
            const struct push a =
                push(n_lj > 0, charges, truncate, field, &ta, x - xa, y - ya, z - za, n_switched > 0 ? sa[k] : 1.0,
                     n_switched > 0 ? da[k] : 0.0, has_inverse(truncate) ? va[k] : 0.0);
            const struct push b =
                push(n_lj > 1, charges, truncate, field, &tb, x - xb, y - yb, z - zb, n_switched > 1 ? sb[k] : 1.0,
                     n_switched > 1 ? db[k] : 0.0, has_inverse(truncate) ? vb[k] : 0.0);
            double fx = ph_fma(a.along, a.x, gx[k]), fy = ph_fma(a.along, a.y, gy[k]), fz = ph_fma(a.along, a.z, gz[k]);
            double u = a.electric + b.electric, v = a.radial + b.radial;
            fx = ph_fma(b.along, b.x, fx);
            fy = ph_fma(b.along, b.y, fy);
            fz = ph_fma(b.along, b.z, fz);
            ax[l] = ph_fma(a.along, a.x, ax[l]);
            ay[l] = ph_fma(a.along, a.y, ay[l]);
            az[l] = ph_fma(a.along, a.z, az[l]);
            bx[l] = ph_fma(b.along, b.x, bx[l]);
            by[l] = ph_fma(b.along, b.y, by[l]);
            bz[l] = ph_fma(b.along, b.z, bz[l]);
            if (three) {
                const struct push d =
                    push(n_lj > 2, charges, truncate, field, &tc, x - xc, y - yc, z - zc, n_switched > 2 ? sc[k] : 1.0,
                         n_switched > 2 ? dc[k] : 0.0, has_inverse(truncate) ? vc[k] : 0.0);
                fx = ph_fma(d.along, d.x, fx);
                fy = ph_fma(d.along, d.y, fy);
                fz = ph_fma(d.along, d.z, fz);
                u += d.electric;
                v += d.radial;
                cx[l] = ph_fma(d.along, d.x, cx[l]);
                cy[l] = ph_fma(d.along, d.y, cy[l]);
                cz[l] = ph_fma(d.along, d.z, cz[l]);
            }
            gx[k] = fx;
            gy[k] = fy;
            gz[k] = fz;
            if (energy) {
                radial[l] += v;
                electric[l] += u;
            }
        }
    }
    i[0].force[0] -= ph_add_up(ax);
    i[0].force[1] -= ph_add_up(ay);
    i[0].force[2] -= ph_add_up(az);
    i[1].force[0] -= ph_add_up(bx);
    i[1].force[1] -= ph_add_up(by);
    i[1].force[2] -= ph_add_up(bz);
    if (three) {
        i[2].force[0] -= ph_add_up(cx);
        i[2].force[1] -= ph_add_up(cy);
        i[2].force[2] -= ph_add_up(cz);
    }
    if (energy) {
        i[0].radial_energy += ph_add_up(radial);
        i[0].electric_energy += ph_add_up(electric);
    }
}

PH_INLINE void group_kernel(size_t n_sites, size_t n_lj, bool charges, enum ph_truncate truncate, bool energy,
                            const struct ph_pair_term *const term[], size_t n, const struct ph_kernel_j *j,
                            struct ph_kernel_i i[])
{
    if (charges && term[0]->split)
        group(n_sites, n_lj, charges, truncate, SPLIT_FIELD, energy, term, n, j, i);
    else if (charges && ph_kernel_may_be_smooth(PH_KERNEL_CHARGE_CHARGE, truncate) && term[0]->field.edge > 0.0)
        group(n_sites, n_lj, charges, truncate, SMOOTH_FIELD, energy, term, n, j, i);
    else
        group(n_sites, n_lj, charges, truncate, NO_FIELD, energy, term, n, j, i);
}

/* All functions for one group, as an array [truncate][energy] */
#define PH_GROUP_FUNCTION(name, n_sites, n_lj, charges, truncate, energy)                                              \
    static void name(const struct ph_pair_term *const term[], size_t n, const struct ph_kernel_j *j,                   \
                     struct ph_kernel_i i[])                                                                           \
    {                                                                                                                  \
        PH_GROUP_BODY(n_sites, n_lj, charges, truncate, energy, term, n, j, i);                                        \
    }
#define PH_GROUP_FAMILY(name, n_sites, n_lj, charges)                                                                  \
    PH_GROUP_FUNCTION(name##_inside, n_sites, n_lj, charges, PH_INSIDE, false)                                         \
    PH_GROUP_FUNCTION(name##_inside_energy, n_sites, n_lj, charges, PH_INSIDE, true)                                   \
    PH_GROUP_FUNCTION(name##_cut, n_sites, n_lj, charges, PH_CUT, false)                                               \
    PH_GROUP_FUNCTION(name##_cut_energy, n_sites, n_lj, charges, PH_CUT, true)                                         \
    PH_GROUP_FUNCTION(name##_shifted, n_sites, n_lj, charges, PH_SHIFTED, false)                                       \
    PH_GROUP_FUNCTION(name##_shifted_energy, n_sites, n_lj, charges, PH_SHIFTED, true)                                 \
    PH_GROUP_FUNCTION(name##_switched, n_sites, n_lj, charges, PH_SWITCHED, false)                                     \
    PH_GROUP_FUNCTION(name##_switched_energy, n_sites, n_lj, charges, PH_SWITCHED, true)                               \
    ph_group_kernel *const name[PH_TRUNCATE_KINDS][2] = {                                                              \
        [PH_INSIDE] = {name##_inside, name##_inside_energy},                                                           \
        [PH_CUT] = {name##_cut, name##_cut_energy},                                                                    \
        [PH_SHIFTED] = {name##_shifted, name##_shifted_energy},                                                        \
        [PH_SWITCHED] = {name##_switched, name##_switched_energy},                                                     \
    };

#endif
