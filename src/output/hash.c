/* SPDX-License-Identifier: MIT */
#include "output/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t ph_hash_begin(void) { return UINT64_C(0xcbf29ce484222325); }

/* FNV-1a on words of eight bytes, with a shift that brings high bits down; an odd factor has an inverse. */
static uint64_t add_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}

uint64_t ph_hash_bytes(uint64_t hash, size_t n, const void *bytes)
{
    const unsigned char *at = bytes;
    uint64_t word;
    for (size_t k = 0; k + sizeof word <= n; k += sizeof word) {
        memcpy(&word, at + k, sizeof word);
        hash = add_word(hash, word);
    }
    word = 0;
    memcpy(&word, at + n - n % sizeof word, n % sizeof word);
    return add_word(add_word(hash, word), n); /* the length: zeros at the end count */
}

void ph_hash_text(uint64_t hash, char text[PH_HASH_TEXT]) { snprintf(text, PH_HASH_TEXT, "%016" PRIx64, hash); }

uint64_t ph_state_hash(const struct ph_system *system)
{
    uint64_t hash = ph_hash_begin();
    double *const *const groups[] = {system->r, system->p, system->q, system->m};
    const int components[] = {3, 3, 4, 3};
    for (int g = 0; g < 4; ++g)
        for (int k = 0; k < components[g]; ++k)
            hash = ph_hash_bytes(hash, system->n * sizeof(double), groups[g][k]);
    for (int k = 0; k < 3; ++k)
        hash = ph_hash_bytes(hash, system->n * sizeof(int32_t), system->image[k]);
    return hash;
}
