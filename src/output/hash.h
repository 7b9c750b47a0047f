/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_HASH_H
#define PH_OUTPUT_HASH_H

/* A 64-bit hash of bytes, not cryptographic: it tells whether two runs are the same and whether a file is intact. Each
 * step is a bijection of the hash for a given word and of the word for a given hash, so that a change in one word
 * always changes the result. The same on every machine of one byte order. */

#include "model/system.h"

#include <stddef.h>
#include <stdint.h>

enum { PH_HASH_TEXT = 17 };

uint64_t ph_hash_begin(void);
uint64_t ph_hash_bytes(uint64_t hash, size_t n, const void *bytes);
void ph_hash_text(uint64_t hash, char text[PH_HASH_TEXT]); /* 16 hexadecimal digits */

/* The edges of the box; positions, momenta, orientations, angular momenta and images of all molecules: bit for bit */
uint64_t ph_state_hash(const struct ph_system *system);

#endif
