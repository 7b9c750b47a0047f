/* SPDX-License-Identifier: MIT */
#ifndef PH_PARALLEL_RANKS_H
#define PH_PARALLEL_RANKS_H

/* Operations of all ranks (processes) together, for code that need not know which rank it runs on. Every rank must call
 * them, in the same order. A single process is one rank: then they return at once. Messages between ranks are in
 * parallel/team.h. */

#include "base/error.h"
#include "base/numerics/exact.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t ph_ranks_count(void);
/* Returns true on the first rank, which writes files and reports. */
bool ph_ranks_is_first(void);

/* ---- Decisions ---- */

/* Returns PH_OK if all ranks have that; else all ranks get status and message of the first rank that failed. */
enum ph_status ph_ranks_agree(enum ph_status status, struct ph_error *err);
/* Fails unless all ranks have the same number, a hash of data that they must share. */
enum ph_status ph_ranks_same(uint64_t number, struct ph_error *err);
/* Returns the bits that are set on any rank. The second highest bit is reserved. */
unsigned ph_ranks_any(unsigned bits);
/* Sends data of the first rank to all ranks. */
void ph_ranks_broadcast(size_t bytes, void *data);

/* ---- Sums, the same for any number of ranks ---- */

/* Replaces each of n integers, or exact sums, by its sum over all ranks. Integers must not overflow. */
void ph_ranks_sum(size_t n, int64_t *numbers);
void ph_ranks_add_up(size_t n, struct ph_exact *sums);
/* Replaces each of n values by its maximum over all ranks. Not for NaN. */
void ph_ranks_largest(size_t n, double *values);

/* ---- Shares of numbered things ---- */

/* Returns the share of this rank, begin .. end-1 of n, in whole blocks (base/ranges.h). */
void ph_ranks_range(size_t n, size_t *begin, size_t *end);
/* Gathers n values, each known to one rank and 0 on all others: afterwards every rank knows all, to the last bit. */
void ph_ranks_merge(size_t n, double *values);
/* Completes n values of which this rank knows begin .. end-1: afterwards every rank knows all. */
void ph_ranks_complete(size_t n, size_t begin, size_t end, double *values);
/* Calls work(value, data) on one rank after the other. Each call sees the value that the call before it left, and all
 * ranks get the last. */
void ph_ranks_in_turn(size_t bytes, void *value, void (*work)(void *value, void *data), void *data);

/* ---- Measurements ---- */

/* Returns the seconds that this process has spent in messages since the first call of this function: sending, receiving
 * and waiting for other ranks. (team_timed.c) */
double ph_ranks_seconds(void);

#endif
