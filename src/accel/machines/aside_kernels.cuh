/* SPDX-License-Identifier: MIT */
/* Kernels of accel/functions/aside_functions.h, part of machine_cuda.cu; PLAIN is that of state_kernels.cuh. */
#include "accel/functions/aside_functions.h"

PLAIN(keep)
PLAIN(map)
PLAIN(places_back)
PLAIN(forces_back)
PLAIN(recall_fast)

template <class S> static __global__ void __launch_bounds__(THREADS) bring_back_kernel(SOURCE)
{
    TAKE_JOB;
    const uint32_t i = thread_number();
    if (i < v.n)
        bring_back_body(&v, job.x, i);
}

template <class S> static __global__ void __launch_bounds__(THREADS) displace_kernel(SOURCE)
{
    TAKE_JOB;
    const uint32_t i = thread_number();
    if (i < v.n)
        displace_body(&v, job.x, job.y, i);
}

/* After forces that may have been left out */
#define AFTER_FORCES(name)                                                                                             \
    template <class S> static __global__ void __launch_bounds__(THREADS) name##_kernel(SOURCE)                         \
    {                                                                                                                  \
        TAKE_JOB;                                                                                                      \
        const uint32_t i = thread_number();                                                                            \
        if (i < v.n && !is_left_out(job))                                                                              \
            name##_body(&v, i);                                                                                        \
    }
AFTER_FORCES(no_forces)
AFTER_FORCES(keep_fast)
AFTER_FORCES(take_off_fast)
