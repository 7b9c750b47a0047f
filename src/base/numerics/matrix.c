/* SPDX-License-Identifier: MIT */
#include "base/numerics/matrix.h"

#include "base/room.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* One rotation in the plane of axes p and q that makes a_pq zero (Golub & Van Loan, section 8.5) */
static void rotate_plane(int n, double *a, double *v, int p, int q)
{
    const double apq = a[p * n + q];
    const double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
    const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    a[p * n + p] -= t * apq;
    a[q * n + q] += t * apq;
    a[p * n + q] = a[q * n + p] = 0.0;
    for (int k = 0; k < n; ++k) {
        if (k != p && k != q) {
            const double akp = a[k * n + p], akq = a[k * n + q];
            a[k * n + p] = a[p * n + k] = c * akp - s * akq;
            a[k * n + q] = a[q * n + k] = s * akp + c * akq;
        }
        const double vkp = v[k * n + p], vkq = v[k * n + q];
        v[k * n + p] = c * vkp - s * vkq;
        v[k * n + q] = s * vkp + c * vkq;
    }
}

void ph_symmetric_eigen(int n, const double *matrix, double *value, double *v)
{
    PH_ROOM(n >= 1 && n <= PH_EIGEN_MAX);
    double a[PH_EIGEN_MAX * PH_EIGEN_MAX];
    memcpy(a, matrix, (size_t)(n * n) * sizeof *a);
    double largest = 0.0;
    for (int k = 0; k < n * n; ++k) {
        largest = fmax(largest, fabs(a[k]));
        v[k] = k % (n + 1) == 0 ? 1.0 : 0.0;
    }
    const double negligible = 4.0 * DBL_EPSILON * largest;
    const int sweeps_max = 50; /* quadratic convergence: about six are used */
    for (int sweep = 0; sweep < sweeps_max; ++sweep) {
        double off = 0.0;
        for (int p = 0; p < n; ++p)
            for (int q = p + 1; q < n; ++q) {
                off = fmax(off, fabs(a[p * n + q])); /* as met, before this sweep makes it zero */
                if (fabs(a[p * n + q]) > negligible)
                    rotate_plane(n, a, v, p, q);
            }
        if (off <= negligible)
            break;
    }
    for (int k = 0; k < n; ++k)
        value[k] = a[k * n + k];
}

/* The largest of the four components comes from a square root, the others by division by it (Shepperd 1978). */
void ph_quat_from_matrix(const double r[3][3], double q[4])
{
    const double square[4] = {1.0 + r[0][0] + r[1][1] + r[2][2], 1.0 + r[0][0] - r[1][1] - r[2][2],
                              1.0 - r[0][0] + r[1][1] - r[2][2], 1.0 - r[0][0] - r[1][1] + r[2][2]};
    int k = 0;
    for (int j = 1; j < 4; ++j)
        if (square[j] > square[k])
            k = j;
    const double four_products[4][4] = {
        {square[0], r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]},
        {r[2][1] - r[1][2], square[1], r[1][0] + r[0][1], r[0][2] + r[2][0]},
        {r[0][2] - r[2][0], r[1][0] + r[0][1], square[2], r[2][1] + r[1][2]},
        {r[1][0] - r[0][1], r[0][2] + r[2][0], r[2][1] + r[1][2], square[3]},
    };
    const double *row = four_products[k];
    const double norm = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2] + row[3] * row[3]);
    for (int j = 0; j < 4; ++j)
        q[j] = copysign(1.0, row[0]) * row[j] / norm;
}

void ph_quat_to_matrix(const double q[4], double r[3][3])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[3][3] = {
        {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
        {2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)},
        {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)},
    };
    memcpy(r, rows, sizeof rows);
}
