/* SPDX-License-Identifier: MIT */
/* The thermostat samples the canonical distribution of each kinetic energy: translation, and rotation about each axis.
 */
#include "support.h"

#include "dynamics/baths/thermostat.h"
#include "model/start.h"

static struct ph_system *make(size_t n, const double inertia[3])
{
    struct ph_species species = {.name = "body", .n_sites = 1, .site = {{.name = "A"}}};
    const double mass = 2.0;
    const struct ph_box box = ph_box_open();
    struct ph_system *system;
    assert_ok(ph_species_complete(&species, &mass, inertia, &err));
    assert_ok(ph_system_create(1, &species, &n, &box, &system, &err));
    ph_start_move(0.3, true, false, 7, system); /* far from the bath's 1.7 */
    return system;
}

static double about_axis(const struct ph_system *system, int k)
{
    double sum = 0.0;
    for (size_t i = 0; i < system->n; ++i)
        sum += 0.5 * system->m[k][i] * system->m[k][i] / system->species[0].inertia[k];
    return sum;
}

/* K/kT has the gamma distribution of shape f/2: mean f/2, variance f/2 */
static void assert_canonical(const char *what, size_t degrees, double n, double sum, double squares)
{
    const double shape = 0.5 * (double)degrees, mean = sum / n, variance = squares / n - mean * mean;
    const double mean_error = sqrt(shape / n), variance_error = shape * sqrt((2.0 + 6.0 / shape) / n);
    if (!(fabs(mean - shape) < 5.0 * mean_error) || !(fabs(variance - shape) < 5.0 * variance_error))
        fail_msg("%s: mean %g and variance %g, both should be %g (+- %g, %g)", what, mean, variance, shape, mean_error,
                 variance_error);
}

TEST(every_kinetic_energy_becomes_canonical)
{
    enum { N = 6, DRAWS = 20000 };
    struct ph_system *system = make(N, (const double[3]){0.5, 1.0, 1.2});
    const struct ph_thermostat bath = {
        .kT = 1.7, .relaxation_time = 0.0, .translation = 3 * N - 3, .rotation = 3 * N, .seed = 3};
    double sum[4] = {0.0}, squares[4] = {0.0};
    for (int step = 1; step <= DRAWS; ++step) { /* without memory: draws are independent */
        ph_thermostat_apply(&bath, 0.01, (uint64_t)step, system);
        for (int k = 0; k < 4; ++k) {
            const double x = (k < 3 ? about_axis(system, k) : ph_system_kinetic_translation(system)) / bath.kT;
            sum[k] += x;
            squares[k] += x * x;
        }
    }
    static const char *const names[] = {"axis 1", "axis 2", "axis 3", "translation"};
    for (int k = 0; k < 4; ++k)
        assert_canonical(names[k], k < 3 ? N : 3 * N - 3, DRAWS, sum[k], squares[k]);
    double total[3] = {0.0};
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < N; ++i)
            total[k] += system->p[k][i];
    for (int k = 0; k < 3; ++k)
        assert_close(total[k], 0.0, 1e-10, 1.0);
    ph_system_destroy(system);
}

/* Kinetic energy relaxes to the bath's like exp(-t/tau) in the mean. */
TEST(kinetic_energy_relaxes_in_the_relaxation_time)
{
    enum { N = 2000 };
    struct ph_system *system = make(N, (const double[3]){0.5, 1.0, 1.2});
    const struct ph_thermostat bath = {
        .kT = 1.7, .relaxation_time = 0.5, .translation = 3 * N - 3, .rotation = 3 * N, .seed = 3};
    for (int step = 1; step <= 50; ++step)
        ph_thermostat_apply(&bath, 0.01, (uint64_t)step, system); /* one relaxation time */
    const double want = 1.7 + (0.3 - 1.7) * exp(-1.0);
    assert_close(ph_system_thermal_translation(system), want, 0.08, 1.0);
    assert_close(ph_system_thermal_rotation(system), want, 0.08, 1.0);
    ph_system_destroy(system);
}

/* Linear rotors have no third axis, and a bath for translation alone leaves rotation as it is. */
TEST(degrees_that_are_not_there_are_left_alone)
{
    enum { N = 50 };
    struct ph_system *system = make(N, (const double[3]){0.5, 0.5, 0.0});
    const struct ph_thermostat bath = {.kT = 1.7, .translation = 3 * N - 3, .rotation = 0, .seed = 3};
    const double before = ph_system_kinetic_rotation(system);
    ph_thermostat_apply(&bath, 0.01, 1, system);
    assert_true(ph_system_kinetic_rotation(system) == before);
    const struct ph_thermostat both = {.kT = 1.7, .translation = 3 * N - 3, .rotation = 2 * N, .seed = 3};
    ph_thermostat_apply(&both, 0.01, 1, system);
    assert_true(ph_system_kinetic_rotation(system) != before);
    for (size_t i = 0; i < N; ++i)
        assert_true(system->m[2][i] == 0.0);
    ph_system_destroy(system);
}
