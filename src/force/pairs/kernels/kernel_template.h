/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_KERNEL_TEMPLATE_H
#define PH_FORCE_PAIRS_KERNELS_KERNEL_TEMPLATE_H

/* The one source of all pair kernels. The first five arguments of pair_kernel are constants at every call, so the
 * compiler removes unused parts of a combination (but see PH_KERNEL_BODY).
 *
 * The formulas come from potential/pair_force.h. */

/* Short loops rather than one: the chain from r^2 to the force is long, and the processor overlaps more of them when
 * each loop holds only a part. The narrower its vectors, the more of them a row has, and the shorter the loops must be
 * (PH_NARROW: two doubles in a vector). Rows are restrict pointers, so that the compiler keeps sums in registers. Sums
 * over j are kept lane by lane (base/lanes.h): their order depends on neither threads nor machine. */

#include "force/pairs/kernels/distance.h"
#include "force/pairs/kernels/kernel.h"
#include "potential/pair_force.h"

/* The body of each function of the tables below: the template with constants; or, in builds for tests only, a call of
 * its one instantiation, which decides the same at run time (kernels_any.c). */
#ifdef PH_KERNELS_AT_RUN_TIME
#define PH_KERNEL_BODY ph_kernel_any
#else
#define PH_KERNEL_BODY pair_kernel
#endif

/* Results of one loop for the next */
struct kernel_work {
    PH_ALIGNED double inv_r[PH_KERNEL_ROW], r[PH_KERNEL_ROW];
    PH_ALIGNED double s[PH_KERNEL_ROW], ds[PH_KERNEL_ROW]; /* switch and its slope in r */
    PH_ALIGNED double along_d[PH_KERNEL_ROW], along_i[PH_KERNEL_ROW], along_j[PH_KERNEL_ROW], plain[PH_KERNEL_ROW];
    PH_ALIGNED double d[3][PH_KERNEL_ROW]; /* positions relative to site i, if PH_NARROW and rows have them otherwise */
    PH_ALIGNED double u[PH_KERNEL_ROW], w[PH_KERNEL_ROW]; /* values from exponentials: radial function, or B0 and g */
};

/* So little arithmetic that the way from distance to force is one loop: nothing needs a loop of its own. Of narrow
 * vectors there are too many under way for that. */
PH_INLINE bool is_short(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                        enum field field)
{
    return !PH_NARROW && !is_slow(radial) && !ph_kernel_screened(electric) && truncate != PH_SWITCHED &&
           field == NO_FIELD;
}

PH_INLINE bool is_mixed(enum ph_kernel_rows rows) { return rows == PH_ROWS_MIXED_SET || rows == PH_ROWS_MIXED_ADD; }
PH_INLINE bool is_set(enum ph_kernel_rows rows) { return rows == PH_ROWS_RELATIVE_SET || rows == PH_ROWS_MIXED_SET; }

/* Rows of constants that differ from j to j */
struct term_rows {
    const double *restrict four_epsilon, *restrict sigma2, *restrict strength, *restrict c0, *restrict c1;
};

PH_INLINE struct term_rows term_rows(const struct ph_kernel_j *j)
{
    return (struct term_rows){j->term[PH_TERM_FOUR_EPSILON], j->term[PH_TERM_SIGMA2], j->term[PH_TERM_STRENGTH],
                              j->term[PH_TERM_RADIAL_C0], j->term[PH_TERM_RADIAL_C1]};
}

/* Coefficients of pair k. In a mixture the constants of the radial term come from rows; so does the strength of two
 * charges, which is 1 in t then. */
PH_INLINE struct coefficients coefficients_of(enum ph_kernel_radial radial, enum ph_kernel_electric electric,
                                              enum ph_truncate truncate, enum field field, bool mixed,
                                              const struct ph_pair_term *t, const struct term_rows *rows, size_t k,
                                              const struct pair *p)
{
    if (!mixed)
        return coefficients(radial, electric, truncate, field, t, p);
    const struct ph_pair_term own = {/* only constants of the radial term */
                                     .four_epsilon = rows->four_epsilon[k],
                                     .sigma2 = rows->sigma2[k],
                                     .radial.c0 = truncate == PH_SHIFTED ? rows->c0[k] : 0.0,
                                     .radial.c1 = truncate == PH_SHIFTED ? rows->c1[k] : 0.0};
    const struct ph_radial_value u = radial_part(radial, truncate, &own, p);
    struct coefficients c = coefficients(PH_KERNEL_NO_RADIAL, electric, truncate, field, t, p);
    const double strength = electric == PH_KERNEL_CHARGE_CHARGE ? rows->strength[k] : 1.0;
    c.along_d = ph_fma(strength, c.along_d, u.w);
    c.electric *= strength;
    c.radial = u.u;
    return c;
}

/* Whether distances are kept for later loops */
PH_INLINE bool keeps_distances(enum ph_kernel_rows rows) { return PH_NARROW && rows == PH_ROWS_ADD; }

/* Computes 1/r and other functions of distances alone. */
PH_INLINE void find_distances(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                              enum ph_kernel_rows rows, double cut2, size_t n, const struct ph_kernel_j *j,
                              const struct ph_kernel_i *i, struct kernel_work *work)
{
    const double *restrict jx = j->r[0], *restrict jy = j->r[1], *restrict jz = j->r[2];
    double *restrict inverse = work->inv_r, *restrict distance = work->r;
    double *restrict dx = work->d[0], *restrict dy = work->d[1], *restrict dz = work->d[2];
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2];
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const double x = jx[k] - ix, y = jy[k] - iy, z = jz[k] - iz, r2 = ph_fma(x, x, ph_fma(y, y, z * z));
        const double inv_r = ph_inverse_distance(truncate, cut2, r2);
        inverse[k] = inv_r;
        if (truncate == PH_SWITCHED || ph_kernel_screened(electric) || is_slow(radial))
            distance[k] = r2 * inv_r;
        if (keeps_distances(rows)) {
            dx[k] = x;
            dy[k] = y;
            dz[k] = z;
        }
    }
}

PH_INLINE void find_screen(double a, size_t n, struct kernel_work *work)
{
    const double *restrict r = work->r, *restrict inv_r = work->inv_r;
    double *restrict b0 = work->u, *restrict g = work->w;
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const struct ph_screen s = ph_screen(a, r[k], inv_r[k]);
        b0[k] = s.b0;
        g[k] = s.g;
    }
}

/* Two of the functions of a reaction field that ends smoothly: B0 and B1 for charges, B1 and B2 with one dipole */
PH_INLINE void find_smooth(enum ph_kernel_electric electric, const struct ph_pair_term *t, size_t n,
                           const struct ph_kernel_j *j, const struct ph_kernel_i *i, struct kernel_work *work)
{
    const double *restrict jx = j->r[0], *restrict jy = j->r[1], *restrict jz = j->r[2], *restrict inv_r = work->inv_r;
    double *restrict first = work->u, *restrict second = work->w;
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2];
    const bool charges = electric == PH_KERNEL_CHARGE_CHARGE;
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const double x = jx[k] - ix, y = jy[k] - iy, z = jz[k] - iz, r2 = ph_fma(x, x, ph_fma(y, y, z * z));
        const struct ph_smooth b = ph_smooth(&t->field, r2, inv_r[k]);
        const bool in = !(r2 >= t->cut2); /* also NaN, so that it shows */
        first[k] = in ? charges ? b.b0 : b.b1 : 0.0;
        second[k] = in ? charges ? b.b1 : b.b2 : 0.0;
    }
}

/* Finds coefficients of two dipoles, in a loop of their own */
PH_INLINE void find_coefficients(enum ph_kernel_radial radial, enum ph_kernel_electric electric,
                                 enum ph_truncate truncate, enum field field, bool mixed, bool energy,
                                 const struct ph_pair_term *t, size_t n, const struct ph_kernel_j *j,
                                 struct ph_kernel_i *i, struct kernel_work *work)
{
    const struct term_rows rows = term_rows(j);
    const double *restrict rx = j->r[0], *restrict ry = j->r[1], *restrict rz = j->r[2];
    const double *restrict mx = j->mu[0], *restrict my = j->mu[1], *restrict mz = j->mu[2];
    const double *restrict inv_r = work->inv_r, *restrict s = work->s, *restrict ds = work->ds;
    const double *restrict slow_u = work->u, *restrict slow_w = work->w;
    double *restrict along_d = work->along_d, *restrict along_i = work->along_i, *restrict along_j = work->along_j;
    double *restrict plain = work->plain;
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2], ux = i->mu[0], uy = i->mu[1], uz = i->mu[2];
    double radial_sum[PH_LANES] = {0.0}, electric_sum[PH_LANES] = {0.0};
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t k = first + l;
            const double x = rx[k] - ix, y = ry[k] - iy, z = rz[k] - iz, vx = mx[k], vy = my[k], vz = mz[k];
            struct pair p = {.r2 = ph_fma(x, x, ph_fma(y, y, z * z)),
                             .inv_r = inv_r[k],
                             .di = ph_fma(ux, x, ph_fma(uy, y, uz * z)),
                             .dj = ph_fma(vx, x, ph_fma(vy, y, vz * z)),
                             .cij = ph_fma(ux, vx, ph_fma(uy, vy, uz * vz))};
            if (truncate == PH_SWITCHED) {
                p.s = s[k];
                p.ds = ds[k];
            }
            if (is_slow(radial) || ph_kernel_screened(electric))
                p.slow = (struct ph_radial_value){slow_u[k], slow_w[k]};
            const struct coefficients c = coefficients_of(radial, electric, truncate, field, mixed, t, &rows, k, &p);
            along_d[k] = c.along_d;
            along_i[k] = c.along_i;
            along_j[k] = c.along_j;
            plain[k] = c.plain;
            if (energy) {
                radial_sum[l] += c.radial;
                electric_sum[l] += c.electric;
            }
        }
    }
    if (energy) {
        i->radial_energy += ph_add_up(radial_sum);
        i->electric_energy += ph_add_up(electric_sum);
    }
}

/* sum + p v + b x. The fewest operations, or the shortest chain from one block to the next */
PH_INLINE double add_field(double p, double v, double b, double x, double sum)
{
    return PH_NARROW ? ph_fma(p, v, ph_fma(b, x, sum)) : sum + ph_fma(p, v, b * x);
}

/* Partial sums of forces and fields: one for each lane of a block, or for every second if PH_NARROW, so that the six
 * sums of vectors nearly fit into registers */
enum { SUMS = PH_NARROW ? PH_LANES / 2 : PH_LANES };

PH_INLINE double add_sums(const double part[SUMS])
{
    return PH_NARROW ? (part[0] + part[2]) + (part[1] + part[3]) : ph_add_up(part);
}

/* Forces and fields of two dipoles from their coefficients */
PH_INLINE void apply_dipoles(enum ph_kernel_rows rows, size_t n, const struct ph_kernel_j *j, struct ph_kernel_i *i,
                             const struct kernel_work *work)
{
    const double *restrict rx = j->r[0], *restrict ry = j->r[1], *restrict rz = j->r[2];
    const double *restrict mx = j->mu[0], *restrict my = j->mu[1], *restrict mz = j->mu[2];
    const double *restrict along_d = work->along_d, *restrict along_i = work->along_i;
    const double *restrict along_j = work->along_j, *restrict plain = work->plain;
    double *restrict gx = j->force[0], *restrict gy = j->force[1], *restrict gz = j->force[2];
    double *restrict hx = j->field[0], *restrict hy = j->field[1], *restrict hz = j->field[2];
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2], ux = i->mu[0], uy = i->mu[1], uz = i->mu[2];
    const bool set = is_set(rows);
    double fx[SUMS] = {0.0}, fy[SUMS] = {0.0}, fz[SUMS] = {0.0}, ex[SUMS] = {0.0}, ey[SUMS] = {0.0}, ez[SUMS] = {0.0};
    for (size_t first = 0; first < n; first += SUMS) {
        PH_SIMD
        for (size_t l = 0; l < SUMS; ++l) {
            const size_t k = first + l;
            const double x = rx[k] - ix, y = ry[k] - iy, z = rz[k] - iz, vx = mx[k], vy = my[k], vz = mz[k];
            const double a = along_d[k], b = along_i[k], c = along_j[k], p = -plain[k];
            const double qx = ph_fma(c, vx, ph_fma(b, ux, a * x)), qy = ph_fma(c, vy, ph_fma(b, uy, a * y)),
                         qz = ph_fma(c, vz, ph_fma(b, uz, a * z));
            fx[l] += qx;
            fy[l] += qy;
            fz[l] += qz;
            gx[k] = set ? qx : gx[k] + qx;
            gy[k] = set ? qy : gy[k] + qy;
            gz[k] = set ? qz : gz[k] + qz;
            ex[l] = add_field(p, vx, b, x, ex[l]);
            ey[l] = add_field(p, vy, b, y, ey[l]);
            ez[l] = add_field(p, vz, b, z, ez[l]);
            hx[k] = ph_fma(p, ux, set ? c * x : ph_fma(c, x, hx[k]));
            hy[k] = ph_fma(p, uy, set ? c * y : ph_fma(c, y, hy[k]));
            hz[k] = ph_fma(p, uz, set ? c * z : ph_fma(c, z, hz[k]));
        }
    }
    i->force[0] -= add_sums(fx);
    i->force[1] -= add_sums(fy);
    i->force[2] -= add_sums(fz);
    i->field[0] += add_sums(ex);
    i->field[1] += add_sums(ey);
    i->field[2] += add_sums(ez);
}

/* All other pairs, whose coefficients are few, in one loop */
PH_INLINE void apply_others(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                            enum field field, enum ph_kernel_rows rows, bool energy, const struct ph_pair_term *t,
                            size_t n, const struct ph_kernel_j *j, struct ph_kernel_i *i,
                            const struct kernel_work *work)
{
    const bool set = is_set(rows);
    const struct term_rows terms = term_rows(j);
    const bool dipole_i = ph_kernel_bare(electric) == PH_KERNEL_DIPOLE_CHARGE;
    const bool dipole_j = ph_kernel_bare(electric) == PH_KERNEL_CHARGE_DIPOLE;
    const bool at_once = is_short(radial, electric, truncate, field);
    const double *restrict rx = j->r[0], *restrict ry = j->r[1], *restrict rz = j->r[2];
    const double *restrict mx = j->mu[0], *restrict my = j->mu[1], *restrict mz = j->mu[2];
    const double *restrict inv_r = work->inv_r, *restrict s = work->s, *restrict ds = work->ds;
    const double *restrict slow_u = work->u, *restrict slow_w = work->w;
    double *restrict gx = j->force[0], *restrict gy = j->force[1], *restrict gz = j->force[2];
    double *restrict hx = j->field[0], *restrict hy = j->field[1], *restrict hz = j->field[2];
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2], ux = i->mu[0], uy = i->mu[1], uz = i->mu[2];
    double fx[PH_LANES] = {0.0}, fy[PH_LANES] = {0.0}, fz[PH_LANES] = {0.0}, ex[PH_LANES] = {0.0}, ey[PH_LANES] = {0.0},
           ez[PH_LANES] = {0.0}, radial_sum[PH_LANES] = {0.0}, electric_sum[PH_LANES] = {0.0};
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t k = first + l;
            const double x = rx[k] - ix, y = ry[k] - iy, z = rz[k] - iz;
            struct pair p = {.r2 = ph_fma(x, x, ph_fma(y, y, z * z))};
            p.inv_r = at_once ? ph_inverse_distance(truncate, t->cut2, p.r2) : inv_r[k];
            if (dipole_i)
                p.di = ph_fma(ux, x, ph_fma(uy, y, uz * z));
            if (dipole_j)
                p.dj = ph_fma(mx[k], x, ph_fma(my[k], y, mz[k] * z));
            if (truncate == PH_SWITCHED) {
                p.s = s[k];
                p.ds = ds[k];
            }
            if (is_slow(radial) || ph_kernel_screened(electric) || field == SMOOTH_FIELD)
                p.slow = (struct ph_radial_value){slow_u[k], slow_w[k]};
            const struct coefficients c =
                coefficients_of(radial, electric, truncate, field, is_mixed(rows), t, &terms, k, &p);
            double qx = c.along_d * x, qy = c.along_d * y, qz = c.along_d * z;
            if (dipole_i) {
                qx = ph_fma(c.along_i, ux, qx);
                qy = ph_fma(c.along_i, uy, qy);
                qz = ph_fma(c.along_i, uz, qz);
                ex[l] += c.along_i * x;
                ey[l] += c.along_i * y;
                ez[l] += c.along_i * z;
            }
            if (dipole_j) {
                qx = ph_fma(c.along_j, mx[k], qx);
                qy = ph_fma(c.along_j, my[k], qy);
                qz = ph_fma(c.along_j, mz[k], qz);
                hx[k] = set ? c.along_j * x : ph_fma(c.along_j, x, hx[k]);
                hy[k] = set ? c.along_j * y : ph_fma(c.along_j, y, hy[k]);
                hz[k] = set ? c.along_j * z : ph_fma(c.along_j, z, hz[k]);
            }
            fx[l] += qx;
            fy[l] += qy;
            fz[l] += qz;
            gx[k] = set ? qx : gx[k] + qx;
            gy[k] = set ? qy : gy[k] + qy;
            gz[k] = set ? qz : gz[k] + qz;
            if (energy) {
                radial_sum[l] += c.radial;
                electric_sum[l] += c.electric;
            }
        }
    }
    i->force[0] -= ph_add_up(fx);
    i->force[1] -= ph_add_up(fy);
    i->force[2] -= ph_add_up(fz);
    if (dipole_i) {
        i->field[0] += ph_add_up(ex);
        i->field[1] += ph_add_up(ey);
        i->field[2] += ph_add_up(ez);
    }
    if (energy) {
        i->radial_energy += ph_add_up(radial_sum);
        i->electric_energy += ph_add_up(electric_sum);
    }
}

PH_INLINE void pair_kernel(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                           enum ph_kernel_rows rows, bool energy, const struct ph_pair_term *term, size_t n,
                           const struct ph_kernel_j *sites, struct ph_kernel_i *i)
{
    struct kernel_work work;
    struct ph_kernel_j j = *sites;
    struct ph_pair_term t = *term;
    if (is_mixed(rows) && electric == PH_KERNEL_CHARGE_CHARGE)
        t.strength = 1.0;
    struct ph_kernel_i a = *i;
    if (rows != PH_ROWS_ADD) /* a constant: the subtractions disappear */
        a.r[0] = a.r[1] = a.r[2] = 0.0;
    const bool screened = ph_kernel_screened(electric);
    const bool smooth = ph_kernel_may_be_smooth(electric, truncate) && t.field.edge > 0.0;
    const bool split = ph_kernel_may_be_split(electric, truncate) && t.split;
    if (ph_kernel_bare(electric) == PH_KERNEL_DIPOLE_DIPOLE || smooth || split ||
        !is_short(radial, electric, truncate, NO_FIELD))
        find_distances(radial, electric, truncate, rows, t.cut2, n, &j, &a, &work);
    for (size_t x = 0; x < 3 && keeps_distances(rows); ++x) {
        j.r[x] = work.d[x];
        a.r[x] = 0.0;
    }
    if (truncate == PH_SWITCHED) /* not &t: gcc does not vectorise reads of a variable whose address is taken */
        ph_switch_row(term, n, work.r, work.s, work.ds);
    if (is_slow(radial))
        ph_formula_row(&term->formula, n, work.r, work.inv_r, work.u, work.w);
    if (screened)
        find_screen(t.screening, n, &work);
    if (ph_kernel_bare(electric) != PH_KERNEL_DIPOLE_DIPOLE) {
        if (smooth) {
            find_smooth(electric, &t, n, &j, &a, &work);
            apply_others(radial, electric, truncate, SMOOTH_FIELD, rows, energy, &t, n, &j, &a, &work);
        } else if (split)
            apply_others(radial, electric, truncate, SPLIT_FIELD, rows, energy, &t, n, &j, &a, &work);
        else
            apply_others(radial, electric, truncate, NO_FIELD, rows, energy, &t, n, &j, &a, &work);
    } else {
        if (smooth)
            find_coefficients(radial, electric, truncate, SMOOTH_FIELD, is_mixed(rows), energy, &t, n, &j, &a, &work);
        else if (split)
            find_coefficients(radial, electric, truncate, SPLIT_FIELD, is_mixed(rows), energy, &t, n, &j, &a, &work);
        else if (!screened && t.rf != 0.0)
            find_coefficients(radial, electric, truncate, SHARP_FIELD, is_mixed(rows), energy, &t, n, &j, &a, &work);
        else
            find_coefficients(radial, electric, truncate, NO_FIELD, is_mixed(rows), energy, &t, n, &j, &a, &work);
        apply_dipoles(rows, n, &j, &a, &work);
    }
    for (size_t x = 0; x < 3 && keeps_distances(rows); ++x)
        a.r[x] = i->r[x];
    *i = a;
}

/* All functions of one combination of terms, as an array [truncate][rows][energy]. There is no function for
 * combinations that no input reaches: without a cutoff there are no lists, hence no relative rows. The compiler removes
 * what a combination does not need from one function, name##_of, and copies the rest into the others. */
#define PH_KERNEL_COMBINATION(name, radial, electric)                                                                  \
    PH_INLINE void name(enum ph_truncate truncate, enum ph_kernel_rows rows, bool energy,                              \
                        const struct ph_pair_term *term, size_t n, const struct ph_kernel_j *j, struct ph_kernel_i *i) \
    {                                                                                                                  \
        PH_KERNEL_BODY(radial, electric, truncate, rows, energy, term, n, j, i);                                       \
    }
#define PH_KERNEL_FUNCTION(name, combination, truncate, rows, energy)                                                  \
    static void name(const struct ph_pair_term *term, size_t n, const struct ph_kernel_j *j, struct ph_kernel_i *i)    \
    {                                                                                                                  \
        combination(truncate, rows, energy, term, n, j, i);                                                            \
    }
#define PH_KERNEL_TWO(name, combination, truncate, rows)                                                               \
    PH_KERNEL_FUNCTION(name, combination, truncate, rows, false)                                                       \
    PH_KERNEL_FUNCTION(name##_energy, combination, truncate, rows, true)
#define PH_KERNEL_SIX(name, combination, truncate)                                                                     \
    PH_KERNEL_TWO(name##_add, combination, truncate, PH_ROWS_ADD)                                                      \
    PH_KERNEL_TWO(name##_near_set, combination, truncate, PH_ROWS_RELATIVE_SET)                                        \
    PH_KERNEL_TWO(name##_near_add, combination, truncate, PH_ROWS_RELATIVE_ADD)
#define PH_KERNEL_ENTRY(name)                                                                                          \
    {                                                                                                                  \
        {name##_add, name##_add_energy}, {name##_near_set, name##_near_set_energy},                                    \
        {                                                                                                              \
            name##_near_add, name##_near_add_energy                                                                    \
        }                                                                                                              \
    }
#define PH_KERNEL_FAMILY(name, radial, electric)                                                                       \
    PH_KERNEL_COMBINATION(name##_of, radial, electric)                                                                 \
    PH_KERNEL_TWO(name##_endless_add, name##_of, PH_ENDLESS, PH_ROWS_ADD)                                              \
    PH_KERNEL_SIX(name##_inside, name##_of, PH_INSIDE)                                                                 \
    PH_KERNEL_SIX(name##_cut, name##_of, PH_CUT)                                                                       \
    PH_KERNEL_SIX(name##_shifted, name##_of, PH_SHIFTED)                                                               \
    PH_KERNEL_SIX(name##_switched, name##_of, PH_SWITCHED)                                                             \
    ph_kernel *const name[PH_TRUNCATE_KINDS][PH_ROWS_KINDS][2] = {                                                     \
        [PH_ENDLESS] = {{name##_endless_add, name##_endless_add_energy}},                                              \
        [PH_INSIDE] = PH_KERNEL_ENTRY(name##_inside),                                                                  \
        [PH_CUT] = PH_KERNEL_ENTRY(name##_cut),                                                                        \
        [PH_SHIFTED] = PH_KERNEL_ENTRY(name##_shifted),                                                                \
        [PH_SWITCHED] = PH_KERNEL_ENTRY(name##_switched),                                                              \
    };
/* Screened terms always have a cutoff, and nothing is shifted by it: shifted is cut. */
#define PH_KERNEL_SCREENED_FAMILY(name, electric)                                                                      \
    PH_KERNEL_COMBINATION(name##_of, PH_KERNEL_NO_RADIAL, electric)                                                    \
    PH_KERNEL_SIX(name##_inside, name##_of, PH_INSIDE)                                                                 \
    PH_KERNEL_SIX(name##_cut, name##_of, PH_CUT)                                                                       \
    PH_KERNEL_SIX(name##_switched, name##_of, PH_SWITCHED)                                                             \
    ph_kernel *const name[PH_TRUNCATE_KINDS][PH_ROWS_KINDS][2] = {                                                     \
        [PH_INSIDE] = PH_KERNEL_ENTRY(name##_inside),                                                                  \
        [PH_CUT] = PH_KERNEL_ENTRY(name##_cut),                                                                        \
        [PH_SHIFTED] = PH_KERNEL_ENTRY(name##_cut),                                                                    \
        [PH_SWITCHED] = PH_KERNEL_ENTRY(name##_switched),                                                              \
    };
/* A radial term that ends by itself, before the cutoff, and is never switched */
#define PH_KERNEL_ENDED_FAMILY(name, radial)                                                                           \
    PH_KERNEL_COMBINATION(name##_of, radial, PH_KERNEL_NO_ELECTRIC)                                                    \
    PH_KERNEL_SIX(name##_inside, name##_of, PH_INSIDE)                                                                 \
    ph_kernel *const name[PH_TRUNCATE_KINDS][PH_ROWS_KINDS][2] = {                                                     \
        [PH_ENDLESS] = PH_KERNEL_ENTRY(name##_inside),  [PH_INSIDE] = PH_KERNEL_ENTRY(name##_inside),                  \
        [PH_CUT] = PH_KERNEL_ENTRY(name##_inside),      [PH_SHIFTED] = PH_KERNEL_ENTRY(name##_inside),                 \
        [PH_SWITCHED] = PH_KERNEL_ENTRY(name##_inside),                                                                \
    };

/* Functions for mixtures. Mixtures come from lists, so there are no functions without a cutoff. */
#define PH_KERNEL_MIXED(name, combination, truncate)                                                                   \
    PH_KERNEL_TWO(name##_set, combination, truncate, PH_ROWS_MIXED_SET)                                                \
    PH_KERNEL_TWO(name##_add, combination, truncate, PH_ROWS_MIXED_ADD)
#define PH_KERNEL_MIXED_ENTRY(name)                                                                                    \
    {                                                                                                                  \
        [PH_ROWS_MIXED_SET] = {name##_set, name##_set_energy}, [PH_ROWS_MIXED_ADD] = {name##_add, name##_add_energy},  \
    }
#define PH_KERNEL_MIXED_FAMILY(name, radial, electric)                                                                 \
    PH_KERNEL_COMBINATION(name##_of, radial, electric)                                                                 \
    PH_KERNEL_MIXED(name##_inside, name##_of, PH_INSIDE)                                                               \
    PH_KERNEL_MIXED(name##_cut, name##_of, PH_CUT)                                                                     \
    PH_KERNEL_MIXED(name##_shifted, name##_of, PH_SHIFTED)                                                             \
    PH_KERNEL_MIXED(name##_switched, name##_of, PH_SWITCHED)                                                           \
    ph_kernel *const name[PH_TRUNCATE_KINDS][PH_ROWS_KINDS][2] = {                                                     \
        [PH_INSIDE] = PH_KERNEL_MIXED_ENTRY(name##_inside),                                                            \
        [PH_CUT] = PH_KERNEL_MIXED_ENTRY(name##_cut),                                                                  \
        [PH_SHIFTED] = PH_KERNEL_MIXED_ENTRY(name##_shifted),                                                          \
        [PH_SWITCHED] = PH_KERNEL_MIXED_ENTRY(name##_switched),                                                        \
    };

#endif
