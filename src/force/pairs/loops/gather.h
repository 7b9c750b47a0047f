/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LOOPS_GATHER_H
#define PH_FORCE_PAIRS_LOOPS_GATHER_H

/* Gathers scattered molecules, each a record of fields side by side, into rows of one field each, and back. Four
 * molecules and four fields at a time, then two and two: a transposition. Records and rows have room for an even number
 * of fields, and rows for one molecule more.
 *
 * There are four also where a vector has but two doubles. Stores that follow each other to one line of the cache are
 * one, and a store to another row takes its own time. */

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
PH_INLINE ph_two ph_firsts(ph_two a, ph_two b) { return __builtin_shufflevector(a, b, 0, 2); }
PH_INLINE ph_two ph_seconds(ph_two a, ph_two b) { return __builtin_shufflevector(a, b, 1, 3); }

/* Number k of a list of indices, of `bytes` each: a constant, where it matters */
PH_INLINE size_t ph_index(const void *restrict list, size_t bytes, size_t k)
{
    return bytes == sizeof(uint16_t) ? ((const uint16_t *)list)[k] : ((const uint32_t *)list)[k];
}

PH_INLINE void ph_set_index(void *restrict list, size_t bytes, size_t k, size_t index)
{
    if (bytes == sizeof(uint16_t))
        ((uint16_t *)list)[k] = (uint16_t)index;
    else
        ((uint32_t *)list)[k] = (uint32_t)index;
}

#ifdef __AVX__
/* The same for four molecules and four fields */
typedef double ph_four __attribute__((vector_size(32)));

PH_INLINE ph_four ph_load_four(const double *from)
{
    ph_four value;
    memcpy(&value, from, sizeof value);
    return value;
}

PH_INLINE void ph_store_four(double *to, ph_four value) { memcpy(to, &value, sizeof value); }
PH_INLINE ph_four ph_less(ph_four a, double b) { return a - b; }
PH_INLINE ph_four ph_plus(ph_four a, ph_four b) { return a + b; }

/* Rows become columns */
PH_INLINE void ph_transpose(ph_four *a, ph_four *b, ph_four *c, ph_four *d)
{
    const ph_four even = __builtin_shufflevector(*a, *b, 0, 4, 2, 6), odd = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    const ph_four other_even = __builtin_shufflevector(*c, *d, 0, 4, 2, 6);
    const ph_four other_odd = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    *a = __builtin_shufflevector(even, other_even, 0, 1, 4, 5);
    *b = __builtin_shufflevector(odd, other_odd, 0, 1, 4, 5);
    *c = __builtin_shufflevector(even, other_even, 2, 3, 6, 7);
    *d = __builtin_shufflevector(odd, other_odd, 2, 3, 6, 7);
}
#else
typedef struct {
    ph_two low, high;
} ph_four;

PH_INLINE ph_four ph_load_four(const double *from) { return (ph_four){ph_load_two(from), ph_load_two(from + 2)}; }
PH_INLINE ph_four ph_less(ph_four a, double b) { return (ph_four){a.low - b, a.high - b}; }
PH_INLINE ph_four ph_plus(ph_four a, ph_four b) { return (ph_four){a.low + b.low, a.high + b.high}; }

PH_INLINE void ph_store_four(double *to, ph_four value)
{
    ph_store_two(to, value.low);
    ph_store_two(to + 2, value.high);
}

PH_INLINE void ph_transpose(ph_four *a, ph_four *b, ph_four *c, ph_four *d)
{
    const ph_four p = *a, q = *b, r = *c, s = *d;
    *a = (ph_four){ph_firsts(p.low, q.low), ph_firsts(r.low, s.low)};
    *b = (ph_four){ph_seconds(p.low, q.low), ph_seconds(r.low, s.low)};
    *c = (ph_four){ph_firsts(p.high, q.high), ph_firsts(r.high, s.high)};
    *d = (ph_four){ph_seconds(p.high, q.high), ph_seconds(r.high, s.high)};
}
#endif

/* Fields from `from` on of records a and b to rows, from place k on */
PH_INLINE void ph_gather_two(const double *restrict a, const double *restrict b, size_t from, size_t n_fields, size_t k,
                             double (*restrict rows)[PH_KERNEL_ROW])
{
    for (size_t f = from; f < n_fields; f += 2) {
        const ph_two of_a = ph_load_two(a + f), of_b = ph_load_two(b + f);
        ph_store_two(rows[f] + k, ph_firsts(of_a, of_b));
        ph_store_two(rows[f + 1] + k, ph_seconds(of_a, of_b));
    }
}

/* The same of four records */
PH_INLINE void ph_gather_four(const double *restrict a, const double *restrict b, const double *restrict c,
                              const double *restrict d, size_t from, size_t n_fields, size_t k,
                              double (*restrict rows)[PH_KERNEL_ROW])
{
    for (size_t f = from; f < n_fields; f += 2) {
        const ph_two of_a = ph_load_two(a + f), of_b = ph_load_two(b + f);
        const ph_two of_c = ph_load_two(c + f), of_d = ph_load_two(d + f);
        ph_store_two(rows[f] + k, ph_firsts(of_a, of_b));
        ph_store_two(rows[f] + k + 2, ph_firsts(of_c, of_d));
        ph_store_two(rows[f + 1] + k, ph_seconds(of_a, of_b));
        ph_store_two(rows[f + 1] + k + 2, ph_seconds(of_c, of_d));
    }
}

PH_INLINE void ph_scatter_two(double *restrict a, double *restrict b, size_t from, size_t n_fields, size_t k,
                              double (*restrict rows)[PH_KERNEL_ROW])
{
    for (size_t f = from; f < n_fields; f += 2) {
        const ph_two one = ph_load_two(rows[f] + k), other = ph_load_two(rows[f + 1] + k);
        ph_store_two(a + f, ph_load_two(a + f) + ph_firsts(one, other));
        ph_store_two(b + f, ph_load_two(b + f) + ph_seconds(one, other));
    }
}

PH_INLINE void ph_gather_fields(const double *records, size_t step, size_t n_fields, const void *restrict list,
                                size_t bytes, size_t n, double (*restrict rows)[PH_KERNEL_ROW])
{
    size_t k = 0;
    for (; k + 3 < n; k += 4) {
        const double *restrict a = records + ph_index(list, bytes, k) * step;
        const double *restrict b = records + ph_index(list, bytes, k + 1) * step;
        const double *restrict c = records + ph_index(list, bytes, k + 2) * step;
        const double *restrict d = records + ph_index(list, bytes, k + 3) * step;
        size_t f = 0;
        for (; f + 3 < n_fields; f += 4) {
            ph_four of_a = ph_load_four(a + f), of_b = ph_load_four(b + f), of_c = ph_load_four(c + f),
                    of_d = ph_load_four(d + f);
            ph_transpose(&of_a, &of_b, &of_c, &of_d);
            ph_store_four(rows[f] + k, of_a);
            ph_store_four(rows[f + 1] + k, of_b);
            ph_store_four(rows[f + 2] + k, of_c);
            ph_store_four(rows[f + 3] + k, of_d);
        }
        ph_gather_four(a, b, c, d, f, n_fields, k, rows);
    }
    for (; k < n; k += 2)
        ph_gather_two(records + ph_index(list, bytes, k) * step,
                      records + ph_index(list, bytes, k + 1 < n ? k + 1 : k) * step, 0, n_fields, k, rows);
}

/* Adds rows to records */
PH_INLINE void ph_scatter_fields(double *records, size_t step, size_t n_fields, const void *restrict list, size_t bytes,
                                 size_t n, double (*restrict rows)[PH_KERNEL_ROW])
{
    size_t k = 0;
    for (; k + 3 < n; k += 4) {
        double *restrict a = records + ph_index(list, bytes, k) * step;
        double *restrict b = records + ph_index(list, bytes, k + 1) * step;
        double *restrict c = records + ph_index(list, bytes, k + 2) * step;
        double *restrict d = records + ph_index(list, bytes, k + 3) * step;
        size_t f = 0;
        for (; f + 3 < n_fields; f += 4) {
            ph_four to_a = ph_load_four(rows[f] + k), to_b = ph_load_four(rows[f + 1] + k),
                    to_c = ph_load_four(rows[f + 2] + k), to_d = ph_load_four(rows[f + 3] + k);
            ph_transpose(&to_a, &to_b, &to_c, &to_d);
            ph_store_four(a + f, ph_plus(ph_load_four(a + f), to_a));
            ph_store_four(b + f, ph_plus(ph_load_four(b + f), to_b));
            ph_store_four(c + f, ph_plus(ph_load_four(c + f), to_c));
            ph_store_four(d + f, ph_plus(ph_load_four(d + f), to_d));
        }
        ph_scatter_two(a, b, f, n_fields, k, rows);
        ph_scatter_two(c, d, f, n_fields, k + 2, rows);
    }
    for (; k + 1 < n; k += 2)
        ph_scatter_two(records + ph_index(list, bytes, k) * step, records + ph_index(list, bytes, k + 1) * step, 0,
                       n_fields, k, rows);
    if (k < n)
        for (size_t f = 0; f < n_fields; ++f)
            records[ph_index(list, bytes, k) * step + f] += rows[f][k];
}

/* The number of fields as a constant, for the common models: the loops over fields disappear. */
#define PH_WITH_FIELDS(number, call)                                                                                   \
    case number: {                                                                                                     \
        enum { FIELDS = number };                                                                                      \
        call;                                                                                                          \
        break;                                                                                                         \
    }
#define PH_FOR_FIELDS(n_fields, call)                                                                                  \
    switch (n_fields) {                                                                                                \
        PH_WITH_FIELDS(3, call)                                                                                        \
        PH_WITH_FIELDS(4, call)                                                                                        \
        PH_WITH_FIELDS(6, call)                                                                                        \
        PH_WITH_FIELDS(9, call)                                                                                        \
        PH_WITH_FIELDS(10, call)                                                                                       \
        PH_WITH_FIELDS(12, call)                                                                                       \
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
