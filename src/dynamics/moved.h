/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_MOVED_H
#define PH_DYNAMICS_MOVED_H

/* What the flows of schemes do to those molecules of a species that this process moves: all of them, or where several
 * processes share the system its own (force/owned.h). What happens to a molecule depends on that molecule alone. */

#include "force/owned.h"
#include "model/system.h"
#include "rigid/flow.h"

/* Numbers begin .. end of a list of places, or these places themselves where there is no list */
struct ph_moved {
    const uint32_t *list;
    size_t begin, end;
};

struct ph_moved ph_moved_of(const struct ph_system *system, const struct ph_owned *own, size_t species);
static inline size_t ph_moved_at(const struct ph_moved *moved, size_t k) { return moved->list ? moved->list[k] : k; }

/* Does work(turn, data) for turns of up to PH_TURN of them, shared among threads where they are many. Whatever is done
 * to a turn at once needs one parallel region, and finds the turn in the cache of its thread. */
void ph_moved_share(struct ph_moved moved, void (*work)(const struct ph_moved *turn, void *data), void *data);

/* The same for sums over them: work adds the terms of a turn to n sums, at most PH_MOVED_SUMS. */
enum { PH_MOVED_SUMS = 4 };
void ph_moved_sum(struct ph_moved moved, void (*work)(const struct ph_moved *turn, void *data, struct ph_exact *sums),
                  void *data, size_t n, struct ph_exact *sums);

/* For such turns. value += factor x, compensated where there are residuals (else NULL) */
void ph_moved_add(const struct ph_moved *turn, double factor, double *const x[3], double *const value[3],
                  double *const residual[3]);

/* m += Q^T (t torque + g rate); `rate` is not read if g is 0 */
void ph_moved_add_torque(const struct ph_moved *turn, double t, double g, double *const rate[3],
                         struct ph_system *system, double *const residual[3]);
/* Free rotation for a time t */
void ph_moved_rotate(const struct ph_moved *turn, const struct ph_flow *flow, const struct ph_top *top, double t,
                     struct ph_system *system);

#endif
