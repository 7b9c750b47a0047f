/* SPDX-License-Identifier: MIT */
#include "dynamics/integrators/motion.h"

#include "base/array.h"
#include "dynamics/integrators/motion_implicit.h"
#include "dynamics/integrators/motion_parts.h"

#include <math.h>
#include <stdlib.h>

void ph_motion_destroy(struct ph_motion *motion)
{
    if (!motion)
        return;
    ph_state_destroy(motion->state);
    free(motion->top);
    for (int k = 0; k < 3; ++k)
        free(motion->kept[k]);
    ph_unknowns_destroy(motion->unknowns);
    free(motion);
}

static bool allocate(struct ph_motion *motion)
{
    const size_t n = motion->system->n;
    bool ok = (motion->top = calloc(motion->system->n_species, sizeof *motion->top)) != NULL;
    for (int k = 0; k < 3 && ok && motion->options.integrator->lead; ++k)
        ok = (motion->kept[k] = ph_array_create(ph_padded(n), sizeof(double))) != NULL;
    if (ok && motion->options.integrator->implicit)
        ok = (motion->unknowns = ph_unknowns_create(n)) != NULL;
    return ok;
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
    }
    return PH_OK;
}

enum ph_status ph_motion_create(struct ph_system *system, struct ph_force_field *field,
                                const struct ph_motion_options *options, struct ph_motion **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_motion *motion = calloc(1, sizeof *motion);
    if (!motion)
        return ph_no_memory(err, "the motion");
    motion->system = system;
    motion->options = *options;
    enum ph_status status =
        allocate(motion) ? look_at_species(motion, err) : ph_no_memory(err, "the motion of %zu molecules", system->n);
    const struct ph_state_options where = {.flow = NULL};
    if (status == PH_OK)
        status = ph_state_create(system, field, &where, &motion->state, err);
    if (status != PH_OK) {
        ph_motion_destroy(motion);
        return status;
    }
    *out = motion;
    return PH_OK;
}

/* ---- Parts of a step ---- */

/* A change of centres: p += t f, or r += t p/m */
struct shift {
    struct ph_motion *motion;
    double t;
};

static void push_range(struct ph_range range, void *data)
{
    const struct shift *shift = data;
    const struct ph_system *system = shift->motion->system;
    double *const none[3] = {NULL, NULL, NULL};
    ph_range_add(range, shift->t, system->f, system->p, none);
}

static void push_centres(struct ph_motion *motion, double t)
{
    if (!motion->options.pinned)
        ph_state_each(motion->state, push_range, &(struct shift){motion, t});
}

static void move_range(struct ph_range range, void *data)
{
    const struct shift *shift = data;
    const struct ph_system *system = shift->motion->system;
    double *const none[3] = {NULL, NULL, NULL};
    ph_range_add(range, shift->t / system->species[range.species].mass, system->p, system->r, none);
}

static void move_centres(struct ph_motion *motion, double t)
{
    if (!motion->options.pinned)
        ph_state_each(motion->state, move_range, &(struct shift){motion, t});
}

static bool lead(struct ph_motion *motion, size_t species, size_t i)
{
    struct ph_spin spin = ph_motion_spin(motion, species);
    ph_motion_load(motion, species, i, &spin);
    const bool solved = motion->options.integrator->lead(&spin);
    ph_motion_store_orientation(spin.where, i, motion->system);
    for (int k = 0; k < 3; ++k)
        motion->kept[k][i] = spin.kept[k];
    return solved;
}

static bool finish(struct ph_motion *motion, size_t species, size_t i)
{
    struct ph_system *system = motion->system;
    struct ph_spin spin = ph_motion_spin(motion, species);
    for (int k = 0; k < 4; ++k)
        spin.where[k] = system->q[k][i];
    for (int k = 0; k < 3; ++k)
        spin.kept[k] = motion->kept[k][i];
    ph_motion_load_torque(motion, species, i, spin.push);
    const bool solved = motion->options.integrator->close(&spin);
    ph_motion_store_orientation(spin.end_q, i, system);
    for (int k = 0; k < 3; ++k)
        system->m[k][i] = spin.end_m[k];
    return solved;
}

/* ---- Steps that are explicit in the torque ---- */

/* From the beginning to where the second torque is wanted */
static enum ph_status go_ahead(struct ph_motion *motion, struct ph_error *err)
{
    const double h = motion->options.step;
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    const enum ph_status status = ph_motion_for_bodies(motion, lead) ? PH_OK : ph_motion_no_body(motion, err);
    ph_state_touch(motion->state, PH_STATE_PLACES | PH_STATE_MOMENTA);
    if (status != PH_OK)
        return status;
    if (ends)
        push_centres(motion, 0.5 * h);
    move_centres(motion, ends ? h : 0.5 * h);
    return PH_OK;
}

static enum ph_status step_explicit(struct ph_motion *motion, struct ph_error *err)
{
    const double h = motion->options.step;
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    enum ph_status status = ends ? ph_motion_know_forces(motion, NULL, err) : PH_OK;
    if (status == PH_OK)
        status = go_ahead(motion, err);
    if (status != PH_OK)
        return status;
    ph_state_attach(motion->state, 3, motion->kept);
    status = ph_motion_know_forces(motion, NULL, err);
    ph_state_detach(motion->state, 3);
    if (status != PH_OK)
        return status;
    status = ph_motion_for_bodies(motion, finish) ? PH_OK : ph_motion_no_body(motion, err);
    if (status != PH_OK)
        return status;
    push_centres(motion, ends ? 0.5 * h : h);
    if (!ends)
        move_centres(motion, 0.5 * h);
    ph_state_touch(motion->state, PH_STATE_MOMENTA | (ends ? 0 : PH_STATE_PLACES)); /* at the ends, orientations stay */
    return PH_OK;
}

static bool kick_half(struct ph_motion *motion, size_t species, size_t i)
{
    double torque[3];
    ph_motion_load_torque(motion, species, i, torque);
    for (int k = 0; k < 3; ++k)
        motion->system->m[k][i] += 0.5 * motion->options.step * torque[k];
    return true;
}

/* Implicit flows divide long steps into parts. A step that turns a body by more than this would take too long, and have
 * no correct digit. Radians, by the smallest moment of inertia. */
static const double longest_turn = 1e4;

static bool turns_little(struct ph_motion *motion, size_t species, size_t i)
{
    const struct ph_system *system = motion->system;
    const double *inertia = system->species[species].inertia;
    double square = 0.0, least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        square += system->m[k][i] * system->m[k][i];
        least = inertia[k] > 0.0 ? fmin(least, inertia[k]) : least;
    }
    return sqrt(square) * fabs(motion->options.step) <= longest_turn * least;
}

static bool stop_if_fast(struct ph_motion *motion, size_t species, size_t i)
{
    for (int k = 0; k < 3 && !turns_little(motion, species, i); ++k)
        motion->system->m[k][i] = 0.0;
    return true;
}

/* Bodies that turn too much are an error. Until all processes know, this one stops them. */
static enum ph_status check_turns(struct ph_motion *motion, struct ph_error *err)
{
    if (ph_motion_for_bodies(motion, turns_little))
        return PH_OK;
    const enum ph_status status = ph_motion_no_body(motion, err);
    if (status == PH_OK)
        ph_motion_for_bodies(motion, stop_if_fast);
    return status;
}

static void rotate_range(struct ph_range range, void *data)
{
    const struct ph_motion *motion = data;
    if (motion->system->species[range.species].degrees > 0)
        ph_range_rotate(range, motion->options.integrator->flow, &motion->top[range.species], motion->options.step,
                        motion->system);
}

static void kick_and_push(struct ph_motion *motion)
{
    ph_motion_for_bodies(motion, kick_half);
    push_centres(motion, 0.5 * motion->options.step);
    ph_state_touch(motion->state, PH_STATE_MOMENTA);
}

/* Kick, flow, kick */
static enum ph_status step_flow(struct ph_motion *motion, struct ph_error *err)
{
    enum ph_status status = ph_motion_know_forces(motion, NULL, err);
    if (status != PH_OK)
        return status;
    kick_and_push(motion);
    status = check_turns(motion, err);
    if (status != PH_OK)
        return status;
    move_centres(motion, motion->options.step);
    ph_state_each(motion->state, rotate_range, motion);
    ph_state_touch(motion->state, PH_STATE_PLACES);
    status = ph_motion_know_forces(motion, NULL, err);
    if (status == PH_OK)
        kick_and_push(motion);
    return status;
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

struct ph_state *ph_motion_state(const struct ph_motion *motion) { return motion->state; }

struct ph_motion_counts ph_motion_counts(const struct ph_motion *motion) { return motion->counts; }
