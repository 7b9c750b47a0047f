/* SPDX-License-Identifier: MIT */
/* Steps whose forces and torques are unknowns: those of all molecules are found together, as a fixed point. With a
 * guess of them every body and centre moves to where they would act; the forces found there are the next guess,
 * improved by mixing. */
#include "dynamics/motion_implicit.h"

#include "dynamics/motion_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Unit of momentum, so that the unknowns, changes of momenta in a step, are of order one in any units */
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

/* The present forces and torques as values of the unknowns */
static void take_unknowns(const struct ph_motion *motion, struct units units, double *values)
{
    const struct ph_system *system = motion->system;
    const double h = motion->options.step, per_p = motion->options.pinned ? 0.0 : h / units.p, per_m = h / units.m;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            double torque[3] = {0.0, 0.0, 0.0};
            if (system->species[s].degrees > 0)
                ph_motion_load_torque(motion, s, i, torque);
            for (size_t k = 0; k < 3; ++k) {
                values[6 * i + k] = per_p * system->f[k][i];
                values[6 * i + 3 + k] = per_m * torque[k];
            }
        }
}

static bool close_body(struct ph_motion *motion, size_t species, size_t i)
{
    (void)species;
    const bool solved = motion->options.integrator->close(&motion->spin[i]);
    ph_motion_store_attitude(motion->spin[i].where, i, motion->system);
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
    return ph_motion_for_bodies(motion, NULL, close_body);
}

static bool load(struct ph_motion *motion, size_t species, size_t i)
{
    ph_motion_load(motion, species, i, &motion->spin[i]);
    return true;
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

static bool store_end(struct ph_motion *motion, size_t species, size_t i)
{
    (void)species;
    ph_motion_store_attitude(motion->spin[i].end_q, i, motion->system);
    for (int k = 0; k < 3; ++k)
        motion->system->m[k][i] = motion->spin[i].end_m[k];
    return true;
}

/* Ends the step once forces and torques agree with the positions: nothing is left for the trapezoidal rule; from the
 * middle on, the same displacement once more. */
static void arrive(struct ph_motion *motion, struct units units)
{
    struct ph_system *system = motion->system;
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    ph_motion_for_bodies(motion, NULL, store_end);
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

/* The largest change from what was guessed to what was found, and the molecule it is of */
struct change {
    double size;
    size_t molecule;
};

static struct change find_change(const struct ph_motion *motion)
{
    struct change change = {0.0, 0};
    for (size_t i = 0; i < 6 * motion->system->n; ++i) {
        const double size = fabs(motion->found[i] - motion->guess[i]);
        if (!(size <= change.size))
            change = (struct change){size, i / 6};
        if (!(size < INFINITY))
            break;
    }
    return change;
}

static enum ph_status no_forces(const struct ph_motion *motion, struct change change, int iterations,
                                struct ph_error *err)
{
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "The integrator '%s' does not find the forces and torques of the step: after %d iterations "
                        "they still change by %.2g of the largest momentum, most on molecule %u. The step, %g, "
                        "may be too long.",
                        motion->options.integrator->name, iterations, change.size, motion->system->id[change.molecule],
                        motion->options.step);
}

/* Iterates from the guess until it agrees with the forces and torques found */
static enum ph_status iterate(struct ph_motion *motion, struct units units, struct ph_error *err)
{
    double last = INFINITY;
    struct change change = {INFINITY, 0};
    ph_mixing_reset(motion->mixing);
    for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
        if (!place(motion, units, motion->guess))
            return ph_motion_no_body(motion, NULL, err);
        const enum ph_status status = ph_motion_know_forces(motion, NULL, err);
        if (status != PH_OK)
            return status;
        take_unknowns(motion, units, motion->found);
        change = find_change(motion);
        if (!(change.size < INFINITY))
            return no_forces(motion, change, iteration + 1, err);
        if (change.size <= rounding || (change.size <= nearly && change.size >= 0.5 * last))
            return PH_OK;
        last = change.size;
        ph_mixing_next(motion->mixing, motion->found, motion->guess);
    }
    return no_forces(motion, change, ITERATIONS, err);
}

enum ph_status ph_motion_step_implicit(struct ph_motion *motion, struct ph_error *err)
{
    enum ph_status status = ph_motion_know_forces(motion, NULL, err);
    if (status != PH_OK)
        return status;
    const size_t before = motion->counts.evaluations;
    const struct units units = find_units(motion);
    remember(motion);
    ph_motion_for_bodies(motion, NULL, load);
    take_unknowns(motion, units, motion->guess);
    status = iterate(motion, units, err);
    const size_t evaluations = motion->counts.evaluations - before;
    if (evaluations > motion->counts.most_iterations)
        motion->counts.most_iterations = evaluations;
    if (status != PH_OK)
        return status;
    /* The state is that of the last guess, not of what was found with it: the same but for rounding, and forces belong
     * to this state, as they would after a restart. */
    arrive(motion, units);
    motion->forces_known = motion->options.integrator->place == PH_TORQUE_ENDS;
    return PH_OK;
}
