/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_GATHER_H
#define PH_FORCE_PAIRS_GATHER_H

/* Gathers scattered molecules, each a record of fields side by side, into rows of one field each, and back. Two
 * molecules and two fields at a time: a transposition. Records and rows have room for an even number of fields, and
 * rows for one molecule more. */

#include "base/lanes.h"
#include "force/pairs/kernels/kernel.h"

/* Two doubles that are moved together: fields f, f+1 of one record, or one field of two records */
typedef double ph_two __attribute__((vector_size(16)));

PH_INLINE ph_two ph_load_two(const double *from)
{
    ph_two value;
    memcpy(&value, from, sizeof value);
    return value;
}

PH_INLINE void ph_store_two(double *to, ph_two value) { memcpy(to, &value, sizeof value); }

/* Number k of a list of indices, of `bytes` each: a constant, where it matters */
PH_INLINE size_t ph_index(const void *restrict list, size_t bytes, size_t k)
{
    return bytes == sizeof(uint16_t) ? ((const uint16_t *)list)[k] : ((const uint32_t *)list)[k];
}

PH_INLINE void ph_gather_fields(const double *records, size_t step, size_t n_fields, const void *restrict list,
                                size_t bytes, size_t n, double (*restrict rows)[PH_KERNEL_ROW])
{
    for (size_t k = 0; k < n; k += 2) {
        const double *restrict a = records + ph_index(list, bytes, k) * step;
        const double *restrict b = records + ph_index(list, bytes, k + 1 < n ? k + 1 : k) * step;
        for (size_t f = 0; f < n_fields; f += 2) {
            const ph_two of_a = ph_load_two(a + f), of_b = ph_load_two(b + f);
            ph_store_two(rows[f] + k, __builtin_shufflevector(of_a, of_b, 0, 2));
            ph_store_two(rows[f + 1] + k, __builtin_shufflevector(of_a, of_b, 1, 3));
        }
    }
}

/* Adds rows to records */
PH_INLINE void ph_scatter_fields(double *records, size_t step, size_t n_fields, const void *restrict list, size_t bytes,
                                 size_t n, double (*restrict rows)[PH_KERNEL_ROW])
{
    size_t k = 0;
    for (; k + 1 < n; k += 2) {
        double *restrict a = records + ph_index(list, bytes, k) * step;
        double *restrict b = records + ph_index(list, bytes, k + 1) * step;
        for (size_t f = 0; f < n_fields; f += 2) {
            const ph_two one = ph_load_two(rows[f] + k), other = ph_load_two(rows[f + 1] + k);
            ph_store_two(a + f, ph_load_two(a + f) + __builtin_shufflevector(one, other, 0, 2));
            ph_store_two(b + f, ph_load_two(b + f) + __builtin_shufflevector(one, other, 1, 3));
        }
    }
    if (k < n)
        for (size_t f = 0; f < n_fields; ++f)
            records[ph_index(list, bytes, k) * step + f] += rows[f][k];
}

/* The number of fields as a constant, for the common models: the loops over fields disappear. */
#define PH_FOR_FIELDS(n_fields, call)                                                                                  \
    switch (n_fields) {                                                                                                \
    case 3: {                                                                                                          \
        enum { FIELDS = 3 };                                                                                           \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    case 6: {                                                                                                          \
        enum { FIELDS = 6 };                                                                                           \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    case 9: {                                                                                                          \
        enum { FIELDS = 9 };                                                                                           \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    case 12: {                                                                                                         \
        enum { FIELDS = 12 };                                                                                          \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    default: {                                                                                                         \
        const size_t FIELDS = n_fields;                                                                                \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    }

/* The size of an index as a constant */
#define PH_FOR_INDICES(bytes, call)                                                                                    \
    if (bytes == sizeof(uint16_t)) {                                                                                   \
        enum { BYTES = sizeof(uint16_t) };                                                                             \
        call;                                                                                                          \
    } else {                                                                                                           \
        enum { BYTES = sizeof(uint32_t) };                                                                             \
        call;                                                                                                          \
    }

#endif
