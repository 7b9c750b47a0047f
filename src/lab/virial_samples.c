/* SPDX-License-Identifier: MIT */
/* Second virial coefficients by Monte Carlo over orientations, the same ones at every distance; the integral over r by
 * Gauss's quadrature on panels that grow with r. Each orientation of the second molecule is also turned by half a
 * revolution about each of the three axes of space. Dipoles then cancel exactly. Their remainder falls off as r^-6
 * instead of being noise that falls off as r^-3. */
#include "analysis/statistics/blocks.h"
#include "base/random.h"
#include "base/rotation.h"
#include "lab/virial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 5, TURNS = 4, BLOCKS = 16, MOST_NODES = 4000 };

static const double gauss_x[POINTS] = {-0.90617984593866399280, -0.53846931010568309104, 0.0, 0.53846931010568309104,
                                       0.90617984593866399280};
static const double gauss_w[POINTS] = {0.23692688505618908751, 0.47862867049936646804, 0.56888888888888888889,
                                       0.47862867049936646804, 0.23692688505618908751};

struct work {
    const struct ph_virial_task *task;
    size_t samples;
    size_t n; /* nodes */
    double r[MOST_NODES], weight[MOST_NODES];
    double end; /* beyond it f falls off as r^-6, if there is a tail, or is zero */
    bool tail;
    double sums[BLOCKS][MOST_NODES + 1]; /* the last one is the number of samples */
};

static void sum_block(const struct work *work, struct ph_two_molecules *two, size_t b, double *sums)
{
    const size_t first = b * work->samples / BLOCKS, end = (b + 1) * work->samples / BLOCKS;
    for (size_t s = first; s < end; ++s) {
        struct ph_random random = ph_random_stream(work->task->seed, PH_RANDOM_ORIENTATION, s);
        double q1[4], q2[4];
        ph_random_orientation(&random, q1);
        ph_random_orientation(&random, q2);
        ph_two_molecules_turn(two, 0, q1);
        for (int k = 0; k < TURNS; ++k) {
            double half[4] = {0.0}, turned[4];
            half[k] = 1.0; /* 1, and half a revolution about x, y and z */
            ph_quat_multiply(half, q2, turned);
            ph_two_molecules_turn(two, 1, turned);
            for (size_t n = 0; n < work->n; ++n)
                sums[n] += ph_virial_mayer(work->task, two, work->r[n]) / TURNS;
        }
        sums[work->n] += 1.0;
    }
}

static void sample(struct work *work)
{
    const struct ph_virial_task *task = work->task;
    size_t done = 0;
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t b = 0; b < BLOCKS; ++b) {
        struct ph_two_molecules two;
        ph_two_molecules_init(task->system, task->table, task->a, task->b, &two);
        sum_block(work, &two, b, work->sums[b]);
#pragma omp critical(ph_virial)
        if (task->progress)
            task->progress((double)++done / BLOCKS, task->progress_data);
    }
}

static void add_panel(struct work *work, double from, double to)
{
    for (int k = 0; k < POINTS && work->n < MOST_NODES && to > from; ++k) {
        work->r[work->n] = 0.5 * (from + to) + 0.5 * (to - from) * gauss_x[k];
        work->weight[work->n++] = 0.5 * (to - from) * gauss_w[k];
    }
}

/* Narrow panels where sites meet, wider ones outside. With a cutoff the potential may jump there, and ends, with sites
 * off the centres, between cutoff - reach and cutoff + reach. */
static void make_nodes(struct work *work)
{
    const struct ph_virial_lengths l = ph_virial_lengths(work->task);
    work->end = l.endless ? 20.0 * l.sigma + 4.0 * l.reach : l.cutoff + l.reach;
    work->tail = l.endless;
    double r = 0.0, width = 0.05 * l.sigma;
    while (r < work->end * (1.0 - 1e-12)) {
        double to = fmin(work->end, r + width);
        to = r < l.cutoff && to > l.cutoff ? l.cutoff : to;
        to = r < l.switch_on && to > l.switch_on ? l.switch_on : to;
        add_panel(work, r, to);
        r = to;
        width = r < 2.0 * l.sigma + l.reach ? width : fmin(1.25 * width, 0.3 * r);
    }
}

static double integral(const double *sums, const void *data)
{
    const struct work *work = data;
    const double n = sums[work->n];
    double sum = 0.0;
    for (size_t k = 0; k < work->n; ++k)
        sum += work->weight[k] * work->r[k] * work->r[k] * sums[k] / n;
    if (work->tail) { /* f ~ r^-6 from the last node on */
        const double r = work->r[work->n - 1], ratio = r / work->end;
        sum += sums[work->n - 1] / n * ratio * ratio * ratio * r * r * r / 3.0;
    }
    return -2.0 * 3.14159265358979323846 * sum;
}

static void averages(const double *sums, const void *data, double *out)
{
    const struct work *work = data;
    for (size_t k = 0; k < work->n; ++k)
        out[k] = sums[k] / sums[work->n];
}

enum ph_status ph_virial_by_samples(const struct ph_virial_task *task, struct ph_virial_result *result,
                                    struct ph_error *err)
{
    *result = (struct ph_virial_result){.n = 0};
    struct work *work = calloc(1, sizeof *work);
    double *sums = NULL;
    if (!work)
        goto no_memory;
    work->task = task;
    work->samples = task->samples < BLOCKS ? BLOCKS : task->samples;
    make_nodes(work);
    const size_t n = result->n = work->n;
    sums = calloc(BLOCKS * (n + 1), sizeof *sums);
    result->r = calloc(n, sizeof *result->r);
    result->f = calloc(n, sizeof *result->f);
    result->f_error = calloc(n, sizeof *result->f_error);
    if (!sums || !result->r || !result->f || !result->f_error)
        goto no_memory;
    sample(work);
    for (size_t b = 0; b < BLOCKS; ++b)
        memcpy(&sums[b * (n + 1)], work->sums[b], (n + 1) * sizeof *sums);
    memcpy(result->r, work->r, n * sizeof *result->r);
    ph_jackknife(BLOCKS, n + 1, sums, integral, work, &result->value, &result->error);
    if (!ph_jackknife_all(BLOCKS, n + 1, sums, averages, work, n, result->f, result->f_error))
        goto no_memory;
    const bool finite = isfinite(result->value);
    free(sums);
    free(work);
    if (!finite)
        return ph_error_set(err, PH_ERR_NUMBERS,
                            "The integral of exp(-u/kT) - 1 is not finite: nothing keeps these molecules apart.");
    return PH_OK;
no_memory:
    free(sums);
    free(work);
    return ph_no_memory(err, "the integrand");
}
