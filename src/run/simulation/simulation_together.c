/* SPDX-License-Identifier: MIT */
/* Writes files of a state that no rank need hold whole. Ranks read it some molecules at a time, in the order of their
 * numbers, and write them to their places in the file: rank 0 alone, or all ranks together, each its range of numbers.
 * Rank 0 reserves the space and, if every rank could write, makes it valid. After each step all ranks know whether any
 * rank failed, so that none waits for another. */
#include "parallel/ranks.h"
#include "run/simulation/excerpts.h"
#include "run/simulation/simulation_checkpoint.h"
#include "run/simulation/simulation_files.h"

#include <stdlib.h>
#include <string.h>

static struct ph_readers all_readers(const struct ph_simulation *simulation)
{
    return (struct ph_readers){.end = simulation->system->n, .each = ph_simulation_collective(simulation)};
}

/* ---- Frames ---- */

/* HDF5 may put data sets of so few molecules anywhere in its free space, so it writes them itself. */
enum { FEW = 1024 };

static void keep(const struct ph_excerpt *excerpt, void *data)
{
    struct ph_system *system = data;
    const struct ph_system *from = &excerpt->state.system;
    double *const *const groups[] = {from->r, from->p, from->q, from->m, from->f, from->t};
    double *const *const to[] = {system->r, system->p, system->q, system->m, system->f, system->t};
    ph_system_number(system, excerpt->begin, excerpt->end);
    for (int g = 0; g < 6; ++g)
        for (int k = 0; k < (groups[g] == from->q ? 4 : 3); ++k)
            memcpy(to[g][k] + excerpt->begin, groups[g][k], from->n * sizeof(double));
    for (int k = 0; k < 3; ++k)
        memcpy(system->image[k] + excerpt->begin, from->image[k], from->n * sizeof(int32_t));
}

static bool has_few(const struct ph_system *system, size_t species)
{
    const size_t n = system->first[species + 1] - system->first[species];
    return n > 0 && n <= FEW;
}

/* Reserves a system of all molecules; memory is used only for kept ones. */
static enum ph_status reserve_few(const struct ph_system *system, struct ph_system **out, struct ph_error *err)
{
    size_t *counts = malloc((system->n_species + 1) * sizeof *counts);
    if (!counts)
        return ph_no_memory(err, "writing frames");
    for (size_t s = 0; s < system->n_species; ++s)
        counts[s] = system->first[s + 1] - system->first[s];
    const enum ph_status status = ph_system_reserve(system->n_species, system->species, counts, &system->box, out, err);
    free(counts);
    return status;
}

/* Collects species of few molecules in a system on rank 0. *out stays NULL on other ranks, and if there are no such
 * species. */
static enum ph_status keep_few(struct ph_simulation *simulation, const struct ph_snapshot *state,
                               struct ph_system **out, struct ph_error *err)
{
    const struct ph_system *system = simulation->system;
    bool any = false;
    for (size_t s = 0; s < system->n_species; ++s)
        any = any || has_few(system, s);
    enum ph_status status = any && ph_ranks_is_first() ? reserve_few(system, out, err) : PH_OK;
    status = ph_ranks_agree(status, err);
    for (size_t s = 0; s < system->n_species && status == PH_OK; ++s)
        if (has_few(system, s))
            status =
                ph_excerpts_read(ph_mover_state(simulation->mover), state,
                                 &(struct ph_readers){system->first[s], system->first[s + 1], false}, keep, *out, err);
    return status;
}

struct putting {
    struct ph_frame_writer *writer;
    const struct ph_system *whole;
    enum ph_status status;
    struct ph_error *err;
};

static void put_frame(const struct ph_excerpt *excerpt, void *data)
{
    struct putting *putting = data;
    if (putting->status == PH_OK)
        putting->status =
            ph_frame_writer_put(putting->writer, putting->whole, excerpt->begin, &excerpt->state.system, putting->err);
}

/* Reserves space, then writes the numbers. */
static enum ph_status write_frame(struct ph_simulation *simulation, const struct ph_system *few,
                                  const struct ph_snapshot *state, struct ph_error *err)
{
    struct ph_trajectory *trajectory = simulation->trajectory; /* on rank 0 only */
    const struct ph_readers readers = all_readers(simulation);
    size_t n;
    uint64_t *places = simulation->writer ? ph_frame_writer_places(simulation->writer, &n) : NULL;
    enum ph_status status = PH_OK;
    if (trajectory)
        status = ph_trajectory_reserve_frame(trajectory, ph_mover_step(simulation->mover),
                                             ph_mover_time(simulation->mover), few, places, err);
    status = ph_ranks_agree(status, err);
    if (status != PH_OK)
        return status;
    if (readers.each)
        ph_ranks_broadcast(n * sizeof *places, places);
    struct putting putting = {.writer = simulation->writer, .whole = simulation->system, .err = err};
    status = ph_excerpts_read(ph_mover_state(simulation->mover), state, &readers, put_frame, &putting, err);
    status = ph_ranks_agree(status == PH_OK ? putting.status : status, err);
    if (status != PH_OK || !simulation->writer)
        return status;
    int64_t *sums = ph_frame_writer_sums(simulation->writer, &n);
    if (readers.each)
        ph_ranks_sum(n, sums);
    return trajectory ? ph_frame_writer_seal(simulation->writer, trajectory, err) : PH_OK;
}

enum ph_status ph_simulation_write_frame(struct ph_simulation *simulation, enum ph_status status, struct ph_error *err)
{
    struct ph_trajectory *trajectory = simulation->trajectory;
    status = ph_ranks_agree(status, err);
    if (status != PH_OK ||
        !ph_ranks_any(trajectory && ph_trajectory_wants_frame(trajectory, ph_mover_step(simulation->mover))))
        return status;
    struct ph_system *few = NULL;
    const struct ph_snapshot state = {.system = *simulation->system};
    status = keep_few(simulation, &state, &few, err);
    if (status == PH_OK) {
        status = write_frame(simulation, few ? few : simulation->system, &state, err);
        if (trajectory && status == PH_OK)
            status = ph_trajectory_commit(trajectory, err);
        else if (trajectory)
            ph_trajectory_give_up(trajectory, status, err);
        status = ph_ranks_agree(status, err);
    }
    ph_system_destroy(few);
    return status;
}

/* ---- Checkpoints ---- */

struct saving {
    const struct ph_saved *saved;
    struct ph_checkpoint_helper helper;
    struct ph_checkpoint *some; /* owned */
};

static void put_state(const struct ph_excerpt *excerpt, void *data)
{
    struct saving *saving = data;
    saving->some->n = 0;
    ph_simulation_add_state(saving->saved, &excerpt->state, saving->some);
    ph_checkpoint_put(&saving->helper, excerpt->begin, saving->some);
}

enum ph_status ph_simulation_write_checkpoint(const struct ph_simulation *simulation, const struct ph_saved *saved,
                                              const struct ph_snapshot *state, const struct ph_checkpoint *checkpoint,
                                              struct ph_error *err)
{
    const struct ph_readers readers = all_readers(simulation);
    const char *file = simulation->checkpoint_file;
    uint64_t places[PH_CHECKPOINT_ARRAYS];
    struct saving saving = {.saved = saved, .some = calloc(1, sizeof *saving.some)};
    enum ph_status status = saving.some ? PH_OK : ph_no_memory(err, "a checkpoint");
    if (status == PH_OK && ph_ranks_is_first())
        status = ph_checkpoint_begin(file, checkpoint, places, err);
    status = ph_ranks_agree(status, err);
    if (status == PH_OK) {
        const bool puts = readers.each || ph_ranks_is_first();
        if (readers.each)
            ph_ranks_broadcast(checkpoint->n * sizeof *places, places);
        if (puts)
            ph_checkpoint_help(file, checkpoint, places, &saving.helper);
        status = ph_excerpts_read(ph_mover_state(simulation->mover), state, &readers, put_state, &saving, err);
        if (puts) { /* also closes the file, with its lock */
            const enum ph_status helped = ph_checkpoint_helped(&saving.helper, file, status == PH_OK ? err : NULL);
            status = status != PH_OK ? status : helped;
        }
        status = ph_ranks_agree(status, err);
        if (ph_ranks_is_first()) {
            const enum ph_status ended = ph_checkpoint_end(file, status == PH_OK, err);
            status = status != PH_OK ? status : ended;
        }
        status = ph_ranks_agree(status, err);
    }
    free(saving.some);
    return status;
}
