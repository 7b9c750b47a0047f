/* SPDX-License-Identifier: MIT */
#include "base/random.h"

#include <Random123/philox.h>
#include <math.h>

struct ph_random ph_random_stream(uint64_t seed, enum ph_random_purpose purpose, uint64_t index)
{
    return (struct ph_random){.seed = seed, .purpose = (uint64_t)purpose, .index = index};
}

uint64_t ph_random_bits(struct ph_random *random)
{
    if (random->left == 0) {
        const philox4x64_ctr_t counter = {{random->block, random->index, 0, 0}};
        const philox4x64_key_t key = {{random->seed, random->purpose}};
        const philox4x64_ctr_t numbers = philox4x64(counter, key);
        memcpy(random->number, numbers.v, sizeof random->number);
        random->left = 4;
        ++random->block;
    }
    return random->number[4 - random->left--];
}

double ph_random_uniform(struct ph_random *random) { return ((double)(ph_random_bits(random) >> 12) + 0.5) * 0x1p-52; }

/* Box and Muller's pair, of which one is used: two numbers for one, but a stream has no memory beyond its count. */
double ph_random_normal(struct ph_random *random)
{
    const double radius = sqrt(-2.0 * ph_log(ph_random_uniform(random)));
    double sine, cosine;
    ph_sincos(2.0 * 3.14159265358979323846 * ph_random_uniform(random), &sine, &cosine);
    return radius * cosine;
}

uint64_t ph_random_below(struct ph_random *random, uint64_t n)
{
    const uint64_t beyond = UINT64_MAX - UINT64_MAX % n; /* multiples of n below it: no remainder is favoured */
    uint64_t bits;
    do
        bits = ph_random_bits(random);
    while (bits >= beyond);
    return bits % n;
}

/* Archimedes: the height on a sphere is uniform. */
void ph_random_direction(struct ph_random *random, double v[3])
{
    const double z = 2.0 * ph_random_uniform(random) - 1.0;
    const double radius = sqrt((1.0 - z) * (1.0 + z));
    double sine, cosine;
    ph_sincos(2.0 * 3.14159265358979323846 * ph_random_uniform(random), &sine, &cosine);
    v[0] = radius * cosine;
    v[1] = radius * sine;
    v[2] = z;
}

/* Four normal numbers have no preferred direction in four dimensions, and rotations act there as rotations. */
void ph_random_attitude(struct ph_random *random, double q[4])
{
    double square;
    do {
        square = 0.0;
        for (int k = 0; k < 4; ++k) {
            q[k] = ph_random_normal(random);
            square += q[k] * q[k];
        }
    } while (square < 1e-4);
    for (int k = 0; k < 4; ++k)
        q[k] /= sqrt(square);
}

/* The upper 42 bits of each of the four numbers of a block, and two more from what is left of them: 22 and 20 bits */
static void draw_sixes(uint64_t seed, enum ph_random_purpose purpose, uint64_t index, const uint32_t second[PH_LANES],
                       uint64_t bits[6][PH_LANES])
{
    const philox4x64_key_t key = {{seed, (uint64_t)purpose}};
    for (int l = 0; l < PH_LANES; ++l) {
        const philox4x64_ctr_t counter = {{0, index, second[l], 1}}; /* streams have 0 in the place of this 1 */
        const philox4x64_ctr_t numbers = philox4x64(counter, key);
        for (int k = 0; k < 4; ++k)
            bits[k][l] = numbers.v[k] >> 22;
        bits[4][l] = (numbers.v[0] & 0x3fffff) << 20 | (numbers.v[1] & 0xfffff);
        bits[5][l] = (numbers.v[2] & 0x3fffff) << 20 | (numbers.v[3] & 0xfffff);
    }
}

/* (bits + 1/2) 2^-42, by way of 2^52 + bits, whose last bits these are */
PH_INLINE double uniform_of(uint64_t bits)
{
    bits |= UINT64_C(0x4330000000000000);
    double x;
    memcpy(&x, &bits, sizeof x);
    return (x - 0x1p52 + 0.5) * 0x1p-42;
}

PH_DISPATCHED static void pair_up(const uint64_t *restrict radius_bits, const uint64_t *restrict angle_bits,
                                  double *restrict first, double *restrict second)
{
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        const double radius = sqrt(-2.0 * ph_log(uniform_of(radius_bits[l])));
        double sine, cosine;
        ph_sincos(2.0 * 3.14159265358979323846 * uniform_of(angle_bits[l]), &sine, &cosine);
        first[l] = radius * cosine;
        second[l] = radius * sine;
    }
}

void ph_random_normals(uint64_t seed, enum ph_random_purpose purpose, uint64_t index, const uint32_t second[PH_LANES],
                       double normal[6][PH_LANES])
{
    PH_ALIGNED uint64_t bits[6][PH_LANES];
    draw_sixes(seed, purpose, index, second, bits);
    for (int k = 0; k < 6; k += 2)
        pair_up(bits[k], bits[k + 1], normal[k], normal[k + 1]);
}
