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

/* (x^2 - y^2) z */
PH_INLINE struct ph_dual ph_sticky_cubic(const struct ph_dual a[PH_AXES_MAX])
{
    return ph_dual_product(ph_dual_subtract(ph_dual_square(a[0]), ph_dual_square(a[1])), a[2]);
}

/* (z - 0.6)^2 (z + 0.8)^2 for turn = 0.2, and the same of -z for turn = -0.2 */
PH_INLINE struct ph_dual ph_sticky_quartic(struct ph_dual z, double turn)
{
    return ph_dual_square(ph_dual_plus(ph_dual_product(z, ph_dual_plus(z, turn)), -0.48));
}

PH_INLINE struct ph_dual ph_sticky(const double *k, int na, int nb, const struct ph_angular_scalars *s)
{
    (void)na;
    (void)nb;
    const struct ph_dual w = ph_dual_times(2.0, ph_dual_subtract(ph_sticky_cubic(s->p), ph_sticky_cubic(s->q)));
    const struct ph_dual w_prime =
        ph_dual_plus(ph_dual_add(ph_sticky_quartic(s->p[2], 0.2), ph_sticky_quartic(s->q[2], -0.2)), -k[PH_SKC_TWO_W0]);
    const double *shape = k + PH_SKC_SHAPE;
    const struct ph_dual near = ph_dual_switch(shape, k[PH_SKC_ON], k[PH_SKC_INVERSE], s->r);
    const struct ph_dual far = ph_dual_switch(shape, k[PH_SKC_ON_PRIME], k[PH_SKC_INVERSE_PRIME], s->r);
    return ph_dual_times(k[PH_SKC_HALF_V0], ph_dual_add(ph_dual_product(near, w), ph_dual_product(far, w_prime)));
}

#endif
