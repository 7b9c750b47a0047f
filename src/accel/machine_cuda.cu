/* SPDX-License-Identifier: MIT */
/* The machine `cuda`: bodies as kernels. C++ only where CUDA asks for it. */
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "base/clock.h"
#include "base/error.h"
}
#include "accel/bodies.h"
#include "accel/external_bodies.h"
#include "accel/machine.h"
#include "accel/variants.h"

/* Threads of a block */
enum { THREADS = 128, SCAN_THREADS = 1024 };

/* Kernel arguments that are read in place */
#define VIEW const __grid_constant__ struct ph_accel_view v

static __device__ uint32_t thread_number(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

/* ---- One thread, one body ---- */

/* So many blocks at once leave room for the flow in registers, elliptic functions included. */
static __global__ void __launch_bounds__(THREADS, 4) drift_kernel(VIEW, double t, double flight)
{
    const uint32_t i = thread_number();
    if (i < v.n)
        drift_body(&v, t, flight, i);
}

static __global__ void __launch_bounds__(THREADS) kick_kernel(VIEW, double t)
{
    const uint32_t i = thread_number();
    if (i < v.n)
        kick_body(&v, t, i);
}

static __global__ void __launch_bounds__(THREADS) external_kernel(VIEW, bool unless_outdated, bool energy)
{
    const uint32_t i = thread_number();
    if (i < v.n && !(unless_outdated && *v.outdated))
        external_body(energy, &v, i);
}

#define PLAIN(name)                                                                                                    \
    static __global__ void __launch_bounds__(THREADS) name##_kernel(VIEW, uint32_t count)                              \
    {                                                                                                                  \
        const uint32_t i = thread_number();                                                                            \
        if (i < count)                                                                                                 \
            name##_body(&v, i);                                                                                        \
    }
PLAIN(place)
PLAIN(wrap)
PLAIN(count)
PLAIN(fill)
PLAIN(sort)
PLAIN(arrange)
PLAIN(sum)

/* PH_TOGETHER threads have one slot; those beyond the last do its work once more, so that warps are whole. */
static __global__ void __launch_bounds__(THREADS) partners_kernel(VIEW)
{
    const uint32_t k = thread_number() / PH_TOGETHER;
    partners_body(&v, k < v.n ? k : v.n - 1, threadIdx.x % PH_TOGETHER);
}

/* The sum of x over the threads of a block up to this one; of all in `total` */
static __device__ uint32_t sum_up_to_me(uint32_t x, uint32_t *total)
{
    __shared__ uint32_t of_warp[SCAN_THREADS / 32];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (uint32_t width = 1; width < 32; width *= 2) {
        const uint32_t before = __shfl_up_sync(~0u, x, width);
        x += lane >= width ? before : 0;
    }
    if (lane == 31)
        of_warp[warp] = x;
    __syncthreads();
    uint32_t sum = of_warp[lane];
    for (uint32_t width = 1; width < 32; width *= 2) {
        const uint32_t before = __shfl_up_sync(~0u, sum, width);
        sum += lane >= width ? before : 0;
    }
    *total = __shfl_sync(~0u, sum, 31);
    const uint32_t before = __shfl_sync(~0u, sum, warp > 0 ? warp - 1 : 0);
    return x + (warp > 0 ? before : 0);
}

/* A block has one share of the cells, a thread some neighbours of it: where they start within the share. */
static __global__ void __launch_bounds__(SCAN_THREADS) scan_share_kernel(VIEW, uint32_t cells)
{
    enum { EACH = PH_SCAN_SHARE / SCAN_THREADS };
    const uint32_t first = blockIdx.x * PH_SCAN_SHARE + threadIdx.x * EACH;
    uint32_t filled[EACH], sum = 0, total;
    for (int k = 0; k < EACH; ++k) {
        filled[k] = first + k < cells ? v.filled[first + k] : 0;
        sum += filled[k];
    }
    uint32_t start = sum_up_to_me(sum, &total) - sum;
    for (int k = 0; k < EACH && first + k < cells; ++k) {
        v.start[first + k] = start;
        start += filled[k];
    }
    if (threadIdx.x == 0)
        v.share_start[blockIdx.x] = total;
}

/* What shares before this one hold is added. */
static __global__ void __launch_bounds__(SCAN_THREADS) scan_shift_kernel(VIEW, uint32_t cells)
{
    uint32_t sum = 0, before;
    for (uint32_t b = threadIdx.x; b < blockIdx.x; b += SCAN_THREADS)
        sum += v.share_start[b];
    sum_up_to_me(sum, &before);
    const uint32_t first = blockIdx.x * PH_SCAN_SHARE;
    for (uint32_t c = first + threadIdx.x; c < first + PH_SCAN_SHARE && c < cells; c += SCAN_THREADS)
        v.start[c] += before;
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        v.start[cells] = before + v.share_start[blockIdx.x];
}

static void launch_scan(const struct ph_accel_view &v, uint32_t cells)
{
    const uint32_t shares = (cells + PH_SCAN_SHARE - 1) / PH_SCAN_SHARE;
    scan_share_kernel<<<shares, SCAN_THREADS>>>(v, cells);
    scan_shift_kernel<<<shares, SCAN_THREADS>>>(v, cells);
}

/* ---- Forces ---- */

/* PH_PARTS threads have one molecule: neighbours in a warp. So many blocks at once leave room for the registers of
 * several pairs; measured. */
template <enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate, enum field field,
          bool energy>
static __global__ void __launch_bounds__(THREADS, energy ? 4 : 5) listed_kernel(VIEW, bool unless_outdated)
{
    if (unless_outdated && *v.outdated)
        return;
    const struct formulas is = {radial, electric, truncate, field};
    const uint32_t thread = thread_number(), k = thread / PH_PARTS, part = thread % PH_PARTS;
    struct sums sums = k < v.n ? listed_part(is, energy, &v, k, part) : no_sums();
#pragma unroll
    for (int width = PH_PARTS / 2; width > 0; width /= 2) {
        struct sums more;
        for (int x = 0; x < 3; ++x) {
            more.f[x] = __shfl_down_sync(~0u, sums.f[x], width, PH_PARTS);
            more.e[x] = __shfl_down_sync(~0u, sums.e[x], width, PH_PARTS);
        }
        more.along = __shfl_down_sync(~0u, sums.along, width, PH_PARTS);
        for (int x = 0; x < PH_ENERGIES && energy; ++x)
            more.energy[x] = __shfl_down_sync(~0u, sums.energy[x], width, PH_PARTS);
        add_sums(energy, &more, &sums);
    }
    if (part == 0 && k < v.n)
        finish_body(energy, &v, k, &sums);
}

/* Without lists: a block has THREADS molecules and one part of their partners, which pass through shared memory. None
 * meets itself but where a block passes its own molecules. */
template <enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate, enum field field,
          bool energy, bool images>
static __global__ void __launch_bounds__(THREADS) endless_kernel(VIEW, bool unless_outdated)
{
    __shared__ struct ph_slot tile[THREADS];
    const struct formulas is = {radial, electric, truncate, field};
    const uint32_t mine = blockIdx.x * THREADS, k = mine + threadIdx.x, part = blockIdx.y;
    const uint32_t end = first_of_part(&v, part + 1);
    if (unless_outdated && *v.outdated)
        return;
    const struct ph_slot me = v.slot[k < v.n ? k : 0];
    struct sums sums = no_sums();
    for (uint32_t first = first_of_part(&v, part); first < end; first += THREADS) {
        const uint32_t many = end - first < THREADS ? end - first : THREADS;
        if (threadIdx.x < many)
            tile[threadIdx.x] = v.slot[first + threadIdx.x];
        __syncthreads();
        if (many < THREADS || (first < mine + THREADS && mine < first + THREADS)) {
            for (uint32_t l = 0; l < many; ++l)
                if (first + l != k)
                    add_pair(is, energy, images, &v, &me, &tile[l], &sums);
        } else {
#pragma unroll 4
            for (uint32_t l = 0; l < THREADS; ++l)
                add_pair(is, energy, images, &v, &me, &tile[l], &sums);
        }
        __syncthreads();
    }
    if (k >= v.n)
        return;
    double *out = v.parts + (size_t)part * v.n + k;
    const size_t stride = (size_t)PH_PARTS * v.n;
    for (int x = 0; x < 3; ++x) {
        out[x * stride] = sums.f[x];
        out[(3 + x) * stride] = sums.e[x];
    }
    out[6 * stride] = sums.along;
    for (int x = 0; x < PH_ENERGIES && energy; ++x)
        out[(7 + x) * stride] = sums.energy[x];
}

/* The parts of endless_kernel together, in the order of listed_kernel */
template <bool energy> static __global__ void __launch_bounds__(THREADS) gather_kernel(VIEW, bool unless_outdated)
{
    const uint32_t k = thread_number();
    if (k >= v.n || (unless_outdated && *v.outdated))
        return;
    const size_t stride = (size_t)PH_PARTS * v.n;
    struct sums sums = no_sums();
    for (int x = 0; x < (energy ? 7 + PH_ENERGIES : 7); ++x) {
        double part[PH_PARTS];
        for (int s = 0; s < PH_PARTS; ++s)
            part[s] = v.parts[x * stride + (size_t)s * v.n + k];
        for (int width = PH_PARTS / 2; width > 0; width /= 2)
            for (int s = 0; s < width; ++s)
                part[s] += part[s + width];
        *(x < 3 ? &sums.f[x] : x < 6 ? &sums.e[x - 3] : x < 7 ? &sums.along : &sums.energy[x - 7]) = part[0];
    }
    finish_body(energy, &v, k, &sums);
}

#include "accel/bath_kernels.cuh"
#include "accel/site_kernels.cuh"

static uint32_t blocks_for(size_t threads) { return (uint32_t)((threads + THREADS - 1) / THREADS); }

#define LAUNCH(name, radial, electric, truncate, field)                                                                \
    case PH_VARIANT_##name:                                                                                            \
        if (v.listed)                                                                                                  \
            listed_kernel<PH_KERNEL_##radial, PH_KERNEL_##electric, truncate, field, energy>                           \
                <<<blocks_for((size_t)v.n *PH_PARTS), THREADS>>>(v, unless_outdated);                                  \
        else if (v.periodic)                                                                                           \
            endless_kernel<PH_KERNEL_##radial, PH_KERNEL_##electric, truncate, field, energy, true>                    \
                <<<dim3(blocks_for(v.n), PH_PARTS), THREADS>>>(v, unless_outdated);                                    \
        else                                                                                                           \
            endless_kernel<PH_KERNEL_##radial, PH_KERNEL_##electric, truncate, field, energy, false>                   \
                <<<dim3(blocks_for(v.n), PH_PARTS), THREADS>>>(v, unless_outdated);                                    \
        break;

template <bool energy> static void launch_forces(const struct ph_accel_view &v, bool unless_outdated)
{
    switch (v.variant) {
        PH_VARIANTS(LAUNCH)
    default: launch_sites<energy>(v, unless_outdated); return;
    }
    if (!v.listed)
        gather_kernel<energy><<<blocks_for(v.n), THREADS>>>(v, unless_outdated);
}

#include "accel/wave_kernels.cuh"

/* ---- The machine ---- */

/* A device that fails is no failure of numbers: what was saved before is good. */
static enum ph_status check(cudaError_t result, const char *what, struct ph_error *err)
{
    if (result == cudaSuccess)
        return PH_OK;
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
    return check(cudaSetDevice(0), "its start", err);
}

static void *allocate(size_t bytes)
{
    void *memory = NULL;
    if (cudaMalloc(&memory, bytes > 0 ? bytes : 1) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    if (cudaMemset(memory, 0, bytes) != cudaSuccess) {
        cudaFree(memory);
        cudaGetLastError();
        return NULL;
    }
    return memory;
}

static void release(void *memory) { cudaFree(memory); }

static struct ph_signals *allocate_signals(void)
{
    void *memory = NULL;
    if (cudaHostAlloc(&memory, sizeof(struct ph_signals), cudaHostAllocMapped) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    memset(memory, 0, sizeof(struct ph_signals));
    return (struct ph_signals *)memory;
}

static void release_signals(struct ph_signals *signals) { cudaFreeHost(signals); }

static thread_local struct ph_crossed crossed;

static struct ph_crossed crossed_so_far(void) { return crossed; }

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
    return copy(there, here, bytes, cudaMemcpyHostToDevice, &crossed.to, err);
}

static enum ph_status copy_from(void *here, const void *there, size_t bytes, struct ph_error *err)
{
    return copy(here, there, bytes, cudaMemcpyDeviceToHost, &crossed.from, err);
}

/* ---- Arrays that are sent: on a stream that does not wait for tasks, nor tasks for it ---- */

struct way {
    cudaStream_t stream;
    cudaEvent_t kept, begun, done; /* copies within the device have been made; they begin to cross; all have crossed */
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
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for a copy of the state.");
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
        result =
            cudaMemcpyAsync(arrays[k].here, arrays[k].kept, arrays[k].bytes, cudaMemcpyDeviceToHost, way->stream);
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
    const cudaError_t result = !way   ? cudaSuccess
                               : wait ? cudaEventSynchronize(way->done)
                                      : cudaEventQuery(way->done);
    *all = result == cudaSuccess;
    if (result == cudaErrorNotReady) {
        cudaGetLastError(); /* no failure, and not to be seen as that of a kernel */
        return PH_OK;
    }
    float milliseconds = 0.0f;
    if (*all && way && way->calls > 0 && cudaEventElapsedTime(&milliseconds, way->begun, way->done) == cudaSuccess) {
        ph_traffic_add(way->calls, way->bytes, 1e-3 * (double)milliseconds, &crossed.beside);
        way->calls = way->bytes = 0;
    }
    return check(result, copying, err);
}

static enum ph_status run(enum ph_task task, uint32_t count, double x, double y, const struct ph_accel_view *view,
                          struct ph_error *err)
{
    const struct ph_accel_view &v = *view;
    const uint32_t blocks = blocks_for(count);
    if (count == 0)
        return PH_OK;
    switch (task) {
    case PH_TASK_DRIFT: drift_kernel<<<blocks, THREADS>>>(v, x, y); break;
    case PH_TASK_KICK: kick_kernel<<<blocks, THREADS>>>(v, x); break;
    case PH_TASK_PLACE: place_kernel<<<blocks, THREADS>>>(v, count); break;
    case PH_TASK_WRAP: wrap_kernel<<<blocks, THREADS>>>(v, count); break;
    case PH_TASK_COUNT: count_kernel<<<blocks, THREADS>>>(v, count); break;
    case PH_TASK_SCAN: launch_scan(v, count); break;
    case PH_TASK_FILL: fill_kernel<<<blocks, THREADS>>>(v, count); break;
    case PH_TASK_SORT: sort_kernel<<<blocks, THREADS>>>(v, count); break;
    case PH_TASK_ARRANGE: arrange_kernel<<<blocks, THREADS>>>(v, count); break;
    case PH_TASK_PARTNERS: partners_kernel<<<blocks_for((size_t)count * PH_TOGETHER), THREADS>>>(v); break;
    case PH_TASK_FORCES: launch_forces<false>(v, x != 0.0); break;
    case PH_TASK_FORCES_ENERGY: launch_forces<true>(v, x != 0.0); break;
    case PH_TASK_EXTERNAL: external_kernel<<<blocks, THREADS>>>(v, x != 0.0, y != 0.0); break;
    case PH_TASK_SUM: sum_kernel<<<blocks, THREADS>>>(v, count); break;
    case PH_TASK_SHAKE: launch_shake(v); break;
    case PH_TASK_KINETIC: launch_quantities<PH_BATH_GROUPS>(v); break;
    case PH_TASK_OBSERVE: launch_quantities<PH_STATE_SUMS>(v); break;
    case PH_TASK_SCALE: scale_kernel<<<blocks, THREADS>>>(v); break;
    }
    return check(cudaGetLastError(), "a kernel", err);
}

static enum ph_status run_waves(enum ph_wave_task task, size_t count, struct ph_wave_order order,
                                const struct ph_accel_view *view, struct ph_error *err)
{
    const enum ph_status status = count > 0 ? launch_waves(task, count, order, *view, err) : PH_OK;
    return status == PH_OK ? check(cudaGetLastError(), "a kernel of reciprocal space", err) : status;
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
    .copy_from = copy_from,
    .allocate_here = allocate_here,
    .release_here = release_here,
    .send = send_arrays,
    .arrived = have_arrived,
    .release_way = release_way,
    .crossed = crossed_so_far,
    .run = run,
    .run_waves = run_waves,
    .wait = wait_for,
    .mark = set_mark,
    .wait_for_mark = wait_for_mark,
    .release_mark = release_mark,
};
