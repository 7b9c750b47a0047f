/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_NUMERICS_MATRIX_H
#define PH_BASE_NUMERICS_MATRIX_H

/* Small dense matrices, row by row. */

enum { PH_EIGEN_MAX = 4 };

/* Eigenvalues and eigenvectors of a symmetric n x n matrix, n <= PH_EIGEN_MAX, by Jacobi's rotations: a = V diag(value)
 * V^T, column k of V belongs to value[k]. V is a product of rotations by at most 45 degrees, so det V = +1. A matrix
 * that is diagonal up to rounding gives V = 1 exactly. So the axes stay near the given axes instead of being sorted. */
void ph_symmetric_eigen(int n, const double *a, double *value, double *v);

/* The unit quaternion of a rotation matrix (q or -q, scalar part not negative), good near every orientation */
void ph_quat_from_matrix(const double rotation[3][3], double q[4]);
void ph_quat_to_matrix(const double q[4], double rotation[3][3]);

#endif
