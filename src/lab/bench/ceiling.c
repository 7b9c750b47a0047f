/* SPDX-License-Identifier: MIT */
#include "lab/bench/ceiling.h"

#include "base/lanes.h"
#include "force/pairs/kernels/distance.h"
#include "force/pairs/loops/gather.h"
#include "lab/problems/flow_states.h"
#include "lab/stopwatch.h"

#include <stddef.h>

static const char *const names[PH_CEILINGS] = {"Lennard-Jones", "Lennard-Jones + dipole", "charge",
                                               "Lennard-Jones + charge"};

const char *ph_ceiling_name(enum ph_ceiling ceiling) { return names[ceiling]; }

enum { ROW = 128, SWEEPS = 256 };

/* Twelve rows of 1 kB, each somewhat longer so that they do not fall on the same lines of the cache */
struct row {
    PH_ALIGNED double r[3][ROW + 8], mu[3][ROW + 8], force[3][ROW + 8], field[3][ROW + 8];
};

struct molecule {
    double r[3], mu[3], force[3], field[3];
};

/* What i gets from j: force, and field at its dipole; and the field at the dipole of j */
struct push {
    double fx, fy, fz, ex, ey, ez, hx, hy, hz;
};

PH_INLINE struct push pair(enum ph_ceiling kind, const struct row *j, size_t k, const struct molecule *i)
{
    struct push p = {0};
    const double x = i->r[0] - j->r[0][k], y = i->r[1] - j->r[1][k], z = i->r[2] - j->r[2][k];
    const double r2 = ph_fma(x, x, ph_fma(y, y, z * z));
    const double inv_r = kind == PH_CEILING_LENNARD_JONES ? 0.0 : ph_inverse_sqrt_refine(r2, ph_inverse_guess(r2));
    const double inv_r2 = kind == PH_CEILING_LENNARD_JONES ? 1.0 / r2 : inv_r * inv_r, plain = inv_r2 * inv_r;
    const double s6 = inv_r2 * inv_r2 * inv_r2;
    double along = kind == PH_CEILING_CHARGE ? 0.0 : 24.0 * inv_r2 * s6 * ph_fma(2.0, s6, -1.0);
    if (kind == PH_CEILING_CHARGE || kind == PH_CEILING_LENNARD_JONES_CHARGE)
        along += 0.7 * (plain - 0.01);
    if (kind != PH_CEILING_LENNARD_JONES_DIPOLE) {
        p.fx = along * x;
        p.fy = along * y;
        p.fz = along * z;
        return p;
    }
    const double ux = i->mu[0], uy = i->mu[1], uz = i->mu[2], vx = j->mu[0][k], vy = j->mu[1][k], vz = j->mu[2][k];
    const double di = ph_fma(ux, x, ph_fma(uy, y, uz * z)), dj = ph_fma(vx, x, ph_fma(vy, y, vz * z));
    const double cij = ph_fma(ux, vx, ph_fma(uy, vy, uz * vz)), three = 3.0 * plain * inv_r2;
    const double with_i = three * dj, with_j = three * di;
    along = ph_fma(three, ph_fma(-5.0, di * dj * inv_r2, cij), along);
    p.fx = ph_fma(with_j, vx, ph_fma(with_i, ux, along * x));
    p.fy = ph_fma(with_j, vy, ph_fma(with_i, uy, along * y));
    p.fz = ph_fma(with_j, vz, ph_fma(with_i, uz, along * z));
    p.ex = ph_fma(-plain, vx, with_i * x);
    p.ey = ph_fma(-plain, vy, with_i * y);
    p.ez = ph_fma(-plain, vz, with_i * z);
    p.hx = ph_fma(-plain, ux, with_j * x);
    p.hy = ph_fma(-plain, uy, with_j * y);
    p.hz = ph_fma(-plain, uz, with_j * z);
    return p;
}

PH_INLINE void add(enum ph_ceiling kind, const struct push *p, struct row *j, size_t k)
{
    j->force[0][k] -= p->fx;
    j->force[1][k] -= p->fy;
    j->force[2][k] -= p->fz;
    if (kind == PH_CEILING_LENNARD_JONES_DIPOLE) {
        j->field[0][k] += p->hx;
        j->field[1][k] += p->hy;
        j->field[2][k] += p->hz;
    }
}

/* Of the streams that there are */
PH_INLINE double sum(size_t streams, double p, double q, double s, double t)
{
    return streams > 2 ? (p + q) + (s + t) : streams > 1 ? p + q : p;
}

/* `streams` independent parts of the row, computed side by side */
PH_INLINE void sweep(enum ph_ceiling kind, size_t streams, struct row *restrict j, struct molecule *restrict i)
{
    const struct molecule a = *i;
    const size_t part = ROW / streams;
    double fx = 0.0, fy = 0.0, fz = 0.0, ex = 0.0, ey = 0.0, ez = 0.0;
#pragma omp simd reduction(+ : fx, fy, fz, ex, ey, ez)
    for (size_t k = 0; k < part; ++k) {
        const struct push p = pair(kind, j, k, &a), q = streams > 1 ? pair(kind, j, k + part, &a) : p;
        const struct push s = streams > 2 ? pair(kind, j, k + 2 * part, &a) : p;
        const struct push t = streams > 2 ? pair(kind, j, k + 3 * part, &a) : p;
        add(kind, &p, j, k);
        if (streams > 1)
            add(kind, &q, j, k + part);
        if (streams > 2) {
            add(kind, &s, j, k + 2 * part);
            add(kind, &t, j, k + 3 * part);
        }
        fx += sum(streams, p.fx, q.fx, s.fx, t.fx);
        fy += sum(streams, p.fy, q.fy, s.fy, t.fy);
        fz += sum(streams, p.fz, q.fz, s.fz, t.fz);
        ex += sum(streams, p.ex, q.ex, s.ex, t.ex);
        ey += sum(streams, p.ey, q.ey, s.ey, t.ey);
        ez += sum(streams, p.ez, q.ez, s.ez, t.ez);
    }
    i->force[0] += fx;
    i->force[1] += fy;
    i->force[2] += fz;
    i->field[0] += ex;
    i->field[1] += ey;
    i->field[2] += ez;
}

typedef void sweep_function(struct row *restrict j, struct molecule *restrict i);

#define SWEEP(name, kind, streams)                                                                                     \
    static __attribute__((noinline)) void name(struct row *restrict j, struct molecule *restrict i)                    \
    {                                                                                                                  \
        sweep(kind, streams, j, i);                                                                                    \
    }
SWEEP(lj_1, PH_CEILING_LENNARD_JONES, 1)
SWEEP(lj_2, PH_CEILING_LENNARD_JONES, 2)
SWEEP(lj_4, PH_CEILING_LENNARD_JONES, 4)
SWEEP(dipole_1, PH_CEILING_LENNARD_JONES_DIPOLE, 1)
SWEEP(dipole_2, PH_CEILING_LENNARD_JONES_DIPOLE, 2)
SWEEP(dipole_4, PH_CEILING_LENNARD_JONES_DIPOLE, 4)
SWEEP(charge_1, PH_CEILING_CHARGE, 1)
SWEEP(charge_2, PH_CEILING_CHARGE, 2)
SWEEP(charge_4, PH_CEILING_CHARGE, 4)
SWEEP(both_1, PH_CEILING_LENNARD_JONES_CHARGE, 1)
SWEEP(both_2, PH_CEILING_LENNARD_JONES_CHARGE, 2)
SWEEP(both_4, PH_CEILING_LENNARD_JONES_CHARGE, 4)

enum { WIDTHS = 3 };
static sweep_function *const sweeps[PH_CEILINGS][WIDTHS] = {
    [PH_CEILING_LENNARD_JONES] = {lj_1, lj_2, lj_4},
    [PH_CEILING_LENNARD_JONES_DIPOLE] = {dipole_1, dipole_2, dipole_4},
    [PH_CEILING_CHARGE] = {charge_1, charge_2, charge_4},
    [PH_CEILING_LENNARD_JONES_CHARGE] = {both_1, both_2, both_4},
};

double ph_ceiling_seconds(enum ph_ceiling ceiling)
{
    static struct row row; /* its numbers do not matter as long as nothing overflows */
    struct molecule i = {.r = {0.0}, .mu = {1.0, 1.0, 1.0}};
    for (size_t k = 0; k < ROW; ++k)
        for (size_t a = 0; a < 3; ++a) {
            row.r[a][k] = 1.0 + 2.0 * ph_states_uniform(7, 3 * k + a);
            row.mu[a][k] = ph_states_normal(8, 3 * k + a);
            row.force[a][k] = row.field[a][k] = 0.0;
        }
    double best = HUGE_VAL;
    for (size_t width = 0; width < WIDTHS; ++width) {
        sweeps[ceiling][width](&row, &i);
        const struct ph_stopwatch watch = ph_stopwatch_start(1);
        for (int n = 0; n < SWEEPS; ++n)
            sweeps[ceiling][width](&row, &i);
        best = fmin(best, ph_stopwatch_read(&watch) / (SWEEPS * ROW));
    }
    return best;
}

/* ---- Moving data ---- */

enum { MOVED = 64, FIELDS_MAX = 24 };

/* Records and rows that fit into the first-level cache together */
struct moved {
    PH_ALIGNED double record[MOVED * FIELDS_MAX], row[FIELDS_MAX][PH_KERNEL_ROW];
    uint16_t list[MOVED];
};

static double time_moves(size_t n_fields, bool back)
{
    static struct moved moved;
    const size_t wanted = n_fields < FIELDS_MAX ? n_fields : FIELDS_MAX, step = (wanted + 1) / 2 * 2;
    for (size_t k = 0; k < MOVED; ++k)
        moved.list[k] = (uint16_t)k;
    memset(moved.record, 0, sizeof moved.record);
    memset(moved.row, 0, sizeof moved.row);
    const struct ph_stopwatch watch = ph_stopwatch_start(1);
    for (int n = 0; n < SWEEPS; ++n) {
        if (back)
            PH_FOR_FIELDS(
                wanted, ph_scatter_fields(moved.record, step, FIELDS, moved.list, sizeof *moved.list, MOVED, moved.row))
        else
            PH_FOR_FIELDS(
                wanted, ph_gather_fields(moved.record, step, FIELDS, moved.list, sizeof *moved.list, MOVED, moved.row))
        __asm__ volatile("" : : "r"(&moved) : "memory"); /* the rows are wanted each time */
    }
    return ph_stopwatch_read(&watch) / (SWEEPS * MOVED) * (double)n_fields / (double)wanted;
}

double ph_ceiling_gather(size_t n_fields) { return time_moves(n_fields, false); }
double ph_ceiling_scatter(size_t n_fields) { return time_moves(n_fields, true); }

double ph_ceiling_byte(void)
{
    enum { BLOCK = 1 << 18, COPIES = 16 };
    static char from[BLOCK], to[BLOCK];
    const struct ph_stopwatch watch = ph_stopwatch_start(1);
    for (int n = 0; n < COPIES; ++n) {
        memcpy(to, from, BLOCK);
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    return ph_stopwatch_read(&watch) / (2.0 * COPIES * BLOCK);
}
