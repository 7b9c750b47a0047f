/* SPDX-License-Identifier: MIT */
#define PH_FUSED /* the same factors for every backend, whatever the program is built for */
#include "dynamics/baths/thermostat.h"

#include "base/library.h"
#include "base/normals.h"
#include "base/random.h"
#include "state/momenta.h"

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

struct ph_scaling ph_thermostat_draw(const struct ph_thermostat *thermostat, const double degrees[PH_BATH_GROUPS],
                                     double h, uint64_t step)
{
    struct ph_scaling scaling = {.kT = thermostat->kT};
    if (thermostat->relaxation_time > 0.0)
        scaling.keep = ph_library_exp(-fabs(h) / thermostat->relaxation_time);
    struct ph_random random = ph_random_stream(thermostat->seed, PH_RANDOM_THERMOSTAT, step);
    for (int group = 0; group < PH_BATH_GROUPS; ++group) {
        scaling.degrees[group] = degrees[group];
        if (!(degrees[group] > 0.0))
            continue;
        scaling.normal[group] = draw_normal(&random);
        scaling.rest[group] = degrees[group] > 1.0 ? 2.0 * draw_gamma(0.5 * (degrees[group] - 1.0), &random) : 0.0;
    }
    return scaling;
}

double ph_thermostat_apply(const struct ph_thermostat *thermostat, double h, uint64_t step, struct ph_system *system)
{
    double kinetic[PH_BATH_GROUPS], factor[PH_BATH_GROUPS], degrees[PH_BATH_GROUPS], numbers[PH_BATH_NUMBERS] = {0.0};
    ph_bath_count_degrees(system, thermostat->translation, thermostat->rotation, degrees);
    const struct ph_scaling scaling = ph_thermostat_draw(thermostat, degrees, h, step);
    ph_momenta_kinetic(system, NULL, kinetic);
    ph_momenta_factors(&scaling, kinetic, numbers, factor);
    ph_momenta_scale(factor, NULL, system);
    return numbers[PH_BATH_HEAT];
}
