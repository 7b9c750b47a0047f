/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_WAVES_INSIDE_H
#define PH_FORCE_LONGRANGE_WAVES_INSIDE_H

/* Phases and products of a block of sites, for the sums in waves.c and the rates in waves_rates.c */

#include "base/array.h"
#include "force/longrange/waves.h"

#include <stdlib.h>

/* Sites that a thread takes at a time: their phases stay in the fastest cache. */
enum { PH_WAVE_BLOCK = 64 };

PH_INLINE size_t ph_wave_block_end(const struct ph_waves *waves, size_t begin)
{
    const size_t padded = ph_padded(waves->sites->n);
    return begin + PH_WAVE_BLOCK < padded ? begin + PH_WAVE_BLOCK : padded;
}

PH_INLINE size_t ph_wave_index(const struct ph_wave_row *row, int z) { return row->wave + (size_t)(z - row->first); }

/* exp(i phase) of the first two edges of a row */
PH_INLINE void ph_wave_row_phases(const struct ph_waves *waves, const struct ph_wave_row *row, size_t begin, size_t end,
                                  double *restrict c, double *restrict s)
{
    const size_t padded = ph_padded(waves->sites->n), nx = (size_t)row->n[0], ny = (size_t)abs(row->n[1]);
    const double sign = row->n[1] < 0 ? -1.0 : 1.0;
    const double *restrict cx = waves->cosine[0] + nx * padded, *restrict sx = waves->sine[0] + nx * padded;
    const double *restrict cy = waves->cosine[1] + ny * padded, *restrict sy = waves->sine[1] + ny * padded;
    PH_SIMD
    for (size_t j = begin; j < end; ++j) {
        const double sj = sign * sy[j];
        c[j - begin] = ph_fma(cx[j], cy[j], -(sx[j] * sj));
        s[j - begin] = ph_fma(sx[j], cy[j], cx[j] * sj);
    }
}

/* Cosines and sines of n3 for the sites from `begin` on, and the sign of the latter */
struct ph_wave_third {
    const double *c, *s;
    double sign;
};

PH_INLINE struct ph_wave_third ph_wave_third(const struct ph_waves *waves, int z, size_t begin)
{
    const size_t at = (size_t)abs(z) * ph_padded(waves->sites->n) + begin;
    return (struct ph_wave_third){waves->cosine[2] + at, waves->sine[2] + at, z < 0 ? -1.0 : 1.0};
}

/* u.v of a vector and of those of a block of sites */
PH_INLINE void ph_wave_products(const double u[3], double *const v[3], size_t begin, size_t end, double *restrict out)
{
    const double *restrict x = v[0], *restrict y = v[1], *restrict z = v[2], ux = u[0], uy = u[1], uz = u[2];
    PH_SIMD
    for (size_t j = begin; j < end; ++j)
        out[j - begin] = ph_fma(ux, x[j], ph_fma(uy, y[j], uz * z[j]));
}

#endif
