/* SPDX-License-Identifier: MIT */
/* What lanes.h has for threads of a device alone */
#define PH_ONE_LANE
#define PH_FUSED
#include "support.h"

#include "base/lanes.h"

#include <float.h>

/* Exponents of both parities, all mantissas: a wrong one shows in the guess, a wrong guess in the root. */
static void inverse_roots_are_good_to_two_ulp(void **state)
{
    double largest = 0.0, guess = 0.0;
    for (int power = -1000; power <= 1000; power += 7)
        for (int k = 0; k < 1000; ++k) {
            const double x = ldexp(1.0 + (k + 0.37) / 1000.0, power);
            const long double exact = 1.0L / sqrtl((long double)x);
            largest = fmax(largest, (double)fabsl((long double)ph_inverse_sqrt(x) / exact - 1.0L));
            guess = fmax(guess, (double)fabsl((long double)ph_inverse_sqrt_guess(x) / exact - 1.0L));
        }
    assert_true(largest < DBL_EPSILON && largest > 0.25 * DBL_EPSILON);
    assert_true(guess < 2e-6 && guess > 1e-6);
    assert_true(ph_inverse_sqrt(0.0) > 1e154);
    assert_true(isnan(ph_inverse_sqrt(NAN)));
    assert_true(ph_inverse_sqrt(0.25) == 2.0 && ph_inverse_sqrt(1.0) == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(inverse_roots_are_good_to_two_ulp)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
