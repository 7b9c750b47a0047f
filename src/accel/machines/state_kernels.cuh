/* SPDX-License-Identifier: MIT */
/* Kernels of accel/functions/device_functions.h and accel/functions/list_functions.h that have a body for each thread,
 * and cells; part of machine_cuda.cu. */

/* So many blocks at once leave room for the flow in registers, elliptic functions included; that of round bodies needs
 * few, so that more of them can wait for memory at once. */
template <bool round, class S> static __global__ void __launch_bounds__(THREADS, round ? 8 : 5) drift_kernel(SOURCE)
{
    TAKE_JOB;
    const uint32_t i = thread_number();
    if (i < v.n)
        drift_body(round, &v, job.x, job.y, i);
}

template <class S> static __global__ void __launch_bounds__(THREADS) kick_kernel(SOURCE)
{
    TAKE_JOB;
    const uint32_t i = thread_number();
    if (i < v.n)
        kick_body(&v, job.x, i);
}

template <class S> static __global__ void __launch_bounds__(THREADS) external_kernel(SOURCE)
{
    TAKE_JOB;
    const uint32_t i = thread_number();
    if (i < v.n && !is_left_out(job))
        external_body(job.y != 0.0, &v, i);
}

#define PLAIN(name)                                                                                                    \
    template <class S> static __global__ void __launch_bounds__(THREADS) name##_kernel(SOURCE)                         \
    {                                                                                                                  \
        TAKE_JOB;                                                                                                      \
        const uint32_t i = thread_number();                                                                            \
        if (i < job.count)                                                                                             \
            name##_body(&v, i);                                                                                        \
    }
PLAIN(place)
PLAIN(wrap)
PLAIN(count)
PLAIN(fill)
PLAIN(sort)
PLAIN(arrange)
PLAIN(sum)

/* PH_TOGETHER threads have one slot; those of the last block beyond the last do its work once more, so that warps are
 * whole. */
template <class S> static __global__ void __launch_bounds__(THREADS) partners_kernel(SOURCE)
{
    TAKE_JOB;
    const uint32_t k = thread_number() / PH_TOGETHER;
    if (blockIdx.x * (THREADS / PH_TOGETHER) < v.n)
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

/* A block has one share of the cells, a thread some neighbours of it: where they start within the share. Returns how
 * many there are in all of it. */
static __device__ uint32_t scan_share(const struct ph_accel_view &v, uint32_t cells, uint32_t share)
{
    enum { EACH = PH_SCAN_SHARE / SCAN_THREADS };
    const uint32_t first = share * PH_SCAN_SHARE + threadIdx.x * EACH;
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
    return total;
}

template <class S> static __global__ void __launch_bounds__(SCAN_THREADS) scan_share_kernel(SOURCE)
{
    TAKE_JOB;
    const uint32_t cells = (uint32_t)job.count;
    if (blockIdx.x * PH_SCAN_SHARE >= cells)
        return;
    const uint32_t total = scan_share(v, cells, blockIdx.x);
    if (threadIdx.x == 0)
        v.share_start[blockIdx.x] = total;
}

/* A block has all of a system, whose cells are one share. */
template <class S> static __global__ void __launch_bounds__(SCAN_THREADS) slots_kernel(SOURCE)
{
    TAKE_JOB;
    const uint32_t cells = (uint32_t)job.count;
    for (uint32_t i = threadIdx.x; i < v.n; i += SCAN_THREADS) {
        if (job.x != 0.0)
            wrap_body(&v, i);
        count_body(&v, i);
    }
    __syncthreads();
    const uint32_t total = scan_share(v, cells, 0);
    if (threadIdx.x == 0)
        v.start[cells] = total;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < v.n; i += SCAN_THREADS)
        fill_body(&v, i);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < v.n; i += SCAN_THREADS)
        sort_body(&v, i);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < v.n; i += SCAN_THREADS)
        arrange_body(&v, i);
}

/* What shares before this one hold is added. */
template <class S> static __global__ void __launch_bounds__(SCAN_THREADS) scan_shift_kernel(SOURCE)
{
    TAKE_JOB;
    const uint32_t cells = (uint32_t)job.count, first = blockIdx.x * PH_SCAN_SHARE;
    if (first >= cells)
        return;
    uint32_t sum = 0, before;
    for (uint32_t b = threadIdx.x; b < blockIdx.x; b += SCAN_THREADS)
        sum += v.share_start[b];
    sum_up_to_me(sum, &before);
    for (uint32_t c = first + threadIdx.x; c < first + PH_SCAN_SHARE && c < cells; c += SCAN_THREADS)
        v.start[c] += before;
    if (first + PH_SCAN_SHARE >= cells && threadIdx.x == 0)
        v.start[cells] = before + v.share_start[blockIdx.x];
}

template <class S> static void launch_scan(const S &source, const struct extent &extent)
{
    const dim3 blocks = grid(extent, (extent.count + PH_SCAN_SHARE - 1) / PH_SCAN_SHARE);
    scan_share_kernel<<<blocks, SCAN_THREADS>>>(source);
    scan_shift_kernel<<<blocks, SCAN_THREADS>>>(source);
}
