/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_ANGULAR_TURNED_H
#define PH_FORCE_PAIRS_KERNELS_ANGULAR_TURNED_H

/* Derivatives of two bodies with three axes each: seven directions in place of sixteen scalars.
 *
 * In the frame of body i, n has the components p, and axis b of body j has the components c_ab. So q is no scalar of
 * its own: q_b = sum over a of c_ab p_a. And body j turns as a whole: in place of nine c there are turns about three
 * axes e_k of body i, dc_b = e_k x c_b. From tau_k, the derivatives of u by these turns, u_c = (tau x c_b)/2 has the
 * same torques: the sum over b of c_b x u_c is tau, because axes are orthonormal. */

#include "potential/angular_formulas.h"

enum { PH_TURNED_DIRECTIONS = 7 }; /* r, p; turns about three axes */

/* The scalars with their derivatives by r and p (on[0] = 1), or by the turns, of which the fourth is none (on[1] = 1);
 * and their rates unless t is NULL. Arguments are as for ph_angular_seeds. */
PH_INLINE struct ph_angular_scalars ph_turned_seeds(const double *v, const double *t, size_t step, const double on[2],
                                                    const double *b)
{
    const struct ph_dual none = ph_dual_constant(0.0);
    struct ph_angular_scalars s = {
        none, {none, none, none}, {none, none, none}, {{none, none, none}, {none, none, none}, {none, none, none}}, b,
        step, b != NULL};
    const double here = on[0], turns = on[1];
#define V(m) v[(m)*step]
#define T(m) (t ? t[(m)*step] : 0.0)
    s.r = ph_dual_constant(V(0));
    s.r.t = T(0);
    s.r.d0 = here;
#define P(a, d)                                                                                                        \
    s.p[a] = ph_dual_constant(V(ph_scalar_p(a)));                                                                      \
    s.p[a].t = T(ph_scalar_p(a));                                                                                      \
    s.p[a].d = here;
    P(0, d1)
    P(1, d2)
    P(2, d3)
#undef P
#define B(b)                                                                                                           \
    {                                                                                                                  \
        const double c0 = V(ph_scalar_c(3, 3, 0, b)), c1 = V(ph_scalar_c(3, 3, 1, b)),                                 \
                     c2 = V(ph_scalar_c(3, 3, 2, b));                                                                  \
        const double t0 = T(ph_scalar_c(3, 3, 0, b)), t1 = T(ph_scalar_c(3, 3, 1, b)),                                 \
                     t2 = T(ph_scalar_c(3, 3, 2, b));                                                                  \
        const double p0 = s.p[0].v, p1 = s.p[1].v, p2 = s.p[2].v, q0 = s.p[0].t, q1 = s.p[1].t, q2 = s.p[2].t;         \
        const double turned0 = ph_fma(p2, c1, -(p1 * c2)), turned1 = ph_fma(p0, c2, -(p2 * c0));                       \
        const double turned2 = ph_fma(p1, c0, -(p0 * c1));                                                             \
        const double rate0 = ph_fma(q2, c1, -(q1 * c2)) + ph_fma(p2, t1, -(p1 * t2));                                  \
        const double rate1 = ph_fma(q0, c2, -(q2 * c0)) + ph_fma(p0, t2, -(p2 * t0));                                  \
        const double rate2 = ph_fma(q1, c0, -(q0 * c1)) + ph_fma(p1, t0, -(p0 * t1));                                  \
        s.q[b] = (struct ph_dual){V(ph_scalar_q(3, b)),                                                                \
                                  T(ph_scalar_q(3, b)),                                                                \
                                  turns * turned0,                                                                     \
                                  ph_fma(here, c0, turns * turned1),                                                   \
                                  ph_fma(here, c1, turns * turned2),                                                   \
                                  here * c2,                                                                           \
                                  turns * rate0,                                                                       \
                                  ph_fma(here, t0, turns * rate1),                                                     \
                                  ph_fma(here, t1, turns * rate2),                                                     \
                                  here * t2};                                                                          \
        s.c[0][b] =                                                                                                    \
            (struct ph_dual){c0, t0, 0.0, turns * c2, -(turns * c1), 0.0, 0.0, turns * t2, -(turns * t1), 0.0};        \
        s.c[1][b] =                                                                                                    \
            (struct ph_dual){c1, t1, -(turns * c2), 0.0, turns * c0, 0.0, -(turns * t2), 0.0, turns * t0, 0.0};        \
        s.c[2][b] =                                                                                                    \
            (struct ph_dual){c2, t2, turns * c1, -(turns * c0), 0.0, 0.0, turns * t1, -(turns * t0), 0.0, 0.0};        \
    }
    B(0)
    B(1)
    B(2)
#undef B
#undef T
#undef V
    return s;
}

/* From slopes by r, p and turns, with none after them, to slopes by the scalars, and their rates unless `rates` is NULL
 */
PH_INLINE void ph_turned_slopes(size_t n, struct ph_angular_rows *restrict rows, struct ph_angular_rows *restrict rates)
{
    double tau[3][PH_ANGULAR_BLOCK], tau_rate[3][PH_ANGULAR_BLOCK];
    for (size_t x = 0; x < 3; ++x) {
        const size_t q = ph_scalar_q(3, x);
        memcpy(tau[x], rows->slope[q], n * sizeof(double));
        memset(rows->slope[q], 0, n * sizeof(double));
        if (rates) {
            memcpy(tau_rate[x], rates->slope[q], n * sizeof(double));
            memset(rates->slope[q], 0, n * sizeof(double));
        }
    }
    for (size_t a = 0; a < 3; ++a)
        for (size_t b = 0; b < 3; ++b) {
            const size_t y = (a + 1) % 3, z = (a + 2) % 3, m = ph_scalar_c(3, 3, a, b);
            const double *restrict cy = rows->scalar[ph_scalar_c(3, 3, y, b)];
            const double *restrict cz = rows->scalar[ph_scalar_c(3, 3, z, b)];
            PH_SIMD
            for (size_t l = 0; l < n; ++l)
                rows->slope[m][l] = 0.5 * ph_fma(tau[y][l], cz[l], -(tau[z][l] * cy[l]));
            if (!rates)
                continue;
            const double *restrict ty = rates->scalar[ph_scalar_c(3, 3, y, b)];
            const double *restrict tz = rates->scalar[ph_scalar_c(3, 3, z, b)];
            PH_SIMD
            for (size_t l = 0; l < n; ++l)
                rates->slope[m][l] = 0.5 * (ph_fma(tau_rate[y][l], cz[l], -(tau_rate[z][l] * cy[l])) +
                                            ph_fma(tau[y][l], tz[l], -(tau[z][l] * ty[l])));
        }
}

#endif
