/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_DENSE_H
#define PH_LAB_DENSE_H

/* Small systems of linear equations, for implicit methods. Matrices are square and stored row by row. */

#include <stdbool.h>
#include <stddef.h>

/* LU factors of `a` in place, with partial pivoting; pivot has n entries. False if the matrix is singular to rounding
 * or not finite. */
bool ph_dense_factor(size_t n, double *a, size_t *pivot);

/* x: in the right-hand side, out the solution */
void ph_dense_solve(size_t n, const double *a, const size_t *pivot, double *x);

#endif
