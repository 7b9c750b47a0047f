/* SPDX-License-Identifier: MIT */
#include "dynamics/integrators/motion_parts.h"

#include "base/rotation.h"
#include "base/threads.h"
#include "dynamics/moved.h"
#include "rigid/group.h"

enum ph_status ph_motion_know_forces(struct ph_motion *motion, struct ph_energy *energy, struct ph_error *err)
{
    if (motion->forces_known && !energy)
        return PH_OK;
    const bool anew = !motion->forces_known;
    if (anew)
        ph_dynamics_take(motion->dynamics, PH_STATE_PLACES);
    const enum ph_status status = ph_dynamics_evaluate(motion->dynamics, energy, err);
    motion->counts.evaluations += anew && !ph_force_field_refused(motion->field);
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

void ph_motion_load_torque(const struct ph_motion *motion, size_t species, size_t i, double torque[3])
{
    const struct ph_system *system = motion->system;
    const double *inertia = system->species[species].inertia;
    double q[4];
    const double space[3] = {system->t[0][i], system->t[1][i], system->t[2][i]};
    load_attitude(system, i, q);
    ph_turn_back(q, space, torque);
    for (int k = 0; k < 3; ++k)
        torque[k] = inertia[k] > 0.0 ? torque[k] : 0.0;
}

struct ph_spin ph_motion_spin(const struct ph_motion *motion, size_t species)
{
    const double *inertia = motion->system->species[species].inertia;
    struct ph_spin spin = {.h = motion->options.step};
    for (int k = 0; k < 3; ++k)
        spin.w[k] = inertia[k] > 0.0 ? 1.0 / inertia[k] : 0.0;
    return spin;
}

void ph_motion_load(const struct ph_motion *motion, size_t species, size_t i, struct ph_spin *spin)
{
    load_attitude(motion->system, i, spin->q);
    for (int k = 0; k < 3; ++k)
        spin->m[k] = spin->w[k] > 0.0 ? motion->system->m[k][i] : 0.0;
    if (motion->options.integrator->place == PH_TORQUE_ENDS)
        ph_motion_load_torque(motion, species, i, spin->torque);
}

static size_t first_failed(struct ph_motion *motion, ph_motion_action *action, size_t species, size_t i, size_t failed)
{
    return !action(motion, species, i) && i < failed ? i : failed;
}

bool ph_motion_for_bodies(struct ph_motion *motion, const struct ph_owned *own, ph_motion_action *action)
{
    const struct ph_system *system = motion->system;
    size_t failed = system->n;
    for (size_t s = 0; s < system->n_species; ++s) {
        if (system->species[s].degrees == 0)
            continue;
        const struct ph_moved moved = ph_moved_of(system, own, s);
        if (moved.end - moved.begin < PH_WORTH_THREADS) {
            for (size_t k = moved.begin; k < moved.end; ++k)
                failed = first_failed(motion, action, s, ph_moved_at(&moved, k), failed);
            continue;
        }
#pragma omp parallel for schedule(static) reduction(min : failed)
        for (size_t k = moved.begin; k < moved.end; ++k)
            failed = first_failed(motion, action, s, ph_moved_at(&moved, k), failed);
    }
    motion->failed = failed;
    return failed == system->n;
}

enum ph_status ph_motion_no_body(const struct ph_motion *motion, const struct ph_owned *own, struct ph_error *err)
{
    struct ph_error failure = {.text = ""};
    ph_error_set(
        &failure, PH_ERR_NUMBERS,
        "The integrator '%s' finds no solution for the rotation of molecule %u. The step, %g, may be too long.",
        motion->options.integrator->name, motion->system->id[motion->failed], motion->options.step);
    if (own)
        ph_force_field_fail(motion->field, &failure);
    return own ? PH_OK : ph_error_set(err, PH_ERR_NUMBERS, "%s", failure.text);
}
