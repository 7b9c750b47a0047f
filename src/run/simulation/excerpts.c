/* SPDX-License-Identifier: MIT */
#include "run/simulation/excerpts.h"

#include "base/ranges.h"

#include <stdlib.h>
#include <string.h>

enum { OF_SYSTEM = 19, MEMORIES = 5, MOST = OF_SYSTEM + PH_STATE_RESIDUAL_COLUMNS + 3 * MEMORIES };

struct excerpts {
    const struct ph_snapshot *state;
    double *row[MOST];
    size_t n;
    size_t *first;        /* owned */
    uint32_t *id, *place; /* owned; of a block */
    ph_excerpt_reader *read;
    void *data;
};

/* Lists the arrays of a memory in a fixed order. */
static void list_memory(struct ph_force_memory *memory, double **arrays[MEMORIES])
{
    double **const all[MEMORIES] = {memory->built_at, memory->thinned_at, memory->near_built_at,
                                    memory->near_thinned_at, memory->anchor};
    memcpy(arrays, all, sizeof all);
}

static void list_rows(struct excerpts *excerpts)
{
    const struct ph_system *system = &excerpts->state->system;
    double *const *const groups[] = {system->r, system->q, system->p, system->m, system->f, system->t};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g)
        for (int k = 0; k < (groups[g] == system->q ? 4 : 3); ++k)
            excerpts->row[excerpts->n++] = groups[g][k];
    for (int k = 0; k < PH_STATE_RESIDUAL_COLUMNS && excerpts->state->residual; ++k)
        excerpts->row[excerpts->n++] = excerpts->state->residual[k];
    struct ph_force_memory memory = excerpts->state->memory;
    double **arrays[MEMORIES];
    list_memory(&memory, arrays);
    for (int a = 0; a < MEMORIES; ++a)
        for (int k = 0; k < 3 && arrays[a][0]; ++k)
            excerpts->row[excerpts->n++] = arrays[a][k];
}

static void show_block(const struct ph_columns_block *block, void *data)
{
    struct excerpts *excerpts = data;
    struct ph_excerpt excerpt = {.begin = block->begin, .end = block->end, .state.memory = excerpts->state->memory};
    double *residual[PH_STATE_RESIDUAL_COLUMNS], *next = block->row + OF_SYSTEM * block->step, **arrays[MEMORIES];
    ph_system_window(&excerpts->state->system, block->begin, block->end, block->step, block->row, block->image,
                     excerpts->first, &excerpt.state.system);
    for (size_t k = 0; k < block->end - block->begin; ++k)
        excerpts->id[k] = (uint32_t)(block->begin + k);
    excerpt.state.system.id = excerpts->id;
    excerpt.state.system.place = excerpts->place;
    for (int k = 0; k < PH_STATE_RESIDUAL_COLUMNS && excerpts->state->residual; ++k, next += block->step)
        residual[k] = next;
    excerpt.state.residual = excerpts->state->residual ? residual : NULL;
    list_memory(&excerpt.state.memory, arrays);
    for (int a = 0; a < MEMORIES; ++a)
        for (int k = 0; k < 3 && arrays[a][0]; ++k, next += block->step)
            arrays[a][k] = next;
    excerpts->read(&excerpt, excerpts->data);
}

enum ph_status ph_excerpts_read(struct ph_state *where, const struct ph_snapshot *state,
                                const struct ph_readers *readers, ph_excerpt_reader *read, void *data,
                                struct ph_error *err)
{
    const struct ph_system *system = &state->system;
    struct excerpts excerpts = {.state = state, .read = read, .data = data};
    list_rows(&excerpts);
    excerpts.first = malloc((system->n_species + 1) * sizeof *excerpts.first);
    excerpts.id = malloc(PH_RANGE_BLOCK * sizeof *excerpts.id);
    excerpts.place = malloc(PH_RANGE_BLOCK * sizeof *excerpts.place);
    enum ph_status status =
        excerpts.first && excerpts.id && excerpts.place ? PH_OK : ph_no_memory(err, "looking at molecules");
    status = ph_state_agree(where, status, err);
    for (size_t k = 0; k < PH_RANGE_BLOCK && status == PH_OK; ++k)
        excerpts.place[k] = (uint32_t)k;
    const struct ph_column_set rows = {.n = excerpts.n, .row = excerpts.row, .image = system->image};
    if (status == PH_OK)
        status = ph_state_read(where, &rows, readers, show_block, &excerpts, err);
    free(excerpts.first);
    free(excerpts.id);
    free(excerpts.place);
    return status;
}
