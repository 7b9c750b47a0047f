/* SPDX-License-Identifier: MIT */
#include "analysis/pairs.h"

#include "base/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = PH_PAIR_BATCH, REACH = 2, FEWEST_CELLS = 6, FEW_POINTS = 256 };

struct ph_pairs {
    size_t n, cells_room;
    int *order, *cell; /* the k-th of the sorted points; the cell of each point */
    double *x, *y, *z; /* sorted */
    size_t *first;     /* sorted points of each cell; owned */
    /* The batch of one point, gathered from several ranges: short ones would cost more to visit than to measure */
    size_t filled;
    int j[BATCH];
    double dx[BATCH], dy[BATCH], dz[BATCH], square[BATCH];
};

struct ph_pairs *ph_pairs_create(size_t n)
{
    struct ph_pairs *pairs = calloc(1, sizeof *pairs);
    if (!pairs)
        return NULL;
    pairs->n = n;
    pairs->order = calloc(n + 1, sizeof *pairs->order);
    pairs->cell = calloc(n + 1, sizeof *pairs->cell);
    pairs->x = calloc(n + 1, sizeof *pairs->x);
    pairs->y = calloc(n + 1, sizeof *pairs->y);
    pairs->z = calloc(n + 1, sizeof *pairs->z);
    if (pairs->order && pairs->cell && pairs->x && pairs->y && pairs->z)
        return pairs;
    ph_pairs_destroy(pairs);
    return NULL;
}

void ph_pairs_destroy(struct ph_pairs *pairs)
{
    if (!pairs)
        return;
    free(pairs->order);
    free(pairs->cell);
    free(pairs->x);
    free(pairs->y);
    free(pairs->z);
    free(pairs->first);
    free(pairs);
}

/* Differences of sorted points a .. a + n - 1 from the k-th, nearest images, behind those of the batch. Rounding the
 * fractional coordinates finds every image nearer than half a width, which is all that is asked for. */
static void measure(struct ph_pairs *pairs, const struct ph_box *box, size_t k, size_t a, size_t n)
{
    const double x = pairs->x[k], y = pairs->y[k], z = pairs->z[k];
    const double *restrict px = pairs->x + a, *restrict py = pairs->y + a, *restrict pz = pairs->z + a;
    const size_t at = pairs->filled;
    double *restrict dx = pairs->dx + at, *restrict dy = pairs->dy + at, *restrict dz = pairs->dz + at;
    double *restrict square = pairs->square + at;
    const struct ph_box b = *box; /* a copy, which no store can change: its numbers stay in registers */
    if (b.kind == PH_BOX_ORTHORHOMBIC) {
        const double lx = b.edge[0][0], ly = b.edge[1][1], lz = b.edge[2][2];
        const double ux = b.inverse[0][0], uy = b.inverse[1][1], uz = b.inverse[2][2];
        PH_SIMD
        for (size_t l = 0; l < n; ++l) {
            const double rx = px[l] - x, ry = py[l] - y, rz = pz[l] - z;
            const double wx = rx - lx * ph_round(rx * ux);
            const double wy = ry - ly * ph_round(ry * uy);
            const double wz = rz - lz * ph_round(rz * uz);
            dx[l] = wx;
            dy[l] = wy;
            dz[l] = wz;
            square[l] = wx * wx + wy * wy + wz * wz;
        }
        return;
    }
    PH_SIMD
    for (size_t l = 0; l < n; ++l) { /* open space: the inverse is zero */
        const double rx = px[l] - x, ry = py[l] - y, rz = pz[l] - z;
        const double n0 = ph_round(b.inverse[0][0] * rx + b.inverse[0][1] * ry + b.inverse[0][2] * rz);
        const double n1 = ph_round(b.inverse[1][0] * rx + b.inverse[1][1] * ry + b.inverse[1][2] * rz);
        const double n2 = ph_round(b.inverse[2][0] * rx + b.inverse[2][1] * ry + b.inverse[2][2] * rz);
        dx[l] = rx - (n0 * b.edge[0][0] + n1 * b.edge[1][0] + n2 * b.edge[2][0]);
        dy[l] = ry - (n0 * b.edge[0][1] + n1 * b.edge[1][1] + n2 * b.edge[2][1]);
        dz[l] = rz - (n0 * b.edge[0][2] + n1 * b.edge[1][2] + n2 * b.edge[2][2]);
        square[l] = dx[l] * dx[l] + dy[l] * dy[l] + dz[l] * dz[l];
    }
}

struct visitor {
    ph_pair_visit *visit;
    void *data;
};

static void flush(struct ph_pairs *pairs, size_t k, const struct visitor *visitor)
{
    const struct ph_pair_batch batch = {.i = pairs->order[k],
                                        .n = pairs->filled,
                                        .j = pairs->j,
                                        .dx = pairs->dx,
                                        .dy = pairs->dy,
                                        .dz = pairs->dz,
                                        .square = pairs->square};
    if (pairs->filled > 0)
        visitor->visit(&batch, visitor->data);
    pairs->filled = 0;
}

/* Point k with the sorted points from `a` up to `end`, those after k alone */
static void visit_range(struct ph_pairs *pairs, const struct ph_box *box, size_t k, size_t a, size_t end,
                        const struct visitor *visitor)
{
    for (a = a > k ? a : k + 1; a < end;) {
        const size_t room = BATCH - pairs->filled, n = end - a < room ? end - a : room;
        measure(pairs, box, k, a, n);
        memcpy(pairs->j + pairs->filled, pairs->order + a, n * sizeof *pairs->j);
        pairs->filled += n;
        a += n;
        if (pairs->filled == BATCH)
            flush(pairs, k, visitor);
    }
}

static void take(struct ph_pairs *pairs, size_t k, int i, const double *position)
{
    pairs->order[k] = i;
    pairs->x[k] = position[3 * i];
    pairs->y[k] = position[3 * i + 1];
    pairs->z[k] = position[3 * i + 2];
}

/* Counting sort by cell; the last of the three numbers of a cell runs fastest. */
static bool sort(struct ph_pairs *pairs, const struct ph_box *box, const int count[3], const double *position)
{
    const size_t n_cells = (size_t)count[0] * (size_t)count[1] * (size_t)count[2];
    if (n_cells > pairs->cells_room) {
        free(pairs->first);
        pairs->first = malloc((n_cells + 2) * sizeof *pairs->first);
        pairs->cells_room = pairs->first ? n_cells : 0;
    }
    if (!pairs->first)
        return false;
    memset(pairs->first, 0, (n_cells + 2) * sizeof *pairs->first);
    for (size_t i = 0; i < pairs->n; ++i) {
        int cell = 0;
        for (int k = 0; k < 3; ++k) {
            const double *v = box->inverse[k], *r = &position[3 * i];
            double s = v[0] * r[0] + v[1] * r[1] + v[2] * r[2];
            s -= floor(s);
            const int at = (int)(s * count[k]);
            cell = cell * count[k] + (at < count[k] ? at : count[k] - 1);
        }
        pairs->cell[i] = cell;
        ++pairs->first[cell + 2];
    }
    for (size_t c = 2; c < n_cells + 2; ++c)
        pairs->first[c] += pairs->first[c - 1];
    for (size_t i = 0; i < pairs->n; ++i)
        take(pairs, pairs->first[pairs->cell[i] + 1]++, (int)i, position);
    return true;
}

static int wrapped(int k, int n) { return k < 0 ? k + n : (k >= n ? k - n : k); }

/* Cells of a row lie one behind the other: a stretch of them is one range, or two around the end. */
static void visit_row(struct ph_pairs *pairs, const struct ph_box *box, size_t k, size_t row, int c, int count,
                      const struct visitor *visitor)
{
    const size_t *first = &pairs->first[row];
    const int low = c - REACH, high = c + REACH;
    visit_range(pairs, box, k, first[low < 0 ? 0 : low], first[(high < count ? high : count - 1) + 1], visitor);
    if (low < 0)
        visit_range(pairs, box, k, first[low + count], first[count], visitor);
    if (high >= count)
        visit_range(pairs, box, k, first[0], first[high - count + 1], visitor);
}

static void visit_cells(struct ph_pairs *pairs, const struct ph_box *box, const int count[3],
                        const struct visitor *visitor)
{
    for (size_t k = 0; k < pairs->n; ++k) {
        const int cell = pairs->cell[pairs->order[k]];
        const int c = cell % count[2], b = cell / count[2] % count[1], a = cell / count[2] / count[1];
        for (int i = -REACH; i <= REACH; ++i)
            for (int j = -REACH; j <= REACH; ++j) {
                const size_t row =
                    ((size_t)wrapped(a + i, count[0]) * (size_t)count[1] + (size_t)wrapped(b + j, count[1])) *
                    (size_t)count[2];
                visit_row(pairs, box, k, row, c, count[2], visitor);
            }
        flush(pairs, k, visitor);
    }
}

bool ph_pairs_visit(struct ph_pairs *pairs, const struct ph_box *box, const double *position, double cutoff,
                    ph_pair_visit *visit, void *data)
{
    const struct visitor visitor = {visit, data};
    const double most = fmin(100.0, 2.0 * cbrt((double)pairs->n)); /* finer cells would be empty */
    int count[3];
    bool cells = box->kind != PH_BOX_OPEN && pairs->n > FEW_POINTS;
    for (int k = 0; k < 3 && cells; ++k) {
        count[k] = (int)fmin(most, floor(REACH * box->width[k] / cutoff));
        cells = count[k] >= FEWEST_CELLS;
    }
    if (cells) {
        if (!sort(pairs, box, count, position))
            return false;
        visit_cells(pairs, box, count, &visitor);
        return true;
    }
    for (size_t i = 0; i < pairs->n; ++i)
        take(pairs, i, (int)i, position);
    for (size_t i = 0; i < pairs->n; ++i) {
        visit_range(pairs, box, i, 0, pairs->n, &visitor);
        flush(pairs, i, &visitor);
    }
    return true;
}
