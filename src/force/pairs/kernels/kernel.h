/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_KERNEL_H
#define PH_FORCE_PAIRS_KERNELS_KERNEL_H

/* The inner loops: one site of one molecule i against the same site of up to PH_KERNEL_CHUNK molecules j, whose
 * coordinates lie in rows. There is one function for every combination of terms, truncation and demand, all
 * instantiated from kernel_template.h; nothing but the smoothness of a switch is decided inside. */

#include "potential/pair.h"

#include <stdbool.h>
#include <stddef.h>

/* Arrays of a chunk have rows somewhat longer, so that they do not all fall on the same lines of the cache. */
enum { PH_KERNEL_CHUNK = 256, PH_KERNEL_ROW = PH_KERNEL_CHUNK + 8 };

/* Positions of sites that only fill up a block of PH_LANES. Functions with a cutoff are 0 at the first distance.
 * Functions without a cutoff are nearly 0 there, and 0 at the second, where ph_inverse_distance is 0. */
#define PH_BEYOND_CUTOFF 1e17
#define PH_OUT_OF_SIGHT 1e20

/* Contents of the rows: positions of sites j, and the kernel adds to their forces and fields; or positions relative to
 * site i, and forces and fields that it sets or adds to; or the same in a mixture, with constants that differ from j to
 * j. */
enum ph_kernel_rows {
    PH_ROWS_ADD,
    PH_ROWS_RELATIVE_SET,
    PH_ROWS_RELATIVE_ADD,
    PH_ROWS_MIXED_SET,
    PH_ROWS_MIXED_ADD,
    PH_ROWS_KINDS
};

/* Rows of such constants, as in ph_pair_term: the first two, with charges three, all for shifted functions */
enum ph_term_row {
    PH_TERM_FOUR_EPSILON,
    PH_TERM_SIGMA2,
    PH_TERM_STRENGTH,
    PH_TERM_RADIAL_C0,
    PH_TERM_RADIAL_C1,
    PH_TERM_ROWS
};

/* Site b of the molecules j: where it is, its dipole, where force and electric field at it go, constants if mixed */
struct ph_kernel_j {
    const double *r[3], *mu[3];
    double *force[3], *field[3];
    const double *term[PH_TERM_ROWS];
};

/* Site a of molecule i, and sums over j; relative rows need no r */
struct ph_kernel_i {
    double r[3], mu[3];
    double force[3], field[3];
    double radial_energy, electric_energy;
};

/* The switch S(r) and its slope for n pairs, a loop of its own. Only the kind of switch is decided at run time. */
void ph_switch_row(const struct ph_pair_term *term, size_t n, const double *restrict r, double *restrict s,
                   double *restrict ds);

/* u and w of a form for n pairs, a loop of its own for each form (formula_rows.c) */
void ph_formula_row(const struct ph_formula *formula, size_t n, const double *restrict r, const double *restrict inv_r,
                    double *restrict u, double *restrict w);

/* Adds the interactions of n <= PH_KERNEL_CHUNK sites j, a multiple of PH_LANES; energies only if the function was
 * found with energy. */
typedef void ph_kernel(const struct ph_pair_term *term, size_t n, const struct ph_kernel_j *j, struct ph_kernel_i *i);

/* The same for a combination that is decided at run time; only in builds with PH_KERNELS_AT_RUN_TIME */
void ph_kernel_any(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                   enum ph_kernel_rows rows, bool energy, const struct ph_pair_term *term, size_t n,
                   const struct ph_kernel_j *j, struct ph_kernel_i *i);

/* NULL for a combination that must be split: then call the radial and the electric one separately. */
ph_kernel *ph_kernel_find(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                          enum ph_kernel_rows rows, bool energy);

#endif
