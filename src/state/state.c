/* SPDX-License-Identifier: MIT */
#include "state/state_inside.h"

#include "base/array.h"
#include "base/room.h"
#include "force/force_parts.h"
#include "force/ranks/force_ranks.h"
#include "parallel/ranks.h"
#include "parallel/spent.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Creation ---- */

void ph_state_destroy(struct ph_state *state)
{
    if (!state)
        return;
    /* Restores the local order of residuals that ph_state_show has reordered, before they are freed. */
    if (state->kind == &ph_state_of_ranks && state->options.compensated)
        (void)ph_force_field_owned(state->field);
    free(state->top);
    for (int k = 0; k < PH_STATE_RESIDUAL_COLUMNS; ++k)
        free(state->residual[k]);
    for (int k = 0; k < 3; ++k) {
        free(state->acceleration[k]);
        free(state->spin_up[k]);
        free(state->force_rate[k]);
        free(state->torque_rate[k]);
    }
    for (int k = 0; k < PH_ASIDE_COLUMNS; ++k)
        free(state->aside[k]);
    free(state);
}

static bool allocate(struct ph_state *state)
{
    const size_t n = ph_padded(state->system->n);
    bool ok = (state->top = calloc(state->system->n_species, sizeof *state->top)) != NULL;
    for (int k = 0; k < PH_STATE_RESIDUAL_COLUMNS && ok && state->options.compensated; ++k)
        ok = (state->residual[k] = ph_array_create(n, sizeof(double))) != NULL;
    for (int k = 0; k < PH_ASIDE_COLUMNS && ok && state->options.displaced && !state->options.backend; ++k)
        ok = (state->aside[k] = ph_array_create(n, sizeof(double))) != NULL;
    for (int k = 0; k < 3 && ok && state->options.gradients; ++k)
        ok = (state->acceleration[k] = ph_array_create(n, sizeof(double))) != NULL &&
             (state->spin_up[k] = ph_array_create(n, sizeof(double))) != NULL &&
             (state->force_rate[k] = ph_array_create(n, sizeof(double))) != NULL &&
             (state->torque_rate[k] = ph_array_create(n, sizeof(double))) != NULL;
    return ok;
}

/* Lists the columns that migrate with a molecule: r, q, p, m, residuals. */
static void list_columns(struct ph_state *state)
{
    const struct ph_system *system = state->system;
    double *const columns[PH_COLUMNS] = {system->r[0], system->r[1], system->r[2], system->q[0], system->q[1],
                                         system->q[2], system->q[3], system->p[0], system->p[1], system->p[2],
                                         system->m[0], system->m[1], system->m[2]};
    memcpy(state->column, columns, sizeof columns);
    memcpy(state->column + PH_COLUMNS, state->residual, sizeof state->residual);
    state->n_columns = PH_COLUMNS + (state->options.compensated ? PH_STATE_RESIDUAL_COLUMNS : 0);
    state->rows = (struct ph_column_set){.n = state->n_columns, .row = state->column, .image = system->image};
}

enum ph_status ph_state_create(struct ph_system *system, struct ph_force_field *field,
                               const struct ph_state_options *options, struct ph_state **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_state *state = calloc(1, sizeof *state);
    if (!state)
        return ph_no_memory(err, "the dynamics");
    *state = (struct ph_state){.system = system,
                               .field = field,
                               .options = *options,
                               .kind = options->backend                ? &ph_state_of_device
                                       : field && ph_ranks_count() > 1 ? &ph_state_of_ranks
                                                                       : &ph_state_of_process,
                               .diverged = true,
                               .heat_known = true,
                               .unwritten = PH_STATE_ALL};
    enum ph_status status = PH_OK;
    if (allocate(state))
        list_columns(state);
    else
        status = ph_no_memory(err, "the dynamics of %zu molecules", system->n);
    for (size_t s = 0; s < system->n_species && status == PH_OK; ++s)
        if (system->species[s].degrees > 0)
            status = ph_top_init(system->species[s].inertia, &state->top[s], err);
    if (status != PH_OK) {
        ph_state_destroy(state);
        return status;
    }
    *out = state;
    return PH_OK;
}

struct ph_system *ph_state_system(const struct ph_state *state) { return state->system; }

struct ph_force_field *ph_state_field(const struct ph_state *state) { return state->field; }

unsigned ph_state_device_lacks(void) { return ph_state_of_device.lacks; }

/* ---- Local molecules ---- */

/* Copies the molecules of a device to this process before a loop over them. */
static void bring(struct ph_state *state)
{
    if (state->kind->bring)
        state->kind->bring(state);
}

void ph_state_each(struct ph_state *state, ph_range_work *work, void *data)
{
    bring(state);
    const struct ph_owned *own = state->kind->local(state);
    ph_each(state->system, own, work, data);
}

void ph_state_total(struct ph_state *state, ph_range_terms *terms, void *data, size_t n, struct ph_exact *sums)
{
    bring(state);
    const struct ph_owned *own = state->kind->local(state);
    ph_each_sum(state->system, own, terms, data, n, sums);
}

void ph_state_add_up(struct ph_state *state, size_t n, struct ph_exact *sums)
{
    if (ph_state_has_part(state) && n > 0)
        ph_ranks_add_up(n, sums);
}

void ph_state_largest(struct ph_state *state, size_t n, double *values)
{
    if (ph_state_has_part(state))
        ph_ranks_largest(n, values);
}

void ph_state_find_largest(struct ph_state *state, double largest, struct ph_largest *ours)
{
    if (!ph_state_has_part(state))
        return;
    double first = ours->value == largest ? -(double)ours->number : -INFINITY;
    ph_ranks_largest(1, &first);
    *ours = (struct ph_largest){largest, (uint64_t)-first};
}

enum ph_status ph_state_agree(struct ph_state *state, enum ph_status status, struct ph_error *err)
{
    (void)state;
    return ph_ranks_agree(status, err);
}

enum ph_status ph_state_fail(struct ph_state *state, const struct ph_error *failure, struct ph_error *err)
{
    if (!ph_state_has_part(state))
        return ph_error_set(err, failure->status, "%s", failure->text);
    ph_force_field_fail(state->field, failure);
    return PH_OK;
}

bool ph_state_is_lost(const struct ph_state *state)
{
    return state->had_part && !ph_force_field_has_owners(state->field);
}

void ph_state_attach(struct ph_state *state, size_t n, double *const *columns)
{
    PH_ROOM(state->rows.n + n <= sizeof state->column / sizeof *state->column);
    memcpy(state->column + state->rows.n, columns, n * sizeof *columns);
    state->rows.n += n;
}

void ph_state_detach(struct ph_state *state, size_t n)
{
    assert(state->rows.n >= state->n_columns + n);
    state->rows.n -= n;
}

/* ---- Forces ---- */

/* False if the last call returned an earlier error without evaluating. It is not counted, so that counts do not depend
 * on the number of ranks. */
static bool counts(const struct ph_state *state) { return !ph_force_field_refused(state->field); }

static enum ph_status know_all(struct ph_state *state, struct ph_energy *energy, struct ph_error *err)
{
    if (ph_state_knows_forces(state) && !energy)
        return PH_OK;
    const enum ph_status status = state->kind->evaluate(state, PH_FORCES_ALL, energy, err);
    state->forces_known = status == PH_OK;
    state->part = PH_FORCES_ALL;
    state->counts.evaluations += counts(state);
    return status;
}

static enum ph_status evaluate_part(struct ph_state *state, enum ph_force_part part, struct ph_error *err)
{
    const enum ph_status status = state->kind->evaluate(state, part, NULL, err);
    *(part == PH_FORCES_FAST ? &state->counts.fast : &state->counts.slow) += counts(state);
    state->fast_kept = status == PH_OK && (state->fast_kept || part == PH_FORCES_FAST);
    return status;
}

static bool keeps_fast(const struct ph_state *state)
{
    return state->kind->keeps_fast ? state->kind->keeps_fast(state) : ph_force_field_keeps_fast(state->field);
}

static enum ph_status recall_fast(struct ph_state *state, bool take_off, struct ph_error *err)
{
    if (state->kind->recall_fast)
        return state->kind->recall_fast(state, take_off, err);
    if (take_off)
        ph_force_field_take_off_fast(state->field, state->system);
    else
        ph_force_field_recall_fast(state->field, state->system);
    return PH_OK;
}

/* Fast forces are evaluated once for the same positions. Slow ones in between do not invalidate them. */
static enum ph_status know_part(struct ph_state *state, enum ph_force_part part, struct ph_error *err)
{
    if (state->forces_known && state->part == part)
        return PH_OK;
    const bool less_fast = part == PH_FORCES_SLOW && ph_force_field_slow_needs_fast(state->field);
    /* A list build wraps centres, which changes the last bits of fast forces. Those kept are then invalid, because a
     * resumed run would compute others. */
    const bool kept = state->fast_kept && keeps_fast(state);
    enum ph_status status = PH_OK;
    if (part == PH_FORCES_FAST && kept) {
        status = recall_fast(state, false, err);
    } else if (less_fast && kept && ph_state_knows_forces(state)) {
        status = recall_fast(state, true, err); /* all are known, from an evaluation with energy */
    } else {
        if (less_fast && !kept)
            status = evaluate_part(state, PH_FORCES_FAST, err);
        if (status == PH_OK)
            status = evaluate_part(state, part, err);
    }
    state->forces_known = status == PH_OK;
    state->part = part;
    return status;
}

enum ph_status ph_state_forces(struct ph_state *state, enum ph_force_part part, struct ph_energy *energy,
                               struct ph_error *err)
{
    assert(!energy || part == PH_FORCES_ALL);
    return part == PH_FORCES_ALL ? know_all(state, energy, err) : know_part(state, part, err);
}

bool ph_state_knows_forces(const struct ph_state *state) { return state->forces_known && state->part == PH_FORCES_ALL; }

enum ph_status ph_state_rates(struct ph_state *state, const struct ph_rates *rates, struct ph_error *err)
{
    assert(!(state->kind->lacks & PH_NEEDS_RATES));
    const struct ph_column_set *local = ph_state_has_part(state) ? &state->rows : NULL;
    return ph_force_field_rates(state->field, state->system, local, rates, err);
}

enum ph_status ph_state_flux(struct ph_state *state, const struct ph_rates *motion, struct ph_pair_flux *out,
                             struct ph_error *err)
{
    assert(!(state->kind->lacks & PH_NEEDS_FLUX));
    const struct ph_column_set *local = ph_state_has_part(state) ? &state->rows : NULL;
    return ph_force_field_flux(state->field, state->system, local, motion, out, err);
}

struct ph_state_counts ph_state_counts(const struct ph_state *state) { return state->counts; }

void ph_state_counts_add(const struct ph_state_counts *more, struct ph_state_counts *counts)
{
    counts->evaluations += more->evaluations;
    counts->gradients += more->gradients;
    counts->fast += more->fast;
    counts->slow += more->slow;
}

double ph_state_equivalent(const struct ph_state_counts *counts, const struct ph_force_field *field)
{
    const struct ph_part_costs costs = ph_force_field_part_costs(field);
    const double parts = (double)counts->fast * costs.fast + (double)counts->slow * costs.slow;
    return (double)counts->evaluations + (counts->fast + counts->slow > 0 ? parts : 0.0);
}

/* ---- Operations on all molecules ---- */

static void forget_forces(struct ph_state *state)
{
    state->forces_known = state->rates_known = state->fast_kept = false;
}

enum ph_status ph_state_drift(struct ph_state *state, double t, struct ph_error *err)
{
    forget_forces(state);
    const enum ph_spent_part before = ph_spent_begin(PH_SPENT_MOVES);
    const enum ph_status status = state->kind->drift(state, t, err);
    ph_spent_begin(before);
    return status;
}

static enum ph_status know_rates(struct ph_state *state, struct ph_error *err)
{
    if (state->rates_known)
        return PH_OK;
    ph_host_accelerate(state);
    const enum ph_status status = ph_state_rates(
        state, &(struct ph_rates){state->acceleration, state->spin_up, state->force_rate, state->torque_rate}, err);
    state->rates_known = status == PH_OK;
    state->counts.gradients += counts(state);
    return status;
}

static enum ph_status know_for_kick(struct ph_state *state, enum ph_force_part part, double c, struct ph_error *err)
{
    const enum ph_status status = ph_state_forces(state, part, NULL, err);
    return status == PH_OK && c != 0.0 && !state->options.displaced ? know_rates(state, err) : status;
}

/* A kick by forces at displaced places, see ph_state_kick. Forces are known. */
static enum ph_status kick_displaced(struct ph_state *state, double b, double c, struct ph_error *err)
{
    state->kind->displace(state, 2.0 * c / b);
    ph_state_attach(state, PH_ASIDE_COLUMNS, state->aside);
    forget_forces(state);
    enum ph_status status = know_all(state, NULL, err);
    ph_state_detach(state, PH_ASIDE_COLUMNS);
    if (status != PH_OK)
        return status;
    state->kind->places_back(state);
    status = state->kind->kick(state, b, 0.0, err);
    state->kind->forces_back(state);
    return status;
}

static bool is_displaced(const struct ph_state *state, double c) { return state->options.displaced && c != 0.0; }

enum ph_status ph_state_kick(struct ph_state *state, enum ph_force_part part, double b, double c, struct ph_error *err)
{
    enum ph_status status = know_for_kick(state, part, c, err);
    const enum ph_spent_part before = ph_spent_begin(PH_SPENT_MOVES);
    if (status == PH_OK)
        status = is_displaced(state, c) ? kick_displaced(state, b, c, err) : state->kind->kick(state, b, c, err);
    ph_spent_begin(before);
    return status;
}

enum ph_status ph_state_kick_and_drift(struct ph_state *state, enum ph_force_part part, double b, double c, double t,
                                       struct ph_error *err)
{
    if (!state->kind->kick_and_drift || is_displaced(state, c)) {
        const enum ph_status status = ph_state_kick(state, part, b, c, err);
        return status == PH_OK ? ph_state_drift(state, t, err) : status;
    }
    enum ph_status status = know_for_kick(state, part, c, err);
    if (status != PH_OK)
        return status;
    const enum ph_spent_part before = ph_spent_begin(PH_SPENT_MOVES);
    status = state->kind->kick_and_drift(state, b, c, t, err);
    forget_forces(state);
    ph_spent_begin(before);
    return status;
}

enum ph_status ph_state_scale(struct ph_state *state, const struct ph_scaling *scaling, double numbers[PH_BATH_NUMBERS],
                              struct ph_error *err)
{
    return state->kind->scale(state, scaling, numbers, err);
}

enum ph_status ph_state_apply_noise(struct ph_state *state, const struct ph_noise *noise,
                                    double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    return state->kind->apply_noise(state, noise, numbers, err);
}

enum ph_status ph_state_know_numbers(struct ph_state *state, double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    return state->kind->know_numbers ? state->kind->know_numbers(state, numbers, err) : PH_OK;
}

void ph_state_kinetic(struct ph_state *state, double kinetic[PH_BATH_GROUPS]) { state->kind->kinetic(state, kinetic); }

void ph_state_scale_by(struct ph_state *state, const double factor[PH_BATH_GROUPS])
{
    state->kind->scale_by(state, factor);
}

void ph_state_set_box(struct ph_state *state, const double map[3][3], const struct ph_box *box)
{
    state->kind->map_centres(state, map);
    forget_forces(state);
    state->system->box = *box;
}

void ph_state_touch(struct ph_state *state, int parts)
{
    if (parts & PH_STATE_PLACES)
        forget_forces(state);
    state->unwritten |= parts;
}

void ph_state_changed(struct ph_state *state, int parts)
{
    ph_state_touch(state, parts);
    state->unwritten |= parts & PH_STATE_PLACES ? PH_STATE_ALL : parts;
    if (parts & PH_STATE_PLACES)
        ph_host_forget(state, PH_RESIDUAL_R, PH_RESIDUAL_P);
    if (parts & PH_STATE_MOMENTA)
        ph_host_forget(state, PH_RESIDUAL_P, PH_STATE_RESIDUAL_COLUMNS);
}
