/* SPDX-License-Identifier: MIT */
/* The two-form of the free rigid body, and its change by a step.
 *
 * In left-trivialised coordinates a tangent vector of T*SO(3) at (Q, m) is z = (xi, mu): Q moves to Q exp(hat(xi)), m
 * to m + mu. The canonical one-form is theta(z) = m . xi, and for the fields of constant (xi, mu), with the commutator
 * of the Lie algebra, [z1, z2] = (xi1 x xi2, 0),
 *     omega(z1, z2) = -d theta(z1, z2) = -z1(theta(z2)) + z2(theta(z1)) + theta([z1, z2])
 *                   = xi1 . mu2 - mu1 . xi2 + m . (xi1 x xi2)  =  z1^T W(m) z2,   W(m) = ( -hat(m)  1 )
 *                                                                                        (  -1      0 ). */

/* Check: the equations of motion are X = (w, m x w) with w = grad H, and omega(X, z) = w . mu = dH(z).
 * A step with Jacobian J (in these coordinates, before and after) is symplectic if J^T W(m') J = W(m). Its action on
 * m alone, with Jacobian K = d m'/d m, is Poisson if K hat(m) K^T = hat(m'). */

/* Linear rotors have no momentum about their axis, m3 = 0. (Their space is T*S^2: T*SO(3) with m3 = 0 appears as T*S^2
 * if rotations about the axis are not distinguished.) The two-form is then restricted to tangent vectors with mu3 = 0.
 * A step is symplectic if it preserves this restriction. The momenta alone have no bracket of their own.
 *
 * J is measured by central differences of order 10, on neighbours of random states. */
#include "lab/certify/flow_jacobian.h"

#include "base/rotation.h"
#include "base/vec3.h"
#include "lab/problems/flow_states.h"

#include <math.h>
#include <string.h>

enum { STATES = PH_STATES_DRAWN, DIRECTIONS = 6, STENCIL = 5, IMAGES = 1 + DIRECTIONS * 2 * STENCIL };

static const double stencil[STENCIL] = {5.0 / 6.0, -5.0 / 21.0, 5.0 / 84.0, -5.0 / 504.0, 1.0 / 1260.0};
const double ph_jacobian_spacing = 1.0 / 64.0;

/* q exp(xi), the orientation turned by the vector xi in the body frame */
static void turned(const double q[4], const double xi[3], double out[4])
{
    const double angle = ph_vec3_norm(xi);
    const double s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    const double turn[4] = {cos(0.5 * angle), s * xi[0], s * xi[1], s * xi[2]};
    ph_quat_multiply(q, turn, out);
}

/* The vector xi with q = base exp(xi), |xi| < pi */
static void turn_between(const double base[4], const double q[4], double xi[3])
{
    const double inverse[4] = {base[0], -base[1], -base[2], -base[3]};
    double r[4];
    ph_quat_multiply(inverse, q, r);
    const double sine = sqrt(r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    const double sign = r[0] < 0.0 ? -1.0 : 1.0;
    const double factor = sine > 0.0 ? sign * 2.0 * atan2(sine, fabs(r[0])) / sine : 2.0 * sign;
    for (int k = 0; k < 3; ++k)
        xi[k] = factor * r[1 + k];
}

/* The state itself, then for each direction of (xi, mu / |m|) the points +-1, .. +-5 of the stencil */
static void put_neighbours(struct ph_bodies bodies, size_t first, const double m[3], const double q[4])
{
    ph_states_put(bodies, first, m, q);
    for (int d = 0; d < DIRECTIONS; ++d)
        for (int s = 0; s < 2 * STENCIL; ++s) {
            const double shift = (s % 2 ? -1.0 : 1.0) * (s / 2 + 1) * ph_jacobian_spacing;
            double xi[3] = {0.0}, near_m[3] = {m[0], m[1], m[2]}, near_q[4];
            if (d < 3)
                xi[d] = shift;
            else
                near_m[d - 3] += shift * ph_states_momentum;
            turned(q, xi, near_q);
            ph_states_put(bodies, first + 1 + (size_t)(d * 2 * STENCIL + s), near_m, near_q);
        }
}

/* J of the step that moved the neighbours, and the image of m; momenta in units of |m| */
static void jacobian(struct ph_bodies bodies, size_t first, double J[6][6], double m[3])
{
    double base_q[4], base_m[3];
    ph_states_take(bodies, first, base_m, base_q);
    for (int d = 0; d < DIRECTIONS; ++d) {
        double z[2 * STENCIL][6];
        for (int s = 0; s < 2 * STENCIL; ++s) {
            double near_m[3], near_q[4];
            ph_states_take(bodies, first + 1 + (size_t)(d * 2 * STENCIL + s), near_m, near_q);
            turn_between(base_q, near_q, z[s]);
            for (int k = 0; k < 3; ++k)
                z[s][3 + k] = (near_m[k] - base_m[k]) / ph_states_momentum;
        }
        for (int k = 0; k < 6; ++k) {
            J[k][d] = 0.0;
            for (int s = 0; s < STENCIL; ++s)
                J[k][d] += stencil[s] * (z[2 * s][k] - z[2 * s + 1][k]) / ph_jacobian_spacing;
        }
    }
    for (int k = 0; k < 3; ++k)
        m[k] = base_m[k] / ph_states_momentum;
}

static void hat(const double m[3], double out[3][3])
{
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i][i] = 0.0;
        out[i][j] = -m[k];
        out[i][k] = m[j];
    }
}

/* W(m), see above */
static void two_form(const double m[3], double W[6][6])
{
    double m_hat[3][3];
    hat(m, m_hat);
    memset(W, 0, 36 * sizeof(double));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            W[i][j] = -m_hat[i][j];
        W[i][3 + i] = 1.0;
        W[3 + i][i] = -1.0;
    }
}

/* Largest element of J^T W(m') J - W(m), without the direction `left_out` (-1: none) */
static double symplectic_residual(const double J[6][6], const double before[3], const double after[3], int left_out)
{
    double W0[6][6], W1[6][6], largest = 0.0;
    two_form(before, W0);
    two_form(after, W1);
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
            double sum = -W0[i][j];
            for (int k = 0; k < 6; ++k)
                for (int l = 0; l < 6; ++l)
                    sum += J[k][i] * W1[k][l] * J[l][j];
            if (i != left_out && j != left_out)
                largest = fmax(largest, isfinite(sum) ? fabs(sum) : HUGE_VAL);
        }
    return largest;
}

/* Largest element of K hat(m) K^T - hat(m'), K the momentum block of J */
static double poisson_residual(const double J[6][6], const double before[3], const double after[3])
{
    double B0[3][3], B1[3][3], largest = 0.0;
    hat(before, B0);
    hat(after, B1);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double sum = -B1[i][j];
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l)
                    sum += J[3 + i][3 + k] * B0[k][l] * J[3 + j][3 + l];
            largest = fmax(largest, isfinite(sum) ? fabs(sum) : HUGE_VAL);
        }
    return largest;
}

enum ph_status ph_flow_symplectic_residuals(const struct ph_flow *flow, const struct ph_top *top, double h,
                                            double *poisson, double *symplectic, struct ph_error *err)
{
    struct ph_bodies bodies;
    enum ph_status status = ph_states_create(STATES * IMAGES, &bodies, err);
    if (status != PH_OK)
        return status;
    for (int i = 0; i < STATES; ++i) {
        double m[3], q[4];
        ph_states_draw(top, i, m, q);
        put_neighbours(bodies, (size_t)i * IMAGES, m, q);
    }
    ph_bodies_set_norm(bodies);
    ph_flow_advance(flow, top, h, bodies);
    *poisson = *symplectic = 0.0;
    const bool linear = top->linear_axis >= 0;
    for (int i = 0; i < STATES; ++i) {
        double J[6][6], before[3], after[3], q[4];
        ph_states_draw(top, i, before, q);
        for (int k = 0; k < 3; ++k)
            before[k] /= ph_states_momentum;
        jacobian(bodies, (size_t)i * IMAGES, J, after);
        *poisson = fmax(*poisson, linear ? 0.0 : poisson_residual(J, before, after));
        *symplectic = fmax(*symplectic, symplectic_residual(J, before, after, linear ? 3 + top->linear_axis : -1));
    }
    ph_states_destroy(&bodies);
    return PH_OK;
}
