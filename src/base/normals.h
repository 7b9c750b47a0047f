/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_NORMALS_H
#define PH_BASE_NORMALS_H

/* Same numbers as ph_random_normals of base/random.h, for one stream at a time. Used in loops over lanes, and by the
 * threads of a graphics processor. */

#include "base/lanes.h"

#include <math.h>
#include <stdint.h>

PH_INLINE uint64_t ph_high_product(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)a * b >> 64);
#endif
}

/* Philox4x64-10 as of Random123, whose headers in C++ ask for more of its library than a device has */
PH_INLINE void ph_philox(uint64_t key0, uint64_t key1, uint64_t x[4])
{
    const uint64_t m0 = UINT64_C(0xd2e7470ee14c6c93), m1 = UINT64_C(0xca5a826395121157);
    for (int round = 0; round < 10; ++round) {
        const uint64_t high0 = ph_high_product(m0, x[0]), high1 = ph_high_product(m1, x[2]);
        const uint64_t low0 = m0 * x[0], low1 = m1 * x[2];
        x[0] = high1 ^ x[1] ^ key0;
        x[1] = low1;
        x[2] = high0 ^ x[3] ^ key1;
        x[3] = low0;
        key0 += UINT64_C(0x9e3779b97f4a7c15);
        key1 += UINT64_C(0xbb67ae8584caa73b);
    }
}

/* Draws six numbers of 42 bits: the upper 42 bits of each of the four numbers of a block, and two from the remaining
 * bits, 22 and 20 each */
PH_INLINE void ph_draw_six(uint64_t seed, uint64_t purpose, uint64_t index, uint32_t second, uint64_t bits[6])
{
    uint64_t x[4] = {0, index, second, 1}; /* streams have 0 in the place of this 1 */
    ph_philox(seed, purpose, x);
    for (int k = 0; k < 4; ++k)
        bits[k] = x[k] >> 22;
    bits[4] = (x[0] & 0x3fffff) << 20 | (x[1] & 0xfffff);
    bits[5] = (x[2] & 0x3fffff) << 20 | (x[3] & 0xfffff);
}

/* (bits + 1/2) 2^-42, by way of 2^52 + bits, whose last bits these are */
PH_INLINE double ph_uniform_of(uint64_t bits)
{
    bits |= UINT64_C(0x4330000000000000);
    double x;
    memcpy(&x, &bits, sizeof x);
    return (x - 0x1p52 + 0.5) * 0x1p-42;
}

/* Box and Muller's pair of normal numbers, from two in (0, 1) */
PH_INLINE void ph_normal_pair(double u, double w, double *first, double *second)
{
    const double radius = sqrt(-2.0 * ph_log(u));
    double sine, cosine;
    ph_sincos(2.0 * 3.14159265358979323846 * w, &sine, &cosine);
    *first = radius * cosine;
    *second = radius * sine;
}

#endif
