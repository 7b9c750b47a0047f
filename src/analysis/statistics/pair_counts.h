/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_STATISTICS_PAIR_COUNTS_H
#define PH_ANALYSIS_STATISTICS_PAIR_COUNTS_H

/* How many pairs of points of one frame have their distance in each bin, by pairs of types */

#include "model/box.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ph_pair_counts; /* memory for one thread */

/* Bin k holds distances from k to k + 1 widths. Types run from 0. Pairs within a molecule are left out; molecule NULL:
 * every point is one. The arrays are not copied. NULL: no memory. */
struct ph_pair_counts *ph_pair_counts_create(size_t n, size_t n_types, const int *type, const int *molecule,
                                             size_t n_bins, double width);
void ph_pair_counts_destroy(struct ph_pair_counts *counts);

/* In a box the last bin must end at half of its smallest width or before. Positions must be finite, and may lie outside
 * of the box. False: no memory. */
bool ph_pair_counts_frame(struct ph_pair_counts *counts, const struct ph_box *box, const double *position);

/* Returns a count of the last frame; A-B is the same as B-A. */
uint64_t ph_pair_counts_at(const struct ph_pair_counts *counts, size_t type_a, size_t type_b, size_t bin);

#endif
