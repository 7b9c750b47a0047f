/* SPDX-License-Identifier: MIT */
/* Exact momentum, and the orientation by a truncated Magnus series: dq = exp(v/2) with
 *   order 2:  v = h omega(h/2)
 *   order 4:  v = h/2 (omega_1 + omega_2) + sqrt(3)/12 h^2 omega_1 x omega_2,   omega_i at h/2 -+ h sqrt(3)/6.
 * Q' = Q hat(omega) has omega on the right, hence the sign of the commutator. */

#include "base/rotation.h"
#include "rigid/rotors.h"

/* The angular velocity a part of the step later */
static void rate_at(double part, const struct ph_top *top, const struct ph_block *block, double rate[3][PH_LANES])
{
    struct ph_block copy = *block;
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        copy.tau[l] = part * block->tau[l];
    ph_flow_exact.step(&ph_flow_exact, top, &copy);
    for (int k = 0; k < 3; ++k) {
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l)
            rate[k][l] = top->inverse[k] * copy.y[k][l];
    }
}

PH_INLINE void turn(double v1, double v2, double v3, struct ph_block *block, int l)
{
    const double angle = sqrt(ph_fma(v1, v1, ph_fma(v2, v2, v3 * v3)));
    double s, c;
    ph_sincos(0.5 * angle, &s, &c);
    const double factor = angle > 1e-8 ? s / angle : 0.5;
    block->dq[0][l] = c;
    block->dq[1][l] = factor * v1;
    block->dq[2][l] = factor * v2;
    block->dq[3][l] = factor * v3;
}

static void advance_momentum(const struct ph_top *top, struct ph_block *block)
{
    struct ph_block copy = *block;
    ph_flow_exact.step(&ph_flow_exact, top, &copy);
    memcpy(block->y, copy.y, sizeof block->y);
}

static void step2(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    (void)flow;
    PH_ALIGNED double rate[3][PH_LANES];
    rate_at(0.5, top, block, rate);
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        const double h = block->tau[l];
        turn(h * rate[0][l], h * rate[1][l], h * rate[2][l], block, l);
    }
    advance_momentum(top, block);
}

static void step4(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block)
{
    (void)flow;
    static const double root = 1.7320508075688772935, offset = 0.28867513459481288225;
    PH_ALIGNED double a[3][PH_LANES], b[3][PH_LANES];
    rate_at(0.5 - offset, top, block, a);
    rate_at(0.5 + offset, top, block, b);
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        const double h = block->tau[l], half = 0.5 * h, c = root / 12.0 * h * h;
        const double x = ph_fma(a[1][l], b[2][l], -(a[2][l] * b[1][l]));
        const double y = ph_fma(a[2][l], b[0][l], -(a[0][l] * b[2][l]));
        const double z = ph_fma(a[0][l], b[1][l], -(a[1][l] * b[0][l]));
        turn(ph_fma(half, a[0][l] + b[0][l], c * x), ph_fma(half, a[1][l] + b[1][l], c * y),
             ph_fma(half, a[2][l] + b[2][l], c * z), block, l);
    }
    advance_momentum(top, block);
}

#define REFERENCE                                                                                                      \
    "E. Celledoni, N. Safstrom, J. Phys. A 39 (2006) 5463; E. Hairer, G. Vilmart, J. Phys. A 39 (2006) 13225, "        \
    "section 3"
#define DOCUMENTATION                                                                                                  \
    "The momentum by Jacobi's elliptic functions, the orientation by the exponential of a truncated Magnus series. "   \
    "The "                                                                                                             \
    "momentum is exact, but the angular momentum in space is conserved only to the order of the orientation."
#define CLAIMS                                                                                                         \
    {                                                                                                                  \
        .conserves_norm = true, .conserves_energy = true, .poisson = true, .reversible = true                          \
    }

const struct ph_flow ph_flow_jem2 = {
    .name = "jem2",
    .summary = "exact momentum, orientation by Magnus series of order 2",
    .reference = REFERENCE,
    .documentation = DOCUMENTATION,
    .order = 2,
    .exact_momentum = true,
    .claims = CLAIMS,
    .step = step2,
};

const struct ph_flow ph_flow_jem4 = {
    .name = "jem4",
    .summary = "exact momentum, orientation by Magnus series of order 4",
    .reference = REFERENCE,
    .documentation = DOCUMENTATION,
    .order = 4,
    .exact_momentum = true,
    .claims = CLAIMS,
    .step = step4,
};
