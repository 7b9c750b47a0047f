/* SPDX-License-Identifier: MIT */
/* A stage that cannot begin, for want of memory, has not begun: who goes on when there is some has the run that never
 * lacked it, bit for bit, and so has who saves then and resumes. A checkpoint that fails leaves nothing behind. */
#include "support.h"

#include "dynamics/mover.h"
#include "output/checkpoint/hash.h"
#include "run/simulation/excerpts.h"
#include "run/simulation/simulation.h"
#include "run/simulation/simulation_checkpoint.h"
#include "run/simulation/simulation_files.h"
#include "run/simulation/simulation_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "units: reduced\n"
                           "system:\n"
                           "  box: {kind: periodic, density: 0.6}\n"
                           "  molecules: [{model: stockmayer, count: 32}]\n"
                           "  start: {kind: fcc, jitter: 0.05, temperature: 1.2, seed: 7}\n"
                           "interactions: {cutoff: 1.8, electrostatics: {method: cutoff}}\n"
                           "dynamics: {scheme: verlet, step: 0.005}\n";
enum { FIRST = 40, MORE = 10 };

static bool no_memory; /* for another mover */

enum ph_status __real_ph_mover_create(struct ph_system *system, struct ph_force_field *field,
                                      const struct ph_mover_options *options, struct ph_mover **out,
                                      struct ph_error *err);
enum ph_status __wrap_ph_mover_create(struct ph_system *system, struct ph_force_field *field,
                                      const struct ph_mover_options *options, struct ph_mover **out,
                                      struct ph_error *err);
enum ph_status __wrap_ph_mover_create(struct ph_system *system, struct ph_force_field *field,
                                      const struct ph_mover_options *options, struct ph_mover **out,
                                      struct ph_error *err)
{
    *out = NULL;
    return no_memory ? ph_error_set(err, PH_ERR_MEMORY, "No memory for a mover.")
                     : __real_ph_mover_create(system, field, options, out, err);
}

enum ph_status __wrap_ph_excerpts_read(struct ph_state *where, const struct ph_snapshot *state,
                                       const struct ph_readers *readers, ph_excerpt_reader *read, void *data,
                                       struct ph_error *err);
enum ph_status __wrap_ph_excerpts_read(struct ph_state *where, const struct ph_snapshot *state,
                                       const struct ph_readers *readers, ph_excerpt_reader *read, void *data,
                                       struct ph_error *err)
{
    return ph_error_set(err, PH_ERR_MEMORY, "No memory for excerpts.");
}

static struct ph_simulation *make(const char *stages)
{
    static struct ph_input input;
    struct ph_texts texts = {.n = 0};
    struct ph_simulation *simulation = NULL;
    assert_ok(ph_texts_add(&texts, "input.yaml", text, strlen(text), &err));
    assert_ok(ph_input_read_keeping(&texts, "input.yaml", 1, &stages, &input, &err));
    assert_ok(ph_simulation_create(&texts, &input, NULL, &simulation, &err));
    return simulation;
}

static void advance(struct ph_simulation *simulation, int64_t n)
{
    assert_ok(ph_simulation_advance(simulation, n, &err));
}

/* State and energies, once it has ended; destroys the simulation. */
static uint64_t hash_of(struct ph_simulation *simulation)
{
    const struct ph_observables *o = &simulation->observables;
    const double energies[] = {o->potential, o->kinetic_translation,   o->kinetic_rotation,
                               o->conserved, simulation->energy_start, ph_simulation_time(simulation)};
    const uint64_t hash = ph_hash_bytes(ph_state_hash(ph_simulation_system(simulation)), sizeof energies, energies);
    ph_simulation_destroy(simulation);
    return hash;
}

/* Catches a stage that counts as begun with what moved the one before (the order was such once), one that never begins
 * any more, momenta that are stopped or scaled twice, and a checkpoint of the stage before, which would be read as one
 * of the stage that follows from its step. */
TEST(a_stage_that_lacked_memory_begins_when_there_is_some)
{
    static const char *const stages[] = {
        "stages=[{name: one, steps: 40, thermostat: {kind: langevin}}, {name: two, steps: 10}]",
        "stages=[{name: one, steps: 40, land: true, thermostat: {kind: langevin}}, {name: two, steps: 10}]",
        "stages=[{name: one, steps: 40}, {name: two, steps: 10, step: 0.002, thermostat: {kind: nose-hoover}}]",
        "stages=[{name: one, steps: 40, integrator: rattle}, {name: none, steps: 0}, {name: two, steps: 10}]",
    };
    for (size_t k = 0; k < sizeof stages / sizeof *stages; ++k) {
        struct ph_simulation *whole = make(stages[k]), *twice = make(stages[k]), *resumed = NULL;
        advance(whole, FIRST);
        const size_t second = whole->stage;
        assert_int_not_equal(second, 0);
        no_memory = true;
        assert_error(ph_simulation_advance(twice, FIRST + MORE, &err), PH_ERR_MEMORY, "");
        assert_int_equal(ph_simulation_step(twice), FIRST);
        assert_int_equal(twice->stage, 0);
        assert_error(ph_simulation_advance(twice, MORE, &err), PH_ERR_MEMORY, ""); /* nothing is taken for granted */
        assert_int_equal(ph_simulation_step(twice), FIRST);
        assert_error(ph_simulation_save_as(twice, "stages", &err), PH_ERR_MEMORY, "");
        assert_int_not_equal(access("stages.checkpoint", F_OK), 0);
        no_memory = false;
        assert_ok(ph_simulation_save_as(twice, "stages", &err));
        assert_ok(ph_simulation_resume("stages", -1, &resumed, &err));
        unlink("stages.checkpoint");
        advance(whole, MORE);
        advance(twice, MORE);
        advance(resumed, MORE);
        assert_int_equal(twice->stage, second);
        assert_int_equal(resumed->stage, second);
        const uint64_t hash = hash_of(whole);
        if (hash_of(twice) != hash || hash_of(resumed) != hash)
            fail_msg("not the same: %s", stages[k]);
    }
}

static int open_files(void)
{
    int n = 0;
    for (int descriptor = 0; descriptor < 1024; ++descriptor)
        n += fcntl(descriptor, F_GETFD) != -1;
    return n;
}

/* Written block by block, as several ranks do. A descriptor that stays open keeps a lock, too. */
TEST(a_checkpoint_that_fails_leaves_no_file_open)
{
    struct ph_simulation *simulation = make("stages=[{name: one, steps: 10}]");
    struct ph_checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    const struct ph_saved saved = {.step = 0};
    const struct ph_snapshot snapshot = {.system = *ph_simulation_system(simulation)};
    struct ph_error err = {.text = ""};
    assert_non_null(checkpoint);
    assert_true(ph_checkpoint_name("failed", sizeof simulation->checkpoint_file, simulation->checkpoint_file));
    ph_checkpoint_add_int64(checkpoint, "step", 1, &(int64_t){0});
    assert_int_equal(ph_checkpoint_begin("first", checkpoint, NULL, &err), PH_OK); /* HDF5 begins */
    assert_int_equal(ph_checkpoint_end("first", false, &err), PH_OK);
    const int before = open_files();
    assert_int_equal(ph_simulation_write_checkpoint(simulation, &saved, &snapshot, checkpoint, &err), PH_ERR_MEMORY);
    assert_int_equal(open_files(), before);
    assert_int_not_equal(access("failed.checkpoint.tmp", F_OK), 0);
    free(checkpoint);
    ph_simulation_destroy(simulation);
}
