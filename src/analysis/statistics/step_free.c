/* SPDX-License-Identifier: MIT */
#include "analysis/statistics/step_free.h"

#include "analysis/statistics/blocks.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_BLOCKS = 8, MOST_BLOCKS = 32, FEWEST_ROWS = 16 };

enum { COUNT, X, D, H, K, XD, XH, KD, KH, W, XW, SUMS };

struct known {
    enum ph_step_free_form form;
    double kT, mean; /* of x, which sums leave out to keep digits */
    double extra;    /* 1: with the mean; 0: the correction alone */
};

static double covariance(const double *sums, int product, int a, int b)
{
    return sums[product] / sums[COUNT] - sums[a] / sums[COUNT] * (sums[b] / sums[COUNT]);
}

static double corrected(const double *sums, const void *data)
{
    const struct known *known = data;
    if (known->form == PH_STEP_FREE_WEIGHT)
        return known->extra * known->mean + sums[XW] / sums[W] - (1.0 - known->extra) * sums[X] / sums[COUNT];
    double by = covariance(sums, XD, X, D);
    if (known->form == PH_STEP_FREE_BATH)
        by -= covariance(sums, KD, K, D) / covariance(sums, KH, K, H) * covariance(sums, XH, X, H);
    return known->extra * (known->mean + sums[X] / sums[COUNT]) + by / known->kT;
}

/* `kT`: of weights; 0: all are 1 */
static double weight(double d, double kT) { return kT > 0.0 ? exp(d / kT) : 1.0; }

static void sum_blocks(const struct ph_step_free_rows *rows, const double about[SUMS], bool bath, double kT,
                       size_t blocks, double *sums)
{
    memset(sums, 0, blocks * SUMS * sizeof *sums);
    for (size_t block = 0; block < blocks; ++block)
        for (size_t i = block * rows->n / blocks; i < (block + 1) * rows->n / blocks; ++i) {
            const double x = rows->x[i] - about[X], d = rows->shadow[i] - about[D];
            const double h = bath ? rows->total[i] - about[H] : 0.0, k = bath ? rows->kinetic[i] - about[K] : 0.0;
            const double w = weight(d, kT);
            const double terms[SUMS] = {[COUNT] = 1.0, [X] = x,      [D] = d,      [H] = h,      [K] = k,     [W] = w,
                                        [XD] = x * d,  [XH] = x * h, [KD] = k * d, [KH] = k * h, [XW] = x * w};
            for (size_t t = 0; t < SUMS; ++t)
                sums[block * SUMS + t] += terms[t];
        }
}

/* Length of blocks that are nearly independent, of x and of products with D alike */
static size_t block_length(const struct ph_step_free_rows *rows, double x, double d)
{
    double *product = ph_allocate(rows->n, sizeof *product);
    if (!product)
        return 0;
    for (size_t i = 0; i < rows->n; ++i)
        product[i] = (rows->x[i] - x) * (rows->shadow[i] - d);
    const struct ph_mean of_x = ph_mean_of(rows->n, rows->x), of_product = ph_mean_of(rows->n, product);
    free(product);
    return of_x.block > of_product.block ? of_x.block : of_product.block;
}

struct ph_step_free ph_step_free_mean(const struct ph_step_free_rows *rows, enum ph_step_free_form form, double kT)
{
    struct ph_step_free found = {
        .mean = NAN, .error = NAN, .correction = NAN, .correction_error = NAN, .share = NAN, .worth = 1.0};
    if (rows->n < FEWEST_ROWS)
        return found;
    const bool bath = form == PH_STEP_FREE_BATH;
    const struct ph_mean of_d = ph_mean_of(rows->n, rows->shadow);
    double about[SUMS] = {[D] = of_d.mean};
    about[X] = ph_mean_of(rows->n, rows->x).mean;
    if (bath) {
        about[H] = ph_mean_of(rows->n, rows->total).mean;
        about[K] = ph_mean_of(rows->n, rows->kinetic).mean;
    }
    const size_t length = block_length(rows, about[X], about[D]);
    if (length == 0)
        return found;
    size_t blocks = rows->n / length;
    blocks = blocks > MOST_BLOCKS ? MOST_BLOCKS : (blocks < FEWEST_BLOCKS ? FEWEST_BLOCKS : blocks);
    double sums[MOST_BLOCKS * SUMS];
    const double weighs = form == PH_STEP_FREE_WEIGHT ? kT : 0.0;
    sum_blocks(rows, about, bath, weighs, blocks, sums);
    struct known known = {.form = form, .kT = kT, .mean = about[X], .extra = 1.0};
    ph_jackknife(blocks, SUMS, sums, corrected, &known, &found.mean, &found.error);
    known.extra = 0.0;
    ph_jackknife(blocks, SUMS, sums, corrected, &known, &found.correction, &found.correction_error);
    found.share = of_d.deviation * of_d.deviation / (kT * kT);
    double w = 0.0, squares = 0.0;
    for (size_t i = 0; i < rows->n; ++i) {
        const double one = weight(rows->shadow[i] - about[D], weighs);
        w += one;
        squares += one * one;
    }
    found.worth = w * w / (squares * (double)rows->n);
    return found;
}
