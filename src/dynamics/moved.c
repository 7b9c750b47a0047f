/* SPDX-License-Identifier: MIT */
#include "dynamics/moved.h"

#include "base/compensated.h"
#include "base/lanes.h"
#include "base/threads.h"

struct ph_moved ph_moved_of(const struct ph_system *system, const struct ph_owned *own, size_t species)
{
    return own ? (struct ph_moved){own->molecule, own->first[species], own->first[species + 1]}
               : (struct ph_moved){NULL, system->first[species], system->first[species + 1]};
}

static struct ph_moved turn_from(const struct ph_moved *moved, size_t from)
{
    const size_t end = ph_turn_end(from, moved->end);
    if (moved->list && ph_owned_is_run(moved->list, from, end))
        return (struct ph_moved){NULL, moved->list[from], moved->list[end - 1] + (size_t)1};
    return (struct ph_moved){moved->list, from, end};
}

void ph_moved_share(struct ph_moved moved, void (*work)(const struct ph_moved *turn, void *data), void *data)
{
    if (moved.end - moved.begin < PH_WORTH_THREADS) {
        for (size_t from = moved.begin; from < moved.end; from += PH_TURN) {
            const struct ph_moved turn = turn_from(&moved, from);
            work(&turn, data);
        }
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t from = moved.begin; from < moved.end; from += PH_TURN) {
        const struct ph_moved turn = turn_from(&moved, from);
        work(&turn, data);
    }
}

/* ---- Sums ---- */

static void add_range(size_t begin, size_t end, double factor, const double *restrict x, double *restrict value,
                      double *restrict residual)
{
    if (residual) {
        PH_SIMD
        for (size_t i = begin; i < end; ++i)
            ph_add_compensated(factor * x[i], &value[i], &residual[i]);
    } else {
        PH_SIMD
        for (size_t i = begin; i < end; ++i)
            value[i] += factor * x[i];
    }
}

static void add_listed(const uint32_t *list, size_t begin, size_t end, double factor, const double *restrict x,
                       double *restrict value, double *restrict residual)
{
    for (size_t k = begin; k < end; ++k) {
        const size_t i = list[k];
        if (residual)
            ph_add_compensated(factor * x[i], &value[i], &residual[i]);
        else
            value[i] += factor * x[i];
    }
}

void ph_moved_add(const struct ph_moved *turn, double factor, double *const x[3], double *const value[3],
                  double *const residual[3])
{
    for (int k = 0; k < 3; ++k)
        if (turn->list)
            add_listed(turn->list, turn->begin, turn->end, factor, x[k], value[k], residual[k]);
        else
            add_range(turn->begin, turn->end, factor, x[k], value[k], residual[k]);
}

/* ---- Rotation ---- */

/* Molecules of a list, brought together */
static void rotate_listed(const uint32_t *list, size_t n, const struct ph_flow *flow, const struct ph_top *top,
                          double t, struct ph_system *system)
{
    PH_ALIGNED double copy[7][PH_TURN];
    double *const rows[7] = {system->m[0], system->m[1], system->m[2], system->q[0],
                             system->q[1], system->q[2], system->q[3]};
    struct ph_bodies bodies = {.n = n, .m = {copy[0], copy[1], copy[2]}, .q = {copy[3], copy[4], copy[5], copy[6]}};
    for (int x = 0; x < 7; ++x)
        for (size_t k = 0; k < n; ++k)
            copy[x][k] = rows[x][list[k]];
    ph_flow_advance(flow, top, t, bodies);
    for (int x = 0; x < 7; ++x)
        for (size_t k = 0; k < n; ++k)
            rows[x][list[k]] = copy[x][k];
}

void ph_moved_rotate(const struct ph_moved *turn, const struct ph_flow *flow, const struct ph_top *top, double t,
                     struct ph_system *system)
{
    struct ph_bodies bodies = {.n = turn->end - turn->begin};
    if (turn->list) {
        rotate_listed(turn->list + turn->begin, bodies.n, flow, top, t, system);
        return;
    }
    for (int k = 0; k < 3; ++k)
        bodies.m[k] = system->m[k] + turn->begin;
    for (int k = 0; k < 4; ++k)
        bodies.q[k] = system->q[k] + turn->begin;
    ph_flow_advance(flow, top, t, bodies); /* fewer than are worth threads: it takes none */
}
