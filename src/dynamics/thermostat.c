/* SPDX-License-Identifier: MIT */
#include "dynamics/thermostat.h"

#include "base/library.h"
#include "base/random.h"

#include <math.h>

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
        const double x = ph_random_normal(random), t = 1.0 + c * x, v = t * t * t;
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
    const double first = ph_random_normal(random), bath = 0.5 * kT * (1.0 - keep);
    const double rest = degrees > 1 ? 2.0 * draw_gamma(0.5 * (double)(degrees - 1), random) : 0.0;
    const double amplitude = sqrt(keep * kinetic) + first * sqrt(bath); /* squared: all but `rest` */
    return copysign(sqrt((amplitude * amplitude + bath * rest) / kinetic), amplitude);
}

static void scale(double factor, size_t n, double *x)
{
    for (size_t i = 0; i < n; ++i)
        x[i] *= factor;
}

/* Kinetic energy of rotation about body axis k, and how many molecules can turn about it */
static double kinetic_about(const struct ph_system *system, int k, size_t *degrees)
{
    double sum = 0.0;
    *degrees = 0;
    for (size_t s = 0; s < system->n_species; ++s) {
        if (!(system->species[s].inertia[k] > 0.0))
            continue;
        *degrees += system->first[s + 1] - system->first[s];
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            sum += 0.5 * system->m[k][i] * system->m[k][i] / system->species[s].inertia[k];
    }
    return sum;
}

double ph_thermostat_apply(const struct ph_thermostat *thermostat, double h, uint64_t step, struct ph_system *system)
{
    const double keep =
        thermostat->relaxation_time > 0.0 ? ph_library_exp(-fabs(h) / thermostat->relaxation_time) : 0.0;
    struct ph_random random = ph_random_stream(thermostat->seed, PH_RANDOM_THERMOSTAT, step);
    const double translation = ph_system_kinetic_translation(system);
    double heat = 0.0;
    if (thermostat->translation > 0 && translation > 0.0) {
        const double factor = rescaling(translation, thermostat->translation, thermostat->kT, keep, &random);
        heat += (factor * factor - 1.0) * translation;
        for (int k = 0; k < 3; ++k)
            scale(factor, system->n, system->p[k]);
    }
    for (int k = 0; k < 3 && thermostat->rotation > 0; ++k) {
        size_t degrees;
        const double rotation = kinetic_about(system, k, &degrees);
        if (!(rotation > 0.0))
            continue;
        const double factor = rescaling(rotation, degrees, thermostat->kT, keep, &random);
        heat += (factor * factor - 1.0) * rotation;
        scale(factor, system->n, system->m[k]);
    }
    return heat;
}
