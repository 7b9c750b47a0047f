/* SPDX-License-Identifier: MIT */
#include "dynamics/motion.h"

#include "base/array.h"
#include "dynamics/motion_implicit.h"
#include "dynamics/motion_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ph_motion_destroy(struct ph_motion *motion)
{
    if (!motion)
        return;
    ph_dynamics_destroy(motion->dynamics);
    free(motion->top);
    free(motion->spin);
    for (int k = 0; k < 3; ++k) {
        free(motion->r[k]);
        free(motion->p[k]);
        free(motion->image[k]);
    }
    ph_mixing_destroy(motion->mixing);
    free(motion->guess);
    free(motion->found);
    free(motion);
}

static bool allocate(struct ph_motion *motion)
{
    const size_t n = motion->system->n;
    bool ok = (motion->top = calloc(motion->system->n_species, sizeof *motion->top)) != NULL &&
              (motion->spin = ph_array_create(n, sizeof *motion->spin)) != NULL;
    if (!motion->options.integrator->implicit)
        return ok;
    for (int k = 0; k < 3 && ok; ++k)
        ok = (motion->r[k] = ph_array_create(n, sizeof(double))) != NULL &&
             (motion->p[k] = ph_array_create(n, sizeof(double))) != NULL &&
             (motion->image[k] = ph_array_create(n, sizeof(int32_t))) != NULL;
    return ok && (motion->guess = ph_array_create(6 * n, sizeof(double))) != NULL &&
           (motion->found = ph_array_create(6 * n, sizeof(double))) != NULL &&
           (motion->mixing = ph_mixing_create(6 * n)) != NULL;
}

static enum ph_status look_at_species(struct ph_motion *motion, struct ph_error *err)
{
    const struct ph_system *system = motion->system;
    const struct ph_integrator *integrator = motion->options.integrator;
    for (size_t s = 0; s < system->n_species; ++s) {
        if (system->species[s].degrees == 0)
            continue;
        const enum ph_status status = ph_top_init(system->species[s].inertia, &motion->top[s], err);
        if (status != PH_OK)
            return status;
        if (motion->top[s].kind == PH_TOP_LINEAR && integrator->not_linear)
            return ph_error_set(err, PH_ERR_INPUT,
                                "dynamics.integrator '%s' is not for linear rotors, and '%s' is one: %s. Integrators "
                                "that accept them are, for example, 'rattle' and 'vlv'.",
                                integrator->name, system->species[s].name, integrator->not_linear);
        const double *inertia = system->species[s].inertia;
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            for (int k = 0; k < 3; ++k)
                motion->spin[i].w[k] = inertia[k] > 0.0 ? 1.0 / inertia[k] : 0.0;
    }
    return PH_OK;
}

enum ph_status ph_motion_create(struct ph_system *system, struct ph_force_field *field,
                                const struct ph_motion_options *options, struct ph_motion **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_motion *motion = calloc(1, sizeof *motion);
    if (!motion)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the motion.");
    motion->system = system;
    motion->field = field;
    motion->options = *options;
    enum ph_status status = allocate(motion) ? look_at_species(motion, err)
                                             : ph_error_set(err, PH_ERR_MEMORY,
                                                            "No memory for the motion of %zu "
                                                            "molecules.",
                                                            system->n);
    if (status == PH_OK)
        status = ph_dynamics_create(system, field, &(struct ph_dynamics_options){.step = options->step},
                                    &motion->dynamics, err);
    if (status != PH_OK) {
        ph_motion_destroy(motion);
        return status;
    }
    *out = motion;
    return PH_OK;
}

/* ---- Parts of a step ---- */

/* p += t f, r += t p/m */
static void push_centres(struct ph_motion *motion, double t)
{
    struct ph_system *system = motion->system;
    for (int k = 0; k < 3 && !motion->options.pinned; ++k)
        for (size_t i = 0; i < system->n; ++i)
            system->p[k][i] += t * system->f[k][i];
}

static void move_centres(struct ph_motion *motion, double t)
{
    struct ph_system *system = motion->system;
    for (size_t s = 0; s < system->n_species; ++s)
        for (int k = 0; k < 3 && !motion->options.pinned; ++k)
            for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
                system->r[k][i] += t / system->species[s].mass * system->p[k][i];
}

static bool lead(struct ph_motion *motion, size_t i)
{
    ph_motion_load(motion, i);
    const bool solved = motion->options.integrator->lead(&motion->spin[i]);
    ph_motion_store_attitude(motion->spin[i].where, i, motion->system);
    return solved;
}

static bool finish(struct ph_motion *motion, size_t i)
{
    struct ph_spin *spin = &motion->spin[i];
    ph_motion_load_torque(motion, i, spin->push);
    const bool solved = motion->options.integrator->close(spin);
    ph_motion_store_attitude(spin->end_q, i, motion->system);
    for (int k = 0; k < 3; ++k)
        motion->system->m[k][i] = spin->end_m[k];
    return solved;
}

/* ---- Steps that are explicit in the torque ---- */

static enum ph_status step_explicit(struct ph_motion *motion, struct ph_error *err)
{
    const double h = motion->options.step;
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    enum ph_status status = ends ? ph_motion_know_forces(motion, NULL, err) : PH_OK;
    if (status != PH_OK)
        return status;
    if (!ph_motion_for_bodies(motion, lead))
        return ph_motion_no_body(motion, err);
    if (ends)
        push_centres(motion, 0.5 * h);
    move_centres(motion, ends ? h : 0.5 * h);
    motion->forces_known = false;
    status = ph_motion_know_forces(motion, NULL, err);
    if (status != PH_OK)
        return status;
    if (!ph_motion_for_bodies(motion, finish))
        return ph_motion_no_body(motion, err);
    push_centres(motion, ends ? 0.5 * h : h);
    if (!ends) {
        move_centres(motion, 0.5 * h);
        motion->forces_known = false;
    }
    return PH_OK;
}

static bool kick_half(struct ph_motion *motion, size_t i)
{
    double torque[3];
    ph_motion_load_torque(motion, i, torque);
    for (int k = 0; k < 3; ++k)
        motion->system->m[k][i] += 0.5 * motion->options.step * torque[k];
    return true;
}

/* Flows that are implicit make long steps in parts: one in which a body turns by more than this would take too long,
 * and has no correct digit. Radians, by the smallest moment of inertia. */
static const double longest_turn = 1e4;

static bool turns_little(struct ph_motion *motion, size_t i)
{
    const struct ph_system *system = motion->system;
    const double *inertia = system->species[ph_system_species_of(system, i)].inertia;
    double square = 0.0, least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        square += system->m[k][i] * system->m[k][i];
        least = inertia[k] > 0.0 ? fmin(least, inertia[k]) : least;
    }
    return sqrt(square) * fabs(motion->options.step) <= longest_turn * least;
}

/* Kick, flow, kick */
static enum ph_status step_flow(struct ph_motion *motion, struct ph_error *err)
{
    struct ph_system *system = motion->system;
    const double h = motion->options.step;
    enum ph_status status = ph_motion_know_forces(motion, NULL, err);
    if (status != PH_OK)
        return status;
    ph_motion_for_bodies(motion, kick_half);
    if (!ph_motion_for_bodies(motion, turns_little))
        return ph_motion_no_body(motion, err);
    push_centres(motion, 0.5 * h);
    move_centres(motion, h);
    for (size_t s = 0; s < system->n_species; ++s) {
        struct ph_bodies bodies = {.n = system->first[s + 1] - system->first[s]};
        for (int k = 0; k < 3; ++k)
            bodies.m[k] = system->m[k] + system->first[s];
        for (int k = 0; k < 4; ++k)
            bodies.q[k] = system->q[k] + system->first[s];
        if (system->species[s].degrees > 0)
            ph_flow_advance(motion->options.integrator->flow, &motion->top[s], h, bodies);
    }
    motion->forces_known = false;
    status = ph_motion_know_forces(motion, NULL, err);
    if (status != PH_OK)
        return status;
    ph_motion_for_bodies(motion, kick_half);
    push_centres(motion, 0.5 * h);
    return PH_OK;
}

/* ---- The loop ---- */

enum ph_status ph_motion_advance(struct ph_motion *motion, long n, struct ph_error *err)
{
    const struct ph_integrator *integrator = motion->options.integrator;
    enum ph_status status = PH_OK;
    for (long i = 0; i < n && status == PH_OK; ++i) {
        if (integrator->flow)
            status = step_flow(motion, err);
        else
            status = integrator->implicit ? ph_motion_step_implicit(motion, err) : step_explicit(motion, err);
        motion->counts.steps += status == PH_OK;
    }
    return status;
}

enum ph_status ph_motion_energy(struct ph_motion *motion, struct ph_energy *energy, struct ph_error *err)
{
    return ph_motion_know_forces(motion, energy, err);
}

void ph_motion_reset(struct ph_motion *motion)
{
    motion->forces_known = false;
    ph_dynamics_reset(motion->dynamics);
}

struct ph_dynamics *ph_motion_dynamics(struct ph_motion *motion) { return motion->dynamics; }

struct ph_motion_counts ph_motion_counts(const struct ph_motion *motion) { return motion->counts; }
