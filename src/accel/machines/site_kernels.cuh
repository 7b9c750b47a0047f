/* SPDX-License-Identifier: MIT */
/* Kernels of accel/functions/site_functions.h, part of machine_cuda.cu: PH_PARTS threads have one molecule, neighbours
 * in a warp. */
#include "accel/functions/site_functions.h"

/* Sums of the threads of a molecule together, to the first */
template <bool energy> static __device__ void finish_together(const struct ph_accel_view &v, struct site_sums sums)
{
    const uint32_t thread = thread_number(), k = thread / PH_PARTS, part = thread % PH_PARTS;
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

template <bool common, bool rare, bool energy, class S>
static __global__ void __launch_bounds__(THREADS) site_kernel(SOURCE)
{
    TAKE_JOB;
    if (is_left_out(job))
        return;
    const uint32_t thread = thread_number(), k = thread / PH_PARTS, part = thread % PH_PARTS;
    finish_together<energy>(v, k < v.n ? site_part(common, rare, energy, &v, k, part) : no_site_sums());
}

/* Entries as arguments, which all threads read alike; several systems have each their own, in memory */
struct square {
    struct ph_site_entry entry[PH_SQUARE_SITES * PH_SQUARE_SITES];
};

template <uint32_t sites, bool energy, class S>
static __global__ void __launch_bounds__(THREADS) square_kernel(SOURCE, const __grid_constant__ struct square square)
{
    TAKE_JOB;
    if (is_left_out(job))
        return;
    const struct ph_site_entry *entry = S::many ? v.sites.entry : square.entry;
    const uint32_t thread = thread_number(), k = thread / PH_PARTS, part = thread % PH_PARTS;
    finish_together<energy>(v, k < v.n ? square_part(sites, energy, &v, entry, k, part) : no_site_sums());
}

template <bool energy, class S>
static void launch_sites(const struct ph_accel_view &like, const S &source, const struct extent &extent)
{
    const dim3 blocks = grid(extent, blocks_for((size_t)extent.n * PH_PARTS));
    const uint32_t side = like.listed ? like.sites.square : 0;
    struct square square;
    if (side > 0 && !S::many)
        memcpy(square.entry, like.sites.on_host, side * side * sizeof *like.sites.on_host);
    if (side == 2)
        square_kernel<2, energy><<<blocks, THREADS>>>(source, square);
    else if (side == 3)
        square_kernel<3, energy><<<blocks, THREADS>>>(source, square);
    else if (like.sites.common)
        site_kernel<true, false, energy><<<blocks, THREADS>>>(source);
    else if (like.sites.is_rare)
        site_kernel<false, true, energy><<<blocks, THREADS>>>(source);
    else
        site_kernel<false, false, energy><<<blocks, THREADS>>>(source);
}
