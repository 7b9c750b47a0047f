/* SPDX-License-Identifier: MIT */
/* Which version of the kernels a portable program uses.
 *
 * All other files of this folder and of those in it are compiled once for each level of x86-64 (CMakeLists.txt): v1 is
 * any machine, v3 has AVX2, v4 AVX-512. The names of their functions and tables get the level as suffix there, so that
 * the sources do not know of it. A native program, and one for another architecture, has one version, without suffix,
 * and nothing here. */
#include "force/pairs/kernels/angular/angular_kernel.h"
#include "force/pairs/kernels/derivative/derivative_kernel.h"
#include "force/pairs/kernels/flat_kernel.h"
#include "force/pairs/kernels/group/group_kernel.h"

#ifdef PH_VERSIONS

extern __typeof__(ph_kernel_find) ph_kernel_find_v1, ph_kernel_find_v3, ph_kernel_find_v4;
extern __typeof__(ph_group_find) ph_group_find_v1, ph_group_find_v3, ph_group_find_v4;
extern __typeof__(ph_flat_find) ph_flat_find_v1, ph_flat_find_v3, ph_flat_find_v4;
extern __typeof__(ph_derivative_find) ph_derivative_find_v1, ph_derivative_find_v3, ph_derivative_find_v4;
extern __typeof__(ph_angular_find) ph_angular_find_v1, ph_angular_find_v3, ph_angular_find_v4;

/* Returns the highest of v1, v3, v4 that this processor has, and its operating system lets programs use. No processor
 * has these parts of a level without the rest. */
static int level(void)
{
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    return v4 ? 2 : v3 ? 1 : 0;
}

ph_kernel *ph_kernel_find(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                          enum ph_kernel_rows rows, bool energy)
{
    static __typeof__(ph_kernel_find) *const find[] = {ph_kernel_find_v1, ph_kernel_find_v3, ph_kernel_find_v4};
    return find[level()](radial, electric, truncate, rows, energy);
}

ph_group_kernel *ph_group_find(size_t n_sites, size_t n_lj, bool charges, enum ph_truncate truncate, bool energy)
{
    static __typeof__(ph_group_find) *const find[] = {ph_group_find_v1, ph_group_find_v3, ph_group_find_v4};
    return find[level()](n_sites, n_lj, charges, truncate, energy);
}

ph_flat_kernel *ph_flat_find(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                             bool energy)
{
    static __typeof__(ph_flat_find) *const find[] = {ph_flat_find_v1, ph_flat_find_v3, ph_flat_find_v4};
    return find[level()](radial, electric, truncate, energy);
}

ph_derivative_kernel *ph_derivative_find(enum ph_kernel_radial radial, enum ph_kernel_electric electric,
                                         enum ph_truncate truncate, enum ph_kernel_rows rows)
{
    static __typeof__(ph_derivative_find) *const find[] = {ph_derivative_find_v1, ph_derivative_find_v3,
                                                           ph_derivative_find_v4};
    return find[level()](radial, electric, truncate, rows);
}

ph_angular_kernel *ph_angular_find(bool rates)
{
    static __typeof__(ph_angular_find) *const find[] = {ph_angular_find_v1, ph_angular_find_v3, ph_angular_find_v4};
    return find[level()](rates);
}

#endif
