/* SPDX-License-Identifier: MIT */
#include "run/simulation/start_parts.h"

#include "base/ranges.h"
#include "model/start.h"
#include "model/units.h"
#include "parallel/ranks.h"
#include "run/build/build.h"

#include <stdlib.h>

/* ---- A start ---- */

/* The part of this rank */
struct shared {
    struct ph_start_part part;
    struct ph_system view;
};

static size_t blocks_of(size_t n) { return (n + PH_RANGE_BLOCK - 1) / PH_RANGE_BLOCK; }

/* Completes sums of which this rank knows the blocks of its range: `count` numbers for each block */
static void complete_blocks(size_t n, size_t count, double *sums)
{
    size_t begin, end;
    ph_ranks_range(n, &begin, &end);
    ph_ranks_complete(count * blocks_of(n), count * blocks_of(begin), count * blocks_of(end), sums);
}

static void complete(size_t blocks, double (*sums)[2], void *data)
{
    (void)blocks;
    complete_blocks(((const struct ph_system *)data)->n, 2, sums[0]);
}

static void clear(struct shared *shared)
{
    free(shared->part.sums);
    free(shared->view.first);
}

static enum ph_status begin(struct ph_system *system, struct shared *shared, struct ph_error *err)
{
    *shared = (struct shared){.part = {.whole = system, .complete = complete, .data = system}};
    ph_ranks_range(system->n, &shared->part.begin, &shared->part.end);
    shared->part.sums = malloc((blocks_of(system->n) + 1) * sizeof *shared->part.sums);
    enum ph_status status = shared->part.sums ? ph_start_part_view(&shared->part, &shared->view, err)
                                              : ph_no_memory(err, "a start of %zu molecules", system->n);
    status = ph_ranks_agree(status, err);
    if (status != PH_OK)
        clear(shared);
    return status;
}

static enum ph_status check_slab(const struct ph_input *input, const struct ph_interactions *interactions,
                                 const struct ph_system *view, struct ph_error *err)
{
    int64_t filled[PH_BUILD_SLAB] = {0};
    if (!ph_build_is_slab(interactions))
        return PH_OK;
    ph_build_fill_slab(view, filled);
    ph_ranks_sum(PH_BUILD_SLAB, filled);
    return ph_build_check_slab(input, filled, err);
}

enum ph_status ph_start_parts_make(const struct ph_input *input, const struct ph_interactions *interactions,
                                   struct ph_system *system, struct ph_error *err)
{
    struct shared shared;
    enum ph_status status = begin(system, &shared, err);
    if (status != PH_OK)
        return status;
    status = ph_ranks_agree(ph_build_place_part(input, &shared.part, &shared.view, err), err);
    if (status == PH_OK)
        status = check_slab(input, interactions, &shared.view, err);
    if (status == PH_OK)
        ph_start_move_part(ph_units_find(input->units)->boltzmann * input->system.start.temperature,
                           input->system.start.rescale, input->interactions.pinned, (uint64_t)input->system.start.seed,
                           &shared.part, &shared.view);
    clear(&shared);
    return status;
}

bool ph_start_parts_moves(size_t begin, size_t end, const struct ph_system *system)
{
    unsigned moves = 0;
    for (size_t i = begin; i < end && !moves; ++i)
        for (int k = 0; k < 3; ++k)
            moves |= system->p[k][i] != 0.0 || system->m[k][i] != 0.0;
    return ph_ranks_any(moves) != 0;
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

struct drifting {
    struct ph_system *system;
    double velocity[3];
};

static void take_off(struct ph_range range, void *data)
{
    const struct drifting *drifting = data;
    const double mass = drifting->system->species[range.species].mass;
    for (int k = 0; k < 3; ++k)
        for (size_t i = range.begin; i < range.end; ++i)
            drifting->system->p[k][i] -= mass * drifting->velocity[k];
}

enum ph_status ph_start_parts_stop_drift(struct ph_state *state, struct ph_error *err)
{
    struct drifting drifting = {.system = ph_state_system(state)};
    const struct ph_system *system = drifting.system;
    const struct ph_readers each = {.end = system->n, .each = true};
    const struct ph_column_set momenta = {.n = 3, .row = system->p};
    const size_t blocks = blocks_of(system->n);
    double(*sums)[3] = malloc((blocks + 1) * sizeof *sums);
    enum ph_status status = sums ? PH_OK : ph_no_memory(err, "sums of momenta");
    status = ph_ranks_agree(status, err);
    for (int round = 0; round < PH_START_ROUNDS && status == PH_OK; ++round) {
        status = ph_state_read(state, &momenta, &each, add_momenta, sums, err);
        if (status != PH_OK)
            break;
        complete_blocks(system->n, 3, sums[0]);
        ph_start_velocity(system, blocks, sums, drifting.velocity);
        ph_state_each(state, take_off, &drifting);
        ph_state_touch(state, PH_STATE_MOMENTA);
    }
    free(sums);
    return status;
}
