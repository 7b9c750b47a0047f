/* SPDX-License-Identifier: MIT */
#include "lab/dense.h"

#include <float.h>
#include <math.h>

static size_t largest_below(size_t n, const double *a, size_t column)
{
    size_t best = column;
    for (size_t i = column + 1; i < n; ++i)
        if (fabs(a[i * n + column]) > fabs(a[best * n + column]))
            best = i;
    return best;
}

static void swap_rows(size_t n, double *a, size_t i, size_t j)
{
    for (size_t k = 0; k < n && i != j; ++k) {
        const double kept = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = kept;
    }
}

bool ph_dense_factor(size_t n, double *a, size_t *pivot)
{
    double size = 0.0;
    for (size_t k = 0; k < n * n; ++k)
        size = fmax(size, fabs(a[k]));
    for (size_t k = 0; k < n; ++k) {
        pivot[k] = largest_below(n, a, k);
        swap_rows(n, a, k, pivot[k]);
        if (!(fabs(a[k * n + k]) > DBL_EPSILON * size)) /* also NaN */
            return false;
        for (size_t i = k + 1; i < n; ++i) {
            const double factor = a[i * n + k] /= a[k * n + k];
            for (size_t j = k + 1; j < n; ++j)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return true;
}

void ph_dense_solve(size_t n, const double *a, const size_t *pivot, double *x)
{
    for (size_t k = 0; k < n; ++k) {
        const double kept = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = kept;
    }
    for (size_t i = 1; i < n; ++i)
        for (size_t j = 0; j < i; ++j)
            x[i] -= a[i * n + j] * x[j];
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; ++j)
            x[i] -= a[i * n + j] * x[j];
        x[i] /= a[i * n + i];
    }
}
