/* SPDX-License-Identifier: MIT */
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
    PH_ALIGNED row r, inv_r, s, ds, bend;
    PH_ALIGNED row a, over_r[2 * PH_AXES_MAX];           /* A, and P and Q */
    PH_ALIGNED row a_rate, over_r_rate[2 * PH_AXES_MAX]; /* their rates */
    struct ph_angular_rows rows, rates;
};

/* Partial sums of molecule i, see base/lanes.h */
struct sums {
    double force[3][PH_LANES], field[PH_AXES_MAX][3][PH_LANES], energy[PH_LANES];
};

/* Distances, and S with its derivatives. Returns whether any pair of the block is seen. */
static bool find_distances(enum ph_truncate truncate, const struct ph_pair_term *t, bool rates, size_t from, size_t n,
                           const struct ph_angular_j *j, const struct ph_angular_i *i, struct work *w)
{
    for (size_t x = 0; x < 3; ++x) {
        const double *restrict at = j->r[x] + from, mine = i->r[x];
        double *restrict d = w->d[x];
        PH_SIMD
        for (size_t l = 0; l < n; ++l)
            d[l] = at[l] - mine;
    }
    const double cut2 = t->cut2;
    const bool cut = truncate == PH_CUT || truncate == PH_SHIFTED;
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        const double x = w->d[0][l], y = w->d[1][l], z = w->d[2][l], r2 = ph_fma(x, x, ph_fma(y, y, z * z));
        const double inv_r = ph_inverse_distance(PH_ENDLESS, cut2, r2);
        w->inv_r[l] = inv_r;
        w->r[l] = r2 * inv_r;
        w->s[l] = (cut && r2 >= cut2) || inv_r == 0.0 ? 0.0 : 1.0; /* NaN is seen, so that it shows */
        w->ds[l] = w->bend[l] = 0.0;
    }
    if (truncate == PH_SWITCHED && !rates)
        ph_switch_row(t, n, w->r, w->s, w->ds);
    if (truncate == PH_SWITCHED && rates) {
        memcpy(w->s, w->r, n * sizeof(double));
        ph_switch_bend_row(t, n, w->inv_r, w->s, w->ds, w->bend);
        PH_SIMD
        for (size_t l = 0; l < n; ++l) { /* from S'/r and (S'' - S'/r)/r^2 to S' and S'' */
            w->bend[l] = ph_fma(w->bend[l] * w->r[l], w->r[l], w->ds[l]);
            w->ds[l] *= w->r[l];
        }
    }
    double most = 0.0;
    for (size_t l = 0; l < n; ++l)
        most = ph_max(most, w->s[l]);
    return most > 0.0;
}

/* out = sum over x of one_x other_x, of vectors that are the same for all pairs or lie in rows */
PH_INLINE void dot_fixed(size_t n, const double one[3], const double *const other[3], size_t from,
                         const double *restrict factor, double *restrict out)
{
    const double *restrict x = other[0] + from, *restrict y = other[1] + from, *restrict z = other[2] + from;
    const double a = one[0], b = one[1], c = one[2];
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        const double dot = ph_fma(a, x[l], ph_fma(b, y[l], c * z[l]));
        out[l] = factor ? dot * factor[l] : dot;
    }
}

PH_INLINE void dot_rows(size_t n, const double *const one[3], size_t from, const row other[3],
                        const double *restrict factor, double *restrict out)
{
    const double *restrict x = one[0] + from, *restrict y = one[1] + from, *restrict z = one[2] + from;
    const double *restrict a = other[0], *restrict b = other[1], *restrict c = other[2];
    PH_SIMD
    for (size_t l = 0; l < n; ++l)
        out[l] = ph_fma(x[l], a[l], ph_fma(y[l], b[l], z[l] * c[l])) * factor[l];
}

static void find_scalars(const struct ph_angular_term *term, size_t from, size_t n, const struct ph_angular_j *j,
                         const struct ph_angular_i *i, struct work *w)
{
    const double *const d[3] = {w->d[0], w->d[1], w->d[2]};
    const size_t na = term->n_i, nb = term->n_j;
    memcpy(w->rows.scalar[0], w->r, n * sizeof(double));
    for (size_t a = 0; a < na; ++a)
        dot_fixed(n, i->axis[a], d, 0, w->inv_r, w->rows.scalar[ph_scalar_p(a)]);
    for (size_t b = 0; b < nb; ++b)
        dot_rows(n, j->axis[b], from, (const row *)w->d, w->inv_r, w->rows.scalar[ph_scalar_q(na, b)]);
    for (size_t a = 0; a < na; ++a)
        for (size_t b = 0; b < nb; ++b)
            dot_fixed(n, i->axis[a], j->axis[b], from, NULL, w->rows.scalar[ph_scalar_c(na, nb, a, b)]);
}

/* u becomes S u. */
static void truncate_form(size_t count, size_t n, struct work *w)
{
    double *restrict u = w->rows.u;
    const double *restrict s = w->s, *restrict ds = w->ds;
    for (size_t m = 0; m < count; ++m) {
        double *restrict slope = w->rows.slope[m];
        PH_SIMD
        for (size_t l = 0; l < n; ++l) {
            const double value = m == 0 ? ph_fma(s[l], slope[l], ds[l] * u[l]) : s[l] * slope[l];
            slope[l] = s[l] == 0.0 ? 0.0 : value;
        }
    }
    PH_SIMD
    for (size_t l = 0; l < n; ++l)
        u[l] = s[l] == 0.0 ? 0.0 : s[l] * u[l];
}

/* A, P and Q */
static void find_coefficients(size_t n_axes, size_t n, struct work *w)
{
    const double *restrict inv_r = w->inv_r;
    double *restrict a = w->a;
    memcpy(a, w->rows.slope[0], n * sizeof(double));
    for (size_t m = 0; m < n_axes; ++m) {
        const double *restrict slope = w->rows.slope[1 + m], *restrict cosine = w->rows.scalar[1 + m];
        double *restrict over_r = w->over_r[m];
        PH_SIMD
        for (size_t l = 0; l < n; ++l) {
            over_r[l] = slope[l] * inv_r[l];
            a[l] = ph_fma(-over_r[l], cosine[l], a[l]);
        }
    }
    PH_SIMD
    for (size_t l = 0; l < n; ++l)
        a[l] *= inv_r[l];
}

/* out -= factor other, in rows or of a vector that is the same for all pairs */
PH_INLINE void take_rows(size_t n, const double *restrict factor, const double *restrict other, double *restrict out)
{
    PH_SIMD
    for (size_t l = 0; l < n; ++l)
        out[l] = ph_fma(-factor[l], other[l], out[l]);
}

PH_INLINE void take_fixed(size_t n, const double *restrict factor, double other, double *restrict out)
{
    PH_SIMD
    for (size_t l = 0; l < n; ++l)
        out[l] = ph_fma(-factor[l], other, out[l]);
}

/* Partial sums of a row */
PH_INLINE void add_lanes(size_t n, const double *restrict value, double sign, double sum[PH_LANES])
{
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l)
            sum[l] = ph_fma(sign, value[first + l], sum[l]);
    }
}

/* Adds forces on sites j, along one direction of space, and fields at their axes; and the sums of i. With coefficients,
 * vectors and slopes; of the derivative, once with rates of the coefficients, and once with rates of the vectors. */
static void apply(const struct ph_angular_term *term, size_t x, size_t from, size_t n, const double *a,
                  const row *over_r, const row *slope, const double *d, double (*axis_i)[3],
                  const double *const (*axis_j)[3], const struct ph_angular_j *j, struct sums *sums)
{
    const size_t na = term->n_i, nb = term->n_j;
    PH_ALIGNED row out;
    memset(out, 0, sizeof out);
    take_rows(n, a, d, out);
    for (size_t m = 0; m < na; ++m)
        take_fixed(n, over_r[m], axis_i[m][x], out);
    for (size_t m = 0; m < nb; ++m)
        take_rows(n, over_r[na + m], axis_j[m][x] + from, out);
    double *restrict force = j->force[x] + from;
    PH_SIMD
    for (size_t l = 0; l < n; ++l)
        force[l] += out[l];
    add_lanes(n, out, -1.0, sums->force[x]);
    for (size_t m = 0; m < na; ++m) {
        memset(out, 0, sizeof out);
        take_rows(n, over_r[m], d, out);
        for (size_t b = 0; b < nb; ++b)
            take_rows(n, slope[ph_scalar_c(na, nb, m, b)], axis_j[b][x] + from, out);
        add_lanes(n, out, 1.0, sums->field[m][x]);
    }
    for (size_t m = 0; m < nb; ++m) {
        double *field = j->field[m][x] + from;
        take_rows(n, over_r[na + m], d, field);
        for (size_t b = 0; b < na; ++b)
            take_fixed(n, slope[ph_scalar_c(na, nb, b, m)], axis_i[b][x], field);
    }
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

/* One block of at most PH_ANGULAR_BLOCK pairs, from place `from` on */
static void forces_of_block(const struct ph_angular_term *term, enum ph_truncate truncate,
                            const struct ph_pair_term *truncation, size_t from, size_t n, const struct ph_angular_j *j,
                            struct ph_angular_i *i, struct sums *sums)
{
    struct work w;
    if (!find_distances(truncate, truncation, false, from, n, j, i, &w))
        return;
    find_scalars(term, from, n, j, i, &w);
    ph_angular_row(term, truncation, n, &w.rows, NULL);
    truncate_form(ph_scalar_count(term->n_i, term->n_j), n, &w);
    find_coefficients(term->n_i + term->n_j, n, &w);
    for (size_t x = 0; x < 3; ++x)
        apply(term, x, from, n, w.a, (const row *)w.over_r, (const row *)w.rows.slope, w.d[x], i->axis, j->axis, j,
              sums);
    add_lanes(n, w.rows.u, 1.0, sums->energy);
}

/* ---- Rates ---- */

/* r' = n.v,  p' = a'.n + (a.v - p r')/r,  c' = a'.b + a.b' */
static void find_scalar_rates(const struct ph_angular_term *term, size_t from, size_t n, const struct ph_angular_j *j,
                              const struct ph_angular_i *i, struct work *w)
{
    const double *const d[3] = {w->d[0], w->d[1], w->d[2]}, *const v[3] = {w->v[0], w->v[1], w->v[2]};
    const size_t na = term->n_i, nb = term->n_j;
    double *restrict along = w->rates.scalar[0];
    PH_ALIGNED row other;
    for (size_t x = 0; x < 3; ++x) {
        const double *restrict rate = j->r_rate[x] + from, mine = i->r_rate[x];
        double *restrict out = w->v[x];
        PH_SIMD
        for (size_t l = 0; l < n; ++l)
            out[l] = rate[l] - mine;
    }
    dot_rows(n, v, 0, (const row *)w->d, w->inv_r, along);
    for (size_t m = 0; m < na + nb; ++m) {
        double *restrict rate = w->rates.scalar[1 + m];
        const double *restrict cosine = w->rows.scalar[1 + m], *restrict inv_r = w->inv_r;
        if (m < na) {
            dot_fixed(n, i->axis_rate[m], d, 0, w->inv_r, rate);
            dot_fixed(n, i->axis[m], v, 0, w->inv_r, other);
        } else {
            dot_rows(n, j->axis_rate[m - na], from, (const row *)w->d, w->inv_r, rate);
            dot_rows(n, j->axis[m - na], from, (const row *)w->v, w->inv_r, other);
        }
        PH_SIMD
        for (size_t l = 0; l < n; ++l)
            rate[l] += ph_fma(-cosine[l] * along[l], inv_r[l], other[l]);
    }
    for (size_t a = 0; a < na; ++a)
        for (size_t b = 0; b < nb; ++b) {
            double *restrict rate = w->rates.scalar[ph_scalar_c(na, nb, a, b)];
            dot_fixed(n, i->axis_rate[a], j->axis[b], from, NULL, rate);
            dot_fixed(n, i->axis[a], j->axis_rate[b], from, NULL, other);
            PH_SIMD
            for (size_t l = 0; l < n; ++l)
                rate[l] += other[l];
        }
}

/* Slopes become those of S u, and their rates likewise; u is left as it is. */
static void truncate_rates(size_t count, size_t n, struct work *w)
{
    const double *restrict u = w->rows.u, *restrict u_rate = w->rates.u, *restrict along = w->rates.scalar[0];
    const double *restrict s = w->s, *restrict ds = w->ds, *restrict bend = w->bend;
    for (size_t m = 0; m < count; ++m) {
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
static void find_coefficient_rates(size_t n_axes, size_t n, struct work *w)
{
    const double *restrict inv_r = w->inv_r, *restrict along = w->rates.scalar[0];
    double *restrict a_rate = w->a_rate;
    memcpy(a_rate, w->rates.slope[0], n * sizeof(double));
    for (size_t m = 0; m < n_axes; ++m) {
        const double *restrict slope_rate = w->rates.slope[1 + m], *restrict over_r = w->over_r[m];
        const double *restrict cosine = w->rows.scalar[1 + m], *restrict cosine_rate = w->rates.scalar[1 + m];
        double *restrict rate = w->over_r_rate[m];
        PH_SIMD
        for (size_t l = 0; l < n; ++l) {
            rate[l] = ph_fma(-over_r[l], along[l], slope_rate[l]) * inv_r[l];
            a_rate[l] -= ph_fma(rate[l], cosine[l], over_r[l] * cosine_rate[l]);
        }
    }
    PH_SIMD
    for (size_t l = 0; l < n; ++l)
        a_rate[l] = ph_fma(-w->a[l], along[l], a_rate[l]) * inv_r[l];
}

static void rates_of_block(const struct ph_angular_term *term, enum ph_truncate truncate,
                           const struct ph_pair_term *truncation, size_t from, size_t n, const struct ph_angular_j *j,
                           struct ph_angular_i *i, struct sums *sums)
{
    struct work w;
    const size_t count = ph_scalar_count(term->n_i, term->n_j), n_axes = term->n_i + term->n_j;
    if (!find_distances(truncate, truncation, true, from, n, j, i, &w))
        return;
    find_scalars(term, from, n, j, i, &w);
    find_scalar_rates(term, from, n, j, i, &w);
    ph_angular_row(term, truncation, n, &w.rows, &w.rates);
    truncate_rates(count, n, &w);
    find_coefficients(n_axes, n, &w);
    find_coefficient_rates(n_axes, n, &w);
    for (size_t x = 0; x < 3; ++x) {
        apply(term, x, from, n, w.a_rate, (const row *)w.over_r_rate, (const row *)w.rates.slope, w.d[x], i->axis,
              j->axis, j, sums);
        apply(term, x, from, n, w.a, (const row *)w.over_r, (const row *)w.rows.slope, w.v[x], i->axis_rate,
              j->axis_rate, j, sums);
    }
}

/* ---- Blocks ---- */

typedef void block(const struct ph_angular_term *term, enum ph_truncate truncate, const struct ph_pair_term *truncation,
                   size_t from, size_t n, const struct ph_angular_j *j, struct ph_angular_i *i, struct sums *sums);

/* Sites of a block that lay apart */
struct gathered {
    PH_ALIGNED row r[3], axis[PH_AXES_MAX][3], r_rate[3], axis_rate[PH_AXES_MAX][3];
    PH_ALIGNED row force[3], field[PH_AXES_MAX][3];
};

/* Numbers of the sites j within the cutoff, and of those whose distance is no number, so that it shows */
static size_t find_seen(double cut2, size_t n, const struct ph_angular_j *j, const struct ph_angular_i *i,
                        uint16_t seen[PH_KERNEL_CHUNK])
{
    const double *restrict x = j->r[0], *restrict y = j->r[1], *restrict z = j->r[2];
    const double a = i->r[0], b = i->r[1], c = i->r[2];
    PH_ALIGNED double r2[PH_KERNEL_CHUNK];
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        const double dx = x[l] - a, dy = y[l] - b, dz = z[l] - c;
        r2[l] = ph_fma(dx, dx, ph_fma(dy, dy, dz * dz));
    }
    size_t count = 0;
    for (size_t l = 0; l < n; ++l) {
        seen[count] = (uint16_t)l;
        count += r2[l] >= cut2 ? 0 : 1;
    }
    return count;
}

/* Copies entries `seen` of a row, and fills up to whole lanes. */
static const double *take(const double *restrict from, const uint16_t *restrict seen, size_t n, double fill,
                          double *restrict to)
{
    for (size_t l = 0; l < n; ++l)
        to[l] = from[seen[l]];
    for (size_t l = n; l % PH_LANES != 0; ++l)
        to[l] = fill;
    return to;
}

static void give(const double *restrict from, const uint16_t *restrict seen, size_t n, double *restrict to)
{
    for (size_t l = 0; l < n; ++l)
        to[seen[l]] += from[l];
}

/* A block of sites that lie apart */
static void gather_block(block *of_block, bool rates, const struct ph_angular_term *term,
                         const struct ph_pair_term *truncation, const uint16_t *seen, size_t n,
                         const struct ph_angular_j *j, struct ph_angular_i *i, struct sums *sums)
{
    struct gathered g;
    struct ph_angular_j near = {.r = {NULL}};
    memset(g.force, 0, sizeof g.force);
    memset(g.field, 0, sizeof g.field);
    for (size_t x = 0; x < 3; ++x) {
        near.r[x] = take(j->r[x], seen, n, PH_OUT_OF_SIGHT, g.r[x]);
        near.force[x] = g.force[x];
        if (rates)
            near.r_rate[x] = take(j->r_rate[x], seen, n, 0.0, g.r_rate[x]);
        for (size_t m = 0; m < term->n_j; ++m) {
            near.axis[m][x] = take(j->axis[m][x], seen, n, 0.0, g.axis[m][x]);
            near.field[m][x] = g.field[m][x];
            if (rates)
                near.axis_rate[m][x] = take(j->axis_rate[m][x], seen, n, 0.0, g.axis_rate[m][x]);
        }
    }
    of_block(term, PH_CUT, truncation, 0, (n + PH_LANES - 1) / PH_LANES * PH_LANES, &near, i, sums);
    for (size_t x = 0; x < 3; ++x) {
        give(g.force[x], seen, n, j->force[x]);
        for (size_t m = 0; m < term->n_j; ++m)
            give(g.field[m][x], seen, n, j->field[m][x]);
    }
}

/* Forms that end are short: of their pairs few are seen, and these are gathered. */
PH_INLINE void all_blocks(block *of_block, bool rates, const struct ph_angular_term *term, enum ph_truncate truncate,
                          const struct ph_pair_term *truncation, size_t n, const struct ph_angular_j *j,
                          struct ph_angular_i *i)
{
    struct sums sums = {.energy = {0.0}};
    uint16_t seen[PH_KERNEL_CHUNK];
    const size_t count = term->ends ? find_seen(truncation->cut2, n, j, i, seen) : n;
    for (size_t from = 0; from < count; from += PH_ANGULAR_BLOCK) {
        const size_t m = count - from < PH_ANGULAR_BLOCK ? count - from : PH_ANGULAR_BLOCK;
        if (term->ends)
            gather_block(of_block, rates, term, truncation, seen + from, m, j, i, &sums);
        else
            of_block(term, truncate, truncation, from, m, j, i, &sums);
    }
    finish(term, &sums, i);
}

static void forces(const struct ph_angular_term *term, enum ph_truncate truncate, const struct ph_pair_term *truncation,
                   size_t n, const struct ph_angular_j *j, struct ph_angular_i *i)
{
    all_blocks(forces_of_block, false, term, truncate, truncation, n, j, i);
}

static void rates(const struct ph_angular_term *term, enum ph_truncate truncate, const struct ph_pair_term *truncation,
                  size_t n, const struct ph_angular_j *j, struct ph_angular_i *i)
{
    all_blocks(rates_of_block, true, term, truncate, truncation, n, j, i);
}

ph_angular_kernel *ph_angular_find(bool of_rates) { return of_rates ? rates : forces; }
