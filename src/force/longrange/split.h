/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_SPLIT_H
#define PH_FORCE_LONGRANGE_SPLIT_H

/* How an Ewald sum splits 1/r into a part for pairs and a smooth rest for waves. For any even window chi on [-1, 1] and
 * I(x) its integral from 0 to x,
 *   1/r = [1 - I(r/rc)/I(1)]/r + [I(min(r/rc, 1))/I(1)]/r */

/* The first part ends at rc by itself. The second has the Fourier transform 4 pi/k^2 g(k^2), g = X(k rc)/X(0), X the
 * transform of the window. With a Gaussian, which does not end, this is Ewald's erfc(a r)/r, to be cut, and g =
 * exp(-k^2/4a^2). With the Kaiser-Bessel window (bessel.h) nothing is cut. At the cutoff the energy of two charges has
 * m continuous derivatives, the energy of two dipoles m - 2, and that of two quadrupoles m - 4: m is the smoothness
 * asked for and 2, or 4 with quadrupoles. */

/* The part of the waves, I(r/rc)/(I(1) r) = G(s)/rc, is a smooth function of s = r^2/rc^2. In chi as a function of v =
 * 1 - x^2,
 *   G(s) = N integral of chi(1 - s t^2) over [0, 1],   1/N = integral of chi(1 - t^2),
 * so the functions B(n) of potential/electric.h, each -1/r d/dr of the one before, have the part
 *   1/rc (-2/rc^2)^n d^nG/ds^n = N/rc (2/rc^2)^n integral of t^2n chi^(n)(1 - s t^2)
 * with derivatives of chi that are windows of lower m: all terms are positive, and quadrature is good to rounding. */

#include "force/interactions.h"
#include "potential/electric.h"

struct ph_split {
    enum ph_split_kind kind;
    double a;     /* Gauss */
    double rc, b; /* Bessel: cutoff, shape */
    int m;        /* Bessel */
    double scale; /* Bessel: 1/F_m(b^2) */
};

/* m */
static inline int ph_split_order(const struct ph_ewald_choice *choice)
{
    return choice->smoothness + (choice->quadrupoles ? 4 : 2);
}

/* From complete choices */
struct ph_split ph_split_of(const struct ph_interactions *interactions);

/* g(k^2), and its derivative in k^2 unless `slope` is NULL. Bessel: it swings around 0 from k rc > b on, with zeros
 * from about k rc = sqrt(b^2 + (m + 2)^2) on, where g is small. */
double ph_split_wave(const struct ph_split *split, double k2, double *slope);

/* Returns B(n) of 1/r minus B(n) of the pairs, finite at r = 0; n up to 4 */
double ph_split_lack(const struct ph_split *split, int n, double r);

/* Bessel: the same as polynomials for the kernels of pairs, n up to m and 6. With m = 8 they are good to 1e-16 of the
 * largest value for b < 22, to 1e-14 at 27, 1e-13 at 30 and 1e-11 at 36; with m = 4 to ten times that. */
struct ph_split_pairs ph_split_pairs(const struct ph_split *split);

#endif
