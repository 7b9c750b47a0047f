/* SPDX-License-Identifier: MIT */
/* Runs all tests that a file defines as TEST(name), in the order of their lines. */
#include "support.h"

#include <stdio.h>

enum { MOST = 64 };
static struct CMUnitTest tests[MOST];
static int lines[MOST];
static size_t n;
static CMFixtureFunction set_up, tear_down;

void ph_add_test(int line, const char *name, CMUnitTestFunction test)
{
    size_t k = n++;
    assert_true(n <= MOST);
    for (; k > 0 && lines[k - 1] > line; --k) {
        tests[k] = tests[k - 1];
        lines[k] = lines[k - 1];
    }
    tests[k] = (struct CMUnitTest){.name = name, .test_func = test};
    lines[k] = line;
}

void ph_group_tests(CMFixtureFunction before, CMFixtureFunction after)
{
    set_up = before;
    tear_down = after;
}

int main(void)
{
    if (n == 0) {
        fputs("This program has no TEST.\n", stderr);
        return 1;
    }
    return _cmocka_run_group_tests("tests", tests, n, set_up, tear_down);
}
