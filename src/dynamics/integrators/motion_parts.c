/* SPDX-License-Identifier: MIT */
#include "dynamics/integrators/motion_parts.h"

#include "rigid/group.h"

enum ph_status ph_motion_know_forces(struct ph_motion *motion, struct ph_energy *energy, struct ph_error *err)
{
    const bool anew = !ph_state_knows_forces(motion->state);
    const size_t before = ph_state_counts(motion->state).evaluations;
    const enum ph_status status = ph_state_forces(motion->state, PH_FORCES_ALL, energy, err);
    motion->counts.evaluations += anew ? ph_state_counts(motion->state).evaluations - before : 0;
    return status;
}

static void load_orientation(const struct ph_system *system, size_t i, double q[4])
{
    for (int k = 0; k < 4; ++k)
        q[k] = system->q[k][i];
}

void ph_motion_store_orientation(const double q[4], size_t i, struct ph_system *system)
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
    load_orientation(system, i, q);
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
    load_orientation(motion->system, i, spin->q);
    for (int k = 0; k < 3; ++k)
        spin->m[k] = spin->w[k] > 0.0 ? motion->system->m[k][i] : 0.0;
    if (motion->options.integrator->place == PH_TORQUE_ENDS)
        ph_motion_load_torque(motion, species, i, spin->torque);
}

struct bodies {
    struct ph_motion *motion;
    ph_motion_action *action;
    size_t failed;
};

static void act(struct ph_range range, void *data)
{
    struct bodies *bodies = data;
    struct ph_motion *motion = bodies->motion;
    size_t failed = SIZE_MAX;
    if (motion->system->species[range.species].degrees == 0)
        return;
    for (size_t i = range.begin; i < range.end; ++i)
        if (!bodies->action(motion, range.species, i) && failed == SIZE_MAX)
            failed = i;
    if (failed == SIZE_MAX)
        return;
#pragma omp critical(ph_failed_body)
    bodies->failed = failed < bodies->failed ? failed : bodies->failed;
}

bool ph_motion_for_bodies(struct ph_motion *motion, ph_motion_action *action)
{
    struct bodies bodies = {motion, action, SIZE_MAX};
    ph_state_each(motion->state, act, &bodies);
    motion->failed = bodies.failed;
    return bodies.failed == SIZE_MAX;
}

enum ph_status ph_motion_no_body(const struct ph_motion *motion, struct ph_error *err)
{
    struct ph_error failure = {.text = ""};
    ph_error_set(
        &failure, PH_ERR_NUMBERS,
        "The integrator '%s' finds no solution for the rotation of molecule %u. The step, %g, may be too long.",
        motion->options.integrator->name, motion->system->id[motion->failed], motion->options.step);
    return ph_state_fail(motion->state, &failure, err);
}
