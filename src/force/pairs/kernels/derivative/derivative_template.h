/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_DERIVATIVE_DERIVATIVE_TEMPLATE_H
#define PH_FORCE_PAIRS_KERNELS_DERIVATIVE_DERIVATIVE_TEMPLATE_H

/* The one source of all derivative kernels. The first arguments of derivative_kernel, up to `rows`, are constants at
 * every call, so the compiler removes unused parts of a combination. Loops are short for the reasons given in
 * kernel_template.h; rows are restrict pointers, so that sums stay in registers. */

#include "force/pairs/kernels/derivative/derivative_kernel.h"
#include "force/pairs/kernels/distance.h"
#include "potential/pair_derivative.h"

/* As PH_KERNEL_BODY of kernel_template.h */
#ifdef PH_KERNELS_AT_RUN_TIME
#define PH_DERIVATIVE_BODY ph_derivative_any
#else
#define PH_DERIVATIVE_BODY derivative_kernel
#endif

/* Results of one loop for the next */
struct derivative_work {
    PH_ALIGNED double inv_r[PH_KERNEL_ROW];
    PH_ALIGNED double s[PH_KERNEL_ROW], ds[PH_KERNEL_ROW], bend[PH_KERNEL_ROW]; /* S, S'/r, (S'' - S'/r)/r^2 */
    /* values from exponentials: radial function, or B0 and g of the screen and r */
    PH_ALIGNED double u[PH_KERNEL_ROW], w[PH_KERNEL_ROW], x[PH_KERNEL_ROW];
    PH_ALIGNED double along_r[PH_KERNEL_ROW], along_i[PH_KERNEL_ROW], along_j[PH_KERNEL_ROW], plain[PH_KERNEL_ROW];
    PH_ALIGNED double r_rate[PH_KERNEL_ROW], i_rate[PH_KERNEL_ROW], j_rate[PH_KERNEL_ROW], plain_fall[PH_KERNEL_ROW];
};

PH_INLINE void find_distances(bool slow, enum ph_truncate truncate, bool screened, double cut2, size_t n,
                              const struct ph_derivative_j *j, const struct ph_derivative_i *i,
                              struct derivative_work *work)
{
    const double *restrict rx = j->r[0], *restrict ry = j->r[1], *restrict rz = j->r[2];
    double *restrict inverse = work->inv_r, *restrict distance = work->s; /* r, until the switch takes its place */
    double *restrict screened_r = work->x;
    const double ix = i->r[0], iy = i->r[1], iz = i->r[2];
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const double x = rx[k] - ix, y = ry[k] - iy, z = rz[k] - iz;
        const double r2 = ph_fma(x, x, ph_fma(y, y, z * z)), inv_r = ph_inverse_distance(truncate, cut2, r2);
        inverse[k] = inv_r;
        if (truncate == PH_SWITCHED || slow)
            distance[k] = r2 * inv_r;
        if (screened)
            screened_r[k] = r2 * inv_r;
    }
}

PH_INLINE void find_screen(double a, size_t n, struct derivative_work *work)
{
    const double *restrict r = work->x, *restrict inverse = work->inv_r;
    double *restrict b0 = work->u, *restrict g = work->w;
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const struct ph_screen s = ph_screen(a, r[k], inverse[k]);
        b0[k] = s.b0;
        g[k] = s.g;
    }
}

PH_INLINE bool dipole_at_i(enum ph_kernel_electric electric)
{
    const enum ph_kernel_electric bare = ph_kernel_bare(electric);
    return bare == PH_KERNEL_DIPOLE_CHARGE || bare == PH_KERNEL_DIPOLE_DIPOLE;
}

PH_INLINE bool dipole_at_j(enum ph_kernel_electric electric)
{
    const enum ph_kernel_electric bare = ph_kernel_bare(electric);
    return bare == PH_KERNEL_CHARGE_DIPOLE || bare == PH_KERNEL_DIPOLE_DIPOLE;
}

PH_INLINE double dot_of(double ax, double ay, double az, double bx, double by, double bz)
{
    return ph_fma(ax, bx, ph_fma(ay, by, az * bz));
}

/* a.b + c.d */
PH_INLINE double dots_of(double ax, double ay, double az, double bx, double by, double bz, double cx, double cy,
                         double cz, double dx, double dy, double dz)
{
    return ph_fma(ax, bx, ph_fma(ay, by, ph_fma(az, bz, dot_of(cx, cy, cz, dx, dy, dz))));
}

/* One component of the force on j and of the fields of one pair */
PH_INLINE void apply_component(enum ph_kernel_electric electric, bool set, const struct bent_pair *c, double d,
                               double d_rate, double mu_i, double nu_i, double mu_j, double nu_j, double *sum,
                               double *field_sum, double *at_j, double *field_j)
{
    double force = ph_fma(c->along_r, d_rate, c->r_rate * d);
    if (dipole_at_i(electric)) {
        double field = ph_fma(c->along_i, d_rate, c->i_rate * d);
        force = ph_fma(c->along_i, nu_i, ph_fma(c->i_rate, mu_i, force));
        if (dipole_at_j(electric))
            field = ph_fma(-c->plain, nu_j, ph_fma(c->plain_fall, mu_j, field));
        *field_sum += field;
    }
    if (dipole_at_j(electric)) {
        double field = ph_fma(c->along_j, d_rate, set ? c->j_rate * d : ph_fma(c->j_rate, d, *field_j));
        force = ph_fma(c->along_j, nu_j, ph_fma(c->j_rate, mu_j, force));
        if (dipole_at_i(electric))
            field = ph_fma(-c->plain, nu_i, ph_fma(c->plain_fall, mu_i, field));
        *field_j = field;
    }
    *sum += force;
    *at_j = set ? force : *at_j + force;
}

/* d and its rate, mu_j and its rate */
struct vectors {
    double x, y, z, dx, dy, dz, mx, my, mz, nx, ny, nz;
};

PH_INLINE void find_products(enum ph_kernel_electric electric, const struct ph_derivative_i *i, const struct vectors *w,
                             struct moving_pair *v)
{
    const double ux = i->mu[0], uy = i->mu[1], uz = i->mu[2];
    const double sx = i->mu_rate[0], sy = i->mu_rate[1], sz = i->mu_rate[2];
    v->r2 = dot_of(w->x, w->y, w->z, w->x, w->y, w->z);
    v->p = dot_of(w->x, w->y, w->z, w->dx, w->dy, w->dz);
    if (dipole_at_i(electric)) {
        v->di = dot_of(ux, uy, uz, w->x, w->y, w->z);
        v->di_rate = dots_of(sx, sy, sz, w->x, w->y, w->z, ux, uy, uz, w->dx, w->dy, w->dz);
    }
    if (dipole_at_j(electric)) {
        v->dj = dot_of(w->mx, w->my, w->mz, w->x, w->y, w->z);
        v->dj_rate = dots_of(w->nx, w->ny, w->nz, w->x, w->y, w->z, w->mx, w->my, w->mz, w->dx, w->dy, w->dz);
    }
    if (dipole_at_i(electric) && dipole_at_j(electric)) {
        v->cij = dot_of(ux, uy, uz, w->mx, w->my, w->mz);
        v->cij_rate = dots_of(sx, sy, sz, w->mx, w->my, w->mz, ux, uy, uz, w->nx, w->ny, w->nz);
    }
}

/* Computes pair k. (A separate function, because gcc keeps variables of a loop whose address is taken in arrays of its
 * lanes, which it does not always vectorise for aarch64.) */
PH_INLINE struct bent_pair find_pair(enum ph_kernel_radial radial, enum ph_kernel_electric electric,
                                     enum ph_truncate truncate, enum field field, const struct ph_pair_term *t,
                                     const struct ph_derivative_i *i, const struct vectors *q,
                                     const struct derivative_work *work, size_t k)
{
    struct moving_pair v = {.inv_r = work->inv_r[k]};
    if (truncate == PH_SWITCHED)
        v.s = (struct switched){work->s[k], work->ds[k], work->bend[k]};
    if (is_slow(radial) || ph_kernel_screened(electric))
        v.slow = (struct ph_radial_bend){work->u[k], work->w[k], work->x[k]};
    find_products(electric, i, q, &v);
    return bend_pair(radial, electric, truncate, field, t, &v);
}

/* Finds the coefficients of all pairs and stores them, applies stored ones, or does both at once */
PH_INLINE void go_through(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                          enum field field, bool set, bool find, bool apply, const struct ph_pair_term *t, size_t n,
                          const struct ph_derivative_j *j, struct ph_derivative_i *i, struct derivative_work *work)
{
    const double *restrict rx = j->r[0], *restrict ry = j->r[1], *restrict rz = j->r[2];
    const double *restrict vx = j->r_rate[0], *restrict vy = j->r_rate[1], *restrict vz = j->r_rate[2];
    const double *restrict mx = j->mu[0], *restrict my = j->mu[1], *restrict mz = j->mu[2];
    const double *restrict nx = j->mu_rate[0], *restrict ny = j->mu_rate[1], *restrict nz = j->mu_rate[2];
    double *restrict gx = j->force[0], *restrict gy = j->force[1], *restrict gz = j->force[2];
    double *restrict hx = j->field[0], *restrict hy = j->field[1], *restrict hz = j->field[2];
    double *restrict along_r = work->along_r, *restrict along_i = work->along_i, *restrict along_j = work->along_j;
    double *restrict r_rate = work->r_rate, *restrict i_rate = work->i_rate, *restrict j_rate = work->j_rate;
    double *restrict plain = work->plain, *restrict plain_fall = work->plain_fall;
    const struct ph_derivative_i a = *i;
    double fx[PH_LANES] = {0.0}, fy[PH_LANES] = {0.0}, fz[PH_LANES] = {0.0}, ex[PH_LANES] = {0.0}, ey[PH_LANES] = {0.0},
           ez[PH_LANES] = {0.0};
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t k = first + l;
            struct vectors q = {.x = rx[k] - a.r[0], .y = ry[k] - a.r[1], .z = rz[k] - a.r[2]};
            q.dx = vx[k] - a.r_rate[0], q.dy = vy[k] - a.r_rate[1], q.dz = vz[k] - a.r_rate[2];
            if (dipole_at_j(electric)) {
                q.mx = mx[k], q.my = my[k], q.mz = mz[k];
                q.nx = nx[k], q.ny = ny[k], q.nz = nz[k];
            }
            struct bent_pair c;
            if (find) {
                c = find_pair(radial, electric, truncate, field, t, &a, &q, work, k);
            } else {
                c = (struct bent_pair){along_r[k], along_i[k], along_j[k], plain[k],
                                       r_rate[k],  i_rate[k],  j_rate[k],  plain_fall[k]};
            }
            if (apply) {
                apply_component(electric, set, &c, q.x, q.dx, a.mu[0], a.mu_rate[0], q.mx, q.nx, &fx[l], &ex[l], &gx[k],
                                &hx[k]);
                apply_component(electric, set, &c, q.y, q.dy, a.mu[1], a.mu_rate[1], q.my, q.ny, &fy[l], &ey[l], &gy[k],
                                &hy[k]);
                apply_component(electric, set, &c, q.z, q.dz, a.mu[2], a.mu_rate[2], q.mz, q.nz, &fz[l], &ez[l], &gz[k],
                                &hz[k]);
            } else {
                along_r[k] = c.along_r, along_i[k] = c.along_i, along_j[k] = c.along_j, plain[k] = c.plain;
                r_rate[k] = c.r_rate, i_rate[k] = c.i_rate, j_rate[k] = c.j_rate, plain_fall[k] = c.plain_fall;
            }
        }
    }
    i->force[0] -= ph_add_up(fx);
    i->force[1] -= ph_add_up(fy);
    i->force[2] -= ph_add_up(fz);
    i->field[0] += ph_add_up(ex);
    i->field[1] += ph_add_up(ey);
    i->field[2] += ph_add_up(ez);
}

PH_INLINE void derivative_kernel(enum ph_kernel_radial radial, enum ph_kernel_electric electric,
                                 enum ph_truncate truncate, enum ph_kernel_rows rows, const struct ph_pair_term *term,
                                 size_t n, const struct ph_derivative_j *sites, struct ph_derivative_i *i)
{
    struct derivative_work work;
    const struct ph_derivative_j j = *sites;
    struct ph_derivative_i a = *i;
    struct ph_pair_term t = *term;
    t.rf *= t.strength; /* all of h is multiplied by it */
    t.rf_zero *= t.strength;
    t.electric.c0 *= t.strength;
    t.electric.c1 *= t.strength;
    const bool set = rows == PH_ROWS_RELATIVE_SET;
    for (int x = 0; x < 3 && rows != PH_ROWS_ADD; ++x)
        a.r[x] = a.r_rate[x] = 0.0; /* constants: the subtractions disappear */
    const bool screened = ph_kernel_screened(electric);
    find_distances(is_slow(radial), truncate, screened, t.cut2, n, &j, &a, &work);
    if (is_slow(radial)) /* before the switch takes the place of r */
        ph_formula_bend_row(&term->formula, n, work.s, work.inv_r, work.u, work.w, work.x);
    if (truncate == PH_SWITCHED) /* not &t, see kernel_template.h */
        ph_switch_bend_row(term, n, work.inv_r, work.s, work.ds, work.bend);
    if (screened)
        find_screen(t.screening, n, &work);
    const bool smooth = ph_kernel_may_be_smooth(electric, truncate) && t.field.edge > 0.0;
    const bool split = ph_kernel_may_be_split(electric, truncate) && t.split;
    if (ph_kernel_bare(electric) != PH_KERNEL_DIPOLE_DIPOLE) {
        if (smooth)
            go_through(radial, electric, truncate, SMOOTH_FIELD, set, true, true, &t, n, &j, &a, &work);
        else if (split)
            go_through(radial, electric, truncate, SPLIT_FIELD, set, true, true, &t, n, &j, &a, &work);
        else
            go_through(radial, electric, truncate, NO_FIELD, set, true, true, &t, n, &j, &a, &work);
    } else { /* too much for the registers of one loop */
        if (smooth)
            go_through(radial, electric, truncate, SMOOTH_FIELD, set, true, false, &t, n, &j, &a, &work);
        else if (split)
            go_through(radial, electric, truncate, SPLIT_FIELD, set, true, false, &t, n, &j, &a, &work);
        else if (!screened && t.rf != 0.0)
            go_through(radial, electric, truncate, SHARP_FIELD, set, true, false, &t, n, &j, &a, &work);
        else
            go_through(radial, electric, truncate, NO_FIELD, set, true, false, &t, n, &j, &a, &work);
        go_through(radial, electric, truncate, NO_FIELD, set, false, true, &t, n, &j, &a, &work);
    }
    *i = a;
}

/* All functions of one combination of terms, as an array [truncate][rows]; for missing ones see kernel_template.h */
#define PH_DERIVATIVE_COMBINATION(name, radial, electric)                                                              \
    PH_INLINE void name(enum ph_truncate truncate, enum ph_kernel_rows rows, const struct ph_pair_term *term,          \
                        size_t n, const struct ph_derivative_j *j, struct ph_derivative_i *i)                          \
    {                                                                                                                  \
        PH_DERIVATIVE_BODY(radial, electric, truncate, rows, term, n, j, i);                                           \
    }
#define PH_DERIVATIVE_FUNCTION(name, combination, truncate, rows)                                                      \
    static void name(const struct ph_pair_term *term, size_t n, const struct ph_derivative_j *j,                       \
                     struct ph_derivative_i *i)                                                                        \
    {                                                                                                                  \
        combination(truncate, rows, term, n, j, i);                                                                    \
    }
#define PH_DERIVATIVE_THREE(name, combination, truncate)                                                               \
    PH_DERIVATIVE_FUNCTION(name##_add, combination, truncate, PH_ROWS_ADD)                                             \
    PH_DERIVATIVE_FUNCTION(name##_near_set, combination, truncate, PH_ROWS_RELATIVE_SET)                               \
    PH_DERIVATIVE_FUNCTION(name##_near_add, combination, truncate, PH_ROWS_RELATIVE_ADD)
#define PH_DERIVATIVE_ENTRY(name)                                                                                      \
    {                                                                                                                  \
        name##_add, name##_near_set, name##_near_add                                                                   \
    }
#define PH_DERIVATIVE_FAMILY(name, radial, electric)                                                                   \
    PH_DERIVATIVE_COMBINATION(name##_of, radial, electric)                                                             \
    PH_DERIVATIVE_FUNCTION(name##_endless_add, name##_of, PH_ENDLESS, PH_ROWS_ADD)                                     \
    PH_DERIVATIVE_THREE(name##_inside, name##_of, PH_INSIDE)                                                           \
    PH_DERIVATIVE_THREE(name##_cut, name##_of, PH_CUT)                                                                 \
    PH_DERIVATIVE_THREE(name##_shifted, name##_of, PH_SHIFTED)                                                         \
    PH_DERIVATIVE_THREE(name##_switched, name##_of, PH_SWITCHED)                                                       \
    ph_derivative_kernel *const name[PH_TRUNCATE_KINDS][PH_ROWS_KINDS] = {                                             \
        [PH_ENDLESS] = {name##_endless_add},                                                                           \
        [PH_INSIDE] = PH_DERIVATIVE_ENTRY(name##_inside),                                                              \
        [PH_CUT] = PH_DERIVATIVE_ENTRY(name##_cut),                                                                    \
        [PH_SHIFTED] = PH_DERIVATIVE_ENTRY(name##_shifted),                                                            \
        [PH_SWITCHED] = PH_DERIVATIVE_ENTRY(name##_switched),                                                          \
    };
#define PH_DERIVATIVE_SCREENED_FAMILY(name, electric)                                                                  \
    PH_DERIVATIVE_COMBINATION(name##_of, PH_KERNEL_NO_RADIAL, electric)                                                \
    PH_DERIVATIVE_THREE(name##_inside, name##_of, PH_INSIDE)                                                           \
    PH_DERIVATIVE_THREE(name##_cut, name##_of, PH_CUT)                                                                 \
    PH_DERIVATIVE_THREE(name##_switched, name##_of, PH_SWITCHED)                                                       \
    ph_derivative_kernel *const name[PH_TRUNCATE_KINDS][PH_ROWS_KINDS] = {                                             \
        [PH_INSIDE] = PH_DERIVATIVE_ENTRY(name##_inside),                                                              \
        [PH_CUT] = PH_DERIVATIVE_ENTRY(name##_cut),                                                                    \
        [PH_SHIFTED] = PH_DERIVATIVE_ENTRY(name##_cut),                                                                \
        [PH_SWITCHED] = PH_DERIVATIVE_ENTRY(name##_switched),                                                          \
    };
#define PH_DERIVATIVE_ENDED_FAMILY(name, radial)                                                                       \
    PH_DERIVATIVE_COMBINATION(name##_of, radial, PH_KERNEL_NO_ELECTRIC)                                                \
    PH_DERIVATIVE_THREE(name##_inside, name##_of, PH_INSIDE)                                                           \
    ph_derivative_kernel *const name[PH_TRUNCATE_KINDS][PH_ROWS_KINDS] = {                                             \
        [PH_ENDLESS] = PH_DERIVATIVE_ENTRY(name##_inside),  [PH_INSIDE] = PH_DERIVATIVE_ENTRY(name##_inside),          \
        [PH_CUT] = PH_DERIVATIVE_ENTRY(name##_inside),      [PH_SHIFTED] = PH_DERIVATIVE_ENTRY(name##_inside),         \
        [PH_SWITCHED] = PH_DERIVATIVE_ENTRY(name##_inside),                                                            \
    };

#endif
