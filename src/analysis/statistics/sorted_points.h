/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_STATISTICS_SORTED_POINTS_H
#define PH_ANALYSIS_STATISTICS_SORTED_POINTS_H

/* Sorts points by group, then by cells of half the cutoff, so that the possible neighbours of a point are a few ranges.
 * Where the box has no room for many cells, or the points are few, there is one cell. */

#include "model/box.h"

#include <stdbool.h>
#include <stddef.h>

enum { PH_SORTED_SPARE = 16 };

struct ph_sorted_points {
    size_t n, n_groups;
    const int *group; /* of each point, not owned; NULL: there is one */
    int *order;       /* owned; the number of the k-th sorted point, then some padding */
    int *cell;        /* owned; of each point */
    size_t *first;    /* owned; of each group, of each cell: the first sorted point, then the end */
    size_t room;
    int count[3]; /* cells along each edge */
};

/* False: no memory. To be freed in any case. */
bool ph_sorted_points_init(size_t n, size_t n_groups, const int *group, struct ph_sorted_points *sorted);
void ph_sorted_points_free(struct ph_sorted_points *sorted);

/* Points of a cell keep their order. Positions must be finite. False: no memory. */
bool ph_sorted_points_sort(struct ph_sorted_points *sorted, const struct ph_box *box, const double *position,
                           double cutoff);

/* Calls `visit` with ranges of sorted points. The ranges hold all points of a group that lie within the cutoff of the
 * k-th and come after it. */
typedef void ph_range_visit(size_t k, size_t begin, size_t end, void *data);
void ph_sorted_points_visit(const struct ph_sorted_points *sorted, size_t k, size_t group, ph_range_visit *visit,
                            void *data);

#endif
