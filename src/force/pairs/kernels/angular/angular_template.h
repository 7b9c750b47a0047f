/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_ANGULAR_TEMPLATE_H
#define PH_FORCE_PAIRS_KERNELS_ANGULAR_TEMPLATE_H

/* Forces and energies of angular forms, around the loop over a formula, and the rates of these forces.
 *
 * With d = r_j - r_i, n = d/r and u(r, p, q, c), where p = a.n, q = b.n and c = a.b:
 *   du/dd = A d + sum P a + sum Q b,  P = u_p/r,  Q = u_q/r,  A = [u_r - (sum u_p p + sum u_q q)/r]/r
 *   -du/da = -(P d + sum u_c b),  -du/db = -(Q d + sum u_c a)
 * A truncated form is S(r) u. Where S is 0 there is nothing, whatever u is. */

#include "force/pairs/kernels/angular/angular_apply.h"

#include "force/pairs/kernels/derivative/derivative_kernel.h"
#include "force/pairs/kernels/distance.h"

#include <stdint.h>

PH_INLINE double dot(double ax, double ay, double az, double bx, double by, double bz)
{
    return ph_fma(ax, bx, ph_fma(ay, by, az * bz));
}

PH_INLINE size_t count_slopes(struct axes of)
{
    return of.crossed ? ph_scalar_count(of.i, of.j) : ph_scalar_c(of.i, of.j, 0, 0);
}

/* Distances and the other scalars, and whether a pair is seen; and `keeps` the vectors */
PH_INLINE void find_scalars(struct axes of, bool keeps, double cut2, size_t from, size_t n,
                            const struct ph_angular_j *j, const struct ph_angular_i *i, struct work *w)
{
    const double *r[3], *b[PH_AXES_MAX][3];
    double mine[3], a[PH_AXES_MAX][3];
    for (size_t x = 0; x < 3; ++x) {
        r[x] = j->r[x] + from;
        mine[x] = i->r[x];
        for (size_t m = 0; m < of.i; ++m)
            a[m][x] = i->axis[m][x];
        for (size_t m = 0; m < of.j; ++m)
            b[m][x] = j->axis[m][x] + from;
    }
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        const double x = r[0][l] - mine[0], y = r[1][l] - mine[1], z = r[2][l] - mine[2];
        const double r2 = dot(x, y, z, x, y, z), inv_r = ph_inverse_distance(PH_ENDLESS, cut2, r2);
        if (keeps) {
            w->d[0][l] = x;
            w->d[1][l] = y;
            w->d[2][l] = z;
        }
        w->inv_r[l] = inv_r;
        const bool hidden = r2 >= cut2 || inv_r == 0.0; /* NaN is seen, so that it shows */
        w->rows.scalar[0][l] = ends_alone(of) && hidden ? PH_OUT_OF_SIGHT : r2 * inv_r;
        w->s[l] = hidden ? 0.0 : 1.0;
#define P(m) w->rows.scalar[ph_scalar_p(m)][l] = dot(a[m][0], a[m][1], a[m][2], x, y, z) * inv_r
#define Q(m) w->rows.scalar[ph_scalar_q(of.i, m)][l] = dot(b[m][0][l], b[m][1][l], b[m][2][l], x, y, z) * inv_r
#define C(m, k)                                                                                                        \
    w->rows.scalar[ph_scalar_c(of.i, of.j, m, k)][l] =                                                                 \
        dot(a[m][0], a[m][1], a[m][2], b[k][0][l], b[k][1][l], b[k][2][l])
        EACH(of.i, P)
        EACH(of.j, Q)
        EACH_CROSS(of, C)
#undef P
#undef Q
#undef C
    }
}

/* S and its derivatives, of pairs that are seen without it. Returns false if no pair of the block is seen. */
static bool find_switch(enum ph_truncate truncate, const struct ph_pair_term *t, bool rates, size_t n, struct work *w)
{
    const double *restrict r = w->rows.scalar[0];
    if (truncate == PH_SWITCHED && !rates)
        ph_switch_row(t, n, r, w->s, w->ds);
    if (truncate == PH_SWITCHED && rates) {
        memcpy(w->s, r, n * sizeof(double));
        ph_switch_bend_row(t, n, w->inv_r, w->s, w->ds, w->bend);
        PH_SIMD
        for (size_t l = 0; l < n; ++l) { /* from S'/r and (S'' - S'/r)/r^2 to S' and S'' */
            w->bend[l] = ph_fma(w->bend[l] * r[l], r[l], w->ds[l]);
            w->ds[l] *= r[l];
        }
    }
    if (truncate != PH_SWITCHED)
        memset(w->ds, 0, n * sizeof(double));
    if (truncate != PH_SWITCHED && rates)
        memset(w->bend, 0, n * sizeof(double));
    if (truncate == PH_INSIDE)
        return true;
    double seen[PH_LANES] = {0.0};
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l)
            seen[l] += w->s[first + l] != 0.0 ? 1.0 : 0.0;
    }
    return ph_add_up(seen) > 0.0;
}

/* u becomes S u. */
PH_INLINE void truncate_form(struct axes of, size_t n, struct work *w)
{
    double *restrict u = w->rows.u;
    const double *restrict s = w->s, *restrict ds = w->ds;
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        const double value = ph_fma(s[l], w->rows.slope[0][l], ds[l] * u[l]);
        w->rows.slope[0][l] = s[l] == 0.0 ? 0.0 : value;
        for (size_t m = 1; m < count_slopes(of); ++m)
            w->rows.slope[m][l] = s[l] == 0.0 ? 0.0 : s[l] * w->rows.slope[m][l];
        u[l] = s[l] == 0.0 ? 0.0 : s[l] * u[l];
    }
}

/* A, P and Q */
PH_INLINE void find_coefficients(struct axes of, size_t n, struct work *w)
{
    const double *restrict inv_r = w->inv_r;
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        double a = w->rows.slope[0][l];
        for (size_t m = 0; m < of.i + of.j; ++m) {
            const double over_r = w->rows.slope[1 + m][l] * inv_r[l];
            w->over_r[m][l] = over_r;
            a = ph_fma(-over_r, w->rows.scalar[1 + m][l], a);
        }
        w->a[l] = a * inv_r[l];
    }
}

static void start(const struct ph_angular_term *term, struct sums *sums)
{
    memset(sums->energy, 0, sizeof sums->energy);
    memset(sums->force, 0, sizeof sums->force);
    for (size_t m = 0; m < term->n_i; ++m)
        memset(sums->field[m], 0, sizeof sums->field[m]);
}

static void finish(const struct ph_angular_term *term, const struct sums *sums, struct ph_angular_i *i)
{
    for (size_t x = 0; x < 3; ++x) {
        i->force[x] += ph_add_up(sums->force[x]);
        for (size_t m = 0; m < term->n_i; ++m)
            i->field[m][x] += ph_add_up(sums->field[m][x]);
    }
    i->energy += ph_add_up(sums->energy);
}

/* Beyond the cutoff is nothing, but switches go to 0 by themselves. */
static double cut2_of(enum ph_truncate truncate, const struct ph_pair_term *truncation)
{
    return truncate == PH_CUT || truncate == PH_SHIFTED ? truncation->cut2 : (double)INFINITY;
}

/* One block of at most PH_ANGULAR_BLOCK pairs, from place `from` on */
PH_INLINE void forces_of_block(struct axes of, const struct ph_angular_term *term, enum ph_truncate truncate,
                               const struct ph_pair_term *truncation, size_t from, size_t n,
                               const struct ph_angular_j *j, struct ph_angular_i *i, struct sums *sums)
{
    struct work w;
    find_scalars(of, !is_short(of), cut2_of(truncate, truncation), from, n, j, i, &w);
    if (!ends_alone(of) && !find_switch(truncate, truncation, false, n, &w))
        return;
    ph_angular_row(term, truncation, n, w.inv_r, &w.rows, NULL);
    if (is_short(of) && truncate == PH_INSIDE) {
        apply_short(of, true, from, n, &w, i, j, sums);
        return;
    }
    if (is_short(of)) {
        apply_short(of, false, from, n, &w, i, j, sums);
        return;
    }
    if (ends_alone(of)) {
        apply_apart(from, n, &w, i, j, sums);
        return;
    }
    truncate_form(of, n, &w);
    find_coefficients(of, n, &w);
    for (size_t x = 0; x < 3; ++x)
        apply(of, x, from, n, w.a, (const row *)w.over_r, (const row *)w.rows.slope, w.d[x], i->axis, j->axis, j, sums);
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l)
            sums->energy[l] += w.rows.u[first + l];
    }
}

/* ---- Rates ---- */

/* The rate of p = a.n from a'.d, a.v, p and r' */
PH_INLINE double cosine_rate(double turns, double moves, double p, double along, double inv_r)
{
    return turns * inv_r + ph_fma(-p * along, inv_r, moves * inv_r);
}

/* Rates of a pair: r' = n.v,  p' = a'.n + (a.v - p r')/r,  c' = a'.b + a.b' */
PH_INLINE void find_scalar_rates(struct axes of, size_t from, size_t n, const struct ph_angular_j *j,
                                 const struct ph_angular_i *i, struct work *w)
{
    const double *r[3], *b[PH_AXES_MAX][3], *b_rate[PH_AXES_MAX][3];
    double mine[3], a[PH_AXES_MAX][3], a_rate[PH_AXES_MAX][3];
    for (size_t x = 0; x < 3; ++x) {
        r[x] = j->r_rate[x] + from;
        mine[x] = i->r_rate[x];
        for (size_t m = 0; m < of.i; ++m) {
            a[m][x] = i->axis[m][x];
            a_rate[m][x] = i->axis_rate[m][x];
        }
        for (size_t m = 0; m < of.j; ++m) {
            b[m][x] = j->axis[m][x] + from;
            b_rate[m][x] = j->axis_rate[m][x] + from;
        }
    }
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        const double x = w->d[0][l], y = w->d[1][l], z = w->d[2][l], inv_r = w->inv_r[l];
        const double vx = r[0][l] - mine[0], vy = r[1][l] - mine[1], vz = r[2][l] - mine[2];
        const double along = dot(vx, vy, vz, x, y, z) * inv_r;
        w->v[0][l] = vx;
        w->v[1][l] = vy;
        w->v[2][l] = vz;
        w->rates.scalar[0][l] = along;
#define P(m)                                                                                                           \
    w->rates.scalar[ph_scalar_p(m)][l] =                                                                               \
        cosine_rate(dot(a_rate[m][0], a_rate[m][1], a_rate[m][2], x, y, z),                                            \
                    dot(a[m][0], a[m][1], a[m][2], vx, vy, vz), w->rows.scalar[ph_scalar_p(m)][l], along, inv_r)
#define Q(m)                                                                                                           \
    w->rates.scalar[ph_scalar_q(of.i, m)][l] = cosine_rate(                                                            \
        dot(b_rate[m][0][l], b_rate[m][1][l], b_rate[m][2][l], x, y, z),                                               \
        dot(b[m][0][l], b[m][1][l], b[m][2][l], vx, vy, vz), w->rows.scalar[ph_scalar_q(of.i, m)][l], along, inv_r)
#define C(m, k)                                                                                                        \
    w->rates.scalar[ph_scalar_c(of.i, of.j, m, k)][l] =                                                                \
        dot(a_rate[m][0], a_rate[m][1], a_rate[m][2], b[k][0][l], b[k][1][l], b[k][2][l]) +                            \
        dot(a[m][0], a[m][1], a[m][2], b_rate[k][0][l], b_rate[k][1][l], b_rate[k][2][l])
        EACH(of.i, P)
        EACH(of.j, Q)
        EACH_CROSS(of, C)
#undef P
#undef Q
#undef C
    }
}

/* Slopes become those of S u, and their rates likewise; u is left as it is. */
PH_INLINE void truncate_rates(struct axes of, size_t n, struct work *w)
{
    const double *restrict u = w->rows.u, *restrict u_rate = w->rates.u, *restrict along = w->rates.scalar[0];
    const double *restrict s = w->s, *restrict ds = w->ds, *restrict bend = w->bend;
    for (size_t m = 0; m < count_slopes(of); ++m) {
        double *restrict slope = w->rows.slope[m], *restrict rate = w->rates.slope[m];
        PH_SIMD
        for (size_t l = 0; l < n; ++l) {
            const double s_rate = ds[l] * along[l];
            double value = s[l] * slope[l], value_rate = ph_fma(s[l], rate[l], s_rate * slope[l]);
            if (m == 0) {
                value = ph_fma(ds[l], u[l], value);
                value_rate += ph_fma(bend[l] * along[l], u[l], ds[l] * u_rate[l]);
            }
            slope[l] = s[l] == 0.0 ? 0.0 : value;
            rate[l] = s[l] == 0.0 ? 0.0 : value_rate;
        }
    }
}

/* Rates of A, P and Q, after these: P' = (u_p' - P r')/r, A' = [u_r' - sum (P' p + P p')]/r - A r'/r */
PH_INLINE void find_coefficient_rates(struct axes of, size_t n, struct work *w)
{
    const double *restrict inv_r = w->inv_r, *restrict along = w->rates.scalar[0];
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        double a_rate = w->rates.slope[0][l];
        for (size_t m = 0; m < of.i + of.j; ++m) {
            const double over_r = w->over_r[m][l];
            const double rate = ph_fma(-over_r, along[l], w->rates.slope[1 + m][l]) * inv_r[l];
            w->over_r_rate[m][l] = rate;
            a_rate -= ph_fma(rate, w->rows.scalar[1 + m][l], over_r * w->rates.scalar[1 + m][l]);
        }
        w->a_rate[l] = ph_fma(-w->a[l], along[l], a_rate) * inv_r[l];
    }
}

PH_INLINE void rates_of_block(struct axes of, const struct ph_angular_term *term, enum ph_truncate truncate,
                              const struct ph_pair_term *truncation, size_t from, size_t n,
                              const struct ph_angular_j *j, struct ph_angular_i *i, struct sums *sums)
{
    struct work w;
    find_scalars(of, true, cut2_of(truncate, truncation), from, n, j, i, &w);
    if (!find_switch(truncate, truncation, true, n, &w))
        return;
    find_scalar_rates(of, from, n, j, i, &w);
    ph_angular_row(term, truncation, n, w.inv_r, &w.rows, &w.rates);
    truncate_rates(of, n, &w);
    find_coefficients(of, n, &w);
    find_coefficient_rates(of, n, &w);
    for (size_t x = 0; x < 3; ++x) {
        apply(of, x, from, n, w.a_rate, (const row *)w.over_r_rate, (const row *)w.rates.slope, w.d[x], i->axis,
              j->axis, j, sums);
        apply(of, x, from, n, w.a, (const row *)w.over_r, (const row *)w.rows.slope, w.v[x], i->axis_rate, j->axis_rate,
              j, sums);
    }
}

#endif
