/* SPDX-License-Identifier: MIT */
#ifndef PH_STATE_EACH_H
#define PH_STATE_EACH_H

/* Loops over molecules in ranges of indices, and operations on a range. Work on one molecule must not depend on
 * another, because ranges have any length and run on any thread. */

#include "base/numerics/exact.h"
#include "force/owned.h"
#include "model/system.h"
#include "rigid/flow.h"

/* Molecules of one species at indices begin .. end-1, at most PH_TURN (base/threads.h) */
struct ph_range {
    size_t species, begin, end;
};
typedef void ph_range_work(struct ph_range range, void *data);
typedef void ph_range_terms(struct ph_range range, void *data, struct ph_exact *sums);

/* Calls work(range, data) for all molecules, or for those of `own` unless it is NULL. Threads share the ranges of a
 * species of at least PH_WORTH_THREADS molecules. Do several operations in one work function: this saves parallel
 * regions and cache misses. */
void ph_each(const struct ph_system *system, const struct ph_owned *own, ph_range_work *work, void *data);

/* Sums over the same molecules: terms(range, data, sums) adds the terms of a range to n exact sums, at most
 * PH_EACH_SUMS. Sums are not reduced over ranks (ph_ranks_add_up). */
enum { PH_EACH_SUMS = 6 };
void ph_each_sum(const struct ph_system *system, const struct ph_owned *own, ph_range_terms *terms, void *data,
                 size_t n, struct ph_exact *sums);

/* value += factor x. Sums are compensated where residual[k] is not NULL. */
void ph_range_add(struct ph_range range, double factor, double *const x[3], double *const value[3],
                  double *const residual[3]);
/* m += Q^T (t torque + g rate); `rate` is not read if g is 0 */
void ph_range_add_torque(struct ph_range range, double t, double g, double *const rate[3], struct ph_system *system,
                         double *const residual[3]);
/* Free rotation for a time t */
void ph_range_rotate(struct ph_range range, const struct ph_flow *flow, const struct ph_top *top, double t,
                     struct ph_system *system);

#endif
