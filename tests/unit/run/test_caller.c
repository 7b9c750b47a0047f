/* SPDX-License-Identifier: MIT */
/* A force of the calling program sees all molecules, although ranks divide them. Simulated ranks get the bits of one
 * process, before and after the force is given, and given again after resuming. The mistakes that this catches: rows of
 * molecules that a rank does not own, and residuals at other places than molecules when the mover is made anew. */
#include "folder.h"

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

enum { LOOKS = 4 };
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

/* Advances, first with another force if `given`, and looks. */
static enum ph_status go_on(struct ph_simulation *simulation, bool given, bool pulled, int number, struct looks *looks,
                            struct ph_error *err)
{
    enum ph_status status = given ? ph_simulation_set_force(simulation, pulled ? pull : NULL, NULL, false, err) : PH_OK;
    if (status == PH_OK)
        status = ph_simulation_advance(simulation, 12, err);
    return status == PH_OK ? look(simulation, number, looks, err) : status;
}

/* Runs on each rank. */
static int run(void *result, void *data)
{
    struct looks *looks = result;
    struct ph_simulation *simulation = NULL, *resumed = NULL;
    struct ph_error err = {.text = ""};
    char file[64];
    const char *const *input = data;
    snprintf(file, sizeof file, "%zu-%zu", (size_t)(input - inputs), ph_team()->size);
    enum ph_status status = ph_simulation_from_text(*input, 0, NULL, &simulation, &err);
    if (status == PH_OK)
        status = go_on(simulation, false, false, 0, looks, &err);
    if (status == PH_OK)
        status = go_on(simulation, true, true, 1, looks, &err);
    if (status == PH_OK)
        status = ph_simulation_save_as(simulation, file, &err);
    if (status == PH_OK)
        status = go_on(simulation, true, false, 2, looks, &err);
    if (status == PH_OK)
        status = ph_simulation_resume(file, -1, &resumed, &err);
    if (status == PH_OK)
        status = go_on(resumed, true, true, 3, looks, &err);
    ph_simulation_destroy(resumed);
    ph_simulation_destroy(simulation);
    if (status != PH_OK)
        fprintf(stderr, "rank %zu: %s\n", ph_team()->rank, err.text);
    return status != PH_OK;
}

static void ranks_give_the_bits_of_one_process(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; ++k) {
        void *const input = (void *)(uintptr_t)&inputs[k];
        struct looks *alone = forked_run(1, 1 << 22, sizeof *alone, run, input);
        assert_non_null(alone);
        assert_true(alone->external[1] > 1.0 && alone->external[2] == 0.0 && alone->external[3] > 1.0);
        for (size_t ranks = 2; ranks <= 3; ++ranks) {
            struct looks *several = forked_run(ranks, 1 << 22, sizeof *several, run, input);
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
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
