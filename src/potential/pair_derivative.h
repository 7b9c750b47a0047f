/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_PAIR_DERIVATIVE_H
#define PH_POTENTIAL_PAIR_DERIVATIVE_H

/* Rates of the terms of one pair of sites along a motion. pair_force.h defines the terms and truncations.
 *
 * With d = r_j - r_i the force on j is R d + A_i mu_i + A_j mu_j, and the force on i is its negative. The field at i
 * is A_i d - P mu_j, and the field at j is A_j d - P mu_i. Let p = d.v, v the rate of d. A radial function h with w
 * = -h'/r and x = -w'/r changes at the rate -w p, and w at the rate -x p. */

/* So, for every term:
 *   radial, charge-charge   R = w
 *   charge-dipole           A_j = k, R = -(mu_j.d) w_k, with k = h/r and its own w_k and x_k
 *   dipole-charge           A_i = -k, R = (mu_i.d) w_k
 *   dipole-dipole           A_i = T (mu_j.d), A_j = T (mu_i.d), T = 3 h/r^2, which changes at the rate -G p/r^2
 *                           P = h + b, b the reaction field
 *                           R = (w + w_b) mu_i.mu_j - G (mu_i.d)(mu_j.d)/r^2, G = 3 w + 2 T */

/* Screened terms, and reaction fields that end smoothly, have functions of their own, each with its w and x: for
 * charges h = B0; with one dipole k = B1; for two dipoles P = B1, T = B2, and R = w_P mu_i.mu_j - w_T (mu_i.d)(mu_j.d).
 * Here h has the Coulomb constant and the charges in it. */

#include "potential/pair.h"

PH_INLINE bool is_slow(enum ph_kernel_radial radial) { return radial == PH_KERNEL_IN_LOOP; }

/* Of forms without a loop of their own */
PH_INLINE struct ph_radial_bend radial_bend(enum ph_kernel_radial radial, const struct ph_pair_term *t, double inv_r2)
{
    if (radial == PH_KERNEL_NO_RADIAL)
        return (struct ph_radial_bend){0.0, 0.0, 0.0};
    if (radial == PH_KERNEL_LENNARD_JONES || radial == PH_KERNEL_WCA)
        return ph_lennard_jones_bend(t->four_epsilon, t->sigma2, inv_r2);
    return ph_power_bend(ph_soft_sphere_12(t->four_epsilon, t->sigma2, inv_r2), 12.0, inv_r2);
}

PH_INLINE struct ph_radial_bend electric_bend(enum ph_kernel_electric electric, const struct ph_pair_term *t, double r,
                                              double inv_r)
{
    if (electric == PH_KERNEL_CHARGE_CHARGE)
        return ph_charge_charge_bend(t->strength, t->rf, t->rf_zero, r, inv_r);
    if (electric == PH_KERNEL_DIPOLE_DIPOLE)
        return ph_dipole_dipole_bend(t->strength, inv_r);
    return ph_charge_dipole_bend(t->strength, t->rf, r, inv_r);
}

/* The switch of one pair: S, S'/r, (S'' - S'/r)/r^2 */
struct switched {
    double s, ds, bend;
};

/* The truncated function; `vanishes`: f is 0 for 1/r = 0 anyway */
PH_INLINE struct ph_radial_bend end_bend(enum ph_truncate truncate, struct ph_kernel_tail tail, struct ph_radial_bend f,
                                         double r, double inv_r, bool vanishes, struct switched s)
{
    const bool in = inv_r != 0.0;
    if (truncate == PH_ENDLESS || truncate == PH_INSIDE || (truncate == PH_CUT && vanishes))
        return f;
    if (truncate == PH_CUT)
        return (struct ph_radial_bend){in ? f.u : 0.0, in ? f.w : 0.0, in ? f.x : 0.0};
    if (truncate == PH_SHIFTED) {
        const double slope = tail.c1 * inv_r, w = f.w - slope, x = ph_fma(-slope, inv_r * inv_r, f.x);
        return (struct ph_radial_bend){in ? f.u + ph_fma(tail.c1, r, tail.c0) : 0.0, in ? w : 0.0, in ? x : 0.0};
    }
    return (struct ph_radial_bend){s.s * f.u, ph_fma(s.s, f.w, -(s.ds * f.u)),
                                   ph_fma(s.s, f.x, ph_fma(-2.0 * s.ds, f.w, s.bend * f.u))};
}

/* Data of a pair: 1/r, the switch, the radial function where it has a loop of its own, products of d, mu_i and mu_j,
 * and their rates; p is half the rate of r^2 */
struct moving_pair {
    double inv_r;
    struct switched s;
    struct ph_radial_bend slow; /* screened: B0 and g */
    double r2, di, dj, cij, p, di_rate, dj_rate, cij_rate;
};

/* R, A_i, A_j, P and their rates; the last is minus the rate of P */
struct bent_pair {
    double along_r, along_i, along_j, plain, r_rate, i_rate, j_rate, plain_fall;
};

/* h/r */
PH_INLINE struct ph_radial_bend over_r(struct ph_radial_bend h, double inv_r)
{
    const double inv_r2 = inv_r * inv_r;
    return (struct ph_radial_bend){h.u * inv_r, inv_r * ph_fma(h.u, inv_r2, h.w),
                                   inv_r * ph_fma(inv_r2, ph_fma(3.0 * h.u, inv_r2, 2.0 * h.w), h.x)};
}

/* A charge and a dipole; here d is mu.d of the dipole */
PH_INLINE void add_charge_dipole(bool dipole_is_j, struct ph_radial_bend k, const struct moving_pair *v,
                                 struct bent_pair *c)
{
    const double sign = dipole_is_j ? -1.0 : 1.0, d = dipole_is_j ? v->dj : v->di;
    const double d_rate = dipole_is_j ? v->dj_rate : v->di_rate;
    c->along_r = ph_fma(sign * d, k.w, c->along_r);
    c->r_rate = sign * ph_fma(d_rate, k.w, -(d * k.x * v->p));
    c->along_i = c->along_j = -sign * k.u;
    c->i_rate = c->j_rate = sign * k.w * v->p;
}

/* h = k/r^3, neither shifted nor switched */
PH_INLINE void add_plain_dipoles(struct ph_radial_bend h, double inv_r2, const struct moving_pair *v,
                                 struct bent_pair *c)
{
    const double t = h.w, five = 5.0 * inv_r2, five_p = five * v->p, dd = five * (v->di * v->dj);
    const double mixed = ph_fma(v->di_rate, v->dj, v->di * v->dj_rate);
    const double turn = ph_fma(-five, mixed, v->cij_rate), shrink = ph_fma(-1.4, dd, v->cij);
    c->along_r = ph_fma(t, v->cij - dd, c->along_r);
    c->r_rate = t * ph_fma(-five_p, shrink, turn);
    c->along_i = t * v->dj;
    c->along_j = t * v->di;
    c->i_rate = t * ph_fma(-five_p, v->dj, v->dj_rate);
    c->j_rate = t * ph_fma(-five_p, v->di, v->di_rate);
    c->plain = h.u;
    c->plain_fall = t * v->p;
}

/* Two dipoles with any P and T */
PH_INLINE void couple_dipoles(struct ph_radial_bend p, struct ph_radial_bend t, const struct moving_pair *v,
                              struct bent_pair *c)
{
    const double dd = v->di * v->dj, mixed = ph_fma(v->di_rate, v->dj, v->di * v->dj_rate);
    const double shrink = ph_fma(dd, t.x, -(p.x * v->cij)), fall = t.w * v->p;
    c->along_r = ph_fma(p.w, v->cij, ph_fma(-t.w, dd, c->along_r));
    c->r_rate = ph_fma(p.w, v->cij_rate, ph_fma(-t.w, mixed, v->p * shrink));
    c->along_i = t.u * v->dj;
    c->along_j = t.u * v->di;
    c->i_rate = ph_fma(t.u, v->dj_rate, -(fall * v->dj));
    c->j_rate = ph_fma(t.u, v->di_rate, -(fall * v->di));
    c->plain = p.u;
    c->plain_fall = p.w * v->p;
}

/* Any h; rf: b is the reaction field */
PH_INLINE void add_dipoles(struct ph_radial_bend h, bool rf, struct ph_radial_bend b, double inv_r2,
                           const struct moving_pair *v, struct bent_pair *c)
{
    const double t = 3.0 * h.u * inv_r2, g = inv_r2 * ph_fma(3.0, h.w, 2.0 * t);
    const struct ph_radial_bend along = {t, g, inv_r2 * ph_fma(3.0, h.x, 4.0 * g)};
    couple_dipoles(rf ? (struct ph_radial_bend){h.u + b.u, h.w + b.w, h.x + b.x} : h, along, v, c);
}

/* Terms from B0, B1 and B2 */
PH_INLINE void add_potential(enum ph_kernel_electric bare, struct ph_radial_bend b0, struct ph_radial_bend b1,
                             struct ph_radial_bend b2, const struct moving_pair *v, struct bent_pair *c)
{
    if (bare == PH_KERNEL_CHARGE_CHARGE) {
        c->along_r += b0.w;
        c->r_rate = -(b0.x * v->p);
    } else if (bare == PH_KERNEL_DIPOLE_DIPOLE) {
        couple_dipoles(b1, b2, v, c);
    } else {
        add_charge_dipole(bare == PH_KERNEL_CHARGE_DIPOLE, b1, v, c);
    }
}

PH_INLINE void add_smooth(enum ph_kernel_electric electric, const struct ph_pair_term *t, const struct moving_pair *v,
                          struct bent_pair *c)
{
    const bool in = !(v->r2 >= t->cut2);
    const double k = t->strength;
    const struct ph_smooth b = ph_smooth(&t->field, v->r2, v->inv_r);
    const double b0 = in ? k * b.b0 : 0.0, b1 = in ? k * b.b1 : 0.0, b2 = in ? k * b.b2 : 0.0;
    const double b3 = in ? k * b.b3 : 0.0, b4 = in ? k * b.b4 : 0.0;
    add_potential(electric, (struct ph_radial_bend){b0, b1, b2}, (struct ph_radial_bend){b1, b2, b3},
                  (struct ph_radial_bend){b2, b3, b4}, v, c);
}

PH_INLINE void add_split(enum ph_kernel_electric electric, enum ph_truncate truncate, const struct ph_pair_term *t,
                         const struct moving_pair *v, struct bent_pair *c)
{
    const struct ph_smooth b =
        ph_split_functions(t->split, t->strength, truncate == PH_INSIDE, t->cut2, v->r2, v->inv_r);
    add_potential(electric, (struct ph_radial_bend){b.b0, b.b1, b.b2}, (struct ph_radial_bend){b.b1, b.b2, b.b3},
                  (struct ph_radial_bend){b.b2, b.b3, b.b4}, v, c);
}

PH_INLINE void add_screened(enum ph_kernel_electric electric, enum ph_truncate truncate, const struct ph_pair_term *t,
                            const struct moving_pair *v, struct bent_pair *c)
{
    const double inv_r = v->inv_r, k = t->strength;
    const struct ph_kernel_tail none = {0.0, 0.0};
    const struct ph_screen s = {v->slow.u, v->slow.w};
    const struct ph_screened b = ph_screened(t->screening, s, inv_r * inv_r);
    const struct ph_radial_bend charges = {k * s.b0, k * b.b1, k * b.b2}, mixed = {k * b.b1, k * b.b2, k * b.b3};
    const struct ph_radial_bend dipoles = {k * b.b2, k * b.b3, k * b.b4};
    add_potential(ph_kernel_bare(electric), end_bend(truncate, none, charges, 0.0, inv_r, true, v->s),
                  end_bend(truncate, none, mixed, 0.0, inv_r, true, v->s),
                  end_bend(truncate, none, dipoles, 0.0, inv_r, true, v->s), v, c);
}

/* Kinds of electric terms: without a reaction field; with the field of two dipoles, a constant that is cut or switched;
 * with a reaction field that ends smoothly; or the pairs of an Ewald sum that end by themselves */
enum field { NO_FIELD, SHARP_FIELD, SMOOTH_FIELD, SPLIT_FIELD };

PH_INLINE void add_electric(enum ph_kernel_electric electric, enum ph_truncate truncate, enum field kind,
                            const struct ph_pair_term *t, const struct moving_pair *v, struct bent_pair *c)
{
    if (ph_kernel_screened(electric)) {
        add_screened(electric, truncate, t, v, c);
        return;
    }
    if (kind == SMOOTH_FIELD) {
        add_smooth(electric, t, v, c);
        return;
    }
    if (kind == SPLIT_FIELD) {
        add_split(electric, truncate, t, v, c);
        return;
    }
    const bool rf = kind == SHARP_FIELD;
    const double inv_r = v->inv_r, r = v->r2 * inv_r, inv_r2 = inv_r * inv_r, field = -2.0 * t->rf;
    const struct ph_radial_bend h = end_bend(truncate, t->electric, electric_bend(electric, t, r, inv_r), r, inv_r,
                                             electric != PH_KERNEL_CHARGE_CHARGE, v->s);
    if (electric == PH_KERNEL_CHARGE_CHARGE) {
        c->along_r += h.w;
        c->r_rate = -(h.x * v->p);
    } else if (electric != PH_KERNEL_DIPOLE_DIPOLE) {
        add_charge_dipole(electric == PH_KERNEL_CHARGE_DIPOLE, over_r(h, inv_r), v, c);
    } else if (truncate == PH_ENDLESS || truncate == PH_INSIDE || truncate == PH_CUT) {
        add_plain_dipoles(h, inv_r2, v, c);
        if (rf)
            c->plain += truncate == PH_INSIDE || inv_r != 0.0 ? field : 0.0;
    } else if (truncate == PH_SHIFTED) {
        add_dipoles(h, rf, (struct ph_radial_bend){inv_r != 0.0 ? field : 0.0, 0.0, 0.0}, inv_r2, v, c);
    } else {
        add_dipoles(h, rf, (struct ph_radial_bend){field * v->s.s, -field * v->s.ds, field * v->s.bend}, inv_r2, v, c);
    }
}

PH_INLINE struct bent_pair bend_pair(enum ph_kernel_radial radial, enum ph_kernel_electric electric,
                                     enum ph_truncate truncate, enum field field, const struct ph_pair_term *t,
                                     const struct moving_pair *v)
{
    const double inv_r = v->inv_r;
    struct ph_radial_bend f = is_slow(radial) ? v->slow : radial_bend(radial, t, inv_r * inv_r);
    if (radial == PH_KERNEL_WCA) {
        const bool apart = v->r2 >= t->wca_cut2;
        f.w = apart ? 0.0 : f.w;
        f.x = apart ? 0.0 : f.x;
    } else if (radial != PH_KERNEL_NO_RADIAL) {
        f = end_bend(truncate, t->radial, f, v->r2 * inv_r, inv_r, !is_slow(radial), v->s);
    }
    struct bent_pair c = {.along_r = f.w, .r_rate = 0.0};
    if (electric == PH_KERNEL_NO_ELECTRIC) {
        c.r_rate = -(f.x * v->p);
        return c;
    }
    add_electric(electric, truncate, field, t, v, &c);
    if (radial != PH_KERNEL_NO_RADIAL)
        c.r_rate = ph_fma(-f.x, v->p, c.r_rate);
    return c;
}

#endif
