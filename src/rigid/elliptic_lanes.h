/* SPDX-License-Identifier: MIT */
#ifndef PH_RIGID_ELLIPTIC_LANES_H
#define PH_RIGID_ELLIPTIC_LANES_H

/* The functions of elliptic.h, for code that is compiled for a device too */

#include "rigid/elliptic.h"

#include <stdbool.h>

/* agm(1, 1e-150) has converged after 12 steps. */
enum { PH_LANDEN_LEVELS = 12 };

/* A loop over levels: unrolled on a device, whose threads then have all levels in registers */
#ifdef __CUDACC__
#define PH_LEVELS _Pragma("unroll")
#else
#define PH_LEVELS
#endif

/* Replaces the means a and b by the next two. Keeps the old b in `low`, and `half` = (a - b)/2, 0 after convergence. */
PH_INLINE void landen_down(double *a, double *b, double *low, double *half)
{
    const double sum = *a + *b, difference = *a - *b, geometric = sqrt(*a * *b);
    const bool on = difference > 0x1p-53 * sum;
    *low = *b;
    *half = on ? 0.5 * difference : 0.0;
    *a = on ? 0.5 * sum : *a;
    *b = on ? geometric : *a;
}

/* Goes from the functions of modulus k1 = (a - b)/(a + b) to the functions of the previous modulus. Each level adds its
 * change, so that levels of small k1 leave no rounding. */
PH_INLINE void landen_up(double b, double half, double *sn, double *cn, double *dn)
{
    const double s = *sn, c = *cn, d = *dn, s2 = s * s, inverse = 1.0 / ph_fma(half, 1.0 + s2, b);
    const bool on = half > 0.0;
    *sn = on ? ph_fma(s, half * (1.0 - s2) * inverse, s) : s;    /* (1 + k1) s/(1 + k1 s^2) */
    *cn = on ? ph_fma(-(c * d), half * s2 * inverse, c * d) : c; /* c d/(1 + k1 s^2) */
    *dn = on ? ph_fma(half * c, c, b) * inverse : d;             /* 1 - k1 sn^2 */
}

/* Recomputes cn and dn from sn where they are not small. Levels with k1 near 1 double the rounding of cn and dn, but
 * not the rounding of sn. */
PH_INLINE void polish(double kc, double sn, double *cn, double *dn)
{
    const double s2 = sn * sn, ks = kc * sn, c2 = ph_fma(-sn, sn, 1.0);
    const bool flat = s2 < 0.5;
    *cn = flat ? copysign(sqrt(c2), *cn) : *cn;
    *dn = flat ? sqrt(ph_fma(ks, ks, c2)) : *dn;
}

PH_DEVICE static inline void ph_jacobi_lanes(const double u[PH_LANES], const double kc[PH_LANES], struct ph_jacobi *out)
{
    PH_ALIGNED double half[PH_LANDEN_LEVELS][PH_LANES], low[PH_LANDEN_LEVELS][PH_LANES], b[PH_LANES];
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        out->mean[l] = 1.0;
        b[l] = kc[l];
    }
    int levels = 0;
    PH_LEVELS
    for (int level = 0; level < PH_LANDEN_LEVELS; ++level) {
        double *lower = low[level], *halves = half[level], largest = 0.0;
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l)
            landen_down(&out->mean[l], &b[l], &lower[l], &halves[l]);
        for (int l = 0; l < PH_LANES; ++l)
            largest = ph_max(largest, halves[l]);
        if (!(largest > 0.0))
            break;
        levels = level + 1;
    }
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        double sine, cosine;
        ph_sincos(u[l] * out->mean[l], &sine, &cosine);
        out->sn[l] = sine;
        out->cn[l] = cosine;
        out->dn[l] = 1.0;
    }
    PH_LEVELS
    for (int level = PH_LANDEN_LEVELS - 1; level >= 0; --level) {
        if (level >= levels)
            continue;
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l)
            landen_up(low[level][l], half[level][l], &out->sn[l], &out->cn[l], &out->dn[l]);
    }
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l)
        polish(kc[l], out->sn[l], &out->cn[l], &out->dn[l]);
}

#undef PH_LEVELS

/* R_C(1, 1+e) = atan(sqrt e)/sqrt e for 0 <= e <= 1: half the angle is at most pi/8. */
PH_INLINE double rc_one_plus(double e)
{
    const double inverse = 1.0 / (1.0 + sqrt(1.0 + e));
    return 2.0 * inverse * ph_atan_series(e * inverse * inverse);
}

/* The same for e below this, by its series */
static const double rc_small = 1.0 / 64.0;
PH_INLINE double rc_series(double e)
{
    const double z = -e, z2 = z * z, z4 = z2 * z2;
    const double c01 = ph_fma(z, 1.0 / 3.0, 1.0), c23 = ph_fma(z, 1.0 / 7.0, 1.0 / 5.0);
    const double c45 = ph_fma(z, 1.0 / 11.0, 1.0 / 9.0), c67 = ph_fma(z, 1.0 / 15.0, 1.0 / 13.0);
    return ph_fma(z4, ph_fma(z4, 1.0 / 17.0, ph_fma(z2, c67, c45)), ph_fma(z2, c23, c01));
}

/* The expansion about equal arguments, to seventh order (DLMF 19.36.2) */
PH_INLINE double rj_series(double x, double y, double z)
{
    const double p = -0.5 * (x + y + z), xyz = x * y * z, p2 = p * p;
    const double e2 = x * y + x * z + y * z - 3.0 * p2;
    const double e3 = xyz + 2.0 * e2 * p + 4.0 * p2 * p;
    const double e4 = (2.0 * xyz + e2 * p + 3.0 * p2 * p) * p;
    const double e5 = xyz * p2;
    return 1.0 + (e2 * (-3.0 / 14.0 + 9.0 / 88.0 * e2 - 9.0 / 52.0 * e3 - 1.0 / 16.0 * e2 * e2 + 3.0 / 20.0 * e4 +
                        45.0 / 272.0 * e2 * e3 - 9.0 / 68.0 * e5) +
                  e3 * (1.0 / 6.0 + 3.0 / 40.0 * e3 - 9.0 / 68.0 * e4) - 3.0 / 22.0 * e4 + 3.0 / 26.0 * e5);
}

PH_DEVICE static inline void ph_carlson_rj_lanes(const struct ph_carlson_rj *arguments, double out[PH_LANES])
{
    /* The series ends below 2^-55 when no argument is further than this from their mean, relatively. */
    const double near = 0.0075;
    enum { DUPLICATIONS = 40 }; /* a bound that is never reached: 7 to 12 do */
    struct ph_carlson_rj now = *arguments;
    PH_ALIGNED double mean[PH_LANES], spread[PH_LANES], quarters[PH_LANES], sum[PH_LANES];
    PH_ALIGNED double e[PH_LANES], rc[PH_LANES], factor[PH_LANES]; /* of a term, factor R_C(1, 1+e) */
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        const double x = now.x[l], y = now.y[l], z = now.z[l], p = now.p[l];
        mean[l] = 0.2 * (x + y + z + 2.0 * p);
        spread[l] = ph_max(ph_max(fabs(mean[l] - x), fabs(mean[l] - y)), ph_max(fabs(mean[l] - z), fabs(mean[l] - p)));
        quarters[l] = 1.0;
        sum[l] = 0.0;
    }
    for (int n = 0; n < DUPLICATIONS; ++n) {
        double active = 0.0;
        for (int l = 0; l < PH_LANES; ++l)
            active = spread[l] * quarters[l] > near * mean[l] ? 1.0 : active;
        if (active == 0.0)
            break;
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l) {
            const bool on = spread[l] * quarters[l] > near * mean[l];
            const double x = now.x[l], y = now.y[l], z = now.z[l], p = now.p[l], quarter = quarters[l];
            const double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), rp = sqrt(p);
            const double lambda = ph_fma(rx, ry, ph_fma(ry, rz, rz * rx));
            const double inverse = 1.0 / ((rp + rx) * (rp + ry) * (rp + rz));
            e[l] = on ? quarter * quarter * quarter * now.delta[l] * inverse * inverse : 0.0;
            rc[l] = rc_series(e[l]);
            factor[l] = on ? quarter * inverse : 0.0;
            now.x[l] = on ? 0.25 * (x + lambda) : x;
            now.y[l] = on ? 0.25 * (y + lambda) : y;
            now.z[l] = on ? 0.25 * (z + lambda) : z;
            now.p[l] = on ? 0.25 * (p + lambda) : p;
            mean[l] = on ? 0.25 * (mean[l] + lambda) : mean[l];
            quarters[l] = on ? 0.25 * quarter : quarter;
        }
        double largest = 0.0;
        for (int l = 0; l < PH_LANES; ++l)
            largest = ph_max(largest, e[l]);
        if (!(largest < rc_small)) { /* in the first of the duplications */
            PH_SIMD
            for (int l = 0; l < PH_LANES; ++l)
                rc[l] = e[l] < rc_small ? rc[l] : rc_one_plus(e[l]);
        }
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l)
            sum[l] = ph_fma(factor[l], rc[l], sum[l]);
    }
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        const double x0 = arguments->x[l], y0 = arguments->y[l], z0 = arguments->z[l];
        const double mean0 = 0.2 * (x0 + y0 + z0 + 2.0 * arguments->p[l]);
        const double scale = quarters[l] / mean[l];
        const double series = rj_series((mean0 - x0) * scale, (mean0 - y0) * scale, (mean0 - z0) * scale);
        out[l] = ph_fma(6.0, sum[l], scale * series / sqrt(mean[l]));
    }
}

#endif
