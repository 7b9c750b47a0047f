/* SPDX-License-Identifier: MIT */
/* Kernels of accel/functions/site_functions.h, part of machine_cuda.cu: PH_PARTS threads have one molecule, neighbours
 * in a warp. */
#include "accel/functions/site_functions.h"
#include "accel/functions/water_functions.h"

/* Sums of `many` threads of a molecule together, to the first */
template <bool energy, uint32_t many>
static __device__ void finish_together(const struct ph_accel_view &v, struct site_sums sums)
{
    const uint32_t thread = thread_number(), k = thread / many, part = thread % many;
#pragma unroll
    for (int width = many / 2; width > 0; width /= 2) {
        struct site_sums more;
        for (int x = 0; x < 3; ++x) {
            more.f[x] = __shfl_down_sync(~0u, sums.f[x], width, many);
            more.t[x] = __shfl_down_sync(~0u, sums.t[x], width, many);
        }
        for (int x = 0; x < PH_ENERGIES && energy; ++x)
            more.energy[x] = __shfl_down_sync(~0u, sums.energy[x], width, many);
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
    finish_together<energy, PH_PARTS>(v, k < v.n ? site_part(common, rare, energy, &v, k, part) : no_site_sums());
}

/* An entry of each kind as arguments, which all threads read alike; several systems have theirs in memory */
struct kinds {
    struct ph_site_entry entry[PH_SHAPE_KINDS];
};

/* Where the pairs of a kind wait, in numbers */
static __host__ __device__ constexpr uint32_t room_before(enum ph_shape shape, uint32_t kind)
{
    uint32_t room = 0;
    for (uint32_t other = 0; other < kind; ++other)
        room += waiting_room(ph_shape_pairs(shape, other));
    return room;
}

/* What the threads of a warp share */
template <enum ph_shape shape> struct desk {
    double d[3][room_before(shape, ph_shape_kinds(shape))];
    uint32_t word[room_before(shape, ph_shape_kinds(shape))];
};

/* Blocks have as many threads as have room for their pairs. */
static __host__ __device__ constexpr uint32_t shape_threads(enum ph_shape shape)
{
    return shape == PH_SHAPE_XY2M ? THREADS / 2 : THREADS;
}

template <enum ph_shape shape, bool energy, class S>
static __global__ void __launch_bounds__(shape_threads(shape), SHAPE_BLOCKS *(THREADS / shape_threads(shape)))
    shape_kernel(SOURCE, const __grid_constant__ struct kinds kinds)
{
    constexpr uint32_t sites = ph_shape_sites(shape), all_kinds = ph_shape_kinds(shape), lanes = PH_LANES_TOGETHER;
    __shared__ struct desk<shape> desks[shape_threads(shape) / lanes];
    TAKE_JOB;
    const uint32_t k = thread_number() / lanes, lane = threadIdx.x % lanes, before_me = (1u << lane) - 1u;
    if (is_left_out(job) || k >= v.n)
        return;
    struct desk<shape> *desk = &desks[threadIdx.x / lanes];
    const uint32_t partners = v.partners[k];
    const double *mine = v.sites.place + (size_t)k * v.sites.record;
    const bool images = meets_images(&v, k);
    struct site_sums sums = no_site_sums();
    double arm[3 * sites];
    for (uint32_t x = 0; x < 3 * sites; ++x)
        arm[x] = mine[x];
    uint32_t count[all_kinds] = {0};
    for (uint32_t begin = 0;; begin += lanes) {
        const bool ends = begin >= partners, listed = begin + lane < partners; /* at the end, all that still wait */
        double to[3 * PH_SHAPE_SITES];
        uint32_t l = k;
        for (uint32_t x = 0; x < 3 * sites; ++x)
            to[x] = 0.0;
        if (listed) {
            l = __ldcs(v.list + place_in_list(&v, k, begin + lane));
            find_sites(sites, images, &v, k, l, to);
        }
#pragma unroll
        for (uint32_t kind = 0; kind < all_kinds; ++kind) {
            const struct ph_site_entry *entry = S::many ? v.sites.entry + v.sites.entry_of[kind] : &kinds.entry[kind];
            const uint32_t room = room_before(shape, kind);
            if (!ends) {
#pragma unroll
                for (uint32_t m = 0; m < ph_shape_pairs(shape, kind); ++m) {
                    const uint32_t pair = ph_shape_pair(shape, kind, m), a = ph_pair_first(pair),
                                   b = ph_pair_second(pair);
                    const double d[3] = {to[3 * b] - arm[3 * a], to[3 * b + 1] - arm[3 * a + 1],
                                         to[3 * b + 2] - arm[3 * a + 2]};
                    const bool near = listed && is_near(entry->term.cut2, d);
                    const uint32_t votes = __ballot_sync(~0u, near);
                    if (near) {
                        const uint32_t place = room + count[kind] + __popc(votes & before_me);
                        desk->d[0][place] = d[0];
                        desk->d[1][place] = d[1];
                        desk->d[2][place] = d[2];
                        desk->word[place] = word_of_pair(pair, l);
                    }
                    count[kind] += __popc(votes);
                }
            }
#pragma unroll 1
            while (count[kind] >= lanes || (ends && count[kind] > 0)) {
                const uint32_t many = count[kind] < lanes ? count[kind] : lanes;
                count[kind] -= many;
                __syncwarp();
                const uint32_t place = room + count[kind] + lane;
                if (lane < many) {
                    const double d[3] = {desk->d[0][place], desk->d[1][place], desk->d[2][place]};
                    add_waiting(energy, &v, entry, k, d, desk->word[place], &sums);
                }
                __syncwarp();
            }
        }
        if (ends)
            break;
    }
    finish_together<energy, lanes>(v, sums);
}

template <enum ph_shape shape, bool energy, class S>
static void launch_shape(const S &source, const struct kinds &kinds, const struct extent &extent)
{
    const uint32_t threads = shape_threads(shape);
    const size_t blocks = ((size_t)extent.n * PH_LANES_TOGETHER + threads - 1) / threads;
    shape_kernel<shape, energy><<<grid(extent, blocks), threads>>>(source, kinds);
}

/* Water without branches. Its numbers are arguments, which operations read in place; several systems have theirs in
 * memory. */
template <enum ph_shape shape, enum ph_water_field field, bool energy, class S>
static __global__ void __launch_bounds__(THREADS, shape == PH_SHAPE_XY2 && !energy ? 5 : 4) /* measured */
    water_kernel(SOURCE, const __grid_constant__ struct ph_water water)
{
    TAKE_JOB;
    const uint32_t k = thread_number() / PH_LANES_TOGETHER, lane = threadIdx.x % PH_LANES_TOGETHER;
    if (is_left_out(job) || k >= v.n)
        return;
    finish_together<energy, PH_LANES_TOGETHER>(
        v, water_part(shape, field, energy, &v, S::many ? v.sites.water : &water, k, lane));
}

template <enum ph_shape shape, bool energy, class S>
static void launch_water(const struct ph_site_view &sites, const S &source, const struct extent &extent)
{
    const dim3 blocks = grid(extent, blocks_for((size_t)extent.n * PH_LANES_TOGETHER));
    if (sites.water_field == PH_WATER_SMOOTH)
        water_kernel<shape, PH_WATER_SMOOTH, energy><<<blocks, THREADS>>>(source, *sites.its_water);
    else
        water_kernel<shape, PH_WATER_SPLIT, energy><<<blocks, THREADS>>>(source, *sites.its_water);
}

template <bool energy, class S>
static void launch_sites(const struct ph_accel_view &like, const S &source, const struct extent &extent)
{
    const dim3 blocks = grid(extent, blocks_for((size_t)extent.n * PH_PARTS));
    const enum ph_shape shape = like.listed ? like.sites.shape : PH_NO_SHAPE;
    if (like.listed && like.sites.water_field != PH_NO_WATER) {
        if (shape == PH_SHAPE_XY2)
            launch_water<PH_SHAPE_XY2, energy>(like.sites, source, extent);
        else
            launch_water<PH_SHAPE_XY2M, energy>(like.sites, source, extent);
        return;
    }
    struct kinds kinds;
    for (uint32_t kind = 0; shape != PH_NO_SHAPE && kind < ph_shape_kinds(shape) && !S::many; ++kind)
        kinds.entry[kind] = like.sites.on_host[like.sites.entry_of[kind]];
    switch (shape) {
    case PH_SHAPE_X2: launch_shape<PH_SHAPE_X2, energy>(source, kinds, extent); return;
    case PH_SHAPE_XY: launch_shape<PH_SHAPE_XY, energy>(source, kinds, extent); return;
    case PH_SHAPE_XY2: launch_shape<PH_SHAPE_XY2, energy>(source, kinds, extent); return;
    case PH_SHAPE_YXY: launch_shape<PH_SHAPE_YXY, energy>(source, kinds, extent); return;
    case PH_SHAPE_XY2M: launch_shape<PH_SHAPE_XY2M, energy>(source, kinds, extent); return;
    default: break;
    }
    if (like.sites.common)
        site_kernel<true, false, energy><<<blocks, THREADS>>>(source);
    else if (like.sites.is_rare)
        site_kernel<false, true, energy><<<blocks, THREADS>>>(source);
    else
        site_kernel<false, false, energy><<<blocks, THREADS>>>(source);
}
