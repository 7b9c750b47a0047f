/* SPDX-License-Identifier: MIT */
/* Kernels of accel/functions/bath_functions.h, part of machine_cuda.cu. */
#include "accel/functions/bath_functions.h"

/* x of all threads of a block, by halves, in the first; the last 32 are those of one warp, which need not meet. Before
 * the space is used again all have to meet. */
template <uint32_t threads> static __device__ double add_by_halves(double x, double *space)
{
    space[threadIdx.x] = x;
    for (uint32_t width = threads / 2; width >= 32; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width)
            space[threadIdx.x] += space[threadIdx.x + width];
    }
    if (threadIdx.x >= 32)
        return 0.0;
    double sum = space[threadIdx.x];
    for (uint32_t width = 16; width > 0; width /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, width);
    return sum;
}

template <class S> static __global__ void __launch_bounds__(PH_SUM_GROUP) noise_kernel(SOURCE)
{
    __shared__ double space[PH_SUM_GROUP];
    TAKE_JOB;
    const uint32_t i = thread_number(), groups = sum_groups(&v);
    double heat[PH_BATH_HALVES] = {0.0, 0.0};
    if (i < v.n)
        noise_body(&v, i, heat);
    for (uint32_t half = 0; half < v.pending.halves; ++half) {
        const double sum = add_by_halves<PH_SUM_GROUP>(half == 0 ? heat[0] : heat[1], space);
        if (threadIdx.x == 0 && blockIdx.x < groups)
            v.bath.parts[half * groups + blockIdx.x] = sum;
        __syncthreads();
    }
}

/* `count` quantities of each molecule */
template <uint32_t count, class S> static __global__ void __launch_bounds__(PH_SUM_GROUP) quantities_kernel(SOURCE)
{
    __shared__ double space[PH_SUM_GROUP];
    TAKE_JOB;
    const uint32_t groups = sum_groups(&v);
    const uint32_t i = thread_number();
    double x[count];
    for (uint32_t k = 0; k < count; ++k)
        x[k] = 0.0;
    if (i < v.n && count == PH_BATH_GROUPS)
        kinetic_body(&v, i, x);
    else if (i < v.n && count == PH_STATE_SUMS)
        observe_body(&v, i, x);
#pragma unroll
    for (uint32_t k = 0; k < count; ++k) {
        const double sum = add_by_halves<PH_SUM_GROUP>(x[k], space);
        if (threadIdx.x == 0 && blockIdx.x < groups)
            v.bath.parts[(size_t)k * groups + blockIdx.x] = sum;
        __syncthreads();
    }
}

template <class S> static __global__ void __launch_bounds__(THREADS) scale_kernel(SOURCE)
{
    TAKE_JOB;
    const uint32_t i = thread_number();
    if (i < v.n)
        scale_body(&v, i);
}

/* One block for each quantity */
template <class S> static __global__ void __launch_bounds__(PH_PART_SUMS) total_kernel(SOURCE)
{
    __shared__ double space[PH_PART_SUMS];
    TAKE_JOB;
    const double sum = add_by_halves<PH_PART_SUMS>(add_parts(&v, blockIdx.x, threadIdx.x), space);
    if (threadIdx.x == 0)
        v.signals->sums[blockIdx.x] = sum;
}

template <class S> static __global__ void __launch_bounds__(PH_PART_SUMS) heat_kernel(SOURCE)
{
    __shared__ double space[PH_PART_SUMS];
    TAKE_JOB;
    for (uint32_t half = 0; half < v.pending.halves; ++half) {
        const double sum = add_by_halves<PH_PART_SUMS>(add_parts(&v, half, threadIdx.x), space);
        if (threadIdx.x == 0)
            v.bath.numbers[PH_BATH_HEAT] += sum;
        __syncthreads();
    }
}

/* Kinetic energies become factors: all groups at once, each in one thread */
template <class S> static __global__ void __launch_bounds__(PH_PART_SUMS) factors_kernel(SOURCE)
{
    __shared__ double space[PH_PART_SUMS], kinetic[PH_BATH_GROUPS], heat[PH_BATH_HALVES][PH_BATH_GROUPS];
    TAKE_JOB;
    for (uint32_t group = 0; group < PH_BATH_GROUPS && v.pending.kinetic_stale; ++group) {
        const double sum = add_by_halves<PH_PART_SUMS>(add_parts(&v, group, threadIdx.x), space);
        if (threadIdx.x == 0)
            kinetic[group] = sum;
        __syncthreads();
    }
    if (threadIdx.x < PH_BATH_GROUPS) {
        double mine[PH_BATH_HALVES] = {0.0, 0.0};
        factors_body(&v, (int)threadIdx.x, v.pending.kinetic_stale ? kinetic[threadIdx.x] : 0.0, mine);
        for (uint32_t half = 0; half < PH_BATH_HALVES; ++half)
            heat[half][threadIdx.x] = mine[half];
    }
    __syncthreads();
    for (uint32_t half = 0; half < v.pending.halves && threadIdx.x == 0; ++half)
        ph_scaling_count_heat(heat[half], v.bath.numbers);
}

static uint32_t groups_for(uint32_t n) { return (n + PH_SUM_GROUP - 1) / PH_SUM_GROUP; }

template <class S> static void launch_noise(const S &source, const struct extent &extent)
{
    noise_kernel<<<grid(extent, groups_for(extent.n)), PH_SUM_GROUP>>>(source);
    heat_kernel<<<grid(extent, 1), PH_PART_SUMS>>>(source);
}

template <uint32_t count, class S> static void launch_quantities(const S &source, const struct extent &extent)
{
    quantities_kernel<count><<<grid(extent, groups_for(extent.n)), PH_SUM_GROUP>>>(source);
    if (count == PH_STATE_SUMS)
        total_kernel<<<grid(extent, count), PH_PART_SUMS>>>(source);
}
