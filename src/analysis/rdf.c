/* SPDX-License-Identifier: MIT */
/* Radial distribution functions and coordination numbers.
 *
 * g_AB(r) = <V> (pairs A-B with r in the shell) / (all pairs A-B of different molecules x volume of the shell): 1 for
 * independent points, also for few of them. n_AB(r): mean number of B within r of an A. */
#include "analysis/blocks.h"
#include "analysis/distances.h"
#include "analysis/pairs.h"
#include "analysis/registry.h"
#include "analysis/sweep.h"
#include "base/lanes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Points of which pairs are counted: centres of molecules, or sites */
struct points {
    enum ph_quantity quantity;
    size_t n, n_types, n_pairs; /* kinds of pairs */
    const int *type, *molecule; /* molecule NULL: every point is one */
    size_t offset;              /* of their sums */
};

enum { FRAMES, VOLUME, FIRST_SUM, N_SETS = 2 };

struct task {
    struct ph_bins bins;
    size_t n_sets;
    struct points sets[N_SETS];
    size_t most_numbers, most_types; /* of the largest histogram */
};

/* A-A, A-B, ..., B-B, ... */
static size_t pair_of(size_t n_types, size_t a, size_t b)
{
    const size_t low = a < b ? a : b, high = a < b ? b : a;
    return low * n_types - low * (low + 1) / 2 + high;
}

struct scratch {
    const struct task *task;
    const struct points *points;
    struct ph_pairs *pairs[N_SETS];
    uint32_t *counts;           /* of a frame, twice */
    int32_t *rows;              /* of pairs of types, where their counts begin */
    int32_t bin[PH_PAIR_BATCH]; /* of the pairs of a batch */
};

static void end(void *data)
{
    struct scratch *scratch = data;
    for (int s = 0; s < N_SETS; ++s)
        ph_pairs_destroy(scratch->pairs[s]);
    free(scratch->counts);
    free(scratch->rows);
    free(scratch);
}

static void *begin(const struct ph_recording *recording, const void *data)
{
    (void)recording;
    const struct task *task = data;
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

/* Bins without a branch, which would be guessed wrong half of the time: what is beyond the last one is counted there,
 * one place after it. Two histograms in turn, so that a count need not wait for the one before. */
static void find_bins(const struct ph_bins *bins, const struct ph_pair_batch *batch, int32_t *restrict bin)
{
    const double inverse = 1.0 / bins->width, last = (double)bins->n, *restrict square = batch->square;
    PH_SIMD
    for (size_t l = 0; l < batch->n; ++l)
        bin[l] = (int32_t)ph_min(sqrt(square[l]) * inverse, last);
}

static void count(const struct ph_pair_batch *batch, void *data)
{
    struct scratch *scratch = data;
    const struct points *points = scratch->points;
    int32_t *const bin = scratch->bin;
    find_bins(&scratch->task->bins, batch, bin);
    if (points->n_types > 1 || points->molecule) {
        const int32_t *row = &scratch->rows[(size_t)points->type[batch->i] * points->n_types];
        const int32_t beyond = (int32_t)scratch->task->bins.n;
        const int own = points->molecule ? points->molecule[batch->i] : 0;
        for (size_t l = 0; l < batch->n; ++l) {
            const int j = batch->j[l];
            const bool same = points->molecule && points->molecule[j] == own;
            bin[l] = row[points->type[j]] + (same ? beyond : bin[l]);
        }
    }
    uint32_t *const even = scratch->counts, *const odd = even + scratch->task->most_numbers;
    size_t l = 0;
    for (; l + 1 < batch->n; l += 2) {
        even[bin[l]] += 1;
        odd[bin[l + 1]] += 1;
    }
    if (l < batch->n)
        even[bin[l]] += 1;
}

/* Where the histogram of each pair of types begins */
static void find_rows(struct scratch *scratch)
{
    const struct points *points = scratch->points;
    for (size_t a = 0; a < points->n_types; ++a)
        for (size_t b = 0; b < points->n_types; ++b)
            scratch->rows[a * points->n_types + b] =
                (int32_t)(pair_of(points->n_types, a, b) * (scratch->task->bins.n + 1));
}

static bool add(const struct ph_recording *recording, const struct ph_snapshot *snapshot, const void *data, void *own,
                double *sums)
{
    (void)recording;
    const struct task *task = data;
    struct scratch *scratch = own;
    const double volume = snapshot->periodic ? snapshot->box.volume : NAN;
    sums[FRAMES] += 1.0;
    sums[VOLUME] += volume;
    for (size_t s = 0; s < task->n_sets; ++s) {
        const struct points *points = scratch->points = &task->sets[s];
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

/* ---- Results ---- */

struct shape {
    const struct ph_bins *bins;
    size_t offset;         /* of the counts of this pair */
    double all, per_point; /* pairs of different molecules; counts per point A, twice for A-A */
    double per_point_b;
};

enum { PEAK_DISTANCE, PEAK_HEIGHT, MINIMUM_DISTANCE, COORDINATION, SCALARS };

/* The highest place of a curve, by the parabola through it and its neighbours */
static void find_peak(const struct ph_bins *bins, const double *g, size_t *at, double *distance, double *height)
{
    *at = 0;
    for (size_t k = 1; k < bins->n; ++k)
        *at = g[k] > g[*at] ? k : *at;
    *distance = ph_bins_middle(bins, *at);
    *height = g[*at];
    if (*at == 0 || *at + 1 >= bins->n)
        return;
    const double left = g[*at - 1], right = g[*at + 1], bend = left - 2.0 * g[*at] + right;
    const double shift = bend < 0.0 ? 0.5 * (left - right) / bend : 0.0;
    *distance += shift * bins->width;
    *height -= 0.25 * (left - right) * shift;
}

/* From counts: g, n_AB, n_BA and the scalars one after the other */
static void curves(const double *sums, const void *data, double *out)
{
    const struct shape *shape = data;
    const struct ph_bins *bins = shape->bins;
    double *g = out, *n = out + bins->n, *back = n + bins->n, *scalar = back + bins->n, inside = 0.0;
    const double frames = sums[FRAMES], density = frames / sums[VOLUME] * shape->all;
    for (size_t k = 0; k < bins->n; ++k) {
        const double counts = sums[shape->offset + k] / frames;
        inside += counts;
        g[k] = counts / (density * ph_bins_shell(bins, k));
        n[k] = inside * shape->per_point;
        back[k] = inside * shape->per_point_b;
    }
    size_t peak, lowest;
    find_peak(bins, g, &peak, &scalar[PEAK_DISTANCE], &scalar[PEAK_HEIGHT]);
    lowest = peak;
    for (size_t k = peak; k < bins->n && k < 2 * peak; ++k)
        lowest = g[k] < g[lowest] ? k : lowest;
    scalar[MINIMUM_DISTANCE] = ph_bins_middle(bins, lowest);
    scalar[COORDINATION] = n[lowest];
}

/* Correlation time of the number of pairs within the first minimum */
static double correlation_time(const struct ph_sweep *sweep, const struct shape *shape, double minimum, bool *rough)
{
    double inside[PH_SWEEP_BLOCKS];
    for (size_t b = 0; b < sweep->n_blocks; ++b) {
        const double *sums = &sweep->sums[b * sweep->size];
        inside[b] = 0.0;
        for (size_t k = 0; k < shape->bins->n && ph_bins_middle(shape->bins, k) <= minimum; ++k)
            inside[b] += sums[shape->offset + k] / sums[FRAMES];
    }
    const struct ph_mean mean = ph_mean_of(sweep->n_blocks, inside);
    *rough = mean.rough;
    return ph_mean_time(&mean, sweep->length);
}

static void say_values(const struct ph_recording *recording, const char *label, const double *value,
                       const double *error, double time, bool rough, bool open, struct ph_result *result)
{
    char name[PH_RESULT_NAME];
    static const struct {
        const char *name, *help;
        bool length;
    } scalars[SCALARS] = {
        [PEAK_DISTANCE] = {"peak_distance", "where g is highest", true},
        [PEAK_HEIGHT] = {"peak_height", "g there", false},
        [MINIMUM_DISTANCE] = {"minimum_distance", "the lowest place of g behind it", true},
        [COORDINATION] = {"coordination_number", "neighbours nearer than that", false},
    };
    for (int k = 0; k < SCALARS && !open; ++k) {
        snprintf(name, sizeof name, "%s.%.70s", scalars[k].name, label);
        struct ph_value *added = ph_result_value(result, name, value[k], error[k],
                                                 scalars[k].length ? recording->length : "", scalars[k].help);
        if (k == COORDINATION) {
            added->correlation_time = time;
            added->rough = rough;
        }
    }
}

static bool say_pair(const struct ph_recording *recording, const struct ph_sweep *sweep, size_t n_merged,
                     const double *merged, const struct shape *shape, const char *label, bool like,
                     struct ph_result *result)
{
    const struct ph_bins *bins = shape->bins;
    const size_t n = bins->n, width = 3 * n + SCALARS;
    double *values = calloc(2 * width, sizeof *values), *errors = values ? values + width : NULL;
    if (!values || !ph_jackknife_all(n_merged, sweep->size, merged, curves, shape, width, values, errors)) {
        free(values);
        return false;
    }
    static const char *const names[] = {"g", "n", "n_reverse"};
    struct ph_result_table *table =
        ph_result_table(result, n, "radial distribution function, and number of neighbours within r", "%s", label);
    double *r = ph_result_column(result, table, "r", recording->length);
    for (size_t k = 0; k < n && r; ++k)
        r[k] = ph_bins_middle(bins, k);
    for (size_t c = 0; c < (like ? 2 : 3); ++c) {
        char name[PH_RESULT_NAME];
        snprintf(name, sizeof name, "%s_error", names[c]);
        double *value = ph_result_column(result, table, names[c], ""),
               *error = ph_result_column(result, table, name, "");
        if (value && error) {
            memcpy(value, values + c * n, n * sizeof *value);
            memcpy(error, errors + c * n, n * sizeof *error);
        }
    }
    bool rough;
    const double time = correlation_time(sweep, shape, values[3 * n + MINIMUM_DISTANCE], &rough);
    say_values(recording, label, values + 3 * n, errors + 3 * n, time, rough, isnan(values[0]), result);
    free(values);
    return true;
}

static bool say_set(const struct ph_recording *recording, const struct task *task, const struct points *points,
                    const struct ph_sweep *sweep, size_t n_merged, const double *merged, struct ph_result *result)
{
    double *number = calloc(points->n_types + 1, sizeof *number);
    double *same = calloc(points->n_pairs + 1, sizeof *same); /* pairs within molecules, which do not count */
    bool good = number && same;
    for (size_t i = 0; i < points->n && good; ++i) {
        number[points->type[i]] += 1.0;
        /* sites of a molecule follow each other */
        for (size_t j = i; points->molecule && j-- > 0 && points->molecule[j] == points->molecule[i];)
            same[pair_of(points->n_types, (size_t)points->type[i], (size_t)points->type[j])] += 1.0;
    }
    for (size_t a = 0; a < points->n_types && good; ++a)
        for (size_t b = a; b < points->n_types && good; ++b) {
            const size_t pair = pair_of(points->n_types, a, b);
            char label[PH_RESULT_NAME];
            const bool sites = points->quantity == PH_SITE, like = a == b;
            snprintf(label, sizeof label, "%.45s-%.45s", sites ? recording->types[a].name : recording->kinds[a].name,
                     sites ? recording->types[b].name : recording->kinds[b].name);
            const struct shape shape = {
                .bins = &task->bins,
                .offset = points->offset + pair * task->bins.n,
                .all = (like ? 0.5 * number[a] * (number[a] - 1.0) : number[a] * number[b]) - same[pair],
                .per_point = (like ? 2.0 : 1.0) / number[a],
                .per_point_b = 1.0 / number[b],
            };
            if (shape.all > 0.0)
                good = say_pair(recording, sweep, n_merged, merged, &shape, label, like, result);
        }
    free(number);
    free(same);
    return good;
}

static enum ph_status report(const struct ph_recording *recording, const struct task *task,
                             const struct ph_sweep *sweep, struct ph_result *result, struct ph_error *err)
{
    const size_t numbers = sweep->n_blocks * sweep->size;
    double *merged = malloc((numbers + 1) * sizeof *merged);
    bool good = merged != NULL;
    if (good) {
        memcpy(merged, sweep->sums, numbers * sizeof *merged);
        const size_t n = ph_blocks_merge(sweep->n_blocks, sweep->size, merged, PH_ERROR_BLOCKS);
        ph_result_number(result, "blocks", (double)n, NULL);
        for (size_t s = 0; s < task->n_sets && good; ++s)
            good = say_set(recording, task, &task->sets[s], sweep, n, merged, result);
    }
    free(merged);
    if (isnan(sweep->sums[VOLUME]))
        ph_result_note(result, "Open space has no density: g(r) is not defined, the numbers of neighbours are.");
    if (result->n_tables == 0)
        ph_result_note(result, "There are no pairs of molecules.");
    if (sweep->n_blocks < 2)
        ph_result_note(result, "There is one frame alone: nothing can be said of errors.");
    return good ? PH_OK : ph_error_set(err, PH_ERR_MEMORY, "No memory for the distribution functions.");
}

static enum ph_status choose_sets(const struct ph_analysis_request *request, const struct ph_recording *recording,
                                  struct task *task, struct ph_error *err)
{
    const char *of = request->of ? request->of : "both";
    const bool centres = strcmp(of, "centres") == 0, sites = strcmp(of, "sites") == 0;
    const bool bodies = recording->source.listing.bodies;
    if (!centres && !sites && strcmp(of, "both") != 0)
        return ph_error_set(err, PH_ERR_INPUT, "--of %s: not accepted; give centres, sites or both.", of);
    if (!sites || !bodies)
        task->sets[task->n_sets++] = (struct points){
            .quantity = PH_CENTRE, .n = recording->n_molecules, .n_types = recording->n_kinds, .type = recording->kind};
    if (!centres && bodies)
        task->sets[task->n_sets++] = (struct points){.quantity = PH_SITE,
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
    struct task task = {.n_sets = 0};
    const bool sites = !request->of || strcmp(request->of, "centres") != 0;
    enum ph_status status =
        ph_recording_open(request, PH_BIT(PH_CENTRE) | (sites ? PH_BIT(PH_SITE) : 0), 0, &recording, result, err);
    if (status == PH_OK)
        status = ph_bins_choose(request, &recording, &task.bins, result, err);
    if (status == PH_OK)
        status = choose_sets(request, &recording, &task, err);
    size_t size = FIRST_SUM;
    for (size_t s = 0; s < task.n_sets; ++s) {
        struct points *points = &task.sets[s];
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
        status = report(&recording, &task, &sweep, result, err);
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
