/* SPDX-License-Identifier: MIT */
/* Forces and torques on molecules, summed over their copies in all tiles */
#include "base/vec3.h"
#include "force/pairs/loops/copies.h"
#include "force/pairs/pairs_inside.h"

/* Stores or adds force and torque on molecule i. Returns their sum, for a check. */
PH_INLINE double give(const struct ph_pairs *pairs, const double force[3], const double torque[3],
                      struct ph_system *system, size_t i)
{
    const bool old_forces = pairs->sites->old_forces;
    double all = 0.0;
    for (int x = 0; x < 3; ++x) {
        all += system->f[x][i] = (old_forces ? 0.0 : system->f[x][i]) + force[x];
        all += system->t[x][i] = (old_forces ? 0.0 : system->t[x][i]) + torque[x];
    }
    return all;
}

static double collect(const struct ph_pairs *pairs, struct ph_system *system, size_t i)
{
    const struct ph_pair_table *table = &pairs->sites->table;
    const struct ph_layout *layout = ph_layout_of(table, system, i);
    const double *site = pairs->sites->place + i * table->record;
    double sum[PH_FIELDS_MAX], force[3] = {0.0}, torque[3] = {0.0};
    ph_copies_sum(&pairs->tiles, i, layout->n_fields, sum);
    for (size_t k = 0; k < layout->n_sites; ++k) {
        const double *push = sum + layout->position[k];
        double arm[3];
        for (size_t x = 0; x < 3; ++x) {
            arm[x] = site[layout->position[k] + x] - system->r[x][i];
            force[x] += push[x];
        }
        ph_vec3_add_cross(arm, push, torque);
        if (layout->has_dipole[k])
            ph_vec3_add_cross(site + layout->dipole[k], sum + layout->dipole[k], torque);
        for (size_t x = 0; x < layout->n_axes[k]; ++x)
            ph_vec3_add_cross(site + layout->axis[k][x], sum + layout->axis[k][x], torque);
    }
    return give(pairs, force, torque, system, i);
}

/* The same where the only site of a molecule is at its centre, with or without a dipole: there is no arm. */
PH_INLINE double collect_centre(const struct ph_pairs *pairs, bool dipole, struct ph_system *system, size_t i)
{
    double sum[6], torque[3] = {0.0};
    ph_copies_sum_fields(&pairs->tiles, i, dipole ? 6 : 3, 1, sum);
    if (dipole)
        ph_vec3_add_cross(pairs->sites->place + i * pairs->sites->table.record + 3, sum + 3, torque);
    return give(pairs, sum, torque, system, i);
}

struct ph_collected ph_pairs_to_collect(const struct ph_pairs *pairs, size_t n)
{
    const struct ph_share *share = pairs->tiles.share;
    return share ? (struct ph_collected){share->owners.molecule, share->owners.own.n} : (struct ph_collected){NULL, n};
}

bool ph_pairs_collect(const struct ph_pairs *pairs, struct ph_system *system, struct ph_collected which, size_t begin,
                      size_t end)
{
    const uint32_t *molecule = which.molecule;
    const bool dipole = pairs->sites->table.layout[0].has_dipole[0];
    double nothing = 0.0; /* NaN after a number that is not finite */
    if (!pairs->in_centres)
        for (size_t k = begin; k < end; ++k)
            nothing += 0.0 * collect(pairs, system, molecule ? molecule[k] : k);
    else if (dipole)
        for (size_t k = begin; k < end; ++k)
            nothing += 0.0 * collect_centre(pairs, true, system, molecule ? molecule[k] : k);
    else
        for (size_t k = begin; k < end; ++k)
            nothing += 0.0 * collect_centre(pairs, false, system, molecule ? molecule[k] : k);
    return nothing == 0.0;
}
