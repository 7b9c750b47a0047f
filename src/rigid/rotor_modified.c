/* SPDX-License-Identifier: MIT */
/* The modifying implicit midpoint rule of order 4 and 6: the midpoint rule (rotor_midpoint.c) with other moments,
 *   Y = (y + y')/2,   y' - y = h s f(Y),   e_j = h/2 (s/I_j + d) Y_j,   s = 1 + h^2 s3 + h^4 s5,   d = h^2 d3 + h^4 d5.
 *
 * How s and d follow from S and D of the discrete Moser-Veselov algorithm (dmv_series.h). This algorithm is the same
 * step with s = alpha S, d = alpha D, alpha = 1 + |e|^2 (implicit.h). It is exact if S and D are not truncated. */

/* But alpha is not a function of H and C alone: with w_j = 1/I_j and A = |wY|^2/4,
 *   alpha = 1 + h^2 (s^2 A + s d H + d^2 C/2),   H = Y.wY/2,   C = |Y|^2/2,
 * so s and d of the midpoint rule are functions of the stage Y, not of invariants. S and D are taken at y = Y - h s/2
 * f(Y), and their terms S3, D3 are quadratic forms without a mixed term here: S3(y) = S3(Y) + h^2/4 S3(f) + ... Hence
 *   s3 = S3 + A,   d3 = D3,   s5 = S5 + A S3 + (2 A s3 + d3 H) + S3(f)/4,   d5 = D5 + A D3 + D3(f)/4,
 * which tools/derive-dmv-series --midpoint checks in rational arithmetic. */

/* Quadratic invariants are conserved for any s and d, and the step is symmetric since Y is. The price: s depends on the
 * unknown, so the stage is solved for again until s converges. */

#include "rigid/implicit.h"
#include "rigid/rotors.h"

static const double reach = 1.2;
enum { ROUNDS = 40 };

struct modified {
    struct ph_implicit work;
    PH_ALIGNED double s[PH_LANES], d[PH_LANES], change[PH_LANES];
};

/* The quadratic forms S3 and D3 at a vector: X and V of dmv_series.h without h^2 */
PH_INLINE void forms(const struct ph_top *top, const double y[3], double *x, double *v)
{
    *x = top->dmv.x_scale * ph_fma(-top->a1, y[1] * y[1], top->a2 * (y[0] * y[0]));
    *v = top->dmv.v_scale * ph_fma(y[0], y[0], ph_fma(y[1], y[1], y[2] * y[2]));
}

PH_INLINE double first(const double *c, double x, double v)
{
    return ph_fma(c[PH_DMV_INDEX(1, 0)], x, c[PH_DMV_INDEX(0, 1)] * v);
}

PH_INLINE double second(const double *c, double x, double v)
{
    return ph_fma(ph_fma(c[PH_DMV_INDEX(2, 0)], x, c[PH_DMV_INDEX(1, 1)] * v), x, c[PH_DMV_INDEX(0, 2)] * v * v);
}

/* s and d of the stage; lanes whose s has converged do not change any more, so that none depends on its neighbours. */
PH_INLINE void modify(int order, const struct ph_top *top, struct modified *m, int l)
{
    const double *s_series = top->dmv.s, *d_series = top->dmv.d, *w = top->inverse;
    const double y[3] = {m->work.stage[0][l], m->work.stage[1][l], m->work.stage[2][l]};
    const double h = m->work.step[l], h2 = h * h;
    double x, v;
    forms(top, y, &x, &v);
    const double rate1 = w[0] * y[0], rate2 = w[1] * y[1], rate3 = w[2] * y[2];
    const double a = 0.25 * ph_fma(rate1, rate1, ph_fma(rate2, rate2, rate3 * rate3));
    const double big_s3 = first(s_series, x, v), d3 = first(d_series, x, v), s3 = big_s3 + a;
    double s = ph_fma(h2, s3, 1.0), d = h2 * d3;
    if (order == 6) {
        const double energy = 0.5 * ph_fma(rate1, y[0], ph_fma(rate2, y[1], rate3 * y[2]));
        const double f[3] = {top->a1 * y[1] * y[2], top->a2 * y[2] * y[0], top->a3 * y[0] * y[1]};
        double fx, fv;
        forms(top, f, &fx, &fv);
        const double s5 =
            second(s_series, x, v) + a * big_s3 + 2.0 * a * s3 + d3 * energy + 0.25 * first(s_series, fx, fv);
        const double d5 = second(d_series, x, v) + a * d3 + 0.25 * first(d_series, fx, fv);
        s = ph_fma(h2 * h2, s5, s);
        d = ph_fma(h2 * h2, d5, d);
    }
    const uint64_t open = -(uint64_t)(m->change[l] > PH_IMPLICIT_TOLERANCE);
    const double change = fabs(s - m->s[l]);
    m->s[l] = ph_implicit_blend(open, s, m->s[l]);
    m->d[l] = ph_implicit_blend(open, d, m->d[l]);
    m->change[l] = ph_implicit_blend(open, change, m->change[l]);
    const double half = 0.5 * h, kappa = half * m->s[l];
    m->work.p[0][l] = kappa * top->a1;
    m->work.p[1][l] = kappa * top->a2;
    m->work.p[2][l] = kappa * top->a3;
    for (int k = 0; k < 3; ++k)
        m->work.g[k][l] = half * ph_fma(w[k], m->s[l], m->d[l]);
}

/* The midpoint rule itself as the first guess */
PH_INLINE void begin(const struct ph_top *top, struct modified *m, int l)
{
    const double half = 0.5 * m->work.step[l];
    m->s[l] = 1.0;
    m->d[l] = 0.0;
    m->change[l] = 1.0;
    m->work.p[0][l] = half * top->a1;
    m->work.p[1][l] = half * top->a2;
    m->work.p[2][l] = half * top->a3;
    for (int k = 0; k < 3; ++k)
        m->work.g[k][l] = half * top->inverse[k];
}

PH_INLINE void solve(int order, const struct ph_top *top, const struct ph_block *block, struct modified *m)
{
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        begin(top, m, l);
    bool open = true;
    for (int round = 0;; ++round) {
        ph_implicit_solve(0, top, block, &m->work);
        if (!open || round == ROUNDS)
            break;
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l)
            modify(order, top, m, l);
        open = ph_implicit_any_above(PH_IMPLICIT_TOLERANCE, m->change);
    }
}

PH_INLINE void modified_step(int order, const struct ph_top *top, struct ph_block *block)
{
    struct modified m;
    const double most = ph_implicit_prepare(reach, top, block, &m.work);
    double part = 0.0;
    do {
        solve(order, top, block, &m);
        ph_implicit_finish_part(0, part, block, &m.work);
        part += 1.0;
    } while (part < most);
}

static void step4(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    (void)flow;
    modified_step(4, top, block);
}

static void step6(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    (void)flow;
    modified_step(6, top, block);
}

#define REFERENCE                                                                                                      \
    "P. Chartier, E. Hairer, G. Vilmart, Math. Comp. 76 (2007) 1941; E. Hairer, G. Vilmart, J. Phys. A 39 (2006) "     \
    "13225"
#define DOCUMENTATION                                                                                                  \
    "The implicit midpoint rule with moments of inertia modified by a series in h^2, which depends on the middle of "  \
    "the step. Conserves the angular momentum in space, |m| and the energy to rounding. Poisson in m only for a "      \
    "bracket of its own, not symplectic. Implicit, solved by Newton's iteration, repeated until the moments "          \
    "converge; steps with |omega| h above 1.2 are made in equal parts, so that it converges."
#define CLAIMS                                                                                                         \
    {                                                                                                                  \
        .conserves_space_momentum = true, .conserves_norm = true, .conserves_energy = true, .reversible = true         \
    }

const struct ph_flow ph_flow_imr4 = {
    .name = "imr4",
    .summary = "modifying implicit midpoint rule, order 4",
    .reference = REFERENCE,
    .documentation = DOCUMENTATION,
    .order = 4,
    .claims = CLAIMS,
    .step = step4,
};

const struct ph_flow ph_flow_imr6 = {
    .name = "imr6",
    .summary = "modifying implicit midpoint rule, order 6",
    .reference = REFERENCE,
    .documentation = DOCUMENTATION,
    .order = 6,
    .claims = CLAIMS,
    .step = step6,
};
