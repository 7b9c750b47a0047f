/* SPDX-License-Identifier: MIT */
/* A state of several ranks: each moves the molecules it owns. A rank gathers those of others when a caller shows or
 * observes the state. force/ranks assigns owners when it builds neighbour lists. */
#include "parallel/ranks.h"
#include "force/ranks/force_ranks.h"
#include "state/momenta.h"
#include "state/state_inside.h"

#include <string.h>

/* Returns the molecules of this rank; NULL before the first list. The caller may change them, so gathered copies of
 * other ranks are outdated from now on. */
static const struct ph_owned *local(struct ph_state *state)
{
    const struct ph_owned *own = ph_force_field_owned(state->field);
    state->had_part = state->had_part || own;
    state->diverged = state->diverged || own;
    return own;
}

static enum ph_status evaluate(struct ph_state *state, enum ph_force_part part, struct ph_energy *energy,
                               struct ph_error *err)
{
    const enum ph_status status = ph_force_field_evaluate(state->field, state->system, part, &state->rows, energy, err);
    local(state); /* a list build wraps centres, which outdates gathered copies */
    return status;
}

/* ---- Baths ---- */

/* Keeps the heat of local molecules here. know_numbers reduces it over all ranks. */
static enum ph_status apply_noise(struct ph_state *state, const struct ph_noise *noise, double *numbers,
                                  struct ph_error *err)
{
    (void)err;
    const struct ph_owned *own = local(state);
    struct ph_exact heat = {.spoilt = 0};
    ph_momenta_apply_noise(noise, own, state->system, own ? &state->heat : &heat);
    if (own)
        state->heat_known = false;
    else
        ph_momenta_count_heat(&heat, numbers);
    ph_host_forget(state, PH_RESIDUAL_P, PH_STATE_RESIDUAL_COLUMNS);
    numbers[PH_BATH_KNOWN] = 0.0;
    return PH_OK;
}

static enum ph_status know_numbers(struct ph_state *state, double *numbers, struct ph_error *err)
{
    (void)err;
    if (state->heat_known)
        return PH_OK;
    ph_ranks_add_up(1, &state->heat);
    ph_momenta_count_heat(&state->heat, numbers);
    state->heat = (struct ph_exact){.spoilt = 0};
    state->heat_known = true;
    return PH_OK;
}

/* ---- Reading ---- */

/* Gathers positions and momenta, and the forces evaluated last. PH_STATE_ALL also gathers residuals and the memory of
 * the field. */
static enum ph_status show(struct ph_state *state, int parts, struct ph_error *err)
{
    const struct ph_system *system = state->system;
    double *const forces[] = {system->f[0], system->f[1], system->f[2], system->t[0], system->t[1], system->t[2]};
    const bool all = parts == PH_STATE_ALL;
    enum ph_status status = PH_OK;
    if (all || state->diverged || !ph_force_field_shows_all(state->field))
        status = ph_force_field_collect(state->field,
                                        &(struct ph_column_set){.n = all ? state->n_columns : PH_COLUMNS,
                                                                .row = state->column,
                                                                .image = system->image},
                                        err);
    if (status == PH_OK && all)
        status = ph_force_field_collect_memory(state->field, false, err);
    if (status == PH_OK && (all || (parts & PH_STATE_FORCES && state->forces_known)))
        status = ph_force_field_collect(state->field, &(struct ph_column_set){.n = 6, .row = forces}, err);
    state->diverged = false;
    return status;
}

/* Gathers the same on rank 0. */
static enum ph_status show_first(struct ph_state *state, bool all, struct ph_error *err)
{
    const struct ph_system *system = state->system;
    double *row[PH_COLUMNS + PH_STATE_RESIDUAL_COLUMNS + 6];
    size_t n = all ? state->n_columns : PH_COLUMNS;
    memcpy(row, state->column, n * sizeof *row);
    for (int k = 0; k < 3; ++k) {
        row[n++] = system->f[k];
        row[n++] = system->t[k];
    }
    const struct ph_column_set rows = {.n = n, .row = row, .image = system->image};
    enum ph_status status = ph_force_field_collect_first(state->field, &rows, err);
    if (status == PH_OK && all)
        status = ph_force_field_collect_memory(state->field, true, err);
    state->diverged = true; /* on other ranks the system is now invalid */
    return status;
}

static enum ph_status observe(struct ph_state *state, struct ph_state_sums *sums, struct ph_error *err)
{
    if (ph_force_field_has_owners(state->field))
        return ph_force_field_sum_state(state->field, state->system, sums, err);
    const enum ph_status status = show(state, PH_STATE_PLACES | PH_STATE_MOMENTA | PH_STATE_FORCES, err);
    ph_state_sum(state->system, sums);
    return status;
}

/* ---- Writing ---- */

/* Each rank has written its range of numbers. Molecules migrate to their owners with all columns. */
static enum ph_status restore(struct ph_state *state, const struct ph_force_memory *memory, struct ph_error *err)
{
    const struct ph_system *system = state->system;
    double *const forces[] = {system->f[0], system->f[1], system->f[2], system->t[0], system->t[1], system->t[2]};
    enum { FORCES = sizeof forces / sizeof *forces };
    if (!ph_force_field_has_lists(state->field))
        return ph_host_restore(state, memory, err);
    const struct ph_force_memory present = ph_force_field_memory(state->field);
    const size_t anchors = present.anchor[0] ? 3 : 0;
    ph_state_attach(state, FORCES, forces);
    ph_state_attach(state, anchors, present.anchor);
    const enum ph_status status = ph_force_field_restore_part(state->field, system, &state->rows, memory, err);
    ph_state_detach(state, FORCES + anchors);
    return status;
}

const struct ph_state_kind ph_state_of_ranks = {
    .name = "ranks",
    .local = local,
    PH_HOST_OPERATIONS,
    .evaluate = evaluate,
    .apply_noise = apply_noise,
    .know_numbers = know_numbers,
    .observe = observe,
    .restore = restore,
    .show = show,
    .show_first = show_first,
};
