/* SPDX-License-Identifier: MIT */
/* The exact solution in the formulations of the literature, with the integral of the third kind in closed form or by
 * Gauss quadrature. E. Celledoni, F. Fasso, N. Safstrom, A. Zanna, preprint NTNU Numerics 6/2007 (SIAM J. Sci. Comput.
 * 30 (2008) 2084), sections 2.2 and 2.4; its equation numbers below. */

/* With n = y/M of unit norm and time t = M h, all of them write Q = P(0)^T Y(psi) P(t), P n = e3. They differ in the
 * first vector v = P^T e1 of the moving frame and so in the angle psi:
 *   rotation   v = dn/dt      psi = 2T t - (2T I2 - 1)/I2 J     (14)
 *   kosenko    v = shortest   psi = t/I3 + a2 (J - s mu C)      (38), case (b) corrected
 *   vanzon     v = n x e3     psi = t/I3 + a2 J                 case (c)
 * where J = int dt/(1 - nu sn^2) = t + nu/lambda Delta G, G = int sn^2/(1 - nu sn^2) du, and C = int cn/(1 - nu
 * sn^2) dt (or dn for cn) is elementary. */

/* Unlike `exact`, they take the difference of two integrals from the phase zero, and the frame vector can become
 * undefined. Where this costs more than `loss` in accuracy (near symmetric bodies and steady rotations) the lane
 * takes `exact`. */

#include "rigid/elliptic.h"
#include "rigid/jacobi_motion.h"
#include "rigid/rotors.h"

enum frame { ROTATION, KOSENKO, VANZON };

/* A formulation that magnifies rounding by more than this leaves the lane to `exact`. */
static const double loss = 1e3;

/* Closer to the separatrix than this (in k') the differences of integrals lose too much. */
static const double nearest_separatrix = 1e-6;

struct work {
    PH_ALIGNED double n[3][PH_LANES], z[3][PH_LANES]; /* unit momentum before and after */
    PH_ALIGNED double norm[PH_LANES], t[PH_LANES];
    PH_ALIGNED double lambda[PH_LANES]; /* with the sign that sn, cn, dn of the paper need */
    PH_ALIGNED double u[PH_LANES], kc[PH_LANES], k2[PH_LANES], nu[PH_LANES], one_minus_nu[PH_LANES];
    PH_ALIGNED double nu_minus_k2[PH_LANES];                             /* |nu - k^2| */
    PH_ALIGNED double sn[2][PH_LANES], cn[2][PH_LANES], dn[2][PH_LANES]; /* before and after */
    PH_ALIGNED double phi[2][PH_LANES];                                  /* amplitude before and after, continuous */
    PH_ALIGNED double integral[PH_LANES];                                /* J */
    PH_ALIGNED double well[PH_LANES]; /* 1: this formulation is accurate here, 0: not */
};

/* Constants of the motion: everything that is a difference in the paper is a sum of positive terms here. */
PH_INLINE void constants(const struct ph_top *top, const struct ph_block *block, enum frame frame, struct work *w,
                         int l)
{
    const double y1 = block->y[0][l], y2 = block->y[1][l], y3 = block->y[2][l];
    const double norm = sqrt(ph_fma(y1, y1, ph_fma(y2, y2, y3 * y3))), inverse = norm > 0.0 ? 1.0 / norm : 0.0;
    const double n1 = y1 * inverse, n2 = y2 * inverse, n3 = y3 * inverse;
    const double i1 = top->moment[0], i2 = top->moment[1], i3 = top->moment[2];
    const double d21 = i2 - i1, d32 = i3 - i2, d31 = i3 - i1;
    const double x1 = n1 * n1, x2 = n2 * n2, x3 = n3 * n3;
    const double e1 = top->r * x1, e2 = top->q * x2, e3 = top->p * x3;
    const bool a = e1 > e3; /* case (a): n turns about axis 1 */
    const double lambda2 = a ? e1 + e2 : e3 + e2, other = a ? e3 + e2 : e1 + e2, gap = fabs(e1 - e3);
    const double a1_2 = x1 * d31 / i1 + x2 * d32 / i2;     /* 2T I3 - 1 */
    const double a3_2 = x2 * d21 / i2 + x3 * d31 / i3;     /* 1 - 2T I1 */
    const double d2 = fabs(x1 * d21 / i1 - x3 * d32 / i3); /* |2T I2 - 1| */
    const double mu2 = a3_2 * i3 / d31,
                 nu1_2 = a1_2 * i1 / d31; /* squares of the amplitudes of n3, n1; their sum is 1 */
    const double k2 = other / lambda2;

    const double nu_rotation = a ? d32 / (i2 * a1_2) : d21 / (i2 * a3_2);
    const double rest_rotation = a ? i3 * d2 / (i2 * a1_2) : i1 * d2 / (i2 * a3_2); /* 1 - nu */
    const double gap_rotation = nu_rotation * (a ? i1 * d2 / d21 : i3 * d2 / d32);  /* nu - k^2 */
    const double nu_axis = -mu2 * (a ? 1.0 : k2) / nu1_2;
    const double nu = frame == ROTATION ? nu_rotation : nu_axis;
    const double rate = frame == ROTATION ? d2 / i2 : top->a2;
    const double magnified = fabs(rate * nu) / sqrt(lambda2);

    w->n[0][l] = n1;
    w->n[1][l] = n2;
    w->n[2][l] = n3;
    w->norm[l] = norm;
    w->t[l] = norm * block->tau[l];
    w->lambda[l] = copysign(sqrt(lambda2), a ? n1 : n3);
    w->u[l] = sqrt(lambda2) * w->t[l];
    w->k2[l] = k2;
    w->nu[l] = nu;
    w->one_minus_nu[l] = frame == ROTATION ? rest_rotation : 1.0 - nu;
    w->nu_minus_k2[l] = frame == ROTATION ? gap_rotation : k2 - nu;
    const double kc = sqrt(gap / lambda2);
    const bool well = (magnified < loss) & (kc > nearest_separatrix) & (a1_2 > 0.0) & (a3_2 > 0.0);
    w->kc[l] = well ? ph_min(kc, 1.0) : 1.0; /* a harmless value where it is not used */
    w->well[l] = well ? 1.0 : 0.0;
}

/* n after the step by the addition theorem; phases before and after */
PH_INLINE void phases(const struct ph_top *top, const struct ph_jacobi *jacobi, struct work *w, int l)
{
    const double n[3] = {w->n[0][l], w->n[1][l], w->n[2][l]};
    double z[3] = {n[0], n[1], n[2]};
    const double i1 = top->moment[0], i2 = top->moment[1], i3 = top->moment[2];
    const double d21 = i2 - i1, d32 = i3 - i2, d31 = i3 - i1;
    const double x1 = n[0] * n[0], x2 = n[1] * n[1], x3 = n[2] * n[2];
    const bool a = top->r * x1 > top->p * x3;
    ph_addition_theorem(top, jacobi->sn[l] / fabs(w->lambda[l]), a ? jacobi->dn[l] : jacobi->cn[l],
                        a ? jacobi->cn[l] : jacobi->dn[l], z);

    const double a1_2 = x1 * d31 / i1 + x2 * d32 / i2, a3_2 = x2 * d21 / i2 + x3 * d31 / i3;
    const double amplitude1 = sqrt(a1_2 * i1 / d31), amplitude3 = sqrt(a3_2 * i3 / d31);
    const double amplitude2 = a ? sqrt(a3_2 * i2 / d21) : sqrt(a1_2 * i2 / d32);
    const double sn0 = n[1] / amplitude2, cn0 = a ? n[2] / amplitude3 : n[0] / amplitude1;
    const double sn1 = z[1] / amplitude2, cn1 = a ? z[2] / amplitude3 : z[0] / amplitude1;
    const double phi0 = ph_atan2(sn0, cn0), turned = ph_atan2(sn1, cn1) - phi0;
    /* The amplitude stays within pi/2 of its mean pi u/2K: that tells the number of whole turns. */
    const double expected = copysign(1.0, w->lambda[l]) * w->u[l] * jacobi->mean[l];
    const double turns = ph_round(ph_min(0x1p50, ph_max(-0x1p50, (expected - turned) * 0.15915494309189533577)));

    w->z[0][l] = z[0];
    w->z[1][l] = z[1];
    w->z[2][l] = z[2];
    w->sn[0][l] = sn0;
    w->sn[1][l] = sn1;
    w->cn[0][l] = cn0;
    w->cn[1][l] = cn1;
    w->dn[0][l] = fabs(a ? n[0] / amplitude1 : n[2] / amplitude3);
    w->dn[1][l] = fabs(a ? z[0] / amplitude1 : z[2] / amplitude3);
    w->phi[0][l] = phi0;
    w->phi[1][l] = phi0 + turned + 6.28318530717958647693 * turns;
}

/* |(1 - nu)(nu - k^2) nu|, and with s^6 the product that R_J wants, for both signs of nu */
PH_INLINE double rj_delta(const struct work *w, int l)
{
    return fabs(w->nu[l]) * w->one_minus_nu[l] * w->nu_minus_k2[l];
}

/* G at the amplitude phi = j pi + remainder */
PH_INLINE double third_kind(double phi, double sn, double rj, double complete)
{
    const double j = ph_round(phi * 0.31830988618379067154), odd = ph_fma(-2.0, ph_round(0.5 * j), j);
    const double s = odd == 0.0 ? sn : -sn;
    return (1.0 / 3.0) * ph_fma(s * s * s, rj, 2.0 * j * complete);
}

/* J from Carlson's R_J: G = s^3/3 R_J(c^2, d^2, 1, 1 - nu s^2) for |phi| <= pi/2, and twice the complete one for each
 * pi */
static void closed_form(struct work *w)
{
    struct ph_carlson_rj arguments;
    PH_ALIGNED double complete[PH_LANES], end[2][PH_LANES];
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        arguments.x[l] = 0.0;
        arguments.y[l] = w->kc[l] * w->kc[l];
        arguments.z[l] = 1.0;
        arguments.p[l] = w->one_minus_nu[l];
        arguments.delta[l] = rj_delta(w, l);
    }
    ph_carlson_rj(&arguments, complete);
    for (int e = 0; e < 2; ++e) {
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l) {
            const double s2 = w->sn[e][l] * w->sn[e][l], c2 = w->cn[e][l] * w->cn[e][l];
            arguments.x[l] = c2;
            arguments.y[l] = w->dn[e][l] * w->dn[e][l];
            arguments.z[l] = 1.0;
            arguments.p[l] = ph_fma(w->one_minus_nu[l], s2, c2); /* 1 - nu s^2 */
            arguments.delta[l] = rj_delta(w, l) * s2 * s2 * s2;
        }
        ph_carlson_rj(&arguments, end[e]);
    }
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        const double before = third_kind(w->phi[0][l], w->sn[0][l], end[0][l], complete[l]);
        const double after = third_kind(w->phi[1][l], w->sn[1][l], end[1][l], complete[l]);
        w->integral[l] = ph_fma(w->nu[l] / w->lambda[l], after - before, w->t[l]);
    }
}

/* Nodes and weights of Gauss-Legendre quadrature on [0, 1], the half above 1/2; odd rules end with the node 1/2. */
struct gauss {
    double node[3], weight[3];
};

static const struct gauss gauss_rules[] = {
    [3] = {{0.88729833462074168852, 0.5}, {0.27777777777777777778, 0.44444444444444444444}},
    [4] = {{0.93056815579702628761, 0.66999052179242813219}, {0.17392742256872692869, 0.32607257743127307131}},
    [5] = {{0.95308992296933199640, 0.76923465505284154551, 0.5},
           {0.11846344252809454376, 0.23931433524968323402, 0.28444444444444444444}},
};

/* J from Gauss quadrature of Legendre's form, (39) */
static void quadrature(int nodes, struct work *w)
{
    const struct gauss *rule = &gauss_rules[nodes];
    PH_ALIGNED double sum[PH_LANES] = {0.0};
    for (int i = 0; i < nodes; ++i) {
        const int stored = i < nodes - 1 - i ? i : nodes - 1 - i;
        const double node = i < nodes / 2 ? 1.0 - rule->node[stored] : rule->node[stored],
                     weight = rule->weight[stored];
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l) {
            const double phi = ph_fma(node, w->phi[1][l] - w->phi[0][l], w->phi[0][l]);
            double s, c;
            ph_sincos(phi, &s, &c);
            const double p = ph_fma(w->one_minus_nu[l] * s, s, c * c), d2 = ph_fma(w->kc[l] * w->kc[l] * s, s, c * c);
            sum[l] += weight / (p * sqrt(d2));
        }
    }
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        w->integral[l] = sum[l] * (w->phi[1][l] - w->phi[0][l]) / w->lambda[l];
}

/* int cn/(1 - nu sn^2) du in case (a), int dn/(1 - nu sn^2) du in case (b), from the phase zero */
PH_INLINE double elementary(bool a, double nu_minus_k2, double one_minus_nu, double sn, double cn, double dn,
                            double phi)
{
    const double root = sqrt(a ? nu_minus_k2 : one_minus_nu);
    const double angle = ph_atan2(root * sn, a ? dn : cn), turns = a ? 0.0 : phi - ph_atan2(sn, cn);
    return (angle + turns) / root;
}

/* The angle that Kosenko's frame has gained on the frame of case (c): s mu a2 C */
PH_INLINE double kosenko_gain(const struct ph_top *top, const struct work *w, double sign, bool a, int l)
{
    const double mu = sqrt(ph_fma(w->n[2][l], w->n[2][l], top->c3 * w->n[1][l] * w->n[1][l])); /* amplitude of n3 */
    const double before =
        elementary(a, w->nu_minus_k2[l], w->one_minus_nu[l], w->sn[0][l], w->cn[0][l], w->dn[0][l], w->phi[0][l]);
    const double after =
        elementary(a, w->nu_minus_k2[l], w->one_minus_nu[l], w->sn[1][l], w->cn[1][l], w->dn[1][l], w->phi[1][l]);
    return (a ? sign : 1.0) * mu * top->a2 * (after - before) / w->lambda[l];
}

/* First vector of the moving frame, up to a positive factor; sign: the pole of Kosenko's frame */
PH_INLINE void frame_vector(const struct ph_top *top, enum frame frame, double sign, const double n[3], double v[3])
{
    const double f = n[0] / (1.0 + sign * n[2]);
    v[0] = frame == ROTATION ? top->a1 * n[1] * n[2] : frame == VANZON ? n[1] : 1.0 - f * n[0];
    v[1] = frame == ROTATION ? top->a2 * n[2] * n[0] : frame == VANZON ? -n[0] : -f * n[1];
    v[2] = frame == ROTATION ? top->a3 * n[0] * n[1] : frame == VANZON ? 0.0 : -f * (n[2] + sign);
}

/* v, turned with n to the axis e by the shortest way: its components on (f, g) */
PH_INLINE void in_plane(bool third, double sign, const double n[3], const double v[3], double *vf, double *vg)
{
    const double ne = third ? n[2] : n[0], nf = third ? n[0] : n[1], ng = third ? n[1] : n[2];
    const double ve = third ? v[2] : v[0], f = sign * ve / (1.0 + sign * ne);
    *vf = ph_fma(-f, nf, third ? v[0] : v[1]);
    *vg = ph_fma(-f, ng, third ? v[1] : v[2]);
}

PH_INLINE void finish(const struct ph_top *top, enum frame frame, const struct work *w, struct ph_block *block, int l)
{
    const double n[3] = {w->n[0][l], w->n[1][l], w->n[2][l]}, z[3] = {w->z[0][l], w->z[1][l], w->z[2][l]};
    const double x1 = n[0] * n[0], x2 = n[1] * n[1], x3 = n[2] * n[2], t = w->t[l];
    const bool a = top->r * x1 > top->p * x3;
    const double pole = n[2] < 0.0 ? -1.0 : 1.0;

    const double twice_t = x1 * top->inverse[0] + x2 * top->inverse[1] + x3 * top->inverse[2];
    const double excess = ph_fma(-top->a3, x1, top->a1 * x3); /* 2T - 1/I2 */
    double psi = frame == ROTATION ? twice_t * t - excess * w->integral[l]
                                   : ph_fma(top->a2, w->integral[l], t * top->inverse[2]);
    if (frame == KOSENKO)
        psi -= kosenko_gain(top, w, pole, a, l);

    const struct ph_axes axes = ph_choose_axes(top, n, z);
    double v0[3], v1[3], f0, g0, f1, g1, c, s, sine, cosine, dq[4];
    frame_vector(top, frame, pole, n, v0);
    frame_vector(top, frame, pole, z, v1);
    in_plane(axes.third, axes.sign, n, v0, &f0, &g0);
    in_plane(axes.third, axes.sign, z, v1, &f1, &g1);
    ph_half_angle(ph_fma(f0, f1, g0 * g1), axes.sign * ph_fma(g0, f1, -(f0 * g1)), &c, &s);
    ph_sincos(0.5 * psi, &sine, &cosine);
    ph_frame_product(&axes, 1.0, ph_fma(cosine, c, -(sine * s)), ph_fma(sine, c, cosine * s), dq);

    block->y[0][l] = z[0] * w->norm[l];
    block->y[1][l] = z[1] * w->norm[l];
    block->y[2][l] = z[2] * w->norm[l];
    block->dq[0][l] = dq[0];
    block->dq[1][l] = dq[1];
    block->dq[2][l] = dq[2];
    block->dq[3][l] = dq[3];
}

/* Steps the lanes where this formulation is inaccurate by `exact`. */
static void hand_over(const struct ph_top *top, const struct ph_block *before, const struct work *w,
                      struct ph_block *block)
{
    struct ph_block exact = *before;
    ph_flow_exact.step(&ph_flow_exact, top, &exact);
    for (int l = 0; l < PH_LANES; ++l) {
        if (w->well[l] > 0.0)
            continue;
        for (int k = 0; k < 3; ++k)
            block->y[k][l] = exact.y[k][l];
        for (int k = 0; k < 4; ++k)
            block->dq[k][l] = exact.dq[k][l];
    }
}

/* One copy per frame, so that the choice is made by the compiler */
PH_INLINE void classic_step(enum frame frame, int nodes, const struct ph_top *top, struct ph_block *block)
{
    const struct ph_block before = *block;
    struct work w;
    struct ph_jacobi jacobi;
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        constants(top, block, frame, &w, l);
    ph_jacobi_functions(w.u, w.kc, &jacobi);
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        phases(top, &jacobi, &w, l);
    if (nodes == 0)
        closed_form(&w);
    else
        quadrature(nodes, &w);
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        finish(top, frame, &w, block, l);
    double all = 1.0;
    for (int l = 0; l < PH_LANES; ++l)
        all = ph_min(all, w.well[l]);
    if (all < 1.0)
        hand_over(top, &before, &w, block);
}

static void rotation_step(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    classic_step(ROTATION, *(const int *)flow->data, top, block);
}

static void kosenko_step(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    classic_step(KOSENKO, *(const int *)flow->data, top, block);
}

static void vanzon_step(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    classic_step(VANZON, *(const int *)flow->data, top, block);
}

/* Nodes of Gauss quadrature; none: Carlson's closed form */
static const int closed = 0, three = 3, four = 4, five = 5;

#define ROTATION_TEXT                                                                                                  \
    "Celledoni, Fasso, Safstrom, Zanna 2008, section 2.2: the frame follows the velocity of the momentum in the body."
#define KOSENKO_TEXT                                                                                                   \
    "Celledoni, Fasso, Safstrom, Zanna 2008, section 2.4 case (a), after Kosenko 1998: the frame is the shortest "     \
    "turn of the "                                                                                                     \
    "momentum to axis 3."
#define VANZON_TEXT                                                                                                    \
    "Celledoni, Fasso, Safstrom, Zanna 2008, section 2.4 case (c), after van Zon and Schofield 2007: the frame "       \
    "follows the "                                                                                                     \
    "plane of the momentum and axis 3."
#define CARLSON_TEXT " The integral of the third kind is taken in closed form by Carlson's R_J, three per step."
#define GAUSS_TEXT(order) " The integral of the third kind is approximated by Gauss quadrature of order " order "."
#define HAND_OVER_TEXT                                                                                                 \
    " Near symmetric bodies, steady rotations and the separatrix, where this formulation loses accuracy, the body "    \
    "takes `exact`."
#define PAPER "E. Celledoni, F. Fasso, N. Safstrom, A. Zanna, SIAM J. Sci. Comput. 30 (2008) 2084, "

#define CLASSIC(object, label, short_text, source, text, integral_text, degree, rule, function)                        \
    const struct ph_flow object = {                                                                                    \
        .name = label,                                                                                                 \
        .summary = short_text,                                                                                         \
        .reference = PAPER source,                                                                                     \
        .documentation = text integral_text HAND_OVER_TEXT,                                                            \
        .order = degree,                                                                                               \
        .exact_momentum = true,                                                                                        \
        .claims = {.conserves_space_momentum = true,                                                                   \
                   .conserves_norm = true,                                                                             \
                   .conserves_energy = true,                                                                           \
                   .poisson = true,                                                                                    \
                   .symplectic = (degree) == 0,                                                                        \
                   .reversible = true},                                                                                \
        .step = function,                                                                                              \
        .data = &rule,                                                                                                 \
    }

CLASSIC(ph_flow_exact_rotation, "exact-rotation", "exact, velocity frame", "section 2.2", ROTATION_TEXT, CARLSON_TEXT,
        0, closed, rotation_step);
CLASSIC(ph_flow_exact_rotation_g6, "exact-rotation-g6", "velocity frame, quadrature of order 6", "sections 2.2, 3.1",
        ROTATION_TEXT, GAUSS_TEXT("6"), 6, three, rotation_step);
CLASSIC(ph_flow_exact_rotation_g8, "exact-rotation-g8", "velocity frame, quadrature of order 8", "sections 2.2, 3.1",
        ROTATION_TEXT, GAUSS_TEXT("8"), 8, four, rotation_step);
CLASSIC(ph_flow_exact_rotation_g10, "exact-rotation-g10", "velocity frame, quadrature of order 10", "sections 2.2, 3.1",
        ROTATION_TEXT, GAUSS_TEXT("10"), 10, five, rotation_step);
CLASSIC(ph_flow_exact_kosenko, "exact-kosenko", "exact, shortest frame", "section 2.4 (a)", KOSENKO_TEXT, CARLSON_TEXT,
        0, closed, kosenko_step);
CLASSIC(ph_flow_exact_kosenko_g6, "exact-kosenko-g6", "shortest frame, quadrature of order 6", "sections 2.4 (a), 3.1",
        KOSENKO_TEXT, GAUSS_TEXT("6"), 6, three, kosenko_step);
CLASSIC(ph_flow_exact_kosenko_g8, "exact-kosenko-g8", "shortest frame, quadrature of order 8", "sections 2.4 (a), 3.1",
        KOSENKO_TEXT, GAUSS_TEXT("8"), 8, four, kosenko_step);
CLASSIC(ph_flow_exact_kosenko_g10, "exact-kosenko-g10", "shortest frame, quadrature of order 10",
        "sections 2.4 (a), 3.1", KOSENKO_TEXT, GAUSS_TEXT("10"), 10, five, kosenko_step);
CLASSIC(ph_flow_exact_vanzon, "exact-vanzon", "exact, axis frame", "section 2.4 (c)", VANZON_TEXT, CARLSON_TEXT, 0,
        closed, vanzon_step);
CLASSIC(ph_flow_exact_vanzon_g6, "exact-vanzon-g6", "axis frame, quadrature of order 6", "sections 2.4 (c), 3.1",
        VANZON_TEXT, GAUSS_TEXT("6"), 6, three, vanzon_step);
CLASSIC(ph_flow_exact_vanzon_g8, "exact-vanzon-g8", "axis frame, quadrature of order 8", "sections 2.4 (c), 3.1",
        VANZON_TEXT, GAUSS_TEXT("8"), 8, four, vanzon_step);
CLASSIC(ph_flow_exact_vanzon_g10, "exact-vanzon-g10", "axis frame, quadrature of order 10", "sections 2.4 (c), 3.1",
        VANZON_TEXT, GAUSS_TEXT("10"), 10, five, vanzon_step);
