/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_INTEGRATORS_MIXING_H
#define PH_DYNAMICS_INTEGRATORS_MIXING_H

/* Fixed points x = g(x) by Anderson's mixing: the next x is where the last few differences g(x) - x, if they were
 * linear in x, would be smallest. Faster than x <- g(x), and it also converges where that does not.
 * D. G. Anderson, J. ACM 12 (1965) 547; H. F. Walker, P. Ni, SIAM J. Numer. Anal. 49 (2011) 1715.
 *
 * Unknowns are rows of one number for each molecule. With several ranks, each has the unknowns of its own molecules
 * (force/owned.h), and the memory migrates with them. */

#include "state/state.h"

struct ph_mixing; /* opaque */

/* For so many rows of n unknowns of order one, at most PH_MIXING_ROWS; NULL without memory. Destroy accepts NULL. */
enum { PH_MIXING_ROWS = 6 };
struct ph_mixing *ph_mixing_create(size_t n_rows, size_t n);
void ph_mixing_destroy(struct ph_mixing *mixing);

/* Forgets all earlier differences, for another g. */
void ph_mixing_reset(struct ph_mixing *mixing);

/* Returns the memory: PH_MIXING_COLUMNS rows for each row of unknowns */
enum { PH_MIXING_DEPTH = 5, PH_MIXING_COLUMNS = 2 + 2 * PH_MIXING_DEPTH };
double *const *ph_mixing_memory(const struct ph_mixing *mixing);

/* Computes the next x from x and g(x), in place, for all molecules of the state. All sums are exact: the same for any
 * number of threads and ranks. */
void ph_mixing_next(struct ph_mixing *mixing, struct ph_state *state, double *const *g, double *const *x);

#endif
