/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_KERNEL_TEMPLATE_H
#define PH_FORCE_KERNEL_TEMPLATE_H

/* The one source of all pair kernels. The first five arguments of pair_kernel are constants at every call, so the
 * compiler removes what a combination does not use.
 *
 * r = r_i - r_j, n = r/|r|. Every term is an angular factor times a radial function h:
 *   charge-charge   u = s h,                        h = 1/r + rf r^2 - rf_zero
 *   charge-dipole   u = s (mu_j.n) h,               h = 1/r^2 - 2 rf r
 *   dipole-charge   u = -s (mu_i.n) h,              h = 1/r^2 - 2 rf r
 *   dipole-dipole   u = s [A h + (mu_i.mu_j) w],    h = 1/r^3, A = mu_i.mu_j - 3 (mu_i.n)(mu_j.n), w = -2 rf
 * with s the Coulomb constant times the charges. Fields are -du/dmu; a torque is mu x field, once per molecule.
 *
 * Short loops rather than one: the chain from r^2 to the force is long, and the processor overlaps more of them when
 * each loop holds only a part; what is long by itself (roots, switches, powers) goes first. Sums over j are reductions
 * of the vectorised loop: their order is fixed when the program is compiled and does not depend on threads. */

#include "force/kernel.h"
#include "potential/radial.h"

PH_INLINE struct ph_radial_value radial_function(enum ph_kernel_radial radial, const struct ph_pair_term *t,
                                                 double inv_r2)
{
    if (radial == PH_KERNEL_LENNARD_JONES || radial == PH_KERNEL_WCA)
        return ph_lennard_jones(t->four_epsilon, t->sigma2, inv_r2);
    if (radial == PH_KERNEL_SOFT_12)
        return ph_soft_sphere_12(t->four_epsilon, t->sigma2, inv_r2);
    struct ph_radial_value f = ph_inverse_power(t->four_epsilon, t->sigma2, t->repulsive, inv_r2);
    if (radial == PH_KERNEL_MIE) {
        const struct ph_radial_value g = ph_inverse_power(t->four_epsilon, t->sigma2, t->attractive, inv_r2);
        f.u -= g.u;
        f.w -= g.w;
    }
    return f;
}

/* h of the electric term */
PH_INLINE struct ph_radial_value electric_function(enum ph_kernel_electric electric, const struct ph_pair_term *t,
                                                   double r, double inv_r, double inv_r2)
{
    if (electric == PH_KERNEL_CHARGE_CHARGE)
        return (struct ph_radial_value){ph_fma(t->rf * r, r, inv_r - t->rf_zero), ph_fma(inv_r2, inv_r, -2.0 * t->rf)};
    if (electric == PH_KERNEL_DIPOLE_DIPOLE)
        return (struct ph_radial_value){inv_r2 * inv_r, 3.0 * inv_r2 * inv_r2 * inv_r};
    return (struct ph_radial_value){ph_fma(-2.0 * t->rf, r, inv_r2), 2.0 * ph_fma(inv_r2, inv_r2, t->rf * inv_r)};
}

/* The truncated function. `in`: inside the cutoff; `vanishes`: f is 0 for 1/r = 0 anyway; s and ds are the switch and
 * its slope in r */
PH_INLINE struct ph_radial_value end(enum ph_truncate truncate, struct ph_kernel_tail tail, struct ph_radial_value f,
                                     double r, double inv_r, bool in, bool vanishes, double s, double ds)
{
    if (truncate == PH_ENDLESS || truncate == PH_INSIDE)
        return f;
    if (truncate == PH_CUT)
        return vanishes ? f : (struct ph_radial_value){in ? f.u : 0.0, in ? f.w : 0.0};
    if (truncate == PH_SHIFTED) {
        const double u = f.u + ph_fma(tail.c1, r, tail.c0), w = ph_fma(-tail.c1, inv_r, f.w);
        return (struct ph_radial_value){in ? u : 0.0, in ? w : 0.0};
    }
    return (struct ph_radial_value){s * f.u, ph_fma(s, f.w, -(ds * inv_r * f.u))};
}

/* What the loops hand on */
struct kernel_work {
    PH_ALIGNED double inv_r[PH_KERNEL_ROW], r[PH_KERNEL_ROW];
    PH_ALIGNED double s[PH_KERNEL_ROW], ds[PH_KERNEL_ROW]; /* switch and its slope in r */
    PH_ALIGNED double along_r[PH_KERNEL_ROW], along_i[PH_KERNEL_ROW], along_j[PH_KERNEL_ROW], plain[PH_KERNEL_ROW];
    PH_ALIGNED double u[PH_KERNEL_ROW], w[PH_KERNEL_ROW]; /* radial function, where it needs exponentials */
};

PH_INLINE bool is_slow(enum ph_kernel_radial radial) { return radial == PH_KERNEL_MIE || radial == PH_KERNEL_SOFT; }

/* Beyond a cutoff 1/r is set to 0, which is where most functions vanish by themselves. Sites in one place give what is
 * not a number, and it stays so: `>=` is false for it. */
PH_INLINE void distance(enum ph_truncate truncate, double cut2, const struct ph_kernel_j *j,
                        const struct ph_kernel_i *i, struct kernel_work *w, size_t k)
{
    const double x = i->r[0] - j->r[0][k], y = i->r[1] - j->r[1][k], z = i->r[2] - j->r[2][k];
    const double r2 = ph_fma(x, x, ph_fma(y, y, z * z)), inv_r = ph_inverse_sqrt(r2);
    w->inv_r[k] = (truncate == PH_CUT || truncate == PH_SHIFTED) && r2 >= cut2 ? 0.0 : inv_r;
    if (truncate >= PH_SWITCH_C2)
        w->r[k] = r2 * inv_r;
}

PH_INLINE void prepare_switch(enum ph_truncate truncate, const struct ph_pair_term *t, struct kernel_work *w, size_t k)
{
    double s, slope;
    ph_switch(truncate, (w->r[k] - t->switch_on) * t->inverse_width, &s, &slope);
    w->s[k] = s;
    w->ds[k] = slope * t->inverse_width;
}

PH_INLINE void prepare_radial(enum ph_kernel_radial radial, const struct ph_pair_term *t, struct kernel_work *w,
                              size_t k)
{
    const struct ph_radial_value f = radial_function(radial, t, w->inv_r[k] * w->inv_r[k]);
    w->u[k] = f.u;
    w->w[k] = f.w;
}

/* Coefficients of one pair. Force on i: along_r r + along_i mu_i + along_j mu_j; field at i: along_i r - plain mu_j;
 * field at j: along_j r - plain mu_i. */
struct coefficients {
    double along_r, along_i, along_j, plain, radial, electric;
};

/* di = mu_i.r, dj = mu_j.r, cij = mu_i.mu_j. Sites in one place give values that are not finite, whatever the
 * truncation. */
PH_INLINE struct coefficients coefficients(enum ph_kernel_radial radial, enum ph_kernel_electric electric,
                                           enum ph_truncate truncate, const struct ph_pair_term *t,
                                           const struct kernel_work *w, size_t k, double r2, double di, double dj,
                                           double cij)
{
    struct coefficients c = {.along_r = 0.0};
    const double inv_r = w->inv_r[k], r = r2 * inv_r, inv_r2 = inv_r * inv_r;
    const bool in = inv_r != 0.0, switched = truncate >= PH_SWITCH_C2;
    const double s = switched ? w->s[k] : 1.0, ds = switched ? w->ds[k] : 0.0;

    struct ph_radial_value u = {0.0, 0.0};
    if (radial != PH_KERNEL_NO_RADIAL)
        u = is_slow(radial) ? (struct ph_radial_value){w->u[k], w->w[k]} : radial_function(radial, t, inv_r2);
    if (radial == PH_KERNEL_WCA) {
        const bool touching = !(r2 >= t->wca_cut2); /* true for not a number, so that it is seen */
        u.u = touching ? u.u + t->wca_shift : 0.0;
        u.w = touching ? u.w : 0.0;
    } else if (radial != PH_KERNEL_NO_RADIAL) {
        u = end(truncate, t->radial, u, r, inv_r, in, !is_slow(radial), s, ds);
    }
    c.radial = u.u;
    c.along_r = u.w;
    if (electric == PH_KERNEL_NO_ELECTRIC)
        return c;

    const struct ph_radial_value h = end(truncate, t->electric, electric_function(electric, t, r, inv_r, inv_r2), r,
                                         inv_r, in, electric != PH_KERNEL_CHARGE_CHARGE, s, ds);
    const double value = t->strength * h.u, pull = t->strength * h.w;
    if (electric == PH_KERNEL_CHARGE_CHARGE) {
        c.electric = value;
        c.along_r += pull;
    } else if (electric == PH_KERNEL_CHARGE_DIPOLE || electric == PH_KERNEL_DIPOLE_CHARGE) {
        const double sign = electric == PH_KERNEL_CHARGE_DIPOLE ? 1.0 : -1.0;
        const double cosine = sign * inv_r * (electric == PH_KERNEL_CHARGE_DIPOLE ? dj : di), over_r = value * inv_r;
        c.electric = cosine * value;
        c.along_r = ph_fma(cosine, ph_fma(over_r, inv_r, pull), c.along_r);
        c.along_i = c.along_j = -sign * over_r;
    } else {
        const bool plain_power =
            truncate == PH_ENDLESS || truncate == PH_INSIDE || truncate == PH_CUT; /* then pull = 3 value/r^2 */
        const double three = 3.0 * value * inv_r2, didj = di * dj * inv_r2;
        c.electric = ph_fma(-3.0, didj, cij) * value;
        c.along_r = plain_power ? ph_fma(three, ph_fma(-5.0, didj, cij), c.along_r)
                                : ph_fma(pull, ph_fma(-3.0, didj, cij), ph_fma(-2.0 * three, didj, c.along_r));
        c.plain = value;
        const double field = -2.0 * t->rf * t->strength; /* the constant of the reaction field */
        if (truncate == PH_INSIDE || truncate == PH_CUT || truncate == PH_SHIFTED) {
            const double inside = truncate == PH_INSIDE || in ? field : 0.0;
            c.plain += inside;
            c.electric = ph_fma(inside, cij, c.electric);
        } else if (switched) {
            c.plain = ph_fma(field, s, c.plain);
            c.electric = ph_fma(field * s, cij, c.electric);
            c.along_r = ph_fma(-field * ds * inv_r, cij, c.along_r);
        }
        c.along_i = three * dj;
        c.along_j = three * di;
    }
    return c;
}

PH_INLINE void pair_kernel(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                           bool energy, bool store, const struct ph_pair_term *term, size_t n,
                           const struct ph_kernel_j *sites, struct ph_kernel_i *i)
{
    struct kernel_work work;
    const struct ph_kernel_j j = *sites;
    const struct ph_kernel_i a = *i;
    const struct ph_pair_term t = *term;

    PH_SIMD
    for (size_t k = 0; k < n; ++k)
        distance(truncate, t.cut2, &j, &a, &work, k);
    if (truncate >= PH_SWITCH_C2) {
        PH_SIMD
        for (size_t k = 0; k < n; ++k)
            prepare_switch(truncate, &t, &work, k);
    }
    if (is_slow(radial)) {
        PH_SIMD
        for (size_t k = 0; k < n; ++k)
            prepare_radial(radial, &t, &work, k);
    }

    const bool dipole_i = electric == PH_KERNEL_DIPOLE_CHARGE || electric == PH_KERNEL_DIPOLE_DIPOLE;
    const bool dipole_j = electric == PH_KERNEL_CHARGE_DIPOLE || electric == PH_KERNEL_DIPOLE_DIPOLE;
    const bool both = dipole_i && dipole_j;
    /* With a switch and dipoles the chain is so long that coefficients get a loop of their own. */
    const bool split = both && truncate >= PH_SWITCH_C2;
    const double *restrict rx = j.r[0], *restrict ry = j.r[1], *restrict rz = j.r[2];
    const double *restrict mx = j.mu[0], *restrict my = j.mu[1], *restrict mz = j.mu[2];
    double *restrict gx = j.force[0], *restrict gy = j.force[1], *restrict gz = j.force[2];
    double *restrict hx = j.field[0], *restrict hy = j.field[1], *restrict hz = j.field[2];
    const double ux = a.mu[0], uy = a.mu[1], uz = a.mu[2];
    double fx = 0.0, fy = 0.0, fz = 0.0, ex = 0.0, ey = 0.0, ez = 0.0, radial_sum = 0.0, electric_sum = 0.0;
    if (split) {
#pragma omp simd reduction(+ : radial_sum, electric_sum)
        for (size_t k = 0; k < n; ++k) {
            const double x = a.r[0] - rx[k], y = a.r[1] - ry[k], z = a.r[2] - rz[k], vx = mx[k], vy = my[k], vz = mz[k];
            const struct coefficients c =
                coefficients(radial, electric, truncate, &t, &work, k, ph_fma(x, x, ph_fma(y, y, z * z)),
                             ph_fma(ux, x, ph_fma(uy, y, uz * z)), ph_fma(vx, x, ph_fma(vy, y, vz * z)),
                             ph_fma(ux, vx, ph_fma(uy, vy, uz * vz)));
            work.along_r[k] = c.along_r;
            work.along_i[k] = c.along_i;
            work.along_j[k] = c.along_j;
            work.plain[k] = c.plain;
            if (energy) {
                radial_sum += c.radial;
                electric_sum += c.electric;
            }
        }
    }
#pragma omp simd reduction(+ : fx, fy, fz, ex, ey, ez, radial_sum, electric_sum)
    for (size_t k = 0; k < n; ++k) {
        const double x = a.r[0] - rx[k], y = a.r[1] - ry[k], z = a.r[2] - rz[k];
        const double vx = dipole_j ? mx[k] : 0.0, vy = dipole_j ? my[k] : 0.0, vz = dipole_j ? mz[k] : 0.0;
        struct coefficients c = {.along_r = 0.0};
        if (split) {
            c.along_r = work.along_r[k];
            c.along_i = work.along_i[k];
            c.along_j = work.along_j[k];
            c.plain = work.plain[k];
        } else {
            const double di = dipole_i ? ph_fma(ux, x, ph_fma(uy, y, uz * z)) : 0.0;
            const double dj = dipole_j ? ph_fma(vx, x, ph_fma(vy, y, vz * z)) : 0.0;
            const double cij = both ? ph_fma(ux, vx, ph_fma(uy, vy, uz * vz)) : 0.0;
            c = coefficients(radial, electric, truncate, &t, &work, k, ph_fma(x, x, ph_fma(y, y, z * z)), di, dj, cij);
        }

        double qx = c.along_r * x, qy = c.along_r * y, qz = c.along_r * z;
        if (dipole_i) {
            qx = ph_fma(c.along_i, ux, qx);
            qy = ph_fma(c.along_i, uy, qy);
            qz = ph_fma(c.along_i, uz, qz);
        }
        if (dipole_i && !dipole_j) {
            ex += c.along_i * x;
            ey += c.along_i * y;
            ez += c.along_i * z;
        }
        if (dipole_j) {
            qx = ph_fma(c.along_j, vx, qx);
            qy = ph_fma(c.along_j, vy, qy);
            qz = ph_fma(c.along_j, vz, qz);
        }
        if (both) {
            ex += ph_fma(c.along_i, x, -(c.plain * vx));
            ey += ph_fma(c.along_i, y, -(c.plain * vy));
            ez += ph_fma(c.along_i, z, -(c.plain * vz));
            hx[k] = ph_fma(-c.plain, ux, store ? c.along_j * x : ph_fma(c.along_j, x, hx[k]));
            hy[k] = ph_fma(-c.plain, uy, store ? c.along_j * y : ph_fma(c.along_j, y, hy[k]));
            hz[k] = ph_fma(-c.plain, uz, store ? c.along_j * z : ph_fma(c.along_j, z, hz[k]));
        } else if (dipole_j) {
            hx[k] = store ? c.along_j * x : ph_fma(c.along_j, x, hx[k]);
            hy[k] = store ? c.along_j * y : ph_fma(c.along_j, y, hy[k]);
            hz[k] = store ? c.along_j * z : ph_fma(c.along_j, z, hz[k]);
        }
        fx += qx;
        fy += qy;
        fz += qz;
        gx[k] = store ? -qx : gx[k] - qx;
        gy[k] = store ? -qy : gy[k] - qy;
        gz[k] = store ? -qz : gz[k] - qz;
        if (energy && !split) {
            radial_sum += c.radial;
            electric_sum += c.electric;
        }
    }
    i->force[0] += fx;
    i->force[1] += fy;
    i->force[2] += fz;
    i->field[0] += ex;
    i->field[1] += ey;
    i->field[2] += ez;
    i->radial_energy += radial_sum;
    i->electric_energy += electric_sum;
}

/* All functions of one combination of terms, as an array [truncate][store][energy] */
#define PH_KERNEL_FUNCTION(name, radial, electric, truncate, energy, store)                                            \
    PH_DISPATCHED static void name(const struct ph_pair_term *term, size_t n, const struct ph_kernel_j *j,             \
                                   struct ph_kernel_i *i)                                                              \
    {                                                                                                                  \
        pair_kernel(radial, electric, truncate, energy, store, term, n, j, i);                                         \
    }
#define PH_KERNEL_FOUR(name, radial, electric, truncate)                                                               \
    PH_KERNEL_FUNCTION(name##_add, radial, electric, truncate, false, false)                                           \
    PH_KERNEL_FUNCTION(name##_add_energy, radial, electric, truncate, true, false)                                     \
    PH_KERNEL_FUNCTION(name##_store, radial, electric, truncate, false, true)                                          \
    PH_KERNEL_FUNCTION(name##_store_energy, radial, electric, truncate, true, true)
#define PH_KERNEL_ENTRY(name)                                                                                          \
    {                                                                                                                  \
        {name##_add, name##_add_energy}, { name##_store, name##_store_energy }                                         \
    }
#define PH_KERNEL_FAMILY(name, radial, electric)                                                                       \
    PH_KERNEL_FOUR(name##_endless, radial, electric, PH_ENDLESS)                                                       \
    PH_KERNEL_FOUR(name##_inside, radial, electric, PH_INSIDE)                                                         \
    PH_KERNEL_FOUR(name##_cut, radial, electric, PH_CUT)                                                               \
    PH_KERNEL_FOUR(name##_shifted, radial, electric, PH_SHIFTED)                                                       \
    PH_KERNEL_FOUR(name##_c2, radial, electric, PH_SWITCH_C2)                                                          \
    PH_KERNEL_FOUR(name##_c4, radial, electric, PH_SWITCH_C4)                                                          \
    PH_KERNEL_FOUR(name##_c6, radial, electric, PH_SWITCH_C6)                                                          \
    PH_KERNEL_FOUR(name##_all, radial, electric, PH_SWITCH_ALL)                                                        \
    ph_kernel *const name[PH_TRUNCATE_KINDS][2][2] = {                                                                 \
        [PH_ENDLESS] = PH_KERNEL_ENTRY(name##_endless), [PH_INSIDE] = PH_KERNEL_ENTRY(name##_inside),                  \
        [PH_CUT] = PH_KERNEL_ENTRY(name##_cut),         [PH_SHIFTED] = PH_KERNEL_ENTRY(name##_shifted),                \
        [PH_SWITCH_C2] = PH_KERNEL_ENTRY(name##_c2),    [PH_SWITCH_C4] = PH_KERNEL_ENTRY(name##_c4),                   \
        [PH_SWITCH_C6] = PH_KERNEL_ENTRY(name##_c6),    [PH_SWITCH_ALL] = PH_KERNEL_ENTRY(name##_all),                 \
    };

#endif
