/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_FORM_SLOPES_H
#define PH_ACCEL_FUNCTIONS_FORM_SLOPES_H

/* u of an angular form of the engine, and its derivatives by all scalars. b: radial functions of screened pairs, or
 * NULL. The formulas are long: the host compiles them by themselves, in form_slopes.c. */

#include "potential/angular_formulas.h"

#ifdef __CUDACC__
#define PH_FORM_SLOPES PH_INLINE
#else
#define PH_FORM_SLOPES
double ph_form_slopes(const struct ph_angular_term *term, const double *scalar, const double *b, double *slope);
#endif

#if defined(__CUDACC__) || defined(PH_FORM_SLOPES_TEXT)
PH_FORM_SLOPES double ph_form_slopes(const struct ph_angular_term *term, const double *scalar, const double *b,
                                     double *slope)
{
    const size_t na = term->n_i, nb = term->n_j, count = ph_scalar_count(na, nb);
    double u = 0.0;
    for (size_t first = 0; first < count; first += PH_DIRECTIONS) {
        double on[PH_DIRECTIONS] = {0.0, 0.0, 0.0, 0.0};
        on[first / PH_DIRECTIONS] = 1.0;
        const struct ph_dual f = ph_angular_directions(term->kind, term->k, na, nb, scalar, NULL, 1, on, b);
        u = f.v;
        slope[first] = f.d0;
        slope[first + 1] = f.d1;
        slope[first + 2] = f.d2;
        slope[first + 3] = f.d3;
    }
    return u;
}
#endif

#endif
