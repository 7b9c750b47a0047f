/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_ANGULAR_APPLY_H
#define PH_FORCE_PAIRS_KERNELS_ANGULAR_APPLY_H

/* The last step of a block of pairs (angular_template.h): from slopes of u to forces and fields of both sites. */

#include "force/pairs/kernels/angular/angular_kernel.h"

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

/* Sticky dipoles, the only such form, end by themselves: there u and its slopes are 0. So sites that are not seen are
 * put out of sight, and nothing is left to be truncated. */
PH_INLINE bool ends_alone(struct axes of) { return of.i == 3 && of.j == 3 && !of.crossed; }

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

#endif
