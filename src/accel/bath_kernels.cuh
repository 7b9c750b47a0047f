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

static __global__ void __launch_bounds__(PH_SUM_GROUP) shake_kernel(VIEW)
{
    __shared__ double space[PH_SUM_GROUP];
    const uint32_t i = thread_number();
    const double heat = add_by_halves<PH_SUM_GROUP>(i < v.n ? shake_body(&v, i) : 0.0, space);
    if (threadIdx.x == 0)
        v.bath.parts[blockIdx.x] = heat;
}

/* `count` quantities of each molecule */
template <uint32_t count> static __global__ void __launch_bounds__(PH_SUM_GROUP) quantities_kernel(VIEW)
{
    __shared__ double space[PH_SUM_GROUP];
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
        if (threadIdx.x == 0)
            v.bath.parts[(size_t)k * gridDim.x + blockIdx.x] = sum;
        __syncthreads();
    }
}

static __global__ void __launch_bounds__(THREADS) scale_kernel(VIEW)
{
    const uint32_t i = thread_number();
    if (i < v.n)
        scale_body(&v, i);
}

/* One block for each quantity */
static __global__ void __launch_bounds__(PH_PART_SUMS) total_kernel(VIEW, bool heat)
{
    __shared__ double space[PH_PART_SUMS];
    const double sum = add_by_halves<PH_PART_SUMS>(add_parts(&v, blockIdx.x, threadIdx.x), space);
    if (threadIdx.x > 0)
        return;
    if (heat)
        keep_heat(&v, sum);
    else
        v.signals->sums[blockIdx.x] = sum;
}

static void launch_shake(const struct ph_accel_view &v)
{
    shake_kernel<<<sum_groups(&v), PH_SUM_GROUP>>>(v);
    total_kernel<<<1, PH_PART_SUMS>>>(v, true);
}

template <uint32_t count> static void launch_quantities(const struct ph_accel_view &v)
{
    quantities_kernel<count><<<sum_groups(&v), PH_SUM_GROUP>>>(v);
    total_kernel<<<count, PH_PART_SUMS>>>(v, false);
}
