/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_MIXING_H
#define PH_DYNAMICS_MIXING_H

/* Fixed points x = g(x) by Anderson's mixing: the next x is where the last few differences g(x) - x, if they were
 * linear in x, would be smallest. Faster than x <- g(x), and it also converges where that does not.
 * D. G. Anderson, J. ACM 12 (1965) 547; H. F. Walker, P. Ni, SIAM J. Numer. Anal. 49 (2011) 1715. */

#include <stddef.h>

struct ph_mixing; /* opaque */

/* For n unknowns of order one; NULL without memory. Destroy accepts NULL. */
struct ph_mixing *ph_mixing_create(size_t n);
void ph_mixing_destroy(struct ph_mixing *mixing);

/* Forgets all earlier differences, for another g. */
void ph_mixing_reset(struct ph_mixing *mixing);

/* From x and g(x) to the next x, in place. All sums are in one order, whatever the number of threads. */
void ph_mixing_next(struct ph_mixing *mixing, const double *g, double *x);

#endif
