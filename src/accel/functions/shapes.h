/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_SHAPES_H
#define PH_ACCEL_FUNCTIONS_SHAPES_H

/* Pairs of sites of molecules that have kernels of their own. Pairs of one kind have the same formulas and numbers. */

#include "accel/functions/site_view.h"
#include "base/lanes.h"

#ifdef __cplusplus
#define PH_CONSTANT constexpr
#else
#define PH_CONSTANT
#endif

PH_CONSTANT PH_INLINE uint32_t ph_shape_sites(enum ph_shape shape)
{
    return shape == PH_SHAPE_XY2M ? 4 : shape == PH_SHAPE_X2 || shape == PH_SHAPE_XY ? 2 : 3;
}

PH_CONSTANT PH_INLINE uint32_t ph_shape_kinds(enum ph_shape shape)
{
    return shape == PH_SHAPE_XY2M ? 4 : shape == PH_SHAPE_X2 ? 1 : 3;
}

/* How many pairs a kind has: a digit of base 16 for each kind */
PH_CONSTANT PH_INLINE uint32_t ph_shape_pairs(enum ph_shape shape, uint32_t kind)
{
    const uint32_t all = shape == PH_SHAPE_X2     ? 0x4u
                         : shape == PH_SHAPE_XY   ? 0x121u
                         : shape == PH_SHAPE_XY2M ? 0x1441u
                                                  : 0x441u;
    return all >> 4 * kind & 15u;
}

/* Pair m of a kind, 4 second + first: a digit of base 16 for each, four digits for a kind. X is site 0, but 1 of YXY;
 * the fourth place is site 3. */
PH_CONSTANT PH_INLINE uint32_t ph_shape_pair(enum ph_shape shape, uint32_t kind, uint32_t m)
{
    const uint64_t all = shape == PH_SHAPE_X2    ? UINT64_C(0x5140)
                         : shape == PH_SHAPE_XY  ? UINT64_C(0x000500140000)
                         : shape == PH_SHAPE_XY2 ? UINT64_C(0xa69521840000)
                         : shape == PH_SHAPE_YXY ? UINT64_C(0xa28064910005)
                                                 : UINT64_C(0x000fb7eda6950000);
    return (uint32_t)(all >> (16 * kind + 4 * m)) & 15u;
}

PH_CONSTANT PH_INLINE uint32_t ph_pair_first(uint32_t pair) { return pair & 3u; }
PH_CONSTANT PH_INLINE uint32_t ph_pair_second(uint32_t pair) { return pair >> 2; }

#endif
