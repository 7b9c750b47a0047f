/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_CORRELATOR_H
#define PH_ANALYSIS_CORRELATOR_H

/* Time correlation functions of many signals, by Fourier transforms.
 *
 * C(k) = < a(t) a(t + k) >, averaged over all times t for which t + k is in the record, over all signals, and summed
 * over their components with weights. For errors the origins t are divided into blocks that follow each other; sums are
 * kept for each of them. A block of B origins is transformed together with the L moments behind it, without and with
 * zeros in their place: two transforms of length B + L or a little more, whose product is the correlation.
 *
 * Signals are added in groups by several threads; each group has its own sums, which are added up in order: results do
 * not depend on the number of threads. */

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

/* All sums and counts for the jackknife: for each block n_lags sums, then n_lags counts. To be freed; NULL: no memory.
 */
double *ph_correlator_table(const struct ph_correlator *correlator);

#endif
