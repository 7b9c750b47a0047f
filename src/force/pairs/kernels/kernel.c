/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/kernel.h"

#include "force/pairs/kernels/kernels.h"

PH_INLINE void fill(enum ph_switch_kind kind, double on, double inverse_width, size_t n, const double *restrict r,
                    double *restrict s, double *restrict ds)
{
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        double value, slope;
        ph_switch(kind, (r[k] - on) * inverse_width, &value, &slope);
        s[k] = value;
        ds[k] = slope * inverse_width;
    }
}

void ph_switch_row(const struct ph_pair_term *term, size_t n, const double *restrict r, double *restrict s,
                   double *restrict ds)
{
    const double on = term->switch_on, inverse_width = term->inverse_width;
    switch (term->switch_kind) {
    case PH_SWITCH_C2: fill(PH_SWITCH_C2, on, inverse_width, n, r, s, ds); break;
    case PH_SWITCH_C4: fill(PH_SWITCH_C4, on, inverse_width, n, r, s, ds); break;
    case PH_SWITCH_C6: fill(PH_SWITCH_C6, on, inverse_width, n, r, s, ds); break;
    default: fill(PH_SWITCH_ALL, on, inverse_width, n, r, s, ds); break;
    }
}

/* Radial terms that are common together with an electric one have fused kernels; the rest are sums of two. */
ph_kernel *ph_kernel_find(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                          enum ph_kernel_rows rows, bool energy)
{
    static const ph_kernel_family *const families[PH_KERNEL_RADIALS][PH_KERNEL_ELECTRICS] = {
        [PH_KERNEL_NO_RADIAL] = {NULL, &ph_kernels_charge_charge, &ph_kernels_charge_dipole, &ph_kernels_dipole_charge,
                                 &ph_kernels_dipole_dipole, &ph_kernels_screened_charge_charge,
                                 &ph_kernels_screened_charge_dipole, &ph_kernels_screened_dipole_charge,
                                 &ph_kernels_screened_dipole_dipole},
        [PH_KERNEL_LENNARD_JONES] = {&ph_kernels_lj, &ph_kernels_lj_charge, NULL, NULL, &ph_kernels_lj_dipole},
        [PH_KERNEL_SOFT_12] = {&ph_kernels_soft12, &ph_kernels_soft12_charge, NULL, NULL, &ph_kernels_soft12_dipole},
        [PH_KERNEL_IN_LOOP] = {&ph_kernels_in_loop},
        [PH_KERNEL_WCA] = {&ph_kernels_wca},
    };
    static const ph_kernel_family *const mixed[PH_KERNEL_RADIALS][PH_KERNEL_ELECTRICS] = {
        [PH_KERNEL_LENNARD_JONES] = {&ph_kernels_mixed_lj, &ph_kernels_mixed_lj_charge, NULL, NULL,
                                     &ph_kernels_mixed_lj_dipole},
        [PH_KERNEL_SOFT_12] = {NULL, NULL, NULL, NULL, &ph_kernels_mixed_soft12_dipole},
    };
    const bool is_mixed = rows == PH_ROWS_MIXED_SET || rows == PH_ROWS_MIXED_ADD;
    const ph_kernel_family *family = (is_mixed ? mixed : families)[radial][electric];
    return family ? (*family)[truncate][rows][energy] : NULL;
}
