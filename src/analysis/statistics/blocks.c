/* SPDX-License-Identifier: MIT */
#include "analysis/statistics/blocks.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_BLOCKS = 128, MOST_BLOCKS = 4096, WINDOW = 4, FEWEST_INDEPENDENT = 30 };

/* Variance of the mean of n numbers about `mean`, as if they were independent */
static double variance_of_mean(size_t n, const double *x, double mean)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; ++k)
        sum += (x[k] - mean) * (x[k] - mean);
    return sum / ((double)n * ((double)n - 1.0));
}

static double average(size_t n, const double *x)
{
    double sum = 0.0; /* about the first, which keeps digits */
    for (size_t k = 0; k < n; ++k)
        sum += x[k] - x[0];
    return x[0] + sum / (double)n;
}

/* Variance of the mean of n correlated numbers, whose average is zero */
struct windowed {
    double variance, scatter; /* the latter relative: one standard deviation */
    bool closed;              /* the sum has come to its end */
};

/* Returns the variance of the mean: the variance for independent numbers times 1 + 2 sum of autocorrelations. The sum
 * ends at the first time that is WINDOW times the correlation time found so far. Subtracting the mean of this record
 * lowers each term by the variance of the mean: hence the last division. */
static struct windowed windowed_variance(size_t n, const double *x)
{
    double square = 0.0, sum = 1.0;
    for (size_t k = 0; k < n; ++k)
        square += x[k] * x[k] / (double)n;
    size_t lag = 0;
    bool closed = !(square > 0.0);
    while (!closed && lag + 1 < (n + 1) / 2) {
        double product = 0.0;
        ++lag;
        for (size_t k = 0; k + lag < n; ++k)
            product += x[k] * x[k + lag];
        sum += 2.0 * product / ((double)(n - lag) * square);
        closed = (double)lag >= WINDOW * 0.5 * fmax(1.0, sum);
    }
    const double share = (2.0 * (double)lag + 1.0) / (double)n; /* of the record, that is within the window */
    return (struct windowed){.variance = square / (double)n * fmax(0.1, sum) / fmax(0.2, 1.0 - share),
                             .scatter = sqrt(2.0 * share),
                             .closed = closed};
}

static size_t halve(size_t n, double *x)
{
    for (size_t k = 0; k < n / 2; ++k)
        x[k] = 0.5 * (x[2 * k] + x[2 * k + 1]);
    return n / 2;
}

/* Takes the result of longer blocks where it exceeds the result of shorter ones by more than its scatter. Overwrites
 * `x`. */
static void block(size_t n, double *x, struct ph_mean *out)
{
    const double first = variance_of_mean(n, x, out->mean);
    double largest = 0.0;
    size_t blocks = n;
    bool closed = true;
    for (size_t k = 0; k < n; ++k)
        x[k] -= out->mean;
    while (blocks > MOST_BLOCKS)
        blocks = halve(blocks, x);
    for (bool more = true; more; more = blocks >= FEWEST_BLOCKS) {
        const struct windowed windowed = windowed_variance(blocks, x);
        if (windowed.variance > (1.0 + windowed.scatter) * largest)
            largest = windowed.variance;
        closed = closed && windowed.closed;
        blocks = halve(blocks, x);
    }
    const double g = out->inefficiency = first > 0.0 ? fmax(1.0, largest / first) : 1.0;
    out->error = sqrt(first * g);
    out->rough = !closed || (double)n < FEWEST_INDEPENDENT * g;
    out->block = 1;
    while ((double)out->block * (double)out->block * (double)out->block <= 2.0 * (double)n * g * g && out->block < n)
        out->block *= 2;
}

struct ph_mean ph_mean_of(size_t n, const double *x)
{
    struct ph_mean out = {
        .n = n, .block = 1, .mean = NAN, .error = NAN, .deviation = NAN, .inefficiency = 1.0, .rough = true};
    if (n == 0)
        return out;
    out.mean = average(n, x);
    if (n == 1)
        return out;
    const double variance = variance_of_mean(n, x, out.mean);
    out.deviation = sqrt(variance * ((double)n - 1.0));
    out.error = sqrt(variance);
    double *copy = ph_allocate(n, sizeof *copy);
    if (!copy)
        return out; /* the error then assumes independent numbers, and is marked as rough */
    memcpy(copy, x, n * sizeof *copy);
    block(n, copy, &out);
    free(copy);
    return out;
}

double ph_mean_time(const struct ph_mean *mean, double interval) { return 0.5 * mean->inefficiency * interval; }

double ph_mean_chance(const struct ph_mean *mean)
{
    enum { FEWEST = 30, INDEPENDENT = 10 };
    const double n = (double)mean->n / mean->inefficiency;
    if (!isfinite(mean->error) || mean->n < FEWEST || n < INDEPENDENT)
        return INFINITY;
    return 4.0 * mean->error * (1.0 + sqrt(8.0 / n));
}

struct ph_line ph_line_through(size_t n, const double *t, const double *y)
{
    struct ph_line line = {.n = n,
                           .slope = NAN,
                           .slope_error = NAN,
                           .mean = NAN,
                           .rms = NAN,
                           .residual = NAN,
                           .inefficiency = 1.0,
                           .rough = true};
    if (n == 0)
        return line;
    const double mean_t = average(n, t);
    line.mean = average(n, y);
    double tt = 0.0, ty = 0.0, yy = 0.0;
    for (size_t k = 0; k < n; ++k) {
        tt += (t[k] - mean_t) * (t[k] - mean_t);
        ty += (t[k] - mean_t) * (y[k] - line.mean);
        yy += (y[k] - line.mean) * (y[k] - line.mean);
    }
    line.rms = sqrt(yy / (double)n);
    if (n < 2 || !(tt > 0.0))
        return line;
    line.slope = ty / tt;
    double *residual = n > 2 ? ph_allocate(n, sizeof *residual) : NULL;
    if (!residual)
        return line;
    double rr = 0.0;
    for (size_t k = 0; k < n; ++k) {
        residual[k] = (y[k] - line.mean) - line.slope * (t[k] - mean_t);
        rr += residual[k] * residual[k];
    }
    const struct ph_mean about = ph_mean_of(n, residual);
    free(residual);
    line.residual = sqrt(rr / (double)n);
    line.inefficiency = about.inefficiency;
    line.rough = about.rough;
    line.slope_error = sqrt(rr / ((double)n - 2.0) / tt * about.inefficiency);
    return line;
}

/* ---- Jackknife ---- */

bool ph_jackknife_all(size_t n_blocks, size_t size, const double *sums, ph_functions *f, const void *data, size_t width,
                      double *values, double *errors)
{
    double *all = ph_allocate(2 * size + 3 * width + 1, sizeof *all);
    if (!all)
        return false;
    double *rest = all + size, *out = rest + size, *mean = out + width, *square = mean + width;
    for (size_t b = 0; b < n_blocks; ++b)
        for (size_t k = 0; k < size; ++k)
            all[k] += sums[b * size + k];
    f(all, data, values);
    const double n = (double)n_blocks;
    for (size_t b = 0; b < n_blocks && n_blocks > 1; ++b) {
        for (size_t k = 0; k < size; ++k)
            rest[k] = all[k] - sums[b * size + k];
        f(rest, data, out);
        for (size_t w = 0; w < width; ++w) {
            mean[w] += (out[w] - values[w]) / n;
            square[w] += (out[w] - values[w]) * (out[w] - values[w]) / n;
        }
    }
    for (size_t w = 0; w < width; ++w)
        errors[w] = n_blocks > 1 ? sqrt((n - 1.0) * fmax(0.0, square[w] - mean[w] * mean[w])) : NAN;
    for (size_t w = 0; w < width; ++w) /* fmax would hide it */
        if (isnan(mean[w]) || isnan(values[w]))
            errors[w] = NAN;
    free(all);
    return true;
}

struct single {
    ph_function *f;
    const void *data;
};

static void call_single(const double *sums, const void *data, double *out)
{
    const struct single *single = data;
    *out = single->f(sums, single->data);
}

void ph_jackknife(size_t n_blocks, size_t size, const double *sums, ph_function *f, const void *data, double *value,
                  double *error)
{
    const struct single single = {f, data};
    if (!ph_jackknife_all(n_blocks, size, sums, call_single, &single, 1, value, error))
        *value = *error = NAN;
}

size_t ph_blocks_merge(size_t n_blocks, size_t size, double *sums, size_t most)
{
    const size_t each = most > 0 ? (n_blocks + most - 1) / most : 1;
    if (each <= 1)
        return n_blocks;
    const size_t merged = n_blocks / each > 0 ? n_blocks / each : 1; /* the last one takes the remainder */
    for (size_t m = 0; m < merged; ++m) {
        const size_t first = m * each, end = m + 1 == merged ? n_blocks : first + each;
        if (m != first)
            memcpy(&sums[m * size], &sums[first * size], size * sizeof *sums);
        for (size_t b = first + 1; b < end; ++b)
            for (size_t k = 0; k < size; ++k)
                sums[m * size + k] += sums[b * size + k];
    }
    return merged;
}
