/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_LIST_BODIES_H
#define PH_ACCEL_FUNCTIONS_LIST_BODIES_H

/* Slots and lists, see accel/engine/list_engine.c: molecules are put into the box, counted and sorted into cells, and
 * each finds its partners in the cells around it. */

#include "accel/functions/bodies.h"

/* ---- Slots ---- */

/* Into the box, as model/box.c does it. Who is nowhere, or too far away to count boxes, stays and is told. */
PH_INLINE void wrap_body(const struct ph_accel_view *v, uint32_t i)
{
    double r[3] = {v->r[0][i], v->r[1][i], v->r[2][i]};
    int count[3];
    if (!wrap_into_box(v, r, count) && v->periodic)
        raise_to(UINT32_MAX - i, &v->signals->not_broken);
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

/* Cells are filled in any order, and sorted then. */
PH_INLINE void count_body(const struct ph_accel_view *v, uint32_t i)
{
    const double r[3] = {v->built_at[0][i], v->built_at[1][i], v->built_at[2][i]};
    const uint32_t x = cell_along(v, 0, r), y = cell_along(v, 1, r), z = cell_along(v, 2, r);
    const uint32_t c = (z * v->cells[1] + y) * v->cells[0] + x;
    v->cell[i] = c;
    count_one(&v->filled[c]);
}

/* After the scan; leaves `filled` at 0, for the next list */
PH_INLINE void fill_body(const struct ph_accel_view *v, uint32_t i)
{
    const uint32_t c = v->cell[i];
    v->order[v->start[c] + take_one(&v->filled[c])] = i;
}

/* Molecules of a cell by their numbers: as many of them are before i as have lower ones. */
PH_INLINE void sort_body(const struct ph_accel_view *v, uint32_t i)
{
    const uint32_t begin = v->start[v->cell[i]], end = v->start[v->cell[i] + 1];
    uint32_t rank = begin;
    for (uint32_t a = begin; a < end; ++a)
        rank += v->order[a] < i;
    v->rank[i] = rank;
}

/* The slot of molecule i, where it was when the list was made: where it is, unless the list was restored */
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

/* Lists are made by PH_TOGETHER threads for each molecule: neighbours in a warp of a device, one thread of the host.
 * `together` tells each how many before it say yes, and how many of all; `from_lane` what another knows; `any_of_warp`
 * whether one of the warp's does, so that all its threads stay in step. */
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

/* x of one of them */
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

/* Where cell c is along an edge of `cells`, seen from a neighbour: brought into the box; and from which one it was: 0
 * the one before, 1 this, 2 the next */
PH_INLINE uint32_t come_around(int c, uint32_t cells, uint32_t *box)
{
    *box = c < 0 ? 0 : c >= (int)cells ? 2 : 1;
    return (uint32_t)(c < 0 ? c + (int)cells : c >= (int)cells ? c - (int)cells : c);
}

/* Partners of the molecule in slot k among slots begin .. end-1, as seen from m, where it or an image of it is; by
 * thread `lane` of those that do this together. Returns how many are found now. */
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

/* How far it is along y or z from x, in cell c, to the cells `step` further; rather less than more */
PH_INLINE double gap(double x, uint32_t c, int step, double width)
{
    const double face = (double)((int)c + step + (step < 0 ? 1 : 0)) * width, way = step < 0 ? x - face : face - x;
    return step == 0 ? 0.0 : way - 0x1p-20 * width;
}

/* How many thin cells on each side a row has for someone who is sqrt(gap2) away from it; none: -1 */
PH_INLINE int cells_of_row(const struct ph_accel_view *v, double gap2)
{
    int count = 1;
    for (int k = 1; k < PH_AROUND_X; ++k)
        count += ph_fma((double)(k * k), v->width[0] * v->width[0], gap2) < v->reach2;
    return gap2 < v->reach2 ? count : -1;
}

/* Slots of one row of cells along x that may be partners: a run of them, and another, maybe of none, where the box ends
 * in between; the boxes that they are in, x + 3 y + 9 z as come_around has them */
struct runs {
    uint32_t from[2], to[2], box[2];
};
enum { PH_ROWS = (2 * PH_AROUND + 1) * (2 * PH_AROUND + 1), PH_THIS_BOX = 1 + 3 + 9 };

/* Of row `index` around cell c of molecule `me`; none beyond the last. Tilted boxes have rows that are searched for all
 * their length. */
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

/* `me`, or its image as those in `box` see it */
PH_INLINE void seen_from(const struct ph_accel_view *v, const double me[3], uint32_t box, double m[3])
{
    const double count[3] = {(double)(box % 3) - 1.0, (double)(box / 3 % 3) - 1.0, (double)(box / 9) - 1.0};
    double shift[3] = {0.0, 0.0, 0.0};
    if (any_of_warp(box != PH_THIS_BOX))
        edges_together(v, count, shift);
    for (int x = 0; x < 3; ++x)
        m[x] = me[x] - shift[x];
}

/* Each of the threads that do this together looks up rows of its own; then all search each row, in their order. */
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
