/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_CHECKPOINT_HASH_H
#define PH_OUTPUT_CHECKPOINT_HASH_H

#include "base/hash.h"
#include "model/system.h"

/* The edges of the box; positions, momenta, orientations, angular momenta and images of all molecules: bit for bit */
uint64_t ph_state_hash(const struct ph_system *system);

/* Computes the same hash some molecules at a time. Begin with ph_state_hash_begin. Then add each of these rows, and
 * each row of images, as an array whose hash begins with the hash so far. */
enum { PH_STATE_HASH_ROWS = 13 };
uint64_t ph_state_hash_begin(const struct ph_system *system);
void ph_state_hash_rows(const struct ph_system *system, double *row[PH_STATE_HASH_ROWS]);
struct ph_array_hash {
    uint64_t hash; /* as it begins; the rest is zero */
    unsigned char word[sizeof(uint64_t)];
    size_t used, bytes;
};
void ph_array_hash_add(struct ph_array_hash *hash, size_t size, const void *element); /* size: a divisor of 8 */
uint64_t ph_array_hash_end(const struct ph_array_hash *hash);

#endif
