/* SPDX-License-Identifier: MIT */
#include "analysis/statistics/sorted_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REACH = 2, FEWEST_CELLS = 6, FEW_POINTS = 256 };

bool ph_sorted_points_init(size_t n, size_t n_groups, const int *group, struct ph_sorted_points *sorted)
{
    *sorted = (struct ph_sorted_points){.n = n, .n_groups = n_groups, .group = group, .count = {1, 1, 1}};
    sorted->order = calloc(n + PH_SORTED_SPARE, sizeof *sorted->order);
    sorted->cell = calloc(n + 1, sizeof *sorted->cell);
    return sorted->order && sorted->cell;
}

void ph_sorted_points_free(struct ph_sorted_points *sorted)
{
    free(sorted->order);
    free(sorted->cell);
    free(sorted->first);
}

static void choose_counts(struct ph_sorted_points *sorted, const struct ph_box *box, double cutoff)
{
    const double points = (double)sorted->n / (double)sorted->n_groups;
    const double most = fmin(100.0, 2.0 * cbrt(points)); /* finer cells would be empty */
    bool many = box->kind != PH_BOX_OPEN && points > FEW_POINTS;
    for (int k = 0; k < 3 && many; ++k) {
        sorted->count[k] = (int)fmin(most, floor(REACH * box->width[k] / cutoff));
        many = sorted->count[k] >= FEWEST_CELLS;
    }
    for (int k = 0; k < 3 && !many; ++k)
        sorted->count[k] = 1;
}

/* The last of the three numbers of a cell runs fastest. */
static int cell_of(const struct ph_sorted_points *sorted, const struct ph_box *box, const double r[3])
{
    int cell = 0;
    for (int k = 0; k < 3; ++k) {
        const double *v = box->inverse[k];
        double s = v[0] * r[0] + v[1] * r[1] + v[2] * r[2];
        s -= floor(s);
        const int at = (int)(s * sorted->count[k]);
        cell = cell * sorted->count[k] + (at < sorted->count[k] ? at : sorted->count[k] - 1);
    }
    return cell;
}

static size_t cells_of_group(const struct ph_sorted_points *sorted)
{
    return (size_t)sorted->count[0] * (size_t)sorted->count[1] * (size_t)sorted->count[2];
}

bool ph_sorted_points_sort(struct ph_sorted_points *sorted, const struct ph_box *box, const double *position,
                           double cutoff)
{
    choose_counts(sorted, box, cutoff);
    const size_t in_group = cells_of_group(sorted), n_first = in_group * sorted->n_groups + 2;
    if (n_first > sorted->room) {
        free(sorted->first);
        sorted->first = malloc(n_first * sizeof *sorted->first);
        sorted->room = sorted->first ? n_first : 0;
    }
    if (!sorted->first)
        return false;
    memset(sorted->first, 0, n_first * sizeof *sorted->first);
    size_t *const next = sorted->first + 1; /* after counting sort it has moved on to the first of the next cell */
    for (size_t i = 0; i < sorted->n; ++i) {
        const int cell = in_group > 1 ? cell_of(sorted, box, &position[3 * i]) : 0;
        sorted->cell[i] = cell;
        ++sorted->first[(size_t)(sorted->group ? sorted->group[i] : 0) * in_group + (size_t)cell + 2];
    }
    for (size_t c = 2; c < n_first; ++c)
        sorted->first[c] += sorted->first[c - 1];
    for (size_t i = 0; i < sorted->n; ++i) {
        const size_t group = (size_t)(sorted->group ? sorted->group[i] : 0);
        sorted->order[next[group * in_group + (size_t)sorted->cell[i]]++] = (int)i;
    }
    return true;
}

struct visitor {
    size_t k;
    ph_range_visit *visit;
    void *data;
};

static void visit_range(const struct visitor *visitor, size_t begin, size_t end)
{
    begin = begin > visitor->k ? begin : visitor->k + 1;
    if (begin < end)
        visitor->visit(visitor->k, begin, end, visitor->data);
}

/* Cells of a row lie one behind the other: a stretch of them is one range, or two around the end. */
static void visit_row(const struct visitor *visitor, const size_t *first, int c, int count)
{
    const int low = c - REACH, high = c + REACH;
    visit_range(visitor, first[low < 0 ? 0 : low], first[(high < count ? high : count - 1) + 1]);
    if (low < 0)
        visit_range(visitor, first[low + count], first[count]);
    if (high >= count)
        visit_range(visitor, first[0], first[high - count + 1]);
}

static int wrapped(int k, int n) { return k < 0 ? k + n : (k >= n ? k - n : k); }

void ph_sorted_points_visit(const struct ph_sorted_points *sorted, size_t k, size_t group, ph_range_visit *visit,
                            void *data)
{
    const struct visitor visitor = {k, visit, data};
    const size_t in_group = cells_of_group(sorted), *first = &sorted->first[group * in_group];
    if (in_group == 1) {
        visit_range(&visitor, first[0], first[1]);
        return;
    }
    const int *count = sorted->count, cell = sorted->cell[sorted->order[k]];
    const int c = cell % count[2], b = cell / count[2] % count[1], a = cell / count[2] / count[1];
    for (int i = -REACH; i <= REACH; ++i)
        for (int j = -REACH; j <= REACH; ++j) {
            const int row = wrapped(a + i, count[0]) * count[1] + wrapped(b + j, count[1]);
            visit_row(&visitor, &first[(size_t)row * (size_t)count[2]], c, count[2]);
        }
}
