/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_WAVES_INSIDE_H
#define PH_FORCE_LONGRANGE_WAVES_INSIDE_H

/* Phases and products of a block of sites, and fixed point, for the sums in waves.c and the rates in waves_rates.c */

#include "base/array.h"
#include "force/longrange/waves.h"

#include <stdlib.h>
#include <string.h>

/* Sites that a thread takes at a time: their phases stay in the fastest cache. */
enum { PH_WAVE_BLOCK = 64 };

PH_INLINE size_t ph_wave_block_end(const struct ph_waves *waves, size_t begin)
{
    const size_t padded = ph_padded(waves->sites->n);
    return begin + PH_WAVE_BLOCK < padded ? begin + PH_WAVE_BLOCK : padded;
}

/* ---- Fixed point ---- */

/* Returns the unit of sums of n terms of up to `most`. In this unit the sum of all terms is an integer of 63 bits. */
PH_INLINE double ph_wave_unit(size_t n, double most)
{
    int bits = 50, exponent;
    for (size_t terms = (size_t)1 << 12; terms < n; terms *= 2)
        --bits;
    (void)frexp(most, &exponent);
    return ldexp(1.0, exponent - bits);
}

/* Added to a term, the shift rounds it to whole units. The bits of the result, less the bits of the shift, count the
 * units. */
PH_INLINE double ph_wave_shift(double unit) { return 0x1.8p52 * unit; }
PH_INLINE uint64_t ph_wave_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Adds the bits of n such sums. (Terms that are no numbers show in the forces on their sites.) */
PH_INLINE void ph_wave_add(size_t n, const uint64_t bits[PH_LANES], double shift, int64_t *sum)
{
    uint64_t units = (uint64_t)*sum - n * ph_wave_bits(shift);
    for (int l = 0; l < PH_LANES; ++l)
        units += bits[l];
    *sum = (int64_t)units;
}

/* S of all processes, from the sums of each */
void ph_waves_add_up(const struct ph_waves *waves, double *re, double *im);

/* ---- A block ---- */

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

/* Computes u.v of a vector u and the vectors v of a block of sites. */
PH_INLINE void ph_wave_products(const double u[3], double *const v[3], size_t begin, size_t end, double *restrict out)
{
    const double *restrict x = v[0], *restrict y = v[1], *restrict z = v[2], ux = u[0], uy = u[1], uz = u[2];
    PH_SIMD
    for (size_t j = begin; j < end; ++j)
        out[j - begin] = ph_fma(ux, x[j], ph_fma(uy, y[j], uz * z[j]));
}

/* Computes f u.M v of two vectors and the tensors M of a block of sites. */
PH_INLINE void ph_wave_forms(double f, const double u[3], const double v[3], double *const m[PH_WAVE_TENSOR],
                             size_t begin, size_t end, double *restrict out)
{
    const double *restrict xx = m[0], *restrict xy = m[1], *restrict xz = m[2], *restrict yy = m[3];
    const double *restrict yz = m[4], *restrict zz = m[5];
    const double a = f * u[0] * v[0], b = f * (u[0] * v[1] + u[1] * v[0]), c = f * (u[0] * v[2] + u[2] * v[0]);
    const double d = f * u[1] * v[1], e = f * (u[1] * v[2] + u[2] * v[1]), g = f * u[2] * v[2];
    PH_SIMD
    for (size_t j = begin; j < end; ++j)
        out[j - begin] =
            ph_fma(a, xx[j], ph_fma(b, xy[j], ph_fma(c, xz[j], ph_fma(d, yy[j], ph_fma(e, yz[j], g * zz[j])))));
}

/* k.M k of a row: here[0] + n3 here[1] + n3^2 here[2] */
struct ph_wave_squares {
    double here[3][PH_WAVE_BLOCK];
};

PH_INLINE void ph_wave_squares(const struct ph_waves *waves, const struct ph_wave_row *row,
                               double *const m[PH_WAVE_TENSOR], size_t begin, size_t end, struct ph_wave_squares *out)
{
    ph_wave_forms(1.0, row->base, row->base, m, begin, end, out->here[0]);
    ph_wave_forms(2.0, row->base, waves->dual[2], m, begin, end, out->here[1]);
    ph_wave_forms(1.0, waves->dual[2], waves->dual[2], m, begin, end, out->here[2]);
}

/* Adds to tensors of a block of sites: the sum of k k x, from sums of x, n3 x and n3^2 x over a row */
PH_INLINE void ph_wave_add_tensor(const struct ph_waves *waves, const struct ph_wave_row *row, size_t begin, size_t end,
                                  double (*const sums)[PH_WAVE_BLOCK], double *const out[PH_WAVE_TENSOR])
{
    const double *k = row->base, *d = waves->dual[2];
    for (int a = 0, s = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++s) {
            const double none = k[a] * k[b], one = k[a] * d[b] + d[a] * k[b], two = d[a] * d[b];
            double *restrict to = out[s] + begin;
            const double *restrict x = sums[0], *restrict zx = sums[1], *restrict zzx = sums[2];
            PH_SIMD
            for (size_t j = 0; j < end - begin; ++j)
                to[j] = ph_fma(none, x[j], ph_fma(one, zx[j], ph_fma(two, zzx[j], to[j])));
        }
}

#endif
