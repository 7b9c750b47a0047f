/* SPDX-License-Identifier: MIT */
#include "lab/free_energy/bar.h"

#include <math.h>
#include <stdbool.h>

/* 1/(1 + exp(x)) */
static double fermi(double x) { return x > 0.0 ? exp(-x) / (1.0 + exp(-x)) : 1.0 / (1.0 + exp(x)); }

static bool is_skipped(size_t n, size_t i, size_t parts, size_t skipped)
{
    return i >= skipped * n / parts && i < (skipped + 1) * n / parts;
}

static size_t count(size_t n, size_t parts, size_t skipped)
{
    return skipped < parts ? n - ((skipped + 1) * n / parts - skipped * n / parts) : n;
}

static double sum_of(const struct ph_bar_samples *side, double shift, size_t parts, size_t skipped)
{
    double sum = 0.0;
    for (size_t i = 0; i < side->n; ++i)
        if (!is_skipped(side->n, i, parts, skipped))
            sum += fermi(side->work[i] + shift);
    return sum;
}

double ph_bar(const struct ph_bar_samples side[2], size_t parts, size_t skipped)
{
    const double n0 = (double)count(side[0].n, parts, skipped), n1 = (double)count(side[1].n, parts, skipped);
    const double ratio = log(n0 / n1);
    double low = INFINITY, high = -INFINITY;
    if (!(n0 > 0.0 && n1 > 0.0))
        return NAN;
    for (size_t i = 0; i < side[0].n; ++i) {
        low = fmin(low, side[0].work[i]);
        high = fmax(high, side[0].work[i]);
    }
    for (size_t i = 0; i < side[1].n; ++i) {
        low = fmin(low, -side[1].work[i]);
        high = fmax(high, -side[1].work[i]);
    }
    if (!(isfinite(low) && isfinite(high)))
        return NAN;
    low -= 50.0;
    high += 50.0;
    while (high - low >
           1e-14 * (fabs(high) + fabs(low)) + 1e-300) { /* the left side grows with f, the right one falls */
        const double f = 0.5 * (low + high);
        if (f <= low || f >= high)
            break;
        if (sum_of(&side[0], ratio - f, parts, skipped) < sum_of(&side[1], f - ratio, parts, skipped))
            low = f;
        else
            high = f;
    }
    return 0.5 * (low + high);
}

/* With p1/p0 = exp(f - w) the mean over p0 of 2 p1/(p0 + p1) */
double ph_bar_overlap(const struct ph_bar_samples side[2], double f)
{
    const size_t none = 1;
    return sum_of(&side[0], -f, 1, none) / (double)side[0].n + sum_of(&side[1], f, 1, none) / (double)side[1].n;
}
