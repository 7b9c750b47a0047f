/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_NATIVE_H
#define PH_POTENTIAL_NATIVE_H

/* Formulas of the user's own as machine code: the program of a formula (potential/curves/program.h) is printed as C,
 * which the system's compiler turns into functions. They have the bits of the loops over the program, because they have
 * the same arithmetic in the same order (potential/curves/program_arithmetic.h). Where there is no compiler, the loops
 * serve as well.
 */

#include "potential/curves/program.h"

/* u(r) of n pairs with its derivative, and the second one unless it is NULL; from r and 1/r */
typedef void ph_native_radial(size_t n, const double *r, const double *inverse, double *value, double *slope,
                              double *curvature);

/* u of n pairs and its derivatives, by the rows of its variables and 1/r; `sign` is that of variables a.n and b.n. And
 * rates of all these, unless `rate` is NULL. Rows of other variables are not read. */
typedef void ph_native_angular(size_t n, const double *const in[PH_VARIABLES], const double *const rate[PH_VARIABLES],
                               const double *inverse, double sign, double *u, double *const out[PH_VARIABLES],
                               double *u_rate, double *const out_rate[PH_VARIABLES]);

/* NULL: not compiled. One of both, by the kind of the program; with curvatures or rates, or without */
struct ph_native {
    ph_native_radial *radial[2];
    ph_native_angular *angular[2];
};

/* Compiles a program, and compares its bits with those of the loops at many distances around `length`. Returns false,
 * and why in `text`, if that is not possible, or if a bit differs; else the name of the compiler. */
bool ph_native_make(const struct ph_program *program, double length, struct ph_native *native, size_t size, char *text);

#endif
