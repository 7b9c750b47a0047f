/* SPDX-License-Identifier: MIT */
/* The term of a force that the program which uses the library computes (ph_simulation_set_force): one call for all
 * molecules, with their rows in the order of their numbers. Where several ranks share the molecules, each rank gathers
 * these rows and makes the same call. */
#include "base/array.h"
#include "base/rotation.h"
#include "force/term.h"
#include "parallel/ranks.h"

#include <stdlib.h>
#include <string.h>

struct caller {
    const struct ph_sites *sites; /* not owned */
    struct ph_caller_force given;
    double *rows; /* owned; positions, quaternions, forces, torques, one after the other */
};

enum { PLACE = 3 + 4, ROW = PLACE + 3 + 3 };

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
        return ph_no_memory(err, "a force on %zu molecules", setup->system->n);
    }
    *caller = (struct caller){setup->sites, setup->interactions->caller, rows};
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

/* Fills the rows of all molecules. Each rank knows its own; all others are 0 until they are gathered. */
static void fill_all(const struct caller *caller, const struct ph_system *system, double *positions,
                     double *quaternions)
{
    const struct ph_owned *own = caller->sites->own;
    if (own)
        memset(positions, 0, PLACE * system->n * sizeof *positions);
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(own, system->first, s);
        for (size_t i = at.begin; i < at.end; ++i)
            fill_rows(system, i, positions + (size_t)3 * system->id[i], quaternions + (size_t)4 * system->id[i]);
    }
    if (own)
        ph_ranks_merge(PLACE * system->n, positions);
}

/* Adds the force and torque of molecule i of species s. */
static void add_rows(struct ph_system *system, size_t s, size_t i, const double *quaternions, const double *forces,
                     double *torques)
{
    const size_t number = system->id[i];
    leave_turning(system->species[s].inertia, quaternions + 4 * number, torques + 3 * number);
    for (int x = 0; x < 3; ++x) {
        system->f[x][i] += forces[3 * number + (size_t)x];
        system->t[x][i] += torques[3 * number + (size_t)x];
    }
}

static enum ph_status evaluate(void *term, struct ph_system *system, struct ph_energy *energy, struct ph_error *err)
{
    const struct caller *caller = term;
    const size_t n = system->n;
    double *positions = caller->rows, *quaternions = positions + 3 * n, *forces = quaternions + 4 * n,
           *torques = forces + 3 * n;
    fill_all(caller, system, positions, quaternions);
    memset(forces, 0, 6 * n * sizeof(double));
    struct ph_force_call call = {n, positions, quaternions, forces, torques, 0.0};
    enum ph_status status = PH_OK;
    if (!caller->given.force(&call, caller->given.data))
        status = ph_error_set(err, PH_ERR_INPUT, "The caller's force could not be computed.");
    status = ph_ranks_agree(status, err);
    if (status != PH_OK)
        return status;
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(caller->sites->own, system->first, s);
        for (size_t i = at.begin; i < at.end; ++i)
            add_rows(system, s, i, quaternions, forces, torques);
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
    .create = create,
    .destroy = destroy,
    .evaluate = evaluate,
    .rates = refuse_rates,
};
