/* SPDX-License-Identifier: MIT */
#include "analysis/statistics/pairs.h"

#include "analysis/statistics/sorted_points.h"
#include "base/lanes.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = PH_PAIR_BATCH };

struct ph_pair_finder {
    struct ph_sorted_points sorted;
    double *x, *y, *z; /* sorted */
    /* Of the frame that is visited */
    const struct ph_box *box;
    ph_pair_visit *visit;
    void *data;
    /* The batch of one point, gathered from several ranges: short ones would cost more to visit than to measure */
    size_t filled;
    int j[BATCH];
    double dx[BATCH], dy[BATCH], dz[BATCH], square[BATCH];
};

struct ph_pair_finder *ph_pair_finder_create(size_t n)
{
    struct ph_pair_finder *pairs = calloc(1, sizeof *pairs);
    if (!pairs)
        return NULL;
    const bool sorted = ph_sorted_points_init(n, 1, NULL, &pairs->sorted);
    pairs->x = calloc(n + 1, sizeof *pairs->x);
    pairs->y = calloc(n + 1, sizeof *pairs->y);
    pairs->z = calloc(n + 1, sizeof *pairs->z);
    if (sorted && pairs->x && pairs->y && pairs->z)
        return pairs;
    ph_pair_finder_destroy(pairs);
    return NULL;
}

void ph_pair_finder_destroy(struct ph_pair_finder *pairs)
{
    if (!pairs)
        return;
    ph_sorted_points_free(&pairs->sorted);
    free(pairs->x);
    free(pairs->y);
    free(pairs->z);
    free(pairs);
}

/* Appends the differences of sorted points a .. a + n - 1 from the k-th, nearest images, to the batch. Rounding the
 * fractional coordinates finds every image nearer than half a width, which is all that the cutoff needs. */
static void measure(struct ph_pair_finder *pairs, const struct ph_box *box, size_t k, size_t a, size_t n)
{
    const double x = pairs->x[k], y = pairs->y[k], z = pairs->z[k];
    const double *restrict px = pairs->x + a, *restrict py = pairs->y + a, *restrict pz = pairs->z + a;
    const size_t at = pairs->filled;
    double *restrict dx = pairs->dx + at, *restrict dy = pairs->dy + at, *restrict dz = pairs->dz + at;
    double *restrict square = pairs->square + at;
    const struct ph_box b = *box; /* a copy, which no store can change, so that it stays in registers */
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

static void flush(struct ph_pair_finder *pairs, size_t k)
{
    const struct ph_pair_batch batch = {.i = pairs->sorted.order[k],
                                        .n = pairs->filled,
                                        .j = pairs->j,
                                        .dx = pairs->dx,
                                        .dy = pairs->dy,
                                        .dz = pairs->dz,
                                        .square = pairs->square};
    if (pairs->filled > 0)
        pairs->visit(&batch, pairs->data);
    pairs->filled = 0;
}

static void gather(size_t k, size_t begin, size_t end, void *data)
{
    struct ph_pair_finder *pairs = data;
    for (size_t a = begin; a < end;) {
        const size_t room = BATCH - pairs->filled, n = end - a < room ? end - a : room;
        measure(pairs, pairs->box, k, a, n);
        memcpy(pairs->j + pairs->filled, pairs->sorted.order + a, n * sizeof *pairs->j);
        pairs->filled += n;
        a += n;
        if (pairs->filled == BATCH)
            flush(pairs, k);
    }
}

bool ph_pair_finder_visit(struct ph_pair_finder *pairs, const struct ph_box *box, const double *position, double cutoff,
                          ph_pair_visit *visit, void *data)
{
    if (!ph_sorted_points_sort(&pairs->sorted, box, position, cutoff))
        return false;
    pairs->box = box;
    pairs->visit = visit;
    pairs->data = data;
    for (size_t k = 0; k < pairs->sorted.n; ++k) {
        const double *r = &position[3 * pairs->sorted.order[k]];
        pairs->x[k] = r[0];
        pairs->y[k] = r[1];
        pairs->z[k] = r[2];
    }
    for (size_t k = 0; k < pairs->sorted.n; ++k) {
        ph_sorted_points_visit(&pairs->sorted, k, 0, gather, pairs);
        flush(pairs, k);
    }
    return true;
}
