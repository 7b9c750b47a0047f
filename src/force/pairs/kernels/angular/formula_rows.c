/* SPDX-License-Identifier: MIT */
/* The loops over the formulas of radial forms: one for each form, so that the compiler vectorises it as if it knew the
 * form. All kernels of forms in loops share them. */
#include "force/pairs/kernels/derivative/derivative_kernel.h"
#include "force/pairs/kernels/kernel.h"
#include "potential/curves/curve.h"

PH_INLINE void fill(enum ph_radial_kind kind, const struct ph_formula *formula, size_t n, const double *restrict r,
                    const double *restrict inv_r, double *restrict u, double *restrict w)
{
    const struct ph_constants constants = formula->constants;
    const double wall = formula->wall;
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const struct ph_radial_bend f = ph_formula_bend(kind, constants, wall, r[k], inv_r[k]);
        u[k] = f.u;
        w[k] = f.w;
    }
}

void ph_formula_row(const struct ph_formula *formula, size_t n, const double *restrict r, const double *restrict inv_r,
                    double *restrict u, double *restrict w)
{
    switch (formula->kind) {
#define CASE(KIND, ...)                                                                                                \
    case PH_RADIAL_##KIND: fill(PH_RADIAL_##KIND, formula, n, r, inv_r, u, w); break;
        PH_FORMS_IN_LOOPS(CASE)
#undef CASE
    case PH_RADIAL_TABLE:
    case PH_RADIAL_FORMULA: ph_curve_row(formula, false, n, r, inv_r, u, w, NULL); break;
    default: break;
    }
}

PH_INLINE void fill_bend(enum ph_radial_kind kind, const struct ph_formula *formula, size_t n, const double *restrict r,
                         const double *restrict inv_r, double *restrict u, double *restrict w, double *restrict x)
{
    const struct ph_constants constants = formula->constants;
    const double wall = formula->wall;
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const struct ph_radial_bend f = ph_formula_bend(kind, constants, wall, r[k], inv_r[k]);
        u[k] = f.u;
        w[k] = f.w;
        x[k] = f.x;
    }
}

void ph_formula_bend_row(const struct ph_formula *formula, size_t n, const double *restrict r,
                         const double *restrict inv_r, double *restrict u, double *restrict w, double *restrict x)
{
    switch (formula->kind) {
#define CASE(KIND, ...)                                                                                                \
    case PH_RADIAL_##KIND: fill_bend(PH_RADIAL_##KIND, formula, n, r, inv_r, u, w, x); break;
        PH_FORMS_IN_LOOPS(CASE)
#undef CASE
    case PH_RADIAL_TABLE:
    case PH_RADIAL_FORMULA: ph_curve_row(formula, true, n, r, inv_r, u, w, x); break;
    default: break;
    }
}
