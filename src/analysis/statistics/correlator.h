/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_STATISTICS_CORRELATOR_H
#define PH_ANALYSIS_STATISTICS_CORRELATOR_H

/* Time correlation functions of many signals, by Fourier transforms.
 *
 * C(k) = < a(t) a(t + k) >, averaged over all times t with t + k in the record, over all signals, and summed over
 * their components with weights. For errors the origins t are divided into blocks that follow each other, and the
 * signals into groups; sums are kept for each block, and for each group. */

/* Blocks see what all signals have in common, but not lags longer than themselves; groups see any lag, but assume
 * that signals are independent. The larger error counts. A block of B origins is transformed together with the L
 * moments behind it, without and with zeros in their place. These are two transforms of length B + L or a little
 * more, whose product is the correlation.
 *
 * Several threads add signals in groups. Each group has its own sums, which are added up in order, so that results do
 * not depend on the number of threads. */

#include "analysis/statistics/blocks.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { PH_CORRELATOR_BLOCKS = 16, PH_CORRELATOR_GROUPS = 32 };

struct ph_correlator; /* opaque */

/* For records of n moments and lags 0 .. n_lags - 1, n_lags <= n */
enum ph_status ph_correlator_create(size_t n, size_t n_lags, struct ph_correlator **out, struct ph_error *err);
void ph_correlator_destroy(struct ph_correlator *correlator);

/* Fills signal s (0 .. n_signals - 1), `width` components of n moments each, one after the other: out[c * n + t] */
typedef void ph_signal(size_t s, const void *data, double *out);
enum ph_status ph_correlator_add(struct ph_correlator *correlator, size_t n_signals, size_t width,
                                 const double *weights, ph_signal *signal, const void *data, struct ph_error *err);

/* Blocks of origins, and for each lag and block: sum over origins, signals and components; number of origins */
size_t ph_correlator_blocks(const struct ph_correlator *correlator);
double ph_correlator_sum(const struct ph_correlator *correlator, size_t block, size_t lag);
double ph_correlator_count(const struct ph_correlator *correlator, size_t block, size_t lag); /* of one signal */
size_t ph_correlator_first(const struct ph_correlator *correlator, size_t block); /* origin of a block; n at the end */

/* Returns the first signal of group g, of n signals added at once. */
size_t ph_correlator_group(size_t n, size_t g);
size_t ph_correlator_groups(const struct ph_correlator *correlator); /* that have signals */
double ph_correlator_group_sum(const struct ph_correlator *correlator, size_t group, size_t lag); /* over all origins */
double ph_correlator_group_share(const struct ph_correlator *correlator, size_t group);           /* of all signals */

/* All sums and counts for the jackknife, by block or by group: for each n_lags sums, then n_lags counts of origins (of
 * groups, times their share). To be freed; NULL: no memory. */
double *ph_correlator_table(const struct ph_correlator *correlator);
double *ph_correlator_group_table(const struct ph_correlator *correlator);

/* Values of `width` numbers that `f` makes of such tables, and the larger of their two errors. False: no memory. */
bool ph_correlator_errors(const struct ph_correlator *correlator, const double *blocks, const double *groups,
                          ph_functions *f, const void *data, size_t width, double *values, double *errors);

#endif
