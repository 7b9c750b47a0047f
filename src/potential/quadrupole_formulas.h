/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_QUADRUPOLE_FORMULAS_H
#define PH_POTENTIAL_QUADRUPOLE_FORMULAS_H

/* Point quadrupoles with charges, dipoles and each other. A linear quadrupole has a moment Q, the sum of q (3 z^2 -
 * r^2)/2 along its axis: C. G. Gray, K. E. Gubbins, Theory of Molecular Fluids (Oxford, 1984), equations 2.180 to
 * 2.184,
 *
 *   two quadrupoles       (3/4) C Q1 Q2 [1 - 5 p^2 - 5 q^2 - 15 p^2 q^2 + 2 (c - 5 p q)^2]/r^5
 *   charge, quadrupole    (1/2) C Q1 Q2 (3 q^2 - 1)/r^3, where Q1 is the charge
 *   dipole, quadrupole    -(3/2) C Q2 [2 c q - p (5 q^2 - 1)]/r^4, where the dipole vector is the axis a
 *
 * A site without axes is a charge. */

/* Any quadrupole is a tensor T = sum of q (3 x x - r^2)/2 without a trace, and these energies are the first three of
 *
 *   two quadrupoles       C [t1 t2 r^4 B4 - 4 n.(T1 T2 n) r^2 B3 + 2 T1:T2 B2]/9,   t = n.(T n)
 *   charge, quadrupole    C Q1 t2 r^2 B2/3
 *   dipole, quadrupole    C [(a.n) t2 r^3 B3 - 2 a.(T2 n) r B2]/3
 *
 * with B(l) = 1 3 5 ... (2l - 1)/r^(2l + 1), or of the pairs of an Ewald sum, see potential/electric.h. Here T = iso +
 * sum of s a a over its axes a: one of a linear quadrupole, with s = 3Q/2 and iso = -Q/2, or its three principal axes
 * with the values of T. */

#include "potential/angular.h"
#include "potential/angular_scalars.h"

enum { PH_TENSOR_NUMBERS = 4 }; /* s of three axes, and iso */

enum ph_quadrupole_constants {
    PH_QC_STRENGTH, /* C Q1 Q2; with a dipole C Q: of linear ones */
    PH_QC_COULOMB,  /* C, times the charge if one of them is a charge */
    PH_QC_ONE,      /* tensors of both */
    PH_QC_OTHER = PH_QC_ONE + PH_TENSOR_NUMBERS
};

/* B2 to B4 as functions of r. Pairs of an Ewald sum have B2 to B6 in s->b. */
struct ph_multipole_functions {
    struct ph_dual b2, b3, b4;
};

PH_SPECIALISED struct ph_multipole_functions ph_multipole_functions(const struct ph_angular_scalars *s)
{
    struct ph_multipole_functions f;
    if (s->screened) {
        const double *b = s->b, r = s->r.v, r2 = r * r;
        const double b2 = b[0], b3 = b[s->step], b4 = b[2 * s->step], b5 = b[3 * s->step], b6 = b[4 * s->step];
        f.b2 = ph_dual_chain(s->r, b2, -r * b3, ph_fma(r2, b4, -b3));
        f.b3 = ph_dual_chain(s->r, b3, -r * b4, ph_fma(r2, b5, -b4));
        f.b4 = ph_dual_chain(s->r, b4, -r * b5, ph_fma(r2, b6, -b5));
        return f;
    }
    const struct ph_dual inverse = ph_dual_inverse(s->r), square = ph_dual_square(inverse);
    f.b2 = ph_dual_times(3.0, ph_dual_product(inverse, ph_dual_square(square)));
    f.b3 = ph_dual_times(5.0, ph_dual_product(f.b2, square));
    f.b4 = ph_dual_times(7.0, ph_dual_product(f.b3, square));
    return f;
}

/* sum of s p^2 */
PH_INLINE struct ph_dual ph_tensor_squares(const double *t, int n, const struct ph_dual p[PH_AXES_MAX])
{
    struct ph_dual sum = ph_dual_times(t[0], ph_dual_square(p[0]));
    if (n > 1) {
        sum = ph_dual_add(sum, ph_dual_times(t[1], ph_dual_square(p[1])));
        sum = ph_dual_add(sum, ph_dual_times(t[2], ph_dual_square(p[2])));
    }
    return sum;
}

/* sum of s c p of one row of cosines */
PH_INLINE struct ph_dual ph_tensor_products(const double *t, int n, const struct ph_dual c[PH_AXES_MAX],
                                            const struct ph_dual p[PH_AXES_MAX])
{
    struct ph_dual sum = ph_dual_times(t[0], ph_dual_product(c[0], p[0]));
    if (n > 1) {
        sum = ph_dual_add(sum, ph_dual_times(t[1], ph_dual_product(c[1], p[1])));
        sum = ph_dual_add(sum, ph_dual_times(t[2], ph_dual_product(c[2], p[2])));
    }
    return sum;
}

PH_SPECIALISED struct ph_dual ph_charge_with_tensor(const double *k, const double *t, int n, struct ph_dual r,
                                                    const struct ph_dual p[PH_AXES_MAX], struct ph_dual b2)
{
    const struct ph_dual along = ph_dual_plus(ph_tensor_squares(t, n, p), t[3]);
    return ph_dual_times(k[PH_QC_COULOMB] / 3.0, ph_dual_product(ph_dual_product(ph_dual_square(r), b2), along));
}

PH_SPECIALISED struct ph_dual ph_two_tensors(const double *k, int na, int nb, const struct ph_angular_scalars *s)
{
    const double *one = k + PH_QC_ONE, *other = k + PH_QC_OTHER, iso1 = one[3], iso2 = other[3];
    const struct ph_multipole_functions f = ph_multipole_functions(s);
    const struct ph_dual r2 = ph_dual_square(s->r);
    const struct ph_dual p = ph_tensor_squares(one, na, s->p), q = ph_tensor_squares(other, nb, s->q);
    struct ph_dual mixed =
        ph_dual_product(ph_dual_times(one[0], s->p[0]), ph_tensor_products(other, nb, s->c[0], s->q));
    struct ph_dual both = ph_dual_times(one[0], ph_tensor_squares(other, nb, s->c[0]));
    if (na > 1) {
        const struct ph_dual mixed1 =
            ph_dual_product(ph_dual_times(one[1], s->p[1]), ph_tensor_products(other, nb, s->c[1], s->q));
        const struct ph_dual mixed2 =
            ph_dual_product(ph_dual_times(one[2], s->p[2]), ph_tensor_products(other, nb, s->c[2], s->q));
        mixed = ph_dual_add(mixed, ph_dual_add(mixed1, mixed2));
        both = ph_dual_add(both, ph_dual_times(one[1], ph_tensor_squares(other, nb, s->c[1])));
        both = ph_dual_add(both, ph_dual_times(one[2], ph_tensor_squares(other, nb, s->c[2])));
    }
    const struct ph_dual along = ph_dual_product(ph_dual_plus(p, iso1), ph_dual_plus(q, iso2));
    const struct ph_dual across =
        ph_dual_plus(ph_dual_add(mixed, ph_dual_add(ph_dual_times(iso2, p), ph_dual_times(iso1, q))), iso1 * iso2);
    const struct ph_dual all = ph_dual_plus(both, -3.0 * iso1 * iso2); /* the sum of s is -3 iso */
    const struct ph_dual most =
        ph_dual_product(r2, ph_dual_subtract(ph_dual_product(ph_dual_product(r2, along), f.b4),
                                             ph_dual_times(4.0, ph_dual_product(across, f.b3))));
    return ph_dual_times(k[PH_QC_COULOMB] / 9.0, ph_dual_add(most, ph_dual_times(2.0, ph_dual_product(all, f.b2))));
}

/* As seen from the dipole a, with p = a.n, cosines q of the axes of T with n, and c with a */
PH_SPECIALISED struct ph_dual ph_dipole_with_tensor(double strength, const double *t, int n,
                                                    const struct ph_angular_scalars *s, struct ph_dual p,
                                                    const struct ph_dual q[PH_AXES_MAX],
                                                    const struct ph_dual c[PH_AXES_MAX])
{
    const struct ph_multipole_functions f = ph_multipole_functions(s);
    const struct ph_dual along = ph_dual_plus(ph_tensor_squares(t, n, q), t[3]);
    const struct ph_dual turned = ph_dual_add(ph_tensor_products(t, n, c, q), ph_dual_times(t[3], p));
    const struct ph_dual straight =
        ph_dual_product(ph_dual_square(s->r), ph_dual_product(ph_dual_product(p, along), f.b3));
    const struct ph_dual shape = ph_dual_subtract(straight, ph_dual_times(2.0, ph_dual_product(turned, f.b2)));
    return ph_dual_times(strength / 3.0, ph_dual_product(s->r, shape));
}

/* Two linear ones: a polynomial of the cosines times 1/r^5, with the slopes of both in closed form */
PH_INLINE struct ph_dual ph_two_linear(double strength, struct ph_dual r, struct ph_dual p_free, struct ph_dual q_free,
                                       struct ph_dual c_free)
{
    const struct ph_moving p = ph_moving_of(p_free), q = ph_moving_of(q_free), c = ph_moving_of(c_free);
    const struct ph_moving inverse = ph_moving_inverse(ph_moving_of(r)), inverse2 = ph_moving_product(inverse, inverse);
    const struct ph_moving inverse4 = ph_moving_product(inverse2, inverse2);
    const struct ph_moving radial = ph_moving_times(0.75 * strength, ph_moving_product(inverse4, inverse));
    const struct ph_moving pq = ph_moving_product(p, q), turned = ph_moving_add(c, ph_moving_times(-5.0, pq));
    const struct ph_moving both = ph_moving_add(ph_moving_product(p, p), ph_moving_product(q, q));
    struct ph_moving shape =
        ph_moving_add(ph_moving_times(-5.0, both), ph_moving_times(-15.0, ph_moving_product(pq, pq)));
    shape = ph_moving_add(shape, ph_moving_times(2.0, ph_moving_product(turned, turned)));
    shape.v += 1.0;
    const struct ph_moving mixed = ph_moving_add(ph_moving_times(3.0, pq), ph_moving_times(2.0, turned));
    const struct ph_moving by_r = ph_moving_product(ph_moving_times(-5.0, radial), ph_moving_product(inverse, shape));
    const struct ph_moving tenth = ph_moving_times(-10.0, radial);
    const struct ph_moving by_p = ph_moving_product(tenth, ph_moving_fma(q, mixed, p));
    const struct ph_moving by_q = ph_moving_product(tenth, ph_moving_fma(p, mixed, q));
    const struct ph_moving by_c = ph_moving_product(ph_moving_times(4.0, radial), turned);
    const struct ph_dual u = ph_dual_through(ph_dual_begin(ph_moving_product(radial, shape)), by_r, r);
    return ph_dual_through(ph_dual_through(ph_dual_through(u, by_p, p_free), by_q, q_free), by_c, c_free);
}

PH_INLINE struct ph_dual ph_quadrupole(const double *k, int na, int nb, const struct ph_angular_scalars *s)
{
    if (s->screened || na == 3 || nb == 3)
        return na == 0   ? ph_charge_with_tensor(k, k + PH_QC_OTHER, nb, s->r, s->q, ph_multipole_functions(s).b2)
               : nb == 0 ? ph_charge_with_tensor(k, k + PH_QC_ONE, na, s->r, s->p, ph_multipole_functions(s).b2)
                         : ph_two_tensors(k, na, nb, s);
    if (na == 1 && nb == 1)
        return ph_two_linear(k[PH_QC_STRENGTH], s->r, s->p[0], s->q[0], s->c[0][0]);
    const struct ph_dual inverse = ph_dual_inverse(s->r);
    const struct ph_dual shape = ph_dual_plus(ph_dual_times(3.0, ph_dual_square(na == 1 ? s->p[0] : s->q[0])), -1.0);
    return ph_dual_times(0.5 * k[PH_QC_STRENGTH],
                         ph_dual_product(shape, ph_dual_product(inverse, ph_dual_square(inverse))));
}

/* -(3/2) C Q [2 c q - p (5 q^2 - 1)]/r^4 with the cosine p of the dipole, as seen from it */
PH_INLINE struct ph_dual ph_dipole_with_quadrupole(double strength, struct ph_dual r, struct ph_dual p,
                                                   struct ph_dual q, struct ph_dual c)
{
    const struct ph_dual inverse2 = ph_dual_square(ph_dual_inverse(r));
    const struct ph_dual turned = ph_dual_times(2.0, ph_dual_product(c, q));
    const struct ph_dual along = ph_dual_product(p, ph_dual_plus(ph_dual_times(5.0, ph_dual_square(q)), -1.0));
    const struct ph_dual shape = ph_dual_subtract(turned, along);
    return ph_dual_times(-1.5 * strength, ph_dual_product(shape, ph_dual_square(inverse2)));
}

PH_INLINE struct ph_dual ph_dipole_quadrupole(const double *k, int na, int nb, const struct ph_angular_scalars *s)
{
    (void)na;
    if (s->screened || nb == 3)
        return ph_dipole_with_tensor(k[PH_QC_COULOMB], k + PH_QC_OTHER, nb, s, s->p[0], s->q, s->c[0]);
    return ph_dipole_with_quadrupole(k[PH_QC_STRENGTH], s->r, s->p[0], s->q[0], s->c[0][0]);
}

/* Seen from the dipole n has the other sign: so have p and q, and u, which is odd in them */
PH_INLINE struct ph_dual ph_quadrupole_dipole(const double *k, int na, int nb, const struct ph_angular_scalars *s)
{
    (void)nb;
    const struct ph_dual none = ph_dual_constant(0.0);
    if (s->screened || na == 3) {
        const struct ph_dual c[PH_AXES_MAX] = {s->c[0][0], na == 3 ? s->c[1][0] : none, na == 3 ? s->c[2][0] : none};
        return ph_dipole_with_tensor(-k[PH_QC_COULOMB], k + PH_QC_ONE, na, s, s->q[0], s->p, c);
    }
    return ph_dipole_with_quadrupole(-k[PH_QC_STRENGTH], s->r, s->q[0], s->p[0], s->c[0][0]);
}

#endif
