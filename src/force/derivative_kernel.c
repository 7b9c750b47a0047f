/* SPDX-License-Identifier: MIT */
#include "force/derivative_kernel.h"

#include "force/derivative_kernels.h"

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
        [PH_KERNEL_MIE] = {&ph_derivative_mie},
        [PH_KERNEL_SOFT] = {&ph_derivative_soft},
        [PH_KERNEL_WCA] = {&ph_derivative_wca},
    };
    const ph_derivative_family *family = families[radial][electric];
    return family ? (*family)[truncate][rows] : NULL;
}
