/* SPDX-License-Identifier: MIT */
/* The order conditions of a scheme: one step and the exact solution have the same terms in h up to its order. */
#include "dynamics/schemes/scheme_algebra.h"

#include <math.h>

double ph_scheme_residual_to(const struct ph_scheme *scheme, int degree)
{
    struct ph_algebra algebra;
    long double defect[PH_ALGEBRA_WORDS], largest = 0.0L;
    ph_algebra_init(scheme->kind, degree, &algebra);
    ph_algebra_defect(&algebra, scheme, defect);
    for (size_t i = 0; i < algebra.begin[algebra.degree + 1]; ++i)
        if (!(fabsl(defect[i]) <= largest))
            largest = fabsl(defect[i]); /* NaN stays */
    return (double)largest;
}

/* Symmetric schemes have an even order: terms of degree `order` follow from those below. */
double ph_scheme_residual(const struct ph_scheme *scheme) { return ph_scheme_residual_to(scheme, scheme->order - 1); }
