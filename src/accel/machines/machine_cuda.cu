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
#include "base/clock.h"
#include "base/error.h"
}
#include "accel/functions/device_functions.h"
#include "accel/functions/external_functions.h"
#include "accel/functions/list_functions.h"
#include "accel/functions/variants.h"
#include "accel/machines/machine.h"

/* Threads of a block */
enum { THREADS = 128, SCAN_THREADS = 1024 };

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

/* Kernels take a job of one system, as an argument that is read in place; or those of several, in brief, of which each
 * has the blocks of one z, that put it together in shared memory first. A system may need fewer blocks than there are.
 * Arguments may have 32 764 bytes. */
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

/* ---- The machine ---- */

/* A device that fails is no failure of numbers: what was saved before is good. */
static enum ph_status check(cudaError_t result, const char *what, struct ph_error *err)
{
    if (result == cudaSuccess)
        return PH_OK;
    cudaGetLastError(); /* told here, and not to be seen as the failure of a later kernel */
    return ph_error_set(err, result == cudaErrorMemoryAllocation ? PH_ERR_MEMORY : PH_ERR_IO,
                        "The graphics processor failed at %s: %s.", what, cudaGetErrorString(result));
}

static const char copying[] = "a copy of the state";

static const char *why_no_device(void)
{
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    cudaGetLastError(); /* a failure is not to be seen again */
    return result != cudaSuccess ? cudaGetErrorString(result) : count == 0 ? "no device" : NULL;
}

static void look(struct ph_machine_facts *facts)
{
    *facts = {};
    facts->built = true;
    const char *why = why_no_device();
    struct cudaDeviceProp found;
    size_t free_memory = 0, memory = 0;
    if (!why &&
        (cudaGetDeviceProperties(&found, 0) != cudaSuccess || cudaMemGetInfo(&free_memory, &memory) != cudaSuccess))
        why = cudaGetErrorString(cudaGetLastError());
    if (why) {
        snprintf(facts->device, sizeof facts->device, "no graphics processor was found: %s", why);
        return;
    }
    facts->found = true;
    facts->memory = (double)memory;
    facts->free_memory = (double)free_memory;
    snprintf(facts->device, sizeof facts->device, "%.200s, compute capability %d.%d", found.name, found.major,
             found.minor);
}

static enum ph_status open_machine(struct ph_error *err)
{
    const char *why = why_no_device();
    if (why)
        return ph_error_set(err, PH_ERR_INPUT,
                            "dynamics.backend is cuda, but no graphics processor was found: %s. Accepted here: cpu, "
                            "emulated. Nothing else was taken instead.",
                            why);
    cudaSetDeviceFlags(cudaDeviceScheduleSpin); /* waits are short */
    cudaGetLastError();                         /* they cannot be set twice, which is no failure */
    return check(cudaSetDevice(0), "its start", err);
}

static void *take(cudaError_t result, void *memory, enum ph_status *status, struct ph_error *err)
{
    *status = check(result, "taking memory", err);
    return *status == PH_OK ? memory : NULL;
}

static void *allocate(size_t bytes, enum ph_status *status, struct ph_error *err)
{
    void *memory = NULL;
    if (*status != PH_OK)
        return NULL;
    cudaError_t result = cudaMalloc(&memory, bytes > 0 ? bytes : 1);
    if (result == cudaSuccess && (result = cudaMemset(memory, 0, bytes)) != cudaSuccess)
        cudaFree(memory);
    return take(result, memory, status, err);
}

static void release(void *memory) { cudaFree(memory); }

static struct ph_signals *allocate_signals(enum ph_status *status, struct ph_error *err)
{
    void *memory = NULL;
    if (*status != PH_OK)
        return NULL;
    const cudaError_t result = cudaHostAlloc(&memory, sizeof(struct ph_signals), cudaHostAllocMapped);
    memory = take(result, memory, status, err);
    if (memory)
        memset(memory, 0, sizeof(struct ph_signals));
    return (struct ph_signals *)memory;
}

static void release_signals(struct ph_signals *signals) { cudaFreeHost(signals); }

static thread_local struct ph_transfer_counts transfers;

static struct ph_transfer_counts transfers_so_far(void) { return transfers; }

/* Kernels that it has to wait for are none of its time. */
static enum ph_status copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                           struct ph_traffic *traffic, struct ph_error *err)
{
    const enum ph_status status = check(cudaStreamSynchronize(0), "a kernel", err);
    if (status != PH_OK)
        return status;
    const double began = ph_clock_wall();
    const cudaError_t result = cudaMemcpy(to, from, bytes, kind);
    ph_traffic_add(1, bytes, ph_clock_wall() - began, traffic);
    return check(result, copying, err);
}

static enum ph_status copy_to(void *there, const void *here, size_t bytes, struct ph_error *err)
{
    return copy(there, here, bytes, cudaMemcpyHostToDevice, &transfers.to, err);
}

static enum ph_status clear(void *there, size_t bytes, struct ph_error *err)
{
    return check(cudaMemsetAsync(there, 0, bytes), copying, err);
}

static enum ph_status copy_from(void *here, const void *there, size_t bytes, struct ph_error *err)
{
    return copy(here, there, bytes, cudaMemcpyDeviceToHost, &transfers.from, err);
}

/* ---- Arrays that are sent: on a stream that does not wait for tasks, nor tasks for it ---- */

struct way {
    cudaStream_t stream;
    cudaEvent_t kept, begun, done; /* copies within the device have been made; transfers begin; all have arrived */
    size_t calls, bytes;           /* on the way */
};

static void *allocate_here(size_t bytes)
{
    void *memory = NULL;
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocDefault) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    return memory;
}

static void release_here(void *memory) { cudaFreeHost(memory); }

static void release_way(void *at)
{
    struct way *way = (struct way *)at;
    if (!way)
        return;
    if (way->stream) {
        cudaStreamSynchronize(way->stream);
        cudaStreamDestroy(way->stream);
    }
    const cudaEvent_t events[] = {way->kept, way->begun, way->done};
    for (size_t k = 0; k < sizeof events / sizeof *events; ++k)
        if (events[k])
            cudaEventDestroy(events[k]);
    free(way);
}

static enum ph_status make_way(void **at, struct ph_error *err)
{
    struct way *way = (struct way *)calloc(1, sizeof *way);
    if (!way)
        return ph_no_memory(err, "a copy of the state");
    *at = way;
    cudaError_t result = cudaStreamCreateWithFlags(&way->stream, cudaStreamNonBlocking);
    if (result == cudaSuccess)
        result = cudaEventCreateWithFlags(&way->kept, cudaEventDisableTiming);
    if (result == cudaSuccess)
        result = cudaEventCreate(&way->begun);
    if (result == cudaSuccess)
        result = cudaEventCreate(&way->done);
    return check(result, copying, err);
}

static enum ph_status send_arrays(void **at, size_t n, const struct ph_sent_array arrays[], struct ph_error *err)
{
    const enum ph_status status = *at ? PH_OK : make_way(at, err);
    if (status != PH_OK)
        return status;
    struct way *way = (struct way *)*at;
    cudaError_t result = cudaSuccess;
    for (size_t k = 0; k < n && result == cudaSuccess; ++k)
        result = cudaMemcpyAsync(arrays[k].kept, arrays[k].there, arrays[k].bytes, cudaMemcpyDeviceToDevice);
    if (result == cudaSuccess)
        result = cudaEventRecord(way->kept);
    if (result == cudaSuccess)
        result = cudaStreamWaitEvent(way->stream, way->kept, 0);
    if (result == cudaSuccess && way->calls == 0)
        result = cudaEventRecord(way->begun, way->stream);
    for (size_t k = 0; k < n && result == cudaSuccess; ++k)
        result = cudaMemcpyAsync(arrays[k].here, arrays[k].kept, arrays[k].bytes, cudaMemcpyDeviceToHost, way->stream);
    if (result == cudaSuccess)
        result = cudaEventRecord(way->done, way->stream);
    for (size_t k = 0; k < n; ++k)
        way->bytes += arrays[k].bytes;
    way->calls += n;
    return check(result, copying, err);
}

static enum ph_status have_arrived(void *at, bool wait, bool *all, struct ph_error *err)
{
    struct way *way = (struct way *)at;
    const double began = ph_clock_wall();
    const cudaError_t result = !way ? cudaSuccess : wait ? cudaEventSynchronize(way->done) : cudaEventQuery(way->done);
    *all = result == cudaSuccess;
    transfers.waited += wait ? ph_clock_wall() - began : 0.0;
    if (result == cudaErrorNotReady) {
        cudaGetLastError(); /* no failure, and not to be seen as that of a kernel */
        return PH_OK;
    }
    float milliseconds = 0.0f;
    if (*all && way && way->calls > 0 && cudaEventElapsedTime(&milliseconds, way->begun, way->done) == cudaSuccess) {
        ph_traffic_add(way->calls, way->bytes, 1e-3 * (double)milliseconds, &transfers.beside);
        way->calls = way->bytes = 0;
    }
    if (result == cudaSuccess)
        cudaGetLastError(); /* times that are not known are no failure */
    return check(result, copying, err);
}

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
    }
}

static enum ph_status run(enum ph_task task, uint32_t count, double x, double y, const struct ph_accel_view *view,
                          struct ph_error *err)
{
    const struct alone source = {{count, x, y, {}, *view}};
    if (count > 0)
        launch(task, *view, source, {view->n, count, 1, view->round});
    return check(cudaGetLastError(), "a kernel", err);
}

static enum ph_status run_waves(enum ph_wave_task task, size_t count, struct ph_wave_order order,
                                const struct ph_accel_view *view, struct ph_error *err)
{
    const struct alone source = {{count, 0.0, 0.0, order, *view}};
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
    const enum ph_status status = launch_together(n, job, &err);
    for (size_t k = 0; k < n; ++k) {
        job[k]->status = status;
        if (status != PH_OK)
            *job[k]->err = err;
    }
}

/* Not for what is sent */
static enum ph_status wait_for(struct ph_error *err) { return check(cudaStreamSynchronize(0), "a kernel", err); }

static enum ph_status set_mark(void **mark, struct ph_error *err)
{
    cudaEvent_t event = (cudaEvent_t)*mark;
    enum ph_status status = PH_OK;
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
};
