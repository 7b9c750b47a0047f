/* SPDX-License-Identifier: MIT */
#include "dynamics/moved.h"

#include "base/compensated.h"
#include "base/lanes.h"
#include "base/rotation.h"
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

/* Each thread has sums of its own; as they are exact, it does not matter who has which terms. */
void ph_moved_sum(struct ph_moved moved, void (*work)(const struct ph_moved *turn, void *data, struct ph_exact *sums),
                  void *data, size_t n, struct ph_exact *sums)
{
    if (moved.end - moved.begin < PH_WORTH_THREADS) {
        for (size_t from = moved.begin; from < moved.end; from += PH_TURN) {
            const struct ph_moved turn = turn_from(&moved, from);
            work(&turn, data, sums);
        }
        return;
    }
#pragma omp parallel
    {
        struct ph_exact part[PH_MOVED_SUMS] = {{.spoilt = 0}};
#pragma omp for schedule(static)
        for (size_t from = moved.begin; from < moved.end; from += PH_TURN) {
            const struct ph_moved turn = turn_from(&moved, from);
            work(&turn, data, part);
        }
#pragma omp critical
        for (size_t k = 0; k < n; ++k)
            ph_exact_join(&part[k], &sums[k]);
    }
}

/* ---- Additions ---- */

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

/* ---- Torque ---- */

/* What a loop over molecules of one kick reads and changes */
struct torque_sum {
    double t, g;
    const double *q[4], *torque[3], *rate[3];
    double *m[3], *residual[3];
};

/* m += Q^T (t torque + g rate) of molecule i */
PH_INLINE void add_torque(const struct torque_sum *sum, bool rates, bool compensated, size_t i)
{
    const double back[4] = {sum->q[0][i], -sum->q[1][i], -sum->q[2][i], -sum->q[3][i]}; /* space to body */
    double torque[3], body[3];
    for (int k = 0; k < 3; ++k)
        torque[k] = rates ? sum->t * sum->torque[k][i] + sum->g * sum->rate[k][i] : sum->t * sum->torque[k][i];
    ph_quat_rotate(back, torque, body);
    for (int k = 0; k < 3; ++k)
        if (compensated)
            ph_add_compensated(body[k], &sum->m[k][i], &sum->residual[k][i]);
        else
            sum->m[k][i] += body[k];
}

PH_INLINE void add_torques(const struct ph_moved *turn, const struct torque_sum *from, bool rates, bool compensated)
{
    const struct torque_sum sum = *from;
    if (turn->list) {
        for (size_t k = turn->begin; k < turn->end; ++k)
            add_torque(&sum, rates, compensated, turn->list[k]);
        return;
    }
    PH_SIMD
    for (size_t i = turn->begin; i < turn->end; ++i)
        add_torque(&sum, rates, compensated, i);
}

void ph_moved_add_torque(const struct ph_moved *turn, double t, double g, double *const rate[3],
                         struct ph_system *system, double *const residual[3])
{
    struct torque_sum sum = {.t = t, .g = g};
    for (int k = 0; k < 4; ++k)
        sum.q[k] = system->q[k];
    for (int k = 0; k < 3; ++k) {
        sum.torque[k] = system->t[k];
        sum.rate[k] = rate[k];
        sum.m[k] = system->m[k];
        sum.residual[k] = residual[k];
    }
    if (g != 0.0 && residual[0])
        add_torques(turn, &sum, true, true);
    else if (g != 0.0)
        add_torques(turn, &sum, true, false);
    else if (residual[0])
        add_torques(turn, &sum, false, true);
    else
        add_torques(turn, &sum, false, false);
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
