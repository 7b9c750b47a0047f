/* SPDX-License-Identifier: MIT */
#include "run/simulation/start_parts.h"

#include "base/ranges.h"
#include "force/force_ranks.h"
#include "model/start.h"
#include "model/units.h"
#include "parallel/team.h"
#include "run/build/build.h"

#include <stdlib.h>

/* ---- A start ---- */

/* The part of this rank, and buffers for exchange */
struct shared {
    struct ph_start_part part;
    struct ph_system view;
    size_t *blocks; /* owned; of each process */
};

static void complete(size_t blocks, double (*sums)[2], void *data)
{
    (void)blocks;
    ph_team()->gather(sizeof *sums, data, sums);
}

static void clear(struct shared *shared)
{
    free(shared->part.sums);
    free(shared->view.first);
    free(shared->blocks);
}

/* Counts the blocks in the range of each rank. */
static void count_blocks(size_t n, size_t *blocks)
{
    for (size_t p = 0; p < ph_team()->size; ++p) {
        size_t begin, end;
        ph_range_of(n, p, ph_team()->size, &begin, &end);
        blocks[p] = (end - begin + PH_RANGE_BLOCK - 1) / PH_RANGE_BLOCK;
    }
}

static enum ph_status begin(struct ph_system *system, struct shared *shared, struct ph_error *err)
{
    const struct ph_team *team = ph_team();
    const size_t blocks = (system->n + PH_RANGE_BLOCK - 1) / PH_RANGE_BLOCK;
    *shared = (struct shared){.part = {.whole = system, .complete = complete}};
    ph_range_of(system->n, team->rank, team->size, &shared->part.begin, &shared->part.end);
    shared->part.sums = malloc((blocks + 1) * sizeof *shared->part.sums);
    shared->part.data = shared->blocks = malloc(team->size * sizeof *shared->blocks);
    enum ph_status status =
        shared->part.sums && shared->blocks
            ? ph_start_part_view(&shared->part, &shared->view, err)
            : ph_error_set(err, PH_ERR_MEMORY, "No memory for a start of %zu molecules.", system->n);
    if (status == PH_OK)
        count_blocks(system->n, shared->blocks);
    status = ph_team_agree(status, err);
    if (status != PH_OK)
        clear(shared);
    return status;
}

static enum ph_status check_slab(const struct ph_input *input, const struct ph_interactions *interactions,
                                 const struct ph_system *view, struct ph_error *err)
{
    uint32_t filled[PH_BUILD_SLAB] = {0};
    if (!ph_build_is_slab(interactions))
        return PH_OK;
    ph_build_fill_slab(view, filled);
    ph_team()->sum(PH_BUILD_SLAB, filled);
    return ph_build_check_slab(input, filled, err);
}

enum ph_status ph_start_parts_make(const struct ph_input *input, const struct ph_interactions *interactions,
                                   struct ph_system *system, struct ph_error *err)
{
    struct shared shared;
    enum ph_status status = begin(system, &shared, err);
    if (status != PH_OK)
        return status;
    ph_system_number(system, shared.part.begin, shared.part.end);
    status = ph_team_agree(ph_build_place_part(input, &shared.part, &shared.view, err), err);
    if (status == PH_OK)
        status = check_slab(input, interactions, &shared.view, err);
    if (status == PH_OK)
        ph_start_move_part(ph_units_find(input->units)->boltzmann * input->system.start.temperature,
                           input->system.start.rescale, input->interactions.pinned, (uint64_t)input->system.start.seed,
                           &shared.part, &shared.view);
    clear(&shared);
    return status;
}

bool ph_start_parts_moves(const struct ph_system *system)
{
    size_t begin, end;
    unsigned moves = 0;
    ph_range_of(system->n, ph_team()->rank, ph_team()->size, &begin, &end);
    for (size_t i = begin; i < end && !moves; ++i)
        for (int k = 0; k < 3; ++k)
            moves |= system->p[k][i] != 0.0 || system->m[k][i] != 0.0;
    return ph_team()->any(moves) != 0;
}

enum ph_status ph_start_parts_move(double kT, bool exact, bool pinned, uint64_t seed, struct ph_system *system,
                                   struct ph_error *err)
{
    struct shared shared;
    const enum ph_status status = begin(system, &shared, err);
    if (status != PH_OK)
        return status;
    ph_start_move_part(kT, exact, pinned, seed, &shared.part, &shared.view);
    clear(&shared);
    return PH_OK;
}

/* ---- Molecules with their owners ---- */

/* Adds up the momenta of a block. Each rank does this for its range of numbers, whatever their owners. */
static void add_momenta(const struct ph_columns_block *block, void *data)
{
    double(*sums)[3] = data, *sum = sums[block->begin / PH_RANGE_BLOCK];
    for (size_t x = 0; x < 3; ++x) {
        sum[x] = 0.0;
        for (size_t k = 0; k < block->end - block->begin; ++k)
            sum[x] += block->row[x * block->step + k];
    }
}

static void take_off(const double velocity[3], const struct ph_owned *own, struct ph_system *system)
{
    for (int k = 0; k < 3; ++k)
        for (size_t s = 0; s < system->n_species; ++s)
            for (size_t m = own->first[s]; m < own->first[s + 1]; ++m)
                system->p[k][own->molecule[m]] -= system->species[s].mass * velocity[k];
}

enum ph_status ph_start_parts_stop_drift(struct ph_force_field *field, struct ph_system *system, struct ph_error *err)
{
    const struct ph_team *team = ph_team();
    const struct ph_readers each = {.end = system->n, .each = true};
    const struct ph_column_set momenta = {.n = 3, .row = system->p};
    const size_t blocks = (system->n + PH_RANGE_BLOCK - 1) / PH_RANGE_BLOCK;
    double(*sums)[3] = malloc((blocks + 1) * sizeof *sums), velocity[3];
    size_t *n = malloc(team->size * sizeof *n);
    enum ph_status status = sums && n ? PH_OK : ph_error_set(err, PH_ERR_MEMORY, "No memory for sums of momenta.");
    status = ph_team_agree(status, err);
    if (status == PH_OK)
        count_blocks(system->n, n);
    for (int round = 0; round < PH_START_ROUNDS && status == PH_OK; ++round) {
        status = ph_force_field_read(field, &momenta, &each, add_momenta, sums, err);
        if (status != PH_OK)
            break;
        team->gather(sizeof *sums, n, sums);
        ph_start_velocity(system, blocks, sums, velocity);
        take_off(velocity, ph_force_field_owned(field), system);
    }
    free(sums);
    free(n);
    return status;
}
