/* SPDX-License-Identifier: MIT */
#include "base/random.h"

#include "base/normals.h"

#include <Random123/philox.h>

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

/* One of the pair is used: two numbers for one, but a stream has no memory beyond its count. */
double ph_random_normal(struct ph_random *random)
{
    double first, second;
    const double u = ph_random_uniform(random);
    ph_normal_pair(u, ph_random_uniform(random), &first, &second);
    return first;
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
void ph_random_orientation(struct ph_random *random, double q[4])
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

PH_DISPATCHED static void pair_up(const uint64_t *restrict radius_bits, const uint64_t *restrict angle_bits,
                                  double *restrict first, double *restrict second)
{
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        ph_normal_pair(ph_uniform_of(radius_bits[l]), ph_uniform_of(angle_bits[l]), &first[l], &second[l]);
}

void ph_random_normals(uint64_t seed, enum ph_random_purpose purpose, uint64_t index, const uint32_t second[PH_LANES],
                       double normal[6][PH_LANES])
{
    PH_ALIGNED uint64_t bits[6][PH_LANES];
    for (int l = 0; l < PH_LANES; ++l) {
        uint64_t six[6];
        ph_draw_six(seed, (uint64_t)purpose, index, second[l], six);
        for (int k = 0; k < 6; ++k)
            bits[k][l] = six[k];
    }
    for (int k = 0; k < 6; k += 2)
        pair_up(bits[k], bits[k + 1], normal[k], normal[k + 1]);
}
