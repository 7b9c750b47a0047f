/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_KERNEL_TEMPLATE_H
#define PH_FORCE_KERNEL_TEMPLATE_H

/* The one source of all pair kernels. The first four arguments of pair_kernel are constants at every call, so the
 * compiler removes what a combination does not use.
 *
 * r = r_i - r_j, n = r/|r|. Every term is an angular factor times a radial function h:
 *   charge-charge   u = s h,                        h = 1/r + rf r^2 - rf_zero
 *   charge-dipole   u = s (mu_j.n) h,               h = 1/r^2 - 2 rf r
 *   dipole-charge   u = -s (mu_i.n) h,              h = 1/r^2 - 2 rf r
 *   dipole-dipole   u = s [A h + (mu_i.mu_j) w],    h = 1/r^3, A = mu_i.mu_j - 3 (mu_i.n)(mu_j.n), w = -2 rf
 * with s the Coulomb constant times the charges. Fields are -du/dmu; a torque is mu x field, once per molecule.
 *
 * Three short loops rather than one: the chain from r^2 to the force is long, and the processor overlaps more of them
 * when each loop holds only a part. Sums over j are reductions of the vectorised loop: their order is fixed when the
 * program is compiled and does not depend on threads. */

#include "force/kernel.h"
#include "potential/radial.h"

struct radial_pair {
    double u, du;
};

PH_INLINE struct radial_pair radial_function(enum ph_kernel_radial radial, const struct ph_pair_term *t, double inv_r)
{
    struct radial_pair f = {0.0, 0.0}, g;
    if (radial == PH_KERNEL_LENNARD_JONES || radial == PH_KERNEL_WCA)
        ph_lennard_jones(t->four_epsilon, t->sigma2, inv_r, &f.u, &f.du);
    else if (radial == PH_KERNEL_SOFT_12)
        ph_soft_sphere_12(t->four_epsilon, t->sigma2, inv_r, &f.u, &f.du);
    else if (radial == PH_KERNEL_SOFT)
        ph_inverse_power(t->four_epsilon, t->sigma2, t->repulsive, inv_r, &f.u, &f.du);
    else if (radial == PH_KERNEL_MIE) {
        ph_inverse_power(t->four_epsilon, t->sigma2, t->repulsive, inv_r, &f.u, &f.du);
        ph_inverse_power(t->four_epsilon, t->sigma2, t->attractive, inv_r, &g.u, &g.du);
        f.u -= g.u;
        f.du -= g.du;
    }
    return f;
}

/* h and h' of the electric term */
PH_INLINE struct radial_pair electric_function(enum ph_kernel_electric electric, const struct ph_pair_term *t, double r, double inv_r)
{
    const double inv_r2 = inv_r * inv_r;
    if (electric == PH_KERNEL_CHARGE_CHARGE)
        return (struct radial_pair){ph_fma(t->rf * r, r, inv_r - t->rf_zero), ph_fma(2.0 * t->rf, r, -inv_r2)};
    if (electric == PH_KERNEL_DIPOLE_DIPOLE)
        return (struct radial_pair){inv_r2 * inv_r, -3.0 * inv_r2 * inv_r2};
    return (struct radial_pair){ph_fma(-2.0 * t->rf, r, inv_r2), ph_fma(-2.0 * inv_r2, inv_r, -2.0 * t->rf)};
}

/* The truncated function: `in` is 1 inside the cutoff and 0 outside, s and ds the switch and its slope in r */
PH_INLINE struct radial_pair end(enum ph_truncate truncate, struct ph_kernel_tail tail, struct radial_pair f, double r, bool in,
                                 double s, double ds)
{
    if (truncate == PH_ENDLESS)
        return f;
    if (truncate == PH_LINEAR) {
        const double u = f.u + ph_fma(tail.c1, r, tail.c0), du = f.du + tail.c1;
        return (struct radial_pair){in ? u : 0.0, in ? du : 0.0};
    }
    return (struct radial_pair){s * f.u, ph_fma(s, f.du, ds * f.u)};
}

/* What the loops hand on */
struct kernel_work {
    PH_ALIGNED double r2[PH_KERNEL_CHUNK], inv_r[PH_KERNEL_CHUNK];
    PH_ALIGNED double ci[PH_KERNEL_CHUNK], cj[PH_KERNEL_CHUNK], cij[PH_KERNEL_CHUNK]; /* mu_i.n, mu_j.n, mu_i.mu_j */
    /* force on i: along_r r + along_i mu_i + along_j mu_j; field at i: field_i r - field_j mu_j, with the roles exchanged at j */
    PH_ALIGNED double along_r[PH_KERNEL_CHUNK], along_i[PH_KERNEL_CHUNK], along_j[PH_KERNEL_CHUNK], plain[PH_KERNEL_CHUNK];
    PH_ALIGNED double radial[PH_KERNEL_CHUNK], electric[PH_KERNEL_CHUNK]; /* energies */
};

PH_INLINE void geometry(enum ph_kernel_electric electric, const struct ph_kernel_j *j, const struct ph_kernel_i *i,
                        struct kernel_work *w, size_t k)
{
    const double x = i->r[0] - j->r[0][k], y = i->r[1] - j->r[1][k], z = i->r[2] - j->r[2][k];
    const double r2 = ph_fma(x, x, ph_fma(y, y, z * z)), inv_r = 1.0 / sqrt(r2);
    w->r2[k] = r2;
    w->inv_r[k] = inv_r;
    if (electric == PH_KERNEL_DIPOLE_CHARGE || electric == PH_KERNEL_DIPOLE_DIPOLE)
        w->ci[k] = inv_r * ph_fma(i->mu[0], x, ph_fma(i->mu[1], y, i->mu[2] * z));
    if (electric == PH_KERNEL_CHARGE_DIPOLE || electric == PH_KERNEL_DIPOLE_DIPOLE)
        w->cj[k] = inv_r * ph_fma(j->mu[0][k], x, ph_fma(j->mu[1][k], y, j->mu[2][k] * z));
    if (electric == PH_KERNEL_DIPOLE_DIPOLE)
        w->cij[k] = ph_fma(i->mu[0], j->mu[0][k], ph_fma(i->mu[1], j->mu[1][k], i->mu[2] * j->mu[2][k]));
}

PH_INLINE void coefficients(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate, bool energy,
                            const struct ph_pair_term *t, struct kernel_work *w, size_t k)
{
    const double r2 = w->r2[k], inv_r = w->inv_r[k], r = r2 * inv_r;
    const bool in = r2 < t->cut2;
    double s = 1.0, ds = 0.0;
    if (truncate >= PH_SWITCH_C2) {
        ph_switch(truncate, (r - t->switch_on) * t->inverse_width, &s, &ds);
        ds *= t->inverse_width;
    }

    struct radial_pair u = radial_function(radial, t, inv_r);
    if (radial == PH_KERNEL_WCA) {
        const bool touching = r2 < t->wca_cut2;
        u.u = touching ? u.u + t->wca_shift : 0.0;
        u.du = touching ? u.du : 0.0;
    } else if (radial != PH_KERNEL_NO_RADIAL) {
        u = end(truncate, t->radial, u, r, in, s, ds);
    }

    double along_r = -u.du, electric_energy = 0.0;
    if (electric != PH_KERNEL_NO_ELECTRIC) {
        const struct radial_pair h = end(truncate, t->electric, electric_function(electric, t, r, inv_r), r, in, s, ds);
        const double value = t->strength * h.u, slope = t->strength * h.du, over_r = value * inv_r;
        if (electric == PH_KERNEL_CHARGE_CHARGE) {
            electric_energy = value;
            along_r -= slope;
        } else if (electric == PH_KERNEL_CHARGE_DIPOLE) {
            const double cj = w->cj[k];
            electric_energy = cj * value;
            along_r = ph_fma(-slope, cj, ph_fma(over_r, cj, along_r));
            w->along_j[k] = -over_r; /* force along mu_j; field at j along r */
        } else if (electric == PH_KERNEL_DIPOLE_CHARGE) {
            const double ci = w->ci[k];
            electric_energy = -ci * value;
            along_r = ph_fma(slope, ci, ph_fma(-over_r, ci, along_r));
            w->along_i[k] = over_r;
        } else {
            const double ci = w->ci[k], cj = w->cj[k], cij = w->cij[k], angular = ph_fma(-3.0 * ci, cj, cij);
            const double three = 3.0 * over_r;
            double plain = value;
            electric_energy = angular * value;
            along_r = ph_fma(-slope, angular, ph_fma(-2.0 * three * ci, cj, along_r));
            /* the constant of the reaction field */
            const double field = -2.0 * t->rf * t->strength;
            if (truncate == PH_LINEAR) {
                plain += in ? field : 0.0;
                electric_energy += in ? field * cij : 0.0;
            } else if (truncate != PH_ENDLESS) {
                plain = ph_fma(field, s, plain);
                electric_energy = ph_fma(field * s, cij, electric_energy);
                along_r = ph_fma(-field * ds, cij, along_r);
            }
            w->along_i[k] = three * cj;
            w->along_j[k] = three * ci;
            w->plain[k] = plain;
        }
    }
    w->along_r[k] = along_r * inv_r;
    if (energy) {
        w->radial[k] = u.u;
        w->electric[k] = electric_energy;
    }
}

PH_INLINE void pair_kernel(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate, bool energy,
                           const struct ph_pair_term *term, size_t n, const struct ph_kernel_j *sites, struct ph_kernel_i *i)
{
    struct kernel_work work;
    const struct ph_kernel_j j = *sites;
    const struct ph_kernel_i a = *i;
    const struct ph_pair_term t = *term;

    PH_SIMD
    for (size_t k = 0; k < n; ++k)
        geometry(electric, &j, &a, &work, k);
    PH_SIMD
    for (size_t k = 0; k < n; ++k)
        coefficients(radial, electric, truncate, energy, &t, &work, k);

    double fx = 0.0, fy = 0.0, fz = 0.0, ex = 0.0, ey = 0.0, ez = 0.0;
    const double *restrict rx = j.r[0], *restrict ry = j.r[1], *restrict rz = j.r[2];
    const double *restrict mx = j.mu[0], *restrict my = j.mu[1], *restrict mz = j.mu[2];
    double *restrict gx = j.force[0], *restrict gy = j.force[1], *restrict gz = j.force[2];
    double *restrict hx = j.field[0], *restrict hy = j.field[1], *restrict hz = j.field[2];
    const double ux = a.mu[0], uy = a.mu[1], uz = a.mu[2];
    if (electric == PH_KERNEL_DIPOLE_DIPOLE) {
#pragma omp simd reduction(+ : fx, fy, fz, ex, ey, ez)
        for (size_t k = 0; k < n; ++k) {
            const double x = a.r[0] - rx[k], y = a.r[1] - ry[k], z = a.r[2] - rz[k];
            const double vx = mx[k], vy = my[k], vz = mz[k];
            const double c = work.along_r[k], ci = work.along_i[k], cj = work.along_j[k], p = work.plain[k];
            const double qx = ph_fma(c, x, ph_fma(ci, ux, cj * vx)), qy = ph_fma(c, y, ph_fma(ci, uy, cj * vy)),
                         qz = ph_fma(c, z, ph_fma(ci, uz, cj * vz));
            fx += qx;
            fy += qy;
            fz += qz;
            gx[k] -= qx;
            gy[k] -= qy;
            gz[k] -= qz;
            ex += ph_fma(ci, x, -(p * vx));
            ey += ph_fma(ci, y, -(p * vy));
            ez += ph_fma(ci, z, -(p * vz));
            hx[k] += ph_fma(cj, x, -(p * ux));
            hy[k] += ph_fma(cj, y, -(p * uy));
            hz[k] += ph_fma(cj, z, -(p * uz));
        }
    } else if (electric == PH_KERNEL_CHARGE_DIPOLE) {
#pragma omp simd reduction(+ : fx, fy, fz)
        for (size_t k = 0; k < n; ++k) {
            const double x = a.r[0] - rx[k], y = a.r[1] - ry[k], z = a.r[2] - rz[k], c = work.along_r[k], cj = work.along_j[k];
            const double qx = ph_fma(c, x, cj * mx[k]), qy = ph_fma(c, y, cj * my[k]), qz = ph_fma(c, z, cj * mz[k]);
            fx += qx;
            fy += qy;
            fz += qz;
            gx[k] -= qx;
            gy[k] -= qy;
            gz[k] -= qz;
            hx[k] += cj * x;
            hy[k] += cj * y;
            hz[k] += cj * z;
        }
    } else if (electric == PH_KERNEL_DIPOLE_CHARGE) {
#pragma omp simd reduction(+ : fx, fy, fz, ex, ey, ez)
        for (size_t k = 0; k < n; ++k) {
            const double x = a.r[0] - rx[k], y = a.r[1] - ry[k], z = a.r[2] - rz[k], c = work.along_r[k], ci = work.along_i[k];
            const double qx = ph_fma(c, x, ci * ux), qy = ph_fma(c, y, ci * uy), qz = ph_fma(c, z, ci * uz);
            fx += qx;
            fy += qy;
            fz += qz;
            gx[k] -= qx;
            gy[k] -= qy;
            gz[k] -= qz;
            ex += ci * x;
            ey += ci * y;
            ez += ci * z;
        }
    } else {
#pragma omp simd reduction(+ : fx, fy, fz)
        for (size_t k = 0; k < n; ++k) {
            const double x = a.r[0] - rx[k], y = a.r[1] - ry[k], z = a.r[2] - rz[k], c = work.along_r[k];
            fx += c * x;
            fy += c * y;
            fz += c * z;
            gx[k] -= c * x;
            gy[k] -= c * y;
            gz[k] -= c * z;
        }
    }
    i->force[0] += fx;
    i->force[1] += fy;
    i->force[2] += fz;
    i->field[0] += ex;
    i->field[1] += ey;
    i->field[2] += ez;

    if (energy) {
        double radial_sum = 0.0, electric_sum = 0.0;
#pragma omp simd reduction(+ : radial_sum, electric_sum)
        for (size_t k = 0; k < n; ++k) {
            radial_sum += work.radial[k];
            electric_sum += work.electric[k];
        }
        i->radial_energy += radial_sum;
        i->electric_energy += electric_sum;
    }
}

/* All functions of one combination of terms, as an array [truncate][energy] */
#define PH_KERNEL_FUNCTION(name, radial, electric, truncate, energy)                                                   \
    static void name(const struct ph_pair_term *term, size_t n, const struct ph_kernel_j *j, struct ph_kernel_i *i)    \
    {                                                                                                                  \
        pair_kernel(radial, electric, truncate, energy, term, n, j, i);                                                \
    }
#define PH_KERNEL_PAIR(name, radial, electric, truncate)                                                               \
    PH_KERNEL_FUNCTION(name, radial, electric, truncate, false)                                                        \
    PH_KERNEL_FUNCTION(name##_energy, radial, electric, truncate, true)
#define PH_KERNEL_FAMILY(name, radial, electric)                                                                       \
    PH_KERNEL_PAIR(name##_endless, radial, electric, PH_ENDLESS)                                                       \
    PH_KERNEL_PAIR(name##_linear, radial, electric, PH_LINEAR)                                                         \
    PH_KERNEL_PAIR(name##_c2, radial, electric, PH_SWITCH_C2)                                                          \
    PH_KERNEL_PAIR(name##_c4, radial, electric, PH_SWITCH_C4)                                                          \
    PH_KERNEL_PAIR(name##_c6, radial, electric, PH_SWITCH_C6)                                                          \
    PH_KERNEL_PAIR(name##_all, radial, electric, PH_SWITCH_ALL)                                                        \
    ph_kernel *const name[PH_TRUNCATE_KINDS][2] = {                                                                    \
        [PH_ENDLESS] = {name##_endless, name##_endless_energy}, [PH_LINEAR] = {name##_linear, name##_linear_energy},   \
        [PH_SWITCH_C2] = {name##_c2, name##_c2_energy},         [PH_SWITCH_C4] = {name##_c4, name##_c4_energy},        \
        [PH_SWITCH_C6] = {name##_c6, name##_c6_energy},         [PH_SWITCH_ALL] = {name##_all, name##_all_energy},     \
    };

#endif
