/* SPDX-License-Identifier: MIT */
/* Whether a state is written some molecules at a time, and what of it: for simulation_together.c and others */
#include "parallel/team.h"
#include "run/simulation_checkpoint.h"
#include "run/simulation_files.h"

#include <stdio.h>
#include <string.h>

bool ph_simulation_collective(const struct ph_simulation *simulation)
{
    return ph_team()->size > 1 && strcmp(simulation->input->output.writing, "collective") == 0;
}

bool ph_simulation_may_write_blocks(const struct ph_simulation *simulation)
{
    return simulation->input->output.compression == 0 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

bool ph_simulation_by_blocks(const struct ph_simulation *simulation)
{
    return ph_simulation_collective(simulation) ||
           (ph_mover_apart(simulation->mover) && ph_simulation_may_write_blocks(simulation));
}

/* ---- What a checkpoint has of molecules ---- */

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
    for (int k = 0; k < PH_DYNAMICS_RESIDUALS && state->residual; ++k) {
        snprintf(name, sizeof name, "residual_%d", k);
        ph_checkpoint_add_doubles(checkpoint, name, n, state->residual[k]);
    }
}

/* ---- The hash of all ---- */

struct hashing {
    struct ph_array_hash array;
    int image; /* which row of images; negative: it is a row of numbers */
};

static void hash_block(const struct ph_rows_block *block, void *data)
{
    struct hashing *hashing = data;
    for (size_t k = 0; k < block->end - block->begin; ++k)
        if (hashing->image < 0)
            ph_array_hash_add(&hashing->array, sizeof(double), block->row + k);
        else
            ph_array_hash_add(&hashing->array, sizeof(int32_t),
                              block->image + (size_t)hashing->image * block->step + k);
}

enum ph_status ph_simulation_hash(const struct ph_simulation *simulation, uint64_t *hash, struct ph_error *err)
{
    const struct ph_system *system = simulation->system;
    const bool apart = ph_mover_apart(simulation->mover);
    enum ph_status status = PH_OK;
    if (!apart || !ph_simulation_by_blocks(simulation)) {
        if (apart) /* the first has all then, unless nothing has been saved since they were read */
            status = ph_mover_fetch_first(simulation->mover, err);
        *hash = apart && ph_team()->rank > 0 ? 0 : ph_state_hash(system);
        if (apart)
            ph_team()->broadcast(0, sizeof *hash, hash);
        return status;
    }
    double *row[PH_STATE_HASH_ROWS];
    *hash = ph_state_hash_begin(system);
    ph_state_hash_rows(system, row);
    for (int x = 0; x < PH_STATE_HASH_ROWS + 3 && status == PH_OK; ++x) {
        const int image = x - PH_STATE_HASH_ROWS;
        struct hashing hashing = {.array.hash = *hash, .image = image};
        const struct ph_rows rows = {
            .n = image < 0, .row = row + (image < 0 ? x : 0), .image = image < 0 ? NULL : system->image};
        status = ph_force_field_read(simulation->field, &rows, &(struct ph_readers){.end = system->n}, hash_block,
                                     &hashing, err);
        *hash = ph_array_hash_end(&hashing.array);
    }
    ph_team()->broadcast(0, sizeof *hash, hash);
    return status;
}
