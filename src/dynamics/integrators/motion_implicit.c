/* SPDX-License-Identifier: MIT */
/* Steps whose forces and torques are unknowns: those of all molecules are found together, as a fixed point. With a
 * guess of them every body and centre moves to where they would act; the forces found there are the next guess,
 * improved by mixing.
 *
 * Of several processes each has the unknowns of its own molecules. Each evaluation may give these to others, with all
 * that is known of the step: where it began, the guess, and what mixing remembers. */
#include "dynamics/integrators/motion_implicit.h"

#include "base/array.h"
#include "dynamics/baths/metropolis.h"
#include "dynamics/integrators/mixing.h"
#include "dynamics/integrators/motion_parts.h"
#include "dynamics/moved.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of what is known of a step: centres and images at the beginning, p0 + h/2 f0 by the trapezoidal rule or p0 by
 * the midpoint rule, p0; orientations, momenta and torques of bodies; the guess, of forces and torques in units in
 * which momenta are of order one */
enum { R = 0, IMAGE = 3, P = 6, P0 = 9, Q = 12, M = 16, TORQUE = 19, GUESS = 22, ROWS = GUESS + PH_MIXING_ROWS };
enum { REMEMBERED = PH_MIXING_COLUMNS * PH_MIXING_ROWS };
_Static_assert(ROWS + REMEMBERED + PH_METROPOLIS_ROWS <= PH_DYNAMICS_CARRIED,
               "all of it goes with molecules, also where a step may be rejected");

struct ph_unknowns {
    double *row[ROWS], *found[PH_MIXING_ROWS]; /* owned; found: what the guess leads to */
    struct ph_mixing *mixing;                  /* owned */
    /* Of momenta in this step, so that the unknowns, changes of these, are of order one in any units */
    double unit_p, unit_m;
};

void ph_unknowns_destroy(struct ph_unknowns *unknowns)
{
    if (!unknowns)
        return;
    for (int k = 0; k < ROWS; ++k)
        free(unknowns->row[k]);
    for (int k = 0; k < PH_MIXING_ROWS; ++k)
        free(unknowns->found[k]);
    ph_mixing_destroy(unknowns->mixing);
    free(unknowns);
}

struct ph_unknowns *ph_unknowns_create(size_t n)
{
    struct ph_unknowns *unknowns = calloc(1, sizeof *unknowns);
    if (!unknowns)
        return NULL;
    bool ok = (unknowns->mixing = ph_mixing_create(PH_MIXING_ROWS, n)) != NULL;
    for (int k = 0; k < ROWS; ++k)
        ok = (unknowns->row[k] = ph_array_create(ph_padded(n), sizeof(double))) != NULL && ok;
    for (int k = 0; k < PH_MIXING_ROWS; ++k)
        ok = (unknowns->found[k] = ph_array_create(ph_padded(n), sizeof(double))) != NULL && ok;
    if (ok)
        return unknowns;
    ph_unknowns_destroy(unknowns);
    return NULL;
}

/* The largest that a momentum is, and may become, of molecules of this process */
static double largest_momentum(const struct ph_motion *motion, const struct ph_owned *own, double *const momentum[3],
                               double *const push[3])
{
    const size_t n = own ? own->n : motion->system->n;
    double largest = 0.0;
    for (size_t m = 0; m < n; ++m) {
        const size_t i = own ? own->molecule[m] : m;
        for (int k = 0; k < 3; ++k)
            largest = fmax(largest, fabs(momentum[k][i]) + fabs(motion->options.step) * fabs(push[k][i]));
    }
    return largest;
}

static void find_units(struct ph_motion *motion, const struct ph_owned *own)
{
    const struct ph_system *system = motion->system;
    double unit[2] = {largest_momentum(motion, own, system->p, system->f),
                      largest_momentum(motion, own, system->m, system->t)};
    if (own)
        ph_owned_largest(2, unit);
    motion->unknowns->unit_p = unit[0] > 0.0 ? unit[0] : 1.0;
    motion->unknowns->unit_m = unit[1] > 0.0 ? unit[1] : 1.0;
}

/* The present forces and torques as values of the unknowns */
static void take_unknowns(const struct ph_motion *motion, const struct ph_owned *own,
                          double *const values[PH_MIXING_ROWS])
{
    const struct ph_system *system = motion->system;
    const struct ph_unknowns *unknowns = motion->unknowns;
    const double h = motion->options.step, per_p = motion->options.pinned ? 0.0 : h / unknowns->unit_p;
    const double per_m = h / unknowns->unit_m;
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_moved moved = ph_moved_of(system, own, s);
        for (size_t j = moved.begin; j < moved.end; ++j) {
            const size_t i = ph_moved_at(&moved, j);
            double torque[3] = {0.0, 0.0, 0.0};
            if (system->species[s].degrees > 0)
                ph_motion_load_torque(motion, s, i, torque);
            for (size_t k = 0; k < 3; ++k) {
                values[k][i] = per_p * system->f[k][i];
                values[3 + k][i] = per_m * torque[k];
            }
        }
    }
}

/* Where the guess of the torque brings a body */
static struct ph_spin close_spin(const struct ph_motion *motion, size_t species, size_t i, bool *solved)
{
    double *const *row = motion->unknowns->row;
    struct ph_spin spin = ph_motion_spin(motion, species);
    for (int k = 0; k < 4; ++k)
        spin.q[k] = row[Q + k][i];
    for (int k = 0; k < 3; ++k) {
        spin.m[k] = row[M + k][i];
        spin.torque[k] = row[TORQUE + k][i];
        spin.push[k] = row[GUESS + 3 + k][i] * motion->unknowns->unit_m / motion->options.step;
    }
    *solved = motion->options.integrator->close(&spin);
    return spin;
}

static bool close_body(struct ph_motion *motion, size_t species, size_t i)
{
    bool solved;
    const struct ph_spin spin = close_spin(motion, species, i, &solved);
    ph_motion_store_attitude(spin.where, i, motion->system);
    return solved;
}

/* Brings bodies and centres to where the unknowns would have the second forces act: at the end of the step by the
 * trapezoidal rule, with p0 + h/2 (f0 + f) at the end; or half way by the midpoint rule. */
static enum ph_status place(struct ph_motion *motion, struct ph_error *err)
{
    struct ph_system *system = motion->system;
    double *const *row = motion->unknowns->row;
    const double h = motion->options.step;
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    const struct ph_owned *own = ph_dynamics_take(motion->dynamics, PH_STATE_PLACES | PH_STATE_MOMENTA);
    for (size_t s = 0; s < system->n_species && !motion->options.pinned; ++s) {
        const struct ph_moved moved = ph_moved_of(system, own, s);
        for (size_t k = 0; k < 3; ++k)
            for (size_t j = moved.begin; j < moved.end; ++j) {
                const size_t i = ph_moved_at(&moved, j);
                system->p[k][i] = row[P + k][i] + 0.5 * motion->unknowns->unit_p * row[GUESS + k][i];
                const double mean = ends ? 0.5 * (row[P0 + k][i] + system->p[k][i]) : system->p[k][i];
                system->r[k][i] = row[R + k][i] + (ends ? h : 0.5 * h) / system->species[s].mass * mean;
                system->image[k][i] = (int32_t)row[IMAGE + k][i];
            }
    }
    motion->forces_known = false;
    return ph_motion_for_bodies(motion, own, close_body) ? PH_OK : ph_motion_no_body(motion, own, err);
}

static bool load(struct ph_motion *motion, size_t species, size_t i)
{
    double *const *row = motion->unknowns->row;
    struct ph_spin spin = ph_motion_spin(motion, species);
    ph_motion_load(motion, species, i, &spin);
    for (int k = 0; k < 4; ++k)
        row[Q + k][i] = spin.q[k];
    for (int k = 0; k < 3; ++k) {
        row[M + k][i] = spin.m[k];
        row[TORQUE + k][i] = spin.torque[k];
    }
    return true;
}

/* Where the step begins */
static void remember(struct ph_motion *motion, const struct ph_owned *own)
{
    const struct ph_system *system = motion->system;
    double *const *row = motion->unknowns->row;
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    const size_t n = own ? own->n : system->n;
    for (int k = 0; k < 3; ++k)
        for (size_t m = 0; m < n; ++m) {
            const size_t i = own ? own->molecule[m] : m;
            row[R + k][i] = system->r[k][i];
            row[IMAGE + k][i] = system->image[k][i];
            row[P0 + k][i] = system->p[k][i];
            row[P + k][i] = system->p[k][i] + (ends ? 0.5 * motion->options.step * system->f[k][i] : 0.0);
        }
    ph_motion_for_bodies(motion, own, load);
}

static bool store_end(struct ph_motion *motion, size_t species, size_t i)
{
    bool solved;
    const struct ph_spin spin = close_spin(motion, species, i, &solved);
    ph_motion_store_attitude(spin.end_q, i, motion->system);
    for (int k = 0; k < 3; ++k)
        motion->system->m[k][i] = spin.end_m[k];
    return solved;
}

/* Ends the step once forces and torques agree with the positions: nothing is left for the trapezoidal rule; from the
 * middle on, the same displacement once more. Bodies go once more where they were, and from there to the end. */
static void arrive(struct ph_motion *motion)
{
    struct ph_system *system = motion->system;
    double *const *row = motion->unknowns->row;
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    const struct ph_owned *own = ph_dynamics_take(motion->dynamics, PH_STATE_MOMENTA | (ends ? 0 : PH_STATE_PLACES));
    ph_motion_for_bodies(motion, own, store_end);
    const double h = motion->options.step;
    for (size_t s = 0; s < system->n_species && !ends && !motion->options.pinned; ++s) {
        const struct ph_moved moved = ph_moved_of(system, own, s);
        for (size_t k = 0; k < 3; ++k)
            for (size_t j = moved.begin; j < moved.end; ++j) {
                const size_t i = ph_moved_at(&moved, j);
                system->r[k][i] = row[R + k][i] + h / system->species[s].mass * system->p[k][i];
                system->image[k][i] = (int32_t)row[IMAGE + k][i];
                system->p[k][i] += 0.5 * motion->unknowns->unit_p * row[GUESS + k][i];
            }
    }
}

/* Changes of the unknowns that are only rounding: below the first, or below the second and no longer falling. */
static const double rounding = DBL_EPSILON, nearly = 1e-13;
enum { ITERATIONS = 200 };

/* The largest change from what was guessed to what was found, infinite for NaN, of those of this process, and the
 * number of its molecule: the lowest, where it is that of several, as ph_owned_first finds it of all */
static struct ph_largest find_change(const struct ph_motion *motion, const struct ph_owned *own)
{
    const struct ph_unknowns *unknowns = motion->unknowns;
    const size_t n = own ? own->n : motion->system->n;
    struct ph_largest change = {-1.0, UINT64_MAX};
    for (size_t m = 0; m < n; ++m) {
        const size_t i = own ? own->molecule[m] : m;
        for (int k = 0; k < PH_MIXING_ROWS; ++k) {
            const double found = fabs(unknowns->found[k][i] - unknowns->row[GUESS + k][i]);
            const struct ph_largest here = {found < INFINITY ? found : INFINITY, motion->system->id[i]};
            if (here.value > change.value || (here.value == change.value && here.number < change.number))
                change = here;
        }
    }
    return change;
}

static enum ph_status no_forces(const struct ph_motion *motion, const struct ph_owned *own, double largest,
                                struct ph_largest change, int iterations, struct ph_error *err)
{
    if (own)
        ph_owned_first(largest, &change);
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "The integrator '%s' does not find the forces and torques of the step: after %d iterations "
                        "they still change by %.2g of the largest momentum, most on molecule %u. The step, %g, "
                        "may be too long.",
                        motion->options.integrator->name, iterations, change.value, (unsigned)change.number,
                        motion->options.step);
}

/* Forces where molecules are now; others may have them after that */
static enum ph_status evaluate(struct ph_motion *motion, struct ph_error *err)
{
    const struct ph_unknowns *unknowns = motion->unknowns;
    ph_dynamics_carry(motion->dynamics, ROWS, unknowns->row);
    ph_dynamics_carry(motion->dynamics, REMEMBERED, ph_mixing_memory(unknowns->mixing));
    const enum ph_status status = ph_motion_know_forces(motion, NULL, err);
    ph_dynamics_drop(motion->dynamics, REMEMBERED + ROWS);
    return status;
}

/* Iterates from the guess until it agrees with the forces and torques found */
static enum ph_status iterate(struct ph_motion *motion, struct ph_error *err)
{
    struct ph_unknowns *unknowns = motion->unknowns;
    double last = INFINITY;
    ph_mixing_reset(unknowns->mixing);
    for (int iteration = 1;; ++iteration) {
        enum ph_status status = place(motion, err);
        if (status == PH_OK)
            status = evaluate(motion, err);
        if (status != PH_OK)
            return status;
        const struct ph_owned *own = ph_dynamics_take(motion->dynamics, 0);
        take_unknowns(motion, own, unknowns->found);
        const struct ph_largest change = find_change(motion, own);
        double largest = change.value;
        if (own)
            ph_owned_largest(1, &largest);
        if (largest <= rounding || (largest <= nearly && largest >= 0.5 * last))
            return PH_OK;
        if (!(largest < INFINITY) || iteration == ITERATIONS)
            return no_forces(motion, own, largest, change, iteration, err);
        last = largest;
        ph_mixing_next(unknowns->mixing, own, unknowns->found, unknowns->row + GUESS);
    }
}

enum ph_status ph_motion_step_implicit(struct ph_motion *motion, struct ph_error *err)
{
    enum ph_status status = ph_motion_know_forces(motion, NULL, err);
    if (status != PH_OK)
        return status;
    const size_t before = motion->counts.evaluations;
    const struct ph_owned *own = ph_dynamics_take(motion->dynamics, 0);
    find_units(motion, own);
    remember(motion, own);
    take_unknowns(motion, own, motion->unknowns->row + GUESS);
    status = iterate(motion, err);
    const size_t evaluations = motion->counts.evaluations - before;
    if (evaluations > motion->counts.most_iterations)
        motion->counts.most_iterations = evaluations;
    if (status != PH_OK)
        return status;
    /* The state is that of the last guess, not of what was found with it: the same but for rounding, and forces belong
     * to this state, as they would after a restart. */
    arrive(motion);
    motion->forces_known = motion->options.integrator->place == PH_TORQUE_ENDS;
    return PH_OK;
}
