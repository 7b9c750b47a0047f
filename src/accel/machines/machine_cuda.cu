/* SPDX-License-Identifier: MIT */
/* The machine `cuda`: bodies as kernels. C++ only where CUDA asks for it. */
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "accel/machines/device_choice.h"
#include "base/clock.h"
#include "base/error.h"
}
#include "accel/functions/device_functions.h"
#include "accel/functions/external_functions.h"
#include "accel/functions/list_functions.h"
#include "accel/functions/variants.h"
#include "accel/machines/machine.h"

/* Threads of a block; and so many blocks of THREADS of a shape's kernel at once, measured */
enum { THREADS = 128, SCAN_THREADS = 1024, SHAPE_BLOCKS = 4 };

/* What a kernel does for one system */
struct job {
    size_t count;
    double x, y;
    struct ph_wave_order order;
    struct ph_accel_view view;
};

/* The same without its view, of which the device has a copy: what changes from task to task, but for scaling */
struct brief {
    const struct ph_accel_view *kept;
    size_t count;
    double x, y, kick;
    uint64_t seed, index[PH_BATH_HALVES];
    uint32_t halves;
    bool kinetic_stale;
    struct ph_wave_order order;
};

/* Kernels take the job of one system, as an argument that is read in place, or the jobs of several, in brief. Then each
 * system has the blocks of one z, which put its job together in shared memory first. A system may need fewer blocks
 * than there are. Arguments may have 32 764 bytes. */
struct alone {
    static constexpr bool many = false;
    struct job job;
};
struct several {
    static constexpr bool many = true;
    struct brief brief[PH_JOBS_MOST];
};
struct several_scaled : several {
    struct ph_scaling scaling[PH_JOBS_MOST][PH_BATH_HALVES];
};
static_assert(sizeof(struct several_scaled) <= 32764 && sizeof(struct alone) <= 4096, "arguments of a kernel");

static __device__ __forceinline__ void copy_words(size_t bytes, const void *from, void *to)
{
    for (uint32_t k = threadIdx.x; k < bytes / sizeof(uint64_t); k += blockDim.x)
        ((uint64_t *)to)[k] = ((const uint64_t *)from)[k];
}

static __device__ __forceinline__ void copy_scaling(const struct several &, struct ph_scaling *) {}

static __device__ __forceinline__ void copy_scaling(const struct several_scaled &source, struct ph_scaling *to)
{
    copy_words(sizeof source.scaling[0], source.scaling[blockIdx.z], to);
}

static __device__ __forceinline__ const struct job &job_of(const struct alone &source) { return source.job; }

template <class S> static __device__ __forceinline__ const struct job &job_of(const S &source)
{
    __shared__ struct job job;
    static_assert(offsetof(struct ph_accel_view, pending) % sizeof(uint64_t) == 0, "whole words");
    const struct brief &brief = source.brief[blockIdx.z];
    copy_words(offsetof(struct ph_accel_view, pending), brief.kept, &job.view);
    copy_scaling(source, job.view.pending.scaling);
    if (threadIdx.x == 0) {
        job.count = brief.count;
        job.x = brief.x;
        job.y = brief.y;
        job.order = brief.order;
        job.view.pending.kick = brief.kick;
        job.view.pending.halves = brief.halves;
        job.view.pending.kinetic_stale = brief.kinetic_stale;
        job.view.pending.seed = brief.seed;
        for (int half = 0; half < PH_BATH_HALVES; ++half)
            job.view.pending.index[half] = brief.index[half];
    }
    __syncthreads();
    return job;
}

/* Without shared memory, for kernels that need all of it, and no pending work */
static __device__ __forceinline__ const struct ph_accel_view &view_of(const struct alone &source)
{
    return source.job.view;
}

static __device__ __forceinline__ const struct ph_accel_view &view_of(const struct several &source)
{
    return *source.brief[blockIdx.z].kept;
}

static __device__ __forceinline__ struct ph_wave_order order_of(const struct alone &source) { return source.job.order; }

static __device__ __forceinline__ struct ph_wave_order order_of(const struct several &source)
{
    return source.brief[blockIdx.z].order;
}

/* What kernels have as their argument, and begin with */
#define SOURCE const __grid_constant__ S source
#define TAKE_JOB                                                                                                       \
    const struct job &job = job_of(source);                                                                            \
    const struct ph_accel_view &v = job.view

static __device__ uint32_t thread_number(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

/* Forces, where x says so: to be left as they are */
static __device__ bool is_left_out(const struct job &job) { return job.x != 0.0 && *job.view.outdated; }

/* How many blocks: the largest numbers of molecules and of what a task counts, and how many systems; and whether bodies
 * are round in all of them */
struct extent {
    uint32_t n;
    size_t count;
    uint32_t systems;
    bool round;
};

static uint32_t blocks_for(size_t threads) { return (uint32_t)((threads + THREADS - 1) / THREADS); }

static dim3 grid(const struct extent &extent, size_t blocks, uint32_t parts = 1)
{
    return dim3((uint32_t)blocks, parts, extent.systems);
}

#include "accel/machines/bath_kernels.cuh"
#include "accel/machines/site_kernels.cuh"
#include "accel/machines/state_kernels.cuh"

#include "accel/machines/pair_kernels.cuh"
#include "accel/machines/wave_kernels.cuh"

#include "accel/machines/aside_kernels.cuh"

#include "accel/machines/cuda_memory.cuh"

/* ---- The machine ---- */

/* `like`: the view of one of the systems */
template <class S>
static void launch(enum ph_task task, const struct ph_accel_view &like, const S &source, const struct extent &extent)
{
    const dim3 blocks = grid(extent, blocks_for(extent.count));
    switch (task) {
    case PH_TASK_DRIFT:
        if (extent.round)
            drift_kernel<true><<<blocks, THREADS>>>(source);
        else
            drift_kernel<false><<<blocks, THREADS>>>(source);
        break;
    case PH_TASK_KICK: kick_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_PLACE: place_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_WRAP: wrap_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_COUNT: count_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_SCAN: launch_scan(source, extent); break;
    case PH_TASK_FILL: fill_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_SORT: sort_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_ARRANGE: arrange_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_SLOTS: slots_kernel<<<grid(extent, 1), SCAN_THREADS>>>(source); break;
    case PH_TASK_PARTNERS:
        partners_kernel<<<grid(extent, blocks_for(extent.count * PH_TOGETHER)), THREADS>>>(source);
        break;
    case PH_TASK_FORCES: launch_forces<false>(like, source, extent); break;
    case PH_TASK_FORCES_ENERGY: launch_forces<true>(like, source, extent); break;
    case PH_TASK_EXTERNAL: external_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_SUM: sum_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_NOISE: launch_noise(source, extent); break;
    case PH_TASK_KINETIC: launch_quantities<PH_BATH_GROUPS>(source, extent); break;
    case PH_TASK_OBSERVE: launch_quantities<PH_STATE_SUMS>(source, extent); break;
    case PH_TASK_FACTORS:
        if constexpr (!S::many) /* of several: with scaling, see launch_together */
            factors_kernel<<<grid(extent, 1), PH_PART_SUMS>>>(source);
        break;
    case PH_TASK_SCALE: scale_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_KEEP: keep_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_BRING_BACK: bring_back_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_MAP: map_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_DISPLACE: displace_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_PLACES_BACK: places_back_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_FORCES_BACK: forces_back_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_NO_FORCES: no_forces_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_KEEP_FAST: keep_fast_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_TAKE_OFF_FAST: take_off_fast_kernel<<<blocks, THREADS>>>(source); break;
    case PH_TASK_RECALL_FAST: recall_fast_kernel<<<blocks, THREADS>>>(source); break;
    }
}

static enum ph_status run(enum ph_task task, uint32_t count, double x, double y, const struct ph_accel_view *view,
                          struct ph_error *err)
{
    const struct alone source = {{count, x, y, {}, *view}};
    use_device();
    if (count > 0)
        launch(task, *view, source, {view->n, count, 1, view->round});
    return check(cudaGetLastError(), "a kernel", err);
}

static enum ph_status run_waves(enum ph_wave_task task, size_t count, struct ph_wave_order order,
                                const struct ph_accel_view *view, struct ph_error *err)
{
    const struct alone source = {{count, 0.0, 0.0, order, *view}};
    use_device();
    const enum ph_status status =
        count > 0 ? launch_waves(task, view->waves, source, {view->n, count, 1, view->round}, err) : PH_OK;
    return status == PH_OK ? check(cudaGetLastError(), "a kernel of reciprocal space", err) : status;
}

static struct brief brief_of(const struct ph_job *job)
{
    const struct ph_pending_work *pending = &job->pending;
    struct brief brief = {job->kept, job->count,      job->x,
                          job->y,    pending->kick,   pending->seed,
                          {},        pending->halves, pending->kinetic_stale,
                          {}};
    memcpy(brief.index, pending->index, sizeof brief.index);
    if (job->waves)
        brief.order = job->order;
    return brief;
}

static enum ph_status launch_together(size_t n, struct ph_job *const job[], struct ph_error *err)
{
    struct several source;
    struct extent extent = {0, 0, (uint32_t)n, true};
    for (size_t k = 0; k < n; ++k) {
        source.brief[k] = brief_of(job[k]);
        extent.round = extent.round && job[k]->view->round;
        extent.n = job[k]->view->n > extent.n ? job[k]->view->n : extent.n;
        extent.count = job[k]->count > extent.count ? job[k]->count : extent.count;
    }
    if (extent.count == 0)
        return PH_OK;
    enum ph_status status = PH_OK;
    if (job[0]->waves) {
        status = launch_waves((enum ph_wave_task)job[0]->task, job[0]->view->waves, source, extent, err);
    } else if (job[0]->task == PH_TASK_FACTORS) {
        struct several_scaled scaled;
        memcpy(scaled.brief, source.brief, sizeof scaled.brief);
        for (size_t k = 0; k < n; ++k)
            memcpy(scaled.scaling[k], job[k]->pending.scaling, sizeof scaled.scaling[k]);
        factors_kernel<<<grid(extent, 1), PH_PART_SUMS>>>(scaled);
    } else {
        launch((enum ph_task)job[0]->task, *job[0]->view, source, extent);
    }
    return status == PH_OK ? check(cudaGetLastError(), "a kernel", err) : status;
}

static void run_jobs(size_t n, struct ph_job *const job[])
{
    struct ph_error err;
    use_device();
    const enum ph_status status = launch_together(n, job, &err);
    for (size_t k = 0; k < n; ++k) {
        job[k]->status = status;
        if (status != PH_OK)
            *job[k]->err = err;
    }
}

/* Not for what is sent */
static enum ph_status wait_for(struct ph_error *err)
{
    use_device();
    return check(cudaStreamSynchronize(0), "a kernel", err);
}

static enum ph_status set_mark(void **mark, struct ph_error *err)
{
    cudaEvent_t event = (cudaEvent_t)*mark;
    enum ph_status status = PH_OK;
    use_device();
    if (!event)
        status = check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "its start", err);
    *mark = event;
    return status == PH_OK ? check(cudaEventRecord(event), "a kernel", err) : status;
}

static enum ph_status wait_for_mark(void *mark, struct ph_error *err)
{
    return check(cudaEventSynchronize((cudaEvent_t)mark), "a kernel", err);
}

static void release_mark(void *mark) { cudaEventDestroy((cudaEvent_t)mark); }

static enum ph_status set_stamp(void **stamp, struct ph_error *err)
{
    cudaEvent_t event = (cudaEvent_t)*stamp;
    use_device();
    const enum ph_status status = event ? PH_OK : check(cudaEventCreate(&event), "a measurement", err);
    *stamp = event;
    return status == PH_OK ? check(cudaEventRecord(event), "a kernel", err) : status;
}

static enum ph_status seconds_between(void *from, void *to, double *seconds, struct ph_error *err)
{
    float milliseconds = 0.0f;
    enum ph_status status = check(cudaEventSynchronize((cudaEvent_t)to), "a kernel", err);
    if (status == PH_OK)
        status = check(cudaEventElapsedTime(&milliseconds, (cudaEvent_t)from, (cudaEvent_t)to), "a measurement", err);
    *seconds = 1e-3 * (double)milliseconds;
    return status;
}

const struct ph_machine ph_machine_cuda = {
    .look = look,
    .open = open_machine,
    .allocate = allocate,
    .release = release,
    .allocate_signals = allocate_signals,
    .release_signals = release_signals,
    .copy_to = copy_to,
    .clear = clear,
    .copy_from = copy_from,
    .allocate_here = allocate_here,
    .release_here = release_here,
    .send = send_arrays,
    .arrived = have_arrived,
    .release_way = release_way,
    .transfers = transfers_so_far,
    .run = run,
    .run_waves = run_waves,
    .run_jobs = run_jobs,
    .wait = wait_for,
    .mark = set_mark,
    .wait_for_mark = wait_for_mark,
    .release_mark = release_mark,
    .stamp = set_stamp,
    .between = seconds_between,
    .release_stamp = release_mark,
};
