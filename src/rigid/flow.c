/* SPDX-License-Identifier: MIT */
#include "rigid/flow.h"

#include "base/threads.h"
#include "rigid/block.h"
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

static void advance_lanes(const struct ph_flow *flow, const struct ph_top *top, double h, const struct lanes *lanes)
{
    struct ph_block block;
    PH_ALIGNED double unit[PH_LANES], norm_square[PH_LANES];
    load(top, h, lanes, &block, unit, norm_square);
    flow->step(flow, top, &block);
    store_momentum(&block, unit, norm_square, lanes);
    turn_orientation(&block, top->parity, lanes);
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

/* Advances block b of PH_LANES bodies. The last block may be short. */
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
