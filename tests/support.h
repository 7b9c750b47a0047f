/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_SUPPORT_H
#define PH_TESTS_SUPPORT_H

/* What every test file includes first: CMocka with the headers it needs, and comparison of doubles. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* CMocka gives every test a state, which few use. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* TEST(name) { ... } is a test. tests/main.c runs the tests of a file in their order. GROUP(before, after) names
 * functions that run before the first and after the last; NULL: none. A file whose tests need a set-up each has a main
 * of its own instead, with a list. */
#define TEST(test)                                                                                                     \
    static void test(void **state);                                                                                    \
    __attribute__((constructor)) static void add_##test(void) { ph_add_test(__LINE__, #test, test); }                  \
    static void test(void **state)
void ph_add_test(int line, const char *name, CMUnitTestFunction test);
#define GROUP(before, after)                                                                                           \
    __attribute__((constructor)) static void add_group(void) { ph_group_tests(before, after); }
void ph_group_tests(CMFixtureFunction before, CMFixtureFunction after);

/* Is this build one of the sanitizers? They watch which memory the code reads and writes. There a test takes fewer
 * samples, or none where it only measures what other tests have run: `if (PH_SANITIZED) skip();`. */
#ifdef __has_feature
#define PH_CLANG_SANITIZES __has_feature(address_sanitizer)
#else
#define PH_CLANG_SANITIZES 0
#endif
#if defined(__SANITIZE_ADDRESS__) || PH_CLANG_SANITIZES
enum { PH_SANITIZED = 1 };
#else
enum { PH_SANITIZED = 0 };
#endif

/* |got - want| <= relative * scale, where scale is the size of what rounding happened to (often not |want|, which may
 * be zero). NaN fails; equal infinities pass. */
#define assert_close(got, want, relative, scale)                                                                       \
    ph_assert_close((got), (want), (relative), (scale), #got, __FILE__, __LINE__)

static inline void ph_assert_close(double got, double want, double relative, double scale, const char *what,
                                   const char *file, int line)
{
    if (got == want || fabs(got - want) <= relative * fabs(scale))
        return;
    print_error("%s is %.17g, not %.17g: off by %.3g, allowed %.3g\n", what, got, want, got - want,
                relative * fabs(scale));
    _fail(file, line);
}

/* The call, which names &err, succeeds; else the test fails with its message. */
#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        struct ph_error err = {.text = ""};                                                                            \
        if ((call) != PH_OK)                                                                                           \
            fail_msg("%s", err.text);                                                                                  \
    } while (0)

/* The call, which names &err, fails so, and its message has these words. */
#define assert_error(call, expected, words)                                                                            \
    do {                                                                                                               \
        struct ph_error err = {.text = ""};                                                                            \
        assert_int_equal(call, expected);                                                                              \
        assert_int_equal(err.status, expected);                                                                        \
        if (!strstr(err.text, words))                                                                                  \
            fail_msg("'%s' does not say '%s'", err.text, words);                                                       \
    } while (0)

#endif
