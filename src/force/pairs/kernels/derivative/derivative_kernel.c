/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/derivative/derivative_kernel.h"

#include "force/pairs/kernels/derivative/derivative_kernels.h"

PH_INLINE void fill(enum ph_switch_kind kind, double on, double inverse_width, size_t n, const double *restrict inv_r,
                    double *restrict s, double *restrict ds, double *restrict bend)
{
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const double x = (s[k] - on) * inverse_width, over_r = inverse_width * inv_r[k];
        double value, slope;
        ph_switch(kind, x, &value, &slope);
        const double first = slope * over_r, second = ph_switch_curvature(kind, x) * (over_r * over_r);
        s[k] = value;
        ds[k] = first;
        bend[k] = ph_fma(-first, inv_r[k] * inv_r[k], second);
    }
}

void ph_switch_bend_row(const struct ph_pair_term *term, size_t n, const double *restrict inv_r, double *restrict s,
                        double *restrict ds, double *restrict bend)
{
    const double on = term->switch_on, inverse_width = term->inverse_width;
    switch (term->switch_kind) {
    case PH_SWITCH_C2: fill(PH_SWITCH_C2, on, inverse_width, n, inv_r, s, ds, bend); break;
    case PH_SWITCH_C4: fill(PH_SWITCH_C4, on, inverse_width, n, inv_r, s, ds, bend); break;
    case PH_SWITCH_C6: fill(PH_SWITCH_C6, on, inverse_width, n, inv_r, s, ds, bend); break;
    default: fill(PH_SWITCH_ALL, on, inverse_width, n, inv_r, s, ds, bend); break;
    }
}

ph_derivative_kernel *ph_derivative_find(enum ph_kernel_radial radial, enum ph_kernel_electric electric,
                                         enum ph_truncate truncate, enum ph_kernel_rows rows)
{
    static const ph_derivative_family *const families[PH_KERNEL_RADIALS][PH_KERNEL_ELECTRICS] = {
        [PH_KERNEL_NO_RADIAL] = {NULL, &ph_derivative_charge_charge, &ph_derivative_charge_dipole,
                                 &ph_derivative_dipole_charge, &ph_derivative_dipole_dipole,
                                 &ph_derivative_screened_charge_charge, &ph_derivative_screened_charge_dipole,
                                 &ph_derivative_screened_dipole_charge, &ph_derivative_screened_dipole_dipole},
        [PH_KERNEL_LENNARD_JONES] = {&ph_derivative_lj, &ph_derivative_lj_charge, NULL, NULL, &ph_derivative_lj_dipole},
        [PH_KERNEL_SOFT_12] = {&ph_derivative_soft12, &ph_derivative_soft12_charge, NULL, NULL,
                               &ph_derivative_soft12_dipole},
        [PH_KERNEL_IN_LOOP] = {&ph_derivative_in_loop},
        [PH_KERNEL_WCA] = {&ph_derivative_wca},
    };
    const ph_derivative_family *family = families[radial][electric];
    return family ? (*family)[truncate][rows] : NULL;
}
