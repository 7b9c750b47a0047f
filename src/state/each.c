/* SPDX-License-Identifier: MIT */
#include "state/each.h"

#include "base/lanes.h"
#include "base/numerics/compensated.h"
#include "base/rotation.h"
#include "base/threads.h"

/* ---- Loops ---- */

void ph_each(const struct ph_system *system, const struct ph_owned *own, ph_range_work *work, void *data)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(own, system->first, s);
        if (at.end - at.begin < PH_WORTH_THREADS) {
            for (size_t from = at.begin; from < at.end; from += PH_TURN)
                work((struct ph_range){s, from, ph_turn_end(from, at.end)}, data);
            continue;
        }
#pragma omp parallel for schedule(static)
        for (size_t from = at.begin; from < at.end; from += PH_TURN)
            work((struct ph_range){s, from, ph_turn_end(from, at.end)}, data);
    }
}

/* Each thread has its own sums. They are exact, so the distribution of terms does not matter. */
void ph_each_sum(const struct ph_system *system, const struct ph_owned *own, ph_range_terms *terms, void *data,
                 size_t n, struct ph_exact *sums)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(own, system->first, s);
        if (at.end - at.begin < PH_WORTH_THREADS) {
            for (size_t from = at.begin; from < at.end; from += PH_TURN)
                terms((struct ph_range){s, from, ph_turn_end(from, at.end)}, data, sums);
            continue;
        }
#pragma omp parallel
        {
            struct ph_exact part[PH_EACH_SUMS] = {{.spoilt = 0}};
#pragma omp for schedule(static)
            for (size_t from = at.begin; from < at.end; from += PH_TURN)
                terms((struct ph_range){s, from, ph_turn_end(from, at.end)}, data, part);
#pragma omp critical(ph_each_sums)
            for (size_t k = 0; k < n; ++k)
                ph_exact_join(&part[k], &sums[k]);
        }
    }
}

/* ---- Additions ---- */

static void add_row(struct ph_range range, double factor, const double *restrict x, double *restrict value,
                    double *restrict residual)
{
    if (residual) {
        PH_SIMD
        for (size_t i = range.begin; i < range.end; ++i)
            ph_add_compensated(factor * x[i], &value[i], &residual[i]);
    } else {
        PH_SIMD
        for (size_t i = range.begin; i < range.end; ++i)
            value[i] += factor * x[i];
    }
}

void ph_range_add(struct ph_range range, double factor, double *const x[3], double *const value[3],
                  double *const residual[3])
{
    for (int k = 0; k < 3; ++k)
        add_row(range, factor, x[k], value[k], residual[k]);
}

/* ---- Torque ---- */

/* Arguments of a loop over molecules of one kick */
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

PH_INLINE void add_torques(struct ph_range range, const struct torque_sum *from, bool rates, bool compensated)
{
    const struct torque_sum sum = *from;
    PH_SIMD
    for (size_t i = range.begin; i < range.end; ++i)
        add_torque(&sum, rates, compensated, i);
}

void ph_range_add_torque(struct ph_range range, double t, double g, double *const rate[3], struct ph_system *system,
                         double *const residual[3])
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
        add_torques(range, &sum, true, true);
    else if (g != 0.0)
        add_torques(range, &sum, true, false);
    else if (residual[0])
        add_torques(range, &sum, false, true);
    else
        add_torques(range, &sum, false, false);
}

/* ---- Rotation ---- */

void ph_range_rotate(struct ph_range range, const struct ph_flow *flow, const struct ph_top *top, double t,
                     struct ph_system *system)
{
    struct ph_bodies bodies = {.n = range.end - range.begin};
    for (int k = 0; k < 3; ++k)
        bodies.m[k] = system->m[k] + range.begin;
    for (int k = 0; k < 4; ++k)
        bodies.q[k] = system->q[k] + range.begin;
    ph_flow_advance(flow, top, t, bodies);
}
