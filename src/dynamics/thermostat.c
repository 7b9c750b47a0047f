/* SPDX-License-Identifier: MIT */
#define PH_FUSED /* the same factors for every backend, whatever the program is built for */
#include "dynamics/thermostat.h"

#include "base/library.h"
#include "base/normals.h"
#include "base/random.h"

#include <math.h>

/* As ph_random_normal, but for PH_FUSED */
static double draw_normal(struct ph_random *random)
{
    double first, second;
    const double u = ph_random_uniform(random);
    ph_normal_pair(u, ph_random_uniform(random), &first, &second);
    return first;
}

/* Gamma distribution of shape a >= 1/2 and scale 1: Marsaglia and Tsang, ACM Trans. Math. Softw. 26 (2000) 363; below 1
 * by their own trick, gamma(a) = gamma(a + 1) U^(1/a). */
static double draw_gamma(double a, struct ph_random *random)
{
    if (a < 1.0) {
        const double u = ph_random_uniform(random);
        return draw_gamma(a + 1.0, random) * ph_library_pow(u, 1.0 / a);
    }
    const double d = a - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        const double x = draw_normal(random), t = 1.0 + c * x, v = t * t * t;
        if (t > 0.0 && ph_library_log(ph_random_uniform(random)) < 0.5 * x * x + d - d * v + d * ph_library_log(v))
            return d * v;
    }
}

/* The factor for momenta with kinetic energy K and f degrees of freedom, eq. (A7) with c = exp(-h/tau):
 *   K' = c K + (1-c) kT/2 sum_1^f R_i^2 + 2 R_1 sqrt(c (1-c) K kT/2),
 * whose sum over i > 1 is twice a gamma variable of shape (f-1)/2; the sign is that of R_1 + sqrt(c K / ((1-c) kT/2)).
 */
static double rescaling(double kinetic, size_t degrees, double kT, double keep, struct ph_random *random)
{
    const double first = draw_normal(random), bath = 0.5 * kT * (1.0 - keep);
    const double rest = degrees > 1 ? 2.0 * draw_gamma(0.5 * (double)(degrees - 1), random) : 0.0;
    const double amplitude = sqrt(keep * kinetic) + first * sqrt(bath); /* squared: all but `rest` */
    return copysign(sqrt((amplitude * amplitude + bath * rest) / kinetic), amplitude);
}

double ph_thermostat_factors(const struct ph_thermostat *thermostat, double h, uint64_t step,
                             const double kinetic[PH_BATH_GROUPS], const struct ph_system *system,
                             double factor[PH_BATH_GROUPS])
{
    const double keep =
        thermostat->relaxation_time > 0.0 ? ph_library_exp(-fabs(h) / thermostat->relaxation_time) : 0.0;
    struct ph_random random = ph_random_stream(thermostat->seed, PH_RANDOM_THERMOSTAT, step);
    double heat = 0.0;
    for (int group = 0; group < PH_BATH_GROUPS; ++group) {
        factor[group] = 1.0;
        if ((group == 0 ? thermostat->translation : thermostat->rotation) == 0 || !(kinetic[group] > 0.0))
            continue;
        /* degrees of translation are less than all where the total momentum is kept */
        const size_t degrees = group == 0 ? thermostat->translation : ph_bath_degrees(system, group);
        factor[group] = rescaling(kinetic[group], degrees, thermostat->kT, keep, &random);
        heat += (factor[group] * factor[group] - 1.0) * kinetic[group];
    }
    return heat;
}

double ph_thermostat_apply(const struct ph_thermostat *thermostat, double h, uint64_t step, struct ph_system *system)
{
    double kinetic[PH_BATH_GROUPS], factor[PH_BATH_GROUPS];
    ph_bath_kinetic(system, NULL, kinetic);
    const double heat = ph_thermostat_factors(thermostat, h, step, kinetic, system, factor);
    ph_bath_scale(factor, NULL, system);
    return heat;
}
