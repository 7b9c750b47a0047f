/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_FREE_ENERGY_BAR_H
#define PH_LAB_FREE_ENERGY_BAR_H

/* The acceptance ratio of C. H. Bennett, J. Comput. Phys. 22 (1976) 245: the difference f of the reduced free energies
 * of states 1 and 0 solves
 *   sum over samples of 0 of 1/(1 + n0/n1 exp(w - f)) = sum over samples of 1 of 1/(1 + n1/n0 exp(w + f))
 * with w the reduced energy in the other state less that in its own: of all estimates from these samples it has the
 * smallest variance. */

#include <stddef.h>

/* `skip_begin` .. `skip_end` - 1, in parts of the samples out of `parts`, are left out: for a jackknife. NaN without
 * samples */
struct ph_bar_samples {
    size_t n;
    const double *work; /* in the other state less in the own one, over kT */
};
double ph_bar(const struct ph_bar_samples side[2], size_t parts, size_t skipped); /* skipped = parts: none is */

/* How much the distributions overlap: int 2 p0 p1/(p0 + p1), from 0 to 1 for equal ones */
double ph_bar_overlap(const struct ph_bar_samples side[2], double f);

#endif
