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

/* A block has a group of lines, which are in shared memory. */
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
        PH_WAVE_BODIES(WAVES_LAUNCH)
    case PH_WAVES_ROWS: return launch_transform<PH_WAVES_ROWS>(w, source, extent, err);
    case PH_WAVES_ROWS_BACK: return launch_transform<PH_WAVES_ROWS_BACK>(w, source, extent, err);
    case PH_WAVES_COLUMNS: return launch_transform<PH_WAVES_COLUMNS>(w, source, extent, err);
    case PH_WAVES_COLUMNS_BACK: return launch_transform<PH_WAVES_COLUMNS_BACK>(w, source, extent, err);
    case PH_WAVES_LINES: return launch_transform<PH_WAVES_LINES>(w, source, extent, err);
    }
    return PH_OK;
}
