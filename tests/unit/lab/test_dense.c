/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "lab/dense.h"

#include <string.h>

enum { N = 7 };

/* A matrix with entries of all sizes, whose largest pivots are not on the diagonal */
static void fill(double a[N * N])
{
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            a[i * N + j] = sin(1.0 + 3.0 * i + 7.0 * j * j) + (j == (i + 2) % N ? 10.0 * (i + 1) : 0.0);
}

TEST(solutions_solve_the_equations)
{
    double a[N * N], factors[N * N], x[N];
    size_t pivot[N];
    fill(a);
    memcpy(factors, a, sizeof a);
    assert_true(ph_dense_factor(N, factors, pivot));
    for (int column = 0; column < N; ++column) {
        for (int i = 0; i < N; ++i)
            x[i] = i == column ? 1.0 : -0.5 * i;
        ph_dense_solve(N, factors, pivot, x);
        for (int i = 0; i < N; ++i) {
            double sum = 0.0;
            for (int j = 0; j < N; ++j)
                sum += a[i * N + j] * x[j];
            assert_close(sum, i == column ? 1.0 : -0.5 * i, 1e-14, 10.0);
        }
    }
}

TEST(zeros_on_the_diagonal_are_no_obstacle)
{
    double a[4] = {0.0, 2.0, 3.0, 0.0}, x[2] = {4.0, 9.0};
    size_t pivot[2];
    assert_true(ph_dense_factor(2, a, pivot));
    ph_dense_solve(2, a, pivot, x);
    assert_close(x[0], 3.0, 1e-15, 1.0);
    assert_close(x[1], 2.0, 1e-15, 1.0);
}

TEST(singular_matrices_are_refused)
{
    double a[4] = {1.0, 2.0, 2.0, 4.0}, none[4] = {0.0}, bad[4] = {1.0, NAN, 0.0, 1.0};
    size_t pivot[2];
    assert_false(ph_dense_factor(2, a, pivot));
    assert_false(ph_dense_factor(2, none, pivot));
    bad[0] = NAN;
    assert_false(ph_dense_factor(2, bad, pivot));
}
