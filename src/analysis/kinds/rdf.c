/* SPDX-License-Identifier: MIT */
/* Radial distribution functions and coordination numbers.
 *
 * g_AB(r) = <V (pairs A-B with r in the shell)> / (all pairs A-B of different molecules x volume of the shell), V the
 * volume of each frame. It is 1 for independent points, also for few of them and in a box that changes. n_AB(r): mean
 * number of B within r of an A. */
#include "analysis/kinds/rdf_report.h"
#include "analysis/registry.h"
#include "analysis/statistics/pair_counts.h"

#include <stdlib.h>
#include <string.h>

struct scratch {
    struct ph_pair_counts *counts[PH_RDF_SETS];
};

static void end(void *data)
{
    struct scratch *scratch = data;
    for (int s = 0; s < PH_RDF_SETS; ++s)
        ph_pair_counts_destroy(scratch->counts[s]);
}

static bool begin(const void *data, void *own)
{
    const struct ph_rdf *task = data;
    struct scratch *scratch = own;
    bool good = true;
    for (size_t s = 0; s < task->n_sets && good; ++s) {
        const struct ph_rdf_points *points = &task->sets[s];
        scratch->counts[s] = ph_pair_counts_create(points->n, points->n_types, points->type, points->molecule,
                                                   task->bins.n, task->bins.width);
        good = scratch->counts[s] != NULL;
    }
    return good;
}

static bool add(const struct ph_recording *recording, const struct ph_recorded *snapshot, const void *data, void *own,
                double *sums)
{
    (void)recording;
    const struct ph_rdf *task = data;
    struct scratch *scratch = own;
    const size_t bins = task->bins.n;
    sums[PH_RDF_FRAMES] += 1.0;
    const double weight = snapshot->box.volume / task->volume;
    for (size_t s = 0; s < task->n_sets; ++s) {
        const struct ph_rdf_points *points = &task->sets[s];
        if (!ph_pair_counts_frame(scratch->counts[s], &snapshot->box, snapshot->data[points->quantity]))
            return false;
        for (size_t a = 0; a < points->n_types; ++a)
            for (size_t b = a; b < points->n_types; ++b) {
                const size_t at = ph_rdf_pair(points->n_types, a, b) * bins;
                double *to = &sums[points->offset + at], *weighted = &sums[points->weighted + at];
                for (size_t k = 0; k < bins; ++k) {
                    const double count = (double)ph_pair_counts_at(scratch->counts[s], a, b, k);
                    to[k] += count;
                    if (task->changing)
                        weighted[k] += weight * count;
                }
            }
    }
    return true;
}

static enum ph_status choose_sets(const struct ph_analysis_request *request, const struct ph_recording *recording,
                                  struct ph_rdf *task, struct ph_error *err)
{
    const char *of = request->of ? request->of : "both";
    const bool centres = strcmp(of, "centres") == 0, sites = strcmp(of, "sites") == 0;
    const bool bodies = recording->reader.bodies;
    if (!centres && !sites && strcmp(of, "both") != 0)
        return ph_error_set(err, PH_ERR_INPUT, "--of %s: not accepted; give centres, sites or both.", of);
    if (!sites || !bodies)
        task->sets[task->n_sets++] = (struct ph_rdf_points){
            .quantity = PH_CENTRE, .n = recording->n_molecules, .n_types = recording->n_kinds, .type = recording->kind};
    if (!centres && bodies)
        task->sets[task->n_sets++] = (struct ph_rdf_points){.quantity = PH_SITE,
                                                            .n = recording->reader.n_particles,
                                                            .n_types = recording->n_types,
                                                            .type = recording->type,
                                                            .molecule = recording->molecule};
    return PH_OK;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct ph_recording recording;
    struct ph_pass sweep = {.sums = NULL};
    struct ph_rdf task = {.n_sets = 0};
    const bool sites = !request->of || strcmp(request->of, "centres") != 0;
    enum ph_status status =
        ph_recording_open(request, PH_BIT(PH_CENTRE) | (sites ? PH_BIT(PH_SITE) : 0), 0, &recording, result, err);
    if (status == PH_OK)
        status = ph_bins_choose(request, &recording, &task.bins, result, err);
    struct ph_boxes boxes = {.change = false};
    if (status == PH_OK)
        status = ph_recording_boxes(&recording, request->stage, &boxes, result, err);
    task.changing = boxes.change;
    task.volume = boxes.volume;
    if (status == PH_OK && boxes.change)
        ph_result_note(result, "The box changes in time: g(r) is relative to the density of each frame.");
    if (status == PH_OK)
        status = choose_sets(request, &recording, &task, err);
    size_t size = PH_RDF_FIRST_SUM;
    for (size_t s = 0; s < task.n_sets; ++s) {
        struct ph_rdf_points *points = &task.sets[s];
        points->n_pairs = points->n_types * (points->n_types + 1) / 2;
        const size_t counts = points->n_pairs * task.bins.n;
        points->offset = size;
        points->weighted = size + (task.changing ? counts : 0);
        size = points->weighted + counts;
    }
    const struct ph_pass_task sweep_task = {
        .size = size, .data = &task, .add = add, .scratch = sizeof(struct scratch), .begin = begin, .end = end};
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
