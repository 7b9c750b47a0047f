/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_HASH_H
#define PH_BASE_HASH_H

/* A 64-bit hash of bytes, not cryptographic: it tells whether two runs are the same and whether a file is intact. Each
 * step is a bijection of the hash for a given word, and of the word for a given hash. So a change in one word always
 * changes the result. The same on every machine of one byte order. */

#include <stddef.h>
#include <stdint.h>

enum { PH_HASH_TEXT = 17 };

uint64_t ph_hash_begin(void);
uint64_t ph_hash_word(uint64_t hash, uint64_t word);
uint64_t ph_hash_bytes(uint64_t hash, size_t n, const void *bytes);
/* Finishes the hash of n bytes after all whole words. Adds the `left` remaining bytes, and n, so that trailing zeros
 * count. */
uint64_t ph_hash_end(uint64_t hash, size_t left, const unsigned char *bytes, size_t n);
void ph_hash_text(uint64_t hash, char text[PH_HASH_TEXT]); /* 16 hexadecimal digits */

#endif
