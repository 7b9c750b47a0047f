/* SPDX-License-Identifier: MIT */
#include "force/pairs/loops/two_molecules.h"

#include "base/rotation.h"
#include "force/pairs/angular_pairs.h"

#include <string.h>

/* Kernels work on whole vectors: the other lanes hold sites too far away to interact. */
static const double far_away = PH_BEYOND_CUTOFF;

void ph_two_molecules_init(const struct ph_system *system, const struct ph_pair_table *table, size_t a, size_t b,
                           struct ph_two_molecules *two)
{
    static const double unturned[4] = {1.0, 0.0, 0.0, 0.0};
    *two = (struct ph_two_molecules){.species = {&system->species[a], &system->species[b]},
                                     .layout = {&table->layout[a], &table->layout[b]},
                                     .pairs = &table->of[a * table->n_species + b]};
    const struct ph_layout *layout = two->layout[1];
    for (size_t k = 0; k < layout->n_sites; ++k)
        for (size_t x = 0; x < 3; ++x)
            for (int l = 0; l < PH_LANES; ++l)
                two->rows[layout->position[k] + x][l] = far_away;
    ph_two_molecules_turn(two, 0, unturned);
    ph_two_molecules_turn(two, 1, unturned);
}

void ph_two_molecules_turn(struct ph_two_molecules *two, int which, const double q[4])
{
    const struct ph_layout *layout = two->layout[which];
    double *about = two->about[which];
    for (size_t k = 0; k < layout->n_sites; ++k) {
        const struct ph_site *site = &two->species[which]->site[layout->site[k]];
        ph_quat_rotate(q, site->position, &about[layout->position[k]]);
        if (layout->has_dipole[k])
            ph_quat_rotate(q, site->dipole, &about[layout->dipole[k]]);
        for (size_t m = 0; m < layout->n_axes[k]; ++m)
            ph_quat_rotate(q, site->axis[layout->body_axis[k][m]], &about[layout->axis[k][m]]);
    }
}

static double angular_energy(const struct ph_two_molecules *two, const struct ph_site_pair *pair)
{
    double fields[PH_PAIR_FIELDS];
    for (size_t f = 0; f < two->layout[1]->n_fields; ++f)
        fields[f] = two->rows[f][0];
    return ph_angular_pair_energy(pair, two->about[0], fields);
}

void ph_two_molecules_energy(struct ph_two_molecules *two, const double displacement[3], double *radial,
                             double *electric)
{
    const struct ph_layout *layout = two->layout[1];
    for (size_t k = 0; k < layout->n_sites; ++k)
        for (size_t x = 0; x < 3; ++x) {
            const size_t position = layout->position[k] + x, dipole = layout->dipole[k] + x;
            two->rows[position][0] = two->about[1][position] + displacement[x];
            if (layout->has_dipole[k])
                two->rows[dipole][0] = two->about[1][dipole];
            for (size_t m = 0; m < layout->n_axes[k]; ++m)
                two->rows[layout->axis[k][m] + x][0] = two->about[1][layout->axis[k][m] + x];
        }
    *radial = *electric = 0.0;
    for (size_t p = 0; p < two->pairs->n; ++p) {
        const struct ph_site_pair *pair = &two->pairs->pair[p];
        if (pair->angular.kind != PH_ANGULAR_NONE) {
            *(pair->angular.electric ? electric : radial) += angular_energy(two, pair);
            continue;
        }
        struct ph_kernel_i i = {.radial_energy = 0.0};
        struct ph_kernel_j j;
        for (size_t x = 0; x < 3; ++x) {
            i.r[x] = two->about[0][pair->position_i + x];
            i.mu[x] = two->about[0][pair->dipole_i + x];
            j.r[x] = two->rows[pair->position_j + x];
            j.mu[x] = two->rows[pair->dipole_j + x];
            j.force[x] = two->forgotten[pair->position_j + x];
            j.field[x] = two->forgotten[pair->dipole_j + x];
        }
        pair->kernel[PH_ROWS_ADD][true](&pair->term, PH_LANES, &j, &i);
        *radial += i.radial_energy;
        *electric += i.electric_energy;
    }
}
