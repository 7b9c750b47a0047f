/* SPDX-License-Identifier: MIT */
#include "force/longrange/mesh/bessel.h"

#include "base/lanes.h"

/* The series has positive terms for w > 0. For w < 0 they alternate, and cancel for large z; the recurrence upwards,
 * j_(n+1) = (2n+1) j_n/z - j_(n-1), is stable while n < z. */
double ph_bessel_transform(int m, double w)
{
    if (w < -(double)((m + 2) * (m + 2))) {
        const double z = sqrt(-w);
        double sine, cosine;
        ph_sincos(z, &sine, &cosine);
        double before = cosine, here = sine / z; /* z^-n j_n for n = -1 (times z^-2) and 0 */
        for (int n = 0; n < m; ++n) {
            const double next = ((2 * n + 1) * here - before) / -w;
            before = here;
            here = next;
        }
        return here;
    }
    double term = 1.0, sum;
    for (int k = 1; k <= m; ++k)
        term /= 2 * k + 1;
    sum = term;
    for (int k = 1; k < 500 && fabs(term) > 1e-18 * fabs(sum); ++k) {
        term *= 0.5 * w / (k * (2.0 * m + 2.0 * k + 1.0));
        sum += term;
    }
    return sum;
}

long double ph_bessel_window(int m, double b, long double v)
{
    const long double q = 0.25L * b * b * v;
    long double term = 1.0L, sum = 1.0L;
    for (int k = 1; k < 500 && term > 1e-21L * sum; ++k) {
        term *= q / (k * (k + m));
        sum += term;
    }
    for (int k = 0; k < m; ++k)
        sum *= v;
    return sum;
}
