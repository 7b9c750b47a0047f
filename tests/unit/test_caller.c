/* SPDX-License-Identifier: MIT */
/* A force of the calling program sees all molecules, although ranks divide them. Simulated ranks get the bits of one
 * process, before and after the force is given. The mistakes that this catches: rows of molecules that a rank does not
 * own, and residuals that stay behind when the mover is made anew. */
#include "support.h"

#include "forked_team.h"
#include "polhode.h"
#include "run/simulation/simulation_files.h"

/* Molecules that change owners; and near pairs where all interact, which have lists of their own */
static const char *const inputs[] = {
    "units: reduced\n"
    "system:\n"
    "  box: {density: 0.8}\n"
    "  molecules: [{model: stockmayer, count: 500}, {model: lennard-jones, count: 364}]\n"
    "  start: {kind: fcc, temperature: 3, jitter: 0.05}\n"
    "interactions: {cutoff: 2.5, electrostatics: {method: reaction-field}}\n"
    "dynamics: {scheme: verlet, step: 0.005, steps: 100}\n",
    "units: reduced\n"
    "system:\n"
    "  box: {kind: open}\n"
    "  molecules: [{model: stockmayer, count: 108}]\n"
    "  start: {kind: fcc, spacing: 1.2, temperature: 3}\n"
    "dynamics: {scheme: verlet, step: 0.005, steps: 100, nested: {substeps: 2, radius: 2, width: 1}}\n",
};

enum { LOOKS = 3 };
struct looks {
    uint64_t hash[LOOKS];
    double external[LOOKS];
};

/* Pulls molecules to places that depend on their numbers, and turns them. */
static bool pull(struct ph_force_call *call, void *data)
{
    (void)data;
    for (size_t i = 0; i < call->molecules; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            const double away = call->positions[3 * i + k] - 0.01 * (double)((3 * i + k) % 7);
            call->forces[3 * i + k] = -0.5 * away;
            call->energy += 0.25 * away * away;
        }
        call->torques[3 * i + i % 3] = call->quaternions[4 * i + 1];
    }
    return true;
}

static enum ph_status look(struct ph_simulation *simulation, int number, struct looks *looks, struct ph_error *err)
{
    struct ph_energies energies;
    enum ph_status status = ph_simulation_energies(simulation, &energies, err);
    if (status == PH_OK)
        status = ph_simulation_hash(simulation, &looks->hash[number], err);
    looks->external[number] = energies.external;
    return status;
}

/* Runs on each rank. */
static int run(void *result, void *data)
{
    struct looks *looks = result;
    struct ph_simulation *simulation = NULL;
    struct ph_error err = {.text = ""};
    enum ph_status status = ph_simulation_from_text(data, 0, NULL, &simulation, &err);
    for (int number = 0; number < LOOKS && status == PH_OK; ++number) {
        if (number > 0)
            status = ph_simulation_set_force(simulation, number == 1 ? pull : NULL, NULL, false, &err);
        if (status == PH_OK)
            status = ph_simulation_advance(simulation, 12, &err);
        if (status == PH_OK)
            status = look(simulation, number, looks, &err);
    }
    ph_simulation_destroy(simulation);
    if (status != PH_OK)
        fprintf(stderr, "rank %zu: %s\n", ph_team()->rank, err.text);
    return status != PH_OK;
}

static void ranks_give_the_bits_of_one_process(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; ++k) {
        struct looks *alone = forked_run(1, 1 << 22, sizeof *alone, run, (void *)(uintptr_t)inputs[k]);
        assert_non_null(alone);
        assert_true(alone->external[0] == 0.0 && alone->external[1] > 1.0 && alone->external[2] == 0.0);
        assert_true(alone->hash[0] != alone->hash[1] && alone->hash[1] != alone->hash[2]);
        for (size_t ranks = 2; ranks <= 3; ++ranks) {
            struct looks *several = forked_run(ranks, 1 << 22, sizeof *several, run, (void *)(uintptr_t)inputs[k]);
            assert_non_null(several);
            for (size_t p = 0; p < ranks; ++p)
                assert_memory_equal(&several[p], alone, sizeof *alone);
            munmap(several, ranks * sizeof *several);
        }
        munmap(alone, sizeof *alone);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_give_the_bits_of_one_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
