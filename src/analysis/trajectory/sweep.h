/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_TRAJECTORY_SWEEP_H
#define PH_ANALYSIS_TRAJECTORY_SWEEP_H

/* Goes through all frames of a recording, several at a time, and keeps sums over blocks of frames that follow each
 * other. The blocks depend on the number of frames alone, and one thread sums each block in the order of time. Results
 * therefore do not depend on the number of threads. One thread reads at a time, while the others compute. Memory holds
 * one frame for each thread, and the sums. */

#include "analysis/statistics/blocks.h"
#include "analysis/trajectory/recording.h"

enum { PH_SWEEP_BLOCKS = 128, PH_ERROR_BLOCKS = 16 };

struct ph_pass_task {
    size_t size; /* sums of a block */
    const void *data;
    /* Adds one frame. False: no memory. */
    bool (*add)(const struct ph_recording *recording, const struct ph_recorded *snapshot, const void *data,
                void *scratch, double *sums);
    /* Memory of a thread of its own: so many bytes, all zero. `begin` adds what they point to, and returns false
     * without memory. `end` frees that in any case. All may be missing. */
    size_t scratch;
    bool (*begin)(const void *data, void *scratch);
    void (*end)(void *scratch);
};

struct ph_pass {
    size_t n_blocks, size;
    double *sums;  /* owned; [n_blocks][size] */
    double length; /* of a block in time; NaN if frames are not equally apart */
};

/* Free the sums in any case. */
enum ph_status ph_sweep_run(const struct ph_recording *recording, const struct ph_pass_task *task,
                            const struct ph_analysis_request *request, struct ph_pass *sweep, struct ph_error *err);

/* Returns the mean over blocks of a ratio of two sums, with its correlation in time by blocking */
struct ph_mean ph_sweep_ratio(const struct ph_pass *sweep, size_t above, size_t below);

#endif
