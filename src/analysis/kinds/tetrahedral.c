/* SPDX-License-Identifier: MIT */
/* Tetrahedral order of a molecule and its four nearest neighbours (J. R. Errington, P. G. Debenedetti, Nature 409
 * (2001) 318):
 *   q = 1 - 3/8 sum over the six pairs of neighbours j < k of (cos psi_jk + 1/3)^2,
 * with the angle psi_jk between them, seen from the molecule. q is 1 in a perfect tetrahedron, and 0 on average if the
 * neighbours are independent. A molecule is where its heaviest site is: the oxygen of water. */
#include "analysis/registry.h"
#include "analysis/statistics/blocks.h"
#include "analysis/statistics/pairs.h"
#include "analysis/trajectory/sweep.h"
#include "base/library.h"
#include "base/rotation.h"
#include "base/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEAREST = 4, COUNT = 0, SUM, LEFT_OUT, FIRST_BIN };
static const double least_order = -3.0;

struct task {
    size_t n, bins, *members; /* owned */
    double cutoff, site[3];   /* body frame */
    bool turned;
};

struct shell {
    size_t n;
    double square[NEAREST], to[NEAREST][3]; /* by distance */
};

struct scratch {
    struct ph_pair_finder *pairs;
    double *position;
    struct shell *shells;
};

static void end(void *data)
{
    struct scratch *scratch = data;
    ph_pair_finder_destroy(scratch->pairs);
    free(scratch->position);
    free(scratch->shells);
}

static bool begin(const void *data, void *own)
{
    const struct task *task = data;
    struct scratch *scratch = own;
    scratch->pairs = ph_pair_finder_create(task->n);
    scratch->position = calloc(3 * task->n, sizeof *scratch->position);
    scratch->shells = calloc(task->n, sizeof *scratch->shells);
    return scratch->pairs && scratch->position && scratch->shells;
}

/* Inserts a neighbour at +-d if it is among the four nearest so far. */
static void meet(struct shell *shell, double square, double sign, const double d[3])
{
    size_t at = shell->n;
    if (at == NEAREST && !(square < shell->square[NEAREST - 1]))
        return;
    if (at == NEAREST)
        --at;
    else
        ++shell->n;
    for (; at > 0 && shell->square[at - 1] > square; --at) {
        shell->square[at] = shell->square[at - 1];
        memcpy(shell->to[at], shell->to[at - 1], sizeof shell->to[at]);
    }
    shell->square[at] = square;
    for (int k = 0; k < 3; ++k)
        shell->to[at][k] = sign * d[k];
}

static void visit(const struct ph_pair_batch *batch, void *data)
{
    struct scratch *scratch = data;
    for (size_t l = 0; l < batch->n; ++l) {
        const double d[3] = {batch->dx[l], batch->dy[l], batch->dz[l]};
        meet(&scratch->shells[batch->i], batch->square[l], 1.0, d);
        meet(&scratch->shells[batch->j[l]], batch->square[l], -1.0, d);
    }
}

static double order_of(const struct shell *shell)
{
    double sum = 0.0;
    for (size_t j = 0; j < NEAREST; ++j)
        for (size_t k = 0; k < j; ++k) {
            const double cosine = ph_vec3_dot(shell->to[j], shell->to[k]) / sqrt(shell->square[j] * shell->square[k]);
            sum += (cosine + 1.0 / 3.0) * (cosine + 1.0 / 3.0);
        }
    return 1.0 - 0.375 * sum;
}

static bool add(const struct ph_recording *recording, const struct ph_recorded *snapshot, const void *data, void *own,
                double *sums)
{
    (void)recording;
    const struct task *task = data;
    struct scratch *scratch = own;
    for (size_t m = 0; m < task->n; ++m) {
        const size_t i = task->members[m];
        double r[3] = {0.0};
        if (task->turned)
            ph_quat_rotate(&snapshot->data[PH_ORIENTATION][4 * i], task->site, r);
        ph_vec3_add(1.0, &snapshot->data[PH_CENTRE][3 * i], r);
        memcpy(&scratch->position[3 * m], r, sizeof r);
    }
    memset(scratch->shells, 0, task->n * sizeof *scratch->shells);
    if (!ph_pair_finder_visit(scratch->pairs, &snapshot->box, scratch->position, task->cutoff, visit, scratch))
        return false;
    for (size_t m = 0; m < task->n; ++m) {
        const struct shell *shell = &scratch->shells[m];
        if (shell->n < NEAREST || !(shell->square[NEAREST - 1] < task->cutoff * task->cutoff)) {
            sums[LEFT_OUT] += 1.0;
            continue;
        }
        const double q = order_of(shell), at = (q - least_order) / (1.0 - least_order) * (double)task->bins;
        const size_t bin = at > 0.0 ? (size_t)at : 0;
        sums[COUNT] += 1.0;
        sums[SUM] += q;
        sums[FIRST_BIN + (bin < task->bins ? bin : task->bins - 1)] += 1.0;
    }
    return true;
}

/* ---- Results ---- */

static void distribution(const double *sums, const void *data, double *out)
{
    const struct task *task = data;
    for (size_t b = 0; b < task->bins; ++b)
        out[b] = sums[FIRST_BIN + b] / sums[COUNT] * (double)task->bins / (1.0 - least_order);
}

static bool say(const struct task *task, const struct ph_pass *sweep, struct ph_result *result)
{
    const struct ph_mean mean = ph_sweep_ratio(sweep, SUM, COUNT);
    struct ph_value *value = ph_result_value(result, "tetrahedral_order", mean.mean, mean.error, "",
                                             "mean q: 1 in a perfect tetrahedron, 0 for independent neighbours");
    value->correlation_time = ph_mean_time(&mean, sweep->length);
    value->rough = mean.rough;
    const size_t numbers = sweep->n_blocks * sweep->size;
    double *merged = malloc((numbers + 1) * sizeof *merged), *p = calloc(2 * task->bins, sizeof *p), left = 0.0;
    bool good = merged && p;
    for (size_t b = 0; b < sweep->n_blocks; ++b)
        left += sweep->sums[b * sweep->size + LEFT_OUT];
    if (left > 0.0)
        ph_result_note(result, "%.0f times a molecule had fewer than four neighbours within --cutoff: left out.", left);
    if (good) {
        memcpy(merged, sweep->sums, numbers * sizeof *merged);
        const size_t blocks = ph_blocks_merge(sweep->n_blocks, sweep->size, merged, PH_ERROR_BLOCKS);
        good = ph_jackknife_all(blocks, sweep->size, merged, distribution, task, task->bins, p, p + task->bins);
        ph_result_number(result, "blocks", (double)blocks, NULL);
    }
    struct ph_result_table *table = ph_result_table(result, task->bins, "probability density of q", "distribution");
    double *q = ph_result_column(result, table, "q", ""), *to = ph_result_column(result, table, "p", ""),
           *error = ph_result_column(result, table, "p_error", "");
    for (size_t b = 0; b < task->bins && good && q && to && error; ++b) {
        q[b] = least_order + ((double)b + 0.5) * (1.0 - least_order) / (double)task->bins;
        to[b] = p[b];
        error[b] = p[task->bins + b];
    }
    free(merged);
    free(p);
    return good;
}

static enum ph_status choose_members(const struct ph_analysis_request *request, const struct ph_recording *recording,
                                     struct task *task, struct ph_error *err)
{
    size_t chosen = 0;
    while (request->of && chosen < recording->n_kinds && strcmp(recording->kinds[chosen].name, request->of) != 0)
        ++chosen;
    if (chosen == recording->n_kinds || (!request->of && recording->n_kinds > 1))
        return ph_error_set(err, PH_ERR_INPUT, "--of %s: give one of the molecules of %s, such as %s.",
                            request->of ? request->of : "is missing", recording->reader.file.name,
                            recording->kinds[0].name);
    const struct ph_recording_kind *kind = &recording->kinds[chosen];
    task->members = malloc((recording->n_molecules + 1) * sizeof *task->members);
    if (!task->members)
        return ph_no_memory(err, "a list of molecules");
    for (size_t i = 0; i < recording->n_molecules; ++i)
        if ((size_t)recording->kind[i] == chosen)
            task->members[task->n++] = i;
    task->turned = kind->known && kind->species.degrees > 0 && (recording->quantities & PH_BIT(PH_ORIENTATION)) != 0;
    size_t heaviest = 0;
    for (size_t a = 1; a < kind->species.n_sites && task->turned; ++a)
        if (kind->species.site[a].mass > kind->species.site[heaviest].mass)
            heaviest = a;
    if (task->turned && kind->species.n_sites > 0)
        memcpy(task->site, kind->species.site[heaviest].position, sizeof task->site);
    return task->n > NEAREST ? PH_OK
                             : ph_error_set(err, PH_ERR_INPUT, "%s: fewer than five molecules %s.",
                                            recording->reader.file.name, kind->name);
}

/* By default a sphere of 33 molecules at the mean density */
static enum ph_status choose_cutoff(const struct ph_analysis_request *request, const struct ph_recording *recording,
                                    struct task *task, struct ph_result *result, struct ph_error *err)
{
    struct ph_boxes boxes = {.change = false};
    double half = NAN;
    enum ph_status status = ph_recording_half_width(recording, &half, err);
    if (status == PH_OK)
        status = ph_recording_boxes(recording, request->stage, &boxes, result, err);
    if (status != PH_OK)
        return status;
    task->cutoff = isnan(request->cutoff) ? 2.0 * ph_library_cbrt(boxes.volume / (double)task->n) : request->cutoff;
    if (isnan(request->cutoff) && task->cutoff > half)
        task->cutoff = half;
    if (isnan(task->cutoff))
        return ph_error_set(err, PH_ERR_INPUT, "%s: open space has no density to choose --cutoff from: give it.",
                            recording->reader.file.name);
    if (!(task->cutoff > 0.0) || task->cutoff > half)
        return ph_error_set(err, PH_ERR_INPUT, "--cutoff %g: not accepted; at most half the box, %g.", task->cutoff,
                            half);
    ph_result_number(result, "cutoff", task->cutoff, ph_recording_unit(recording, "nm"));
    return PH_OK;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct task task = {.bins = 200};
    struct ph_recording recording;
    struct ph_pass sweep = {.sums = NULL};
    enum ph_status status =
        ph_recording_open(request, PH_BIT(PH_CENTRE), PH_BIT(PH_ORIENTATION), &recording, result, err);
    if (status == PH_OK)
        status = choose_members(request, &recording, &task, err);
    if (status == PH_OK)
        status = choose_cutoff(request, &recording, &task, result, err);
    if (status == PH_OK) {
        const struct ph_pass_task sweep_task = {.size = FIRST_BIN + task.bins,
                                                .data = &task,
                                                .add = add,
                                                .scratch = sizeof(struct scratch),
                                                .begin = begin,
                                                .end = end};
        status = ph_sweep_run(&recording, &sweep_task, request, &sweep, err);
    }
    if (status == PH_OK && !say(&task, &sweep, result))
        status = ph_no_memory(err, "the distribution");
    free(sweep.sums);
    free(task.members);
    ph_recording_close(&recording);
    return status;
}

const struct ph_analysis ph_analysis_tetrahedral = {
    .name = "tetrahedral",
    .summary = "tetrahedral order of molecules and their four nearest neighbours",
    .documentation = "The mean and the distribution of q = 1 - 3/8 sum (cos psi + 1/3)^2 over the angles between four "
                     "nearest neighbours (Errington and Debenedetti 2001), by the heaviest sites. --of selects the "
                     "molecules of a mixture.",
    .needs = "positions; orientations where molecules have several sites",
    .options = "stage frames of cutoff",
    .run = run,
};
