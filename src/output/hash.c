/* SPDX-License-Identifier: MIT */
#include "output/hash.h"

#include <string.h>

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
        hash = ph_hash_word(hash, whole);
        used = 0;
    }
    return ph_hash_end(hash, used, word, system->n * size);
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
