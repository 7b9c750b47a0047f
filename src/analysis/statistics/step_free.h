/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_STATISTICS_STEP_FREE_H
#define PH_ANALYSIS_STATISTICS_STEP_FREE_H

/* Averages without the error that a step of order 2 makes in them.
 *
 * A scheme of order 2 follows H + D with D = h^2 (alpha C + beta F), but for terms of h^4: see
 * dynamics/schemes/shadow.h. F, the sum of squared forces and torques over masses and moments, depends on places alone.
 * C is quadratic in momenta. So averages have errors of order h^2. To first order in D they are covariances, in the run
 * itself: */

/* Constant energy. All states with H + D = E are visited alike. The expansion of delta(H + D - E) about H gives
 *   <x> = <x>_exact - cov(x, D)/kT,
 * with <x>_exact at the energy <H>. What is left out is smaller by 1/N, or of h^4. */

/* Constant temperature. Steps Phi alternate with a bath, O(h/2) Phi O(h/2). Let rho (1 + g) be the density that is
 * kept, rho that of exp(-H/kT). L is the rate of change by H, and B by the bath. B keeps rho, and is symmetric in the
 * mean over rho. Commutators of B and L keep rho, too, so only D makes an error:
 *   (B - L)(g + D/kT) = B D/kT.
 * If alpha = 0, D depends on places alone, and B D = 0. Then g is -D/kT but for a constant, for any friction:
 *   <x> = <x>_exact - cov(x, D)/kT.
 */

/* If the bath is weak, g + D/kT is a function of H: c (H - <H>)/kT. Multiplied by H, the mean of the equation is
 * c <H B H> = <H B D>, and B H is -2 friction (K - <K>), K the kinetic energy. So c = cov(K, D)/cov(K, H) and
 *   <x> = <x>_exact - (cov(x, D) - c cov(x, H))/kT.
 * This keeps <K> without an error. It holds for a single harmonic frequency with any friction. */

/* Metropolis' rule by the shadow energy: rows have the density exp(-(H + D)/kT) exactly, so with w = exp(D/kT)
 *   <x>_exact = <x w>/<w>.
 * Unequal weights waste rows: as many count as (sum of w)^2/(sum of w^2). */

#include <stddef.h>

enum ph_step_free_form {
    PH_STEP_FREE_PLAIN, /* constant energy, or alpha = 0 */
    PH_STEP_FREE_BATH,  /* a weak bath */
    PH_STEP_FREE_WEIGHT /* Metropolis' rule by the shadow energy */
};

/* Rows of a run: quantity, shadow energy less total energy, total energy, kinetic energy. All are of the whole system
 * but x. `total` and `kinetic` are read for baths only. */
struct ph_step_free_rows {
    size_t n;
    const double *x, *shadow, *total, *kinetic;
};

struct ph_step_free {
    double mean, error;                  /* without the error of the step */
    double correction, correction_error; /* what was added to the plain mean */
    double share;                        /* variance of D over (kT)^2: far below 1 only in small systems */
    double worth;                        /* which part of the rows counts, with weights; else 1 */
};

/* All are NaN for fewer than 16 rows, or without memory. */
struct ph_step_free ph_step_free_mean(const struct ph_step_free_rows *rows, enum ph_step_free_form form, double kT);

#endif
