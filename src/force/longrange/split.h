/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_SPLIT_H
#define PH_FORCE_LONGRANGE_SPLIT_H

/* How an Ewald sum splits 1/r into a part for pairs and a smooth rest for waves. For any even window chi on [-1, 1] and
 * I(x) its integral from 0 to x,
 *
 *   1/r = [1 - I(r/rc)/I(1)]/r + [I(min(r/rc, 1))/I(1)]/r
 *
 * of which the first ends at rc by itself, and the second has the Fourier transform 4 pi/k^2 g(k^2), g = X(k rc)/X(0),
 * X the transform of the window. With a Gaussian, which does not end, this is Ewald's erfc(a r)/r, to be cut, and
 * g = exp(-k^2/4a^2). With the Kaiser-Bessel window (bessel.h) and m = smoothness + 2 the energy of two charges has m
 * continuous derivatives at the cutoff, that of two dipoles m - 2, and nothing is cut. */

#include "force/interactions.h"

struct ph_split {
    enum ph_split_kind kind;
    double a;     /* Gauss */
    double rc, b; /* Bessel: cutoff, shape */
    int m;        /* Bessel */
    double scale; /* Bessel: 1/F_m(b^2) */
};

/* From settled choices */
struct ph_split ph_split_of(const struct ph_interactions *interactions);

/* g(k^2), and its derivative in k^2 unless `slope` is NULL */
double ph_split_wave(const struct ph_split *split, double k2, double *slope);

#endif
