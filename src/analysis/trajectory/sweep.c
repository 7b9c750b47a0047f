/* SPDX-License-Identifier: MIT */
#include "analysis/trajectory/sweep.h"

#include "analysis/statistics/blocks.h"

#include <stdlib.h>

struct run {
    const struct ph_recording *recording;
    const struct ph_pass_task *task;
    const struct ph_analysis_request *request;
    struct ph_pass *sweep;
    enum ph_status status; /* the first failure */
    struct ph_error failure;
    size_t done; /* frames */
};

static void fail(struct run *run, const struct ph_error *err)
{
#pragma omp critical(ph_pass)
    if (run->status == PH_OK) {
        run->status = err->status;
        run->failure = *err;
    }
}

static bool failed(struct run *run)
{
    bool result;
#pragma omp critical(ph_pass)
    result = run->status != PH_OK;
    return result;
}

static void sum_block(struct run *run, size_t b, struct ph_recorded *snapshot, void *scratch)
{
    const struct ph_recording *recording = run->recording;
    const size_t n = recording->n_frames, blocks = run->sweep->n_blocks;
    double *sums = &run->sweep->sums[b * run->sweep->size];
    for (size_t f = b * n / blocks; f < (b + 1) * n / blocks && !failed(run); ++f) {
        struct ph_error err = {.status = PH_OK};
        enum ph_status status;
#pragma omp critical(ph_hdf5)
        {
            status = ph_recording_read(recording, f, snapshot, &err);
            ++run->done;
            if (run->request->progress)
                run->request->progress((double)run->done / (double)n, run->request->progress_data);
        }
        if (status == PH_OK && !run->task->add(recording, snapshot, run->task->data, scratch, sums))
            status = ph_no_memory(&err, "looking at a frame");
        if (status != PH_OK)
            fail(run, &err);
    }
}

static void work(struct run *run)
{
    struct ph_recorded snapshot;
    struct ph_error err = {.status = PH_OK};
    const struct ph_pass_task *task = run->task;
    void *scratch = task->scratch > 0 ? calloc(1, task->scratch) : NULL;
    enum ph_status status = ph_snapshot_init(run->recording, &snapshot, &err);
    if (status == PH_OK && task->scratch > 0 && !(scratch && task->begin(task->data, scratch)))
        status = ph_no_memory(&err, "looking at frames");
    if (status != PH_OK)
        fail(run, &err);
#pragma omp for schedule(dynamic, 1)
    for (size_t b = 0; b < run->sweep->n_blocks; ++b)
        if (status == PH_OK)
            sum_block(run, b, &snapshot, scratch);
    if (scratch)
        task->end(scratch);
    free(scratch);
    ph_snapshot_free(&snapshot);
}

enum ph_status ph_sweep_run(const struct ph_recording *recording, const struct ph_pass_task *task,
                            const struct ph_analysis_request *request, struct ph_pass *sweep, struct ph_error *err)
{
    const size_t most_numbers = (size_t)1 << 24; /* sums of all blocks: 128 MB */
    size_t blocks = recording->n_frames < PH_SWEEP_BLOCKS ? recording->n_frames : PH_SWEEP_BLOCKS;
    while (blocks > PH_ERROR_BLOCKS && blocks * task->size > most_numbers)
        blocks /= 2;
    *sweep = (struct ph_pass){.n_blocks = blocks, .size = task->size};
    sweep->length = recording->interval * (double)recording->n_frames / (double)blocks;
    sweep->sums = calloc(blocks * task->size + 1, sizeof *sweep->sums);
    if (!sweep->sums)
        return ph_no_memory(err, "%zu blocks of results", blocks);
    struct run run = {.recording = recording, .task = task, .request = request, .sweep = sweep, .status = PH_OK};
#pragma omp parallel
    work(&run);
    if (run.status != PH_OK && err)
        *err = run.failure;
    return run.status;
}

struct ph_mean ph_sweep_ratio(const struct ph_pass *sweep, size_t above, size_t below)
{
    double ratio[PH_SWEEP_BLOCKS];
    for (size_t b = 0; b < sweep->n_blocks; ++b)
        ratio[b] = sweep->sums[b * sweep->size + above] / sweep->sums[b * sweep->size + below];
    return ph_mean_of(sweep->n_blocks, ratio);
}
