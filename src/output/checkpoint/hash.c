/* SPDX-License-Identifier: MIT */
#include "output/checkpoint/hash.h"

#include <string.h>

void ph_array_hash_add(struct ph_array_hash *hash, size_t size, const void *element)
{
    memcpy(hash->word + hash->used, element, size);
    hash->used += size;
    hash->bytes += size;
    if (hash->used < sizeof hash->word)
        return;
    uint64_t whole;
    memcpy(&whole, hash->word, sizeof whole);
    hash->hash = ph_hash_word(hash->hash, whole);
    hash->used = 0;
}

uint64_t ph_array_hash_end(const struct ph_array_hash *hash)
{
    return ph_hash_end(hash->hash, hash->used, hash->word, hash->bytes);
}

/* An array with one entry of `size` bytes for each molecule, in the order of numbers */
static uint64_t hash_by_number(uint64_t hash, const struct ph_system *system, size_t size, const void *array)
{
    struct ph_array_hash all = {.hash = hash};
    for (size_t number = 0; number < system->n; ++number)
        ph_array_hash_add(&all, size, (const unsigned char *)array + size * system->place[number]);
    return ph_array_hash_end(&all);
}

uint64_t ph_state_hash_begin(const struct ph_system *system)
{
    return ph_hash_bytes(ph_hash_begin(), sizeof system->box.edge, system->box.edge);
}

void ph_state_hash_rows(const struct ph_system *system, double *row[PH_STATE_HASH_ROWS])
{
    double *const *const groups[] = {system->r, system->p, system->q, system->m};
    for (int g = 0; g < 4; ++g)
        for (int k = 0; k < (groups[g] == system->q ? 4 : 3); ++k)
            *row++ = groups[g][k];
}

uint64_t ph_state_hash(const struct ph_system *system)
{
    uint64_t hash = ph_state_hash_begin(system);
    double *row[PH_STATE_HASH_ROWS];
    ph_state_hash_rows(system, row);
    for (int x = 0; x < PH_STATE_HASH_ROWS; ++x)
        hash = hash_by_number(hash, system, sizeof(double), row[x]);
    for (int k = 0; k < 3; ++k)
        hash = hash_by_number(hash, system, sizeof(int32_t), system->image[k]);
    return hash;
}
