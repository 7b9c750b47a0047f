/* SPDX-License-Identifier: MIT */
#include "dynamics/motion.h"

#include "base/array.h"
#include "dynamics/mixing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer molecules are not worth waking the other threads. */
enum { WORTH_THREADS = 512 };

struct ph_motion {
    struct ph_system *system;     /* not owned */
    struct ph_force_field *field; /* not owned */
    struct ph_motion_options options;
    struct ph_top *top;   /* owned; of each species that rotates */
    struct ph_spin *spin; /* owned; one for each molecule */
    /* Owned, for implicit methods: centres and momenta at the beginning, and the unknowns */
    double *r[3], *p[3];
    int32_t *image[3];
    struct ph_mixing *mixing;
    double *guess, *found; /* 6 n: forces and torques, in units in which momenta are of order one */
    bool forces_known;     /* of these positions */
    struct ph_motion_counts counts;
};

void ph_motion_destroy(struct ph_motion *motion)
{
    if (!motion)
        return;
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
        if (motion->top[s].kind == PH_TOP_LINEAR && !integrator->flow)
            return ph_error_set(err, PH_ERR_INPUT,
                                "The integrator '%s' is not made for linear rotors, and '%s' is one: it would begin to "
                                "turn about its axis. Take the integrator 'rattle', or a splitting scheme.",
                                integrator->name, system->species[s].name);
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            for (int k = 0; k < 3; ++k)
                motion->spin[i].w[k] = integrator->flow ? 0.0 : 1.0 / system->species[s].inertia[k];
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
    if (status != PH_OK) {
        ph_motion_destroy(motion);
        return status;
    }
    *out = motion;
    return PH_OK;
}

/* ---- Parts of a step ---- */

static enum ph_status know_forces(struct ph_motion *motion, struct ph_energy *energy, struct ph_error *err)
{
    if (motion->forces_known && !energy)
        return PH_OK;
    motion->counts.evaluations += !motion->forces_known;
    const enum ph_status status = ph_force_field_evaluate(motion->field, motion->system, energy, err);
    motion->forces_known = status == PH_OK;
    return status;
}

static void load_attitude(const struct ph_system *system, size_t i, double q[4])
{
    for (int k = 0; k < 4; ++k)
        q[k] = system->q[k][i];
}

static void store_attitude(const double q[4], size_t i, struct ph_system *system)
{
    for (int k = 0; k < 4; ++k)
        system->q[k][i] = q[k];
}

/* The torque on molecule i in its body frame */
static void load_torque(const struct ph_system *system, size_t i, double torque[3])
{
    double q[4];
    const double space[3] = {system->t[0][i], system->t[1][i], system->t[2][i]};
    load_attitude(system, i, q);
    ph_turn_back(q, space, torque);
}

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

/* What is done for every body that rotates; false if it failed for one of them */
typedef bool (*body_action)(struct ph_motion *motion, size_t i);

static bool for_bodies(struct ph_motion *motion, body_action action)
{
    const struct ph_system *system = motion->system;
    bool all = true;
    for (size_t s = 0; s < system->n_species; ++s) {
        if (system->species[s].degrees == 0)
            continue;
#pragma omp parallel for schedule(static) reduction(&& : all) if (system->n >= WORTH_THREADS)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            all = action(motion, i) && all;
    }
    return all;
}

static enum ph_status no_solution(const struct ph_motion *motion, const char *what, struct ph_error *err)
{
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "The integrator '%s' finds no solution %s in step %zu: the step of %g is too long.",
                        motion->options.integrator->name, what, motion->counts.steps + 1, motion->options.step);
}

/* State at the beginning of the step */
static bool load(struct ph_motion *motion, size_t i)
{
    struct ph_spin *spin = &motion->spin[i];
    spin->h = motion->options.step;
    load_attitude(motion->system, i, spin->q);
    for (int k = 0; k < 3; ++k)
        spin->m[k] = motion->system->m[k][i];
    if (motion->options.integrator->place == PH_TORQUE_ENDS)
        load_torque(motion->system, i, spin->torque);
    return true;
}

static bool lead(struct ph_motion *motion, size_t i)
{
    load(motion, i);
    const bool solved = motion->options.integrator->lead(&motion->spin[i]);
    store_attitude(motion->spin[i].where, i, motion->system);
    return solved;
}

static bool finish(struct ph_motion *motion, size_t i)
{
    struct ph_spin *spin = &motion->spin[i];
    load_torque(motion->system, i, spin->push);
    const bool solved = motion->options.integrator->close(spin);
    store_attitude(spin->end_q, i, motion->system);
    for (int k = 0; k < 3; ++k)
        motion->system->m[k][i] = spin->end_m[k];
    return solved;
}

/* ---- Steps that are explicit in the torque ---- */

static enum ph_status step_explicit(struct ph_motion *motion, struct ph_error *err)
{
    const double h = motion->options.step;
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    enum ph_status status = ends ? know_forces(motion, NULL, err) : PH_OK;
    if (status != PH_OK)
        return status;
    if (!for_bodies(motion, lead))
        return no_solution(motion, "for a body", err);
    if (ends)
        push_centres(motion, 0.5 * h);
    move_centres(motion, ends ? h : 0.5 * h);
    motion->forces_known = false;
    status = know_forces(motion, NULL, err);
    if (status != PH_OK)
        return status;
    if (!for_bodies(motion, finish))
        return no_solution(motion, "for a body", err);
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
    load_torque(motion->system, i, torque);
    for (int k = 0; k < 3; ++k)
        motion->system->m[k][i] += 0.5 * motion->options.step * torque[k];
    return true;
}

/* Kick, flow, kick */
static enum ph_status step_flow(struct ph_motion *motion, struct ph_error *err)
{
    struct ph_system *system = motion->system;
    const double h = motion->options.step;
    enum ph_status status = know_forces(motion, NULL, err);
    if (status != PH_OK)
        return status;
    for_bodies(motion, kick_half);
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
    status = know_forces(motion, NULL, err);
    if (status != PH_OK)
        return status;
    for_bodies(motion, kick_half);
    push_centres(motion, 0.5 * h);
    return PH_OK;
}

/* ---- Steps whose forces and torques are unknowns ---- */

/* What a momentum is measured by, so that the unknowns, momenta given in a step, are of order one in any units */
struct units {
    double p, m;
};

static struct units find_units(const struct ph_motion *motion)
{
    const struct ph_system *system = motion->system;
    struct units units = {0.0, 0.0};
    const double h = fabs(motion->options.step);
    for (size_t i = 0; i < system->n; ++i)
        for (int k = 0; k < 3; ++k) {
            units.p = fmax(units.p, fabs(system->p[k][i]) + h * fabs(system->f[k][i]));
            units.m = fmax(units.m, fabs(system->m[k][i]) + h * fabs(system->t[k][i]));
        }
    units.p = units.p > 0.0 ? units.p : 1.0;
    units.m = units.m > 0.0 ? units.m : 1.0;
    return units;
}

/* Forces and torques as they are, as the values of the unknowns */
static void take_unknowns(const struct ph_motion *motion, struct units units, double *values)
{
    const struct ph_system *system = motion->system;
    const double h = motion->options.step, per_p = motion->options.pinned ? 0.0 : h / units.p, per_m = h / units.m;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            double torque[3] = {0.0, 0.0, 0.0};
            if (system->species[s].degrees > 0)
                load_torque(system, i, torque);
            for (size_t k = 0; k < 3; ++k) {
                values[6 * i + k] = per_p * system->f[k][i];
                values[6 * i + 3 + k] = per_m * torque[k];
            }
        }
}

static bool close_body(struct ph_motion *motion, size_t i)
{
    const bool solved = motion->options.integrator->close(&motion->spin[i]);
    store_attitude(motion->spin[i].where, i, motion->system);
    return solved;
}

/* Brings bodies and centres to where the unknowns would have the second forces act: at the end of the step by the
 * trapezoidal rule, with p0 + h/2 (f0 + f) at the end; or half way by the midpoint rule. */
static bool place(struct ph_motion *motion, struct units units, const double *values)
{
    struct ph_system *system = motion->system;
    const double h = motion->options.step;
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    for (size_t i = 0; i < system->n; ++i)
        for (size_t k = 0; k < 3; ++k)
            motion->spin[i].push[k] = values[6 * i + 3 + k] * units.m / h;
    for (size_t s = 0; s < system->n_species && !motion->options.pinned; ++s)
        for (size_t k = 0; k < 3; ++k)
            for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
                const double half = 0.5 * units.p * values[6 * i + k];
                /* motion->p is p0 + h/2 f0 for the trapezoidal rule, p0 for the midpoint rule. */
                system->p[k][i] = motion->p[k][i] + half;
                const double before = motion->spin[i].kept[k]; /* p0 */
                const double mean = ends ? 0.5 * (before + system->p[k][i]) : system->p[k][i];
                system->r[k][i] = motion->r[k][i] + (ends ? h : 0.5 * h) / system->species[s].mass * mean;
                system->image[k][i] = motion->image[k][i];
            }
    motion->forces_known = false;
    return for_bodies(motion, close_body);
}

static void remember(struct ph_motion *motion)
{
    struct ph_system *system = motion->system;
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    for (int k = 0; k < 3; ++k) {
        memcpy(motion->r[k], system->r[k], system->n * sizeof(double));
        memcpy(motion->image[k], system->image[k], system->n * sizeof(int32_t));
        for (size_t i = 0; i < system->n; ++i) {
            motion->spin[i].kept[k] = system->p[k][i];
            motion->p[k][i] = system->p[k][i] + (ends ? 0.5 * motion->options.step * system->f[k][i] : 0.0);
        }
    }
}

static bool store_end(struct ph_motion *motion, size_t i)
{
    store_attitude(motion->spin[i].end_q, i, motion->system);
    for (int k = 0; k < 3; ++k)
        motion->system->m[k][i] = motion->spin[i].end_m[k];
    return true;
}

/* Once forces and torques are those of where they act: the trapezoidal rule is there; from the middle on it is the same
 * way once more. */
static void arrive(struct ph_motion *motion, struct units units)
{
    struct ph_system *system = motion->system;
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    for_bodies(motion, store_end);
    if (ends || motion->options.pinned)
        return;
    const double h = motion->options.step;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t k = 0; k < 3; ++k)
            for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
                const double half = 0.5 * units.p * motion->guess[6 * i + k];
                system->r[k][i] = motion->r[k][i] + h / system->species[s].mass * system->p[k][i];
                system->image[k][i] = motion->image[k][i];
                system->p[k][i] += half;
            }
}

/* Changes of the unknowns that are only rounding: below the first, or below the second and no longer falling. */
static const double rounding = DBL_EPSILON, nearly = 1e-13;
enum { ITERATIONS = 200 };

static enum ph_status step_implicit(struct ph_motion *motion, struct ph_error *err)
{
    enum ph_status status = know_forces(motion, NULL, err);
    if (status != PH_OK)
        return status;
    const size_t n = 6 * motion->system->n, before = motion->counts.evaluations;
    const struct units units = find_units(motion);
    remember(motion);
    for_bodies(motion, load);
    take_unknowns(motion, units, motion->guess);
    ph_mixing_reset(motion->mixing);
    double last = INFINITY;
    bool solved = false;
    for (int iteration = 0; iteration < ITERATIONS && !solved; ++iteration) {
        if (!place(motion, units, motion->guess))
            return no_solution(motion, "for a body", err);
        status = know_forces(motion, NULL, err);
        if (status != PH_OK)
            return status;
        take_unknowns(motion, units, motion->found);
        double change = 0.0;
        for (size_t i = 0; i < n; ++i)
            change = fmax(change, fabs(motion->found[i] - motion->guess[i]));
        if (!(change < INFINITY))
            break;
        solved = change <= rounding || (change <= nearly && change >= 0.5 * last);
        last = change;
        if (!solved)
            ph_mixing_next(motion->mixing, motion->found, motion->guess);
    }
    const size_t evaluations = motion->counts.evaluations - before;
    if (evaluations > motion->counts.most_iterations)
        motion->counts.most_iterations = evaluations;
    if (!solved)
        return no_solution(motion, "for forces and torques", err);
    /* The forces just found are those of where the last guess led to: once more, but without a new evaluation */
    memcpy(motion->guess, motion->found, n * sizeof *motion->guess);
    if (!place(motion, units, motion->guess))
        return no_solution(motion, "for a body", err);
    arrive(motion, units);
    motion->forces_known = motion->options.integrator->place == PH_TORQUE_ENDS;
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
            status = integrator->implicit ? step_implicit(motion, err) : step_explicit(motion, err);
        motion->counts.steps += status == PH_OK;
    }
    return status;
}

enum ph_status ph_motion_energy(struct ph_motion *motion, struct ph_energy *energy, struct ph_error *err)
{
    return know_forces(motion, energy, err);
}

void ph_motion_reset(struct ph_motion *motion) { motion->forces_known = false; }

struct ph_motion_counts ph_motion_counts(const struct ph_motion *motion) { return motion->counts; }
