/* SPDX-License-Identifier: MIT */
#include "dynamics/mover.h"

#include "dynamics/motion.h"

#include <stdlib.h>

struct ph_mover {
    struct ph_dynamics *dynamics; /* owned; one of the two is NULL */
    struct ph_motion *motion;     /* owned */
};

void ph_mover_destroy(struct ph_mover *mover)
{
    if (!mover)
        return;
    ph_dynamics_destroy(mover->dynamics);
    ph_motion_destroy(mover->motion);
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
    const struct ph_motion_options stepwise = {
        .integrator = integrator, .step = options->step, .pinned = options->pinned};
    const enum ph_status status = integrator ? ph_motion_create(system, field, &stepwise, &mover->motion, err)
                                             : ph_dynamics_create(system, field, options, &mover->dynamics, err);
    if (status != PH_OK) {
        ph_mover_destroy(mover);
        return status;
    }
    *out = mover;
    return PH_OK;
}

enum ph_status ph_mover_advance(struct ph_mover *mover, long n, struct ph_error *err)
{
    return mover->motion ? ph_motion_advance(mover->motion, n, err) : ph_dynamics_advance(mover->dynamics, n, err);
}

enum ph_status ph_mover_synchronise(struct ph_mover *mover, struct ph_energy *energy, struct ph_error *err)
{
    if (mover->motion)
        return energy ? ph_motion_energy(mover->motion, energy, err) : PH_OK;
    return ph_dynamics_synchronise(mover->dynamics, energy, err);
}

/* Integrators remember nothing of momenta from one step to the next. */
void ph_mover_momenta_changed(struct ph_mover *mover)
{
    if (mover->dynamics)
        ph_dynamics_momenta_changed(mover->dynamics);
}

bool ph_mover_owes(const struct ph_mover *mover) { return mover->dynamics && ph_dynamics_owes(mover->dynamics); }

void ph_mover_restore_owed(struct ph_mover *mover, bool owes)
{
    if (mover->dynamics)
        ph_dynamics_restore_owed(mover->dynamics, owes);
}

double *const *ph_mover_residuals(struct ph_mover *mover)
{
    return mover->dynamics ? ph_dynamics_residuals(mover->dynamics) : NULL;
}

struct ph_dynamics_counts ph_mover_counts(const struct ph_mover *mover)
{
    if (mover->dynamics)
        return ph_dynamics_counts(mover->dynamics);
    return (struct ph_dynamics_counts){.evaluations = ph_motion_counts(mover->motion).evaluations};
}
