/* SPDX-License-Identifier: MIT */
/* The radial functions B2 to B6 of point quadrupoles in an Ewald sum (potential/electric.h) */
#include "force/pairs/kernels/angular/angular_kernel.h"

#include "potential/electric.h"

enum { FIRST = 2 };

static void find_gauss(double a, size_t n, const double *restrict r, double (*restrict b)[PH_ANGULAR_BLOCK])
{
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        const struct ph_screened_far far = ph_screened_far(a, r[l], 1.0 / r[l]);
        b[0][l] = far.b2;
        b[1][l] = far.b3;
        b[2][l] = far.b4;
        b[3][l] = far.b5;
        b[4][l] = far.b6;
    }
}

/* Beyond the cutoff the values have no meaning: the pairs are cut there. */
static void find_split(const struct ph_split_pairs *split, size_t count, size_t n, const double *restrict r,
                       double (*restrict b)[PH_ANGULAR_BLOCK])
{
    PH_ALIGNED double bare[PH_ANGULAR_BLOCK];
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        const double inv_r = 1.0 / r[l], inv_r2 = inv_r * inv_r;
        bare[l] = 3.0 * (inv_r * inv_r2 * inv_r2);
    }
    for (size_t k = 0; k < count; ++k) {
        double power[PH_SPLIT_DEGREE + 1];
        memcpy(power, split->power[FIRST + k], sizeof power);
        const double scale = split->scale, odd = 2.0 * (double)(FIRST + k) + 1.0;
        double *restrict out = b[k];
        PH_SIMD
        for (size_t l = 0; l < n; ++l) {
            const double r2 = r[l] * r[l], y = ph_min(1.0, ph_fma(r2, scale, -1.0));
            out[l] = bare[l] - ph_split_smooth(power, y, y * y);
            bare[l] *= odd / r2;
        }
    }
}

void ph_screened_functions(const struct ph_pair_term *truncation, bool rates, size_t n, const double *r,
                           double (*b)[PH_ANGULAR_BLOCK])
{
    if (!truncation->split) {
        find_gauss(truncation->screening, n, r, b);
        return;
    }
    const size_t count = rates ? PH_SCREENED_FUNCTIONS : PH_SCREENED_FUNCTIONS - 1;
    find_split(truncation->split, count, n, r, b);
    if (!rates)
        memset(b[PH_SCREENED_FUNCTIONS - 1], 0, sizeof b[0]);
}
