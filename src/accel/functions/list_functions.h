/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_LIST_FUNCTIONS_H
#define PH_ACCEL_FUNCTIONS_LIST_FUNCTIONS_H

/* Slots and lists, see accel/engine/list_engine.c: threads wrap molecules into the box, count and sort them into cells,
 * and find the partners of each molecule in the cells around it. */

#include "accel/functions/device_functions.h"

/* ---- Slots ---- */

/* Wraps a molecule into the box as model/box.c does. Non-finite or far-away molecules stay in place and are
 * reported. */
PH_INLINE void wrap_body(const struct ph_accel_view *v, uint32_t i)
{
    double r[3] = {v->r[0][i], v->r[1][i], v->r[2][i]};
    int count[3];
    if (!wrap_into_box(v, r, count) && v->periodic)
        raise_to(UINT32_MAX - i, &v->signals->first_bad);
    for (int k = 0; k < 3; ++k) {
        v->r[k][i] = v->built_at[k][i] = r[k];
        v->image[k][i] += count[k];
    }
}

PH_INLINE uint32_t cell_along(const struct ph_accel_view *v, int k, const double r[3])
{
    const double place = fraction(v, k, r) * (double)v->cells[k];
    const uint32_t last = v->cells[k] - 1;
    return place >= 0.0 && place < (double)last ? (uint32_t)place : place >= (double)last ? last : 0;
}

/* Counts a molecule in its cell. Cells are filled in any order and sorted afterwards. */
PH_INLINE void count_body(const struct ph_accel_view *v, uint32_t i)
{
    const double r[3] = {v->built_at[0][i], v->built_at[1][i], v->built_at[2][i]};
    const uint32_t x = cell_along(v, 0, r), y = cell_along(v, 1, r), z = cell_along(v, 2, r);
    const uint32_t c = (z * v->cells[1] + y) * v->cells[0] + x;
    v->cell[i] = c;
    count_one(&v->filled[c]);
}

/* Puts a molecule into its cell, after the scan. Leaves `filled` at 0 for the next list. */
PH_INLINE void fill_body(const struct ph_accel_view *v, uint32_t i)
{
    const uint32_t c = v->cell[i];
    v->order[v->start[c] + take_one(&v->filled[c])] = i;
}

/* Sorts the molecules of a cell by their numbers: the rank of i is the count of lower numbers. */
PH_INLINE void sort_body(const struct ph_accel_view *v, uint32_t i)
{
    const uint32_t begin = v->start[v->cell[i]], end = v->start[v->cell[i] + 1];
    uint32_t rank = begin;
    for (uint32_t a = begin; a < end; ++a)
        rank += v->order[a] < i;
    v->rank[i] = rank;
}

/* Fills the slot of molecule i with its position at the list build, which is the present one unless the list was
 * restored. */
PH_INLINE void arrange_body(const struct ph_accel_view *v, uint32_t i)
{
    if (!v->listed)
        v->rank[i] = i;
    if (i == 0)
        *v->outdated = 0;
    const uint32_t k = v->rank[i];
    v->order[k] = i;
    if (v->sites.n_kinds > 0)
        v->sites.species_at[k] = v->sites.species[i];
    const double r[3] = {v->built_at[0][i], v->built_at[1][i], v->built_at[2][i]};
    fill_slot(v, i, r, k);
}

/* ---- Partners ---- */

/* PH_TOGETHER threads make the list of each molecule: neighbouring threads of a warp on a device, one thread on the
 * host. `together` returns to each thread how many threads before it vote yes, and the number of all votes. `from_lane`
 * reads a number of another thread. `any_of_warp` is true if any thread of the warp votes yes, so that all its threads
 * stay in step. */
#ifdef __CUDACC__
enum { PH_TOGETHER = 8 };
#else
enum { PH_TOGETHER = 1 };
#endif

PH_INLINE uint32_t together(bool yes, uint32_t lane, uint32_t *all)
{
#ifdef __CUDA_ARCH__
    const uint32_t first = threadIdx.x % 32u - lane, mine = 0xffu << first, before = ((1u << lane) - 1u) << first;
    const uint32_t votes = __ballot_sync(~0u, yes);
    *all = (uint32_t)__popc(votes & mine);
    return (uint32_t)__popc(votes & before);
#else
    (void)lane;
    *all = yes ? 1 : 0;
    return 0;
#endif
}

/* Returns x of thread `lane`. */
PH_INLINE uint32_t from_lane(uint32_t x, uint32_t lane)
{
#ifdef __CUDA_ARCH__
    return __shfl_sync(~0u, x, (int)lane, PH_TOGETHER);
#else
    (void)lane;
    return x;
#endif
}

PH_INLINE bool any_of_warp(bool yes)
{
#ifdef __CUDA_ARCH__
    return __any_sync(~0u, yes);
#else
    return yes;
#endif
}

/* Wraps cell index c along an edge of `cells` cells into the box. *box: the box it was in, 0 before, 1 this one, 2 the
 * next */
PH_INLINE uint32_t come_around(int c, uint32_t cells, uint32_t *box)
{
    *box = c < 0 ? 0 : c >= (int)cells ? 2 : 1;
    return (uint32_t)(c < 0 ? c + (int)cells : c >= (int)cells ? c - (int)cells : c);
}

/* Finds partners of the molecule in slot k among slots begin .. end-1. m is its position, or the position of an image.
 * Called by each thread `lane` of a group. Returns the number of partners found so far. */
PH_INLINE uint32_t find_partners(const struct ph_accel_view *v, uint32_t k, uint32_t lane, const double m[3],
                                 uint32_t begin, uint32_t end, uint32_t found)
{
    for (uint32_t first = begin; any_of_warp(first < end); first += PH_TOGETHER) {
        const uint32_t l = first + lane, other = l < end ? l : k;
        const struct ph_slot its = v->slot[other];
        const double a = its.r[0] - m[0], b = its.r[1] - m[1], d = its.r[2] - m[2];
        const bool near = (other != k) & (ph_fma(a, a, ph_fma(b, b, d * d)) < v->reach2);
        uint32_t more;
        const uint32_t e = found + together(near, lane, &more);
        if (near & (e < v->room))
            v->list[place_in_list(v, k, e)] = l;
        found += more;
    }
    return found;
}

/* Returns the distance along y or z from x, in cell c, to the cells `step` further; slightly too small rather than too
 * large */
PH_INLINE double gap(double x, uint32_t c, int step, double width)
{
    const double face = (double)((int)c + step + (step < 0 ? 1 : 0)) * width, way = step < 0 ? x - face : face - x;
    return step == 0 ? 0.0 : way - 0x1p-20 * width;
}

/* Returns how many thin cells to search on each side, in a row at distance sqrt(gap2) from a molecule; -1: none */
PH_INLINE int cells_of_row(const struct ph_accel_view *v, double gap2)
{
    int count = 1;
    for (int k = 1; k < PH_AROUND_X; ++k)
        count += ph_fma((double)(k * k), v->width[0] * v->width[0], gap2) < v->reach2;
    return gap2 < v->reach2 ? count : -1;
}

/* Slots in one row of cells along x that may hold partners: one run, and a second run, which is empty unless the row
 * crosses the end of the box. box: x + 3 y + 9 z, numbered as in come_around */
struct runs {
    uint32_t from[2], to[2], box[2];
};
enum { PH_ROWS = (2 * PH_AROUND + 1) * (2 * PH_AROUND + 1), PH_THIS_BOX = 1 + 3 + 9 };

/* Finds the runs of row `index` around cell c of molecule `me`; empty beyond the last row. In tilted boxes the distance
 * to a row counts as 0, so that each row is searched over its full length. */
PH_INLINE struct runs runs_of_row(const struct ph_accel_view *v, const double me[3], const uint32_t c[3],
                                  uint32_t index)
{
    const int dy = (int)(index % (2 * PH_AROUND + 1)) - PH_AROUND, dz = (int)(index / (2 * PH_AROUND + 1)) - PH_AROUND;
    const double gy = gap(me[1], c[1], dy, v->width[1]), gz = gap(me[2], c[2], dz, v->width[2]);
    const int aside = index < PH_ROWS ? cells_of_row(v, v->tilted ? 0.0 : ph_fma(gy, gy, gz * gz)) : -1;
    struct runs runs = {{0, 0}, {0, 0}, {PH_THIS_BOX, PH_THIS_BOX}};
    if (aside < 0)
        return runs;
    const int nx = (int)v->cells[0], begin = (int)c[0] - aside, end = begin + 2 * aside + 1;
    const bool below = begin < 0, above = nx < end;
    uint32_t box_y, box_z;
    const uint32_t y = come_around((int)c[1] + dy, v->cells[1], &box_y);
    const uint32_t z = come_around((int)c[2] + dz, v->cells[2], &box_z);
    const uint32_t *row = v->start + (size_t)(z * v->cells[1] + y) * v->cells[0];
    runs.from[0] = row[below ? 0 : begin];
    runs.to[0] = row[above ? nx : end];
    runs.box[0] = 1 + 3 * box_y + 9 * box_z;
    if (below || above) {
        runs.from[1] = row[below ? begin + nx : 0];
        runs.to[1] = row[below ? nx : end - nx];
        runs.box[1] = (below ? 0 : 2) + 3 * box_y + 9 * box_z;
    }
    return runs;
}

/* Computes m, the position of `me` or of its image, as seen from `box`. */
PH_INLINE void seen_from(const struct ph_accel_view *v, const double me[3], uint32_t box, double m[3])
{
    const double count[3] = {(double)(box % 3) - 1.0, (double)(box / 3 % 3) - 1.0, (double)(box / 9) - 1.0};
    double shift[3] = {0.0, 0.0, 0.0};
    if (any_of_warp(box != PH_THIS_BOX))
        edges_together(v, count, shift);
    for (int x = 0; x < 3; ++x)
        m[x] = me[x] - shift[x];
}

/* Finds all partners of a molecule. Each thread of the group computes the runs of its own rows. Then all threads search
 * each row, in order. */
PH_INLINE void partners_body(const struct ph_accel_view *v, uint32_t k, uint32_t lane)
{
    const uint32_t all = v->cell[v->order[k]], nx = v->cells[0], ny = v->cells[1];
    const uint32_t c[3] = {all % nx, all / nx % ny, all / nx / ny};
    const double me[3] = {v->slot[k].r[0], v->slot[k].r[1], v->slot[k].r[2]};
    uint32_t found = 0;
    for (uint32_t first = 0; first < PH_ROWS; first += PH_TOGETHER) {
        const struct runs own = runs_of_row(v, me, c, first + lane);
        for (uint32_t other = 0; other < PH_TOGETHER; ++other)
            for (int run = 0; run < 2; ++run) {
                const uint32_t from = from_lane(own.from[run], other), to = from_lane(own.to[run], other);
                if (!any_of_warp(from < to))
                    continue;
                double m[3];
                seen_from(v, me, from_lane(own.box[run], other), m);
                found = find_partners(v, k, lane, m, from, to, found);
            }
    }
    if (lane > 0)
        return;
    v->partners[k] = found;
    if (found > v->room)
        raise_to(found, &v->signals->most);
}

#endif
