/* SPDX-License-Identifier: MIT */
/* Orientations of molecules: order parameters, and correlations of the directions u of pairs at a distance r,
 *   h110(r) = 3 g(r) <u1.u2>,  h112(r) = 3/2 g(r) <3 (u1.n)(u2.n) - u1.u2>,  h220(r) = 5/2 g(r) <3 (u1.u2)^2 - 1>,
 * n along r, g relative to the density of each frame. Also Kirkwood's factor within a sphere, gK(r) = 1 + <sum over j
 * nearer than r of u_i.u_j>. */
#include "analysis/kinds/distances.h"
#include "analysis/registry.h"
#include "analysis/statistics/blocks.h"
#include "analysis/statistics/pairs.h"
#include "analysis/trajectory/sweep.h"
#include "base/numerics/matrix.h"
#include "base/rotation.h"
#include "base/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES, POLARISATION, POLARISATION_SQUARE, NEMATIC, MEAN_X, MEAN_Y, MEAN_Z, TENSOR, FIRST_SUM = TENSOR + 9 };
enum {
    COUNT,
    H110,
    H112,
    H220,
    OF_FRAME,
    INSIDE = OF_FRAME,
    SUMS
}; /* of each bin, times V/<V>; but for the sum inside */

struct task {
    struct ph_bins bins;
    size_t n;        /* molecules that have a direction */
    size_t *members; /* owned */
    int axis;        /* of the body; -1: the dipole */
    double volume;   /* mean; NaN in open space */
};

struct scratch {
    const struct task *task;
    struct ph_pair_finder *pairs;
    double *position, (*u)[3], *bins;
};

static void end(void *data)
{
    struct scratch *scratch = data;
    ph_pair_finder_destroy(scratch->pairs);
    free(scratch->position);
    free(scratch->u);
    free(scratch->bins);
}

static bool begin(const void *data, void *own)
{
    const struct task *task = data;
    struct scratch *scratch = own;
    scratch->task = task;
    scratch->pairs = ph_pair_finder_create(task->n);
    scratch->position = calloc(3 * task->n + 1, sizeof *scratch->position);
    scratch->u = calloc(task->n + 1, sizeof *scratch->u);
    scratch->bins = calloc(OF_FRAME * task->bins.n + 1, sizeof *scratch->bins);
    return scratch->pairs && scratch->position && scratch->u && scratch->bins;
}

/* Finds the pairs of a batch within the last bin, without a branch, which would be mispredicted too often */
static size_t find_near(const struct ph_pair_batch *batch, double beyond, int near[PH_PAIR_BATCH])
{
    size_t n = 0;
    for (size_t l = 0; l < batch->n; ++l) {
        near[n] = (int)l;
        n += batch->square[l] < beyond;
    }
    return n;
}

static void correlate(const struct ph_pair_batch *batch, void *data)
{
    struct scratch *scratch = data;
    const struct ph_bins *bins = &scratch->task->bins;
    const double *u = scratch->u[batch->i], inverse = 1.0 / bins->width;
    int near[PH_PAIR_BATCH];
    const size_t n = find_near(batch, bins->end * bins->end, near);
    for (size_t m = 0; m < n; ++m) {
        const int l = near[m];
        const double square = batch->square[l];
        const double *v = scratch->u[batch->j[l]];
        const size_t k = (size_t)(sqrt(square) * inverse);
        double *to = &scratch->bins[OF_FRAME * (k < bins->n ? k : bins->n - 1)];
        const double uv = ph_vec3_dot(u, v);
        const double un = u[0] * batch->dx[l] + u[1] * batch->dy[l] + u[2] * batch->dz[l];
        const double vn = v[0] * batch->dx[l] + v[1] * batch->dy[l] + v[2] * batch->dz[l];
        to[COUNT] += 1.0;
        to[H110] += uv;
        to[H112] += square > 0.0 ? 3.0 * un * vn / square - uv : 0.0;
        to[H220] += 3.0 * uv * uv - 1.0;
    }
}

/* |sum u|/N, and the largest eigenvalue of sum (3 u u^T - 1)/2N */
static void add_order(const struct scratch *scratch, double *sums)
{
    const double n = (double)scratch->task->n;
    double mean[3] = {0.0}, tensor[9] = {0.0}, value[3], vectors[9];
    for (size_t i = 0; i < scratch->task->n; ++i)
        for (int a = 0; a < 3; ++a) {
            mean[a] += scratch->u[i][a] / n;
            for (int b = 0; b < 3; ++b)
                tensor[3 * a + b] += (1.5 * scratch->u[i][a] * scratch->u[i][b] - (a == b ? 0.5 : 0.0)) / n;
        }
    ph_symmetric_eigen(3, tensor, value, vectors);
    const double square = ph_vec3_dot(mean, mean);
    sums[POLARISATION] += sqrt(square);
    sums[POLARISATION_SQUARE] += square;
    sums[NEMATIC] += fmax(value[0], fmax(value[1], value[2]));
    for (int a = 0; a < 3; ++a)
        sums[MEAN_X + a] += mean[a];
    for (int k = 0; k < 9; ++k)
        sums[TENSOR + k] += tensor[k];
}

static void direction(const struct task *task, const struct ph_recorded *snapshot, size_t i, double u[3])
{
    if (task->axis >= 0) {
        double axis[3] = {0.0};
        axis[task->axis] = 1.0;
        ph_quat_rotate(&snapshot->data[PH_ORIENTATION][4 * i], axis, u);
        return;
    }
    const double *mu = &snapshot->data[PH_DIPOLE][3 * i];
    const double size = ph_vec3_norm(mu);
    for (int k = 0; k < 3; ++k)
        u[k] = size > 0.0 ? mu[k] / size : 0.0;
}

static bool add(const struct ph_recording *recording, const struct ph_recorded *snapshot, const void *data, void *own,
                double *sums)
{
    (void)recording;
    const struct task *task = data;
    struct scratch *scratch = own;
    for (size_t m = 0; m < task->n; ++m) {
        memcpy(&scratch->position[3 * m], &snapshot->data[PH_CENTRE][3 * task->members[m]], 3 * sizeof(double));
        direction(task, snapshot, task->members[m], scratch->u[m]);
    }
    sums[FRAMES] += 1.0;
    add_order(scratch, sums);
    memset(scratch->bins, 0, OF_FRAME * task->bins.n * sizeof *scratch->bins);
    if (!ph_pair_finder_visit(scratch->pairs, &snapshot->box, scratch->position, task->bins.end, correlate, scratch))
        return false;
    const double weight = snapshot->box.volume / task->volume;
    for (size_t k = 0; k < task->bins.n; ++k) {
        const double *from = &scratch->bins[OF_FRAME * k];
        double *to = &sums[FIRST_SUM + SUMS * k];
        for (int what = 0; what < OF_FRAME; ++what)
            to[what] += weight * from[what];
        to[INSIDE] += from[H110];
    }
    return true;
}

/* ---- Results ---- */

enum { G, CURVE_110, CURVE_112, CURVE_220, KIRKWOOD, CURVES };

static void curves(const double *sums, const void *data, double *out)
{
    const struct task *task = data;
    const size_t bins = task->bins.n;
    const double n = (double)task->n, frames = sums[FRAMES];
    const double density = 0.5 * n * (n - 1.0) / task->volume;
    double inside = 0.0;
    for (size_t k = 0; k < bins; ++k) {
        const double *from = &sums[FIRST_SUM + SUMS * k],
                     norm = 1.0 / (frames * density * ph_bins_shell(&task->bins, k));
        inside += from[INSIDE] / frames;
        out[G * bins + k] = from[COUNT] * norm;
        out[CURVE_110 * bins + k] = 3.0 * from[H110] * norm;
        out[CURVE_112 * bins + k] = 1.5 * from[H112] * norm;
        out[CURVE_220 * bins + k] = 2.5 * from[H220] * norm;
        out[KIRKWOOD * bins + k] = 1.0 + 2.0 * inside / n;
    }
}

/* The director: the eigenvector of the largest eigenvalue of the mean ordering tensor. Head and tail are alike; the
 * sign is that of `reference`. */
static void director(const double *sums, const void *reference, double n[3])
{
    double tensor[9], value[3], vectors[9];
    for (int k = 0; k < 9; ++k)
        tensor[k] = sums[TENSOR + k] / sums[FRAMES];
    ph_symmetric_eigen(3, tensor, value, vectors);
    const int most = value[0] >= value[1] ? (value[0] >= value[2] ? 0 : 2) : (value[1] >= value[2] ? 1 : 2);
    for (int a = 0; a < 3; ++a)
        n[a] = vectors[3 * a + most];
    if (ph_vec3_dot(n, reference) < 0.0)
        for (int a = 0; a < 3; ++a)
            n[a] = -n[a];
}

/* Its largest component is positive. */
static bool say_director(size_t blocks, size_t size, const double *sums, struct ph_result *result)
{
    static const char *const names[] = {"director_x", "director_y", "director_z"};
    double all[FIRST_SUM] = {0.0}, reference[3], some[3], value[3], error[3];
    for (size_t b = 0; b < blocks; ++b)
        for (size_t k = 0; k < FIRST_SUM; ++k)
            all[k] += sums[b * size + k];
    director(all, (const double[3]){1.0, 0.0, 0.0}, some);
    const int largest = fabs(some[0]) >= fabs(some[1]) ? (fabs(some[0]) >= fabs(some[2]) ? 0 : 2)
                                                       : (fabs(some[1]) >= fabs(some[2]) ? 1 : 2);
    for (int a = 0; a < 3; ++a)
        reference[a] = some[largest] < 0.0 ? -some[a] : some[a];
    if (!ph_jackknife_all(blocks, size, sums, director, reference, 3, value, error))
        return false;
    for (int a = 0; a < 3; ++a)
        ph_result_value(result, names[a], value[a], error[a], "", "direction along which most of them lie, either way");
    return true;
}

static bool say_curves(const struct ph_recording *recording, const struct task *task, const struct ph_pass *sweep,
                       struct ph_result *result)
{
    static const char *const names[CURVES] = {"g", "h110", "h112", "h220", "g_kirkwood"};
    const size_t bins = task->bins.n, width = CURVES * bins, numbers = sweep->n_blocks * sweep->size;
    double *merged = malloc((numbers + 1) * sizeof *merged), *values = calloc(2 * width, sizeof *values);
    bool good = merged && values;
    size_t blocks = 0;
    if (good) {
        memcpy(merged, sweep->sums, numbers * sizeof *merged);
        blocks = ph_blocks_merge(sweep->n_blocks, sweep->size, merged, PH_ERROR_BLOCKS);
        good = say_director(blocks, sweep->size, merged, result) &&
               ph_jackknife_all(blocks, sweep->size, merged, curves, task, width, values, values + width);
    }
    struct ph_result_table *table =
        ph_result_table(result, bins, "projections of the pair distribution, and Kirkwood's factor within r", "pairs");
    double *r = ph_result_column(result, table, "r", recording->length);
    for (size_t k = 0; k < bins && r; ++k)
        r[k] = ph_bins_middle(&task->bins, k);
    for (size_t c = 0; c < CURVES && good; ++c) {
        char name[PH_RESULT_NAME];
        snprintf(name, sizeof name, "%s_error", names[c]);
        double *value = ph_result_column(result, table, names[c], ""),
               *error = ph_result_column(result, table, name, "");
        if (!value || !error)
            break;
        memcpy(value, values + c * bins, bins * sizeof *value);
        memcpy(error, values + width + c * bins, bins * sizeof *error);
    }
    if (good) {
        const size_t last = KIRKWOOD * bins + bins - 1;
        ph_result_value(result, "g_kirkwood", values[last], values[width + last], "",
                        "Kirkwood's factor within the cutoff");
        ph_result_number(result, "blocks", (double)blocks, NULL);
    }
    free(merged);
    free(values);
    return good;
}

static void say_order(const struct task *task, const struct ph_pass *sweep, struct ph_result *result)
{
    static const struct {
        const char *name, *help;
        size_t sum;
    } scalars[] = {
        {"P1", "|sum u|/N: above 0 also without order, about 0.92/sqrt(N)", POLARISATION},
        {"P2", "largest eigenvalue of the ordering tensor: above 0 also without order, of the size of 1/sqrt(N)",
         NEMATIC},
        {"mean_direction_x", "<u_x>", MEAN_X},
        {"mean_direction_y", "<u_y>", MEAN_Y},
        {"mean_direction_z", "<u_z>", MEAN_Z},
    };
    for (size_t k = 0; k < sizeof scalars / sizeof *scalars; ++k) {
        const struct ph_mean mean = ph_sweep_ratio(sweep, scalars[k].sum, FRAMES);
        struct ph_value *value = ph_result_value(result, scalars[k].name, mean.mean, mean.error, "", scalars[k].help);
        value->correlation_time = ph_mean_time(&mean, sweep->length);
        value->rough = mean.rough;
    }
    const struct ph_mean all = ph_sweep_ratio(sweep, POLARISATION_SQUARE, FRAMES);
    struct ph_value *value = ph_result_value(result, "g_kirkwood_all", (double)task->n * all.mean,
                                             (double)task->n * all.error, "", "of the whole sample: <|sum u|^2>/N");
    value->correlation_time = ph_mean_time(&all, sweep->length);
    value->rough = all.rough;
}

static enum ph_status choose_axis(const struct ph_analysis_request *request, struct task *task, struct ph_error *err)
{
    static const char *const words[] = {"axis-1", "axis-2", "axis-3"};
    task->axis = -1;
    if (!request->of || strcmp(request->of, "dipole") == 0)
        return PH_OK;
    for (int k = 0; k < 3; ++k)
        if (strcmp(request->of, words[k]) == 0)
            task->axis = k;
    return task->axis >= 0
               ? PH_OK
               : ph_error_set(err, PH_ERR_INPUT,
                              "--of %s: not accepted; give dipole, or axis-1, axis-2 or axis-3 of the body.",
                              request->of);
}

static enum ph_status choose_members(const struct ph_recording *recording, struct task *task, struct ph_error *err)
{
    task->members = malloc((recording->n_molecules + 1) * sizeof *task->members);
    if (!task->members)
        return ph_no_memory(err, "a list of molecules");
    for (size_t i = 0; i < recording->n_molecules; ++i) {
        const struct ph_recording_kind *kind = &recording->kinds[recording->kind[i]];
        const double *mu = kind->dipole;
        const bool polar = !ph_vec3_is_zero(mu);
        if (!kind->known || (task->axis < 0 ? polar : kind->species.degrees > 0))
            task->members[task->n++] = i;
    }
    return task->n > 1 ? PH_OK
                       : ph_error_set(err, PH_ERR_INPUT, "%s: fewer than two of its molecules have a direction.",
                                      recording->reader.file.name);
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct task task = {.n = 0};
    struct ph_recording recording;
    struct ph_pass sweep = {.sums = NULL};
    enum ph_status status = choose_axis(request, &task, err);
    if (status != PH_OK)
        return status;
    const unsigned needed = PH_BIT(PH_CENTRE) | (task.axis < 0 ? PH_BIT(PH_DIPOLE) : PH_BIT(PH_ORIENTATION));
    status = ph_recording_open(request, needed, 0, &recording, result, err);
    if (status == PH_OK)
        status = ph_bins_choose(request, &recording, &task.bins, result, err);
    struct ph_boxes boxes = {.change = false};
    if (status == PH_OK)
        status = ph_recording_boxes(&recording, request->stage, &boxes, result, err);
    task.volume = boxes.volume;
    if (status == PH_OK && boxes.change)
        ph_result_note(result,
                       "The box changes in time: g and its projections are relative to the density of each frame.");
    if (status == PH_OK)
        status = choose_members(&recording, &task, err);
    const struct ph_pass_task sweep_task = {.size = FIRST_SUM + SUMS * task.bins.n,
                                            .data = &task,
                                            .add = add,
                                            .scratch = sizeof(struct scratch),
                                            .begin = begin,
                                            .end = end};
    if (status == PH_OK)
        status = ph_sweep_run(&recording, &sweep_task, request, &sweep, err);
    if (status == PH_OK) {
        say_order(&task, &sweep, result);
        if (!say_curves(&recording, &task, &sweep, result))
            status = ph_no_memory(err, "the projections");
        if (isnan(task.volume))
            ph_result_note(result, "Open space has no density: g and its projections are not defined.");
    }
    free(sweep.sums);
    free(task.members);
    ph_recording_close(&recording);
    return status;
}

const struct ph_analysis ph_analysis_orientation = {
    .name = "orientation",
    .summary = "order parameters, projections h110, h112, h220, and Kirkwood's factor",
    .documentation =
        "Of the directions of dipoles, or of a body axis (--of axis-1, axis-2, axis-3): P1 and P2, the "
        "mean direction, the director; by distance h110 = 3 g <u1.u2>, h112 = 3/2 g <3 (u1.n)(u2.n) - u1.u2>, h220 = "
        "5/2 g <3 (u1.u2)^2 - 1>, and Kirkwood's factor within r, 1 + <sum of u_i.u_j>.",
    .needs = "positions; orientations, or dipoles in frames",
    .options = "stage frames of cutoff spacing",
    .run = run,
};
