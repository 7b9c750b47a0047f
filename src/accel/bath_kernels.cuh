/* SPDX-License-Identifier: MIT */
/* Kernels of accel/bath_bodies.h, part of machine_cuda.cu. */
#include "accel/bath_bodies.h"

/* x of all threads of a block, by halves, in the first */
template <uint32_t threads> static __device__ double add_by_halves(double x, double *space)
{
    space[threadIdx.x] = x;
    for (uint32_t width = threads / 2; width > 0; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width)
            space[threadIdx.x] += space[threadIdx.x + width];
    }
    __syncthreads();
    return space[0];
}

template <class S> static __global__ void __launch_bounds__(PH_SUM_GROUP) shake_kernel(SOURCE)
{
    __shared__ double space[PH_SUM_GROUP];
    TAKE_JOB;
    const uint32_t i = thread_number();
    const double heat = add_by_halves<PH_SUM_GROUP>(i < v.n ? shake_body(&v, i) : 0.0, space);
    if (threadIdx.x == 0 && blockIdx.x < sum_groups(&v))
        v.bath.parts[blockIdx.x] = heat;
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
template <class S> static __global__ void __launch_bounds__(PH_PART_SUMS) total_kernel(SOURCE, bool heat)
{
    __shared__ double space[PH_PART_SUMS];
    TAKE_JOB;
    const double sum = add_by_halves<PH_PART_SUMS>(add_parts(&v, blockIdx.x, threadIdx.x), space);
    if (threadIdx.x > 0)
        return;
    if (heat)
        keep_heat(&v, sum);
    else
        v.signals->sums[blockIdx.x] = sum;
}

template <class S> static void launch_shake(const S &source, const struct extent &extent)
{
    shake_kernel<<<grid(extent, (extent.n + PH_SUM_GROUP - 1) / PH_SUM_GROUP), PH_SUM_GROUP>>>(source);
    total_kernel<<<grid(extent, 1), PH_PART_SUMS>>>(source, true);
}

template <uint32_t count, class S> static void launch_quantities(const S &source, const struct extent &extent)
{
    quantities_kernel<count><<<grid(extent, (extent.n + PH_SUM_GROUP - 1) / PH_SUM_GROUP), PH_SUM_GROUP>>>(source);
    total_kernel<<<grid(extent, count), PH_PART_SUMS>>>(source, false);
}
