/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_ANGULAR_TEMPLATE_H
#define PH_FORCE_PAIRS_KERNELS_ANGULAR_TEMPLATE_H

/* Forces and energies of angular forms, around the loop over a formula, and the rates of these forces.
 *
 * With d = r_j - r_i, n = d/r and u(r, p, q, c), where p = a.n, q = b.n and c = a.b:
 *   du/dd = A d + sum P a + sum Q b,  P = u_p/r,  Q = u_q/r,  A = [u_r - (sum u_p p + sum u_q q)/r]/r
 *   -du/da = -(P d + sum u_c b),  -du/db = -(Q d + sum u_c a)
 * A truncated form is S(r) u. Where S is 0 there is nothing, whatever u is. */

#include "force/pairs/kernels/angular/angular_kernel.h"

#include "force/pairs/kernels/derivative/derivative_kernel.h"
#include "force/pairs/kernels/distance.h"

#include <stdint.h>

typedef double row[PH_ANGULAR_BLOCK];

/* Results of one loop for the next; `rate` has those of the derivative */
struct work {
    PH_ALIGNED row d[3], v[3]; /* from i to j, and its rate */
    PH_ALIGNED row inv_r, s, ds, bend;
    PH_ALIGNED row a, over_r[2 * PH_AXES_MAX];           /* A, and P and Q */
    PH_ALIGNED row a_rate, over_r_rate[2 * PH_AXES_MAX]; /* their rates */
    struct ph_angular_rows rows, rates;
};

/* Partial sums of molecule i, see base/lanes.h */
struct sums {
    double force[3][PH_LANES], field[PH_AXES_MAX][3][PH_LANES], energy[PH_LANES];
};

/* What a form has of sites i and j, constants of every loop: the numbers of axes, and whether it depends on a.b. So
 * loops over axes disappear. */
struct axes {
    size_t i, j;
    bool crossed;
};

/* In place of loops over axes, where clang would not vectorise the loop around them */
#define EACH(n, WHAT)                                                                                                  \
    if ((n) > 0)                                                                                                       \
        WHAT(0);                                                                                                       \
    if ((n) > 1) {                                                                                                     \
        WHAT(1);                                                                                                       \
        WHAT(2);                                                                                                       \
    }
#define EACH_CROSS(of, WHAT)                                                                                           \
    if ((of).crossed && (of).i > 0 && (of).j > 0)                                                                      \
        WHAT(0, 0);                                                                                                    \
    if ((of).crossed && (of).i > 0 && (of).j > 1) {                                                                    \
        WHAT(0, 1);                                                                                                    \
        WHAT(0, 2);                                                                                                    \
    }                                                                                                                  \
    if ((of).crossed && (of).i > 1 && (of).j > 0) {                                                                    \
        WHAT(1, 0);                                                                                                    \
        WHAT(2, 0);                                                                                                    \
    }                                                                                                                  \
    if ((of).crossed && (of).i > 1 && (of).j > 1) {                                                                    \
        WHAT(1, 1);                                                                                                    \
        WHAT(1, 2);                                                                                                    \
        WHAT(2, 1);                                                                                                    \
        WHAT(2, 2);                                                                                                    \
    }

PH_INLINE double dot(double ax, double ay, double az, double bx, double by, double bz)
{
    return ph_fma(ax, bx, ph_fma(ay, by, az * bz));
}

/* Sticky dipoles, the only such form, end by themselves: there u and its slopes are 0. So sites that are not seen are
 * put out of sight, and nothing is left to be truncated. */
PH_INLINE bool ends_alone(struct axes of) { return of.i == 3 && of.j == 3 && !of.crossed; }

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

/* Adds forces on sites j, along direction x of space, and fields at their axes; and the sums of i. With coefficients,
 * vectors and slopes; of the derivative, once with rates of the coefficients, and once with rates of the vectors. */
PH_INLINE void apply(struct axes of, size_t x, size_t from, size_t n, const double *restrict a,
                     const row *restrict over_r, const row *restrict slope, const double *restrict d,
                     double (*axis_i)[3], const double *const (*axis_j)[3], const struct ph_angular_j *j,
                     struct sums *sums)
{
    double *restrict force = j->force[x] + from, *field[PH_AXES_MAX];
    double sum[PH_LANES], sum_field[PH_AXES_MAX][PH_LANES], mine[PH_AXES_MAX];
    const double *its[PH_AXES_MAX];
    memcpy(sum, sums->force[x], sizeof sum);
    for (size_t m = 0; m < of.i; ++m) {
        mine[m] = axis_i[m][x];
        memcpy(sum_field[m], sums->field[m][x], sizeof sum);
    }
    for (size_t m = 0; m < of.j; ++m) {
        its[m] = axis_j[m][x] + from;
        field[m] = j->field[m][x] + from;
    }
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t k = first + l;
            double f = -(a[k] * d[k]);
            for (size_t m = 0; m < of.i; ++m)
                f = ph_fma(-over_r[m][k], mine[m], f);
            for (size_t m = 0; m < of.j; ++m)
                f = ph_fma(-over_r[of.i + m][k], its[m][k], f);
            force[k] += f;
            sum[l] -= f;
#define FIELD(m)                                                                                                       \
    do {                                                                                                               \
        double e = -(over_r[m][k] * d[k]);                                                                             \
        for (size_t b = 0; b < of.j && of.crossed; ++b)                                                                \
            e = ph_fma(-slope[ph_scalar_c(of.i, of.j, m, b)][k], its[b][k], e);                                        \
        sum_field[m][l] += e;                                                                                          \
    } while (0)
            EACH(of.i, FIELD)
#undef FIELD
#define FIELD(m)                                                                                                       \
    do {                                                                                                               \
        double e = ph_fma(-over_r[of.i + (m)][k], d[k], field[m][k]);                                                  \
        for (size_t b = 0; b < of.i && of.crossed; ++b)                                                                \
            e = ph_fma(-slope[ph_scalar_c(of.i, of.j, b, m)][k], mine[b], e);                                          \
        field[m][k] = e;                                                                                               \
    } while (0)
            EACH(of.j, FIELD)
#undef FIELD
        }
    }
    memcpy(sums->force[x], sum, sizeof sum);
    for (size_t m = 0; m < of.i; ++m)
        memcpy(sums->field[m][x], sum_field[m], sizeof sum);
}

/* So few axes that all of a pair, from its slopes to forces, stays in registers. Of narrow vectors there are too many
 * under way for that. */
PH_INLINE bool is_short(struct axes of) { return !PH_NARROW && of.i <= 1 && of.j <= 1; }

/* truncate_form, find_coefficients and apply, with the same operations, in one loop; and the sum of energies. `whole`:
 * S is 1 wherever there is a site. */
PH_INLINE void apply_short(struct axes of, bool whole, size_t from, size_t n, const struct work *w,
                           const struct ph_angular_i *i, const struct ph_angular_j *j, struct sums *sums)
{
    const struct ph_angular_rows *rows = &w->rows;
    const size_t p_row = ph_scalar_p(0), q_row = ph_scalar_q(of.i, 0), c_row = ph_scalar_c(of.i, of.j, 0, 0);
    const bool crossed = of.i == 1 && of.j == 1;
    const double *restrict s = w->s, *restrict ds = w->ds, *restrict inv_r = w->inv_r, *restrict u = rows->u;
    const double *restrict along_r = rows->slope[0], *restrict along_p = rows->slope[of.i ? p_row : 0];
    const double *restrict along_q = rows->slope[of.j ? q_row : 0], *restrict along_c =
                                                                        rows->slope[crossed ? c_row : 0];
    const double *restrict p = rows->scalar[of.i ? p_row : 0], *restrict q = rows->scalar[of.j ? q_row : 0];
    const double *restrict rx = j->r[0] + from, *restrict ry = j->r[1] + from, *restrict rz = j->r[2] + from;
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2];
    const double *restrict bx = of.j ? j->axis[0][0] + from : rx, *restrict by = of.j ? j->axis[0][1] + from : ry;
    const double *restrict bz = of.j ? j->axis[0][2] + from : rz;
    double *restrict fx = j->force[0] + from, *restrict fy = j->force[1] + from, *restrict fz = j->force[2] + from;
    double *restrict hx = of.j ? j->field[0][0] + from : fx, *restrict hy = of.j ? j->field[0][1] + from : fy;
    double *restrict hz = of.j ? j->field[0][2] + from : fz;
    const double ax = of.i ? i->axis[0][0] : 0.0, ay = of.i ? i->axis[0][1] : 0.0, az = of.i ? i->axis[0][2] : 0.0;
    double force[3][PH_LANES], field[3][PH_LANES], energy[PH_LANES];
    memcpy(force, sums->force, sizeof force);
    if (of.i > 0)
        memcpy(field, sums->field[0], sizeof field);
    memcpy(energy, sums->energy, sizeof energy);
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t k = first + l;
            const bool seen = (whole ? inv_r[k] : s[k]) != 0.0;
            const double x = rx[k] - ix, y = ry[k] - iy, z = rz[k] - iz, part = whole ? 1.0 : s[k];
            const double slope = whole ? along_r[k] : ph_fma(s[k], along_r[k], ds[k] * u[k]);
            double a = seen ? slope : 0.0, of_p = 0.0, of_q = 0.0, of_c = 0.0;
            if (of.i > 0) {
                of_p = (seen ? part * along_p[k] : 0.0) * inv_r[k];
                a = ph_fma(-of_p, p[k], a);
            }
            if (of.j > 0) {
                of_q = (seen ? part * along_q[k] : 0.0) * inv_r[k];
                a = ph_fma(-of_q, q[k], a);
            }
            if (crossed)
                of_c = seen ? part * along_c[k] : 0.0;
            a *= inv_r[k];
            energy[l] += seen ? part * u[k] : 0.0;
#define ALONG(axis, d, mine, its, on_j, at_j)                                                                          \
    do {                                                                                                               \
        double f = -(a * (d));                                                                                         \
        if (of.i > 0)                                                                                                  \
            f = ph_fma(-of_p, mine, f);                                                                                \
        if (of.j > 0)                                                                                                  \
            f = ph_fma(-of_q, its[k], f);                                                                              \
        on_j[k] += f;                                                                                                  \
        force[axis][l] -= f;                                                                                           \
        if (of.i > 0)                                                                                                  \
            field[axis][l] += crossed ? ph_fma(-of_c, its[k], -(of_p * (d))) : -(of_p * (d));                          \
        if (of.j > 0) {                                                                                                \
            const double e = ph_fma(-of_q, d, at_j[k]);                                                                \
            at_j[k] = crossed ? ph_fma(-of_c, mine, e) : e;                                                            \
        }                                                                                                              \
    } while (0)
            ALONG(0, x, ax, bx, fx, hx);
            ALONG(1, y, ay, by, fy, hy);
            ALONG(2, z, az, bz, fz, hz);
#undef ALONG
        }
    }
    memcpy(sums->force, force, sizeof force);
    if (of.i > 0)
        memcpy(sums->field[0], field, sizeof field);
    memcpy(sums->energy, energy, sizeof energy);
}

/* find_coefficients and apply, with the same operations, for all directions of space at once; and the sum of energies.
 * Two bodies with three axes each that do not depend on a.b */
PH_INLINE void apply_apart(size_t from, size_t n, const struct work *w, const struct ph_angular_i *i,
                           const struct ph_angular_j *j, struct sums *sums)
{
    const row *restrict slope = w->rows.slope, *restrict scalar = w->rows.scalar;
    struct sums s = *sums;
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t k = first + l;
            const double inv_r = w->inv_r[k];
#define OVER_R(m) slope[m][k] * inv_r
            const double p0 = OVER_R(1), p1 = OVER_R(2), p2 = OVER_R(3);
            const double q0 = OVER_R(4), q1 = OVER_R(5), q2 = OVER_R(6);
#undef OVER_R
            double a = ph_fma(-p1, scalar[2][k], ph_fma(-p0, scalar[1][k], slope[0][k]));
            a = ph_fma(-q0, scalar[4][k], ph_fma(-p2, scalar[3][k], a));
            a = ph_fma(-q2, scalar[6][k], ph_fma(-q1, scalar[5][k], a)) * inv_r;
            s.energy[l] += w->rows.u[k];
#define ALONG(x)                                                                                                       \
    do {                                                                                                               \
        const double d = w->d[x][k];                                                                                   \
        double f = ph_fma(-p1, i->axis[1][x], ph_fma(-p0, i->axis[0][x], -(a * d)));                                   \
        f = ph_fma(-q0, j->axis[0][x][from + k], ph_fma(-p2, i->axis[2][x], f));                                       \
        f = ph_fma(-q2, j->axis[2][x][from + k], ph_fma(-q1, j->axis[1][x][from + k], f));                             \
        j->force[x][from + k] += f;                                                                                    \
        s.force[x][l] -= f;                                                                                            \
        s.field[0][x][l] -= p0 * d;                                                                                    \
        s.field[1][x][l] -= p1 * d;                                                                                    \
        s.field[2][x][l] -= p2 * d;                                                                                    \
        j->field[0][x][from + k] = ph_fma(-q0, d, j->field[0][x][from + k]);                                           \
        j->field[1][x][from + k] = ph_fma(-q1, d, j->field[1][x][from + k]);                                           \
        j->field[2][x][from + k] = ph_fma(-q2, d, j->field[2][x][from + k]);                                           \
    } while (0)
            ALONG(0);
            ALONG(1);
            ALONG(2);
#undef ALONG
        }
    }
    *sums = s;
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
