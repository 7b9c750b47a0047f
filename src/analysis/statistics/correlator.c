/* SPDX-License-Identifier: MIT */
#include "analysis/statistics/correlator.h"

#include "base/numerics/fourier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ph_correlator {
    size_t n, n_lags, n_blocks, length, n_waves; /* of a transform; n_waves = length/2 + 1 */
    struct ph_fourier fourier;
    double *sums;   /* [n_blocks][n_lags] */
    double *groups; /* [PH_CORRELATOR_GROUPS][n_lags] */
    double signals[PH_CORRELATOR_GROUPS], all_signals;
};

/* The next number that has no prime factors but 2, 3 and 5: quick to transform */
static size_t smooth(size_t n)
{
    for (;; ++n) {
        size_t rest = n;
        for (size_t p = 2; p <= 5; ++p)
            while (rest % p == 0)
                rest /= p;
        if (rest == 1)
            return n;
    }
}

void ph_correlator_destroy(struct ph_correlator *correlator)
{
    if (!correlator)
        return;
    ph_fourier_free(&correlator->fourier);
    free(correlator->sums);
    free(correlator->groups);
    free(correlator);
}

size_t ph_correlator_first(const struct ph_correlator *correlator, size_t block)
{
    return block * correlator->n / correlator->n_blocks;
}

enum ph_status ph_correlator_create(size_t n, size_t n_lags, struct ph_correlator **out, struct ph_error *err)
{
    struct ph_correlator *c = *out = calloc(1, sizeof *c);
    if (!c)
        goto no_memory;
    c->n = n;
    c->n_lags = n_lags;
    c->n_blocks = n < PH_CORRELATOR_BLOCKS ? n : PH_CORRELATOR_BLOCKS;
    c->length = smooth((n + c->n_blocks - 1) / c->n_blocks + n_lags);
    c->n_waves = c->length / 2 + 1;
    c->sums = calloc(c->n_blocks * n_lags + 1, sizeof *c->sums);
    c->groups = calloc(PH_CORRELATOR_GROUPS * n_lags + 1, sizeof *c->groups);
    if (ph_fourier_init((int)c->length, &c->fourier) && c->sums && c->groups)
        return PH_OK;
no_memory:
    ph_correlator_destroy(c);
    *out = NULL;
    return ph_no_memory(err, "correlations of %zu moments", n);
}

/* Memory of a thread; complex numbers are [moment or wave][block], real parts, then imaginary parts */
struct bench {
    double *signal, *from, *to;
};

static size_t size_of(const struct ph_correlator *c) { return c->length * c->n_blocks; }

static struct ph_complex_lines lines(const struct ph_correlator *c, double *numbers)
{
    return (struct ph_complex_lines){numbers, numbers + size_of(c)};
}

static bool bench_init(const struct ph_correlator *c, size_t width, struct bench *bench)
{
    bench->signal = malloc((c->n * width + 1) * sizeof *bench->signal);
    bench->from = calloc(2 * size_of(c), sizeof *bench->from);
    bench->to = calloc(2 * size_of(c), sizeof *bench->to);
    return bench->signal && bench->from && bench->to;
}

static void bench_free(struct bench *bench)
{
    free(bench->signal);
    free(bench->from);
    free(bench->to);
}

/* Adds weight conj(A) B to the spectra of the blocks: a are the origins alone, b has the frames after them too. One
 * transform S of a + i b has both: with S' of the opposite wave A = (S + conj S')/2 and B = (S - conj S')/2i. */
static void add_signal(const struct ph_correlator *c, const double *x, double weight, struct bench *bench,
                       double *waves)
{
    const struct ph_complex_lines from = lines(c, bench->from);
    memset(bench->from, 0, 2 * size_of(c) * sizeof *bench->from);
    for (size_t b = 0; b < c->n_blocks; ++b) {
        const size_t first = ph_correlator_first(c, b), end = ph_correlator_first(c, b + 1);
        const size_t last = end + c->n_lags - 1 < c->n ? end + c->n_lags - 1 : c->n;
        for (size_t t = first; t < last; ++t) {
            from.re[(t - first) * c->n_blocks + b] = t < end ? x[t] : 0.0;
            from.im[(t - first) * c->n_blocks + b] = x[t];
        }
    }
    const struct ph_complex_lines s = ph_fourier_transform(&c->fourier, false, c->n_blocks, from, lines(c, bench->to));
    double *const re = waves, *const im = waves + c->n_waves * c->n_blocks;
    for (size_t w = 0; w < c->n_waves; ++w) {
        const size_t here = w * c->n_blocks, there = (w > 0 ? c->length - w : 0) * c->n_blocks;
        for (size_t b = 0; b < c->n_blocks; ++b) {
            const double a_re = s.re[here + b] + s.re[there + b], a_im = s.im[here + b] - s.im[there + b];
            const double b_re = s.im[here + b] + s.im[there + b], b_im = s.re[there + b] - s.re[here + b];
            re[here + b] += 0.25 * weight * (a_re * b_re + a_im * b_im);
            im[here + b] += 0.25 * weight * (a_re * b_im - a_im * b_re);
        }
    }
}

struct signals {
    size_t n, width;
    const double *weights;
    ph_signal *signal;
    const void *data;
};

static void add_group(const struct ph_correlator *c, const struct signals *all, size_t g, struct bench *bench,
                      double *waves)
{
    for (size_t s = ph_correlator_group(all->n, g); s < ph_correlator_group(all->n, g + 1); ++s) {
        all->signal(s, all->data, bench->signal);
        for (size_t k = 0; k < all->width; ++k)
            add_signal(c, bench->signal + k * c->n, all->weights ? all->weights[k] : 1.0, bench, waves);
    }
}

/* From frequencies back to lags. The correlations are real: waves beyond the half are those before, conjugate. */
static void collect(struct ph_correlator *c, const double *waves, size_t n_groups, struct bench *bench)
{
    const size_t half = c->n_waves * c->n_blocks;
    for (size_t g = 0; g < n_groups; ++g, waves += 2 * half) {
        const struct ph_complex_lines from = lines(c, bench->from);
        for (size_t w = 0; w < c->length; ++w)
            for (size_t b = 0; b < c->n_blocks; ++b) {
                const size_t at = (w < c->n_waves ? w : c->length - w) * c->n_blocks + b;
                from.re[w * c->n_blocks + b] = waves[at];
                from.im[w * c->n_blocks + b] = w < c->n_waves ? waves[half + at] : -waves[half + at];
            }
        const struct ph_complex_lines found =
            ph_fourier_transform(&c->fourier, true, c->n_blocks, from, lines(c, bench->to));
        for (size_t b = 0; b < c->n_blocks; ++b)
            for (size_t k = 0; k < c->n_lags; ++k) {
                const double sum = found.re[k * c->n_blocks + b] / (double)c->length;
                c->sums[b * c->n_lags + k] += sum;
                c->groups[g * c->n_lags + k] += sum;
            }
    }
}

static size_t groups_of(size_t n) { return n < PH_CORRELATOR_GROUPS ? n : PH_CORRELATOR_GROUPS; }

size_t ph_correlator_group(size_t n, size_t g) { return g * n / groups_of(n); }

enum ph_status ph_correlator_add(struct ph_correlator *c, size_t n_signals, size_t width, const double *weights,
                                 ph_signal *signal, const void *data, struct ph_error *err)
{
    const struct signals all = {n_signals, width, weights, signal, data};
    const size_t n_groups = groups_of(n_signals);
    const size_t size = 2 * c->n_blocks * c->n_waves;
    double *waves = calloc(n_groups * size + 1, sizeof *waves);
    bool good = waves != NULL;
#pragma omp parallel if (n_groups > 1)
    {
        struct bench bench;
        const bool ready = bench_init(c, width, &bench);
        if (!ready) {
#pragma omp atomic write
            good = false;
        }
#pragma omp for schedule(dynamic, 1)
        for (size_t g = 0; g < n_groups; ++g)
            if (ready && waves)
                add_group(c, &all, g, &bench, waves + g * size);
#pragma omp single
        if (ready && good)
            collect(c, waves, n_groups, &bench);
        bench_free(&bench);
    }
    free(waves);
    for (size_t g = 0; g < n_groups; ++g)
        c->signals[g] += (double)(ph_correlator_group(n_signals, g + 1) - ph_correlator_group(n_signals, g));
    c->all_signals += (double)n_signals;
    return good ? PH_OK : ph_no_memory(err, "correlations of %zu moments", c->n);
}

size_t ph_correlator_blocks(const struct ph_correlator *correlator) { return correlator->n_blocks; }

double ph_correlator_sum(const struct ph_correlator *correlator, size_t block, size_t lag)
{
    return correlator->sums[block * correlator->n_lags + lag];
}

double ph_correlator_count(const struct ph_correlator *correlator, size_t block, size_t lag)
{
    const size_t first = ph_correlator_first(correlator, block), end = ph_correlator_first(correlator, block + 1);
    const size_t beyond = correlator->n - lag; /* origins from here on have no moment so much later */
    return beyond <= first ? 0.0 : (double)((beyond < end ? beyond : end) - first);
}

double *ph_correlator_table(const struct ph_correlator *c)
{
    double *table = malloc((2 * c->n_blocks * c->n_lags + 1) * sizeof *table);
    for (size_t b = 0; b < c->n_blocks && table; ++b)
        for (size_t k = 0; k < c->n_lags; ++k) {
            table[2 * b * c->n_lags + k] = ph_correlator_sum(c, b, k);
            table[(2 * b + 1) * c->n_lags + k] = ph_correlator_count(c, b, k);
        }
    return table;
}

size_t ph_correlator_groups(const struct ph_correlator *c)
{
    size_t n = 0;
    while (n < PH_CORRELATOR_GROUPS && c->signals[n] > 0.0)
        ++n;
    return n;
}

double ph_correlator_group_sum(const struct ph_correlator *c, size_t group, size_t lag)
{
    return c->groups[group * c->n_lags + lag];
}

double ph_correlator_group_share(const struct ph_correlator *c, size_t group)
{
    return c->signals[group] / c->all_signals;
}

double *ph_correlator_group_table(const struct ph_correlator *c)
{
    const size_t n = ph_correlator_groups(c);
    double *table = malloc((2 * n * c->n_lags + 1) * sizeof *table);
    for (size_t g = 0; g < n && table; ++g)
        for (size_t k = 0; k < c->n_lags; ++k) {
            table[2 * g * c->n_lags + k] = ph_correlator_group_sum(c, g, k);
            table[(2 * g + 1) * c->n_lags + k] = (double)(c->n - k) * ph_correlator_group_share(c, g);
        }
    return table;
}

bool ph_correlator_errors(const struct ph_correlator *c, const double *blocks, const double *groups, ph_functions *f,
                          const void *data, size_t width, double *values, double *errors)
{
    enum { FEWEST = 8 }; /* groups */
    const size_t n = ph_correlator_groups(c);
    if (!ph_jackknife_all(c->n_blocks, 2 * c->n_lags, blocks, f, data, width, values, errors))
        return false;
    if (n < FEWEST)
        return true;
    double *others = malloc((2 * width + 1) * sizeof *others);
    const bool good = others && ph_jackknife_all(n, 2 * c->n_lags, groups, f, data, width, others, others + width);
    for (size_t k = 0; k < width && good; ++k)
        errors[k] = isnan(errors[k]) || others[width + k] > errors[k] ? others[width + k] : errors[k];
    free(others);
    return good;
}
