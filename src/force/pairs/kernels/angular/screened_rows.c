/* SPDX-License-Identifier: MIT */
/* The radial functions B2 to B6 of point quadrupoles in an Ewald sum (potential/electric.h) */
#include "force/pairs/kernels/angular/angular_kernel.h"

#include "potential/electric.h"

enum { FIRST = 2 };

static void find_gauss(double a, size_t n, const double *restrict r, double (*restrict b)[PH_ANGULAR_BLOCK])
{
    const double two_a2 = 2.0 * a * a;
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        const double inv_r = 1.0 / r[l], inv_r2 = inv_r * inv_r;
        const struct ph_screen screen = ph_screen(a, r[l], inv_r);
        const struct ph_screened low = ph_screened(a, screen, inv_r2);
        const double g4 = two_a2 * two_a2 * (two_a2 * two_a2) * screen.g;
        const double b5 = ph_fma(9.0, low.b4, g4) * inv_r2;
        b[0][l] = low.b2;
        b[1][l] = low.b3;
        b[2][l] = low.b4;
        b[3][l] = b5;
        b[4][l] = ph_fma(11.0, b5, two_a2 * g4) * inv_r2;
    }
}

/* Beyond the cutoff the values have no meaning: the pairs are cut there. */
static void find_split(const struct ph_split_pairs *split, size_t count, size_t n, const double *restrict r,
                       double (*restrict b)[PH_ANGULAR_BLOCK])
{
    for (size_t k = 0; k < count; ++k) {
        double power[PH_SPLIT_DEGREE + 1], odd = 1.0;
        memcpy(power, split->power[FIRST + k], sizeof power);
        for (size_t m = 1; m < FIRST + k; ++m)
            odd *= (double)(2 * m + 1);
        const double scale = split->scale, factor = odd;
        double *restrict out = b[k];
        PH_SIMD
        for (size_t l = 0; l < n; ++l) {
            const double inv_r2 = 1.0 / (r[l] * r[l]), y = ph_min(1.0, ph_fma(r[l] * r[l], scale, -1.0));
            double bare = factor * inv_r2 * inv_r2 / r[l];
            for (size_t m = 0; m < k; ++m)
                bare *= inv_r2;
            out[l] = bare - ph_split_smooth(power, y, y * y);
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
