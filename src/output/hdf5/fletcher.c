/* SPDX-License-Identifier: MIT */
#include "output/hdf5/fletcher.h"

enum { MODULUS = 65535, BLOCK = 360 }; /* so many words do not overflow 32 bits */

void ph_fletcher_add(const void *data, size_t bytes, size_t at, size_t size, int64_t sums[PH_FLETCHER])
{
    const unsigned char *from = data;
    uint64_t after = (size - at) / 2;
    for (size_t words = bytes / 2; words > 0;) {
        const size_t n = words < BLOCK ? words : BLOCK;
        uint32_t one = 0, two = 0;
        for (size_t k = 0; k < n; ++k, from += 2) {
            one += (uint32_t)from[0] << 8 | from[1];
            two += one;
        }
        words -= n;
        after -= n;
        sums[0] = (int64_t)(((uint64_t)sums[0] + one) % MODULUS);
        sums[1] = (int64_t)(((uint64_t)sums[1] + two + after % MODULUS * (one % MODULUS)) % MODULUS);
        sums[2] = sums[2] || one > 0;
    }
}

/* Sums are folded, not divided: a multiple of the modulus is the modulus itself, unless all words are 0. */
void ph_fletcher_end(const int64_t sums[PH_FLETCHER], unsigned char checksum[PH_FLETCHER_BYTES])
{
    for (int k = 0; k < 2; ++k) {
        const int64_t rest = sums[k] % MODULUS, sum = rest == 0 && sums[2] > 0 ? MODULUS : rest;
        checksum[2 * k] = (unsigned char)(sum & 0xff);
        checksum[2 * k + 1] = (unsigned char)(sum >> 8);
    }
}
