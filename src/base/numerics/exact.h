/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_NUMERICS_EXACT_H
#define PH_BASE_NUMERICS_EXACT_H

/* Sums that are exact. So they depend neither on the order of their terms, nor on the thread or rank that adds them.
 *
 * A number is cut into digits of 40 bits, x = sum_k d_k 2^(140 - 40 k) with |d_k| <= 2^39, and digits of one place are
 * added as integers. Places are the same for all numbers: a fixed point of 360 bits. Each term is rounded to the last
 * place by itself. So terms are exact to 2^-181, far below the last bit of any energy in any units. A term that is not
 * finite, or beyond 2^179, spoils the sum, which is NaN. */

#include <stddef.h>
#include <stdint.h>

enum { PH_EXACT_DIGITS = 9, PH_EXACT_NUMBERS = PH_EXACT_DIGITS + 1 };

/* PH_EXACT_NUMBERS integers, which any code may add up, for instance a reduction over ranks. All zero: no terms yet */
struct ph_exact {
    int64_t digit[PH_EXACT_DIGITS];
    int64_t spoilt; /* so many terms are */
};
_Static_assert(sizeof(struct ph_exact) == PH_EXACT_NUMBERS * sizeof(int64_t), "nothing but its numbers");

/* sum += x[0] + ... + x[n-1] */
void ph_exact_add(size_t n, const double *x, struct ph_exact *sum);
/* sum += more */
void ph_exact_join(const struct ph_exact *more, struct ph_exact *sum);
/* Digits carried over, so that each sum has one form: all but the first are in -2^39 .. 2^39 - 1. Needed where integers
 * of up to 2^23 sums were added otherwise */
void ph_exact_carry(struct ph_exact *sum);
/* Returns the rounded value of a sum whose digits are carried over. The functions above leave it so. */
double ph_exact_value(const struct ph_exact *sum);

#endif
