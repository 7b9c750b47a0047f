/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_HDF5_FLETCHER_H
#define PH_OUTPUT_HDF5_FLETCHER_H

/* The checksum of HDF5's filter Fletcher32, in parts: of 16-bit words w_k, high byte first, sum w_k and sum (n - k)
 * w_k, both modulo 65535. Parts of a chunk may be added in any order, also by several processes. */

#include <stddef.h>
#include <stdint.h>

enum {
    PH_FLETCHER = 3,
    PH_FLETCHER_BYTES = 4
}; /* numbers in the sums; bytes of the checksum, which follow the chunk */

/* Adds bytes that are `at` bytes from the begin of a chunk of `size`; all are even. The sums begin as 0. */
void ph_fletcher_add(const void *data, size_t bytes, size_t at, size_t size, int64_t sums[PH_FLETCHER]);
void ph_fletcher_end(const int64_t sums[PH_FLETCHER], unsigned char checksum[PH_FLETCHER_BYTES]);

#endif
