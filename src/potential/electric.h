/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_ELECTRIC_H
#define PH_POTENTIAL_ELECTRIC_H

/* Radial functions of charges and dipoles, with w = -h'/r and x = -w'/r as in radial.h. k is the Coulomb constant times
 * the charges; rf and rf_zero, too, are multiplied by it, and belong to a reaction field that is cut, or are 0 (see
 * force/interactions.h).
 *
 * All electric terms follow from the potential B0(r) of a unit charge through B1, B2, ..., each -1/r times the
 * derivative of the one before: two charges have u = k B0, a charge and a dipole k (mu.d) B1, two dipoles
 * k [(mu_i.mu_j) B1 - (mu_i.d)(mu_j.d) B2]. So a dipole is the limit of two charges, whatever B0. */

#include "potential/radial.h"

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

/* A reaction field that ends smoothly. B0 = 1/r + rf r^2 - const is what the continuum asks for, but its derivatives
 * jump at the cutoff, the first (eps finite) or the second (a conductor). A switch is no remedy: its slope is a force
 * that nothing exerts, in water as large as a seventh of all forces. Further powers of r are one:
 *
 *   B0 = 1/r + rf r^2 - const + c_0 r^8 + c_1 r^10 + ... + c_(n-1) r^(2n+6)
 *
 * const and the n c's are such that B0 and n derivatives vanish at rc. rf stays as the permittivity asks, and r^8 is
 * nothing within a molecule. In other words: the charge is surrounded by a cloud of the opposite charge, uniform as a
 * reaction field has it, which ends gradually. (All even powers from r^2 on: zero-multipole summation, I. Fukuda, J.
 * Chem. Phys. 139 (2013) 174107; for n = 8 it changes a water molecule's field at short distances too.)
 *
 * Lengths in units of rc, u = r^2 and v = 1 - u: the condition is B0 = O(v^(n+1)). Divided by u^4 it says that
 * p(v) = sum c_k u^k are the terms below v^n of const u^-4 - u^-4.5 - rf u^-3, that with v^n being 0, which gives
 * const. u^-a has the series sum_k (a)_k/k! v^k, (a)_k = a (a+1) ... (a+k-1).
 *
 * Near rc powers of u would cancel; those of v do not. In B0 - 1/r = sum a_k v^k, the first n + 1 terms are those of
 * the series of -u^-1/2, and the last three those of (1-v)^4 p(v). Since -1/r d/dr = 2 d/dv, B1, B2, ... have
 * derivatives of the same polynomial. */
enum { PH_SMOOTH_TERMS = 12, PH_SMOOTH_ORDER = PH_SMOOTH_TERMS - 4 }; /* n at most */

/* a_k for a cutoff rc; ratio: rf rc^3; n from 2 to PH_SMOOTH_ORDER */
static inline void ph_smooth_field(double ratio, double rc, int n, double a[PH_SMOOTH_TERMS])
{
    double half = 1.0, three = 1.0, four = 1.0, more = 1.0, p[4] = {0.0}; /* (a)_n/n!, a = 1/2, 3, 4, 4.5; end of p */
    for (int k = 0; k < n; ++k) {
        three *= (3.0 + k) / (1.0 + k);
        four *= (4.0 + k) / (1.0 + k);
        more *= (4.5 + k) / (1.0 + k);
    }
    const double constant = (more + ratio * three) / four;
    for (int k = n; k > 0 && k > n - 3; --k) { /* p[n - k] belongs to v^(k-1) */
        three *= k / (2.0 + k);
        four *= k / (3.0 + k);
        more *= k / (3.5 + k);
        p[n - k] = constant * four - more - ratio * three;
    }
    for (int k = 0; k < PH_SMOOTH_TERMS; ++k) {
        a[k] = k <= n ? -half / rc : 0.0;
        half *= (0.5 + k) / (1.0 + k);
    }
    a[n + 3] = p[0] / rc;
    a[n + 2] = (p[1] - 4.0 * p[0]) / rc;
    a[n + 1] = (p[2] - 4.0 * p[1] + 6.0 * p[0]) / rc;
}

/* B0 to B4 */
struct ph_smooth {
    double b0, b1, b2, b3, b4;
};

/* r2 <= cut2 */
PH_INLINE struct ph_smooth ph_smooth(const double a[PH_SMOOTH_TERMS], double cut2, double r2, double inv_r)
{
    const double scale = 2.0 / cut2, v = ph_fma(-0.5 * scale, r2, 1.0), inv_r2 = inv_r * inv_r;
    const double i3 = inv_r * inv_r2, i5 = 3.0 * (i3 * inv_r2), i7 = 5.0 * (i5 * inv_r2), i9 = 7.0 * (i7 * inv_r2);
    /* Horner's rule; g1 is the derivative of g0, g2 half the second, g3 a sixth of the third and so on */
    double g0 = ph_fma(a[11], v, a[10]), g1 = a[11], g2 = a[11], g3 = a[11], g4 = a[11];
#define PH_NEXT(n) g1 = ph_fma(g1, v, g0), g0 = ph_fma(g0, v, a[n])
    PH_NEXT(9);
    g2 = ph_fma(g2, v, g1), PH_NEXT(8);
    g3 = ph_fma(g3, v, g2), g2 = ph_fma(g2, v, g1), PH_NEXT(7);
#undef PH_NEXT
#define PH_NEXT(n)                                                                                                     \
    g4 = ph_fma(g4, v, g3), g3 = ph_fma(g3, v, g2), g2 = ph_fma(g2, v, g1), g1 = ph_fma(g1, v, g0),                    \
    g0 = ph_fma(g0, v, a[n])
    PH_NEXT(6);
    PH_NEXT(5);
    PH_NEXT(4);
    PH_NEXT(3);
    PH_NEXT(2);
    PH_NEXT(1);
    PH_NEXT(0);
#undef PH_NEXT
    const double s2 = scale * scale, s3 = s2 * scale;
    return (struct ph_smooth){inv_r + g0, ph_fma(scale, g1, i3), ph_fma(2.0 * s2, g2, i5), ph_fma(6.0 * s3, g3, i7),
                              ph_fma(24.0 * (s2 * s2), g4, i9)};
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
