/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_LANES_H
#define PH_BASE_LANES_H

/* Arithmetic for loops that the compiler vectorises: one lane is one body (or pair).
 *
 * A kernel is written as a scalar function of one lane, without branches, and called from a loop over PH_LANES lanes
 * marked PH_SIMD. Blocks are always full (short ones are padded), so every lane runs the same instructions. Its result
 * does not depend on its neighbours, on the length of the array or on the number of threads. */

/* Sums over many lanes are kept as PH_LANES partial sums, one for each lane of a block, which ph_add_up adds in a fixed
 * order. The compiler's own reductions have as many partial sums as a vector of the machine has elements: their last
 * digits would differ from machine to machine.
 *
 * The build uses -ffp-contract=off: the compiler fuses nothing on its own. Where a fused multiply-add
 * pays it is written as ph_fma, which is one instruction where the hardware has it. */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef PH_ONE_LANE /* accel: one lane is one thread of the device */
enum { PH_LANES = 1 };
#else
enum { PH_LANES = 8 };
#endif

/* Vectors of two doubles: whatever a block needs is four times as much work for units, and four times as many
 * registers, as with vectors of eight. Pair kernels have shorter loops and fewer sums for that, and take roots (single
 * precision where they refine them) and divisions of the machine, which has a unit for them. Measured on a Neoverse V1
 * without SVE; neither SVE nor SSE2 was. Where there is SVE it is the same: all of aarch64 has one result. */
#if defined(__aarch64__) && !defined(PH_ONE_LANE)
enum { PH_NARROW = 1 };
#else
enum { PH_NARROW = 0 };
#endif

#define PH_SIMD _Pragma("omp simd")
/* In a loop: the compiler must vectorise the loops inside it, not this one. */
#define PH_ONE_BY_ONE __asm__ volatile("")

/* Functions that CUDA compiles for the device too, see accel/functions/device_functions.h */
#ifdef __CUDACC__
#define PH_DEVICE __host__ __device__
#define PH_INLINE static __host__ __device__ __forceinline__
#define restrict __restrict__
#else
#define PH_DEVICE
#define PH_INLINE static inline __attribute__((always_inline))
#endif

/* Marks functions with several versions in a portable binary for x86-64. The program chooses the version for the
 * processor at start. All give the same bits: neither fused operations nor the order of sums depend on them. A native
 * build, aarch64, and files that are compiled once for each version (PH_VERSION, see force/pairs/kernels/versions.c)
 * have one. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__) && !defined(PH_VERSION)
#define PH_DISPATCHED __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define PH_DISPATCHED
#endif

/* Cache lines, and vectors of 512 bits */
#define PH_ALIGNED __attribute__((aligned(64)))

/* a b + c. Rounded once if all machines of this build can do so at no cost, or if PH_FUSED demands it at any cost. */
PH_INLINE double ph_fma(double a, double b, double c)
{
#if defined(__CUDA_ARCH__)
    return __fma_rn(a, b, c);
#elif defined(PH_FUSED)
    return __builtin_fma(a, b, c);
#elif !defined(PH_VERSION) && (defined(__FP_FAST_FMA) || defined(__FMA__) || defined(__ARM_FEATURE_FMA))
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/* All partial sums together */
PH_INLINE double ph_add_up(const double part[PH_LANES])
{
#ifdef PH_ONE_LANE
    return part[0];
#else
    return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
#endif
}

PH_INLINE double ph_max(double a, double b) { return a > b ? a : b; }
PH_INLINE double ph_min(double a, double b) { return a < b ? a : b; }

/* The largest power of two that is not above x, for normal x > 0: the exponent bits alone. */
PH_INLINE double ph_power_of_two_below(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= UINT64_C(0x7ff0000000000000);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Round to the nearest integer for |x| < 2^51: adding 1.5 2^52 leaves no room for a fraction. */
PH_INLINE double ph_round(double x)
{
    const double shift = 0x1.8p52;
    return (x + shift) - shift;
}

/* 1/sqrt(x), error about 1 ulp, for normal x > 0; NaN for NaN, beyond 1e154 for 0. Halving the exponent by an integer
 * subtraction gives y with t = x y^2 between 0.871 and 0.988 (two pieces of straight lines in between). The cubic that
 * is nearest to 1/sqrt(t) there makes the relative error 5.3e-7, and one step of third order 4e-19. There are neither
 * roots nor divisions, which are slow. All words have 64 bits, so that all vectors have the same number of elements. A
 * guess of 0 stays 0. */
#ifndef PH_ONE_LANE
PH_INLINE double ph_inverse_sqrt_guess(double x)
{
    uint64_t bits;
    double y;
    memcpy(&bits, &x, sizeof bits);
    bits = UINT64_C(0x5fe5f150c7b537a9) - (bits >> 1);
    memcpy(&y, &bits, sizeof y);
    const double t = x * y * y;
    return y * ph_fma(ph_fma(ph_fma(-0x1.9eac652043084p-2, t, 0x1.94a95e09338b4p+0), t, -0x1.3933732c1d07fp+1), t,
                      0x1.22b434f3e84b0p+1);
}
#else
PH_INLINE float ph_fma_single(float a, float b, float c)
{
#if defined(__CUDA_ARCH__)
    return __fmaf_rn(a, b, c);
#else
    return __builtin_fmaf(a, b, c);
#endif
}

/* The same in words of 32 bits, because a device has separate units for them. x is multiplied by the power of 4 that
 * brings it to [1, 4). The high word of this double has 21 binary digits, and the high word of the root has as many. So
 * the error is 2e-6 before the step of third order. Nothing is rounded but as IEEE 754 says. */
PH_INLINE double ph_inverse_sqrt_guess(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t high = (uint32_t)(bits >> 32);
    uint32_t word = ((high << 3 & 0x00ffffffu) ^ 0x00800000u) + 0x3f800000u;
    float near, y;
    memcpy(&near, &word, sizeof near);
    word = 0x5f2f8a86u - (word >> 1);
    memcpy(&y, &word, sizeof y);
    const float t = near * y * y;
    y *= ph_fma_single(ph_fma_single(ph_fma_single(-0x1.9eac66p-2f, t, 0x1.94a95ep+0f), t, -0x1.393374p+1f), t,
                       0x1.22b434p+1f);
    memcpy(&word, &y, sizeof word);
    const uint32_t half_power = (high + 0x00100000u) >> 1 & 0xfff00000u; /* of 2, and 512 */
    bits = (uint64_t)((word >> 3) + ((1023u - 127u + 512u) << 20) - half_power) << 32;
    memcpy(&x, &bits, sizeof x);
    return x;
}
#endif

PH_INLINE double ph_inverse_sqrt_refine(double x, double y)
{
    const double e = ph_fma(-(x * y), y, 1.0);
    return ph_fma(y * e, ph_fma(0.375, e, 0.5), y);
}

PH_INLINE double ph_inverse_sqrt(double x) { return ph_inverse_sqrt_refine(x, ph_inverse_sqrt_guess(x)); }

/* sin x and cos x together, on the unit circle to rounding for every x. For |x| < 2^47 their error is below 2^-52 with
 * a fused multiply-add; without one it is so for |x| < 2^23, and beyond that below 2^-52 + 2^-53 |x|, the error of an
 * argument rounded once more. From 2^47 on, where neighbouring arguments are 1/32 apart and more, they are sin 0 and
 * cos 0: n would no longer be the nearest integer, nor the norm one. x = n pi/2 + r with |r| <= pi/4, pi/2 in three
 * parts; Taylor series of r, which at pi/4 end below 2^-54. */
PH_INLINE void ph_sincos(double x, double *sine, double *cosine)
{
    const double safe = fabs(x) < 0x1p47 ? x : 0.0;
    const double n = ph_round(safe * 0.63661977236758134308);
    double r = ph_fma(-n, 0x1.921fb54400000p+0, safe); /* a multiple of 2^-30: n times it is exact up to 2^23 */
    r = ph_fma(-n, 0x1.0b4611a600000p-34, r);
    r = ph_fma(-n, 0x1.3198a2e037073p-69, r);
    /* Estrin's scheme: pairs first, which shortens the chain of dependent operations */
    const double z = r * r, z2 = z * z, z4 = z2 * z2;
    const double s01 = ph_fma(z, 1.0 / 120.0, -1.0 / 6.0);
    const double s23 = ph_fma(z, 1.0 / 362880.0, -1.0 / 5040.0);
    const double s45 = ph_fma(z, 1.0 / 6227020800.0, -1.0 / 39916800.0);
    const double s6 = -1.0 / 1307674368000.0;
    const double sin_tail = ph_fma(z4, ph_fma(z2, s6, s45), ph_fma(z2, s23, s01));
    const double s = ph_fma(sin_tail * z, r, r);
    const double c01 = ph_fma(z, -1.0 / 720.0, 1.0 / 24.0);
    const double c23 = ph_fma(z, -1.0 / 3628800.0, 1.0 / 40320.0);
    const double c45 = ph_fma(z, -1.0 / 87178291200.0, 1.0 / 479001600.0);
    const double c6 = 1.0 / 20922789888000.0;
    const double cos_tail = ph_fma(z4, ph_fma(z2, c6, c45), ph_fma(z2, c23, c01));
    const double c = ph_fma(z2, cos_tail, ph_fma(-0.5, z, 1.0));
    /* n mod 4 as -1.5 .. 2: odd n swaps sine and cosine; the signs follow n. */
    const double quarter = ph_fma(-4.0, ph_round(0.25 * n), n); /* -2, -1, 0, 1, 2 */
    const double odd = fabs(quarter) == 1.0 ? 1.0 : 0.0;
    const double half = fabs(quarter) == 2.0 ? -1.0 : 1.0;
    const double sin_sign = odd != 0.0 ? quarter : half;
    const double cos_sign = odd != 0.0 ? -quarter : half;
    *sine = sin_sign * (odd != 0.0 ? c : s);
    *cosine = cos_sign * (odd != 0.0 ? s : c);
}

/* atan(t)/t as a function of t^2 <= tan^2(pi/8), and of its negative: atanh. Taylor series, Estrin's scheme. */
PH_INLINE double ph_atan_series(double t2)
{
    const double z = -t2, z2 = z * z, z4 = z2 * z2, z8 = z4 * z4;
    const double c01 = ph_fma(z, 1.0 / 3.0, 1.0), c23 = ph_fma(z, 1.0 / 7.0, 1.0 / 5.0);
    const double c45 = ph_fma(z, 1.0 / 11.0, 1.0 / 9.0), c67 = ph_fma(z, 1.0 / 15.0, 1.0 / 13.0);
    const double c89 = ph_fma(z, 1.0 / 19.0, 1.0 / 17.0), cab = ph_fma(z, 1.0 / 23.0, 1.0 / 21.0);
    const double ccd = ph_fma(z, 1.0 / 27.0, 1.0 / 25.0), cef = ph_fma(z, 1.0 / 31.0, 1.0 / 29.0);
    const double cgh = ph_fma(z, 1.0 / 35.0, 1.0 / 33.0), cij = ph_fma(z, 1.0 / 39.0, 1.0 / 37.0);
    const double low = ph_fma(z4, ph_fma(z2, c67, c45), ph_fma(z2, c23, c01));
    const double middle = ph_fma(z4, ph_fma(z2, cef, ccd), ph_fma(z2, cab, c89));
    return ph_fma(z8, ph_fma(z8, ph_fma(z2, cij, cgh), middle), low);
}

/* The argument of x + iy in (-pi, pi], error below 3 ulp; 0 for 0 */
PH_INLINE double ph_atan2(double y, double x)
{
    const double ax = fabs(x), ay = fabs(y), larger = ph_max(ax, ay), smaller = ph_min(ax, ay);
    const double t = larger > 0.0 ? smaller / larger : 0.0;
    const bool steep = t > 0.41421356237309504880; /* tan(pi/8): the other half of the octant is turned back by pi/4 */
    const double r = steep ? (t - 1.0) / (t + 1.0) : t;
    const double octant = r * ph_atan_series(r * r) + (steep ? 0.78539816339744830962 : 0.0);
    const double quadrant = ay > ax ? 1.57079632679489661923 - octant : octant;
    const double half = x < 0.0 ? 3.14159265358979323846 - quadrant : quadrant;
    return copysign(half, y);
}

/* exp(x), error about 1 ulp. Beyond +-707 it has the value at +-707, and is never 0 or infinite. */
PH_INLINE double ph_exp(double x)
{
    const double bounded = ph_min(707.0, ph_max(-707.0, x));
    const double shifted = ph_fma(bounded, 1.44269504088896340736, 0x1.8p52), n = shifted - 0x1.8p52;
    double r = ph_fma(-n, 0x1.62e42fefa3800p-1, bounded);
    r = ph_fma(-n, 0x1.ef35793c76730p-45, r);
    const double r2 = r * r, r4 = r2 * r2;
    const double c23 = ph_fma(r, 1.0 / 6.0, 0.5), c45 = ph_fma(r, 1.0 / 120.0, 1.0 / 24.0);
    const double c67 = ph_fma(r, 1.0 / 5040.0, 1.0 / 720.0), c89 = ph_fma(r, 1.0 / 362880.0, 1.0 / 40320.0);
    const double cab = ph_fma(r, 1.0 / 39916800.0, 1.0 / 3628800.0),
                 ccd = ph_fma(r, 1.0 / 6227020800.0, 1.0 / 479001600.0);
    const double high = ph_fma(r4, ccd, ph_fma(r2, cab, c89)), low = ph_fma(r4, c67, ph_fma(r2, c45, c23));
    const double value = ph_fma(r2, ph_fma(r4 * r2, high, low), r) + 1.0;
    uint64_t power, bits;
    memcpy(&power, &shifted, sizeof power);
    memcpy(&bits, &value, sizeof bits);
    bits += power << 52; /* the low bits of `shifted` are n */
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

/* exp(x^2) erfc(x) for 0 <= x <= 9, error below 4 ulp: (1 + 2x) times it is smooth in t = (x - c)/(x + c) up to
 * infinity (M. M. Shepherd, J. G. Laframboise, Math. Comput. 36 (1981) 249); here by interpolation in Chebyshev's
 * points, good to 3e-17. Beyond 9, where erfc is below 1e-36, it has the value at 9. */
PH_INLINE double ph_erfcx(double x_free)
{
    const double x = ph_min(9.0, x_free), c = 3.75, wide = ph_fma(2.0, x, 1.0);
    const double both = 1.0 / ((x + c) * wide), t = (x - c) * wide * both, t2 = t * t, t4 = t2 * t2, t8 = t4 * t4;
    const double c01 = ph_fma(t, -0x1.1f367683f89b5p-3, 0x1.3ccda0b5d5dc2p+0);
    const double c23 = ph_fma(t, 0x1.510169d097a66p-4, 0x1.d5f294815d3dep-9);
    const double c45 = ph_fma(t, 0x1.7a14188a5e045p-4, -0x1.bda9309a309bep-4);
    const double c67 = ph_fma(t, 0x1.d0b00394bd996p-6, -0x1.e0d0fa6c64f48p-5);
    const double c89 = ph_fma(t, 0x1.cc39fb6080df0p-10, -0x1.3f603c6fa24a6p-7);
    const double cab = ph_fma(t, -0x1.303d94c296576p-12, 0x1.33fb1e0879220p-12);
    const double ccd = ph_fma(t, 0x1.77230641a08efp-16, 0x1.b15632665987bp-15);
    const double cef = ph_fma(t, -0x1.0324c7a3b332dp-20, -0x1.81d33cdbef0f3p-17);
    const double cgh = ph_fma(t, 0x1.85907d65f3612p-25, 0x1.f59cafb9199aap-20);
    const double cij = ph_fma(t, -0x1.0a75e2179aa1ap-24, -0x1.31a1e78d00b35p-22);
    const double low = ph_fma(t4, ph_fma(t2, c67, c45), ph_fma(t2, c23, c01));
    const double middle = ph_fma(t4, ph_fma(t2, cef, ccd), ph_fma(t2, cab, c89));
    return ph_fma(t8, ph_fma(t8, ph_fma(t2, cij, cgh), middle), low) * ((x + c) * both);
}

/* log(x) for normal x > 0, error about 1 ulp of max(1, |log x|): x = 2^e f with f in [sqrt 1/2, sqrt 2], and
 * log f = 2 artanh s, s = (f-1)/(f+1). */
PH_INLINE double ph_log(double x)
{
    uint64_t bits, exponent_bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t offset = bits - UINT64_C(0x3fe6a09e667f3bcd);        /* sqrt 1/2 */
    exponent_bits = (offset >> 52 ^ UINT64_C(0x800)) & UINT64_C(0xfff); /* e + 2048 */
    bits = (offset & UINT64_C(0x000fffffffffffff)) + UINT64_C(0x3fe6a09e667f3bcd);
    exponent_bits |= UINT64_C(0x4330000000000000); /* 2^52 + e + 2048 */
    double f, e;
    memcpy(&f, &bits, sizeof f);
    memcpy(&e, &exponent_bits, sizeof e);
    e -= 0x1p52 + 2048.0;
    const double s = (f - 1.0) / (f + 1.0);
    const double value = 2.0 * s * ph_atan_series(-(s * s));
    return ph_fma(e, 0x1.62e42fefa3800p-1, ph_fma(e, 0x1.ef35793c76730p-45, value));
}

/* Functions that the compiler copies for each combination of constants that they are called with. In builds that test
 * and do not compute, one copy serves all: see force/pairs/kernels/kernels_any.c. */
#ifdef PH_KERNELS_AT_RUN_TIME
#define PH_SPECIALISED static __attribute__((noinline, unused))
#else
#define PH_SPECIALISED PH_INLINE
#endif

#endif
