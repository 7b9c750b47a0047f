/* SPDX-License-Identifier: MIT */
#include "base/numerics/exact.h"

#include "base/lanes.h"

enum { BLOCK = 256 }; /* terms whose digits are added as floating-point numbers, exactly: 2^8 of 40 bits */
#define BASE (INT64_C(1) << 40)
static const double unit[PH_EXACT_DIGITS] = {0x1p140, 0x1p100,  0x1p60,   0x1p20,  0x1p-20,
                                             0x1p-60, 0x1p-100, 0x1p-140, 0x1p-180};
static const double limit = 0x1p179;

static double largest_lane(const double lane[PH_LANES])
{
    double largest = 0.0;
    for (int l = 0; l < PH_LANES; ++l)
        largest = ph_max(largest, lane[l]);
    return largest;
}

PH_DISPATCHED static double largest_of(size_t n, const double x[BLOCK])
{
    PH_ALIGNED double largest[PH_LANES] = {0.0};
    for (size_t from = 0; from < n; from += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l)
            largest[l] = ph_max(largest[l], fabs(x[from + l]));
    }
    return largest_lane(largest);
}

/* How many of the terms are not finite, or too large */
PH_DISPATCHED static double count_spoilt(size_t n, const double x[BLOCK])
{
    PH_ALIGNED double beyond[PH_LANES] = {0.0};
    for (size_t from = 0; from < n; from += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l)
            beyond[l] += fabs(x[from + l]) < limit ? 0.0 : 1.0; /* 1 for NaN too */
    }
    return ph_add_up(beyond);
}

/* Takes the digit of this unit off all terms. Returns the sum of these digits, and the largest remainder in `left`. */
PH_DISPATCHED static double take_digit(double digit_unit, size_t n, double x[BLOCK], double *left)
{
    const double shift = 0x1.8p52 * digit_unit; /* leaves no room for less, see ph_round */
    PH_ALIGNED double sum[PH_LANES] = {0.0}, largest[PH_LANES] = {0.0};
    for (size_t from = 0; from < n; from += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const double digit = (x[from + l] + shift) - shift;
            x[from + l] -= digit;
            sum[l] += digit;
            largest[l] = ph_max(largest[l], fabs(x[from + l]));
        }
    }
    *left = largest_lane(largest);
    return ph_add_up(sum);
}

/* n is a multiple of PH_LANES. */
static void add_block(size_t n, double x[BLOCK], struct ph_exact *sum)
{
    if (count_spoilt(n, x) > 0.0)
        for (size_t i = 0; i < n; ++i)
            if (!(fabs(x[i]) < limit)) {
                ++sum->spoilt;
                x[i] = 0.0;
            }
    double left = largest_of(n, x);
    for (int k = 0; k < PH_EXACT_DIGITS && left > 0.0; ++k)
        if (left > 0.5 * unit[k]) /* else the digit of all is 0 */
            sum->digit[k] += (int64_t)(take_digit(unit[k], n, x, &left) / unit[k]);
    ph_exact_carry(sum);
}

void ph_exact_add(size_t n, const double *x, struct ph_exact *sum)
{
    PH_ALIGNED double block[BLOCK];
    for (size_t from = 0; from < n; from += BLOCK) {
        const size_t terms = n - from < BLOCK ? n - from : BLOCK, padded = (terms + PH_LANES - 1) / PH_LANES * PH_LANES;
        memcpy(block, x + from, terms * sizeof *block);
        memset(block + terms, 0, (padded - terms) * sizeof *block);
        add_block(padded, block, sum);
    }
}

void ph_exact_join(const struct ph_exact *more, struct ph_exact *sum)
{
    for (int k = 0; k < PH_EXACT_DIGITS; ++k)
        sum->digit[k] += more->digit[k];
    sum->spoilt += more->spoilt;
    ph_exact_carry(sum);
}

void ph_exact_carry(struct ph_exact *sum)
{
    for (int k = PH_EXACT_DIGITS - 1; k > 0; --k) {
        const int64_t remainder = (sum->digit[k] + BASE / 2) % BASE;
        const int64_t stays = (remainder < 0 ? remainder + BASE : remainder) - BASE / 2;
        sum->digit[k - 1] += (sum->digit[k] - stays) / BASE;
        sum->digit[k] = stays;
    }
}

double ph_exact_value(const struct ph_exact *sum)
{
    double value = sum->spoilt == 0 ? 0.0 : NAN;
    for (int k = PH_EXACT_DIGITS - 1; k >= 0; --k)
        value += (double)sum->digit[k] * unit[k];
    return value;
}
