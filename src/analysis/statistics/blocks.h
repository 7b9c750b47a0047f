/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_STATISTICS_BLOCKS_H
#define PH_ANALYSIS_STATISTICS_BLOCKS_H

/* Averages of correlated numbers, and how uncertain they are: all errors of all analyses come from here.
 *
 * The variance of the mean is the variance for independent numbers times g = 1 + 2 sum of autocorrelations, the
 * statistical inefficiency; half of it, times the interval, is the integrated correlation time. The sum ends at four
 * times the correlation time that it has found (Madras, Sokal, J. Stat. Phys. 50 (1988) 109), and is corrected for
 * the mean of the record not being the true one (Wolff, Comput. Phys. Commun. 156 (2004) 143). It misses a slow part
 * of small amplitude among fast ones, but not once neighbouring numbers are averaged in blocks (Flyvbjerg, Petersen,
 * J. Chem. Phys. 91 (1989) 461). */

/* Therefore the sum is repeated with blocks of 2, 4, ... numbers, as long as 128 are left. A result that is larger
 * by more than its scatter is taken. Of many records of n numbers with correlation time t the true mean lies within
 * one error in 63 to 70 %, within two in 90 to 96 %, for n from 20 t on. Errors are standard errors: one sigma. */

#include <stdbool.h>
#include <stddef.h>

struct ph_mean {
    size_t n;     /* numbers */
    size_t block; /* a length of blocks that are nearly independent: B^3 > 2 n g^2 (Lee et al., Phys. Rev. E 83 (2011)
                     066706), a power of two */
    double mean, error;
    double deviation;    /* root mean square about the mean */
    double inefficiency; /* g, at least 1 */
    bool rough;          /* the record is as long as fewer than 30 independent numbers: the error may be too small */
};

/* Mean, error and deviation are NaN for no numbers, error and deviation also for a single number. */
struct ph_mean ph_mean_of(size_t n, const double *x);
double ph_mean_time(const struct ph_mean *mean, double interval); /* integrated correlation time */

/* Returns how far a mean may be off by chance, so wide that among many correct means hardly any is called wrong. It is
 * four errors, times 1 + sqrt(8 g/n), because the error is itself known to about sqrt(8 g/n) of it (Madras, Sokal).
 * Infinite for fewer than 30 numbers, or than ten independent ones: then nothing can be said. */
double ph_mean_chance(const struct ph_mean *mean);

/* A line through correlated numbers by least squares. The error of the slope is the error for independent residuals
 * times the square root of their inefficiency. */
struct ph_line {
    size_t n;
    double slope, slope_error;
    double mean, rms; /* of y, and about its mean */
    double residual;  /* root mean square about the line */
    double inefficiency;
    bool rough;
};
struct ph_line ph_line_through(size_t n, const double *t, const double *y);

/* A number computed from sums over blocks: the jackknife. `sums` holds for each of n_blocks blocks `size` sums. f is
 * given the sums of all blocks, and of all but one each, and may return NaN. Blocks must be longer than the correlation
 * time. The value comes from the sums of all blocks; NaN error for fewer than 2 blocks. */
typedef double ph_function(const double *sums, const void *data);
void ph_jackknife(size_t n_blocks, size_t size, const double *sums, ph_function *f, const void *data, double *value,
                  double *error);
/* The same for `width` numbers at once, as a curve: f fills `out`. False without memory. */
typedef void ph_functions(const double *sums, const void *data, double *out);
bool ph_jackknife_all(size_t n_blocks, size_t size, const double *sums, ph_functions *f, const void *data, size_t width,
                      double *values, double *errors);

/* Adds up neighbouring blocks until at most `most` are left; returns how many. In place. */
size_t ph_blocks_merge(size_t n_blocks, size_t size, double *sums, size_t most);

#endif
