/* SPDX-License-Identifier: MIT */
#include "rigid/flow.h"

#include "base/rotation.h"
#include "base/threads.h"
#include "rigid/rotors.h"

#include <math.h>
#include <string.h>

static const struct ph_flow *const flows[] = {
    &ph_flow_exact,
    &ph_flow_exact_rotation,
    &ph_flow_exact_rotation_g6,
    &ph_flow_exact_rotation_g8,
    &ph_flow_exact_rotation_g10,
    &ph_flow_exact_kosenko,
    &ph_flow_exact_kosenko_g6,
    &ph_flow_exact_kosenko_g8,
    &ph_flow_exact_kosenko_g10,
    &ph_flow_exact_vanzon,
    &ph_flow_exact_vanzon_g6,
    &ph_flow_exact_vanzon_g8,
    &ph_flow_exact_vanzon_g10,
    &ph_flow_mr2,
    &ph_flow_sr2,
    &ph_flow_sr4,
    &ph_flow_sr6,
    &ph_flow_nosquish,
    &ph_flow_dmv2,
    &ph_flow_dmv4,
    &ph_flow_dmv6,
    &ph_flow_dmv8,
    &ph_flow_dmv10,
    &ph_flow_dmv12,
    &ph_flow_dmv14,
    &ph_flow_imr2,
    &ph_flow_imr4,
    &ph_flow_imr6,
    &ph_flow_jem2,
    &ph_flow_jem4,
};

size_t ph_flow_count(void) { return sizeof flows / sizeof flows[0]; }

const struct ph_flow *ph_flow_at(size_t index) { return index < ph_flow_count() ? flows[index] : NULL; }

const struct ph_flow *ph_flow_find(const char *name)
{
    for (size_t i = 0; i < ph_flow_count(); ++i)
        if (strcmp(flows[i]->name, name) == 0)
            return flows[i];
    return NULL;
}

/* The largest |m_k| is brought to [1, 2) by a power of two, as far as that and its inverse are doubles. */
static const double smallest_unit = 0x1p-1000, largest_unit = 0x1p1000;

/* Beyond this step the angle turned has no correct digit; it is finite so that no NaN can arise. */
static const double largest_step = 1e150;

PH_INLINE double unit_of(double m0, double m1, double m2)
{
    const double largest = ph_max(fabs(m0), ph_max(fabs(m1), fabs(m2)));
    return ph_power_of_two_below(ph_min(ph_max(largest, smallest_unit), largest_unit));
}

/* Lanes of the bodies' arrays, in the order of the sorted axes. */
struct lanes {
    double *m[3], *q[4];
    const double *norm; /* or NULL */
};

static void load(const struct ph_top *top, double h, const struct lanes *lanes, struct ph_block *block,
                 double *restrict unit, double *restrict norm_square)
{
    const double *restrict m0 = lanes->m[0], *restrict m1 = lanes->m[1], *restrict m2 = lanes->m[2];
    const double *restrict norm = lanes->norm;
    const double sign = top->parity, step = h / top->scale;
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        const double u = unit_of(m0[l], m1[l], m2[l]), inverse = sign / u;
        const double y0 = m0[l] * inverse, y1 = m1[l] * inverse, y2 = m2[l] * inverse;
        unit[l] = sign * u;
        block->tau[l] = ph_max(-largest_step, ph_min(largest_step, step * u));
        block->y[0][l] = y0;
        block->y[1][l] = y1;
        block->y[2][l] = y2;
        block->dq[0][l] = 1.0;
        block->dq[1][l] = block->dq[2][l] = block->dq[3][l] = 0.0;
        norm_square[l] = ph_fma(y0, y0, ph_fma(y1, y1, y2 * y2));
    }
    if (norm) {
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l) {
            const double kept = norm[l] / fabs(unit[l]);
            norm_square[l] = kept < largest_step ? kept * kept : norm_square[l];
        }
    }
}

/* m from y, without the rounding in |m|: every flow conserves |m|, so only rounding is taken out, to first order. */
static void store_momentum(const struct ph_block *block, const double *restrict unit,
                           const double *restrict norm_square, const struct lanes *lanes)
{
    double *restrict m0 = lanes->m[0], *restrict m1 = lanes->m[1], *restrict m2 = lanes->m[2];
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        const double y0 = block->y[0][l], y1 = block->y[1][l], y2 = block->y[2][l], square = norm_square[l];
        const double excess = ph_fma(y0, y0, ph_fma(y1, y1, ph_fma(y2, y2, -square)));
        const double too_long = square > 0.0 ? 0.5 * excess / square : 0.0;
        m0[l] = unit[l] * ph_fma(-too_long, y0, y0);
        m1[l] = unit[l] * ph_fma(-too_long, y1, y1);
        m2[l] = unit[l] * ph_fma(-too_long, y2, y2);
    }
}

/* q <- q dq, brought back to unit norm to first order; the vector parts refer to the sorted axes. */
PH_INLINE void turn_lane(const struct ph_block *block, double sign, double *restrict q0, double *restrict q1,
                         double *restrict q2, double *restrict q3, int l)
{
    const double dq[4] = {block->dq[0][l], block->dq[1][l], block->dq[2][l], block->dq[3][l]};
    const double q[4] = {q0[l], sign * q1[l], sign * q2[l], sign * q3[l]};
    double new[4];
    ph_quat_multiply(q, dq, new);
    const double too_long =
        0.5 * ph_fma(new[0], new[0], ph_fma(new[1], new[1], ph_fma(new[2], new[2], ph_fma(new[3], new[3], -1.0))));
    q0[l] = ph_fma(-too_long, new[0], new[0]);
    q1[l] = sign * ph_fma(-too_long, new[1], new[1]);
    q2[l] = sign * ph_fma(-too_long, new[2], new[2]);
    q3[l] = sign * ph_fma(-too_long, new[3], new[3]);
}

static void turn_attitude(const struct ph_block *block, double sign, const struct lanes *lanes)
{
    double *restrict q0 = lanes->q[0], *restrict q1 = lanes->q[1], *restrict q2 = lanes->q[2],
                     *restrict q3 = lanes->q[3];
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        turn_lane(block, sign, q0, q1, q2, q3, l);
}

static void advance_lanes(const struct ph_flow *flow, const struct ph_top *top, double h, const struct lanes *lanes)
{
    struct ph_block block;
    PH_ALIGNED double unit[PH_LANES], norm_square[PH_LANES];
    load(top, h, lanes, &block, unit, norm_square);
    flow->step(flow, top, &block);
    store_momentum(&block, unit, norm_square, lanes);
    turn_attitude(&block, top->parity, lanes);
}

/* The last lanes of the arrays, fewer than a block, padded with resting bodies. */
static void advance_tail(const struct ph_flow *flow, const struct ph_top *top, double h, const struct lanes *lanes,
                         size_t n)
{
    PH_ALIGNED double buffer[8][PH_LANES] = {{0.0}};
    struct lanes padded = {.norm = lanes->norm ? buffer[7] : NULL};
    for (int k = 0; k < 3; ++k) {
        padded.m[k] = buffer[k];
        memcpy(padded.m[k], lanes->m[k], n * sizeof(double));
    }
    for (int k = 0; k < 4; ++k) {
        padded.q[k] = buffer[3 + k];
        memcpy(padded.q[k], lanes->q[k], n * sizeof(double));
    }
    if (lanes->norm)
        memcpy(buffer[7], lanes->norm, n * sizeof(double));
    advance_lanes(flow, top, h, &padded);
    for (int k = 0; k < 3; ++k)
        memcpy(lanes->m[k], padded.m[k], n * sizeof(double));
    for (int k = 0; k < 4; ++k)
        memcpy(lanes->q[k], padded.q[k], n * sizeof(double));
}

/* Block b of PH_LANES bodies, the last of which may be short */
static void advance_block(const struct ph_flow *flow, const struct ph_top *top, double h,
                          const struct ph_bodies *bodies, size_t b)
{
    const size_t i = b * PH_LANES;
    const int *axis = top->axis;
    const struct lanes lanes = {
        .m = {bodies->m[axis[0]] + i, bodies->m[axis[1]] + i, bodies->m[axis[2]] + i},
        .q = {bodies->q[0] + i, bodies->q[1 + axis[0]] + i, bodies->q[1 + axis[1]] + i, bodies->q[1 + axis[2]] + i},
        .norm = bodies->norm ? bodies->norm + i : NULL,
    };
    if (i + PH_LANES <= bodies->n)
        advance_lanes(flow, top, h, &lanes);
    else
        advance_tail(flow, top, h, &lanes, bodies->n - i);
}

void ph_flow_advance(const struct ph_flow *flow, const struct ph_top *top, double h, struct ph_bodies bodies)
{
    /* Blocks start at multiples of PH_LANES whatever the number of threads, and lanes are independent. */
    const size_t n_blocks = (bodies.n + PH_LANES - 1) / PH_LANES;
    if (top->linear_axis >= 0)
        memset(bodies.m[top->linear_axis], 0, bodies.n * sizeof(double));

    if (bodies.n < PH_WORTH_THREADS) {
        for (size_t b = 0; b < n_blocks; ++b)
            advance_block(flow, top, h, &bodies, b);
        return;
    }
#pragma omp parallel for schedule(dynamic, PH_TURN / PH_LANES)
    for (size_t b = 0; b < n_blocks; ++b)
        advance_block(flow, top, h, &bodies, b);
}

void ph_bodies_set_norm(struct ph_bodies bodies)
{
    for (size_t i = 0; i < bodies.n; ++i) {
        const double unit = unit_of(bodies.m[0][i], bodies.m[1][i], bodies.m[2][i]);
        const double a = bodies.m[0][i] / unit, b = bodies.m[1][i] / unit, c = bodies.m[2][i] / unit;
        bodies.norm[i] = unit * sqrt(ph_fma(a, a, ph_fma(b, b, c * c)));
    }
}
