/* SPDX-License-Identifier: MIT */
/* Radial distribution functions and coordination numbers.
 *
 * g_AB(r) = <V> (pairs A-B with r in the shell) / (all pairs A-B of different molecules x volume of the shell): 1 for
 * independent points, also for few of them. n_AB(r): mean number of B within r of an A. */
#include "analysis/rdf.h"
#include "analysis/pairs.h"
#include "analysis/registry.h"
#include "base/lanes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scratch {
    const struct ph_rdf *task;
    const struct ph_rdf_points *points;
    struct ph_pairs *pairs[PH_RDF_SETS];
    uint32_t *counts;           /* of a frame, twice */
    int32_t *rows;              /* of pairs of types, where their counts begin */
    double near[PH_PAIR_BATCH]; /* of the pairs of a batch: squares, */
    int32_t j[PH_PAIR_BATCH], bin[PH_PAIR_BATCH];
};

static void end(void *data)
{
    struct scratch *scratch = data;
    for (int s = 0; s < PH_RDF_SETS; ++s)
        ph_pairs_destroy(scratch->pairs[s]);
    free(scratch->counts);
    free(scratch->rows);
    free(scratch);
}

static void *begin(const struct ph_recording *recording, const void *data)
{
    (void)recording;
    const struct ph_rdf *task = data;
    struct scratch *scratch = calloc(1, sizeof *scratch);
    if (!scratch)
        return NULL;
    scratch->task = task;
    scratch->counts = malloc((2 * task->most_numbers + 1) * sizeof *scratch->counts);
    scratch->rows = malloc((task->most_types * task->most_types + 1) * sizeof *scratch->rows);
    bool good = scratch->counts && scratch->rows;
    for (size_t s = 0; s < task->n_sets; ++s)
        good = (scratch->pairs[s] = ph_pairs_create(task->sets[s].n)) && good;
    if (good)
        return scratch;
    end(scratch);
    return NULL;
}

/* Those nearer than the last bin, one behind the other. Without a branch, which would be guessed wrong too often. */
static size_t keep_near(const struct ph_pair_batch *batch, double beyond, double *restrict near, int32_t *restrict j)
{
    size_t n = 0;
    for (size_t l = 0; l < batch->n; ++l) {
        near[n] = batch->square[l];
        j[n] = batch->j[l];
        n += batch->square[l] < beyond;
    }
    return n;
}

/* Bins of n squares of distances; rounding at the end may count one place after the last bin. */
static void find_bins(const struct ph_bins *bins, size_t n, const double *restrict near, int32_t *restrict bin)
{
    const double inverse = 1.0 / bins->width;
    PH_SIMD
    for (size_t l = 0; l < n; ++l)
        bin[l] = (int32_t)(sqrt(near[l]) * inverse);
}

/* Two histograms in turn, so that a count need not wait for the one before. */
static void count(const struct ph_pair_batch *batch, void *data)
{
    struct scratch *scratch = data;
    const struct ph_rdf_points *points = scratch->points;
    const struct ph_bins *bins = &scratch->task->bins;
    int32_t *const bin = scratch->bin;
    const size_t n = keep_near(batch, bins->end * bins->end, scratch->near, scratch->j);
    find_bins(bins, n, scratch->near, bin);
    if (points->n_types > 1 || points->molecule) {
        const int32_t *row = &scratch->rows[(size_t)points->type[batch->i] * points->n_types];
        const int32_t beyond = (int32_t)bins->n;
        const int own = points->molecule ? points->molecule[batch->i] : 0;
        for (size_t l = 0; l < n; ++l) {
            const int j = scratch->j[l];
            const bool same = points->molecule && points->molecule[j] == own;
            bin[l] = row[points->type[j]] + (same ? beyond : bin[l]);
        }
    }
    uint32_t *const even = scratch->counts, *const odd = even + scratch->task->most_numbers;
    size_t l = 0;
    for (; l + 1 < n; l += 2) {
        even[bin[l]] += 1;
        odd[bin[l + 1]] += 1;
    }
    if (l < n)
        even[bin[l]] += 1;
}

/* Where the histogram of each pair of types begins */
static void find_rows(struct scratch *scratch)
{
    const struct ph_rdf_points *points = scratch->points;
    for (size_t a = 0; a < points->n_types; ++a)
        for (size_t b = 0; b < points->n_types; ++b)
            scratch->rows[a * points->n_types + b] =
                (int32_t)(ph_rdf_pair(points->n_types, a, b) * (scratch->task->bins.n + 1));
}

static bool add(const struct ph_recording *recording, const struct ph_snapshot *snapshot, const void *data, void *own,
                double *sums)
{
    (void)recording;
    const struct ph_rdf *task = data;
    struct scratch *scratch = own;
    const double volume = snapshot->periodic ? snapshot->box.volume : NAN;
    sums[PH_RDF_FRAMES] += 1.0;
    sums[PH_RDF_VOLUME] += volume;
    for (size_t s = 0; s < task->n_sets; ++s) {
        const struct ph_rdf_points *points = scratch->points = &task->sets[s];
        const size_t bins = task->bins.n;
        memset(scratch->counts, 0, 2 * task->most_numbers * sizeof *scratch->counts);
        find_rows(scratch);
        if (!ph_pairs_visit(scratch->pairs[s], &snapshot->box, snapshot->data[points->quantity], task->bins.end, count,
                            scratch))
            return false;
        for (size_t p = 0; p < points->n_pairs; ++p)
            for (size_t k = 0; k < bins; ++k) {
                const uint32_t *counts = &scratch->counts[p * (bins + 1) + k];
                sums[points->offset + p * bins + k] += (double)counts[0] + (double)counts[task->most_numbers];
            }
    }
    return true;
}

static enum ph_status choose_sets(const struct ph_analysis_request *request, const struct ph_recording *recording,
                                  struct ph_rdf *task, struct ph_error *err)
{
    const char *of = request->of ? request->of : "both";
    const bool centres = strcmp(of, "centres") == 0, sites = strcmp(of, "sites") == 0;
    const bool bodies = recording->source.listing.bodies;
    if (!centres && !sites && strcmp(of, "both") != 0)
        return ph_error_set(err, PH_ERR_INPUT, "--of %s: not accepted; give centres, sites or both.", of);
    if (!sites || !bodies)
        task->sets[task->n_sets++] = (struct ph_rdf_points){
            .quantity = PH_CENTRE, .n = recording->n_molecules, .n_types = recording->n_kinds, .type = recording->kind};
    if (!centres && bodies)
        task->sets[task->n_sets++] = (struct ph_rdf_points){.quantity = PH_SITE,
                                                            .n = recording->source.n,
                                                            .n_types = recording->n_types,
                                                            .type = recording->type,
                                                            .molecule = recording->molecule};
    return PH_OK;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct ph_recording recording;
    struct ph_sweep sweep = {.sums = NULL};
    struct ph_rdf task = {.n_sets = 0};
    const bool sites = !request->of || strcmp(request->of, "centres") != 0;
    enum ph_status status =
        ph_recording_open(request, PH_BIT(PH_CENTRE) | (sites ? PH_BIT(PH_SITE) : 0), 0, &recording, result, err);
    if (status == PH_OK)
        status = ph_bins_choose(request, &recording, &task.bins, result, err);
    if (status == PH_OK)
        status = choose_sets(request, &recording, &task, err);
    size_t size = PH_RDF_FIRST_SUM;
    for (size_t s = 0; s < task.n_sets; ++s) {
        struct ph_rdf_points *points = &task.sets[s];
        points->n_pairs = points->n_types * (points->n_types + 1) / 2;
        points->offset = size;
        const size_t numbers = points->n_pairs * (task.bins.n + 1);
        size += points->n_pairs * task.bins.n;
        task.most_numbers = numbers > task.most_numbers ? numbers : task.most_numbers;
        task.most_types = points->n_types > task.most_types ? points->n_types : task.most_types;
    }
    const struct ph_sweep_task sweep_task = {.size = size, .data = &task, .add = add, .begin = begin, .end = end};
    if (status == PH_OK)
        status = ph_sweep_run(&recording, &sweep_task, request, &sweep, err);
    if (status == PH_OK)
        status = ph_rdf_report(&recording, &task, &sweep, result, err);
    free(sweep.sums);
    ph_recording_close(&recording);
    return status;
}

const struct ph_analysis ph_analysis_rdf = {
    .name = "rdf",
    .summary = "radial distribution functions and coordination numbers",
    .documentation =
        "g(r) of centres of molecules by kind, and of their sites by name (--of centres, sites or both), pairs within "
        "a molecule not counted; 1 for independent points. n(r) is the mean number of the second within r of the "
        "first, n_reverse that of the first around the second. Errors: jackknife over blocks of frames.",
    .needs = "positions; a periodic box for g(r)",
    .options = "stage frames of cutoff spacing",
    .run = run,
};
