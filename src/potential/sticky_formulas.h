/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_STICKY_FORMULAS_H
#define PH_POTENTIAL_STICKY_FORMULAS_H

/* The form of sticky dipoles, water in one site: Y. Liu, T. Ichiye, J. Phys. Chem. 100 (1996) 2723; as in C. J.
 * Fennell, J. D. Gezelter, J. Chem. Phys. 120 (2004) 9175. z is the axis of the dipole, and the hydrogens lie in the
 * plane of y and z.
 *
 *   u = (v0/2) [s(r) w + s'(r) w']
 *   w = 2 (ax^2 - ay^2) az + the same of b,  w' = (az - 0.6)^2 (az + 0.8)^2 + the same of b - 2 w0
 *
 * a is the direction to the other molecule in the frame of the first one, b in the frame of the second one. So a = p,
 * and b = -q. s is 1 up to rl and 0 from ru on, s' likewise with rl' and ru'. */

#include "potential/angular.h"
#include "potential/angular_scalars.h"
#include "potential/dual_switch.h"

#include <string.h>

enum ph_sticky_constants {
    PH_SKC_HALF_V0,
    PH_SKC_TWO_W0,
    PH_SKC_ON,      /* rl */
    PH_SKC_INVERSE, /* 1/(ru - rl) */
    PH_SKC_ON_PRIME,
    PH_SKC_INVERSE_PRIME,
    PH_SKC_SHAPE /* of the switches */
};

static inline size_t ph_sticky_axes(const struct ph_angular *a, size_t axis[3])
{
    (void)a;
    for (size_t x = 0; x < 3; ++x)
        axis[x] = x;
    return 3;
}

static inline double ph_sticky_size(const struct ph_angular *a)
{
    return fmin(a->number[PH_STICKY_RL], a->number[PH_STICKY_RL_PRIME]);
}

static inline double ph_sticky_depth(const struct ph_angular *a) { return a->number[PH_STICKY_V0]; }

static inline double ph_sticky_end(const struct ph_angular *a)
{
    return fmax(a->number[PH_STICKY_RU], a->number[PH_STICKY_RU_PRIME]);
}

/* Where second derivatives jump; returns the number of distances. */
static inline size_t ph_sticky_jumps(const struct ph_angular *a, double at[4])
{
    memcpy(at, &a->number[PH_STICKY_RL], 4 * sizeof *at);
    return a->number[PH_STICKY_SMOOTHNESS] == 1.0 ? 4 : 0;
}

static inline bool ph_sticky_of_radial(const struct ph_angular *partner, const struct ph_radial *radial,
                                       struct ph_angular *out)
{
    (void)radial;
    *out = *partner;
    return false;
}

static inline void ph_sticky_constants(const struct ph_angular *one, const struct ph_angular *other,
                                       const struct ph_angular *pair, double k[PH_ANGULAR_CONSTANTS])
{
    (void)one;
    (void)other;
    const double *number = pair->number;
    k[PH_SKC_HALF_V0] = 0.5 * number[PH_STICKY_V0];
    k[PH_SKC_TWO_W0] = 2.0 * number[PH_STICKY_W0];
    k[PH_SKC_ON] = number[PH_STICKY_RL];
    k[PH_SKC_INVERSE] = 1.0 / (number[PH_STICKY_RU] - number[PH_STICKY_RL]);
    k[PH_SKC_ON_PRIME] = number[PH_STICKY_RL_PRIME];
    k[PH_SKC_INVERSE_PRIME] = 1.0 / (number[PH_STICKY_RU_PRIME] - number[PH_STICKY_RL_PRIME]);
    ph_shape_switch(number[PH_STICKY_SMOOTHNESS], k + PH_SKC_SHAPE);
}

/* u of a pair and its slopes by r, a.n and b.n, and the rates of all these */
struct ph_sticky_slopes {
    struct ph_moving u, r, px, py, pz, qx, qy, qz;
};

/* (z - 0.6)^2 (z + 0.8)^2 for turn = 0.2, and the same of -z for turn = -0.2: h^2 with h = z (z + turn) - 0.48. Sets
 * its slope, too. */
PH_INLINE struct ph_moving ph_sticky_quartic(struct ph_moving z, double turn, struct ph_moving *slope)
{
    const struct ph_moving other = {z.v + turn, z.t};
    const struct ph_moving h = ph_moving_fma(z, other, ph_moving_constant(-0.48));
    *slope = ph_moving_product(ph_moving_times(2.0, h), ph_moving_add(z, other));
    return ph_moving_product(h, h);
}

/* All slopes at once, because they share the switches. (p, q) are a.n and b.n. */
PH_INLINE struct ph_sticky_slopes ph_sticky_closed(const double *k, struct ph_moving r, struct ph_moving px,
                                                   struct ph_moving py, struct ph_moving pz, struct ph_moving qx,
                                                   struct ph_moving qy, struct ph_moving qz)
{
    struct ph_dual at = ph_dual_constant(r.v);
    at.t = r.t;
    at.d0 = 1.0;
    const double *shape = k + PH_SKC_SHAPE;
    const struct ph_dual near = ph_dual_switch(shape, k[PH_SKC_ON], k[PH_SKC_INVERSE], at);
    const struct ph_dual far = ph_dual_switch(shape, k[PH_SKC_ON_PRIME], k[PH_SKC_INVERSE_PRIME], at);
    const double v0 = 2.0 * k[PH_SKC_HALF_V0];
    const struct ph_moving s = {v0 * near.v, v0 * near.t}, s_slope = {v0 * near.d0, v0 * near.e0};
    const struct ph_moving s_prime = {k[PH_SKC_HALF_V0] * far.v, k[PH_SKC_HALF_V0] * far.t};
    const struct ph_moving s_prime_slope = {k[PH_SKC_HALF_V0] * far.d0, k[PH_SKC_HALF_V0] * far.e0};
    const struct ph_moving p2 = ph_moving_minor(px, px, py, py), q2 = ph_moving_minor(qx, qx, qy, qy);
    struct ph_moving p_slope, q_slope, w_prime = ph_sticky_quartic(pz, 0.2, &p_slope);
    w_prime = ph_moving_add(w_prime, ph_sticky_quartic(qz, -0.2, &q_slope));
    w_prime.v -= k[PH_SKC_TWO_W0];
    const struct ph_moving half_w = ph_moving_minor(p2, pz, q2, qz);
    const struct ph_moving p_arm = ph_moving_times(2.0, ph_moving_product(s, pz));
    const struct ph_moving q_arm = ph_moving_times(-2.0, ph_moving_product(s, qz));
    const struct ph_moving minus_s = ph_moving_times(-1.0, s);
    return (struct ph_sticky_slopes){
        .u = ph_moving_fma(s, half_w, ph_moving_product(s_prime, w_prime)),
        .r = ph_moving_fma(s_slope, half_w, ph_moving_product(s_prime_slope, w_prime)),
        .px = ph_moving_product(p_arm, px),
        .py = ph_moving_times(-1.0, ph_moving_product(p_arm, py)),
        .pz = ph_moving_fma(s, p2, ph_moving_product(s_prime, p_slope)),
        .qx = ph_moving_product(q_arm, qx),
        .qy = ph_moving_times(-1.0, ph_moving_product(q_arm, qy)),
        .qz = ph_moving_fma(minus_s, q2, ph_moving_product(s_prime, q_slope)),
    };
}

PH_INLINE struct ph_dual ph_sticky(const double *k, int na, int nb, const struct ph_angular_scalars *s)
{
    (void)na;
    (void)nb;
    const struct ph_sticky_slopes of =
        ph_sticky_closed(k, ph_moving_of(s->r), ph_moving_of(s->p[0]), ph_moving_of(s->p[1]), ph_moving_of(s->p[2]),
                         ph_moving_of(s->q[0]), ph_moving_of(s->q[1]), ph_moving_of(s->q[2]));
    struct ph_dual u = ph_dual_through(ph_dual_begin(of.u), of.r, s->r);
    u = ph_dual_through(ph_dual_through(ph_dual_through(u, of.px, s->p[0]), of.py, s->p[1]), of.pz, s->p[2]);
    return ph_dual_through(ph_dual_through(ph_dual_through(u, of.qx, s->q[0]), of.qy, s->q[1]), of.qz, s->q[2]);
}

#endif
