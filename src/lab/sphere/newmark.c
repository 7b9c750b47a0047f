/* SPDX-License-Identifier: MIT */
/* The explicit Lie-Newmark method on spheres: half a kick, a turn about the angular velocity between, half a kick. */
#include "lab/sphere/s2.h"

#include "lab/dense.h"
#include "lab/papers.h"
#include "lab/sphere/rotate.h"

#include <string.h>

enum { MOST = 50 };
static const double tolerance = 1e-13; /* of Newton's last correction; the remaining error is its square */

/* -D_ij h/2 is added to the matrix, D_ij = d(rhs_i)/d(w_j) = 2 M_ij (q_i x q_j) w_j^T */
static void subtract_derivative(const struct ph_s2 *s2, double half, const double (*q)[3], const double (*w)[3],
                                double *matrix)
{
    const size_t n = s2->n, row = 3 * n;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            double across[3];
            ph_vec3_cross(q[i], q[j], across);
            for (size_t a = 0; a < 3 && i != j; ++a)
                for (size_t b = 0; b < 3; ++b)
                    matrix[(3 * i + a) * row + 3 * j + b] -= half * 2.0 * s2->mass[i * n + j] * across[a] * w[j][b];
        }
}

/* One of Newton's corrections to w, of  A (w - between) = half (c(w) + t)  with A the inertia at q */
static bool correct(struct ph_s2 *s2, double half, const double (*between)[3], double (*w)[3], double (*correction)[3])
{
    const size_t n = s2->n, row = 3 * n;
    const double(*q)[3] = (const double(*)[3])s2->q;
    ph_s2_inertia(s2, q, s2->matrix);
    ph_s2_centrifugal(s2, q, (const double(*)[3])w, correction);
    for (size_t i = 0; i < n; ++i)
        for (size_t a = 0; a < 3; ++a) {
            double rest = half * (correction[i][a] + s2->torque[i][a]);
            for (size_t j = 0; j < n; ++j)
                for (size_t b = 0; b < 3; ++b)
                    rest -= s2->matrix[(3 * i + a) * row + 3 * j + b] * (w[j][b] - between[j][b]);
            correction[i][a] = rest;
        }
    subtract_derivative(s2, half, q, (const double(*)[3])w, s2->matrix);
    if (!ph_dense_factor(row, s2->matrix, s2->pivot))
        return false;
    ph_dense_solve(row, s2->matrix, s2->pivot, &correction[0][0]);
    return true;
}

/* w = between + h/2 w'(q, w): explicit unless w' depends on w */
static enum ph_status end_kick(struct ph_s2 *s2, double half, struct ph_error *err)
{
    const size_t n = s2->n;
    double(*between)[3] = s2->work, (*correction)[3] = s2->work + n;
    const double(*q)[3] = (const double(*)[3])s2->q;
    memcpy(between, s2->w, n * sizeof *between);
    ph_s2_rates(s2, q, (const double(*)[3])s2->w, correction);
    ph_s2_add(n, half, (const double(*)[3])correction, s2->w);
    if (!s2->coupled)
        return PH_OK;
    for (int k = 0; k < MOST; ++k) {
        ++s2->iterations;
        if (!correct(s2, half, (const double(*)[3])between, s2->w, correction))
            break;
        ph_s2_add(n, 1.0, (const double(*)[3])correction, s2->w);
        if (ph_s2_largest(n, (const double(*)[3])correction) <=
            tolerance * ph_s2_largest(n, (const double(*)[3])s2->w)) {
            ph_s2_inertia(s2, q, s2->matrix); /* as a prepared state has it */
            return ph_dense_factor(3 * n, s2->matrix, s2->pivot)
                       ? PH_OK
                       : ph_error_set(err, PH_ERR_NUMBERS, "The inertia of coupled bodies is singular.");
        }
    }
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "eln-s2: Newton's iteration for the angular velocity did not converge in %d steps; the step "
                        "of time is too long.",
                        MOST);
}

static enum ph_status step(const struct ph_s2_method *method, double h, struct ph_s2 *s2, struct ph_error *err)
{
    (void)method;
    const size_t n = s2->n;
    double(*rate)[3] = s2->work;
    ph_s2_rates(s2, (const double(*)[3])s2->q, (const double(*)[3])s2->w, rate);
    ph_s2_add(n, 0.5 * h, (const double(*)[3])rate, s2->w);
    for (size_t i = 0; i < n; ++i) {
        const double turn[3] = {h * s2->w[i][0], h * s2->w[i][1], h * s2->w[i][2]};
        ph_s2_rotate(turn, s2->q[i], s2->q[i]);
    }
    const enum ph_status status = ph_s2_prepare(s2, (const double(*)[3])s2->q, NULL, err);
    return status == PH_OK ? end_kick(s2, 0.5 * h, err) : status;
}

const struct ph_s2_method ph_s2_eln = {
    .name = "eln-s2",
    .summary = "explicit Lie-Newmark method",
    .reference = PH_PAPER_ORTOLAN ", (7.1); J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Engrg. 66 (1988) 125",
    .documentation = "w += h/2 w'(q, w); q turns by h w; w += h/2 w'(q, w). In (7.1c) q_{k+1} = R_{k+1} q_k is "
                     "misprinted for the rotation of this step alone. If the kinetic energy couples bodies, the second "
                     "half is implicit in w and solved by Newton's method. If it does not, this is the Verlet scheme "
                     "with exact rotation of linear rotors: symplectic, and q.w = 0 stays.",
    .order = 2,
    .evaluations = 1,
    .claims = {.norm = true, .tangent = true, .momentum = true, .reversible = true, .symplectic = true},
    .step = step,
};
