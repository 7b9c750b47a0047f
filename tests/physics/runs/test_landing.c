/* SPDX-License-Identifier: MIT */
/* A stage that lands ends at the energy <U> + f kT/2, f the degrees of freedom of the stage that follows, at rest as a
 * whole; and what is too far away is left as it is. */
#include "support.h"

#include "polhode.h"
#include "run/landing.h"

static const char text[] = "units: reduced\n"
                           "system:\n"
                           "  box: {kind: periodic, density: 0.6}\n"
                           "  molecules: [{model: stockmayer, count: 32}]\n"
                           "  start: {kind: fcc, temperature: 1.2, seed: 7}\n"
                           "interactions: {cutoff: 1.8, electrostatics: {method: cutoff}}\n"
                           "dynamics: {scheme: omelyan4-5fv, step: 0.01}\n"
                           "stages:\n"
                           "  - {name: bath, steps: 125, land: true, thermostat: {kind: langevin, friction: 2}}\n"
                           "  - {name: production, steps: 20}\n";
enum { N = 32, STEPS = 125 };

static struct ph_energies energies_of(struct ph_simulation *simulation)
{
    struct ph_energies energies;
    assert_ok(ph_simulation_energies(simulation, &energies, &err));
    return energies;
}

static struct ph_simulation *make(size_t n_sets, const char *const *sets)
{
    struct ph_simulation *simulation;
    assert_ok(ph_simulation_from_text(text, n_sets, sets, &simulation, &err));
    return simulation;
}

static struct ph_energies step(struct ph_simulation *simulation)
{
    assert_ok(ph_simulation_advance(simulation, 1, &err));
    return energies_of(simulation);
}

static double drift(const struct ph_energies *energies)
{
    return fabs(energies->momentum[0]) + fabs(energies->momentum[1]) + fabs(energies->momentum[2]);
}

TEST(the_energy_is_that_of_the_temperature)
{
    static const char *const sets[][1] = {{"stages[0].thermostat.kind=langevin"},
                                          {"stages[0].thermostat={kind: velocity-rescaling, relaxation_time: 0.2}"}};
    for (int bath = 0; bath < 2; ++bath) {
        struct ph_simulation *simulation = make(1, sets[bath]);
        struct ph_energies energies = {.total = 0.0};
        double sum = 0.0, samples = 0.0, before = 0.0;
        for (int k = 1; k <= STEPS; ++k) {
            before = drift(&energies);
            energies = step(simulation);
            if (k > STEPS / 2 && (STEPS - k) % PH_LANDING_EVERY == 0) {
                sum += energies.potential;
                samples += 1.0;
            }
        }
        assert_true(samples == 7.0);
        if (bath == 0)
            assert_true(before > 1.0); /* noise on each molecule moves the whole */
        assert_true(drift(&energies) < 1e-12);
        assert_close(energies.total, sum / samples + 0.5 * 1.2 * (6 * N - 3), 1e-12, energies.total);
        const double landed = energies.total;
        for (int k = 0; k < 20; ++k)
            energies = step(simulation);
        assert_close(energies.total, landed, 1e-4, landed);
        ph_simulation_destroy(simulation);
    }
}

TEST(what_is_too_far_away_is_left_as_it_is)
{
    static const char *const sets[] = {"stages[0].thermostat.temperature=40", "stages[0].thermostat.friction=0.0001",
                                       "stages[0].steps=20"};
    struct ph_simulation *simulation = make(3, sets);
    struct ph_energies before = energies_of(simulation), energies = before;
    for (int k = 0; k < 20; ++k) {
        before = energies;
        energies = step(simulation);
    }
    assert_true(drift(&before) > 1e-3 && drift(&energies) < 1e-12);
    assert_close(energies.total, before.total, 0.02, fabs(before.total));
    ph_simulation_destroy(simulation);
}
