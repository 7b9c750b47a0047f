/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_DUAL_H
#define PH_POTENTIAL_DUAL_H

/* Numbers that carry derivatives: forward differentiation of a function of many scalars. d0 to d3 are the derivatives
 * in four directions, t is the derivative along a motion, and e0 to e3 are the derivatives of d0 to d3 along it. So one
 * text gives energy, forces and rates. Value and d never need t and e: the compiler removes what nobody reads. */

/* Sums and products are written out by member, because compilers do not vectorise arrays in structs. */

#include "base/lanes.h"

#include <math.h>

enum { PH_DIRECTIONS = 4 };

struct ph_dual {
    double v, t, d0, d1, d2, d3, e0, e1, e2, e3;
};

#define PH_DUAL_OF(value, along, D, E)                                                                                 \
    ((struct ph_dual){value, along, D(d0), D(d1), D(d2), D(d3), E(d0, e0), E(d1, e1), E(d2, e2), E(d3, e3)})

/* A constant */
PH_INLINE struct ph_dual ph_dual_constant(double v)
{
    return (struct ph_dual){v, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
}

PH_INLINE struct ph_dual ph_dual_add(struct ph_dual a, struct ph_dual b)
{
#define D(d) a.d + b.d
#define E(d, e) a.e + b.e
    return PH_DUAL_OF(a.v + b.v, a.t + b.t, D, E);
#undef D
#undef E
}

PH_INLINE struct ph_dual ph_dual_subtract(struct ph_dual a, struct ph_dual b)
{
#define D(d) a.d - b.d
#define E(d, e) a.e - b.e
    return PH_DUAL_OF(a.v - b.v, a.t - b.t, D, E);
#undef D
#undef E
}

/* a + c */
PH_INLINE struct ph_dual ph_dual_plus(struct ph_dual a, double c)
{
    a.v += c;
    return a;
}

/* c a */
PH_INLINE struct ph_dual ph_dual_times(double c, struct ph_dual a)
{
#define D(d) c *a.d
#define E(d, e) c *a.e
    return PH_DUAL_OF(c * a.v, c * a.t, D, E);
#undef D
#undef E
}

PH_INLINE struct ph_dual ph_dual_product(struct ph_dual a, struct ph_dual b)
{
#define D(d) ph_fma(a.d, b.v, a.v *b.d)
#define E(d, e) ph_fma(a.d, b.t, a.t *b.d) + ph_fma(a.e, b.v, a.v *b.e)
    return PH_DUAL_OF(a.v * b.v, ph_fma(a.t, b.v, a.v * b.t), D, E);
#undef D
#undef E
}

PH_INLINE struct ph_dual ph_dual_square(struct ph_dual a)
{
    const double twice = 2.0 * a.v, along = 2.0 * a.t;
#define D(d) twice *a.d
#define E(d, e) ph_fma(twice, a.e, along *a.d)
    return PH_DUAL_OF(a.v * a.v, twice * a.t, D, E);
#undef D
#undef E
}

/* f(a) from its value, slope and curvature there */
PH_INLINE struct ph_dual ph_dual_chain(struct ph_dual a, double f, double slope, double curvature)
{
    const double along = curvature * a.t;
#define D(d) slope *a.d
#define E(d, e) ph_fma(slope, a.e, along *a.d)
    return PH_DUAL_OF(f, slope * a.t, D, E);
#undef D
#undef E
}

/* 1/a */
PH_INLINE struct ph_dual ph_dual_inverse(struct ph_dual a)
{
    const double f = 1.0 / a.v, slope = -f * f;
    return ph_dual_chain(a, f, slope, -2.0 * (slope * f));
}

/* 1/sqrt(a) */
PH_INLINE struct ph_dual ph_dual_inverse_sqrt(struct ph_dual a)
{
    const double f = ph_inverse_sqrt(a.v), f3 = f * f * f;
    return ph_dual_chain(a, f, -0.5 * f3, 0.75 * (f3 * f * f));
}

/* a^p for a > 0 */
PH_SPECIALISED struct ph_dual ph_dual_power(struct ph_dual a, double p)
{
    const double f = ph_exp(p * ph_log(a.v)), inverse = 1.0 / a.v, slope = p * f * inverse;
    return ph_dual_chain(a, f, slope, (p - 1.0) * slope * inverse);
}

/* ---- Closed derivatives: of functions whose slopes by their arguments are cheaper than a chain of operations ---- */

/* A value and its rate along the motion */
struct ph_moving {
    double v, t;
};

PH_INLINE struct ph_moving ph_moving_of(struct ph_dual a) { return (struct ph_moving){a.v, a.t}; }
PH_INLINE struct ph_moving ph_moving_constant(double v) { return (struct ph_moving){v, 0.0}; }
PH_INLINE struct ph_moving ph_moving_times(double c, struct ph_moving a)
{
    return (struct ph_moving){c * a.v, c * a.t};
}

PH_INLINE struct ph_moving ph_moving_add(struct ph_moving a, struct ph_moving b)
{
    return (struct ph_moving){a.v + b.v, a.t + b.t};
}

PH_INLINE struct ph_moving ph_moving_product(struct ph_moving a, struct ph_moving b)
{
    return (struct ph_moving){a.v * b.v, ph_fma(a.t, b.v, a.v * b.t)};
}

/* a b + c */
PH_INLINE struct ph_moving ph_moving_fma(struct ph_moving a, struct ph_moving b, struct ph_moving c)
{
    return (struct ph_moving){ph_fma(a.v, b.v, c.v), ph_fma(a.t, b.v, ph_fma(a.v, b.t, c.t))};
}

/* a b - c d */
PH_INLINE struct ph_moving ph_moving_minor(struct ph_moving a, struct ph_moving b, struct ph_moving c,
                                           struct ph_moving d)
{
    return ph_moving_fma(a, b, ph_moving_times(-1.0, ph_moving_product(c, d)));
}

/* (a, b, c).(x, y, z) */
PH_INLINE struct ph_moving ph_moving_dot(struct ph_moving a, struct ph_moving b, struct ph_moving c, struct ph_moving x,
                                         struct ph_moving y, struct ph_moving z)
{
    return ph_moving_fma(a, x, ph_moving_fma(b, y, ph_moving_product(c, z)));
}

PH_INLINE struct ph_moving ph_moving_inverse(struct ph_moving a)
{
    const double f = 1.0 / a.v;
    return (struct ph_moving){f, -f * f * a.t};
}

/* A function with this value and no derivatives yet */
PH_INLINE struct ph_dual ph_dual_begin(struct ph_moving value)
{
    struct ph_dual f = ph_dual_constant(value.v);
    f.t = value.t;
    return f;
}

/* Adds the derivatives that f has through its argument a. */
PH_INLINE struct ph_dual ph_dual_through(struct ph_dual f, struct ph_moving slope, struct ph_dual a)
{
#define D(d) ph_fma(slope.v, a.d, f.d)
#define E(d, e) ph_fma(slope.v, a.e, ph_fma(slope.t, a.d, f.e))
    return PH_DUAL_OF(f.v, f.t, D, E);
#undef D
#undef E
}

/* a, or infinity with all its derivatives where it is forbidden */
PH_INLINE struct ph_dual ph_dual_wall(struct ph_dual a, bool forbidden)
{
    const double big = (double)INFINITY;
#define D(d) forbidden ? big : a.d
#define E(d, e) forbidden ? big : a.e
    return PH_DUAL_OF(forbidden ? big : a.v, forbidden ? big : a.t, D, E);
#undef D
#undef E
}

#endif
