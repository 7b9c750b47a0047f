/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_FLAT_KERNEL_H
#define PH_FORCE_PAIRS_KERNELS_FLAT_KERNEL_H

/* Inner loops over pairs: each lane has a molecule i of its own. For lists so short that the neighbours of one molecule
 * do not fill vectors: neighbours of many molecules follow each other. */

#include "force/pairs/kernels/kernel.h"

/* Rows of up to PH_KERNEL_CHUNK pairs of molecules with one site each: d = r_j - r_i and dipoles. Results are the force
 * on j, which is minus the force on i, and the fields at the dipoles. */
struct ph_flat_rows {
    const double *d[3], *mu_i[3], *mu_j[3];
    double *force[3], *field_i[3], *field_j[3];
};

/* n is a multiple of PH_LANES; energies are added to radial and electric, if the function was found with energy. */
typedef void ph_flat_kernel(const struct ph_pair_term *term, size_t n, const struct ph_flat_rows *rows, double *radial,
                            double *electric);

/* NULL where there is none: then take kernels for the neighbours of one molecule. */
ph_flat_kernel *ph_flat_find(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                             bool energy);

#endif
