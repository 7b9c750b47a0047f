/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "base/lanes.h"
#include "force/pairs/kernels/distance.h"

#include <float.h>
#include <stdbool.h>

/* Deterministic numbers in [0, 1), the same on every machine (xorshift64*) */
static double uniform(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (double)((*seed * UINT64_C(0x2545f4914f6cdd1d)) >> 11) * 0x1p-53;
}

static void assert_sincos(double x, double allowed)
{
    double s, c;
    ph_sincos(x, &s, &c);
    const long double error_s = (long double)s - sinl((long double)x), error_c = (long double)c - cosl((long double)x);
    if (!(fabsl(error_s) <= (long double)allowed && fabsl(error_c) <= (long double)allowed))
        fail_msg("x = %.17g: sine off by %.3Lg, cosine by %.3Lg, allowed %.3g", x, error_s, error_c, allowed);
}

/* Up to here ph_sincos is good to an ulp of 1: without a fused multiply-add, reducing the argument is exact only while
 * n times the first part of pi/2, a multiple of 2^-30, fits into one double. */
static double accurate_up_to(void)
{
    volatile double one_ulp_up = 1.0 + DBL_EPSILON;
    const bool fused = ph_fma(one_ulp_up, one_ulp_up, -(1.0 + 2.0 * DBL_EPSILON)) != 0.0;
    return fused ? 0x1p47 : 0x1p23;
}

/* The reference is long double, which is good to 2^-63 or better wherever we build. Beyond the accurate range the error
 * may grow as 2^-53 |x|, the rounding of the argument itself. */
TEST(sine_and_cosine_are_good_to_one_ulp_of_one)
{
    uint64_t seed = 1;
    const double end = accurate_up_to();
    for (int e = -60; e < 47; ++e)
        for (int i = 0; i < 2000; ++i) {
            const double x = ldexp(1.0 + uniform(&seed), e);
            const double allowed = DBL_EPSILON + (x < end ? 0.0 : 0x1p-53 * x);
            assert_sincos(x, allowed);
            assert_sincos(-x, allowed);
        }
}

/* Where reduction is hardest and a wrong quadrant shows: next to multiples of pi/4, where n changes, and of pi/2, where
 * one of the two vanishes. */
TEST(sine_and_cosine_are_good_next_to_every_quadrant)
{
    for (int n = -4000; n <= 4000; ++n) {
        const double x = n * 0.78539816339744830962;
        double near = x;
        assert_sincos(x, DBL_EPSILON);
        for (int i = 0; i < 4; ++i)
            assert_sincos(near = nextafter(near, INFINITY), DBL_EPSILON);
    }
}

/* Small arguments keep their relative accuracy, down to the last subnormal and with the sign of zero. */
TEST(sine_of_small_arguments_is_relatively_accurate)
{
    double s, c;
    for (int e = -1074; e < 0; ++e)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double x = sign * ldexp(1.0, e);
            ph_sincos(x, &s, &c);
            assert_close(s, (double)sinl((long double)x), DBL_EPSILON, x);
            assert_close(c, (double)cosl((long double)x), DBL_EPSILON, 1.0);
            if (e < -30)
                assert_true(s == x && c == 1.0);
        }
    ph_sincos(0.0, &s, &c);
    assert_true(s == 0.0 && !signbit(s) && c == 1.0);
}

/* Whatever the argument; from 2^47 on the point is (1, 0). */
TEST(sine_and_cosine_lie_on_the_unit_circle)
{
    uint64_t seed = 2;
    double s, c;
    for (int e = -60; e < 47; ++e)
        for (int i = 0; i < 2000; ++i) {
            ph_sincos(ldexp(1.0 + uniform(&seed), e) * (i % 2 ? 1.0 : -1.0), &s, &c);
            assert_close((double)((long double)s * s + (long double)c * c - 1.0L), 0.0, 2.0 * DBL_EPSILON, 1.0);
        }
    ph_sincos(nextafter(0x1p47, 0.0), &s, &c);
    assert_true(s != 0.0);
    const double beyond[] = {0x1p47, -0x1p47, 1e17, -1e300, DBL_MAX, -DBL_MAX, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; ++i) {
        ph_sincos(beyond[i], &s, &c);
        assert_true(s == 0.0 && c == 1.0);
    }
}

/* got - want is at most `ulps` times 2^-52 scale */
static void assert_ulps(const char *what, double x, double got, long double want, double ulps, long double scale)
{
    const long double off = ((long double)got - want) / (scale * (long double)DBL_EPSILON);
    if (!(fabsl(off) <= (long double)ulps))
        fail_msg("%s at %.17g is %.17g: off by %.3Lg ulp, allowed %.3g", what, x, got, off, ulps);
}

/* atan(t)/t, and with negative t^2 atanh(t)/t, on the whole range |t| <= tan(pi/8) */
TEST(arctangent_series_is_good_to_two_ulps)
{
    const int n = 20000;
    const double end = 0.17157287525380990240; /* tan^2(pi/8) */
    assert_true(ph_atan_series(0.0) == 1.0);
    for (int i = 1; i <= n; ++i) {
        const double t2 = end * i / n;
        const long double t = sqrtl((long double)t2);
        assert_ulps("atan(t)/t", t2, ph_atan_series(t2), atanl(t) / t, 2.0, 1.0L);
        assert_ulps("atanh(t)/t", -t2, ph_atan_series(-t2), atanhl(t) / t, 2.0, 1.0L);
    }
}

/* In all octants, for any ratio of the two and any size, relative to the angle itself */
TEST(argument_is_good_to_three_ulps)
{
    uint64_t seed = 5;
    for (int i = 0; i < 100000; ++i) {
        const int size = i % 1900 - 950;
        const double y = ldexp(uniform(&seed) - 0.5, size), ratio = ldexp(uniform(&seed) - 0.5, i % 41 - 20);
        const double x = i % 2 ? y * ratio : ldexp(uniform(&seed) - 0.5, size);
        const long double want = atan2l((long double)y, (long double)x);
        assert_ulps("the argument", y / x, ph_atan2(y, x), want, 3.0, fabsl(want));
    }
    const double pi = 3.14159265358979323846;
    const double axes[][3] = {{0.0, 1.0, 0.0},          {1.0, 0.0, 0.5 * pi},  {0.0, -1.0, pi},
                              {-1.0, 0.0, -0.5 * pi},   {1.0, 1.0, 0.25 * pi}, {1.0, -1.0, 0.75 * pi},
                              {-1.0, -1.0, -0.75 * pi}, {0.0, 0.0, 0.0}};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; ++i)
        assert_close(ph_atan2(axes[i][0], axes[i][1]), axes[i][2], DBL_EPSILON, axes[i][2]);
}

/* Between -707 and 707; beyond, the result stays there instead of becoming 0 or infinity. */
TEST(exponential_is_good_to_one_ulp)
{
    uint64_t seed = 6;
    for (int i = 0; i < 100000; ++i) {
        const double size = i % 2 ? 707.0 * uniform(&seed) : ldexp(uniform(&seed), -(i % 60));
        for (int sign = -1; sign <= 1; sign += 2) {
            const long double want = expl((long double)(sign * size));
            assert_ulps("exp", sign * size, ph_exp(sign * size), want, 1.0, want);
        }
    }
    assert_true(ph_exp(0.0) == 1.0);
    const double beyond[] = {707.5, 800.0, 1e300, INFINITY};
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; ++i) {
        assert_true(ph_exp(beyond[i]) == ph_exp(707.0));
        assert_true(ph_exp(-beyond[i]) == ph_exp(-707.0));
    }
}

/* exp(x^2) erfc(x) where erfc is above 1e-36, from 1 down to 0.06; beyond it stays. */
TEST(scaled_error_function_is_good_to_four_ulps)
{
    uint64_t seed = 8;
    for (int i = 0; i < 100000; ++i) {
        const double x = i % 2 ? 9.0 * uniform(&seed) : ldexp(uniform(&seed), -(i % 60));
        const long double square = (long double)x * x, want = expl(square) * erfcl((long double)x);
        assert_ulps("erfcx", x, ph_erfcx(x), want, 4.0, want);
    }
    assert_true(ph_erfcx(1e300) == ph_erfcx(9.0));
}

/* Of max(1, |log x|), over all normal numbers, on both sides of 1 and of each power of two */
TEST(logarithm_is_good_to_one_and_a_half_ulps)
{
    uint64_t seed = 7;
    for (int e = -1022; e <= 1023; ++e)
        for (int i = 0; i < 50; ++i) {
            const double x = ldexp(1.0 + (i < 49 ? uniform(&seed) : 0.0), e);
            const long double want = logl((long double)x);
            assert_ulps("log", x, ph_log(x), want, 1.5, fmaxl(1.0L, fabsl(want)));
        }
    for (int e = -52; e < 0; ++e)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double x = 1.0 + sign * ldexp(0.5 + 0.5 * uniform(&seed), e);
            assert_ulps("log", x, ph_log(x), logl((long double)x), 1.5, 1.0L);
        }
    assert_true(ph_log(1.0) == 0.0);
    assert_ulps("log", DBL_MAX, ph_log(DBL_MAX), logl((long double)DBL_MAX), 1.5, 709.0L);
}

/* The promise that lets a flow pad a block: a lane's bits do not depend on vectorisation or on its neighbours. */
TEST(lanes_do_not_depend_on_each_other)
{
    uint64_t seed = 3;
    for (int round = 0; round < 1000; ++round) {
        PH_ALIGNED double x[PH_LANES], s[PH_LANES], c[PH_LANES];
        for (int l = 0; l < PH_LANES; ++l)
            x[l] = ldexp(uniform(&seed) - 0.5, (round + 7 * l) % 60 - 10);
        PH_SIMD
        for (int l = 0; l < PH_LANES; ++l)
            ph_sincos(x[l], &s[l], &c[l]);
        for (int l = 0; l < PH_LANES; ++l) {
            volatile double alone = x[l]; /* keeps this call scalar */
            double sine, cosine;
            ph_sincos(alone, &sine, &cosine);
            assert_memory_equal(&sine, &s[l], sizeof sine);
            assert_memory_equal(&cosine, &c[l], sizeof cosine);
        }
    }
}

TEST(round_gives_the_nearest_integer_ties_to_even)
{
    const double cases[][2] = {{0.0, 0.0},
                               {0.49999999999999994, 0.0},
                               {0.5, 0.0},
                               {1.5, 2.0},
                               {2.5, 2.0},
                               {-0.5, 0.0},
                               {-1.5, -2.0},
                               {-2.5, -2.0},
                               {1e-300, 0.0},
                               {7.0, 7.0},
                               {0x1p50 + 0.5, 0x1p50},
                               {0x1p50 + 0.75, 0x1p50 + 1.0},
                               {-0x1p50 - 0.75, -0x1p50 - 1.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        assert_true(ph_round(cases[i][0]) == cases[i][1]);
    uint64_t seed = 4;
    for (int i = 0; i < 100000; ++i) {
        const double x = ldexp(uniform(&seed) - 0.5, i % 52);
        assert_true(ph_round(x) == nearbyint(x));
    }
}

TEST(power_of_two_below_is_the_largest_one)
{
    for (int e = -1022; e <= 1023; ++e) {
        const double power = ldexp(1.0, e);
        assert_true(ph_power_of_two_below(power) == power);
        assert_true(ph_power_of_two_below(1.25 * power) == power);
        assert_true(ph_power_of_two_below(power * (2.0 - DBL_EPSILON)) == power);
        if (e > -1022)
            assert_true(ph_power_of_two_below(nextafter(power, 0.0)) == 0.5 * power);
    }
}

TEST(choices_pick_the_right_side)
{
    assert_true(ph_max(2.0, 3.0) == 3.0 && ph_max(3.0, 2.0) == 3.0);
    assert_true(ph_min(2.0, 3.0) == 2.0 && ph_min(3.0, 2.0) == 2.0);
    assert_true(ph_fma(2.0, 3.0, -1.0) == 5.0);
}

/* Both halves of an octave, powers of two themselves, and 72 decades. Without a fused multiply-add the last step rounds
 * once more. The guess alone is not as good: its error, 5e-7, is what the third order of that step needs. */
TEST(inverse_roots_are_good_to_two_ulp)
{
    uint64_t seed = 31;
    double largest = 0.0, guess = 0.0;
    for (int k = 0; k < 200000; ++k) {
        const double x = k < 240 ? ldexp(1.0, k - 120) : pow(10.0, 72.0 * uniform(&seed) - 36.0);
        const long double exact = 1.0L / sqrtl((long double)x);
        largest = fmax(largest, (double)fabsl((long double)ph_inverse_sqrt(x) / exact - 1.0L));
        guess = fmax(guess, (double)fabsl((long double)ph_inverse_sqrt_guess(x) / exact - 1.0L));
    }
    assert_true(largest < 2.0 * DBL_EPSILON && largest > 0.25 * DBL_EPSILON);
    assert_true(guess < 5.4e-7 && guess > 5.0e-7);
    assert_true(ph_inverse_sqrt(0.0) > 1e154);
    assert_true(isnan(ph_inverse_sqrt(NAN)) && !isfinite(ph_inverse_sqrt(INFINITY)));
    assert_true(ph_inverse_sqrt_refine(4.0, 0.0) == 0.0);
}

/* 1/r of pair kernels on every machine: from r = 1e-18 to the cutoff, or to 1e18; then 0, but NaN stays NaN */
TEST(inverse_distances_are_good_to_two_ulp)
{
    uint64_t seed = 32;
    double largest = 0.0, meanwhile = 0.0;
    for (int k = 0; k < 200000; ++k) {
        const double r2 = pow(10.0, 71.9 * uniform(&seed) - 36.0);
        const long double exact = 1.0L / sqrtl((long double)r2);
        largest = fmax(largest, (double)fabsl((long double)ph_inverse_distance(PH_ENDLESS, 0.0, r2) / exact - 1.0L));
        meanwhile = fmax(meanwhile,
                         (double)fabsl((long double)ph_inverse_distance_meanwhile(PH_ENDLESS, 0.0, r2) / exact - 1.0L));
    }
    assert_true(largest < 2.0 * DBL_EPSILON && largest > 0.25 * DBL_EPSILON);
    assert_true(meanwhile < 2.0 * DBL_EPSILON && meanwhile > 0.25 * DBL_EPSILON);
    for (int e = 0; e < 2; ++e) {
        const enum ph_truncate truncate = e ? PH_SHIFTED : PH_CUT;
        assert_true(ph_inverse_distance(truncate, 4.0, 4.0) == 0.0);
        assert_true(ph_inverse_distance_meanwhile(truncate, 4.0, 4.0) == 0.0);
        assert_true(fabs(ph_inverse_distance(truncate, 4.0, nextafter(4.0, 0.0)) - 0.5) < DBL_EPSILON);
        assert_true(isnan(ph_inverse_distance(truncate, 4.0, NAN)));
        assert_true(isnan(ph_inverse_distance_meanwhile(truncate, 4.0, NAN)));
    }
    assert_true(ph_inverse_distance(PH_INSIDE, 4.0, 16.0) == 0.25 && ph_inverse_distance(PH_ENDLESS, 0.0, 1e36) == 0.0);
}
