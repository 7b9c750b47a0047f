/* SPDX-License-Identifier: MIT */
/* The two-form of rigid molecules, and its change by a step.
 *
 * Tangent vectors of a molecule are z = (dr, dp, xi, mu), where Q moves to Q exp(hat(xi)) and m to m + mu. The two-form
 * is dr1.dp2 - dp1.dr2 for the centre and, as flow_jacobian.c derives, xi1.mu2 - mu1.xi2 + m.(xi1 x xi2) for rotation.
 * For several molecules it is the sum over them. A step with Jacobian J is symplectic if J^T W(m') J = W(m). J is
 * measured by central differences of order 10. Pinned centres do not take part. */
#include "lab/certify/scheme_jacobian.h"

#include "base/rotation.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 12, MOST = DIRECTIONS * PH_TRIAL_MOST, STENCIL = 5 };

static const double stencil[STENCIL] = {5.0 / 6.0, -5.0 / 21.0, 5.0 / 84.0, -5.0 / 504.0, 1.0 / 1260.0};
static const double spacing = 1.0 / 128.0;

/* Moves a molecule along direction d: dr, dp, xi or mu */
static void displace(struct ph_trial_body *body, int d, double by)
{
    const int k = d % 3;
    double turn[4] = {cos(0.5 * by), 0.0, 0.0, 0.0};
    switch (d / 3) {
    case 0: body->r[k] += by; break;
    case 1: body->p[k] += by; break;
    case 2:
        turn[1 + k] = sin(0.5 * by);
        ph_quat_multiply(body->q, turn, body->q);
        break;
    default: body->m[k] += by; break;
    }
}

/* The vector z that leads from base to body */
static void difference(const struct ph_trial_body *base, const struct ph_trial_body *body, double z[DIRECTIONS])
{
    const double inverse[4] = {base->q[0], -base->q[1], -base->q[2], -base->q[3]};
    double turn[4];
    ph_quat_multiply(inverse, body->q, turn);
    const double sine = sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
    const double sign = turn[0] < 0.0 ? -1.0 : 1.0;
    const double factor = sine > 0.0 ? sign * 2.0 * atan2(sine, fabs(turn[0])) / sine : 2.0 * sign;
    for (int k = 0; k < 3; ++k) {
        z[k] = body->r[k] - base->r[k];
        z[3 + k] = body->p[k] - base->p[k];
        z[6 + k] = factor * turn[1 + k];
        z[9 + k] = body->m[k] - base->m[k];
    }
}

/* W(m) of one molecule */
static void two_form(const double m[3], double W[DIRECTIONS][DIRECTIONS])
{
    memset(W, 0, DIRECTIONS * DIRECTIONS * sizeof(double));
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        W[k][3 + k] = W[6 + k][9 + k] = 1.0;
        W[3 + k][k] = W[9 + k][6 + k] = -1.0;
        W[6 + i][6 + j] = m[k];
        W[6 + j][6 + i] = -m[k];
    }
}

/* Column `direction` of molecule `which`: J[.][which * 12 + direction] */
static enum ph_status column(size_t n, const struct ph_trial_body base[], const struct ph_step_map *map, size_t which,
                             int direction, const struct ph_trial_body end[], double J[MOST][MOST],
                             struct ph_error *err)
{
    const size_t c = which * DIRECTIONS + (size_t)direction;
    for (size_t i = 0; i < n * DIRECTIONS; ++i)
        J[i][c] = 0.0;
    for (int s = 0; s < 2 * STENCIL; ++s) {
        const double sign = s % 2 ? -1.0 : 1.0;
        struct ph_trial_body start[PH_TRIAL_MOST], moved[PH_TRIAL_MOST];
        memcpy(start, base, n * sizeof *start);
        displace(&start[which], direction, sign * (s / 2 + 1) * spacing);
        const enum ph_status status = map->step(map->data, start, moved, err);
        if (status != PH_OK)
            return status;
        for (size_t i = 0; i < n; ++i) {
            double z[DIRECTIONS];
            difference(&end[i], &moved[i], z);
            for (size_t d = 0; d < DIRECTIONS; ++d)
                J[i * DIRECTIONS + d][c] += sign * stencil[s / 2] * z[d] / spacing;
        }
    }
    return PH_OK;
}

/* Largest element of J^T W(m') J - W(m) */
static double residual_of(size_t n, double J[MOST][MOST], const struct ph_trial_body before[],
                          const struct ph_trial_body after[], int first)
{
    double largest = 0.0, W0[PH_TRIAL_MOST][DIRECTIONS][DIRECTIONS], W1[PH_TRIAL_MOST][DIRECTIONS][DIRECTIONS];
    for (size_t i = 0; i < n; ++i) {
        two_form(before[i].m, W0[i]);
        two_form(after[i].m, W1[i]);
    }
    const size_t all = n * DIRECTIONS;
    for (size_t a = 0; a < all; ++a)
        for (size_t b = 0; b < all; ++b) {
            if ((int)(a % DIRECTIONS) < first || (int)(b % DIRECTIONS) < first)
                continue;
            double sum = a / DIRECTIONS == b / DIRECTIONS ? -W0[a / DIRECTIONS][a % DIRECTIONS][b % DIRECTIONS] : 0.0;
            for (size_t i = 0; i < n; ++i)
                for (size_t d = (size_t)first; d < DIRECTIONS; ++d)
                    for (size_t e = (size_t)first; e < DIRECTIONS; ++e)
                        sum += J[i * DIRECTIONS + d][a] * W1[i][d][e] * J[i * DIRECTIONS + e][b];
            largest = fmax(largest, isfinite(sum) ? fabs(sum) : HUGE_VAL);
        }
    return largest;
}

/* |det J| - 1 in the coordinates z, where the volume has density 1, by elimination with pivots; J is lost */
static double volume_change(size_t n, double J[MOST][MOST], int first)
{
    size_t row[MOST], rows = 0;
    double det = 1.0;
    for (size_t i = 0; i < n * DIRECTIONS; ++i)
        if ((int)(i % DIRECTIONS) >= first)
            row[rows++] = i;
    for (size_t k = 0; k < rows; ++k) {
        size_t best = k;
        for (size_t i = k + 1; i < rows; ++i)
            if (fabs(J[row[i]][row[k]]) > fabs(J[row[best]][row[k]]))
                best = i;
        for (size_t c = 0; c < rows && best != k; ++c) {
            const double kept = J[row[k]][row[c]];
            J[row[k]][row[c]] = J[row[best]][row[c]];
            J[row[best]][row[c]] = kept;
        }
        det *= J[row[k]][row[k]];
        for (size_t i = k + 1; i < rows; ++i) {
            const double factor = J[row[i]][row[k]] / J[row[k]][row[k]];
            for (size_t c = k; c < rows; ++c)
                J[row[i]][row[c]] -= factor * J[row[k]][row[c]];
        }
    }
    return isfinite(det) ? fabs(fabs(det) - 1.0) : HUGE_VAL;
}

enum ph_status ph_two_form_residual(size_t n, bool pinned, const struct ph_trial_body start[],
                                    const struct ph_step_map *map, double *residual, double *volume,
                                    struct ph_error *err)
{
    double J[MOST][MOST];
    struct ph_trial_body end[PH_TRIAL_MOST];
    const int first = pinned ? 6 : 0;
    enum ph_status status = map->step(map->data, start, end, err);
    for (size_t i = 0; i < n; ++i)
        for (int d = first; d < DIRECTIONS && status == PH_OK; ++d)
            status = column(n, start, map, i, d, end, J, err);
    if (status == PH_OK)
        *residual = residual_of(n, J, start, end, first);
    if (status == PH_OK && volume)
        *volume = volume_change(n, J, first);
    return status;
}

/* ---- Splitting schemes ---- */

struct trial_step {
    struct ph_trial *trial;
    struct ph_dynamics *dynamics;
};

static enum ph_status step_trial(void *data, const struct ph_trial_body start[], struct ph_trial_body end[],
                                 struct ph_error *err)
{
    const struct trial_step *s = data;
    bool broken;
    ph_trial_put(start, s->trial);
    ph_dynamics_reset(s->dynamics);
    const enum ph_status status = ph_trial_move(s->dynamics, 1, &broken, err);
    ph_trial_take(s->trial, end);
    if (status == PH_OK && broken)
        end[0].r[0] = NAN; /* and so all that follows from it */
    return status;
}

enum ph_status ph_symplectic_residual(struct ph_trial *trial, double h, double *residual, double *volume,
                                      struct ph_error *err)
{
    const struct ph_trial_problem *problem = trial->problem;
    struct trial_step step = {.trial = trial};
    const struct ph_step_map map = {.step = step_trial, .data = &step};
    enum ph_status status = ph_trial_dynamics(trial, h, &step.dynamics, err);
    if (status == PH_OK)
        status = ph_two_form_residual(problem->n, problem->pinned, problem->start, &map, residual, volume, err);
    ph_dynamics_destroy(step.dynamics);
    return status;
}
