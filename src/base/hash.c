/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t ph_hash_begin(void) { return UINT64_C(0xcbf29ce484222325); }

/* FNV-1a on words of eight bytes, with a shift that brings high bits down; an odd factor has an inverse. */
uint64_t ph_hash_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}

uint64_t ph_hash_end(uint64_t hash, size_t left, const unsigned char *bytes, size_t n)
{
    uint64_t word = 0;
    memcpy(&word, bytes, left);
    return ph_hash_word(ph_hash_word(hash, word), n);
}

uint64_t ph_hash_bytes(uint64_t hash, size_t n, const void *bytes)
{
    const unsigned char *at = bytes;
    uint64_t word;
    for (size_t k = 0; k + sizeof word <= n; k += sizeof word) {
        memcpy(&word, at + k, sizeof word);
        hash = ph_hash_word(hash, word);
    }
    return ph_hash_end(hash, n % sizeof word, at + n - n % sizeof word, n);
}

void ph_hash_text(uint64_t hash, char text[PH_HASH_TEXT]) { snprintf(text, PH_HASH_TEXT, "%016" PRIx64, hash); }
