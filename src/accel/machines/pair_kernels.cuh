/* SPDX-License-Identifier: MIT */
/* Kernels of the forces of accel/functions/device_functions.h, part of machine_cuda.cu, after those of
 * accel/functions/site_functions.h. */

/* PH_PARTS threads have one molecule: neighbours in a warp. So many blocks at once leave room for the registers of
 * several pairs; measured. */
template <enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate, enum field field,
          bool energy, class S>
static __global__ void __launch_bounds__(THREADS, energy ? 4 : 5) listed_kernel(SOURCE)
{
    TAKE_JOB;
    if (is_left_out(job))
        return;
    const struct formulas is = {radial, electric, truncate, field};
    const uint32_t thread = thread_number(), k = thread / PH_PARTS, part = thread % PH_PARTS;
    struct sums sums = k < v.n ? listed_part(is, energy, &v, k, part) : no_sums();
#pragma unroll
    for (int width = PH_PARTS / 2; width > 0; width /= 2) {
        struct sums more;
        for (int x = 0; x < 3; ++x) {
            more.f[x] = __shfl_down_sync(~0u, sums.f[x], width, PH_PARTS);
            more.e[x] = __shfl_down_sync(~0u, sums.e[x], width, PH_PARTS);
        }
        more.along = __shfl_down_sync(~0u, sums.along, width, PH_PARTS);
        for (int x = 0; x < PH_ENERGIES && energy; ++x)
            more.energy[x] = __shfl_down_sync(~0u, sums.energy[x], width, PH_PARTS);
        add_sums(energy, &more, &sums);
    }
    if (part == 0 && k < v.n)
        finish_body(energy, &v, k, &sums);
}

/* Without lists: a block has THREADS molecules and one part of their partners, which pass through shared memory. None
 * meets itself but where a block passes its own molecules. */
template <enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate, enum field field,
          bool energy, bool images, class S>
static __global__ void __launch_bounds__(THREADS) endless_kernel(SOURCE)
{
    __shared__ struct ph_slot tile[THREADS];
    TAKE_JOB;
    const struct formulas is = {radial, electric, truncate, field};
    const uint32_t mine = blockIdx.x * THREADS, k = mine + threadIdx.x, part = blockIdx.y;
    const uint32_t end = first_of_part(&v, part + 1);
    if (is_left_out(job) || mine >= v.n)
        return;
    const struct ph_slot me = v.slot[k < v.n ? k : 0];
    struct sums sums = no_sums();
    for (uint32_t first = first_of_part(&v, part); first < end; first += THREADS) {
        const uint32_t many = end - first < THREADS ? end - first : THREADS;
        if (threadIdx.x < many)
            tile[threadIdx.x] = v.slot[first + threadIdx.x];
        __syncthreads();
        if (many < THREADS || (first < mine + THREADS && mine < first + THREADS)) {
            for (uint32_t l = 0; l < many; ++l)
                if (first + l != k)
                    add_pair(is, energy, images, &v, &me, &tile[l], &sums);
        } else {
#pragma unroll 4
            for (uint32_t l = 0; l < THREADS; ++l)
                add_pair(is, energy, images, &v, &me, &tile[l], &sums);
        }
        __syncthreads();
    }
    if (k >= v.n)
        return;
    double *out = v.parts + (size_t)part * v.n + k;
    const size_t stride = (size_t)PH_PARTS * v.n;
    for (int x = 0; x < 3; ++x) {
        out[x * stride] = sums.f[x];
        out[(3 + x) * stride] = sums.e[x];
    }
    out[6 * stride] = sums.along;
    for (int x = 0; x < PH_ENERGIES && energy; ++x)
        out[(7 + x) * stride] = sums.energy[x];
}

/* The parts of endless_kernel together, in the order of listed_kernel */
template <bool energy, class S> static __global__ void __launch_bounds__(THREADS) gather_kernel(SOURCE)
{
    TAKE_JOB;
    const uint32_t k = thread_number();
    if (k >= v.n || is_left_out(job))
        return;
    const size_t stride = (size_t)PH_PARTS * v.n;
    struct sums sums = no_sums();
    for (int x = 0; x < (energy ? 7 + PH_ENERGIES : 7); ++x) {
        double part[PH_PARTS];
        for (int s = 0; s < PH_PARTS; ++s)
            part[s] = v.parts[x * stride + (size_t)s * v.n + k];
        for (int width = PH_PARTS / 2; width > 0; width /= 2)
            for (int s = 0; s < width; ++s)
                part[s] += part[s + width];
        *(x < 3 ? &sums.f[x] : x < 6 ? &sums.e[x - 3] : x < 7 ? &sums.along : &sums.energy[x - 7]) = part[0];
    }
    finish_body(energy, &v, k, &sums);
}

#define LAUNCH(name, radial, electric, truncate, field)                                                                \
    case PH_VARIANT_##name:                                                                                            \
        if (like.listed)                                                                                               \
            listed_kernel<PH_KERNEL_##radial, PH_KERNEL_##electric, truncate, field, energy>                           \
                <<<grid(extent, blocks_for((size_t)extent.n *PH_PARTS)), THREADS>>>(source);                           \
        else if (like.periodic)                                                                                        \
            endless_kernel<PH_KERNEL_##radial, PH_KERNEL_##electric, truncate, field, energy, true>                    \
                <<<grid(extent, blocks_for(extent.n), PH_PARTS), THREADS>>>(source);                                   \
        else                                                                                                           \
            endless_kernel<PH_KERNEL_##radial, PH_KERNEL_##electric, truncate, field, energy, false>                   \
                <<<grid(extent, blocks_for(extent.n), PH_PARTS), THREADS>>>(source);                                   \
        break;

/* `like`: the view of one of the systems, which have one kind of formulas */
template <bool energy, class S>
static void launch_forces(const struct ph_accel_view &like, const S &source, const struct extent &extent)
{
    switch (like.variant) {
        PH_VARIANTS(LAUNCH)
    default: launch_sites<energy>(like, source, extent); return;
    }
    if (!like.listed)
        gather_kernel<energy><<<grid(extent, blocks_for(extent.n)), THREADS>>>(source);
}
