/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "base/numerics/exact.h"
#include "base/numerics/fourier.h"

#include <math.h>

/* Deterministic numbers in [0, 1), the same on every machine (xorshift64*) */
static double uniform(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (double)((*seed * UINT64_C(0x2545f4914f6cdd1d)) >> 11) * 0x1p-53;
}

static double sum_of(size_t n, const double *x)
{
    struct ph_exact sum = {.spoilt = 0};
    ph_exact_add(n, x, &sum);
    return ph_exact_value(&sum);
}

/* A number alone is what it was, to the last bit and of either sign, in the whole range. (A digit too few, or taken at
 * the wrong place, changes it.) */
TEST(a_term_is_kept)
{
    uint64_t seed = 3;
    for (int e = -127; e < 179; ++e)
        for (int i = 0; i < 50; ++i) {
            const double x = ldexp(0.5 * (1.0 + uniform(&seed)), e) * (i % 2 ? 1.0 : -1.0);
            if (sum_of(1, &x) != x)
                fail_msg("%a became %a", x, sum_of(1, &x));
        }
}

/* Digits of several places, of either sign, where a sum of doubles would lose the small ones */
TEST(terms_that_cancel_leave_the_rest)
{
    const double x[] = {0x1p170, 1.0, 0x1p-100, -0x1p170, -1.0}, y[] = {0x1p40, 0x1p-40, 0x1p39, -0x1p39, -0x1p40};
    assert_true(sum_of(5, x) == 0x1p-100);
    assert_true(sum_of(5, y) == 0x1p-40);
    assert_true(sum_of(0, x) == 0.0);
}

/* Terms of very different size in any order, and in any parts whose integers are added by somebody else */
TEST(order_and_parts_do_not_matter)
{
    enum { N = 3000, PARTS = 7 };
    static double x[N];
    uint64_t seed = 1;
    long double about = 0.0L;
    for (int i = 0; i < N; ++i) {
        const double size = ldexp(1.0, (int)(60.0 * uniform(&seed)) - 50);
        x[i] = (uniform(&seed) - 0.4) * size;
        about += (long double)x[i];
    }
    struct ph_exact whole = {.spoilt = 0};
    ph_exact_add(N, x, &whole);
    assert_close(ph_exact_value(&whole), (double)about, 1e-15, 1.0);
    for (int trial = 0; trial < 20; ++trial) {
        for (size_t i = N - 1; i > 0; --i) {
            const size_t j = (size_t)(uniform(&seed) * (double)(i + 1));
            const double swap = x[i];
            x[i] = x[j];
            x[j] = swap;
        }
        struct ph_exact part[PARTS] = {{.spoilt = 0}}, sum = {.spoilt = 0};
        for (size_t i = 0, n; i < N; i += n) {
            n = 1 + (size_t)(uniform(&seed) * 300.0);
            n = n < N - i ? n : N - i;
            ph_exact_add(n, x + i, &part[(size_t)(uniform(&seed) * PARTS)]);
        }
        for (int p = 0; p < PARTS && trial % 2; ++p)
            ph_exact_join(&part[p], &sum);
        for (int p = 0; p < PARTS && !(trial % 2); ++p)
            for (int k = 0; k < PH_EXACT_DIGITS; ++k)
                sum.digit[k] += part[p].digit[k];
        ph_exact_carry(&sum);
        assert_memory_equal(&sum, &whole, sizeof sum);
    }
}

/* As many terms as need carrying, of one sign */
TEST(many_terms_do_not_overflow)
{
    static double x[4096];
    for (size_t i = 0; i < 4096; ++i)
        x[i] = 0x1.fffffffffffffp38;
    struct ph_exact sum = {.spoilt = 0};
    for (int k = 0; k < 512; ++k)
        ph_exact_add(4096, x, &sum);
    for (int k = 0; k < 40; ++k) {
        const struct ph_exact same = sum;
        ph_exact_join(&same, &sum);
    }
    assert_true(ph_exact_value(&sum) == ldexp(x[0], 12 + 9 + 40));
}

TEST(what_is_not_finite_or_too_large_spoils_the_sum)
{
    const double bad[] = {NAN, INFINITY, -INFINITY, 0x1p179, -0x1p300};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        const double x[] = {1.0, bad[k], 2.0};
        assert_true(isnan(sum_of(3, x)));
    }
    const double tiny[] = {0x1p-182, 1.0, -1.0, 0x1p-1074};
    assert_true(sum_of(4, tiny) == 0.0);
}

/* Every length up to 44, with all radices and primes; three lines side by side. A root or a sign that is wrong shows.
 */
TEST(fourier_transforms_are_those_of_their_definition)
{
    (void)state;
    enum { LINES = 3, MOST = 44 };
    const long double turn = 6.283185307179586476925286766559L;
    uint64_t seed = 7;
    for (size_t n = 1; n <= MOST; ++n)
        for (int back = 0; back < 2; ++back) {
            double given[2][MOST * LINES], memory[4][MOST * LINES];
            for (size_t k = 0; k < n * LINES; ++k)
                for (int part = 0; part < 2; ++part)
                    given[part][k] = memory[part][k] = uniform(&seed) - 0.5;
            struct ph_fourier fourier;
            assert_true(ph_fourier_init((int)n, &fourier));
            const struct ph_complex_lines found =
                ph_fourier_transform(&fourier, back == 1, LINES, (struct ph_complex_lines){memory[0], memory[1]},
                                     (struct ph_complex_lines){memory[2], memory[3]});
            for (size_t k = 0; k < n * LINES; ++k) {
                long double re = 0.0L, im = 0.0L;
                for (size_t j = 0; j < n; ++j) {
                    const long double angle =
                        (back ? turn : -turn) * (long double)(j * (k / LINES) % n) / (long double)n;
                    const double x = given[0][j * LINES + k % LINES], y = given[1][j * LINES + k % LINES];
                    re += x * cosl(angle) - y * sinl(angle);
                    im += x * sinl(angle) + y * cosl(angle);
                }
                assert_close(found.re[k], (double)re, 1e-14, (double)n);
                assert_close(found.im[k], (double)im, 1e-14, (double)n);
            }
            ph_fourier_free(&fourier);
        }
}
