/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_PATCH_FORMULAS_H
#define PH_POTENTIAL_PATCH_FORMULAS_H

/* Patches that attract each other where they face each other: the square well of N. Kern, D. Frenkel, J. Chem. Phys.
 * 118 (2003) 9882, with smooth ends.
 *
 *   u = -eps s(r) f(a.n) f(-b.n)
 *
 * s is 1 up to `plateau` and 0 from `range` on. f is 1 up to the angle `inner` between the axis of the patch and the
 * direction to the other site, 0 from the angle `outer` on, and a switch of the cosine between. */

#include "base/library.h"
#include "potential/angular.h"
#include "potential/angular_scalars.h"
#include "potential/dual_switch.h"

enum ph_patch_constants {
    PH_PTC_EPSILON,
    PH_PTC_ON,
    PH_PTC_INVERSE, /* 1/(range - plateau) */
    PH_PTC_COSINE,  /* -cos inner, of each site; then 1/(cos inner - cos outer) */
    PH_PTC_STEEP = PH_PTC_COSINE + 2,
    PH_PTC_SHAPE = PH_PTC_STEEP + 2 /* of the switches */
};

static inline size_t ph_patch_axes(const struct ph_angular *a, size_t axis[3])
{
    (void)a;
    axis[0] = 2;
    return 1;
}

static inline double ph_patch_size(const struct ph_angular *a) { return a->number[PH_PATCH_ON]; }
static inline double ph_patch_depth(const struct ph_angular *a) { return a->number[PH_PATCH_EPSILON]; }
static inline double ph_patch_end(const struct ph_angular *a) { return a->number[PH_PATCH_END]; }

/* Where second derivatives jump; returns the number of distances. */
static inline size_t ph_patch_jumps(const struct ph_angular *a, double at[4])
{
    at[0] = a->number[PH_PATCH_ON];
    at[1] = a->number[PH_PATCH_END];
    return a->number[PH_PATCH_SMOOTHNESS] == 1.0 ? 2 : 0;
}

static inline bool ph_patch_of_radial(const struct ph_angular *partner, const struct ph_radial *radial,
                                      struct ph_angular *out)
{
    (void)radial;
    *out = *partner;
    return false;
}

static inline void ph_patch_constants(const struct ph_angular *one, const struct ph_angular *other,
                                      const struct ph_angular *pair, double k[PH_ANGULAR_CONSTANTS])
{
    const struct ph_angular *both[] = {one, other};
    const double degree = 0.017453292519943295769;
    k[PH_PTC_EPSILON] = pair->number[PH_PATCH_EPSILON];
    k[PH_PTC_ON] = pair->number[PH_PATCH_ON];
    k[PH_PTC_INVERSE] = 1.0 / (pair->number[PH_PATCH_END] - pair->number[PH_PATCH_ON]);
    for (int i = 0; i < 2; ++i) {
        const double *number = both[i]->number;
        const double inner = ph_library_cos(degree * number[PH_PATCH_INNER]);
        k[PH_PTC_COSINE + i] = -inner;
        k[PH_PTC_STEEP + i] = 1.0 / (inner - ph_library_cos(degree * number[PH_PATCH_OUTER]));
    }
    ph_shape_switch(pair->number[PH_PATCH_SMOOTHNESS], k + PH_PTC_SHAPE);
}

PH_INLINE struct ph_dual ph_patch(const double *k, int na, int nb, const struct ph_angular_scalars *s)
{
    (void)na;
    (void)nb;
    const double *shape = k + PH_PTC_SHAPE;
    const struct ph_dual near = ph_dual_switch(shape, k[PH_PTC_ON], k[PH_PTC_INVERSE], s->r);
    const struct ph_dual mine = ph_dual_switch(shape, k[PH_PTC_COSINE], k[PH_PTC_STEEP], ph_dual_times(-1.0, s->p[0]));
    const struct ph_dual its = ph_dual_switch(shape, k[PH_PTC_COSINE + 1], k[PH_PTC_STEEP + 1], s->q[0]);
    return ph_dual_times(-k[PH_PTC_EPSILON], ph_dual_product(near, ph_dual_product(mine, its)));
}

#endif
