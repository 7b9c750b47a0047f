/* SPDX-License-Identifier: MIT */
#ifndef PH_RIGID_IMPLICIT_H
#define PH_RIGID_IMPLICIT_H

/* Shared by the implicit flows, rotor_dmv.c and rotor_midpoint.c. Both make a step of length h by
 *   Y - kappa f(Y) = alpha y,    e_j = g_j Y_j,    y' = y + (2 kappa/alpha) f(Y),    dq = (1, e)/sqrt(1 + |e|^2)
 * with f(Y) = (a1 Y2 Y3, a2 Y3 Y1, a3 Y1 Y2) as in Euler's equations and
 *   discrete Moser-Veselov   alpha = 1 + |e|^2,  kappa = h s/2,  g_j = h (s/I_j + d)/2,
 *   implicit midpoint        alpha = 1,          kappa = h/2,    g_j = h/(2 I_j)
 * (E. Hairer, G. Vilmart, J. Phys. A 39 (2006) 13225, (16)-(18), with e for the moments 1/(s/I_j + d): the differences
 * of their inverses are s times those of 1/I_j, so f needs neither d nor a division). */

/* y' comes from this sum, not from turning y by dq. An error r left in the equation changes C by (2 kappa/alpha^2) r .
 * f(Y), and H likewise, which is small twice. Only the rounding of the last sum remains, half an ulp of y_j. Turning y
 * would round every component several times. Both agree, and Q m is conserved, up to r. */

/* How long a step may be. w_j = 1/I_j. Where the curve of y crosses the plane y2 = 0, |omega| is largest on it:
 *   W^2 = 2 (w1 + w3) H - 2 w1 w3 C = (w1 + w3) D1 + w3^2 |y|^2,   D1 = (w1-w3) y1^2 + (w2-w3) y2^2 >= 0;
 * the motion round axis 3 has the frequency lambda, lambda^2 = (w2-w3) D3, D3 = (w1-w2) y2^2 + (w1-w3) y3^2 >= 0 (on
 * a small circle; less on others), below W for every body that obeys the triangle inequality. */

/* A step with |h| max(W, lambda) <= reach is made at once. A longer one is made in n equal parts that obey this. n
 * depends on |h| and on invariants only. Hence the step of -h takes the same n and goes back the same way, except
 * where rounding of the invariants decides between n and n + 1. */

#include "base/rotation.h"
#include "rigid/flow.h"

/* The iteration ends when its error, estimated from the last changes, is below this value, or after some iterations.
 * The limit is for moments like 1, 0.5, 1e-40, which no body has: their error cannot be estimated so. */
#define PH_IMPLICIT_TOLERANCE 0x1p-56
enum { PH_IMPLICIT_ITERATIONS = 10 };

/* A step of more parts than this has no correct digit left and would take too long: the body stays where it is. */
#define PH_IMPLICIT_PARTS 0x1p50

struct ph_implicit {
    PH_ALIGNED double step[PH_LANES];         /* h/n */
    PH_ALIGNED double reach_square[PH_LANES]; /* h^2 max(W, lambda)^2 */
    PH_ALIGNED double rate_square[PH_LANES];  /* max(W, lambda)^2 */
    PH_ALIGNED double parts[PH_LANES];        /* n */
    PH_ALIGNED double spread[PH_LANES];       /* D1 */
    PH_ALIGNED double square[PH_LANES];       /* |y|^2 */
    PH_ALIGNED double p[3][PH_LANES];         /* kappa a_j */
    PH_ALIGNED double g[3][PH_LANES];
    PH_ALIGNED double stage[3][PH_LANES], better[3][PH_LANES]; /* Y, and after one more iteration */
    PH_ALIGNED double error_square[PH_LANES], better_error_square[PH_LANES];
};

PH_INLINE int ph_implicit_any_above(double limit, const double values[PH_LANES])
{
    int64_t any = 0;
#pragma omp simd reduction(| : any)
    for (int l = 0; l < PH_LANES; ++l)
        any |= values[l] > limit;
    return any != 0;
}

/* Invariants; a body at rest makes the step 0, whatever it was. */
PH_INLINE void ph_implicit_measure(const struct ph_top *top, const struct ph_block *block, struct ph_implicit *work,
                                   int l)
{
    const double w1 = top->inverse[0], w3 = top->inverse[2];
    const double y1 = block->y[0][l], y2 = block->y[1][l], y3 = block->y[2][l], tau = block->tau[l];
    const double square1 = y1 * y1, square2 = y2 * y2, square3 = y3 * y3;
    const double square = square1 + square2 + square3;
    const double d1 = ph_fma(-top->a1, square2, top->a2 * square1);
    const double d3 = ph_fma(-top->a3, square2, top->a2 * square3);
    const double rate_square = ph_max(ph_fma(w1 + w3, d1, w3 * w3 * square), -(top->a1 * d3));
    const double h = square > 0.0 ? tau : 0.0;
    work->step[l] = h;
    work->spread[l] = d1;
    work->square[l] = square;
    work->rate_square[l] = rate_square;
    work->reach_square[l] = h * (h * rate_square); /* infinite if it overflows, never 0 times infinity */
}

PH_INLINE void ph_implicit_divide(double reach, struct ph_implicit *work, int l)
{
    const double h = work->step[l], rate = sqrt(work->rate_square[l]);
    const double wanted = work->reach_square[l] > reach * reach ? ceil(fabs(h) * rate / reach) : 1.0;
    const double n = wanted > PH_IMPLICIT_PARTS ? 1.0 : wanted;
    work->step[l] = wanted > PH_IMPLICIT_PARTS ? 0.0 : h / n;
    work->parts[l] = n;
}

/* Fills step, spread, square; returns the largest n of all lanes. */
PH_INLINE double ph_implicit_prepare(double reach, const struct ph_top *top, const struct ph_block *block,
                                     struct ph_implicit *work)
{
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        ph_implicit_measure(top, block, work, l);
    double most = 1.0;
    if (ph_implicit_any_above(reach * reach, work->reach_square)) {
        for (int l = 0; l < PH_LANES; ++l) {
            ph_implicit_divide(reach, work, l);
            most = ph_max(most, work->parts[l]);
        }
    }
    return most;
}

/* |g z|^2 */
PH_INLINE double ph_implicit_angle_square(const double g[3], const double z[3])
{
    const double e1 = g[0] * z[0], e2 = g[1] * z[1], e3 = g[2] * z[2];
    return ph_fma(e1, e1, ph_fma(e2, e2, e3 * e3));
}

/* kappa f(z) + |g z|^2 y (the second for alpha = 1 + |e|^2 only): the quadratic terms of the equation */
PH_INLINE void ph_implicit_quadratic(int with_alpha, const double p[3], const double g[3], const double y[3],
                                     const double z[3], double out[3])
{
    out[0] = p[0] * (z[1] * z[2]);
    out[1] = p[1] * (z[2] * z[0]);
    out[2] = p[2] * (z[0] * z[1]);
    if (with_alpha) {
        const double angle_square = ph_implicit_angle_square(g, z);
        out[0] = ph_fma(angle_square, y[0], out[0]);
        out[1] = ph_fma(angle_square, y[1], out[1]);
        out[2] = ph_fma(angle_square, y[2], out[2]);
    }
}

/* The inverse, row by row, of J = 1 - kappa df/dY - y (2 g^2 Y)^T (the last for alpha = 1 + |e|^2 only) */
PH_INLINE void ph_implicit_inverse(int with_alpha, const double p[3], const double g[3], const double y[3],
                                   const double z[3], double out[9])
{
    /* -J outside of the diagonal, J on it */
    double j11 = 1.0, j22 = 1.0, j33 = 1.0;
    double j12 = p[0] * z[2], j13 = p[0] * z[1], j21 = p[1] * z[2], j23 = p[1] * z[0], j31 = p[2] * z[1],
           j32 = p[2] * z[0];
    if (with_alpha) {
        const double t1 = 2.0 * g[0] * (g[0] * z[0]), t2 = 2.0 * g[1] * (g[1] * z[1]), t3 = 2.0 * g[2] * (g[2] * z[2]);
        j11 = ph_fma(-y[0], t1, j11);
        j12 = ph_fma(y[0], t2, j12);
        j13 = ph_fma(y[0], t3, j13);
        j21 = ph_fma(y[1], t1, j21);
        j22 = ph_fma(-y[1], t2, j22);
        j23 = ph_fma(y[1], t3, j23);
        j31 = ph_fma(y[2], t1, j31);
        j32 = ph_fma(y[2], t2, j32);
        j33 = ph_fma(-y[2], t3, j33);
    }
    const double a11 = ph_fma(-j23, j32, j22 * j33), a21 = ph_fma(j21, j33, j23 * j31),
                 a31 = ph_fma(j21, j32, j22 * j31);
    const double scale = 1.0 / ph_fma(-j12, a21, ph_fma(-j13, a31, j11 * a11));
    out[0] = scale * a11;
    out[1] = scale * ph_fma(j12, j33, j13 * j32);
    out[2] = scale * ph_fma(j12, j23, j13 * j22);
    out[3] = scale * a21;
    out[4] = scale * ph_fma(-j13, j31, j11 * j33);
    out[5] = scale * ph_fma(j11, j23, j13 * j21);
    out[6] = scale * a31;
    out[7] = scale * ph_fma(j11, j32, j12 * j31);
    out[8] = scale * ph_fma(-j12, j21, j11 * j22);
}

/* out += M r */
PH_INLINE void ph_implicit_add_product(const double m[9], const double r[3], double out[3])
{
    out[0] = ph_fma(m[0], r[0], ph_fma(m[1], r[1], ph_fma(m[2], r[2], out[0])));
    out[1] = ph_fma(m[3], r[0], ph_fma(m[4], r[1], ph_fma(m[5], r[2], out[1])));
    out[2] = ph_fma(m[6], r[0], ph_fma(m[7], r[1], ph_fma(m[8], r[2], out[2])));
}

/* Y to third order in h: m = (y + y')/2 = Y/alpha solves m = y + kappa alpha f(m), and alpha = 1 + alpha^2 |g m|^2. */
PH_INLINE void ph_implicit_start(int with_alpha, const struct ph_block *block, struct ph_implicit *work, int l)
{
    const double y[3] = {block->y[0][l], block->y[1][l], block->y[2][l]};
    const double p[3] = {work->p[0][l], work->p[1][l], work->p[2][l]};
    const double g[3] = {work->g[0][l], work->g[1][l], work->g[2][l]};
    const double alpha = with_alpha ? 1.0 + ph_implicit_angle_square(g, y) : 1.0;
    const double q1 = alpha * p[0], q2 = alpha * p[1], q3 = alpha * p[2];
    const double a1 = q1 * (y[1] * y[2]), a2 = q2 * (y[2] * y[0]), a3 = q3 * (y[0] * y[1]);
    const double b1 = q1 * ph_fma(y[1], a3, y[2] * a2);
    const double b2 = q2 * ph_fma(y[2], a1, y[0] * a3);
    const double b3 = q3 * ph_fma(y[0], a2, y[1] * a1);
    const double c1 = ph_fma(a2, a3, ph_fma(y[1], b3, y[2] * b2));
    const double c2 = ph_fma(a3, a1, ph_fma(y[2], b1, y[0] * b3));
    const double c3 = ph_fma(a1, a2, ph_fma(y[0], b2, y[1] * b1));
    const double m[3] = {ph_fma(q1, c1, (y[0] + a1) + b1), ph_fma(q2, c2, (y[1] + a2) + b2),
                         ph_fma(q3, c3, (y[2] + a3) + b3)};
    double better_alpha = 1.0;
    if (with_alpha) {
        const double t = ph_implicit_angle_square(g, m);
        better_alpha = ph_fma(t, ph_fma(t, ph_fma(t, 5.0, 2.0), 1.0), 1.0);
    }
    for (int k = 0; k < 3; ++k)
        work->stage[k][l] = better_alpha * m[k];
}

/* |z|^2 + |g z|^2: errors of Y count as such (y is of order one) and as errors of e. The two differ much for rods. */
PH_INLINE double ph_implicit_norm_square(const double g[3], const double z[3])
{
    return ph_fma(z[0], z[0], ph_fma(z[1], z[1], ph_fma(z[2], z[2], ph_implicit_angle_square(g, z))));
}

/* Newton's step from the stage, and a second one with the same J. The equation is quadratic: with residual -r at the
 * stage, J Delta = r + quadratic(Delta) is exact, so the second step is Delta_2 = J^-1 (r + quadratic(Delta_1)). The
 * next change would be the last one times 2 |Delta| times the coefficient of the quadratic terms in this norm. This
 * coefficient is at most kappa a2 and g1^2 |y| if g1 is small, and never above `curvature`. */
PH_INLINE void ph_implicit_improve(int with_alpha, double curvature, const struct ph_block *block,
                                   const struct ph_implicit *work, double (*better)[PH_LANES], double *error_square,
                                   int l)
{
    const double y[3] = {block->y[0][l], block->y[1][l], block->y[2][l]};
    const double p[3] = {work->p[0][l], work->p[1][l], work->p[2][l]};
    const double g[3] = {work->g[0][l], work->g[1][l], work->g[2][l]};
    const double z[3] = {work->stage[0][l], work->stage[1][l], work->stage[2][l]};
    double inverse[9], q[3];
    ph_implicit_inverse(with_alpha, p, g, y, z, inverse);
    ph_implicit_quadratic(with_alpha, p, g, y, z, q);
    const double r[3] = {(y[0] - z[0]) + q[0], (y[1] - z[1]) + q[1], (y[2] - z[2]) + q[2]};
    double delta[3] = {0.0, 0.0, 0.0}, last[3] = {0.0, 0.0, 0.0};
    ph_implicit_add_product(inverse, r, delta);
    ph_implicit_quadratic(with_alpha, p, g, y, delta, q);
    ph_implicit_add_product(inverse, q, last);
    for (int k = 0; k < 3; ++k) {
        delta[k] += last[k];
        better[k][l] = z[k] + delta[k];
    }
    const double g_square = g[0] * g[0];
    const double alpha_part = with_alpha ? g_square * (g_square * work->square[l]) : 0.0;
    const double coefficient = ph_min(curvature * curvature, (1.0 + g_square) * ph_fma(p[1], p[1], alpha_part));
    error_square[l] = 4.0 * coefficient * ph_implicit_norm_square(g, delta) * ph_implicit_norm_square(g, last);
}

/* yes or no, by bit masks: of `condition ? yes : no` for several values the compiler makes branches, not vectors. */
PH_INLINE double ph_implicit_blend(uint64_t mask, double yes, double no)
{
    uint64_t a, b;
    memcpy(&a, &yes, sizeof a);
    memcpy(&b, &no, sizeof b);
    a = (a & mask) | (b & ~mask);
    memcpy(&yes, &a, sizeof a);
    return yes;
}

/* Lanes that have converged do not change any more, so that none depends on its neighbours. */
PH_INLINE void ph_implicit_accept(struct ph_implicit *work, int l)
{
    const double error_square = work->error_square[l], better_error_square = work->better_error_square[l];
    const uint64_t poor = -(uint64_t)(error_square > PH_IMPLICIT_TOLERANCE * PH_IMPLICIT_TOLERANCE);
    for (int k = 0; k < 3; ++k)
        work->stage[k][l] = ph_implicit_blend(poor, work->better[k][l], work->stage[k][l]);
    work->error_square[l] = ph_implicit_blend(poor, better_error_square, error_square);
}

/* From `p` and `g` to `stage` */
PH_INLINE void ph_implicit_solve(int with_alpha, const struct ph_top *top, const struct ph_block *block,
                                 struct ph_implicit *work)
{
    /* (I3-I2)/I1, at most 1 for real bodies: how strongly changes of e2 and e3 act on e1 */
    const double curvature = ph_max(1.0, -(top->a1 * top->moment[1] * (top->moment[2] * top->inverse[0])));
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        ph_implicit_start(with_alpha, block, work, l);
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        ph_implicit_improve(with_alpha, curvature, block, work, work->stage, work->error_square, l);
    for (int i = 1; i < PH_IMPLICIT_ITERATIONS; ++i) {
        if (!ph_implicit_any_above(PH_IMPLICIT_TOLERANCE * PH_IMPLICIT_TOLERANCE, work->error_square))
            break;
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l)
            ph_implicit_improve(with_alpha, curvature, block, work, work->better, work->better_error_square, l);
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l)
            ph_implicit_accept(work, l);
    }
}

/* From `stage` to y' and dq of one part. All but the first: dq holds the parts before, and finished lanes stay. */
PH_INLINE void ph_implicit_update(int with_alpha, int first, double part, struct ph_block *block,
                                  const struct ph_implicit *work, int l)
{
    const double z1 = work->stage[0][l], z2 = work->stage[1][l], z3 = work->stage[2][l];
    const double e1 = work->g[0][l] * z1, e2 = work->g[1][l] * z2, e3 = work->g[2][l] * z3;
    const double c = 1.0 / sqrt(ph_fma(e1, e1, ph_fma(e2, e2, ph_fma(e3, e3, 1.0))));
    const double twice = with_alpha ? 2.0 * (c * c) : 2.0;
    const double y1 = block->y[0][l], y2 = block->y[1][l], y3 = block->y[2][l];
    const double new1 = ph_fma(twice * work->p[0][l], z2 * z3, y1);
    const double new2 = ph_fma(twice * work->p[1][l], z3 * z1, y2);
    const double new3 = ph_fma(twice * work->p[2][l], z1 * z2, y3);
    double turn[4] = {c, c * e1, c * e2, c * e3};
    if (first) {
        block->y[0][l] = new1;
        block->y[1][l] = new2;
        block->y[2][l] = new3;
        for (int k = 0; k < 4; ++k)
            block->dq[k][l] = turn[k];
    } else {
        const uint64_t active = -(uint64_t)(part < work->parts[l]);
        const double dq[4] = {block->dq[0][l], block->dq[1][l], block->dq[2][l], block->dq[3][l]};
        ph_quat_multiply(dq, turn, turn);
        block->y[0][l] = ph_implicit_blend(active, new1, y1);
        block->y[1][l] = ph_implicit_blend(active, new2, y2);
        block->y[2][l] = ph_implicit_blend(active, new3, y3);
        for (int k = 0; k < 4; ++k)
            block->dq[k][l] = ph_implicit_blend(active, turn[k], dq[k]);
    }
}

/* All lanes, after the solution for part `part` */
PH_INLINE void ph_implicit_finish_part(int with_alpha, double part, struct ph_block *block,
                                       const struct ph_implicit *work)
{
    if (part == 0.0) {
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l)
            ph_implicit_update(with_alpha, 1, 0.0, block, work, l);
    } else {
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l)
            ph_implicit_update(with_alpha, 0, part, block, work, l);
    }
}

/* The whole step: `most` parts, from ph_implicit_prepare. p and g depend on invariants, and hold for all of them. */
PH_INLINE void ph_implicit_advance(int with_alpha, double most, const struct ph_top *top, struct ph_block *block,
                                   struct ph_implicit *work)
{
    double part = 0.0;
    do {
        ph_implicit_solve(with_alpha, top, block, work);
        ph_implicit_finish_part(with_alpha, part, block, work);
        part += 1.0;
    } while (part < most);
}

#endif
