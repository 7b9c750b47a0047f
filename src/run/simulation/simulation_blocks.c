/* SPDX-License-Identifier: MIT */
/* Decides whether a state is written some molecules at a time, and lists the data to write: for simulation_together.c
 * and other files */
#include "parallel/ranks.h"
#include "run/simulation/simulation_checkpoint.h"
#include "run/simulation/simulation_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ph_simulation_collective(const struct ph_simulation *simulation)
{
    return ph_ranks_count() > 1 && strcmp(simulation->input->output.writing, "collective") == 0;
}

bool ph_simulation_may_write_blocks(const struct ph_simulation *simulation)
{
    return simulation->input->output.compression == 0 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

bool ph_simulation_by_blocks(const struct ph_simulation *simulation)
{
    return ph_simulation_collective(simulation) || (ph_ranks_count() > 1 && ph_simulation_may_write_blocks(simulation));
}

/* ---- Data of molecules in a checkpoint ---- */

void ph_simulation_add_state(const struct ph_saved *saved, const struct ph_snapshot *state,
                             struct ph_checkpoint *checkpoint)
{
    ph_checkpoint_add_system(checkpoint, &state->system);
    const size_t n = state->system.n;
    const struct ph_force_memory memory = state->memory;
    const struct {
        const char *name;
        double *const *array;
    } parts[] = {{"list_built_at", memory.built_at},
                 {"list_thinned_at", memory.thinned_at},
                 {"anchor", memory.anchor},
                 {"near_built_at", memory.near_built_at},
                 {"near_thinned_at", memory.near_thinned_at}};
    char name[PH_CHECKPOINT_NAME];
    for (size_t p = 0; p < sizeof parts / sizeof *parts; ++p)
        for (int k = 0; k < 3 && parts[p].array[k]; ++k) {
            snprintf(name, sizeof name, "%s_%d", parts[p].name, k);
            ph_checkpoint_add_doubles(checkpoint, name, n, parts[p].array[k]);
        }
    ph_checkpoint_add_doubles(checkpoint, "mover", PH_MOVER_NUMBERS, saved->numbers);
    if (memory.boxes)
        ph_checkpoint_add_doubles(checkpoint, "list_boxes", PH_LIST_BOXES, memory.boxes);
    if (memory.near_boxes)
        ph_checkpoint_add_doubles(checkpoint, "near_boxes", PH_LIST_BOXES, memory.near_boxes);
    for (int k = 0; k < PH_STATE_RESIDUAL_COLUMNS && state->residual; ++k) {
        snprintf(name, sizeof name, "residual_%d", k);
        ph_checkpoint_add_doubles(checkpoint, name, n, state->residual[k]);
    }
}

/* ---- The hash of all ----
 *
 * The hash covers rows one after the other, and in each row molecules in the order of their numbers. So each rank reads
 * its range of numbers, some rows at a time. Ranks add their ranges to the hash in turn. No number travels more than
 * once. */

enum { AT_ONCE = 4, IMAGES = 3 };

struct range {
    size_t begin, n; /* numbers of molecules of this rank */
    size_t rows;     /* up to AT_ONCE */
    double *row;     /* owned; one after the other, */
    int32_t *image;  /* and these, if requested */
};

static void keep_block(const struct ph_columns_block *block, void *data)
{
    const struct range *range = data;
    const size_t at = block->begin - range->begin, n = block->end - block->begin;
    for (size_t x = 0; x < range->rows; ++x)
        memcpy(range->row + x * range->n + at, block->row + x * block->step, n * sizeof *block->row);
    for (size_t x = 0; x < IMAGES; ++x)
        memcpy(range->image + x * range->n + at, block->image + x * block->step, n * sizeof *block->image);
}

/* The entries of this rank in a row */
struct entries {
    size_t n, size; /* number, and bytes of each */
    const void *first;
};

static void hash_entries(void *hash, void *data)
{
    const struct entries *entries = data;
    for (size_t k = 0; k < entries->n; ++k)
        ph_array_hash_add(hash, entries->size, (const char *)entries->first + k * entries->size);
}

static void hash_row(size_t n, size_t size, const void *first, struct ph_array_hash *hash)
{
    struct entries entries = {n, size, first};
    ph_ranks_in_turn(sizeof *hash, hash, hash_entries, &entries);
    *hash = (struct ph_array_hash){.hash = ph_array_hash_end(hash)};
}

/* Hashes all rows. */
static enum ph_status hash_ranges(const struct ph_simulation *simulation, struct range *range,
                                  struct ph_array_hash *hash, struct ph_error *err)
{
    const struct ph_system *system = simulation->system;
    const struct ph_readers each = {.end = system->n, .each = true};
    enum ph_status status = PH_OK;
    double *row[PH_STATE_HASH_ROWS];
    ph_state_hash_rows(system, row);
    for (size_t x = 0; x < PH_STATE_HASH_ROWS && status == PH_OK; x += range->rows) {
        const bool ends = x + AT_ONCE >= PH_STATE_HASH_ROWS;
        range->rows = ends ? PH_STATE_HASH_ROWS - x : AT_ONCE;
        const struct ph_column_set rows = {.n = range->rows, .row = row + x, .image = ends ? system->image : NULL};
        status = ph_state_read(ph_mover_state(simulation->mover), &rows, &each, keep_block, range, err);
        for (size_t k = 0; k < range->rows && status == PH_OK; ++k)
            hash_row(range->n, sizeof *range->row, range->row + k * range->n, hash);
    }
    for (size_t k = 0; k < IMAGES && status == PH_OK; ++k)
        hash_row(range->n, sizeof *range->image, range->image + k * range->n, hash);
    return status;
}

static enum ph_status hash_in_ranges(const struct ph_simulation *simulation, uint64_t *hash, struct ph_error *err)
{
    struct range range;
    size_t end;
    ph_ranks_range(simulation->system->n, &range.begin, &end);
    range.n = end - range.begin;
    range.row = malloc(AT_ONCE * range.n * sizeof *range.row + 1);
    range.image = malloc(IMAGES * range.n * sizeof *range.image + 1);
    enum ph_status status = range.row && range.image ? PH_OK : ph_no_memory(err, "the hash of %zu molecules", range.n);
    status = ph_ranks_agree(status, err);
    struct ph_array_hash all = {.hash = ph_state_hash_begin(simulation->system)};
    if (status == PH_OK)
        status = hash_ranges(simulation, &range, &all, err);
    free(range.row);
    free(range.image);
    *hash = all.hash;
    return status;
}

enum ph_status ph_simulation_hash(const struct ph_simulation *simulation, uint64_t *hash, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    if (ph_simulation_by_blocks(simulation))
        return hash_in_ranges(simulation, hash, err);
    if (ph_ranks_count() > 1) /* rank 0 has all then, unless no checkpoint was saved since loading */
        status = ph_state_show_first(ph_mover_state(simulation->mover), true, err);
    *hash = ph_ranks_is_first() ? ph_state_hash(simulation->system) : 0;
    ph_ranks_broadcast(sizeof *hash, hash);
    return status;
}
