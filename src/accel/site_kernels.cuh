/* SPDX-License-Identifier: MIT */
/* Kernels of accel/site_bodies.h, part of machine_cuda.cu: PH_PARTS threads have one molecule, neighbours in a warp. */
#include "accel/site_bodies.h"

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

template <bool common, bool energy>
static __global__ void __launch_bounds__(THREADS) site_kernel(VIEW, bool unless_outdated)
{
    if (unless_outdated && *v.outdated)
        return;
    const uint32_t thread = thread_number(), k = thread / PH_PARTS, part = thread % PH_PARTS;
    finish_together<energy>(v, k < v.n ? site_part(common, energy, &v, k, part) : no_site_sums());
}

/* Entries as arguments, which all threads read alike */
struct square {
    struct ph_site_entry entry[PH_SQUARE_SITES * PH_SQUARE_SITES];
};

template <uint32_t sites, bool energy>
static __global__ void __launch_bounds__(THREADS)
    square_kernel(VIEW, const __grid_constant__ struct square square, bool unless_outdated)
{
    if (unless_outdated && *v.outdated)
        return;
    const uint32_t thread = thread_number(), k = thread / PH_PARTS, part = thread % PH_PARTS;
    finish_together<energy>(v, k < v.n ? square_part(sites, energy, &v, square.entry, k, part) : no_site_sums());
}

template <bool energy> static void launch_sites(const struct ph_accel_view &v, bool unless_outdated)
{
    const uint32_t blocks = (uint32_t)(((size_t)v.n * PH_PARTS + THREADS - 1) / THREADS), side = v.sites.square;
    struct square square;
    if (v.listed && side > 0)
        memcpy(square.entry, v.sites.on_host, side * side * sizeof *v.sites.on_host);
    if (v.listed && side == 2)
        square_kernel<2, energy><<<blocks, THREADS>>>(v, square, unless_outdated);
    else if (v.listed && side == 3)
        square_kernel<3, energy><<<blocks, THREADS>>>(v, square, unless_outdated);
    else if (v.sites.common)
        site_kernel<true, energy><<<blocks, THREADS>>>(v, unless_outdated);
    else
        site_kernel<false, energy><<<blocks, THREADS>>>(v, unless_outdated);
}
