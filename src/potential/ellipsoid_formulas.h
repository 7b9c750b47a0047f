/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_ELLIPSOID_FORMULAS_H
#define PH_POTENTIAL_ELLIPSOID_FORMULAS_H

/* The formulas of ellipsoids, Gay-Berne and RE-squared, as potential/angular_formulas.h says. */

#include "base/library.h"
#include "potential/angular.h"
#include "potential/angular_scalars.h"

#include <stdbool.h>
#include <string.h>

/* Axes of a tensor with three values: all three, the one that differs, or none */
static inline size_t ph_ellipsoid_axes(const double one[3], const double other[3], size_t axis[3])
{
    bool equal[3];
    for (int x = 0; x < 3; ++x) /* the two values other than x */
        equal[x] = one[(x + 1) % 3] == one[(x + 2) % 3] && other[(x + 1) % 3] == other[(x + 2) % 3];
    const size_t unique = equal[2] ? 2 : equal[0] ? 0 : 1;
    for (size_t x = 0; x < 3; ++x)
        axis[x] = x;
    if (equal[0] && equal[1])
        return 0;
    if (!equal[unique])
        return 3;
    axis[0] = unique;
    return 1;
}

/* Values of a tensor in the order of the axes that kernels have: of one axis the value along it, then two across */
static inline void ph_ellipsoid_values(const double value[3], size_t n_axes, const size_t axis[3], double out[3])
{
    for (size_t x = 0; x < 3; ++x)
        out[x] = n_axes == 1 ? value[(axis[0] + x) % 3] : value[x];
}

/* det M, and n.(M^-1 n) */
struct ph_solved {
    struct ph_dual det, along_n;
};

/* A symmetric matrix */
struct ph_moving_matrix {
    struct ph_moving xx, yy, zz, xy, xz, yz;
};

/* The matrix of all its minors, with signs: det M times M^-1 */
PH_INLINE struct ph_moving_matrix ph_minors(const struct ph_moving_matrix *m)
{
    return (struct ph_moving_matrix){
        ph_moving_minor(m->yy, m->zz, m->yz, m->yz), /* xx, yy, zz */
        ph_moving_minor(m->xx, m->zz, m->xz, m->xz), ph_moving_minor(m->xx, m->yy, m->xy, m->xy),
        ph_moving_minor(m->xz, m->yz, m->xy, m->zz), /* xy, xz, yz */
        ph_moving_minor(m->xy, m->yz, m->xz, m->yy), ph_moving_minor(m->xy, m->xz, m->xx, m->yz)};
}

/* A vector */
struct ph_moving_vector {
    struct ph_moving x, y, z;
};

PH_INLINE struct ph_moving_vector ph_moving_turn(const struct ph_moving_matrix *m, struct ph_moving_vector a)
{
    return (struct ph_moving_vector){ph_moving_dot(m->xx, m->xy, m->xz, a.x, a.y, a.z),
                                     ph_moving_dot(m->xy, m->yy, m->yz, a.x, a.y, a.z),
                                     ph_moving_dot(m->xz, m->yz, m->zz, a.x, a.y, a.z)};
}

/* m + scale a a */
PH_INLINE struct ph_moving_matrix ph_add_square(struct ph_moving_matrix m, double scale, struct ph_moving_vector a)
{
    const struct ph_moving x = ph_moving_times(scale, a.x), y = ph_moving_times(scale, a.y);
    const struct ph_moving z = ph_moving_times(scale, a.z);
    return (struct ph_moving_matrix){ph_moving_fma(x, a.x, m.xx), ph_moving_fma(y, a.y, m.yy),
                                     ph_moving_fma(z, a.z, m.zz), ph_moving_fma(x, a.y, m.xy),
                                     ph_moving_fma(x, a.z, m.xz), ph_moving_fma(y, a.z, m.yz)};
}

/* t0 x + t1 y + t2 z */
PH_INLINE struct ph_moving ph_sum_of(const double t[3], struct ph_moving x, struct ph_moving y, struct ph_moving z)
{
    const struct ph_moving a = ph_moving_constant(t[0]), b = ph_moving_constant(t[1]), c = ph_moving_constant(t[2]);
    return ph_moving_dot(a, b, c, x, y, z);
}

/* M = T1 + T2, or w1 T1 + w2 T2 if it is weighted, in the frame of T1, which has three axes: T1 is diagonal, with the
 * values `own`. n and the axes c of T2, with the values `other`, are given there. With w = M^-1 n and minors A,
 *   f = n.w,  df = 2 w.dn - w.(dM w),  d det = A:dM,
 * and T2 = t + (t0 - t) c0 c0 + (t1 - t) c1 c1 gives w.(dT2 w) = 2 sum of (tk - t)(w.ck)(w.dck), and A:dT2 = 2 sum of
 * (tk - t)(A ck).dck. t is the value along the last axis: axes are orthonormal. */
PH_SPECIALISED struct ph_solved ph_solve_turned(const double own[3], const double other[3], bool weighted,
                                                struct ph_dual own_w, struct ph_dual other_w, int n_axes,
                                                struct ph_dual x, struct ph_dual y, struct ph_dual z,
                                                const struct ph_dual c[PH_AXES_MAX][PH_AXES_MAX])
{
    const struct ph_moving none = ph_moving_constant(0.0);
    const double last = n_axes == 3 ? other[2] : other[1];
    const double scale0 = other[0] - last, scale1 = other[1] - last;
    const struct ph_moving iso = ph_moving_constant(last);
    const struct ph_moving_vector n = {ph_moving_of(x), ph_moving_of(y), ph_moving_of(z)};
    const struct ph_moving_vector c0 = {ph_moving_of(c[0][0]), ph_moving_of(c[1][0]), ph_moving_of(c[2][0])};
    const struct ph_moving_vector c1 = {ph_moving_of(c[0][1]), ph_moving_of(c[1][1]), ph_moving_of(c[2][1])};
    struct ph_moving_matrix t2 = {iso, iso, iso, none, none, none};
    if (n_axes > 0)
        t2 = ph_add_square(t2, scale0, c0);
    if (n_axes > 1)
        t2 = ph_add_square(t2, scale1, c1);
    struct ph_moving_matrix m = t2;
    const struct ph_moving w1 = ph_moving_of(own_w), w2 = ph_moving_of(other_w);
    if (weighted) {
        m.xx = ph_moving_fma(w2, t2.xx, ph_moving_times(own[0], w1));
        m.yy = ph_moving_fma(w2, t2.yy, ph_moving_times(own[1], w1));
        m.zz = ph_moving_fma(w2, t2.zz, ph_moving_times(own[2], w1));
        m.xy = ph_moving_product(w2, t2.xy);
        m.xz = ph_moving_product(w2, t2.xz);
        m.yz = ph_moving_product(w2, t2.yz);
    } else {
        m.xx.v += own[0];
        m.yy.v += own[1];
        m.zz.v += own[2];
    }
    const struct ph_moving_matrix a = ph_minors(&m);
    const struct ph_moving det = ph_moving_dot(m.xx, m.xy, m.xz, a.xx, a.xy, a.xz), inverse = ph_moving_inverse(det);
    const struct ph_moving_vector an = ph_moving_turn(&a, n);
    const struct ph_moving_vector w = {ph_moving_product(an.x, inverse), ph_moving_product(an.y, inverse),
                                       ph_moving_product(an.z, inverse)};
    struct ph_solved f = {ph_dual_begin(det), ph_dual_begin(ph_moving_dot(n.x, n.y, n.z, w.x, w.y, w.z))};
    f.along_n = ph_dual_through(f.along_n, ph_moving_times(2.0, w.x), x);
    f.along_n = ph_dual_through(f.along_n, ph_moving_times(2.0, w.y), y);
    f.along_n = ph_dual_through(f.along_n, ph_moving_times(2.0, w.z), z);
#define PH_THROUGH_AXIS(k, scale, ck)                                                                                  \
    {                                                                                                                  \
        const struct ph_moving twice =                                                                                 \
            weighted ? ph_moving_times(2.0 * (scale), w2) : ph_moving_constant(2.0 * (scale));                         \
        const struct ph_moving along = ph_moving_product(twice, ph_moving_dot(w.x, w.y, w.z, ck.x, ck.y, ck.z));       \
        const struct ph_moving less = ph_moving_times(-1.0, along);                                                    \
        const struct ph_moving_vector ac = ph_moving_turn(&a, ck);                                                     \
        f.along_n = ph_dual_through(f.along_n, ph_moving_product(less, w.x), c[0][k]);                                 \
        f.along_n = ph_dual_through(f.along_n, ph_moving_product(less, w.y), c[1][k]);                                 \
        f.along_n = ph_dual_through(f.along_n, ph_moving_product(less, w.z), c[2][k]);                                 \
        f.det = ph_dual_through(f.det, ph_moving_product(twice, ac.x), c[0][k]);                                       \
        f.det = ph_dual_through(f.det, ph_moving_product(twice, ac.y), c[1][k]);                                       \
        f.det = ph_dual_through(f.det, ph_moving_product(twice, ac.z), c[2][k]);                                       \
    }
    if (n_axes > 0)
        PH_THROUGH_AXIS(0, scale0, c0)
    if (n_axes > 1)
        PH_THROUGH_AXIS(1, scale1, c1)
#undef PH_THROUGH_AXIS
    if (weighted) {
        const struct ph_moving_vector tw = ph_moving_turn(&t2, w);
        const struct ph_moving x2 = ph_moving_product(w.x, w.x), y2 = ph_moving_product(w.y, w.y);
        const struct ph_moving z2 = ph_moving_product(w.z, w.z);
        const struct ph_moving across = ph_moving_dot(a.xy, a.xz, a.yz, t2.xy, t2.xz, t2.yz);
        const struct ph_moving straight = ph_moving_dot(a.xx, a.yy, a.zz, t2.xx, t2.yy, t2.zz);
        f.det = ph_dual_through(f.det, ph_sum_of(own, a.xx, a.yy, a.zz), own_w);
        f.det = ph_dual_through(f.det, ph_moving_fma(ph_moving_constant(2.0), across, straight), other_w);
        f.along_n = ph_dual_through(f.along_n, ph_moving_times(-1.0, ph_sum_of(own, x2, y2, z2)), own_w);
        f.along_n =
            ph_dual_through(f.along_n, ph_moving_times(-1.0, ph_moving_dot(w.x, w.y, w.z, tw.x, tw.y, tw.z)), other_w);
    }
    return f;
}

/* M = T1 + T2, or w1 T1 + w2 T2 if it is weighted. The tensors T have values t in the frames of
 * the sites. In the frame of a site with three axes; else by M = alpha + beta a a' + gamma b b'. */
PH_SPECIALISED struct ph_solved ph_solve_tensors(const double t1[3], const double t2[3], bool weighted,
                                                 struct ph_dual w1, struct ph_dual w2, int na, int nb,
                                                 const struct ph_angular_scalars *s)
{
    if (na == 3)
        return ph_solve_turned(t1, t2, weighted, w1, w2, nb, s->p[0], s->p[1], s->p[2], s->c);
    if (nb == 3) {
        const struct ph_dual back[PH_AXES_MAX][PH_AXES_MAX] = {/* no loop: compilers would keep it in memory */
                                                               {s->c[0][0], s->c[1][0], s->c[2][0]},
                                                               {s->c[0][1], s->c[1][1], s->c[2][1]},
                                                               {s->c[0][2], s->c[1][2], s->c[2][2]}};
        return ph_solve_turned(t2, t1, weighted, w2, w1, na, s->q[0], s->q[1], s->q[2], back);
    }
    const struct ph_dual alpha = ph_dual_add(ph_dual_times(t1[1], w1), ph_dual_times(t2[1], w2));
    const struct ph_dual beta = ph_dual_times(t1[0] - t1[1], w1), gamma = ph_dual_times(t2[0] - t2[1], w2);
    const struct ph_dual p = s->p[0], q = s->q[0], c = s->c[0][0];
    const struct ph_dual both = ph_dual_product(beta, gamma), with_a = ph_dual_add(alpha, beta);
    const struct ph_dual with_b = ph_dual_add(alpha, gamma);
    const struct ph_dual d =
        ph_dual_subtract(ph_dual_product(with_a, with_b), ph_dual_product(both, ph_dual_square(c)));
    const struct ph_dual less =
        ph_dual_subtract(ph_dual_add(ph_dual_product(ph_dual_product(beta, with_b), ph_dual_square(p)),
                                     ph_dual_product(ph_dual_product(gamma, with_a), ph_dual_square(q))),
                         ph_dual_times(2.0, ph_dual_product(ph_dual_product(both, c), ph_dual_product(p, q))));
    const struct ph_dual det = ph_dual_product(alpha, d);
    return (struct ph_solved){det, ph_dual_product(ph_dual_subtract(d, less), ph_dual_inverse(det))};
}

/* n.(T n) of a tensor with values t along these axes, where p = a.n */
PH_INLINE struct ph_dual ph_along_n(const double t[3], int n_axes, const struct ph_dual p[PH_AXES_MAX])
{
    if (n_axes == 0)
        return ph_dual_constant(t[1]);
    if (n_axes == 1)
        return ph_dual_plus(ph_dual_times(t[0] - t[1], ph_dual_square(p[0])), t[1]);
    return ph_dual_add(
        ph_dual_times(t[0], ph_dual_square(p[0])),
        ph_dual_add(ph_dual_times(t[1], ph_dual_square(p[1])), ph_dual_times(t[2], ph_dual_square(p[2]))));
}

/* The distance between centres at which two ellipsoids touch, from n.(G^-1 n) with G the sum of squared half axes */
PH_INLINE struct ph_dual ph_contact(struct ph_dual along_n)
{
    return ph_dual_inverse_sqrt(ph_dual_times(0.5, along_n));
}

/* ---- Gay-Berne: R. Berardi, C. Fava, C. Zannoni, Chem. Phys. Lett. 297 (1998) 8 ----
 *
 *   G = S1^2 + S2^2,  B = E1^(-1/mu) + E2^(-1/mu) in space,  s12 = (n.G^-1 n/2)^(-1/2)
 *   rho = sigma/(r - s12 + gamma sigma),  eta = [2 l1 l2/det G]^(nu/2),  l = (Sx Sy + Sz^2) sqrt(Sx Sy)
 *   chi = [2 n.B^-1 n]^mu,  u = 4 eps (rho^12 - rho^6) eta chi */

enum ph_gb_constants {
    PH_GBC_S1, /* squares of half axes */
    PH_GBC_S2 = 3,
    PH_GBC_E1 = 6, /* wells^(-1/mu) */
    PH_GBC_E2 = 9,
    PH_GBC_FOUR_EPSILON = 12,
    PH_GBC_SIGMA,
    PH_GBC_SHIFT, /* gamma sigma */
    PH_GBC_ETA,   /* 2 l1 l2 */
    PH_GBC_HALF_NU,
    PH_GBC_MU
};

static inline size_t ph_gay_berne_axes(const struct ph_angular *a, size_t axis[3])
{
    return ph_ellipsoid_axes(&a->number[PH_GB_HALF], &a->number[PH_GB_WELL], axis);
}

static inline double ph_gay_berne_size(const struct ph_angular *a)
{
    const double *s = &a->number[PH_GB_HALF];
    return 2.0 * fmin(s[0], fmin(s[1], s[2]));
}

static inline double ph_gay_berne_depth(const struct ph_angular *a) { return a->number[PH_GB_EPSILON]; }

/* A Lennard-Jones site is a sphere of diameter sigma. */
static inline bool ph_gay_berne_of_radial(const struct ph_angular *partner, const struct ph_radial *radial,
                                          struct ph_angular *out)
{
    *out = *partner;
    out->number[PH_GB_EPSILON] = radial->epsilon;
    out->number[PH_GB_SIGMA] = radial->sigma;
    for (int x = 0; x < 3; ++x) {
        out->number[PH_GB_HALF + x] = 0.5 * radial->sigma;
        out->number[PH_GB_WELL + x] = 1.0;
    }
    return radial->kind == PH_RADIAL_MIE && radial->repulsive == 12.0 && radial->attractive == 6.0;
}

/* Squares of half axes and powers of wells of one site, and its l */
static inline double ph_gay_berne_site(const struct ph_angular *a, double mu, double s2[3], double e[3])
{
    size_t axis[3];
    const size_t n = ph_gay_berne_axes(a, axis);
    const double *half = &a->number[PH_GB_HALF];
    double well[3];
    for (int x = 0; x < 3; ++x)
        well[x] = ph_library_pow(a->number[PH_GB_WELL + x], -1.0 / mu);
    ph_ellipsoid_values(well, n, axis, e);
    ph_ellipsoid_values(half, n, axis, s2);
    for (int x = 0; x < 3; ++x)
        s2[x] *= s2[x];
    return (half[0] * half[1] + half[2] * half[2]) * sqrt(half[0] * half[1]);
}

static inline void ph_gay_berne_constants(const struct ph_angular *one, const struct ph_angular *other,
                                          const struct ph_angular *pair, double k[PH_ANGULAR_CONSTANTS])
{
    const double *number = pair->number, mu = number[PH_GB_MU];
    const double l1 = ph_gay_berne_site(one, mu, k + PH_GBC_S1, k + PH_GBC_E1);
    const double l2 = ph_gay_berne_site(other, mu, k + PH_GBC_S2, k + PH_GBC_E2);
    k[PH_GBC_FOUR_EPSILON] = 4.0 * number[PH_GB_EPSILON];
    k[PH_GBC_SIGMA] = number[PH_GB_SIGMA];
    k[PH_GBC_SHIFT] = number[PH_GB_GAMMA] * number[PH_GB_SIGMA];
    k[PH_GBC_ETA] = 2.0 * l1 * l2;
    k[PH_GBC_HALF_NU] = 0.5 * number[PH_GB_NU];
    k[PH_GBC_MU] = mu;
}

PH_INLINE struct ph_dual ph_gay_berne(const double *k, int na, int nb, const struct ph_angular_scalars *s)
{
    const struct ph_dual one = ph_dual_constant(1.0);
    const struct ph_solved g = ph_solve_tensors(k + PH_GBC_S1, k + PH_GBC_S2, false, one, one, na, nb, s);
    const struct ph_solved b = ph_solve_tensors(k + PH_GBC_E1, k + PH_GBC_E2, false, one, one, na, nb, s);
    const struct ph_dual h = ph_dual_plus(ph_dual_subtract(s->r, ph_contact(g.along_n)), k[PH_GBC_SHIFT]);
    const struct ph_dual rho = ph_dual_times(k[PH_GBC_SIGMA], ph_dual_inverse(h));
    const struct ph_dual rho3 = ph_dual_product(rho, ph_dual_square(rho)), rho6 = ph_dual_square(rho3);
    const struct ph_dual well = ph_dual_product(rho6, ph_dual_plus(rho6, -1.0));
    const struct ph_dual eta = ph_dual_power(ph_dual_times(k[PH_GBC_ETA], ph_dual_inverse(g.det)), k[PH_GBC_HALF_NU]);
    const struct ph_dual chi = ph_dual_power(ph_dual_times(2.0, b.along_n), k[PH_GBC_MU]);
    const struct ph_dual u = ph_dual_times(k[PH_GBC_FOUR_EPSILON], ph_dual_product(well, ph_dual_product(eta, chi)));
    return ph_dual_wall(u, h.v <= 0.0);
}

/* ---- RE-squared: R. Everaers, M. R. Ejtehadi, Phys. Rev. E 67 (2003) 041710 ----
 *
 *   h = r - s12 with s12, S as above,  y^2 = n.S^-2 n of each,  P = Sx Sy Sz,
 *   eta = [P1 y1^2 + P2 y2^2] / sqrt(det(y1 S1^2 + y2 S2^2)/(1/y1 + 1/y2))
 *   chi = 2 n.(E1 + E2)^-1 n,  t = eta chi sigma/h
 *   uA = -(A/36) (1 + 3 t) prod S/(S + h/2),  uR = (A/2025) (sigma/h)^6 (1 + (45/56) t) prod S/(S + h/60^(1/3))
 *
 * The products are over all half axes of both sites. */

enum ph_re_constants {
    PH_REC_S1, /* squares of half axes */
    PH_REC_S2 = 3,
    PH_REC_I1 = 6, /* their inverses */
    PH_REC_I2 = 9,
    PH_REC_E1 = 12, /* wells */
    PH_REC_E2 = 15,
    PH_REC_HAMAKER = 18,
    PH_REC_SIGMA,
    PH_REC_P1, /* products of half axes */
    PH_REC_P2
};

static inline size_t ph_re_squared_axes(const struct ph_angular *a, size_t axis[3])
{
    return ph_ellipsoid_axes(&a->number[PH_RE_HALF], &a->number[PH_RE_WELL], axis);
}

static inline double ph_re_squared_size(const struct ph_angular *a)
{
    const double *s = &a->number[PH_RE_HALF];
    return 2.0 * fmin(s[0], fmin(s[1], s[2]));
}

static inline double ph_re_squared_depth(const struct ph_angular *a) { return a->number[PH_RE_HAMAKER]; }

static inline bool ph_re_squared_of_radial(const struct ph_angular *partner, const struct ph_radial *radial,
                                           struct ph_angular *out)
{
    (void)radial;
    *out = *partner;
    return false;
}

static inline double ph_re_squared_site(const struct ph_angular *a, double s2[3], double inverse[3], double e[3])
{
    size_t axis[3];
    const size_t n = ph_re_squared_axes(a, axis);
    const double *half = &a->number[PH_RE_HALF];
    ph_ellipsoid_values(&a->number[PH_RE_WELL], n, axis, e);
    ph_ellipsoid_values(half, n, axis, s2);
    for (int x = 0; x < 3; ++x) {
        s2[x] *= s2[x];
        inverse[x] = 1.0 / s2[x];
    }
    return half[0] * half[1] * half[2];
}

static inline void ph_re_squared_constants(const struct ph_angular *one, const struct ph_angular *other,
                                           const struct ph_angular *pair, double k[PH_ANGULAR_CONSTANTS])
{
    k[PH_REC_P1] = ph_re_squared_site(one, k + PH_REC_S1, k + PH_REC_I1, k + PH_REC_E1);
    k[PH_REC_P2] = ph_re_squared_site(other, k + PH_REC_S2, k + PH_REC_I2, k + PH_REC_E2);
    k[PH_REC_HAMAKER] = pair->number[PH_RE_HAMAKER];
    k[PH_REC_SIGMA] = pair->number[PH_RE_SIGMA];
}

/* prod over the half axes of a site of (S + c h) */
PH_INLINE struct ph_dual ph_widened(const double s2[3], double c, struct ph_dual h)
{
    const struct ph_dual x = ph_dual_plus(ph_dual_times(c, h), sqrt(s2[0]));
    const struct ph_dual y = ph_dual_plus(ph_dual_times(c, h), sqrt(s2[1]));
    const struct ph_dual z = ph_dual_plus(ph_dual_times(c, h), sqrt(s2[2]));
    return ph_dual_product(x, ph_dual_product(y, z));
}

PH_INLINE struct ph_dual ph_re_squared(const double *k, int na, int nb, const struct ph_angular_scalars *s)
{
    const double volume = k[PH_REC_P1] * k[PH_REC_P2], third = 0.25543647746451770; /* 60^(-1/3) */
    const struct ph_dual one = ph_dual_constant(1.0);
    const struct ph_solved g = ph_solve_tensors(k + PH_REC_S1, k + PH_REC_S2, false, one, one, na, nb, s);
    const struct ph_solved e = ph_solve_tensors(k + PH_REC_E1, k + PH_REC_E2, false, one, one, na, nb, s);
    const struct ph_dual h = ph_dual_subtract(s->r, ph_contact(g.along_n)), inverse_h = ph_dual_inverse(h);
    const struct ph_dual y1_2 = ph_along_n(k + PH_REC_I1, na, s->p), y2_2 = ph_along_n(k + PH_REC_I2, nb, s->q);
    const struct ph_dual radius1 = ph_dual_inverse_sqrt(y1_2), radius2 = ph_dual_inverse_sqrt(y2_2);
    const struct ph_dual y1 = ph_dual_product(y1_2, radius1), y2 = ph_dual_product(y2_2, radius2);
    const struct ph_solved w = ph_solve_tensors(k + PH_REC_S1, k + PH_REC_S2, true, y1, y2, na, nb, s);
    const struct ph_dual curved =
        ph_dual_inverse_sqrt(ph_dual_product(w.det, ph_dual_inverse(ph_dual_add(radius1, radius2))));
    const struct ph_dual eta =
        ph_dual_product(ph_dual_add(ph_dual_times(k[PH_REC_P1], y1_2), ph_dual_times(k[PH_REC_P2], y2_2)), curved);
    const struct ph_dual ratio = ph_dual_times(k[PH_REC_SIGMA], inverse_h);
    const struct ph_dual t = ph_dual_product(ph_dual_product(eta, ph_dual_times(2.0, e.along_n)), ratio);
    const struct ph_dual wide = ph_dual_product(ph_widened(k + PH_REC_S1, 0.5, h), ph_widened(k + PH_REC_S2, 0.5, h));
    const struct ph_dual narrow =
        ph_dual_product(ph_widened(k + PH_REC_S1, third, h), ph_widened(k + PH_REC_S2, third, h));
    const struct ph_dual attraction = ph_dual_product(ph_dual_plus(ph_dual_times(3.0, t), 1.0), ph_dual_inverse(wide));
    const struct ph_dual ratio3 = ph_dual_product(ratio, ph_dual_square(ratio));
    const struct ph_dual repulsion =
        ph_dual_product(ph_dual_product(ph_dual_square(ratio3), ph_dual_plus(ph_dual_times(45.0 / 56.0, t), 1.0)),
                        ph_dual_inverse(narrow));
    const struct ph_dual u = ph_dual_add(ph_dual_times(-k[PH_REC_HAMAKER] * volume / 36.0, attraction),
                                         ph_dual_times(k[PH_REC_HAMAKER] * volume / 2025.0, repulsion));
    return ph_dual_wall(u, h.v <= 0.0);
}

#endif
