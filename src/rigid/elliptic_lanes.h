/* SPDX-License-Identifier: MIT */
#ifndef PH_RIGID_ELLIPTIC_LANES_H
#define PH_RIGID_ELLIPTIC_LANES_H

/* The functions of elliptic.h, for code that is compiled for a device too */

#include "rigid/elliptic.h"

#include <stdbool.h>

/* agm(1, 1e-150) has converged after 13 steps. */
enum { PH_LANDEN_LEVELS = 18 };

PH_DEVICE static inline void ph_jacobi_lanes(const double u[PH_LANES], const double kc[PH_LANES], struct ph_jacobi *out)
{
    PH_ALIGNED double modulus[PH_LANDEN_LEVELS][PH_LANES], rest[PH_LANDEN_LEVELS][PH_LANES], a[PH_LANES],
        b[PH_LANES]; /* rest: 1 - modulus */
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        a[l] = 1.0;
        b[l] = kc[l];
    }
    int levels = 0;
    for (double largest = 1.0; largest > 0.0 && levels < PH_LANDEN_LEVELS; ++levels) {
        double *restrict k1 = modulus[levels], *restrict k1c = rest[levels];
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l) {
            const double difference = a[l] - b[l], sum = a[l] + b[l], mean = sqrt(a[l] * b[l]);
            const double k = difference > 0x1p-53 * sum ? difference / sum : 0.0;
            k1[l] = k;
            k1c[l] = k > 0.0 ? 2.0 * b[l] / sum : 1.0;
            a[l] = k > 0.0 ? 0.5 * sum : a[l];
            b[l] = k > 0.0 ? mean : a[l];
        }
        largest = 0.0;
        for (int l = 0; l < PH_LANES; ++l)
            largest = ph_max(largest, k1[l]);
    }
    PH_SIMD
    for (int l = 0; l < PH_LANES; ++l) {
        double sine, cosine;
        ph_sincos(u[l] * a[l], &sine, &cosine);
        out->sn[l] = sine;
        out->cn[l] = cosine;
        out->dn[l] = 1.0;
        out->mean[l] = a[l];
    }
    for (int level = levels - 1; level >= 0; --level) {
        const double *restrict k1 = modulus[level], *restrict k1c = rest[level];
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l) {
            const double k = k1[l], s = out->sn[l], c = out->cn[l];
            const double inverse = 1.0 / ph_fma(k * s, s, 1.0);
            out->sn[l] = (1.0 + k) * s * inverse;
            out->cn[l] = c * out->dn[l] * inverse;
            out->dn[l] = ph_fma(k * c, c, k1c[l]) * inverse; /* 1 - k sn^2 */
        }
    }
}

/* R_C(1, 1+e) = atan(sqrt e)/sqrt e for 0 <= e <= 1: half the angle is at most pi/8. */
PH_INLINE double rc_one_plus(double e)
{
    const double inverse = 1.0 / (1.0 + sqrt(1.0 + e));
    return 2.0 * inverse * ph_atan_series(e * inverse * inverse);
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
            const double e = quarter * quarter * quarter * now.delta[l] * inverse * inverse;
            const double term = quarter * inverse * rc_one_plus(e);
            sum[l] = on ? sum[l] + term : sum[l];
            now.x[l] = on ? 0.25 * (x + lambda) : x;
            now.y[l] = on ? 0.25 * (y + lambda) : y;
            now.z[l] = on ? 0.25 * (z + lambda) : z;
            now.p[l] = on ? 0.25 * (p + lambda) : p;
            mean[l] = on ? 0.25 * (mean[l] + lambda) : mean[l];
            quarters[l] = on ? 0.25 * quarter : quarter;
        }
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
