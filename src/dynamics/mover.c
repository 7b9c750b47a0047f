/* SPDX-License-Identifier: MIT */
#include "dynamics/mover.h"

#include "dynamics/motion.h"

#include <stdlib.h>

/* One way to move a system: operations on an object of its own */
struct mover_kind {
    void (*destroy)(void *moving);
    enum ph_status (*advance)(void *moving, long n, struct ph_error *err);
    enum ph_status (*synchronise)(void *moving, struct ph_energy *energy, struct ph_error *err);
    void (*momenta_changed)(void *moving);
    void (*state_changed)(void *moving);
    void (*save)(void *moving, struct ph_mover_memory *memory);
    void (*restore)(void *moving, bool owes);
    struct ph_dynamics_counts (*counts)(const void *moving);
};

struct ph_mover {
    const struct mover_kind *kind;
    void *moving; /* owned */
    struct ph_system *system;
    double h;
    int64_t step;
};

/* ---- Splitting schemes ---- */

static void splitting_destroy(void *moving) { ph_dynamics_destroy(moving); }

static enum ph_status splitting_advance(void *moving, long n, struct ph_error *err)
{
    return ph_dynamics_advance(moving, n, err);
}

static enum ph_status splitting_synchronise(void *moving, struct ph_energy *energy, struct ph_error *err)
{
    return ph_dynamics_synchronise(moving, energy, err);
}

static void splitting_momenta_changed(void *moving) { ph_dynamics_momenta_changed(moving); }

static void splitting_state_changed(void *moving) { ph_dynamics_reset(moving); }

static void splitting_save(void *moving, struct ph_mover_memory *memory)
{
    memory->owes = ph_dynamics_owes(moving);
    memory->residuals = ph_dynamics_residuals(moving);
}

static void splitting_restore(void *moving, bool owes) { ph_dynamics_restore_owed(moving, owes); }

static struct ph_dynamics_counts splitting_counts(const void *moving) { return ph_dynamics_counts(moving); }

static const struct mover_kind splitting = {
    .destroy = splitting_destroy,
    .advance = splitting_advance,
    .synchronise = splitting_synchronise,
    .momenta_changed = splitting_momenta_changed,
    .state_changed = splitting_state_changed,
    .save = splitting_save,
    .restore = splitting_restore,
    .counts = splitting_counts,
};

/* ---- One-step integrators: nothing is pending or kept between steps ---- */

static void one_step_destroy(void *moving) { ph_motion_destroy(moving); }

static enum ph_status one_step_advance(void *moving, long n, struct ph_error *err)
{
    return ph_motion_advance(moving, n, err);
}

static enum ph_status one_step_synchronise(void *moving, struct ph_energy *energy, struct ph_error *err)
{
    return energy ? ph_motion_energy(moving, energy, err) : PH_OK;
}

static void one_step_state_changed(void *moving) { ph_motion_reset(moving); }

static struct ph_dynamics_counts one_step_counts(const void *moving)
{
    return (struct ph_dynamics_counts){.evaluations = ph_motion_counts(moving).evaluations};
}

static const struct mover_kind one_step = {
    .destroy = one_step_destroy,
    .advance = one_step_advance,
    .synchronise = one_step_synchronise,
    .state_changed = one_step_state_changed,
    .counts = one_step_counts,
};

/* ---- All of them ---- */

void ph_mover_destroy(struct ph_mover *mover)
{
    if (!mover)
        return;
    mover->kind->destroy(mover->moving);
    free(mover);
}

enum ph_status ph_mover_create(struct ph_system *system, struct ph_force_field *field,
                               const struct ph_integrator *integrator, const struct ph_dynamics_options *options,
                               struct ph_mover **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_mover *mover = calloc(1, sizeof *mover);
    if (!mover)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the dynamics.");
    *mover = (struct ph_mover){.kind = integrator ? &one_step : &splitting, .system = system, .h = options->step};
    enum ph_status status;
    if (integrator) {
        const struct ph_motion_options stepwise = {
            .integrator = integrator, .step = options->step, .pinned = options->pinned};
        struct ph_motion *motion;
        status = ph_motion_create(system, field, &stepwise, &motion, err);
        mover->moving = motion;
    } else {
        struct ph_dynamics *dynamics;
        status = ph_dynamics_create(system, field, options, &dynamics, err);
        mover->moving = dynamics;
    }
    if (status != PH_OK) {
        free(mover);
        return status;
    }
    *out = mover;
    return PH_OK;
}

/* The thermostat needs the momenta at the end of a step. */
static enum ph_status apply(struct ph_mover *mover, const struct ph_thermostat *thermostat, struct ph_error *err)
{
    const enum ph_status status = ph_mover_synchronise(mover, NULL, err);
    if (status != PH_OK)
        return status;
    ph_thermostat_apply(thermostat, mover->h, (uint64_t)mover->step, mover->system);
    if (mover->kind->momenta_changed)
        mover->kind->momenta_changed(mover->moving);
    return PH_OK;
}

enum ph_status ph_mover_advance(struct ph_mover *mover, long n, const struct ph_thermostat *thermostat,
                                struct ph_error *err)
{
    const long together = thermostat ? 1 : n;
    enum ph_status status = PH_OK;
    for (long done = 0; done < n && status == PH_OK; done += together) {
        status = mover->kind->advance(mover->moving, together, err);
        mover->step += together;
        if (status == PH_OK && thermostat)
            status = apply(mover, thermostat, err);
    }
    return status;
}

enum ph_status ph_mover_synchronise(struct ph_mover *mover, struct ph_energy *energy, struct ph_error *err)
{
    return mover->kind->synchronise(mover->moving, energy, err);
}

void ph_mover_state_changed(struct ph_mover *mover) { mover->kind->state_changed(mover->moving); }

int64_t ph_mover_step(const struct ph_mover *mover) { return mover->step; }

double ph_mover_time(const struct ph_mover *mover) { return (double)mover->step * mover->h; }

struct ph_mover_memory ph_mover_save(struct ph_mover *mover)
{
    struct ph_mover_memory memory = {.step = mover->step};
    if (mover->kind->save)
        mover->kind->save(mover->moving, &memory);
    return memory;
}

void ph_mover_restore(struct ph_mover *mover, int64_t step, bool owes)
{
    mover->step = step;
    if (mover->kind->restore)
        mover->kind->restore(mover->moving, owes);
}

struct ph_dynamics_counts ph_mover_counts(const struct ph_mover *mover) { return mover->kind->counts(mover->moving); }
