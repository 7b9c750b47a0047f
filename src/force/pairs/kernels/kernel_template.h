/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_KERNEL_TEMPLATE_H
#define PH_FORCE_PAIRS_KERNELS_KERNEL_TEMPLATE_H

/* The one source of all pair kernels. The first five arguments of pair_kernel are constants at every call, so the
 * compiler removes what a combination does not use.
 *
 * d = r_j - r_i, r = |d|, n = d/r. Every term is an angular factor times a radial function h:
 *   charge-charge   u = s h,                        h = 1/r + rf r^2 - rf_zero
 *   charge-dipole   u = -s (mu_j.n) h,              h = 1/r^2 - 2 rf r
 *   dipole-charge   u = s (mu_i.n) h,               h = 1/r^2 - 2 rf r
 *   dipole-dipole   u = s [A h + (mu_i.mu_j) w],    h = 1/r^3, A = mu_i.mu_j - 3 (mu_i.n)(mu_j.n), w = -2 rf
 * with s the Coulomb constant times the charges. Screened ones, and reaction fields that end smoothly, have B0, B1
 * (mu.d) and B1 (mu_i.mu_j) - B2 (mu_i.d)(mu_j.d) in place of these, see potential/electric.h. Fields are -du/dmu; a
 * torque is mu x field, once per molecule.
 *
 * Short loops rather than one: the chain from r^2 to the force is long, and the processor overlaps more of them when
 * each loop holds only a part. Rows are restrict pointers, lest the compiler write sums to memory in every turn. Sums
 * over j are kept lane by lane (base/lanes.h): their order depends on neither threads nor machine. */

#include "force/pairs/kernels/kernel.h"
#include "potential/electric.h"

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
        return (struct ph_radial_value){in ? u : 0.0, in || vanishes ? w : 0.0};
    }
    return (struct ph_radial_value){s * f.u, ph_fma(s, f.w, -(ds * inv_r * f.u))};
}

/* The reaction field, if any: rf of dipoles (that of charges costs nothing where it is 0), or one that ends smoothly */
enum field { NO_FIELD, SHARP_FIELD, SMOOTH_FIELD };

/* What the loops hand on */
struct kernel_work {
    PH_ALIGNED double inv_r[PH_KERNEL_ROW], r[PH_KERNEL_ROW];
    PH_ALIGNED double s[PH_KERNEL_ROW], ds[PH_KERNEL_ROW]; /* switch and its slope in r */
    PH_ALIGNED double along_d[PH_KERNEL_ROW], along_i[PH_KERNEL_ROW], along_j[PH_KERNEL_ROW], plain[PH_KERNEL_ROW];
    PH_ALIGNED double u[PH_KERNEL_ROW], w[PH_KERNEL_ROW]; /* what needs exponentials: radial function, or B0 and g */
};

PH_INLINE bool is_slow(enum ph_kernel_radial radial) { return radial == PH_KERNEL_MIE || radial == PH_KERNEL_SOFT; }

/* Beyond a cutoff 1/r is set to 0, which is where most functions vanish by themselves. It is set before the root is
 * refined: what is not a number (sites in one place, or nowhere) stays so. */
PH_INLINE void find_distances(enum ph_truncate truncate, bool screened, double cut2, size_t n,
                              const struct ph_kernel_j *j, const struct ph_kernel_i *i, struct kernel_work *work)
{
    const double *restrict jx = j->r[0], *restrict jy = j->r[1], *restrict jz = j->r[2];
    double *restrict inverse = work->inv_r, *restrict distance = work->r;
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2];
    const bool ends = truncate == PH_CUT || truncate == PH_SHIFTED;
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const double x = jx[k] - ix, y = jy[k] - iy, z = jz[k] - iz, r2 = ph_fma(x, x, ph_fma(y, y, z * z));
        const double guess = ph_inverse_sqrt_guess(r2), within = r2 < cut2 ? guess : 0.0;
        const double inv_r = ph_inverse_sqrt_refine(r2, ends ? within : guess);
        inverse[k] = inv_r;
        if (truncate == PH_SWITCHED || screened)
            distance[k] = r2 * inv_r;
    }
}

PH_INLINE void find_radial(enum ph_kernel_radial radial, const struct ph_pair_term *t, size_t n,
                           struct kernel_work *work)
{
    const double *restrict inv_r = work->inv_r;
    double *restrict u = work->u, *restrict w = work->w;
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const struct ph_radial_value f = radial_function(radial, t, inv_r[k] * inv_r[k]);
        u[k] = f.u;
        w[k] = f.w;
    }
}

PH_INLINE void find_screen(double a, size_t n, struct kernel_work *work)
{
    const double *restrict r = work->r, *restrict inv_r = work->inv_r;
    double *restrict b0 = work->u, *restrict g = work->w;
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const struct ph_screen s = ph_screen(a, r[k], inv_r[k]);
        b0[k] = s.b0;
        g[k] = s.g;
    }
}

/* Two of the functions of a reaction field that ends smoothly: B0 and B1 for charges, B1 and B2 with one dipole */
PH_INLINE void find_smooth(enum ph_kernel_electric electric, const struct ph_pair_term *t, size_t n,
                           const struct ph_kernel_j *j, const struct ph_kernel_i *i, struct kernel_work *work)
{
    const double *restrict jx = j->r[0], *restrict jy = j->r[1], *restrict jz = j->r[2], *restrict inv_r = work->inv_r;
    double *restrict first = work->u, *restrict second = work->w;
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2];
    const bool charges = electric == PH_KERNEL_CHARGE_CHARGE;
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const double x = jx[k] - ix, y = jy[k] - iy, z = jz[k] - iz, r2 = ph_fma(x, x, ph_fma(y, y, z * z));
        const struct ph_smooth b = ph_smooth(&t->field, r2, inv_r[k]);
        const bool in = !(r2 >= t->cut2); /* also not a number, so that it is seen */
        first[k] = in ? charges ? b.b0 : b.b1 : 0.0;
        second[k] = in ? charges ? b.b1 : b.b2 : 0.0;
    }
}

/* Coefficients of one pair. Force on j, and minus that on i: along_d d + along_i mu_i + along_j mu_j; field at i:
 * along_i d - plain mu_j; field at j: along_j d - plain mu_i. */
struct coefficients {
    double along_d, along_i, along_j, plain, radial, electric;
};

/* What a pair is, for the functions below: 1/r, switch and its slope, mu_i.d, mu_j.d, mu_i.mu_j */
struct pair {
    double r2, inv_r, s, ds, di, dj, cij;
    struct ph_radial_value slow; /* what has a loop of its own: radial function, B0 and g, or what find_smooth finds */
};

PH_INLINE struct ph_radial_value radial_part(enum ph_kernel_radial radial, enum ph_truncate truncate,
                                             const struct ph_pair_term *t, const struct pair *p)
{
    if (radial == PH_KERNEL_NO_RADIAL)
        return (struct ph_radial_value){0.0, 0.0};
    const struct ph_radial_value f = is_slow(radial) ? p->slow : radial_function(radial, t, p->inv_r * p->inv_r);
    if (radial == PH_KERNEL_WCA) {
        const bool touching = !(p->r2 >= t->wca_cut2); /* true for not a number, so that it is seen */
        return (struct ph_radial_value){touching ? f.u + t->wca_shift : 0.0, touching ? f.w : 0.0};
    }
    return end(truncate, t->radial, f, p->r2 * p->inv_r, p->inv_r, p->inv_r != 0.0, !is_slow(radial), p->s, p->ds);
}

/* Two dipoles, h = value/strength; rf: there is a reaction field, whose constant ends at the cutoff */
PH_INLINE void add_dipoles(enum ph_truncate truncate, bool rf, const struct ph_pair_term *t, const struct pair *p,
                           double value, double pull, struct coefficients *c)
{
    const bool plain_power = truncate == PH_ENDLESS || truncate == PH_INSIDE || truncate == PH_CUT;
    const double inv_r2 = p->inv_r * p->inv_r, three = 3.0 * value * inv_r2, didj = p->di * p->dj * inv_r2;
    const double angular = ph_fma(-3.0, didj, p->cij);
    c->electric = angular * value;
    c->along_d = plain_power ? ph_fma(three, ph_fma(-5.0, didj, p->cij), c->along_d) /* pull = 3 value/r^2 */
                             : ph_fma(pull, angular, ph_fma(-2.0 * three, didj, c->along_d));
    c->along_i = three * p->dj;
    c->along_j = three * p->di;
    c->plain = value;
    if (!rf)
        return;
    const double field = -2.0 * t->rf * t->strength;
    const double here = truncate == PH_SWITCHED ? field * p->s : truncate == PH_INSIDE || p->inv_r != 0.0 ? field : 0.0;
    c->plain += here;
    c->electric = ph_fma(here, p->cij, c->electric);
    if (truncate == PH_SWITCHED)
        c->along_d = ph_fma(-field * p->ds * p->inv_r, p->cij, c->along_d);
}

/* Terms from k B0, k B1 and k B2, each with its w, k times the next: like the terms above, but B1 and B2 do not differ
 * by a power of r alone. */
PH_INLINE void add_potential(enum ph_kernel_electric bare, struct ph_radial_value b0, struct ph_radial_value b1,
                             struct ph_radial_value b2, const struct pair *p, struct coefficients *c)
{
    if (bare == PH_KERNEL_CHARGE_CHARGE) {
        c->electric = b0.u;
        c->along_d += b0.w;
    } else if (bare == PH_KERNEL_DIPOLE_DIPOLE) {
        const double didj = p->di * p->dj;
        c->electric = ph_fma(b1.u, p->cij, -(b2.u * didj));
        c->along_d = ph_fma(b1.w, p->cij, ph_fma(-b2.w, didj, c->along_d));
        c->along_i = b2.u * p->dj;
        c->along_j = b2.u * p->di;
        c->plain = b1.u;
    } else {
        const double sign = bare == PH_KERNEL_CHARGE_DIPOLE ? -1.0 : 1.0;
        const double signed_d = sign * (bare == PH_KERNEL_CHARGE_DIPOLE ? p->dj : p->di);
        c->electric = signed_d * b1.u;
        c->along_d = ph_fma(signed_d, b1.w, c->along_d);
        c->along_i = c->along_j = -sign * b1.u;
    }
}

/* A reaction field that ends smoothly, by itself: there is no switch on it. */
PH_INLINE void add_smooth(enum ph_kernel_electric electric, const struct ph_pair_term *t, const struct pair *p,
                          struct coefficients *c)
{
    const double k = t->strength;
    const struct ph_radial_value found = {k * p->slow.u, k * p->slow.w};
    if (electric != PH_KERNEL_DIPOLE_DIPOLE) {
        add_potential(electric, found, found, found, p, c);
        return;
    }
    const bool in = !(p->r2 >= t->cut2); /* also not a number, so that it is seen */
    const struct ph_smooth b = ph_smooth(&t->field, p->r2, p->inv_r);
    const double b1 = in ? k * b.b1 : 0.0, b2 = in ? k * b.b2 : 0.0, b3 = in ? k * b.b3 : 0.0;
    add_potential(electric, found, (struct ph_radial_value){b1, b2}, (struct ph_radial_value){b2, b3}, p, c);
}

/* Each of the functions ends for itself. */
PH_INLINE void add_screened(enum ph_kernel_electric electric, enum ph_truncate truncate, const struct ph_pair_term *t,
                            const struct pair *p, struct coefficients *c)
{
    const double inv_r = p->inv_r, k = t->strength;
    const struct ph_kernel_tail none = {0.0, 0.0};
    const struct ph_screen s = {p->slow.u, p->slow.w};
    const struct ph_screened b = ph_screened(t->screening, s, inv_r * inv_r);
    const struct ph_radial_value values[] = {{k * s.b0, k * b.b1}, {k * b.b1, k * b.b2}, {k * b.b2, k * b.b3}};
#define ENDED(n) end(truncate, none, values[n], 0.0, inv_r, inv_r != 0.0, true, p->s, p->ds)
    add_potential(ph_kernel_bare(electric), ENDED(0), ENDED(1), ENDED(2), p, c);
#undef ENDED
}

/* Sites in one place give values that are not finite, whatever the truncation. */
PH_INLINE struct coefficients coefficients(enum ph_kernel_radial radial, enum ph_kernel_electric electric,
                                           enum ph_truncate truncate, enum field field, const struct ph_pair_term *t,
                                           const struct pair *p)
{
    const struct ph_radial_value u = radial_part(radial, truncate, t, p);
    struct coefficients c = {.along_d = u.w, .radial = u.u};
    if (electric == PH_KERNEL_NO_ELECTRIC)
        return c;
    if (ph_kernel_screened(electric)) {
        add_screened(electric, truncate, t, p, &c);
        return c;
    }
    if (field == SMOOTH_FIELD) {
        add_smooth(electric, t, p, &c);
        return c;
    }
    const double inv_r = p->inv_r, r = p->r2 * inv_r;
    const struct ph_radial_value h = end(truncate, t->electric, electric_function(electric, t, r, inv_r, inv_r * inv_r),
                                         r, inv_r, inv_r != 0.0, electric != PH_KERNEL_CHARGE_CHARGE, p->s, p->ds);
    const double value = t->strength * h.u, pull = t->strength * h.w;
    if (electric == PH_KERNEL_CHARGE_CHARGE) {
        c.electric = value;
        c.along_d += pull;
    } else if (electric == PH_KERNEL_DIPOLE_DIPOLE) {
        add_dipoles(truncate, field == SHARP_FIELD, t, p, value, pull, &c);
    } else {
        const double sign = electric == PH_KERNEL_CHARGE_DIPOLE ? -1.0 : 1.0;
        const double cosine = sign * inv_r * (electric == PH_KERNEL_CHARGE_DIPOLE ? p->dj : p->di);
        const double over_r = value * inv_r;
        c.electric = cosine * value;
        c.along_d = ph_fma(cosine, ph_fma(over_r, inv_r, pull), c.along_d);
        c.along_i = c.along_j = -sign * over_r;
    }
    return c;
}

/* Coefficients of two dipoles, for which there is a loop of its own */
PH_INLINE void find_coefficients(enum ph_kernel_radial radial, enum ph_kernel_electric electric,
                                 enum ph_truncate truncate, enum field field, bool energy, const struct ph_pair_term *t,
                                 size_t n, const struct ph_kernel_j *j, struct ph_kernel_i *i, struct kernel_work *work)
{
    const double *restrict rx = j->r[0], *restrict ry = j->r[1], *restrict rz = j->r[2];
    const double *restrict mx = j->mu[0], *restrict my = j->mu[1], *restrict mz = j->mu[2];
    const double *restrict inv_r = work->inv_r, *restrict s = work->s, *restrict ds = work->ds;
    const double *restrict slow_u = work->u, *restrict slow_w = work->w;
    double *restrict along_d = work->along_d, *restrict along_i = work->along_i, *restrict along_j = work->along_j;
    double *restrict plain = work->plain;
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2], ux = i->mu[0], uy = i->mu[1], uz = i->mu[2];
    double radial_sum[PH_LANES] = {0.0}, electric_sum[PH_LANES] = {0.0};
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t k = first + l;
            const double x = rx[k] - ix, y = ry[k] - iy, z = rz[k] - iz, vx = mx[k], vy = my[k], vz = mz[k];
            struct pair p = {.r2 = ph_fma(x, x, ph_fma(y, y, z * z)),
                             .inv_r = inv_r[k],
                             .di = ph_fma(ux, x, ph_fma(uy, y, uz * z)),
                             .dj = ph_fma(vx, x, ph_fma(vy, y, vz * z)),
                             .cij = ph_fma(ux, vx, ph_fma(uy, vy, uz * vz))};
            if (truncate == PH_SWITCHED) {
                p.s = s[k];
                p.ds = ds[k];
            }
            if (is_slow(radial) || ph_kernel_screened(electric))
                p.slow = (struct ph_radial_value){slow_u[k], slow_w[k]};
            const struct coefficients c = coefficients(radial, electric, truncate, field, t, &p);
            along_d[k] = c.along_d;
            along_i[k] = c.along_i;
            along_j[k] = c.along_j;
            plain[k] = c.plain;
            if (energy) {
                radial_sum[l] += c.radial;
                electric_sum[l] += c.electric;
            }
        }
    }
    i->radial_energy += ph_add_up(radial_sum);
    i->electric_energy += ph_add_up(electric_sum);
}

/* Forces and fields of two dipoles from their coefficients */
PH_INLINE void apply_dipoles(enum ph_kernel_rows rows, size_t n, const struct ph_kernel_j *j, struct ph_kernel_i *i,
                             const struct kernel_work *work)
{
    const double *restrict rx = j->r[0], *restrict ry = j->r[1], *restrict rz = j->r[2];
    const double *restrict mx = j->mu[0], *restrict my = j->mu[1], *restrict mz = j->mu[2];
    const double *restrict along_d = work->along_d, *restrict along_i = work->along_i;
    const double *restrict along_j = work->along_j, *restrict plain = work->plain;
    double *restrict gx = j->force[0], *restrict gy = j->force[1], *restrict gz = j->force[2];
    double *restrict hx = j->field[0], *restrict hy = j->field[1], *restrict hz = j->field[2];
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2], ux = i->mu[0], uy = i->mu[1], uz = i->mu[2];
    const bool set = rows == PH_ROWS_RELATIVE_SET;
    double fx[PH_LANES] = {0.0}, fy[PH_LANES] = {0.0}, fz[PH_LANES] = {0.0}, ex[PH_LANES] = {0.0}, ey[PH_LANES] = {0.0},
           ez[PH_LANES] = {0.0};
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t k = first + l;
            const double x = rx[k] - ix, y = ry[k] - iy, z = rz[k] - iz, vx = mx[k], vy = my[k], vz = mz[k];
            const double a = along_d[k], b = along_i[k], c = along_j[k], p = -plain[k];
            const double qx = ph_fma(c, vx, ph_fma(b, ux, a * x)), qy = ph_fma(c, vy, ph_fma(b, uy, a * y)),
                         qz = ph_fma(c, vz, ph_fma(b, uz, a * z));
            fx[l] += qx;
            fy[l] += qy;
            fz[l] += qz;
            ex[l] += ph_fma(p, vx, b * x);
            ey[l] += ph_fma(p, vy, b * y);
            ez[l] += ph_fma(p, vz, b * z);
            gx[k] = set ? qx : gx[k] + qx;
            gy[k] = set ? qy : gy[k] + qy;
            gz[k] = set ? qz : gz[k] + qz;
            hx[k] = ph_fma(p, ux, set ? c * x : ph_fma(c, x, hx[k]));
            hy[k] = ph_fma(p, uy, set ? c * y : ph_fma(c, y, hy[k]));
            hz[k] = ph_fma(p, uz, set ? c * z : ph_fma(c, z, hz[k]));
        }
    }
    i->force[0] -= ph_add_up(fx);
    i->force[1] -= ph_add_up(fy);
    i->force[2] -= ph_add_up(fz);
    i->field[0] += ph_add_up(ex);
    i->field[1] += ph_add_up(ey);
    i->field[2] += ph_add_up(ez);
}

/* All other pairs, whose coefficients are few, in one loop */
PH_INLINE void apply_others(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                            enum field field, enum ph_kernel_rows rows, bool energy, const struct ph_pair_term *t,
                            size_t n, const struct ph_kernel_j *j, struct ph_kernel_i *i,
                            const struct kernel_work *work)
{
    const bool set = rows == PH_ROWS_RELATIVE_SET;
    const bool dipole_i = ph_kernel_bare(electric) == PH_KERNEL_DIPOLE_CHARGE;
    const bool dipole_j = ph_kernel_bare(electric) == PH_KERNEL_CHARGE_DIPOLE;
    const double *restrict rx = j->r[0], *restrict ry = j->r[1], *restrict rz = j->r[2];
    const double *restrict mx = j->mu[0], *restrict my = j->mu[1], *restrict mz = j->mu[2];
    const double *restrict inv_r = work->inv_r, *restrict s = work->s, *restrict ds = work->ds;
    const double *restrict slow_u = work->u, *restrict slow_w = work->w;
    double *restrict gx = j->force[0], *restrict gy = j->force[1], *restrict gz = j->force[2];
    double *restrict hx = j->field[0], *restrict hy = j->field[1], *restrict hz = j->field[2];
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2], ux = i->mu[0], uy = i->mu[1], uz = i->mu[2];
    double fx[PH_LANES] = {0.0}, fy[PH_LANES] = {0.0}, fz[PH_LANES] = {0.0}, ex[PH_LANES] = {0.0}, ey[PH_LANES] = {0.0},
           ez[PH_LANES] = {0.0}, radial_sum[PH_LANES] = {0.0}, electric_sum[PH_LANES] = {0.0};
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t k = first + l;
            const double x = rx[k] - ix, y = ry[k] - iy, z = rz[k] - iz;
            struct pair p = {.r2 = ph_fma(x, x, ph_fma(y, y, z * z)), .inv_r = inv_r[k]};
            if (dipole_i)
                p.di = ph_fma(ux, x, ph_fma(uy, y, uz * z));
            if (dipole_j)
                p.dj = ph_fma(mx[k], x, ph_fma(my[k], y, mz[k] * z));
            if (truncate == PH_SWITCHED) {
                p.s = s[k];
                p.ds = ds[k];
            }
            if (is_slow(radial) || ph_kernel_screened(electric) || field == SMOOTH_FIELD)
                p.slow = (struct ph_radial_value){slow_u[k], slow_w[k]};
            const struct coefficients c = coefficients(radial, electric, truncate, field, t, &p);
            double qx = c.along_d * x, qy = c.along_d * y, qz = c.along_d * z;
            if (dipole_i) {
                qx = ph_fma(c.along_i, ux, qx);
                qy = ph_fma(c.along_i, uy, qy);
                qz = ph_fma(c.along_i, uz, qz);
                ex[l] += c.along_i * x;
                ey[l] += c.along_i * y;
                ez[l] += c.along_i * z;
            }
            if (dipole_j) {
                qx = ph_fma(c.along_j, mx[k], qx);
                qy = ph_fma(c.along_j, my[k], qy);
                qz = ph_fma(c.along_j, mz[k], qz);
                hx[k] = set ? c.along_j * x : ph_fma(c.along_j, x, hx[k]);
                hy[k] = set ? c.along_j * y : ph_fma(c.along_j, y, hy[k]);
                hz[k] = set ? c.along_j * z : ph_fma(c.along_j, z, hz[k]);
            }
            fx[l] += qx;
            fy[l] += qy;
            fz[l] += qz;
            gx[k] = set ? qx : gx[k] + qx;
            gy[k] = set ? qy : gy[k] + qy;
            gz[k] = set ? qz : gz[k] + qz;
            if (energy) {
                radial_sum[l] += c.radial;
                electric_sum[l] += c.electric;
            }
        }
    }
    i->force[0] -= ph_add_up(fx);
    i->force[1] -= ph_add_up(fy);
    i->force[2] -= ph_add_up(fz);
    i->field[0] += ph_add_up(ex);
    i->field[1] += ph_add_up(ey);
    i->field[2] += ph_add_up(ez);
    i->radial_energy += ph_add_up(radial_sum);
    i->electric_energy += ph_add_up(electric_sum);
}

PH_INLINE void pair_kernel(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                           enum ph_kernel_rows rows, bool energy, const struct ph_pair_term *term, size_t n,
                           const struct ph_kernel_j *sites, struct ph_kernel_i *i)
{
    struct kernel_work work;
    const struct ph_kernel_j j = *sites;
    const struct ph_pair_term t = *term;
    struct ph_kernel_i a = *i;
    if (rows != PH_ROWS_ADD) /* a constant: the subtractions disappear */
        a.r[0] = a.r[1] = a.r[2] = 0.0;
    const bool screened = ph_kernel_screened(electric);
    find_distances(truncate, screened, t.cut2, n, &j, &a, &work);
    if (truncate == PH_SWITCHED) /* not &t: gcc vectorises nothing that reads what others know the address of */
        ph_switch_row(term, n, work.r, work.s, work.ds);
    if (is_slow(radial))
        find_radial(radial, &t, n, &work);
    if (screened)
        find_screen(t.screening, n, &work);
    const bool smooth = ph_kernel_may_be_smooth(electric, truncate) && t.field.edge > 0.0;
    if (ph_kernel_bare(electric) != PH_KERNEL_DIPOLE_DIPOLE) {
        if (smooth) {
            find_smooth(electric, &t, n, &j, &a, &work);
            apply_others(radial, electric, truncate, SMOOTH_FIELD, rows, energy, &t, n, &j, &a, &work);
        } else
            apply_others(radial, electric, truncate, NO_FIELD, rows, energy, &t, n, &j, &a, &work);
    } else {
        if (smooth)
            find_coefficients(radial, electric, truncate, SMOOTH_FIELD, energy, &t, n, &j, &a, &work);
        else if (!screened && t.rf != 0.0)
            find_coefficients(radial, electric, truncate, SHARP_FIELD, energy, &t, n, &j, &a, &work);
        else
            find_coefficients(radial, electric, truncate, NO_FIELD, energy, &t, n, &j, &a, &work);
        apply_dipoles(rows, n, &j, &a, &work);
    }
    *i = a;
}

/* All functions of one combination of terms, as an array [truncate][rows][energy] */
#define PH_KERNEL_FUNCTION(name, radial, electric, truncate, rows, energy)                                             \
    PH_DISPATCHED static void name(const struct ph_pair_term *term, size_t n, const struct ph_kernel_j *j,             \
                                   struct ph_kernel_i *i)                                                              \
    {                                                                                                                  \
        pair_kernel(radial, electric, truncate, rows, energy, term, n, j, i);                                          \
    }
#define PH_KERNEL_SIX(name, radial, electric, truncate)                                                                \
    PH_KERNEL_FUNCTION(name##_add, radial, electric, truncate, PH_ROWS_ADD, false)                                     \
    PH_KERNEL_FUNCTION(name##_add_energy, radial, electric, truncate, PH_ROWS_ADD, true)                               \
    PH_KERNEL_FUNCTION(name##_near_set, radial, electric, truncate, PH_ROWS_RELATIVE_SET, false)                       \
    PH_KERNEL_FUNCTION(name##_near_set_energy, radial, electric, truncate, PH_ROWS_RELATIVE_SET, true)                 \
    PH_KERNEL_FUNCTION(name##_near_add, radial, electric, truncate, PH_ROWS_RELATIVE_ADD, false)                       \
    PH_KERNEL_FUNCTION(name##_near_add_energy, radial, electric, truncate, PH_ROWS_RELATIVE_ADD, true)
#define PH_KERNEL_ENTRY(name)                                                                                          \
    {                                                                                                                  \
        {name##_add, name##_add_energy}, {name##_near_set, name##_near_set_energy},                                    \
        {                                                                                                              \
            name##_near_add, name##_near_add_energy                                                                    \
        }                                                                                                              \
    }
#define PH_KERNEL_FAMILY(name, radial, electric)                                                                       \
    PH_KERNEL_SIX(name##_endless, radial, electric, PH_ENDLESS)                                                        \
    PH_KERNEL_SIX(name##_inside, radial, electric, PH_INSIDE)                                                          \
    PH_KERNEL_SIX(name##_cut, radial, electric, PH_CUT)                                                                \
    PH_KERNEL_SIX(name##_shifted, radial, electric, PH_SHIFTED)                                                        \
    PH_KERNEL_SIX(name##_switched, radial, electric, PH_SWITCHED)                                                      \
    ph_kernel *const name[PH_TRUNCATE_KINDS][PH_ROWS_KINDS][2] = {                                                     \
        [PH_ENDLESS] = PH_KERNEL_ENTRY(name##_endless),   [PH_INSIDE] = PH_KERNEL_ENTRY(name##_inside),                \
        [PH_CUT] = PH_KERNEL_ENTRY(name##_cut),           [PH_SHIFTED] = PH_KERNEL_ENTRY(name##_shifted),              \
        [PH_SWITCHED] = PH_KERNEL_ENTRY(name##_switched),                                                              \
    };

#endif
