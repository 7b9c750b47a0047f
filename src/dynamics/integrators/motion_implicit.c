/* SPDX-License-Identifier: MIT */
/* Steps whose forces and torques are unknowns. A fixed-point iteration finds them for all molecules together. With a
 * guess every body and centre moves to the place where these forces act. The forces there are the next guess, improved
 * by mixing.
 *
 * The data of the step migrate with molecules: the state at its start, the guess, and the memory of mixing. */
#include "dynamics/integrators/motion_implicit.h"

#include "base/array.h"
#include "dynamics/integrators/mixing.h"
#include "dynamics/integrators/motion_parts.h"
#include "state/kept.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Rows of data of a step. Of centres: places and images at the beginning; P, which is p0 + h/2 f0 by the trapezoidal
 * rule or p0 by the midpoint rule; and p0. Of bodies: orientations, momenta and torques. Then the guess of forces and
 * torques, in units that make momenta of order one */
enum { R = 0, IMAGE = 3, P = 6, P0 = 9, Q = 12, M = 16, TORQUE = 19, GUESS = 22, ROWS = GUESS + PH_MIXING_ROWS };
enum { REMEMBERED = PH_MIXING_COLUMNS * PH_MIXING_ROWS };
_Static_assert(ROWS + REMEMBERED + PH_KEPT_COLUMNS <= PH_STATE_ATTACHED,
               "all of it goes with molecules, also where a step may be rejected");

struct ph_unknowns {
    double *row[ROWS], *found[PH_MIXING_ROWS]; /* owned; found: forces that follow from the guess */
    struct ph_mixing *mixing;                  /* owned */
    /* Units of momenta in this step, so that the unknowns, changes of momenta, are of order one in any units */
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

/* The largest that momenta are, and may become: of translation and rotation */
struct largest {
    const struct ph_motion *motion;
    double unit[2];
};

static void find_largest(struct ph_range range, void *data)
{
    struct largest *largest = data;
    const struct ph_system *system = largest->motion->system;
    double *const *const momentum[2] = {system->p, system->m}, *const *const push[2] = {system->f, system->t};
    const double h = fabs(largest->motion->options.step);
    double here[2] = {0.0, 0.0};
    for (int x = 0; x < 2; ++x)
        for (int k = 0; k < 3; ++k)
            for (size_t i = range.begin; i < range.end; ++i)
                here[x] = fmax(here[x], fabs(momentum[x][k][i]) + h * fabs(push[x][k][i]));
#pragma omp critical(ph_largest_momenta)
    for (int x = 0; x < 2; ++x)
        largest->unit[x] = fmax(largest->unit[x], here[x]);
}

static void find_units(struct ph_motion *motion)
{
    struct largest largest = {.motion = motion};
    ph_state_each(motion->state, find_largest, &largest);
    ph_state_largest(motion->state, 2, largest.unit);
    motion->unknowns->unit_p = largest.unit[0] > 0.0 ? largest.unit[0] : 1.0;
    motion->unknowns->unit_m = largest.unit[1] > 0.0 ? largest.unit[1] : 1.0;
}

/* The present forces and torques as values of the unknowns */
struct taking {
    const struct ph_motion *motion;
    double *const *values; /* PH_MIXING_ROWS */
};

static void take_range(struct ph_range range, void *data)
{
    const struct taking *taking = data;
    const struct ph_motion *motion = taking->motion;
    const struct ph_system *system = motion->system;
    const struct ph_unknowns *unknowns = motion->unknowns;
    const double h = motion->options.step, per_p = motion->options.pinned ? 0.0 : h / unknowns->unit_p;
    const double per_m = h / unknowns->unit_m;
    for (size_t i = range.begin; i < range.end; ++i) {
        double torque[3] = {0.0, 0.0, 0.0};
        if (system->species[range.species].degrees > 0)
            ph_motion_load_torque(motion, range.species, i, torque);
        for (size_t k = 0; k < 3; ++k) {
            taking->values[k][i] = per_p * system->f[k][i];
            taking->values[3 + k][i] = per_m * torque[k];
        }
    }
}

static void take_unknowns(const struct ph_motion *motion, double *const values[PH_MIXING_ROWS])
{
    ph_state_each(motion->state, take_range, &(struct taking){motion, values});
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
    ph_motion_store_orientation(spin.where, i, motion->system);
    return solved;
}

static void place_range(struct ph_range range, void *data)
{
    const struct ph_motion *motion = data;
    const struct ph_system *system = motion->system;
    double *const *row = motion->unknowns->row;
    const double h = motion->options.step, mass = system->species[range.species].mass;
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    for (size_t k = 0; k < 3; ++k)
        for (size_t i = range.begin; i < range.end; ++i) {
            system->p[k][i] = row[P + k][i] + 0.5 * motion->unknowns->unit_p * row[GUESS + k][i];
            const double mean = ends ? 0.5 * (row[P0 + k][i] + system->p[k][i]) : system->p[k][i];
            system->r[k][i] = row[R + k][i] + (ends ? h : 0.5 * h) / mass * mean;
            system->image[k][i] = (int32_t)row[IMAGE + k][i];
        }
}

/* Brings bodies and centres to the place where the second forces act, if the unknowns are right. That is the end of the
 * step by the trapezoidal rule, with p0 + h/2 (f0 + f), or half way by the midpoint rule. */
static enum ph_status place(struct ph_motion *motion, struct ph_error *err)
{
    if (!motion->options.pinned)
        ph_state_each(motion->state, place_range, motion);
    ph_state_touch(motion->state, PH_STATE_PLACES | PH_STATE_MOMENTA);
    return ph_motion_for_bodies(motion, close_body) ? PH_OK : ph_motion_no_body(motion, err);
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
static void remember_range(struct ph_range range, void *data)
{
    const struct ph_motion *motion = data;
    const struct ph_system *system = motion->system;
    double *const *row = motion->unknowns->row;
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    for (int k = 0; k < 3; ++k)
        for (size_t i = range.begin; i < range.end; ++i) {
            row[R + k][i] = system->r[k][i];
            row[IMAGE + k][i] = system->image[k][i];
            row[P0 + k][i] = system->p[k][i];
            row[P + k][i] = system->p[k][i] + (ends ? 0.5 * motion->options.step * system->f[k][i] : 0.0);
        }
}

static bool store_end(struct ph_motion *motion, size_t species, size_t i)
{
    bool solved;
    const struct ph_spin spin = close_spin(motion, species, i, &solved);
    ph_motion_store_orientation(spin.end_q, i, motion->system);
    for (int k = 0; k < 3; ++k)
        motion->system->m[k][i] = spin.end_m[k];
    return solved;
}

static void arrive_range(struct ph_range range, void *data)
{
    const struct ph_motion *motion = data;
    const struct ph_system *system = motion->system;
    double *const *row = motion->unknowns->row;
    const double h = motion->options.step, mass = system->species[range.species].mass;
    for (size_t k = 0; k < 3; ++k)
        for (size_t i = range.begin; i < range.end; ++i) {
            system->r[k][i] = row[R + k][i] + h / mass * system->p[k][i];
            system->image[k][i] = (int32_t)row[IMAGE + k][i];
            system->p[k][i] += 0.5 * motion->unknowns->unit_p * row[GUESS + k][i];
        }
}

/* Ends the step once forces and torques agree with the positions: nothing is left for the trapezoidal rule; from the
 * middle on, the same displacement once more. Bodies go once more where they were, and from there to the end. */
static void arrive(struct ph_motion *motion)
{
    const bool ends = motion->options.integrator->place == PH_TORQUE_ENDS;
    ph_motion_for_bodies(motion, store_end);
    if (!ends && !motion->options.pinned)
        ph_state_each(motion->state, arrive_range, motion);
    ph_state_touch(motion->state, PH_STATE_MOMENTA | (ends ? 0 : PH_STATE_PLACES));
}

/* Changes of the unknowns that are only rounding: below the first, or below the second and no longer falling. */
static const double rounding = DBL_EPSILON, nearly = 1e-13;
enum { ITERATIONS = 200 };

/* The largest change from the guess to the result among local molecules, infinite for NaN, and the number of its
 * molecule. If several have it, the lowest number counts, as in ph_state_find_largest. */
struct change {
    const struct ph_motion *motion;
    struct ph_largest largest;
};

static struct ph_largest larger(struct ph_largest a, struct ph_largest b)
{
    return a.value > b.value || (a.value == b.value && a.number < b.number) ? a : b;
}

static void find_change(struct ph_range range, void *data)
{
    struct change *change = data;
    const struct ph_motion *motion = change->motion;
    const struct ph_unknowns *unknowns = motion->unknowns;
    struct ph_largest largest = {-1.0, UINT64_MAX};
    for (size_t i = range.begin; i < range.end; ++i)
        for (int k = 0; k < PH_MIXING_ROWS; ++k) {
            const double found = fabs(unknowns->found[k][i] - unknowns->row[GUESS + k][i]);
            largest = larger((struct ph_largest){found < INFINITY ? found : INFINITY, motion->system->id[i]}, largest);
        }
#pragma omp critical(ph_largest_change)
    change->largest = larger(largest, change->largest);
}

static enum ph_status no_forces(const struct ph_motion *motion, double largest, struct ph_largest change,
                                int iterations, struct ph_error *err)
{
    ph_state_find_largest(motion->state, largest, &change);
    return ph_error_set(
        err, PH_ERR_NUMBERS,
        "The integrator '%s' does not find the forces and torques of the step: after %d iterations they still change "
        "by %.2g of the largest momentum, most on molecule %u. The step, %g, may be too long.",
        motion->options.integrator->name, iterations, change.value, (unsigned)change.number, motion->options.step);
}

/* Forces where molecules are now */
static enum ph_status evaluate(struct ph_motion *motion, struct ph_error *err)
{
    const struct ph_unknowns *unknowns = motion->unknowns;
    ph_state_attach(motion->state, ROWS, unknowns->row);
    ph_state_attach(motion->state, REMEMBERED, ph_mixing_memory(unknowns->mixing));
    const enum ph_status status = ph_motion_know_forces(motion, NULL, err);
    ph_state_detach(motion->state, REMEMBERED + ROWS);
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
        take_unknowns(motion, unknowns->found);
        struct change change = {motion, {-1.0, UINT64_MAX}};
        ph_state_each(motion->state, find_change, &change);
        double largest = change.largest.value;
        ph_state_largest(motion->state, 1, &largest);
        if (largest <= rounding || (largest <= nearly && largest >= 0.5 * last))
            return PH_OK;
        if (!(largest < INFINITY) || iteration == ITERATIONS)
            return no_forces(motion, largest, change.largest, iteration, err);
        last = largest;
        ph_mixing_next(unknowns->mixing, motion->state, unknowns->found, unknowns->row + GUESS);
    }
}

enum ph_status ph_motion_step_implicit(struct ph_motion *motion, struct ph_error *err)
{
    enum ph_status status = ph_motion_know_forces(motion, NULL, err);
    if (status != PH_OK)
        return status;
    const size_t before = motion->counts.evaluations;
    find_units(motion);
    ph_state_each(motion->state, remember_range, motion);
    ph_motion_for_bodies(motion, load);
    take_unknowns(motion, motion->unknowns->row + GUESS);
    status = iterate(motion, err);
    const size_t evaluations = motion->counts.evaluations - before;
    if (evaluations > motion->counts.most_iterations)
        motion->counts.most_iterations = evaluations;
    if (status != PH_OK)
        return status;
    /* The state belongs to the last guess, not to the forces found with it. Both agree up to rounding, and the forces
     * belong to this state, as they would after a restart. */
    arrive(motion);
    return PH_OK;
}
