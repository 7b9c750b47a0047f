/* SPDX-License-Identifier: MIT */
#include "force/external/rows.h"

#include "base/rotation.h"
#include "parallel/ranks.h"

#include <string.h>

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
void ph_rows_gather(const struct ph_sites *sites, const struct ph_system *system, double *positions,
                    double *quaternions)
{
    const struct ph_owned *own = sites->own;
    if (own)
        memset(positions, 0, PH_ROW_PLACE * system->n * sizeof *positions);
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(own, system->first, s);
        for (size_t i = at.begin; i < at.end; ++i)
            fill_rows(system, i, positions + (size_t)3 * system->id[i], quaternions + (size_t)4 * system->id[i]);
    }
    if (own)
        ph_ranks_merge(PH_ROW_PLACE * system->n, positions);
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

void ph_rows_add(const struct ph_sites *sites, const double *quaternions, const double *forces, double *torques,
                 struct ph_system *system)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(sites->own, system->first, s);
        for (size_t i = at.begin; i < at.end; ++i)
            add_rows(system, s, i, quaternions, forces, torques);
    }
}
