/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_NUMERICS_FOURIER_H
#define PH_BASE_NUMERICS_FOURIER_H

/* Fourier transforms of many lines side by side. Complex numbers are apart: an array of real parts and one of imaginary
 * parts, [n][lines]. So every loop runs over neighbours, with the same root of unity for all.
 *
 * A stage of radix r takes apart a transform of length n (C. Van Loan, Computational Frameworks for the FFT, 1992,
 * section 1.7, Stockham): with m = n/r, and s results of earlier stages side by side,
 *   y[s (r p + j) + q] = w^(j p) sum_k x[s (p + m k) + q] v^(j k),  w = exp(-2 pi i/n), v = exp(-2 pi i/r). */

#include <stdbool.h>
#include <stddef.h>

enum { PH_FOURIER_STAGES = 32 };

struct ph_fourier {
    int n, stages, radix[PH_FOURIER_STAGES];
    double *root; /* owned; exp(-2 pi i k/n), [n][2] */
};

struct ph_complex_lines {
    double *re, *im;
};

/* False without memory. Free in any case. */
bool ph_fourier_init(int n, struct ph_fourier *fourier);
void ph_fourier_free(struct ph_fourier *fourier);

/* sum_j x_j exp(-+ 2 pi i j k/n) of each line, + if `back`. Overwrites `from` and `to`; returns the one that has the
 * result. */
struct ph_complex_lines ph_fourier_transform(const struct ph_fourier *fourier, bool back, size_t lines,
                                             struct ph_complex_lines from, struct ph_complex_lines to);

#endif
