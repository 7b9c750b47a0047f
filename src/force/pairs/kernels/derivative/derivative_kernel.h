/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_DERIVATIVE_DERIVATIVE_KERNEL_H
#define PH_FORCE_PAIRS_KERNELS_DERIVATIVE_DERIVATIVE_KERNEL_H

/* The inner loops of the derivative: as in kernel.h, but every site also moves and every dipole turns, and the loops
 * sum the rates of change of force and electric field. All are instantiated from derivative_template.h. */

#include "force/pairs/kernels/kernel.h"

/* Site b of the molecules j: where it is, its dipole, their rates, and where rates of force and field go. Relative rows
 * have velocities relative to site i, too. */
struct ph_derivative_j {
    const double *r[3], *mu[3], *r_rate[3], *mu_rate[3];
    double *force[3], *field[3];
};

/* Site a of molecule i, and sums over j; relative rows need neither r nor r_rate */
struct ph_derivative_i {
    double r[3], mu[3], r_rate[3], mu_rate[3];
    double force[3], field[3];
};

/* The switch of n pairs, s being r at first: S, S'/r, (S'' - S'/r)/r^2 */
void ph_switch_bend_row(const struct ph_pair_term *term, size_t n, const double *restrict inv_r, double *restrict s,
                        double *restrict ds, double *restrict bend);

/* u, w and x of a form for n pairs (formula_rows.c) */
void ph_formula_bend_row(const struct ph_formula *formula, size_t n, const double *restrict r,
                         const double *restrict inv_r, double *restrict u, double *restrict w, double *restrict x);

/* n <= PH_KERNEL_CHUNK sites j, a multiple of PH_LANES */
typedef void ph_derivative_kernel(const struct ph_pair_term *term, size_t n, const struct ph_derivative_j *j,
                                  struct ph_derivative_i *i);

/* The same for a combination that is decided at run time; only in builds with PH_KERNELS_AT_RUN_TIME */
void ph_derivative_any(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                       enum ph_kernel_rows rows, const struct ph_pair_term *term, size_t n,
                       const struct ph_derivative_j *j, struct ph_derivative_i *i);

/* NULL for the combinations that ph_kernel_find does not know either */
ph_derivative_kernel *ph_derivative_find(enum ph_kernel_radial radial, enum ph_kernel_electric electric,
                                         enum ph_truncate truncate, enum ph_kernel_rows rows);

#endif
