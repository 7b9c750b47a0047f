/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_ANGULAR_FORMULAS_H
#define PH_POTENTIAL_ANGULAR_FORMULAS_H

/* The formulas of the angular forms (potential/angular.h). n is the unit vector from site i to site j at distance r, a
 * are the axes of site i, b those of site j. A formula is a function of the scalars r, a.n, b.n and a.b, written with
 * dual numbers (potential/dual.h): forces, torques and rates follow from its text. */

/* Each form NAME has
 *   ph_NAME(k, na, nb, s)        u of a pair with constants k, and na and nb axes (constants at every call)
 * and each shape
 *   ph_NAME_axes                 the axes that it depends on, see ph_angular_axes
 *   ph_NAME_constants            constants of a pair, at set-up; `pair`: numbers after combination
 *   ph_NAME_size, ph_NAME_depth  a length and an energy, see ph_angular_size
 *   ph_NAME_of_radial            see ph_angular_of_radial */

#include "potential/angular.h"
#include "potential/angular_scalars.h"
#include "potential/ellipsoid_formulas.h"
#include "potential/patch_formulas.h"
#include "potential/quadrupole_formulas.h"
#include "potential/sticky_formulas.h"

#include <stdbool.h>
#include <string.h>

/* ---- All of them ---- */

/* u of one pair. Loops over pairs name the formula instead (force/pairs/kernels/angular/angular_kernels.c). */
PH_INLINE struct ph_dual ph_angular_formula(enum ph_angular_kind kind, const double *k, int na, int nb,
                                            const struct ph_angular_scalars *s)
{
    switch (kind) {
#define PH_ANGULAR_CASE(KIND, formula, ...)                                                                            \
    case PH_ANGULAR_##KIND: return ph_##formula(k, na, nb, s);
        PH_ANGULAR_FORMS(PH_ANGULAR_CASE)
#undef PH_ANGULAR_CASE
    default: return ph_dual_constant(0.0);
    }
}

/* How many of the scalars, as kernels count them, a form depends on at most */
PH_INLINE size_t ph_angular_depends(enum ph_angular_kind kind, size_t na, size_t nb)
{
    return kind == PH_ANGULAR_STICKY || kind == PH_ANGULAR_PATCH ? ph_scalar_c(na, nb, 0, 0) : ph_scalar_count(na, nb);
}

struct ph_curve;

/* An angular interaction of two sites, which have n_i and n_j axes; kind NONE: none */
struct ph_angular_term {
    enum ph_angular_kind kind;
    size_t n_i, n_j;
    bool electric; /* where the energy belongs */
    bool ends;     /* by itself, where its truncation is cut, and among pairs inside too */
    bool screened; /* of the pairs of an Ewald sum: its radial functions come with the truncation */
    double k[PH_ANGULAR_CONSTANTS];
    const struct ph_curve *curve; /* of a FORMULA; not owned */
    bool exchanged;               /* site i is its second one */
};

/* Scalar m, at v[m step], and its rate, likewise; on[k]: whether directions from 4 k on are asked for */
PH_INLINE struct ph_dual ph_scalar_seed(const double *v, const double *t, size_t step, size_t m,
                                        const double on[PH_DIRECTIONS])
{
    const double here = on[m / PH_DIRECTIONS];
    struct ph_dual seed = ph_dual_constant(v[m * step]);
    seed.t = t ? t[m * step] : 0.0;
    seed.d0 = m % PH_DIRECTIONS == 0 ? here : 0.0;
    seed.d1 = m % PH_DIRECTIONS == 1 ? here : 0.0;
    seed.d2 = m % PH_DIRECTIONS == 2 ? here : 0.0;
    seed.d3 = m % PH_DIRECTIONS == 3 ? here : 0.0;
    return seed;
}

/* The scalars with their derivatives in four directions, which are scalars themselves, and with rates unless t is NULL;
 * with the radial functions b of screened pairs, or NULL */
PH_INLINE struct ph_angular_scalars ph_angular_seeds(size_t na, size_t nb, const double *v, const double *t,
                                                     size_t step, const double on[PH_DIRECTIONS], const double *b)
{
    const struct ph_dual none = ph_dual_constant(0.0);
    struct ph_angular_scalars s = {
        none, {none, none, none}, {none, none, none}, {{none, none, none}, {none, none, none}, {none, none, none}}, b,
        step, b != NULL};
    s.r = ph_scalar_seed(v, t, step, 0, on);
#define PH_AXES_OF(i)                                                                                                  \
    if (na > i)                                                                                                        \
        s.p[i] = ph_scalar_seed(v, t, step, ph_scalar_p(i), on);                                                       \
    if (nb > i)                                                                                                        \
        s.q[i] = ph_scalar_seed(v, t, step, ph_scalar_q(na, i), on);
#define PH_AXES_BETWEEN(i, j)                                                                                          \
    if (na > i && nb > j)                                                                                              \
        s.c[i][j] = ph_scalar_seed(v, t, step, ph_scalar_c(na, nb, i, j), on);
    PH_AXES_OF(0)
    PH_AXES_OF(1)
    PH_AXES_OF(2)
    PH_AXES_BETWEEN(0, 0)
    PH_AXES_BETWEEN(0, 1)
    PH_AXES_BETWEEN(0, 2)
    PH_AXES_BETWEEN(1, 0)
    PH_AXES_BETWEEN(1, 1)
    PH_AXES_BETWEEN(1, 2)
    PH_AXES_BETWEEN(2, 0)
    PH_AXES_BETWEEN(2, 1)
    PH_AXES_BETWEEN(2, 2)
#undef PH_AXES_OF
#undef PH_AXES_BETWEEN
    return s;
}

/* u with its derivatives by four of the scalars, and their rates unless t is NULL; b: as above */
PH_INLINE struct ph_dual ph_angular_directions(enum ph_angular_kind kind, const double *k, size_t na, size_t nb,
                                               const double *v, const double *t, size_t step,
                                               const double on[PH_DIRECTIONS], const double *b)
{
    const struct ph_angular_scalars s = ph_angular_seeds(na, nb, v, t, step, on, b);
    return ph_angular_formula(kind, k, (int)na, (int)nb, &s);
}

#endif
