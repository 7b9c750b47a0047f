/* SPDX-License-Identifier: MIT */
#include "analysis/kinds/rdf_report.h"

#include "analysis/statistics/blocks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape {
    const struct ph_bins *bins;
    size_t offset, weighted; /* of the counts of this pair */
    double volume;
    double all, per_point; /* pairs of different molecules; counts per point A, twice for A-A */
    double per_point_b;
    size_t from, to; /* bins among which the first peak is looked for: to is not one of them */
};

enum { PEAK_DISTANCE, PEAK_HEIGHT, MINIMUM_DISTANCE, COORDINATION, SCALARS };

/* The highest place of a curve among some bins, by the parabola through it and its neighbours */
static void find_peak(const struct ph_bins *bins, const double *g, size_t from, size_t to, size_t *at, double *distance,
                      double *height)
{
    *at = from;
    for (size_t k = from; k < to; ++k)
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
    const double frames = sums[PH_RDF_FRAMES], density = shape->all / shape->volume;
    for (size_t k = 0; k < bins->n; ++k) {
        const double counts = sums[shape->offset + k] / frames;
        inside += counts;
        g[k] = sums[shape->weighted + k] / frames / (density * ph_bins_shell(bins, k));
        n[k] = inside * shape->per_point;
        back[k] = inside * shape->per_point_b;
    }
    size_t peak, lowest;
    find_peak(bins, g, shape->from, shape->to, &peak, &scalar[PEAK_DISTANCE], &scalar[PEAK_HEIGHT]);
    lowest = peak;
    for (size_t k = peak; k < bins->n && k < 2 * peak; ++k)
        lowest = g[k] < g[lowest] ? k : lowest;
    scalar[MINIMUM_DISTANCE] = ph_bins_middle(bins, lowest);
    scalar[COORDINATION] = n[lowest];
}

/* Returns the first bin, in the whole run, that is clearly lower than the highest one before it. The difference must
 * exceed a tenth of the highest of all, and four times the counting error of pairs. Blocks of frames look for the peak
 * before it, so that none of them takes another shell for the first. Returns the number of bins if there is no such
 * bin. */
static size_t first_shell(const struct ph_bins *bins, const double *g, const double *counts)
{
    double highest = 0.0;
    size_t top = 0;
    for (size_t k = 0; k < bins->n; ++k)
        highest = fmax(highest, g[k]);
    for (size_t k = 1; k < bins->n; ++k) {
        top = g[k] > g[top] ? k : top;
        const double chance = hypot(g[top] / sqrt(fmax(1.0, counts[top])), g[k] / sqrt(fmax(1.0, counts[k])));
        if (g[top] - g[k] > fmax(0.1 * highest, 4.0 * chance) && counts[top] > 1.0)
            return k;
    }
    return bins->n;
}

/* Looks for the first shell in the sums of all blocks */
static bool find_first_shell(size_t n_merged, size_t size, const double *merged, struct shape *shape)
{
    double *sums = calloc(size + 3 * shape->bins->n + SCALARS, sizeof *sums);
    for (size_t b = 0; b < n_merged && sums; ++b)
        for (size_t k = 0; k < size; ++k)
            sums[k] += merged[b * size + k];
    const bool good = sums != NULL;
    shape->from = 0;
    shape->to = shape->bins->n;
    if (good) {
        curves(sums, shape, sums + size);
        shape->to = first_shell(shape->bins, sums + size, sums + shape->offset);
    }
    free(sums);
    return good;
}

/* Correlation time of the number of pairs within the first minimum */
static double correlation_time(const struct ph_pass *sweep, const struct shape *shape, double minimum, bool *rough)
{
    double inside[PH_SWEEP_BLOCKS];
    for (size_t b = 0; b < sweep->n_blocks; ++b) {
        const double *sums = &sweep->sums[b * sweep->size];
        inside[b] = 0.0;
        for (size_t k = 0; k < shape->bins->n && ph_bins_middle(shape->bins, k) <= minimum; ++k)
            inside[b] += sums[shape->offset + k] / sums[PH_RDF_FRAMES];
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
        [PEAK_DISTANCE] = {"peak_distance", "where the first peak of g is highest", true},
        [PEAK_HEIGHT] = {"peak_height", "g there", false},
        [MINIMUM_DISTANCE] = {"minimum_distance", "where g is lowest beyond the peak", true},
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

static bool say_pair(const struct ph_recording *recording, const struct ph_pass *sweep, size_t n_merged,
                     const double *merged, struct shape *shape, const char *label, bool like, struct ph_result *result)
{
    const struct ph_bins *bins = shape->bins;
    const size_t n = bins->n, width = 3 * n + SCALARS;
    double *values = calloc(2 * width, sizeof *values), *errors = values ? values + width : NULL;
    if (!values || !find_first_shell(n_merged, sweep->size, merged, shape) ||
        !ph_jackknife_all(n_merged, sweep->size, merged, curves, shape, width, values, errors)) {
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

static bool say_set(const struct ph_recording *recording, const struct ph_rdf *task, const struct ph_rdf_points *points,
                    const struct ph_pass *sweep, size_t n_merged, const double *merged, struct ph_result *result)
{
    double *number = calloc(points->n_types + 1, sizeof *number);
    double *same = calloc(points->n_pairs + 1, sizeof *same); /* pairs within molecules, which do not count */
    bool good = number && same;
    for (size_t i = 0; i < points->n && good; ++i) {
        number[points->type[i]] += 1.0;
        /* sites of a molecule follow each other */
        for (size_t j = i; points->molecule && j-- > 0 && points->molecule[j] == points->molecule[i];)
            same[ph_rdf_pair(points->n_types, (size_t)points->type[i], (size_t)points->type[j])] += 1.0;
    }
    for (size_t a = 0; a < points->n_types && good; ++a)
        for (size_t b = a; b < points->n_types && good; ++b) {
            const size_t pair = ph_rdf_pair(points->n_types, a, b);
            char label[PH_RESULT_NAME];
            const bool sites = points->quantity == PH_SITE, like = a == b;
            snprintf(label, sizeof label, "%.45s-%.45s", sites ? recording->types[a].name : recording->kinds[a].name,
                     sites ? recording->types[b].name : recording->kinds[b].name);
            struct shape shape = {
                .bins = &task->bins,
                .offset = points->offset + pair * task->bins.n,
                .weighted = points->weighted + pair * task->bins.n,
                .volume = task->volume,
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

enum ph_status ph_rdf_report(const struct ph_recording *recording, const struct ph_rdf *task,
                             const struct ph_pass *sweep, struct ph_result *result, struct ph_error *err)
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
    if (isnan(task->volume))
        ph_result_note(result, "Open space has no density: g(r) is not defined, the numbers of neighbours are.");
    if (result->n_tables == 0)
        ph_result_note(result, "There are no pairs of molecules.");
    if (sweep->n_blocks < 2)
        ph_result_note(result, "There is only one frame: errors cannot be estimated.");
    return good ? PH_OK : ph_no_memory(err, "the distribution functions");
}
