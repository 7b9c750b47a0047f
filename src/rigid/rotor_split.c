/* SPDX-License-Identifier: MIT */
/* Splittings of the free rigid body into rotations that are known in closed form.
 *
 * Every part is a Hamiltonian that depends on m only. So each factor, and the whole, is symplectic and conserves Q m
 * and |m|. The energy is conserved only up to the splitting error. Axes are the sorted ones, I1 <= I2 <= I3.
 *
 * One factor R_k(t), Hamiltonian c m_k^2 / 2: m_k is constant, the body turns about its axis k by the angle
 * theta = c m_k t, so q <- q (cos theta/2, e_k sin theta/2) and m turns about e_k by -theta. */

/* Linear rotors: their energy (m_1^2 + m_2^2)/2I keeps the momentum m_3 = 0 about the axis, neither of its two parts
 * alone does. After a splitting into m_1^2 and m_2^2 the body would no longer be a linear rotor, and putting m_3 back
 * to zero would break Q m and reversibility. So both are taken as one part: the body turns about m, which is exact. */

#include "base/rotation.h"
#include "rigid/rotors.h"

#define SPLITTING_CLAIMS                                                                                               \
    {                                                                                                                  \
        .conserves_space_momentum = true, .conserves_norm = true, .conserves_energy = false, .poisson = true,          \
        .symplectic = true, .reversible = true                                                                         \
    }

/* y and the rotation since the start of the step, of one lane */
struct lane {
    double y[3];
    double dq[4];
};

/* q (c, s e_k) */
PH_INLINE void turn_orientation(double q[4], int k, double c, double s)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double scalar = q[0], along = q[1 + k], a = q[1 + i], b = q[1 + j];
    q[0] = ph_fma(c, scalar, -(s * along));
    q[1 + k] = ph_fma(c, along, s * scalar);
    q[1 + i] = ph_fma(c, a, s * b);
    q[1 + j] = ph_fma(c, b, -(s * a));
}

/* Turns the vector y by -2 phi about axis k, where c, s are cosine and sine of phi. */
PH_INLINE void turn_momentum(double y[3], int k, double c, double s)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double sine = 2.0 * s * c, versine = 2.0 * s * s; /* of the whole angle: sin, 1 - cos */
    const double a = y[i], b = y[j];
    y[i] = a + ph_fma(sine, b, -(versine * a));
    y[j] = b - ph_fma(sine, a, versine * b);
}

/* R_k with Hamiltonian c m_k^2 / 2 for the time t */
PH_INLINE void rotate_about(struct lane *lane, int k, double c, double t)
{
    double sine, cosine;
    ph_sincos(0.5 * c * t * lane->y[k], &sine, &cosine);
    turn_momentum(lane->y, k, cosine, sine);
    turn_orientation(lane->dq, k, cosine, sine);
}

PH_INLINE void put(struct ph_block *block, int l, const struct lane *lane)
{
    block->y[0][l] = lane->y[0];
    block->y[1][l] = lane->y[1];
    block->y[2][l] = lane->y[2];
    block->dq[0][l] = lane->dq[0];
    block->dq[1][l] = lane->dq[1];
    block->dq[2][l] = lane->dq[2];
    block->dq[3][l] = lane->dq[3];
}

PH_INLINE struct lane take(const struct ph_block *block, int l)
{
    return (struct lane){.y = {block->y[0][l], block->y[1][l], block->y[2][l]},
                         .dq = {block->dq[0][l], block->dq[1][l], block->dq[2][l], block->dq[3][l]}};
}

PH_INLINE void rotation_stage(int k, double c, double fraction, struct ph_block *block, int l)
{
    struct lane lane = take(block, l);
    rotate_about(&lane, k, c, fraction * block->tau[l]);
    put(block, l, &lane);
}

/* A loop for each rotation, not one for all: each lane's chain of dependent operations is then short enough for the
 * processor to have several under way. */
#define ROTATE_ALL(k, c, fraction)                                                                                     \
    do {                                                                                                               \
        PH_SIMD                                                                                                        \
        for (int l = 0; l < PH_LANES; ++l)                                                                             \
            rotation_stage(k, c, fraction, block, l);                                                                  \
    } while (0)

/* The sphere of moment 1/inverse for the time t: y stays, the body turns about it. */
PH_INLINE void sphere(struct lane *lane, double inverse, double t)
{
    const double y1 = lane->y[0], y2 = lane->y[1], y3 = lane->y[2];
    const double norm = sqrt(ph_fma(y1, y1, ph_fma(y2, y2, y3 * y3)));
    double sine, cosine;
    ph_sincos(0.5 * t * inverse * norm, &sine, &cosine);
    const double s = norm > 0.0 ? sine / norm : 0.0;
    const double turn[4] = {cosine, s * y1, s * y2, s * y3};
    ph_quat_multiply(lane->dq, turn, lane->dq);
}

PH_INLINE void sphere_stage(double inverse, struct ph_block *block, int l)
{
    struct lane lane = take(block, l);
    sphere(&lane, inverse, block->tau[l]);
    put(block, l, &lane);
}

/* Steps a linear rotor, whose top has the moments of a sphere. */
static void linear_step(const struct ph_top *top, struct ph_block *block)
{
    const double inverse = top->inverse[0];
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        sphere_stage(inverse, block, l);
}

static void mr2_step(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    (void)flow;
    if (top->kind == PH_TOP_LINEAR) {
        linear_step(top, block);
        return;
    }
    const double w1 = top->inverse[0], w2 = top->inverse[1], w3 = top->inverse[2];
    ROTATE_ALL(0, w1, 0.5);
    ROTATE_ALL(1, w2, 0.5);
    ROTATE_ALL(2, w3, 1.0);
    ROTATE_ALL(1, w2, 0.5);
    ROTATE_ALL(0, w1, 0.5);
}

const struct ph_flow ph_flow_mr2 = {
    .name = "mr2",
    .summary = "three-rotation splitting (DLM)",
    .reference = "R. I. McLachlan, Phys. Rev. Lett. 71 (1993) 3043; S. Reich, Physica D 76 (1994) 375; "
                 "A. Dullweber, B. Leimkuhler, R. McLachlan, J. Chem. Phys. 107 (1997) 5840",
    .documentation = "Five rotations about the principal axes, 1-2-3-2-1 with I1 <= I2 <= I3. The rigid-body method of "
                     "today's molecular dynamics codes. Explicit and symplectic; the energy of the free body "
                     "oscillates. A linear rotor is turned about its angular momentum, which is exact.",
    .order = 2,
    .claims = SPLITTING_CLAIMS,
    .step = mr2_step,
};

/* The symmetric top with Hamiltonian S = ((y1^2 + y2^2)/I2 + y3^2/I3)/2 for the time t: first the sphere of
 * moment I2 (a rotation about y itself), then axis 3 by the difference,
 * Q <- Q exp(t y^/I2) exp(t y3 (1/I3 - 1/I2) e3^), since both commute. */
PH_INLINE void symmetric_top(struct lane *lane, double inverse2, double difference, double t)
{
    sphere(lane, inverse2, t);
    rotate_about(lane, 2, difference, t);
}

/* gamma_1 .. gamma_s of a symmetric composition, first half and middle */
struct composition {
    int stages;
    double gamma[5];
};

/* Fractions of the step: R for `half`, then S for `gamma` */
PH_INLINE void sr_stage(double inverse2, double difference, double rotation, double half, double gamma,
                        struct ph_block *block, int l)
{
    struct lane lane = take(block, l);
    rotate_about(&lane, 0, rotation, half * block->tau[l]);
    symmetric_top(&lane, inverse2, difference, gamma * block->tau[l]);
    put(block, l, &lane);
}

/* One step R(h/2) S(h) R(h/2) with R = (1/I1 - 1/I2) y1^2/2, composed; R's of neighbouring stages are one. */
static void sr_step(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    const struct composition *composition = flow->data;
    const int s = composition->stages;
    const double inverse2 = top->inverse[1];
    const double rotation = -top->a3, difference = top->a1; /* 1/I1 - 1/I2, 1/I3 - 1/I2 */
    double before = 0.0;
    for (int k = 0; k < s; ++k) {
        const double gamma = composition->gamma[k < s - 1 - k ? k : s - 1 - k];
        const double half = 0.5 * (before + gamma);
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l)
            sr_stage(inverse2, difference, rotation, half, gamma, block, l);
        before = gamma;
    }
    ROTATE_ALL(0, rotation, 0.5 * before);
}

static const struct composition one_stage = {.stages = 1, .gamma = {1.0}};

/* M. Suzuki, Phys. Lett. A 146 (1990) 319: 1/(4 - 4^(1/3)) four times and the rest in the middle */
static const struct composition suzuki_five = {
    .stages = 5, .gamma = {0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857}};

/* W. Kahan, R.-C. Li, Math. Comp. 66 (1997) 1089, s9odr6a; Hairer, Lubich, Wanner, Geometric Numerical
 * Integration, V (3.12) */
static const struct composition kahan_li_nine = {.stages = 9,
                                                 .gamma = {0.39216144400731413927925056, 0.33259913678935943859974864,
                                                           -0.70624617255763935980996482, 0.08221359629355080023149045,
                                                           0.79854399093482996339895035}};

const struct ph_flow ph_flow_sr2 = {
    .name = "sr2",
    .summary = "symmetric top + rotation splitting",
    .reference =
        "F. Fasso, J. Comput. Phys. 189 (2003) 527; G. Vilmart, Rigid body dynamics (2013), Algorithm 2 (corrected)",
    .documentation = "A symmetric top, which is integrable in elementary functions, between two half rotations about "
                     "axis 1 that carry the asymmetry. Exact for I1 = I2 and I2 = I3, and very good near them.",
    .order = 2,
    .claims = SPLITTING_CLAIMS,
    .step = sr_step,
    .data = &one_stage,
};

const struct ph_flow ph_flow_sr4 = {
    .name = "sr4",
    .summary = "sr2 composed five times, order 4",
    .reference = "sr2 with M. Suzuki, Phys. Lett. A 146 (1990) 319",
    .documentation = "Five steps of sr2 of lengths that cancel its error to order 4; one of them goes backwards.",
    .order = 4,
    .claims = SPLITTING_CLAIMS,
    .step = sr_step,
    .data = &suzuki_five,
};

const struct ph_flow ph_flow_sr6 = {
    .name = "sr6",
    .summary = "sr2 composed nine times, order 6",
    .reference = "sr2 with W. Kahan, R.-C. Li, Math. Comp. 66 (1997) 1089",
    .documentation = "Nine steps of sr2 of lengths that cancel its error to order 6.",
    .order = 6,
    .claims = SPLITTING_CLAIMS,
    .step = sr_step,
    .data = &kahan_li_nine,
};

/* NO_SQUISH in its own variables: q and the conjugate four-vector p = 2 q (0, m). The part of axis k,
 * h_k = (p . q e_k)^2 / (8 I_k), turns both in the plane of (q, q e_k) by zeta = t (p . q e_k) / (4 I_k). */
PH_INLINE void squish_free(double q[4], double p[4], int k, double inverse, double t)
{
    double image[4] = {q[0], q[1], q[2], q[3]};
    turn_orientation(image, k, 0.0, 1.0); /* q e_k */
    const double rate = ph_fma(p[0], image[0], ph_fma(p[1], image[1], ph_fma(p[2], image[2], p[3] * image[3])));
    double sine, cosine;
    ph_sincos(0.25 * t * inverse * rate, &sine, &cosine);
    turn_orientation(q, k, cosine, sine);
    turn_orientation(p, k, cosine, sine);
}

PH_INLINE void nosquish_lane(double w1, double w2, double w3, struct ph_block *block, int l)
{
    struct lane lane = take(block, l);
    const double t = block->tau[l];
    double *q = lane.dq;
    double p[4] = {0.0, 2.0 * lane.y[0], 2.0 * lane.y[1], 2.0 * lane.y[2]}; /* q = 1 at the start */
    squish_free(q, p, 2, w3, 0.5 * t);
    squish_free(q, p, 1, w2, 0.5 * t);
    squish_free(q, p, 0, w1, t);
    squish_free(q, p, 1, w2, 0.5 * t);
    squish_free(q, p, 2, w3, 0.5 * t);
    const double conjugate[4] = {q[0], -q[1], -q[2], -q[3]};
    ph_quat_multiply(conjugate, p, p);
    lane.y[0] = 0.5 * p[1];
    lane.y[1] = 0.5 * p[2];
    lane.y[2] = 0.5 * p[3];
    put(block, l, &lane);
}

static void nosquish_step(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    (void)flow;
    if (top->kind == PH_TOP_LINEAR) {
        linear_step(top, block);
        return;
    }
    const double w1 = top->inverse[0], w2 = top->inverse[1], w3 = top->inverse[2];
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        nosquish_lane(w1, w2, w3, block, l);
}

const struct ph_flow ph_flow_nosquish = {
    .name = "nosquish",
    .summary = "NO_SQUISH, symplectic quaternion splitting",
    .reference = "T. F. Miller III, M. Eleftheriou, P. Pattnaik, A. Ndirango, D. Newns, G. J. Martyna, J. Chem. Phys. "
                 "116 (2002) 8649",
    .documentation = "The splitting of LAMMPS, HOOMD-blue and DL_POLY: rotations 3-2-1-2-3 of the quaternion and its "
                     "conjugate four-momentum. In exact arithmetic a three-rotation splitting in another order than "
                     "mr2; linear rotors as there.",
    .order = 2,
    .claims = SPLITTING_CLAIMS,
    .step = nosquish_step,
};
