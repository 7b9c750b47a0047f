/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_MESH_BESSEL_H
#define PH_FORCE_LONGRANGE_MESH_BESSEL_H

/* The generalised Kaiser-Bessel window, an even function on [-1, 1] that ends smoothly,
 *   chi(x) = u^m I_m(b u)/I_m(b),   u = sqrt(1 - x^2),
 * and as a function of v = u^2 = 1 - x^2 is an entire function times v^m: at the ends it has m-1 continuous
 * derivatives, and d/dv (u^m I_m(b u)) = (b/2) u^(m-1) I_(m-1)(b u). */

/* Its Fourier transform is compact, too:
 *   integral of chi(x) cos(t x) over [-1, 1]  ~  F_m(b^2 - t^2),   F_m(w) = sum over k of (w/2)^k/(k! (2m+2k+1)!!),
 * which is i_m(z)/z^m with z = sqrt(w), the spherical Bessel function, and j_m(z)/z^m with z = sqrt(-w) for w < 0.
 *
 * J. F. Kaiser, R. W. Schafer, IEEE Trans. ASSP 28 (1980) 105; m > 0: R. M. Lewitt, J. Opt. Soc. Am. A 7 (1990)
 * 1834. */

/* F_m(w), to rounding relative to F_m(0) for w < 0. dF_m/dw = F_(m+1)/2. */
double ph_bessel_transform(int m, double w);

/* u^m I_m(b u) up to a factor that depends on m and b alone: v^m times the sum over k of (b/2)^2k v^k m!/(k! (k+m)!);
 * its derivative in v is m times the function of m-1. In long double. */
long double ph_bessel_window(int m, double b, long double v);

#endif
