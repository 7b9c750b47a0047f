/* SPDX-License-Identifier: MIT */
/* Reads molecules of all processes, and writes them. */
#include "force/ranks/force_ranks.h"
#include "parallel/ranks.h"
#include "state/state_inside.h"

/* ---- Reading ---- */

enum ph_status ph_state_observe(struct ph_state *state, struct ph_state_sums *sums, struct ph_error *err)
{
    return state->kind->observe(state, sums, err);
}

enum ph_status ph_state_show(struct ph_state *state, int parts, struct ph_error *err)
{
    return state->kind->show ? state->kind->show(state, parts, err) : PH_OK;
}

enum ph_status ph_state_show_first(struct ph_state *state, bool all, struct ph_error *err)
{
    const int parts = all ? PH_STATE_ALL : PH_STATE_PLACES | PH_STATE_MOMENTA | PH_STATE_FORCES;
    return state->kind->show_first ? state->kind->show_first(state, all, err) : ph_state_show(state, parts, err);
}

enum ph_status ph_state_bring(struct ph_state *state, int parts, struct ph_error *err)
{
    return state->kind->bring ? state->kind->show(state, parts, err) : PH_OK;
}

enum ph_status ph_state_read(struct ph_state *state, const struct ph_column_set *columns,
                             const struct ph_readers *readers, ph_columns_reader *block, void *data,
                             struct ph_error *err)
{
    return ph_state_has_part(state)
               ? ph_force_field_read(state->field, columns, readers, block, data, err)
               : ph_ranks_agree(ph_columns_read(columns, state->system->n, readers, block, data, err), err);
}

enum ph_status ph_state_find(struct ph_state *state, const struct ph_column_set *columns, ph_columns_reader *add,
                             void *data, size_t bytes, void *found, struct ph_error *err)
{
    return ph_state_has_part(state)
               ? ph_force_field_find(state->field, state->system, columns, add, data, bytes, found, err)
               : ph_ranks_agree(ph_columns_read_range(columns, 0, state->system->n, add, data, err), err);
}

bool ph_state_snaps(const struct ph_state *state) { return state->kind->snap != NULL; }

enum ph_status ph_state_snap(struct ph_state *state, bool whole, bool *begun, struct ph_error *err)
{
    *begun = false;
    return state->kind->snap ? state->kind->snap(state, whole, begun, err) : PH_OK;
}

enum ph_status ph_state_snapped(struct ph_state *state, bool wait, const struct ph_snapshot **snapshot,
                                struct ph_error *err)
{
    *snapshot = NULL;
    return state->kind->snapped ? state->kind->snapped(state, wait, snapshot, err) : PH_OK;
}

double *const *ph_state_residuals(const struct ph_state *state) { return ph_host_residuals(state); }

struct ph_force_memory ph_state_memory(const struct ph_state *state)
{
    return state->kind->memory ? state->kind->memory(state) : ph_force_field_memory(state->field);
}

/* ---- Writing ---- */

bool ph_state_in_parts(const struct ph_interactions *interactions)
{
    return ph_ranks_count() > 1 && interactions->truncation != PH_TRUNCATE_NONE;
}

enum ph_status ph_state_write(struct ph_state *state, ph_state_writer *write, void *data, struct ph_error *err)
{
    struct ph_force_memory memory = {.anchor = {NULL}};
    size_t begin = 0, end = state->system->n;
    if (ph_force_field_has_lists(state->field)) /* as ph_state_in_parts */
        ph_ranks_range(state->system->n, &begin, &end);
    ph_system_number(state->system, begin, end);
    const enum ph_status status = ph_ranks_agree(write(state, begin, end, &memory, data, err), err);
    return status == PH_OK ? state->kind->restore(state, &memory, err) : status;
}

void ph_state_restored(struct ph_state *state)
{
    state->numbers_there = false;
    state->unwritten = PH_STATE_ALL;
}

/* ---- Pairs ---- */

void ph_state_visit_pairs(const struct ph_state *state,
                          void (*visit)(size_t i, size_t j, const double d[3], void *context), void *context)
{
    ph_force_field_visit_pairs(state->field, state->system, visit, context);
}

void ph_state_count_pairs(struct ph_state *state) { ph_force_field_count_pairs(state->field); }
