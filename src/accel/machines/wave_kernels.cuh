/* SPDX-License-Identifier: MIT */
/* Kernels of accel/functions/wave_functions.h and accel/functions/mesh_functions.h, part of machine_cuda.cu. */
#include "accel/functions/mesh_functions.h"

static __device__ bool waves_are_left_out(const struct ph_wave_order &order, const struct ph_accel_view &v)
{
    return order.unless_outdated && *v.outdated;
}

#define WAVES(name)                                                                                                    \
    template <class S> static __global__ void __launch_bounds__(THREADS) waves_##name##_kernel(SOURCE)                 \
    {                                                                                                                  \
        TAKE_JOB;                                                                                                      \
        const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;                                                   \
        if (i < job.count && !waves_are_left_out(job.order, v))                                                        \
            name##_body(job.order.energy, &v, i);                                                                      \
    }
PH_WAVE_BODIES(WAVES)

/* ---- Spreading ----
 *
 * A block has some sites that follow each other: they are near each other, since slots are in spatial order. It adds
 * them up in a part of the mesh in shared memory first, because the cache has few units for integers. Where the part
 * would be too large for that, it adds them to the mesh itself. Sums of integers are exact in any order.
 *
 * Shared memory adds words of 32 bits. So each of the two integers is two: its low 16 bits, and the rest. */
enum { SPREAD_THREADS = 384, SPREAD_SITES = 80, SPREAD_POINTS = 7168, SPREAD_WORDS = 4 };
static_assert(PH_DENSITY_BITS <= 32 && SPREAD_SITES < 1 << 14, "sums of words");

/* The part of a mesh that sites of a block touch: from `low` to `high` along each edge, from where the first begins */
struct spread_part {
    uint32_t origin; /* number of that site in the block */
    int low[3], high[3];
};

/* How far site t begins from the origin, the shorter way */
static __device__ __forceinline__ int from_origin(const struct ph_wave_view &w, size_t origin, size_t t, int e)
{
    const int points = (int)w.points[e], far = w.first[e][t] - w.first[e][origin];
    return 2 * far > points ? far - points : 2 * far < -points ? far + points : far;
}

static __device__ __forceinline__ void add_words(int64_t sum, int32_t *low, int32_t *high)
{
    atomicAdd(low, (int32_t)(sum & 0xffff));
    atomicAdd(high, (int32_t)(sum >> 16));
}

static __device__ __forceinline__ void add_unless_zero(int64_t low, int64_t high, int64_t *sum)
{
    if (low != 0 || high != 0)
        add_integer(high * 65536 + low, sum);
}

/* By all threads of a block; returns false if the part has more than `room` points, and has done nothing then. */
template <bool tensors>
static __device__ bool spread_in_part(const struct ph_accel_view &v, size_t first, uint32_t sites, uint32_t room,
                                      int32_t *word)
{
    __shared__ struct spread_part part;
    const struct ph_wave_view &w = v.waves;
    const int width = (int)w.width;
    if (threadIdx.x == 0) {
        part.origin = SPREAD_SITES;
        for (int e = 0; e < 3; ++e)
            part.low[e] = part.high[e] = 0;
    }
    __syncthreads();
    const bool is_there = threadIdx.x < sites && is_spread(&v, first + threadIdx.x);
    if (is_there)
        atomicMin(&part.origin, threadIdx.x);
    __syncthreads();
    if (part.origin == SPREAD_SITES)
        return true;
    const size_t origin = first + part.origin;
    for (int e = 0; e < 3 && is_there; ++e) {
        const int far = from_origin(w, origin, first + threadIdx.x, e);
        atomicMin(&part.low[e], far);
        atomicMax(&part.high[e], far);
    }
    __syncthreads();
    const int ey = part.high[1] - part.low[1] + width, ez = part.high[2] - part.low[2] + width;
    const int64_t all = (int64_t)(part.high[0] - part.low[0] + width) * ey * ez;
    if (all > room)
        return false;
    const int points = (int)all;
    for (int k = (int)threadIdx.x; k < SPREAD_WORDS * points; k += SPREAD_THREADS)
        word[k] = 0;
    __syncthreads();
    const uint32_t lines = w.width * w.width;
    for (uint32_t index = threadIdx.x; index < sites * lines; index += SPREAD_THREADS) {
        const uint32_t own = index % lines, x = own / w.width, z = own % w.width;
        const size_t t = first + index / lines;
        if (!is_spread(&v, t))
            continue;
        const struct spread_line line = find_line(tensors, &v, t, x, z);
        const int px = from_origin(w, origin, t, 0) - part.low[0] + (int)x;
        const int py = from_origin(w, origin, t, 1) - part.low[1];
        const int pz = from_origin(w, origin, t, 2) - part.low[2] + (int)z;
        int32_t *to = word + (px * ey + py) * ez + pz;
        for (uint32_t y = 0; y < w.width; ++y, to += ez) {
            const struct spread_value value = value_at(tensors, &v, &line, y);
            add_words(value.high, to, to + points);
            add_words(value.low, to + 2 * points, to + 3 * points);
        }
    }
    __syncthreads();
    int begin[3];
    for (int e = 0; e < 3; ++e)
        begin[e] = w.first[e][origin] + part.low[e];
    for (int k = (int)threadIdx.x; k < points; k += SPREAD_THREADS) {
        const int at[3] = {begin[0] + k / (ey * ez), begin[1] + k / ez % ey, begin[2] + k % ez};
        size_t point = 0;
        for (int e = 0; e < 3; ++e) {
            const int n = (int)w.points[e], rest = at[e] % n;
            point = point * w.points[e] + (size_t)(rest < 0 ? rest + n : rest);
        }
        add_unless_zero(word[k], word[k + points], w.density + point);
        add_unless_zero(word[k + 2 * points], word[k + 3 * points], w.remainder + point);
    }
    return true;
}

template <bool tensors, class S>
static __global__ void __launch_bounds__(SPREAD_THREADS, 2) spread_kernel(SOURCE, uint32_t room)
{
    extern __shared__ int32_t word[];
    TAKE_JOB;
    const uint32_t lines = v.waves.width * v.waves.width;
    const size_t first = (size_t)blockIdx.x * SPREAD_SITES, end = job.count / lines;
    if (waves_are_left_out(job.order, v) || first >= end) /* all threads alike */
        return;
    const uint32_t sites = end - first < SPREAD_SITES ? (uint32_t)(end - first) : SPREAD_SITES;
    if (spread_in_part<tensors>(v, first, sites, room, word))
        return;
    for (uint32_t index = threadIdx.x; index < sites * lines; index += SPREAD_THREADS)
        spread_site(tensors, &v, first * lines + index);
}

/* Points of a part of the mesh for which a block has shared memory. Devices differ in how much that is; where it cannot
 * be had, blocks add to the mesh itself. */
static uint32_t spread_room(const void *kernel)
{
    int device = 0, bytes = 0;
    struct cudaFuncAttributes own;
    if (cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess &&
        cudaFuncGetAttributes(&own, kernel) == cudaSuccess && (size_t)bytes > own.sharedSizeBytes) {
        const size_t fit = ((size_t)bytes - own.sharedSizeBytes) / (SPREAD_WORDS * sizeof(int32_t));
        const size_t room = fit < (size_t)SPREAD_POINTS ? fit : (size_t)SPREAD_POINTS;
        if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)(SPREAD_WORDS * room * sizeof(int32_t))) == cudaSuccess)
            return (uint32_t)room;
    }
    cudaGetLastError(); /* no failure: it works without */
    return 0;
}

/* extent.count: lines. Of several systems all have this width. */
template <bool tensors, class S>
static enum ph_status launch_spread(const struct ph_wave_view &w, const S &source, const struct extent &extent)
{
    static const uint32_t room = spread_room((const void *)spread_kernel<tensors, S>); /* a process has one device */
    const size_t sites = extent.count / ((size_t)w.width * w.width);
    spread_kernel<tensors><<<grid(extent, (sites + SPREAD_SITES - 1) / SPREAD_SITES), SPREAD_THREADS,
                             (size_t)SPREAD_WORDS * room * sizeof(int32_t)>>>(source, room);
    return PH_OK;
}

/* ---- Fourier transforms: a block has a group of lines, which are in shared memory. ---- */
enum { TRANSFORM_THREADS = 256, TRANSFORM_SPACE = 48 * 1024 };

template <enum ph_wave_task task, class S>
static __global__ void __launch_bounds__(TRANSFORM_THREADS) transform_kernel(SOURCE, uint32_t n, uint32_t lines)
{
    extern __shared__ struct ph_complex space[];
    const struct ph_accel_view &v = view_of(source);
    const struct ph_wave_order order = order_of(source);
    if (waves_are_left_out(order, v)) /* all threads alike */
        return;
    const struct together all = {threadIdx.x, TRANSFORM_THREADS, lines};
    struct ph_complex *const to = space + (size_t)n * lines;
    if (task == PH_WAVES_ROWS || task == PH_WAVES_ROWS_BACK)
        rows_body(&v, task == PH_WAVES_ROWS_BACK, blockIdx.x, all, space, to);
    else if (task == PH_WAVES_LINES)
        lines_body(order.energy, &v, blockIdx.x, all, space, to);
    else
        columns_body(&v, task == PH_WAVES_COLUMNS_BACK, blockIdx.x, all, space, to);
}

/* Devices differ in how much shared memory a block may have. */
static enum ph_status refuse_line(uint32_t n, struct ph_error *err)
{
    int device = 0, bytes = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaGetLastError(); /* told here */
    return ph_error_set(err, PH_ERR_INPUT,
                        "interactions.electrostatics.grid has %u points along an edge. Accepted by this graphics "
                        "processor: up to %u.",
                        n, (uint32_t)bytes / (uint32_t)(2 * sizeof(struct ph_complex)));
}

/* Of several systems all have these numbers of points. */
template <enum ph_wave_task task, class S>
static enum ph_status launch_transform(const struct ph_wave_view &w, const S &source, const struct extent &extent,
                                       struct ph_error *err)
{
    const bool rows = task == PH_WAVES_ROWS || task == PH_WAVES_ROWS_BACK;
    const uint32_t n = w.points[rows ? 2 : task == PH_WAVES_LINES ? 0 : 1];
    const uint32_t room = (uint32_t)(TRANSFORM_SPACE / (2 * n * sizeof(struct ph_complex)));
    const uint32_t lines = room > 16 ? 16 : room > 0 ? room : 1;
    const size_t count = extent.count;
    const size_t groups = rows ? (count + lines - 1) / lines : count * ((w.half + lines - 1) / lines);
    const size_t bytes = 2 * (size_t)n * lines * sizeof(struct ph_complex);
    if (bytes > TRANSFORM_SPACE &&
        cudaFuncSetAttribute(transform_kernel<task, S>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) ==
            cudaErrorInvalidValue)
        return refuse_line(n, err);
    transform_kernel<task><<<grid(extent, groups), TRANSFORM_THREADS, bytes>>>(source, n, lines);
    return PH_OK;
}

#define WAVES_LAUNCH(name)                                                                                             \
    case PH_WAVES_##name: waves_##name##_kernel<<<grid(extent, blocks_for(extent.count)), THREADS>>>(source); break;
template <class S>
static enum ph_status launch_waves(enum ph_wave_task task, const struct ph_wave_view &w, const S &source,
                                   const struct extent &extent, struct ph_error *err)
{
    switch (task) {
    case PH_WAVES_spread: return launch_spread<false>(w, source, extent);
    case PH_WAVES_spread_tensors: return launch_spread<true>(w, source, extent); PH_WAVE_BODIES(WAVES_LAUNCH)
    case PH_WAVES_ROWS: return launch_transform<PH_WAVES_ROWS>(w, source, extent, err);
    case PH_WAVES_ROWS_BACK: return launch_transform<PH_WAVES_ROWS_BACK>(w, source, extent, err);
    case PH_WAVES_COLUMNS: return launch_transform<PH_WAVES_COLUMNS>(w, source, extent, err);
    case PH_WAVES_COLUMNS_BACK: return launch_transform<PH_WAVES_COLUMNS_BACK>(w, source, extent, err);
    case PH_WAVES_LINES: return launch_transform<PH_WAVES_LINES>(w, source, extent, err);
    }
    return PH_OK;
}
