/* SPDX-License-Identifier: MIT */
/* The term of a force that the program which uses the library computes (ph_simulation_set_force): one call for all
 * molecules, with their rows in the order of their numbers. */
#include "base/array.h"
#include "base/rotation.h"
#include "force/term.h"

#include <stdlib.h>
#include <string.h>

struct caller {
    struct ph_caller_force given;
    double *rows; /* owned; positions, quaternions, forces, torques, one after the other */
};

enum { ROW = 3 + 4 + 3 + 3 };

static void destroy(void *term)
{
    free(((struct caller *)term)->rows);
    free(term);
}

static enum ph_status create(const struct ph_term_setup *setup, void **out, struct ph_error *err)
{
    if (!setup->interactions->caller.force)
        return PH_OK;
    struct caller *caller = malloc(sizeof *caller);
    double *rows = ph_array_create(setup->system->n + 1, ROW * sizeof(double));
    if (!caller || !rows) {
        free(caller);
        free(rows);
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for a force on %zu molecules.", setup->system->n);
    }
    *caller = (struct caller){setup->interactions->caller, rows};
    *out = caller;
    return PH_OK;
}

static void fill_rows(const struct ph_system *system, size_t i, double position[3], double quaternion[4])
{
    for (int k = 0; k < 3; ++k) {
        position[k] = system->r[k][i];
        for (int e = 0; e < 3; ++e)
            position[k] += system->image[e][i] * system->box.edge[e][k];
    }
    for (int k = 0; k < 4; ++k)
        quaternion[k] = system->q[k][i];
}

/* Removes the torque about axes without inertia: momenta about them stay 0. */
static void leave_turning(const double inertia[3], const double q[4], double torque[3])
{
    if (inertia[0] > 0.0 && inertia[1] > 0.0 && inertia[2] > 0.0)
        return;
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    ph_quat_rotate(back, torque, torque);
    for (int k = 0; k < 3; ++k)
        torque[k] = inertia[k] > 0.0 ? torque[k] : 0.0;
    ph_quat_rotate(q, torque, torque);
}

static enum ph_status evaluate(void *term, struct ph_system *system, struct ph_energy *energy, struct ph_error *err)
{
    const struct caller *caller = term;
    const size_t n = system->n;
    double *positions = caller->rows, *quaternions = positions + 3 * n, *forces = quaternions + 4 * n,
           *torques = forces + 3 * n;
    for (size_t number = 0; number < n; ++number)
        fill_rows(system, system->place[number], positions + 3 * number, quaternions + 4 * number);
    memset(forces, 0, 6 * n * sizeof(double));
    struct ph_force_call call = {n, positions, quaternions, forces, torques, 0.0};
    if (!caller->given.force(&call, caller->given.data))
        return ph_error_set(err, PH_ERR_INPUT, "The caller's force could not be computed.");
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t number = system->first[s]; number < system->first[s + 1]; ++number) {
            const size_t i = system->place[number];
            leave_turning(system->species[s].inertia, quaternions + 4 * number, torques + 3 * number);
            for (int k = 0; k < 3; ++k) {
                system->f[k][i] += forces[3 * number + (size_t)k];
                system->t[k][i] += torques[3 * number + (size_t)k];
            }
        }
    if (energy)
        energy->field += call.energy;
    return PH_OK;
}

static enum ph_status refuse_rates(void *term, const struct ph_system *system, const struct ph_rates *rates,
                                   struct ph_error *err)
{
    (void)term, (void)system, (void)rates;
    return ph_error_set(err, PH_ERR_INPUT,
                        "The caller's force has no derivative, which this method or observable needs.");
}

const struct ph_term_kind ph_term_caller = {
    .name = "the caller's force",
    .whole = true,
    .create = create,
    .destroy = destroy,
    .evaluate = evaluate,
    .rates = refuse_rates,
};
