/* SPDX-License-Identifier: MIT */
#include "analysis/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_BLOCKS = 8 };

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

/* Finds block length and inefficiency; `x` is used up. */
static void block(size_t n, double *x, struct ph_mean *out)
{
    const double first = variance_of_mean(n, x, out->mean);
    double largest = first, length = 1.0;
    size_t blocks = n;
    out->block = 1;
    out->inefficiency = 1.0;
    out->rough = true;
    while (blocks >= FEWEST_BLOCKS) {
        const double variance = variance_of_mean(blocks, x, average(blocks, x));
        const double g = first > 0.0 ? variance / first : 1.0;
        if (variance > largest || length == 1.0) {
            largest = variance;
            out->inefficiency = fmax(1.0, g);
        }
        out->block = (size_t)length;
        if (length * length * length > 2.0 * (double)n * g * g) {
            largest = variance;
            out->inefficiency = fmax(1.0, g);
            out->rough = false;
            break;
        }
        blocks /= 2;
        length *= 2.0;
        for (size_t k = 0; k < blocks; ++k)
            x[k] = 0.5 * (x[2 * k] + x[2 * k + 1]);
    }
    out->error = sqrt(first * out->inefficiency);
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
    double *copy = malloc(n * sizeof *copy);
    if (!copy)
        return out; /* the error is then that of independent numbers, and said to be rough */
    memcpy(copy, x, n * sizeof *copy);
    block(n, copy, &out);
    free(copy);
    return out;
}

double ph_mean_time(const struct ph_mean *mean, double interval) { return 0.5 * mean->inefficiency * interval; }

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
    double *residual = n > 2 ? malloc(n * sizeof *residual) : NULL;
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
    double *all = calloc(2 * size + 3 * width + 1, sizeof *all);
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
    const size_t merged = n_blocks / each > 0 ? n_blocks / each : 1; /* the last one takes what is left over */
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
