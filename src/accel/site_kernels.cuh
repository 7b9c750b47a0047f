/* SPDX-License-Identifier: MIT */
/* Kernels of accel/site_bodies.h, part of machine_cuda.cu: PH_PARTS threads have one molecule, neighbours in a warp. */
#include "accel/site_bodies.h"

template <bool common, bool energy>
static __global__ void __launch_bounds__(THREADS) site_kernel(VIEW, bool unless_outdated)
{
    if (unless_outdated && *v.outdated)
        return;
    const uint32_t thread = thread_number(), k = thread / PH_PARTS, part = thread % PH_PARTS;
    struct site_sums sums = k < v.n ? site_part(common, energy, &v, k, part) : no_site_sums();
#pragma unroll
    for (int width = PH_PARTS / 2; width > 0; width /= 2) {
        struct site_sums more;
        for (int x = 0; x < 3; ++x) {
            more.f[x] = __shfl_down_sync(~0u, sums.f[x], width, PH_PARTS);
            more.t[x] = __shfl_down_sync(~0u, sums.t[x], width, PH_PARTS);
        }
        for (int x = 0; x < PH_ENERGIES && energy; ++x)
            more.energy[x] = __shfl_down_sync(~0u, sums.energy[x], width, PH_PARTS);
        add_site_sums(energy, &more, &sums);
    }
    if (part == 0 && k < v.n)
        finish_sites(energy, &v, k, &sums);
}

template <bool energy> static void launch_sites(const struct ph_accel_view &v, bool unless_outdated)
{
    const uint32_t blocks = (uint32_t)(((size_t)v.n * PH_PARTS + THREADS - 1) / THREADS);
    if (v.sites.common)
        site_kernel<true, energy><<<blocks, THREADS>>>(v, unless_outdated);
    else
        site_kernel<false, energy><<<blocks, THREADS>>>(v, unless_outdated);
}
