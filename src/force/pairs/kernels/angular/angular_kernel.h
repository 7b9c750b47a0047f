/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_ANGULAR_ANGULAR_KERNEL_H
#define PH_FORCE_PAIRS_KERNELS_ANGULAR_ANGULAR_KERNEL_H

/* The inner loops of angular forms: one site of molecule i with its axes against sites of many molecules j, in rows. In
 * place of a dipole each site has up to three axes, and in place of an electric field at each axis a: -du/da, so that
 * the torque is a x field. All forms share these loops, around one loop for each form (angular_kernels.c). */

#include "force/pairs/kernels/kernel.h"
#include "potential/angular_formulas.h"

/* Where molecules j have records: that of site l begins at `step` times index l of a list, of `bytes` each, sites after
 * the last being padding. list NULL: they have rows */
struct ph_angular_records {
    const void *list;
    size_t bytes, step, last;
};

/* Site b of the molecules j. The kernel adds to forces and fields. The rates are for the derivative alone, which adds
 * rates of forces and fields instead. */
struct ph_angular_j {
    const double *r[3], *axis[PH_AXES_MAX][3];
    const double *r_rate[3], *axis_rate[PH_AXES_MAX][3];
    double *force[3], *field[PH_AXES_MAX][3];
    struct ph_angular_records in; /* of axes and fields, if a form ends by itself */
};

/* Site a of molecule i, and sums over j, which kernels add to */
struct ph_angular_i {
    double r[3], axis[PH_AXES_MAX][3];
    double r_rate[3], axis_rate[PH_AXES_MAX][3];
    double force[3], field[PH_AXES_MAX][3];
    double energy; /* not of the derivative */
};

/* n <= PH_KERNEL_CHUNK sites j, a multiple of PH_LANES. `truncation` has the cutoff and the switch. */
typedef void ph_angular_kernel(const struct ph_angular_term *term, enum ph_truncate truncate,
                               const struct ph_pair_term *truncation, size_t n, const struct ph_angular_j *j,
                               struct ph_angular_i *i);

/* Forces and energy, or rates of forces */
ph_angular_kernel *ph_angular_find(bool rates);

/* ---- For the files of this folder ---- */

enum { PH_ANGULAR_BLOCK = 64 }; /* pairs at a time, so that all rows stay in the fastest cache */

/* Scalars of the pairs of a block, numbered as by ph_scalar_p and so on, u and its derivatives by the scalars; or the
 * rates of all these along a motion */
struct ph_angular_rows {
    PH_ALIGNED double scalar[PH_SCALARS_MAX][PH_ANGULAR_BLOCK];
    PH_ALIGNED double u[PH_ANGULAR_BLOCK], slope[PH_SCALARS_MAX][PH_ANGULAR_BLOCK];
};

/* Whether blocks of three axes each leave out a.b, because the form does not depend on it: nobody reads slopes by it.
 */
PH_INLINE bool ph_angular_apart(enum ph_angular_kind kind, size_t na, size_t nb)
{
    return na == 3 && nb == 3 && ph_angular_depends(kind, na, nb) < ph_scalar_count(na, nb);
}

/* The loop over the formula of a form: finds u and slopes of n pairs, and their rates unless `rates` is NULL. Screened
 * pairs have their radial functions from the truncation. inverse: 1/r */
void ph_angular_row(const struct ph_angular_term *term, const struct ph_pair_term *truncation, size_t n,
                    const double *inverse, struct ph_angular_rows *rows, struct ph_angular_rows *rates);

/* B2 to B6 of screened pairs at distances r; without `rates` B6, which only these need, is 0. */
enum { PH_SCREENED_FUNCTIONS = 5 };
void ph_screened_functions(const struct ph_pair_term *truncation, bool rates, size_t n, const double *r,
                           double (*b)[PH_ANGULAR_BLOCK]);
/* ph_angular_row for a formula of the user's own */
void ph_program_row(const struct ph_angular_term *term, size_t n, const double *inverse, struct ph_angular_rows *rows,
                    struct ph_angular_rows *rates);

#endif
