/* SPDX-License-Identifier: MIT */
#ifndef PH_RIGID_EXACT_MOTION_H
#define PH_RIGID_EXACT_MOTION_H

/* The exact flow: Jacobi's solution of the free rigid body in increment form, for every body and every step.
 *
 * Notation: sorted moments I1 <= I2 <= I3, Euler's equations y1' = a1 y2 y3 etc. (top.h), y the angular momentum, M its
 * norm, h the step; lambda and k' the frequency and complementary modulus of the elliptic functions. */

/* Momentum. The addition theorem takes y to y(h) by S = sn(lambda h)/lambda and c1, c3 = cn, dn alone, whatever the
 * phase of y: no inverse elliptic integral, no case distinction. With l1 = r y1^2 + q y2^2 and l3 = p y3^2 + q y2^2,
 *     S' = c1 c3,  c1' = -l3 S c3,  c3' = -l1 S c1,   c1^2 = 1 - l3 S^2,  c3^2 = 1 - l1 S^2. */

/* Orientation. In the frame p(y) that turns y to the axis +-e by the shortest way, the body turns by the angle
 *     psi = theta + arg(Z),   theta = M h [1/I3 + a2 (1-g)]  (e = axis 3)  or  M h [1/I3 + a2 g]  (e = axis 1),
 *     g = (1/h) int_0^h kappa S^2 / (1 + kappa S^2) dt,
 * Z a product of two complex numbers: the remainder of the addition theorem of the third kind, and the turn of the
 * frame. e is the axis, 1 or 3, with the smaller kappa: it is never near y and 0 <= g <= 1/2. */

/* S and g come from power series where lambda h is small (the step of any sensible simulation), else from the
 * arithmetic-geometric mean and Carlson's R_J. Every sum has terms of equal sign, or cancels only as the problem itself
 * does. Degenerate bodies (symmetric, spherical, linear) and states (axes, separatrix, rest) need no branch. Spheres
 * and linear rotors need none of this, and have a shorter function of their own. */

#include "rigid/elliptic_lanes.h"
#include "rigid/jacobi_motion.h"

#include <stdbool.h>

/* Results that one loop over the lanes leaves for the next. Loops are short, so that the processor can work on the
 * chains of dependent operations of several lanes at once. */
struct motion {
    PH_ALIGNED double l1[PH_LANES], l3[PH_LANES], gap[PH_LANES], kappa[PH_LANES]; /* gap = p y3^2 - r y1^2 */
    PH_ALIGNED double phase2[PH_LANES];                                           /* (lambda h)^2 */
    PH_ALIGNED double s[PH_LANES], g[PH_LANES];
    PH_ALIGNED double y1[PH_LANES], y2[PH_LANES], y3[PH_LANES]; /* y(h) */
    PH_ALIGNED double norm[PH_LANES], cosine[PH_LANES], sine[PH_LANES];
};

PH_INLINE void prepare(const struct ph_top *top, const struct ph_block *block, struct motion *motion, int l)
{
    const double y1 = block->y[0][l], y2 = block->y[1][l], y3 = block->y[2][l], h = block->tau[l];
    const double e1 = top->r * y1 * y1, e2 = top->q * y2 * y2, e3 = top->p * y3 * y3;
    const double l1 = e1 + e2, l3 = e3 + e2;
    motion->l1[l] = l1;
    motion->l3[l] = l3;
    motion->gap[l] = e3 - e1;
    motion->phase2[l] = h * h * ph_max(l1, l3);
    double kappa;
    ph_axis_is_3(top, y1, y2, y3, &kappa);
    motion->kappa[l] = kappa;
}

/* Series in h^2. W = S^2 obeys W'' = 2 - 4 (l1+l3) W + 6 l1 l3 W^2; f = kappa W/(1 + kappa W) follows by division.
 * The nearest pole of f lies at |lambda h| = pi/4 (k = 1) or beyond, so TERMS terms leave a relative error below
 * (16 phase2/pi^2)^TERMS / TERMS: 2^-55 at series_limit. */
enum { TERMS = 12 };
#ifdef __CUDACC__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
static const double series_limit = 0.03;

/* 1 - sqrt(1 - v) for |v| <= series_limit, by the binomial series */
PH_INLINE double one_minus_root(double v)
{
    const double v2 = v * v, v4 = v2 * v2;
    const double c12 = ph_fma(v, 1.0 / 8.0, 1.0 / 2.0), c34 = ph_fma(v, 5.0 / 128.0, 1.0 / 16.0);
    const double c56 = ph_fma(v, 21.0 / 1024.0, 7.0 / 256.0), c78 = ph_fma(v, 429.0 / 32768.0, 33.0 / 2048.0);
    const double c9A = ph_fma(v, 2431.0 / 262144.0, 715.0 / 65536.0);
    return v * ph_fma(v4, ph_fma(v4, c9A, ph_fma(v2, c78, c56)), ph_fma(v2, c34, c12));
}

/* The addition theorem for y(h) - y. n1 = 1 - c1, n3 = 1 - c3 and 1 - D = q (y2 S)^2 are small and come without
 * cancellation. The rounding of c1 and c3, the same in every step, would otherwise pull the energy by 1e-12 within some
 * 1e5 steps. Needs D well above zero. */
PH_INLINE void add_increment(const struct ph_top *top, double s, double n1, double n3, double y[3])
{
    const double y1 = y[0], y2 = y[1], y3 = y[2];
    const double y2s = y2 * s, epsilon = top->q * y2s * y2s, inverse = 1.0 / (1.0 - epsilon);
    const double n13 = ph_fma(-n1, n3, n1 + n3); /* 1 - c1 c3 */
    y[0] = ph_fma(ph_fma(epsilon - n1, y1, top->a1 * y2s * (1.0 - n3) * y3), inverse, y1);
    y[1] = ph_fma(ph_fma(epsilon - n13, y2, top->a2 * s * y1 * y3), inverse, y2);
    y[2] = ph_fma(ph_fma(epsilon - n3, y3, top->a3 * y2s * (1.0 - n1) * y1), inverse, y3);
}

PH_INLINE void series(const struct ph_top *top, const struct ph_block *block, struct motion *motion, int l)
{
    const double h = block->tau[l], h2 = h * h;
    const double x = motion->l1[l] * h2, z = motion->l3[l] * h2, k = motion->kappa[l] * h2;
    const double sum = -4.0 * (x + z), product = 6.0 * x * z;
    double w[TERMS], kw[TERMS], f[TERMS]; /* W/h^2 = sum w_j, f = sum f_j, each term of order h^(2j) */
    w[0] = 1.0;
    kw[0] = f[0] = k;
    UNROLL
    for (int j = 1; j < TERMS; ++j) {
        /* The newest term enters last, so that the next one is known one operation later. */
        const double share = 1.0 / ((2 * j + 2) * (2 * j + 1));
        double square = j % 2 == 0 ? w[(j - 2) / 2] * w[(j - 2) / 2] : 0.0;
        UNROLL
        for (int i = (j - 1) / 2 - 1; i >= 0; --i)
            square = ph_fma(2.0 * w[i], w[j - 2 - i], square);
        w[j] = ph_fma(share * sum, w[j - 1], share * product * square);
        kw[j] = k * w[j];
        double rest = 0.0;
        UNROLL
        for (int i = 0; i < j; ++i)
            rest = ph_fma(f[i], kw[j - 1 - i], rest);
        f[j] = kw[j] - rest;
    }
    double total = 0.0, integral = 0.0; /* W/h^2 and g */
    UNROLL
    for (int j = TERMS - 1; j >= 0; --j) {
        total += w[j];
        integral = ph_fma(f[j], 1.0 / (2 * j + 3), integral);
    }
    const double s = h * (1.0 - one_minus_root(1.0 - total));
    motion->s[l] = s;
    motion->g[l] = integral;
    double y[3] = {block->y[0][l], block->y[1][l], block->y[2][l]};
    add_increment(top, s, one_minus_root(z * total), one_minus_root(x * total), y);
    motion->y1[l] = y[0];
    motion->y2[l] = y[1];
    motion->y3[l] = y[2];
}

#undef UNROLL

/* S, g and y(h) of a lane beyond the series, from the elliptic functions and integrals */
PH_INLINE void beyond_series(const struct ph_top *top, const struct ph_block *block, const struct ph_jacobi *jacobi,
                             double lambda, double kappa, double u, double half_periods, double rj, double complete,
                             struct motion *motion, int l)
{
    const bool on = motion->phase2[l] > series_limit;
    const double sn = jacobi->sn[l];
    const double odd = ph_fma(-2.0, ph_round(0.5 * half_periods), half_periods); /* 0 or +-1 */
    const double sn_d = odd == 0.0 ? sn : -sn;
    const double integral = kappa * (1.0 / 3.0) * ph_fma(sn_d * sn_d * sn_d, rj, 2.0 * half_periods * complete);
    const double phase = lambda * block->tau[l], rest = (phase - u) * kappa / (1.0 + kappa);
    const bool third = motion->gap[l] >= 0.0; /* not l3 >= l1, which rounds wrongly next to the separatrix */
    const double s = sn / lambda, c1 = third ? jacobi->cn[l] : jacobi->dn[l],
                 c3 = third ? jacobi->dn[l] : jacobi->cn[l];
    double whole[3] = {block->y[0][l], block->y[1][l], block->y[2][l]}, part[3] = {whole[0], whole[1], whole[2]};
    const bool small = (c1 > 0.8) & (c3 > 0.8);
    ph_addition_theorem(top, s, c1, c3, whole);
    add_increment(top, s, motion->l3[l] * s * s / (1.0 + c1), motion->l1[l] * s * s / (1.0 + c3), part);
    motion->s[l] = on ? s : motion->s[l];
    motion->g[l] = on ? (integral + rest) / phase : motion->g[l];
    motion->y1[l] = on ? (small ? part[0] : whole[0]) : motion->y1[l];
    motion->y2[l] = on ? (small ? part[1] : whole[1]) : motion->y2[l];
    motion->y3[l] = on ? (small ? part[2] : whole[2]) : motion->y3[l];
}

/* On the separatrix itself y tends to axis 2: after this phase nothing but the angle changes, at a constant rate. */
static const double asymptotic = 300.0;

/* Below, the lane is in the range of the series whatever its step. */
static const double smallest_lambda2 = 1e-305;

/* Makes any step, for the lanes beyond the range of the series; other lanes do not change. On the processor it is not
 * inlined, away from the hot code. On a device it is inlined, because arguments of functions would lie in memory. */
#ifdef __CUDACC__
PH_INLINE void
#else
static void __attribute__((noinline))
#endif
by_elliptic_functions(const struct ph_top *top, const struct ph_block *block, struct motion *motion)
{
    PH_ALIGNED double u[PH_LANES], kc[PH_LANES], lambda[PH_LANES], kappa[PH_LANES], k2[PH_LANES],
        half_periods[PH_LANES];
    PH_ALIGNED double rj[PH_LANES], complete[PH_LANES] = {0.0};
    struct ph_jacobi jacobi;
    struct ph_carlson_rj arguments;

    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        const double lambda2 = ph_max(smallest_lambda2, ph_max(motion->l1[l], motion->l3[l])), inverse = 1.0 / lambda2;
        const double kc2 = fabs(motion->gap[l]) * inverse, phase = sqrt(lambda2) * block->tau[l];
        const double nearest = fabs(phase) < 20.0 ? 1e-20 : PH_JACOBI_KC_MIN; /* the larger needs fewer Landen steps */
        const double limit = kc2 < PH_JACOBI_KC_MIN * PH_JACOBI_KC_MIN ? asymptotic : fabs(phase);
        lambda[l] = sqrt(lambda2);
        kappa[l] = motion->kappa[l] * inverse;
        k2[l] = ph_min(motion->l1[l], motion->l3[l]) * inverse;
        u[l] = ph_max(-limit, ph_min(limit, phase));
        kc[l] = ph_min(1.0, ph_max(nearest, sqrt(kc2)));
    }
    ph_jacobi_lanes(u, kc, &jacobi);

    /* u = 2jK + d with |d| <= K: the integral to d, by the values of sn, cn, dn up to sign */
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        const double s2 = jacobi.sn[l] * jacobi.sn[l], ks2 = kappa[l] * s2;
        const double turns = u[l] * jacobi.mean[l] * 0.31830988618379067154; /* u / 2K */
        half_periods[l] = ph_round(ph_min(0x1p50, ph_max(-0x1p50, turns)));
        arguments.x[l] = jacobi.cn[l] * jacobi.cn[l];
        arguments.y[l] = jacobi.dn[l] * jacobi.dn[l];
        arguments.z[l] = 1.0;
        arguments.p[l] = 1.0 + ks2;
        arguments.delta[l] = ks2 * (ks2 + s2) * (ks2 + k2[l] * s2);
    }
    ph_carlson_rj_lanes(&arguments, rj);

    double several = 0.0;
    for (int l = 0; l < PH_LANES; ++l)
        several = ph_max(several, fabs(half_periods[l]));
    if (several > 0.0) {
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l) {
            arguments.x[l] = 0.0;
            arguments.y[l] = kc[l] * kc[l];
            arguments.z[l] = 1.0;
            arguments.p[l] = 1.0 + kappa[l];
            arguments.delta[l] = kappa[l] * (kappa[l] + 1.0) * (kappa[l] + k2[l]);
        }
        ph_carlson_rj_lanes(&arguments, complete);
    }

    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        beyond_series(top, block, &jacobi, lambda[l], kappa[l], u[l], half_periods[l], rj[l], complete[l], motion, l);
}

/* Cosine and sine of psi/2, times a common factor */
PH_INLINE void angle(const struct ph_top *top, const struct ph_block *block, struct motion *motion, int l)
{
    const double y[3] = {block->y[0][l], block->y[1][l], block->y[2][l]};
    const double z[3] = {motion->y1[l], motion->y2[l], motion->y3[l]}, g = motion->g[l];
    const struct ph_axes v = ph_choose_axes(top, y, z);
    const double norm = sqrt(ph_fma(y[0], y[0], ph_fma(y[1], y[1], y[2] * y[2])));
    const double theta = norm * block->tau[l] * ph_fma(top->a2, v.third ? 1.0 - g : g, top->inverse[2]);
    const double as = (v.third ? top->a3 : top->a1) * motion->s[l] * y[1], zc = v.third ? v.zf : v.zg;
    const double re1 = ph_fma(zc, zc, ph_fma(z[1], z[1], as * zc * v.ze)), im1 = (v.third ? as : -as) * norm * z[1];
    const double re2 = ph_fma(v.yf, v.zf, v.yg * v.zg), im2 = -v.sign * ph_fma(v.yf, v.zg, -(v.yg * v.zf));
    double c, s, sine, cosine;
    ph_half_angle(ph_fma(re1, re2, -(im1 * im2)), ph_fma(re1, im2, im1 * re2), &c, &s);
    ph_sincos(0.5 * theta, &sine, &cosine);
    motion->norm[l] = norm;
    motion->cosine[l] = ph_fma(cosine, c, -(sine * s));
    motion->sine[l] = ph_fma(sine, c, cosine * s);
}

PH_INLINE void finish(const struct ph_top *top, const struct motion *motion, struct ph_block *block, int l)
{
    const double y[3] = {block->y[0][l], block->y[1][l], block->y[2][l]};
    const double z[3] = {motion->y1[l], motion->y2[l], motion->y3[l]};
    const struct ph_axes v = ph_choose_axes(top, y, z);
    double dq[4];
    ph_frame_product(&v, motion->norm[l], motion->cosine[l], motion->sine[l], dq);
    block->y[0][l] = z[0];
    block->y[1][l] = z[1];
    block->y[2][l] = z[2];
    block->dq[0][l] = dq[0];
    block->dq[1][l] = dq[1];
    block->dq[2][l] = dq[2];
    block->dq[3][l] = dq[3];
}

/* A sphere, or a linear rotor: y is constant, the body turns about it by M h/I. */
PH_INLINE void sphere(double inverse_moment, struct ph_block *block, int l)
{
    const double y1 = block->y[0][l], y2 = block->y[1][l], y3 = block->y[2][l];
    const double norm = sqrt(ph_fma(y1, y1, ph_fma(y2, y2, y3 * y3)));
    double sine, cosine;
    ph_sincos(0.5 * norm * block->tau[l] * inverse_moment, &sine, &cosine);
    const double s = norm > 0.0 ? sine / norm : 0.0;
    block->dq[0][l] = cosine;
    block->dq[1][l] = s * y1;
    block->dq[2][l] = s * y2;
    block->dq[3][l] = s * y3;
}

/* One block of bodies by its steps */
PH_DEVICE static inline void ph_exact_motion(const struct ph_top *top, struct ph_block *block)
{
    if (top->a2 == 0.0) {
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l)
            sphere(top->inverse[0], block, l);
        return;
    }
    struct motion motion;
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        prepare(top, block, &motion, l);
    int n_beyond = 0;
    for (int l = 0; l < PH_LANES; ++l)
        n_beyond += motion.phase2[l] > series_limit;
    if (n_beyond < PH_LANES) {
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l)
            series(top, block, &motion, l);
    }
    if (n_beyond > 0)
        by_elliptic_functions(top, block, &motion);
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        angle(top, block, &motion, l);
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        finish(top, &motion, block, l);
}

#endif
