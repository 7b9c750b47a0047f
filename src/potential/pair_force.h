/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_PAIR_FORCE_H
#define PH_POTENTIAL_PAIR_FORCE_H

/* Force, fields and energy of one pair of sites. Arguments that select terms are constants at every call. So the
 * compiler removes the terms that a combination does not use.
 * d = r_j - r_i, r = |d|, n = d/r. Every term is an angular factor times a radial function h:
 *   charge-charge   u = s h,                        h = 1/r + rf r^2 - rf_zero
 *   charge-dipole   u = -s (mu_j.n) h,              h = 1/r^2 - 2 rf r
 *   dipole-charge   u = s (mu_i.n) h,               h = 1/r^2 - 2 rf r
 *   dipole-dipole   u = s [A h + (mu_i.mu_j) w],    h = 1/r^3, A = mu_i.mu_j - 3 (mu_i.n)(mu_j.n), w = -2 rf
 * with s the Coulomb constant times the charges. */

/* Screened terms, and reaction fields that end smoothly, have B0, B1 (mu.d) and B1 (mu_i.mu_j) - B2 (mu_i.d)(mu_j.d)
 * in place of these, see potential/electric.h. Fields are -du/dmu; a torque is mu x field, once per molecule. */

#include "potential/pair.h"

/* Of forms without a loop of their own */
PH_INLINE struct ph_radial_value radial_function(enum ph_kernel_radial radial, const struct ph_pair_term *t,
                                                 double inv_r2)
{
    if (radial == PH_KERNEL_LENNARD_JONES || radial == PH_KERNEL_WCA)
        return ph_lennard_jones(t->four_epsilon, t->sigma2, inv_r2);
    return ph_soft_sphere_12(t->four_epsilon, t->sigma2, inv_r2);
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

/* Kinds of electric terms: without a reaction field; with rf of dipoles (rf of charges costs nothing where it is 0);
 * with a reaction field that ends smoothly; or the pairs of an Ewald sum that end by themselves */
enum field { NO_FIELD, SHARP_FIELD, SMOOTH_FIELD, SPLIT_FIELD };

PH_INLINE bool is_slow(enum ph_kernel_radial radial) { return radial == PH_KERNEL_IN_LOOP; }

/* Coefficients of one pair. The force on j is along_d d + along_i mu_i + along_j mu_j, and the force on i is its
 * negative. The field at i is along_i d - plain mu_j, and the field at j is along_j d - plain mu_i. */
struct coefficients {
    double along_d, along_i, along_j, plain, radial, electric;
};

/* Data of a pair: 1/r, switch and its slope, mu_i.d, mu_j.d, mu_i.mu_j */
struct pair {
    double r2, inv_r, s, ds, di, dj, cij;
    struct ph_radial_value slow; /* results of a separate loop: radial function, B0 and g, or results of find_smooth */
};

PH_INLINE struct ph_radial_value radial_part(enum ph_kernel_radial radial, enum ph_truncate truncate,
                                             const struct ph_pair_term *t, const struct pair *p)
{
    if (radial == PH_KERNEL_NO_RADIAL)
        return (struct ph_radial_value){0.0, 0.0};
    const struct ph_radial_value f = is_slow(radial) ? p->slow : radial_function(radial, t, p->inv_r * p->inv_r);
    if (radial == PH_KERNEL_WCA) {
        const bool touching = !(p->r2 >= t->wca_cut2); /* true for NaN, so that it shows */
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
    const bool in = !(p->r2 >= t->cut2); /* also NaN, so that it shows */
    const struct ph_smooth b = ph_smooth(&t->field, p->r2, p->inv_r);
    const double b1 = in ? k * b.b1 : 0.0, b2 = in ? k * b.b2 : 0.0, b3 = in ? k * b.b3 : 0.0;
    add_potential(electric, found, (struct ph_radial_value){b1, b2}, (struct ph_radial_value){b2, b3}, p, c);
}

/* Pairs of an Ewald sum that end by themselves */
PH_INLINE void add_split(enum ph_kernel_electric electric, enum ph_truncate truncate, const struct ph_pair_term *t,
                         const struct pair *p, struct coefficients *c)
{
    const struct ph_smooth b =
        ph_split_functions(t->split, t->strength, truncate == PH_INSIDE, t->cut2, p->r2, p->inv_r);
    add_potential(electric, (struct ph_radial_value){b.b0, b.b1}, (struct ph_radial_value){b.b1, b.b2},
                  (struct ph_radial_value){b.b2, b.b3}, p, c);
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

/* Sites in one place give forces that are not finite, whatever the truncation. */
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
    if (field == SPLIT_FIELD) {
        add_split(electric, truncate, t, p, &c);
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

#endif
