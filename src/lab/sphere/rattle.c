/* SPDX-License-Identifier: MIT */
/* RATTLE on spheres: places and velocities in space, with a multiplier for each constraint |q_i|^2 = 1. */
#include "lab/sphere/s2.h"

#include "lab/dense.h"
#include "lab/papers.h"
#include "lab/sphere/rotate.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 50 };
/* Of |q|^2 - 1: one more of Newton's corrections after `near` leaves rounding alone, which is checked. Stopping at the
 * first residual that looks like rounding would leave a systematic error, and the momentum would drift. */
static const double near = 1e-9, tolerance = 8.0 * DBL_EPSILON;

/* out_i = sum_j (M^-1)_ij x_j, with M factored in s2->matrix, n x n, if it is coupled */
static void accelerate(const struct ph_s2 *s2, const double (*x)[3], double (*out)[3], double *column)
{
    const size_t n = s2->n;
    for (int k = 0; k < 3; ++k) {
        for (size_t i = 0; i < n; ++i)
            column[i] = s2->coupled ? x[i][k] : x[i][k] / s2->mass[i * n + i];
        if (s2->coupled)
            ph_dense_solve(n, s2->matrix, s2->pivot, column);
        for (size_t i = 0; i < n; ++i)
            out[i][k] = column[i];
    }
}

/* Arrays of one step, all in s2->work */
struct step {
    double (*start)[3];  /* q_k */
    double (*v)[3];      /* velocity */
    double (*push)[3];   /* force or constraint force */
    double (*change)[3]; /* of velocity */
    double *column;      /* n numbers */
    double *lambda;
    double *jacobian; /* n x n; at most 9 n^2 numbers of the matrix are free behind M */
};

/* d(|q_i|^2)/d(lambda_j) = 2 q_i . (h^2/2 (M^-1)_ij start_j): the inverse of M times unit vectors, column by column */
static void fill_jacobian(const struct ph_s2 *s2, double factor, const double (*q)[3], const double (*start)[3],
                          double *column, double *jacobian)
{
    const size_t n = s2->n;
    for (size_t j = 0; j < n; ++j) {
        memset(column, 0, n * sizeof *column);
        column[j] = 1.0;
        ph_dense_solve(n, s2->matrix, s2->pivot, column);
        for (size_t i = 0; i < n; ++i)
            jacobian[i * n + j] = factor * column[i] * ph_vec3_dot(q[i], start[j]);
    }
}

/* Solves J lambda = -residual; J is diagonal if M is. */
static bool solve_multipliers(const struct ph_s2 *s2, double factor, const double (*q)[3], const struct step *s,
                              double *lambda)
{
    const size_t n = s2->n;
    if (!s2->coupled) {
        for (size_t i = 0; i < n; ++i)
            lambda[i] /= factor / s2->mass[i * n + i] * ph_vec3_dot(q[i], s->start[i]);
        return true;
    }
    size_t *pivot = s2->pivot + n;
    fill_jacobian(s2, factor, q, (const double(*)[3])s->start, s->column, s->jacobian);
    if (!ph_dense_factor(n, s->jacobian, pivot))
        return false;
    ph_dense_solve(n, s->jacobian, pivot, lambda);
    return true;
}

/* Adds the constraint forces along start_i: velocities change by factor M^-1 lambda start. */
static void push(const struct ph_s2 *s2, double factor, const double (*along)[3], const struct step *s)
{
    for (size_t i = 0; i < s2->n; ++i)
        for (int k = 0; k < 3; ++k)
            s->push[i][k] = s->lambda[i] * along[i][k];
    accelerate(s2, (const double(*)[3])s->push, s->change, s->column);
    ph_s2_add(s2->n, factor, (const double(*)[3])s->change, s->v);
}

/* q = start + h v with |q| = 1 */
static bool find_place(struct ph_s2 *s2, double h, const struct step *s)
{
    const size_t n = s2->n;
    bool last = false;
    for (int k = 0; k < MOST; ++k) {
        memcpy(s2->q, s->start, n * sizeof *s2->q);
        ph_s2_add(n, h, (const double(*)[3])s->v, s2->q);
        double worst = 0.0;
        for (size_t i = 0; i < n; ++i) {
            s->lambda[i] = 1.0 - ph_vec3_dot(s2->q[i], s2->q[i]);
            worst = fabs(s->lambda[i]) <= worst ? worst : fabs(s->lambda[i]);
        }
        if (last)
            return worst <= tolerance;
        last = worst <= near;
        ++s2->iterations;
        if (!solve_multipliers(s2, h * h, (const double(*)[3])s2->q, s, s->lambda))
            return false;
        push(s2, 0.5 * h, (const double(*)[3])s->start, s);
    }
    return false;
}

/* Velocities tangent to the spheres at q: 0 = q_i.(v_i + h/2 sum_j (M^-1)_ij lambda_j q_j) is linear in lambda. */
static bool find_velocity(struct ph_s2 *s2, double h, const struct step *s)
{
    for (size_t i = 0; i < s2->n; ++i)
        s->lambda[i] = -ph_vec3_dot(s2->q[i], s->v[i]);
    const struct step here = {.start = s2->q, .column = s->column, .jacobian = s->jacobian};
    if (!solve_multipliers(s2, 0.5 * h, (const double(*)[3])s2->q, &here, s->lambda))
        return false;
    push(s2, 0.5 * h, (const double(*)[3])s2->q, s);
    return true;
}

/* The force without its part along q, which the multipliers would cancel: t x q */
static void kick(const struct ph_s2 *s2, double half, const struct step *s)
{
    for (size_t i = 0; i < s2->n; ++i)
        ph_vec3_cross(s2->torque[i], s2->q[i], s->push[i]);
    accelerate(s2, (const double(*)[3])s->push, s->change, s->column);
    ph_s2_add(s2->n, half, (const double(*)[3])s->change, s->v);
}

/* M itself, without the spheres */
static bool factor_mass(struct ph_s2 *s2)
{
    memcpy(s2->matrix, s2->mass, s2->n * s2->n * sizeof *s2->mass);
    return !s2->coupled || ph_dense_factor(s2->n, s2->matrix, s2->pivot);
}

static enum ph_status step(const struct ph_s2_method *method, double h, struct ph_s2 *s2, struct ph_error *err)
{
    (void)method;
    const size_t n = s2->n;
    const struct step s = {.start = s2->work,
                           .v = s2->work + n,
                           .push = s2->work + 2 * n,
                           .change = s2->work + 3 * n,
                           .column = &s2->work[4 * n][0],
                           .lambda = &s2->work[5 * n][0],
                           .jacobian = s2->matrix + n * n};
    memcpy(s.start, s2->q, n * sizeof *s.start);
    for (size_t i = 0; i < n; ++i)
        ph_vec3_cross(s2->w[i], s2->q[i], s.v[i]);
    bool found = factor_mass(s2);
    kick(s2, 0.5 * h, &s);
    found = found && find_place(s2, h, &s);
    if (!found)
        return ph_error_set(err, PH_ERR_NUMBERS,
                            "rattle-s2: no multipliers were found that bring all bodies back to their spheres in %d "
                            "iterations; the time step is too long.",
                            MOST);
    enum ph_status status = ph_s2_prepare(s2, (const double(*)[3])s2->q, NULL, err);
    if (status != PH_OK)
        return status;
    found = factor_mass(s2);
    kick(s2, 0.5 * h, &s);
    if (!found || !find_velocity(s2, h, &s))
        return ph_error_set(err, PH_ERR_NUMBERS, "rattle-s2: velocities could not be made tangent to the spheres.");
    for (size_t i = 0; i < n; ++i)
        ph_vec3_cross(s2->q[i], s.v[i], s2->w[i]);
    return PH_OK;
}

const struct ph_s2_method ph_s2_rattle = {
    .name = "rattle-s2",
    .summary = "RATTLE: places and velocities in space, held on the spheres by multipliers",
    .reference = PH_PAPER_ORTOLAN ", (7.4); H. C. Andersen, J. Comput. Phys. 52 (1983) 24; B. Leimkuhler, R. D. Skeel, "
                                  "J. Comput. Phys. 112 (1994) 117",
    .documentation =
        "Verlet's scheme for q and v = w x q, with forces along q_k and q_{k+1} chosen so that |q_{k+1}| = 1 (Newton's "
        "method, to rounding) and q_{k+1}.v_{k+1} = 0 (linear). Symplectic, also if the kinetic energy couples bodies. "
        "There is no solution for steps in which a body would move by more than its radius.",
    .order = 2,
    .evaluations = 1,
    .claims = {.norm = true,
               .tangent = true,
               .momentum = true,
               .momentum_coupled = true,
               .reversible = true,
               .symplectic = true,
               .symplectic_coupled = true},
    .step = step,
};
