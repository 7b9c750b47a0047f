/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_ELECTRIC_H
#define PH_POTENTIAL_ELECTRIC_H

/* Radial functions of charges and dipoles, with w = -h'/r and x = -w'/r as in radial.h. k is the Coulomb constant times
 * the charges; rf and rf_zero, too, are multiplied by it. They belong to a reaction field that is cut, or are 0 (see
 * force/interactions.h).
 *
 * All electric terms follow from the potential B0(r) of a unit charge through B1, B2, ..., each -1/r times the
 * derivative of the one before: two charges have u = k B0, a charge and a dipole k (mu.d) B1, two dipoles
 * k [(mu_i.mu_j) B1 - (mu_i.d)(mu_j.d) B2]. So a dipole is the limit of two charges, whatever B0. */

#include "potential/radial.h"

#include <stdbool.h>

/* Screened charges: B0 = erfc(a r)/r. All follow from B0 and g = (2 a/sqrt pi) exp(-a^2 r^2): r^2 B(n+1) = (2n+1) B(n)
 * + (2 a^2)^n g, sums of positive terms. */
struct ph_screen {
    double b0, g;
};

PH_INLINE struct ph_screen ph_screen(double a, double r, double inv_r)
{
    const double two_over_root_pi = 1.12837916709551257390, x = a * r, gauss = ph_exp(-(x * x));
    return (struct ph_screen){ph_erfcx(x) * gauss * inv_r, two_over_root_pi * a * gauss};
}

/* B1 to B4 */
struct ph_screened {
    double b1, b2, b3, b4;
};

PH_INLINE struct ph_screened ph_screened(double a, struct ph_screen s, double inv_r2)
{
    const double two_a2 = 2.0 * a * a, g1 = two_a2 * s.g, g2 = two_a2 * g1, g3 = two_a2 * g2;
    const double b1 = (s.b0 + s.g) * inv_r2, b2 = ph_fma(3.0, b1, g1) * inv_r2;
    const double b3 = ph_fma(5.0, b2, g2) * inv_r2, b4 = ph_fma(7.0, b3, g3) * inv_r2;
    return (struct ph_screened){b1, b2, b3, b4};
}

/* B2 to B6, for quadrupoles */
struct ph_screened_far {
    double b2, b3, b4, b5, b6;
};

PH_INLINE struct ph_screened_far ph_screened_far(double a, double r, double inv_r)
{
    const double two_a2 = 2.0 * a * a, inv_r2 = inv_r * inv_r;
    const struct ph_screen screen = ph_screen(a, r, inv_r);
    const struct ph_screened low = ph_screened(a, screen, inv_r2);
    const double g4 = two_a2 * two_a2 * (two_a2 * two_a2) * screen.g, b5 = ph_fma(9.0, low.b4, g4) * inv_r2;
    return (struct ph_screened_far){low.b2, low.b3, low.b4, b5, ph_fma(11.0, b5, two_a2 * g4) * inv_r2};
}

/* A reaction field that ends smoothly. The potential of a continuum beyond rc, B0 = 1/r + rf r^2 - const, has
 * derivatives that jump at rc: the first, or the second if the continuum is a conductor. Multiplying it by a switch
 * does not help: the slope of the switch is a spurious force, in water as large as a seventh of all forces. But a
 * reaction field is the field of a cloud of opposite charge around every charge, uniform up to rc. So here the cloud
 * ends gradually, between `on` and rc. */

/* With D = rc^2 - on^2, v = (rc^2 - r^2)/D, which falls from 1 at `on` to 0 at rc, and y = 1 - v:
 *   B0 = 1/r + g,   g = T(v) + v^9 R(y)  between `on` and rc,   g = rf r^2 - zero = c + s y  up to `on`
 * such that B0 and 8 derivatives vanish at rc, and 8 derivatives of g are continuous at `on`.
 *
 * Then two charges have 8 continuous derivatives, two dipoles 6. T is the series of -1/r up to v^8. At `on` we need
 * T + v^9 R = c + s y + O(y^9), hence
 *   R = (c + s y - T) (1 - y)^-9  up to y^7,   and the coefficient of y^8 must vanish. */

/* In a conductor the coefficient of y^7 vanishes too, which gives c and s. Another continuum has 2 (eps-1)/(2 eps+1)
 * times this s, and the shell takes the rest. For on = rc that is rf = (eps-1)/((2 eps+1) rc^3) again; for on = 0 it is
 * akin to the zero-multipole summation of I. Fukuda, J. Chem. Phys. 139 (2013) 174107. No term of T is positive, and
 * none of R negative: terms cancel at the ends only. Since -1/r d/dr = 2/D d/dv, B1, B2, ... have derivatives of g. */
enum { PH_SMOOTH_DIPOLES = 6 }; /* continuous derivatives of the energy of two dipoles */

struct ph_smooth_field {
    double rf, zero;   /* up to `on` */
    double cut2, edge; /* rc^2 and D; 0 where there is no such field */
    double inverse;    /* 1/D: quotients are slow on a graphics processor */
    double t[9], r[8]; /* of T and R */
};

/* ratio: (eps-1)/(2 eps+1) */
static inline struct ph_smooth_field ph_smooth_field(double ratio, double rc, double on)
{
    /* of (1-y)^-9; numerators below are whole numbers beneath 2^53: exact */
    static const double w[] = {1.0, 9.0, 45.0, 165.0, 495.0, 1287.0, 3003.0, 6435.0, 12870.0};
    const double det = w[8] * w[6] - w[7] * w[7];
    struct ph_smooth_field f = {.cut2 = rc * rc, .edge = rc * rc - on * on};
    double term = 1.0 / rc, c = -term, s = 0.0; /* -T has the terms 1/rc binomial(2j, j) (D/4 rc^2)^j v^j */
    f.t[0] = -term;
    for (int j = 1; j <= 8; ++j) {
        term *= (j - 0.5) / j * (f.edge / f.cut2);
        f.t[j] = -term;
        double power[9] = {1.0}; /* of (1-y)^(j-9) */
        for (int k = 1; k <= 8; ++k)
            power[k] = power[k - 1] * (8 - j + k) / k;
        const double c_det = power[7] * w[7] - power[8] * w[6], s_det = power[8] * w[7] - power[7] * w[8];
        for (int k = 0; k < 7; ++k)
            f.r[k] += term * ((c_det * w[k] + (k > 0 ? s_det * w[k - 1] : 0.0) + det * power[k]) / det);
        c += term * (c_det / det);
        s += term * (s_det / det);
    }
    const double less = (1.0 - 2.0 * ratio) * s; /* than in a conductor */
    for (int k = 0; k < 8; ++k)
        f.r[k] += less * (0.5 * w[k] - (k > 0 ? w[k - 1] : 0.0)); /* w[7]/w[8] = 1/2 */
    c += 0.5 * less;
    s -= less;
    f.inverse = 1.0 / f.edge;
    f.rf = s / f.edge;
    f.zero = f.rf * (on * on) - c;
    return f;
}

/* B0 to B4 */
struct ph_smooth {
    double b0, b1, b2, b3, b4;
};

/* Up to rc. Before `on` v is kept at 1, where g has a slope, but no higher derivatives. t1 is the derivative of t0 = T,
 * t2 half the second, t3 a sixth of the third, and so on; q0 = R, q1, ... likewise in y; p1, p2, ... of v^9. */
PH_INLINE struct ph_smooth ph_smooth(const struct ph_smooth_field *f, double r2, double inv_r)
{
    const double inverse = f->inverse, free = (f->cut2 - r2) * inverse, v = ph_min(1.0, free), y = 1.0 - v;
    double t0 = f->t[8], t1 = 0.0, t2 = 0.0, t3 = 0.0, t4 = 0.0, q0 = f->r[7], q1 = 0.0, q2 = 0.0, q3 = 0.0, q4 = 0.0;
#define PH_T(k)                                                                                                        \
    t4 = ph_fma(t4, v, t3), t3 = ph_fma(t3, v, t2), t2 = ph_fma(t2, v, t1), t1 = ph_fma(t1, v, t0),                    \
    t0 = ph_fma(t0, v, f->t[k])
#define PH_R(k)                                                                                                        \
    q4 = ph_fma(q4, y, q3), q3 = ph_fma(q3, y, q2), q2 = ph_fma(q2, y, q1), q1 = ph_fma(q1, y, q0),                    \
    q0 = ph_fma(q0, y, f->r[k])
    PH_T(7), PH_T(6), PH_T(5), PH_T(4), PH_T(3), PH_T(2), PH_T(1), PH_T(0);
    PH_R(6), PH_R(5), PH_R(4), PH_R(3), PH_R(2), PH_R(1), PH_R(0);
#undef PH_T
#undef PH_R
    const double v2 = v * v, v4 = v2 * v2, v8 = v4 * v4, p0 = v8 * v, p1 = 9.0 * v8;
    const double p2 = 36.0 * (v4 * v2 * v), p3 = 84.0 * (v4 * v2), p4 = 126.0 * (v4 * v);
    const double g0 = ph_fma(p0, q0, ph_fma(f->rf * f->edge, v - free, t0)), g1 = ph_fma(p1, q0, ph_fma(-p0, q1, t1));
    const double g2 = ph_fma(p2, q0, ph_fma(-p1, q1, ph_fma(p0, q2, t2)));
    const double g3 = ph_fma(p3, q0, ph_fma(-p2, q1, ph_fma(p1, q2, ph_fma(-p0, q3, t3))));
    const double g4 = ph_fma(p4, q0, ph_fma(-p3, q1, ph_fma(p2, q2, ph_fma(-p1, q3, ph_fma(p0, q4, t4)))));
    const double s1 = 2.0 * inverse, s2 = s1 * s1, s3 = s2 * s1, s4 = s2 * s2, inv_r2 = inv_r * inv_r;
    const double i3 = inv_r * inv_r2, i5 = 3.0 * (i3 * inv_r2), i7 = 5.0 * (i5 * inv_r2), i9 = 7.0 * (i7 * inv_r2);
    return (struct ph_smooth){inv_r + g0, ph_fma(s1, g1, i3), ph_fma(2.0 * s2, g2, i5), ph_fma(6.0 * s3, g3, i7),
                              ph_fma(24.0 * s4, g4, i9)};
}

/* The part of an Ewald sum that ends by itself at rc (force/longrange/split.h): up to there
 *
 *   B(n) = 1 3 5 ... (2n-1)/r^(2n+1) - P_n(y),   y = 2 r^2/rc^2 - 1,
 *
 * and 0 beyond. P_n is smooth, and a polynomial of y is as good as it, to rounding. Powers of y do not cancel: all
 * derivatives of P_n have one sign in the middle. Even and odd ones are summed apart, in two short chains. */
enum { PH_SPLIT_DEGREE = 22, PH_SPLIT_FUNCTIONS = 7 };

struct ph_split_pairs {
    double scale;                                          /* 2/rc^2 */
    double power[PH_SPLIT_FUNCTIONS][PH_SPLIT_DEGREE + 1]; /* [n][k]: of y^k in P_n */
};

PH_INLINE double ph_split_smooth(const double *c, double y, double y2)
{
    double even = c[PH_SPLIT_DEGREE], odd = c[PH_SPLIT_DEGREE - 1];
#define PH_TWO(k) even = ph_fma(even, y2, c[k]), odd = ph_fma(odd, y2, c[(k)-1])
    PH_TWO(20), PH_TWO(18), PH_TWO(16), PH_TWO(14), PH_TWO(12), PH_TWO(10), PH_TWO(8), PH_TWO(6), PH_TWO(4), PH_TWO(2);
#undef PH_TWO
    return ph_fma(odd, y, ph_fma(even, y2, c[0]));
}

/* k B0 to k B4 for r2 < cut2, 0 beyond; the compiler removes unused results. `inside`: r2 < cut2 is known */
PH_INLINE struct ph_smooth ph_split_functions(const struct ph_split_pairs *p, double k, bool inside, double cut2,
                                              double r2, double inv_r)
{
    const double free = ph_fma(r2, p->scale, -1.0), y = inside ? free : ph_min(1.0, free), y2 = y * y;
    const double here = inside || !(r2 >= cut2) ? k : 0.0; /* also NaN, so that it shows */
    const double inv_r2 = inv_r * inv_r, i3 = inv_r * inv_r2, i5 = 3.0 * (i3 * inv_r2), i7 = 5.0 * (i5 * inv_r2);
    return (struct ph_smooth){
        here * (inv_r - ph_split_smooth(p->power[0], y, y2)), here * (i3 - ph_split_smooth(p->power[1], y, y2)),
        here * (i5 - ph_split_smooth(p->power[2], y, y2)), here * (i7 - ph_split_smooth(p->power[3], y, y2)),
        here * (7.0 * (i7 * inv_r2) - ph_split_smooth(p->power[4], y, y2))};
}

/* Two charges: u = h = k/r + rf r^2 - rf_zero */
PH_INLINE struct ph_radial_bend ph_charge_charge_bend(double k, double rf, double rf_zero, double r, double inv_r)
{
    const double inv_r2 = inv_r * inv_r, inv_r3 = k * inv_r * inv_r2;
    return (struct ph_radial_bend){ph_fma(rf * r, r, ph_fma(k, inv_r, -rf_zero)), ph_fma(-2.0, rf, inv_r3),
                                   3.0 * inv_r3 * inv_r2};
}

/* A charge and a dipole: u = (mu.n) h with h = k/r^2 - 2 rf r */
PH_INLINE struct ph_radial_bend ph_charge_dipole_bend(double k, double rf, double r, double inv_r)
{
    const double inv_r2 = inv_r * inv_r, square = k * inv_r2, fourth = square * inv_r2;
    return (struct ph_radial_bend){ph_fma(-2.0 * rf, r, square), 2.0 * ph_fma(rf, inv_r, fourth),
                                   2.0 * inv_r2 * ph_fma(rf, inv_r, 4.0 * fourth)};
}

/* Two dipoles: h = k/r^3; their reaction field is a constant, not part of h. */
PH_INLINE struct ph_radial_bend ph_dipole_dipole_bend(double k, double inv_r)
{
    const double inv_r2 = inv_r * inv_r, i3 = inv_r * inv_r2, w = 3.0 * k * (i3 * inv_r2);
    return (struct ph_radial_bend){k * i3, w, 5.0 * w * inv_r2};
}

#endif
