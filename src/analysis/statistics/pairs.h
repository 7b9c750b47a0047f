/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_STATISTICS_PAIRS_H
#define PH_ANALYSIS_STATISTICS_PAIRS_H

/* All pairs of points nearer than a cutoff, each once, with the vectors between them */

#include "model/box.h"

#include <stdbool.h>
#include <stddef.h>

enum { PH_PAIR_BATCH = 1024 }; /* others at most */

/* A point i and n other points: differences r_j - r_i of nearest images, and their squares. Some may lie beyond the
 * cutoff. i and j are the caller's numbers of points. */
struct ph_pair_batch {
    int i;
    size_t n;
    const int *j;
    const double *dx, *dy, *dz, *square;
};
typedef void ph_pair_visit(const struct ph_pair_batch *batch, void *data);

struct ph_pair_finder; /* memory for one thread */
struct ph_pair_finder *ph_pair_finder_create(size_t n);
void ph_pair_finder_destroy(struct ph_pair_finder *pairs);

/* In a box the cutoff must not be above half of its smallest width. False: no memory. */
bool ph_pair_finder_visit(struct ph_pair_finder *pairs, const struct ph_box *box, const double *position, double cutoff,
                          ph_pair_visit *visit, void *data);

#endif
