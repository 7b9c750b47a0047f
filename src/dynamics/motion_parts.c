/* SPDX-License-Identifier: MIT */
#include "dynamics/motion_parts.h"

#include "base/rotation.h"
#include "base/threads.h"
#include "rigid/group.h"

enum ph_status ph_motion_know_forces(struct ph_motion *motion, struct ph_energy *energy, struct ph_error *err)
{
    if (motion->forces_known && !energy)
        return PH_OK;
    motion->counts.evaluations += !motion->forces_known;
    if (!motion->forces_known)
        ph_dynamics_take(motion->dynamics, PH_STATE_PLACES);
    const enum ph_status status = ph_dynamics_evaluate(motion->dynamics, energy, err);
    motion->forces_known = status == PH_OK;
    return status;
}

static void load_attitude(const struct ph_system *system, size_t i, double q[4])
{
    for (int k = 0; k < 4; ++k)
        q[k] = system->q[k][i];
}

void ph_motion_store_attitude(const double q[4], size_t i, struct ph_system *system)
{
    for (int k = 0; k < 4; ++k)
        system->q[k][i] = q[k];
}

void ph_motion_load_torque(const struct ph_motion *motion, size_t i, double torque[3])
{
    const struct ph_system *system = motion->system;
    double q[4];
    const double space[3] = {system->t[0][i], system->t[1][i], system->t[2][i]};
    load_attitude(system, i, q);
    ph_turn_back(q, space, torque);
    for (int k = 0; k < 3; ++k)
        torque[k] = motion->spin[i].w[k] > 0.0 ? torque[k] : 0.0;
}

bool ph_motion_for_bodies(struct ph_motion *motion, bool (*action)(struct ph_motion *motion, size_t i))
{
    const struct ph_system *system = motion->system;
    size_t failed = system->n;
    for (size_t s = 0; s < system->n_species; ++s) {
        if (system->species[s].degrees == 0)
            continue;
        const size_t first = system->first[s], end = system->first[s + 1];
        if (end - first < PH_WORTH_THREADS) {
            for (size_t i = first; i < end; ++i)
                failed = !action(motion, i) && i < failed ? i : failed;
            continue;
        }
#pragma omp parallel for schedule(static) reduction(min : failed)
        for (size_t i = first; i < end; ++i)
            failed = !action(motion, i) && i < failed ? i : failed;
    }
    motion->failed = failed;
    return failed == system->n;
}

enum ph_status ph_motion_no_body(const struct ph_motion *motion, struct ph_error *err)
{
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "The integrator '%s' finds no solution for the rotation of molecule %u. The step, %g, may be "
                        "too long.",
                        motion->options.integrator->name, motion->system->id[motion->failed], motion->options.step);
}

/* State at the beginning of the step */
bool ph_motion_load(struct ph_motion *motion, size_t i)
{
    struct ph_spin *spin = &motion->spin[i];
    spin->h = motion->options.step;
    load_attitude(motion->system, i, spin->q);
    for (int k = 0; k < 3; ++k)
        spin->m[k] = spin->w[k] > 0.0 ? motion->system->m[k][i] : 0.0;
    if (motion->options.integrator->place == PH_TORQUE_ENDS)
        ph_motion_load_torque(motion, i, spin->torque);
    return true;
}
