/* SPDX-License-Identifier: MIT */
#include "run/simulation/simulation_checkpoint.h"

#include "base/clock.h"
#include "parallel/ranks.h"
#include "run/simulation/simulation.h"
#include "run/simulation/simulation_files.h"
#include "run/version.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void pack_long_range(const struct ph_interactions *interactions, const struct ph_ewald_choice *c,
                            double numbers[PH_SAVED_LONG_RANGE])
{
    const double all[PH_SAVED_LONG_RANGE] = {interactions->cutoff,
                                             interactions->switch_width,
                                             c->tolerance,
                                             c->screening,
                                             c->smoothness,
                                             c->shape,
                                             c->k_max,
                                             c->grid[0],
                                             c->grid[1],
                                             c->grid[2],
                                             c->width,
                                             c->window};
    memcpy(numbers, all, sizeof all);
    memcpy(numbers + PH_SAVED_LONG_RANGE - 9, c->waves, sizeof c->waves);
}

/* Measures speed for reports: steps, seconds and force evaluations of this process, and its threads. These are not in
 * the trajectory, which must not depend on the clock, and are never read back. */
static void measure_speed(const struct ph_simulation *simulation, double speed[PH_SPEEDS])
{
    speed[0] = (double)(ph_mover_step(simulation->mover) - simulation->first_step);
    speed[1] = ph_clock_wall() - simulation->began;
    speed[2] = ph_simulation_evaluations(simulation);
    speed[3] = (double)omp_get_max_threads();
}

/* Lists the schemes of all stages, each a word and a space, so that schemes chosen by the program stay the same. */
enum { SCHEMES = PH_INPUT_STAGES_MAX * (PH_WORD + 1) };
static const char no_scheme[] = "-"; /* an integrator */

static void list_schemes(const struct ph_input *input, char words[SCHEMES])
{
    size_t used = 0;
    words[0] = '\0';
    for (size_t k = 0; k < input->n_stages; ++k) {
        struct ph_methods methods = {.scheme = NULL};
        const bool found = ph_methods_find_stage(input, k, &methods, NULL) == PH_OK && methods.scheme;
        used += (size_t)snprintf(words + used, SCHEMES - used, "%.*s ", PH_WORD - 1,
                                 found ? methods.scheme->name : no_scheme);
    }
}

_Static_assert(2 * PH_TEXTS_MAX + PH_SETS_MAX + 200 <= PH_CHECKPOINT_ARRAYS, "texts, settings, and what a run has");

/* Returns true if all ranks write; rank 0 writes small checkpoints. */
static bool by_blocks(const struct ph_simulation *simulation)
{
    return simulation->system->n >= PH_CHECKPOINT_LARGE && ph_simulation_by_blocks(simulation);
}

/* Syncs the trajectory first, because it must have all rows that the checkpoint refers to. Allocates the checkpoint,
 * which the caller frees. */
static enum ph_status begin_checkpoint(const struct ph_simulation *simulation, struct ph_checkpoint **checkpoint,
                                       struct ph_error *err)
{
    enum ph_status status = PH_OK;
    if (simulation->trajectory)
        status = ph_trajectory_sync(simulation->trajectory, err);
    *checkpoint = calloc(1, sizeof **checkpoint);
    if (status == PH_OK && !*checkpoint)
        status = ph_no_memory(err, "a checkpoint");
    return by_blocks(simulation) ? ph_ranks_agree(status, err) : status;
}

static enum ph_status write_checkpoint(const struct ph_simulation *simulation, const struct ph_saved *saved,
                                       const struct ph_snapshot *state, struct ph_error *err)
{
    struct ph_checkpoint *checkpoint;
    enum ph_status status = begin_checkpoint(simulation, &checkpoint, err);
    if (status != PH_OK) {
        free(checkpoint);
        return status;
    }
    char name[PH_CHECKPOINT_NAME];
    for (size_t k = 0; k < simulation->texts.n; ++k) {
        snprintf(name, sizeof name, "text_name_%zu", k);
        ph_checkpoint_add_text(checkpoint, name, simulation->texts.item[k].name);
        snprintf(name, sizeof name, "text_%zu", k);
        ph_checkpoint_add_text(checkpoint, name, simulation->texts.item[k].text);
    }
    for (size_t k = 0; k < simulation->input->n_sets; ++k) {
        snprintf(name, sizeof name, "set_%zu", k);
        ph_checkpoint_add_text(checkpoint, name, simulation->sets[k]);
    }
    const int64_t counts[PH_SAVED_COUNTS] = {saved->step,
                                             simulation->end,
                                             simulation->production,
                                             (int64_t)simulation->texts.n,
                                             (int64_t)simulation->input->n_sets,
                                             saved->has_pending_flow,
                                             saved->observed_step};
    ph_checkpoint_add_int64(checkpoint, "counts", PH_SAVED_COUNTS, counts);
    ph_checkpoint_add_text(checkpoint, "identity", simulation->identity);
    char schemes[SCHEMES];
    list_schemes(simulation->input, schemes);
    ph_checkpoint_add_text(checkpoint, "scheme", schemes);
    ph_checkpoint_add_text(checkpoint, "version", ph_version());
    ph_checkpoint_add_text(checkpoint, "build", ph_build_description());
    ph_checkpoint_add_doubles(checkpoint, "energies", 2, saved->energies);
    double long_range[PH_SAVED_LONG_RANGE];
    pack_long_range(&simulation->interactions, &saved->ewald, long_range);
    if (ph_is_ewald(&simulation->interactions)) {
        ph_checkpoint_add_doubles(checkpoint, "long_range", PH_SAVED_LONG_RANGE, long_range);
        ph_checkpoint_add_doubles(checkpoint, "long_range_error", 1, &saved->ewald.expected_error);
    }
    const int64_t pushed = simulation->interactions.caller.force || simulation->lacks_force;
    ph_checkpoint_add_int64(checkpoint, "caller_force", 1, &pushed);
    ph_checkpoint_add_doubles(checkpoint, "landing", 2, saved->landing);
    if (simulation->interactions.plumed.file[0])
        ph_checkpoint_add_doubles(checkpoint, "plumed_work", 1, &simulation->plumed.work);
    ph_checkpoint_add_doubles(checkpoint, "observables", sizeof saved->observables / sizeof(double),
                              (const double *)&saved->observables);
    ph_simulation_add_state(saved, state, checkpoint);
    ph_checkpoint_add_doubles(checkpoint, "speed", PH_SPEEDS, saved->speed);
    status = by_blocks(simulation) ? ph_simulation_write_checkpoint(simulation, saved, state, checkpoint, err)
                                   : ph_checkpoint_write(simulation->checkpoint_file, checkpoint, err);
    free(checkpoint);
    return status;
}

/* If every rank holds the whole state, all states are equal unless ranks have read different files, or run on machines
 * with different libraries. */
enum ph_status ph_simulation_compare(const struct ph_simulation *simulation, bool whole, struct ph_error *err)
{
    if (ph_ranks_count() == 1)
        return PH_OK;
    uint64_t hash = whole ? ph_state_hash(simulation->system) : ph_hash_begin();
    hash = ph_hash_bytes(hash, sizeof simulation->end, &simulation->end);
    return ph_ranks_same(ph_hash_bytes(hash, strlen(simulation->identity), simulation->identity), err);
}

void ph_simulation_note(struct ph_simulation *simulation, struct ph_saved *saved)
{
    ph_state_count_pairs(ph_mover_state(simulation->mover));
    const struct ph_mover_memory moved = ph_mover_save(simulation->mover);
    *saved = (struct ph_saved){.step = moved.step,
                               .observed_step = simulation->observed_step,
                               .has_pending_flow = moved.has_pending_flow,
                               .energies = {simulation->energy_start, simulation->energy_size},
                               .landing = {simulation->landing.potential, simulation->landing.samples},
                               .observables = simulation->observables};
    memcpy(saved->numbers, moved.numbers, sizeof saved->numbers);
    if (ph_force_field_ewald(simulation->field))
        saved->ewald = *ph_force_field_ewald(simulation->field);
    measure_speed(simulation, saved->speed);
}

/* Writes a checkpoint. In a team rank 0 writes it, unless all ranks do so together. */
enum ph_status ph_simulation_write_saved(struct ph_simulation *simulation, const struct ph_saved *saved,
                                         const struct ph_snapshot *state, struct ph_error *err)
{
    enum ph_status status = simulation->writer ? ph_frame_writer_sync(simulation->writer, err) : PH_OK;
    status = ph_ranks_agree(status, err);
    if (status == PH_OK && (ph_ranks_is_first() || by_blocks(simulation)))
        status = write_checkpoint(simulation, saved, state, err);
    status = ph_ranks_agree(status, err);
    if (status == PH_OK)
        simulation->checkpoint_step = saved->step;
    return status;
}

enum ph_status ph_simulation_save(struct ph_simulation *simulation, struct ph_error *err)
{
    const double began = ph_clock_wall();
    struct ph_state *where = ph_mover_state(simulation->mover);
    enum ph_status status = by_blocks(simulation) ? PH_OK : ph_state_show_first(where, true, err);
    if (status == PH_OK)
        status = ph_mover_know_numbers(simulation->mover, err);
    if (status == PH_OK)
        status = ph_simulation_compare(simulation, false, err);
    if (status != PH_OK)
        return status;
    const struct ph_snapshot present = {
        .system = *simulation->system, .residual = ph_state_residuals(where), .memory = ph_state_memory(where)};
    struct ph_saved saved;
    ph_simulation_note(simulation, &saved);
    status = ph_simulation_write_saved(simulation, &saved, &present, err);
    simulation->saved_at = ph_clock_wall();
    simulation->save_cost = simulation->saved_at - began;
    return status;
}
