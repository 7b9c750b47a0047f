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

/* The incomplete last word, and the number of bytes n: trailing zeros count. */
static uint64_t end_of(uint64_t hash, size_t left, const unsigned char *bytes, size_t n)
{
    uint64_t word = 0;
    memcpy(&word, bytes, left);
    return add_word(add_word(hash, word), n);
}

uint64_t ph_hash_bytes(uint64_t hash, size_t n, const void *bytes)
{
    const unsigned char *at = bytes;
    uint64_t word;
    for (size_t k = 0; k + sizeof word <= n; k += sizeof word) {
        memcpy(&word, at + k, sizeof word);
        hash = add_word(hash, word);
    }
    return end_of(hash, n % sizeof word, at + n - n % sizeof word, n);
}

void ph_hash_text(uint64_t hash, char text[PH_HASH_TEXT]) { snprintf(text, PH_HASH_TEXT, "%016" PRIx64, hash); }

/* An array with one entry of `size` bytes for each molecule, in the order of numbers */
static uint64_t hash_by_number(uint64_t hash, const struct ph_system *system, size_t size, const void *array)
{
    const unsigned char *at = array;
    unsigned char word[sizeof(uint64_t)] = {0};
    size_t used = 0;
    for (size_t number = 0; number < system->n; ++number) {
        memcpy(word + used, at + size * system->place[number], size);
        used += size;
        if (used < sizeof word)
            continue;
        uint64_t whole;
        memcpy(&whole, word, sizeof whole);
        hash = add_word(hash, whole);
        used = 0;
    }
    return end_of(hash, used, word, system->n * size);
}

uint64_t ph_state_hash(const struct ph_system *system)
{
    uint64_t hash = ph_hash_bytes(ph_hash_begin(), sizeof system->box.edge, system->box.edge);
    double *const *const groups[] = {system->r, system->p, system->q, system->m};
    const int components[] = {3, 3, 4, 3};
    for (int g = 0; g < 4; ++g)
        for (int k = 0; k < components[g]; ++k)
            hash = hash_by_number(hash, system, sizeof(double), groups[g][k]);
    for (int k = 0; k < 3; ++k)
        hash = hash_by_number(hash, system, sizeof(int32_t), system->image[k]);
    return hash;
}
