/* SPDX-License-Identifier: MIT */
#include "force/pairs/loops/two_molecules.h"

#include "base/rotation.h"
#include "base/vec3.h"
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

/* Moves the second molecule: its fields become the first lane of the rows. */
static void move_second(struct ph_two_molecules *two, const double displacement[3])
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
}

/* Interacts a site of the first molecule with one of the second. Adds force and field on the second to `results`, and
 * returns those on the first with the energies. */
static struct ph_kernel_i run_kernel(const struct ph_site_pair *pair, struct ph_two_molecules *two)
{
    struct ph_kernel_i i = {.radial_energy = 0.0};
    struct ph_kernel_j j;
    for (size_t x = 0; x < 3; ++x) {
        i.r[x] = two->about[0][pair->position_i + x];
        i.mu[x] = two->about[0][pair->dipole_i + x];
        j.r[x] = two->rows[pair->position_j + x];
        j.mu[x] = two->rows[pair->dipole_j + x];
        j.force[x] = two->results[pair->position_j + x];
        j.field[x] = two->results[pair->dipole_j + x];
    }
    pair->kernel[PH_ROWS_ADD][true](&pair->term, PH_LANES, &j, &i);
    return i;
}

void ph_two_molecules_energy(struct ph_two_molecules *two, const double displacement[3], double *radial,
                             double *electric)
{
    move_second(two, displacement);
    *radial = *electric = 0.0;
    for (size_t p = 0; p < two->pairs->n; ++p) {
        const struct ph_site_pair *pair = &two->pairs->pair[p];
        if (pair->angular.kind != PH_ANGULAR_NONE) {
            *(pair->angular.electric ? electric : radial) += angular_energy(two, pair);
            continue;
        }
        const struct ph_kernel_i i = run_kernel(pair, two);
        *radial += i.radial_energy;
        *electric += i.electric_energy;
    }
}

void ph_two_molecules_set(struct ph_two_molecules *two, int which, const double *record, const double r[3])
{
    const struct ph_layout *layout = two->layout[which];
    double *about = two->about[which];
    memcpy(about, record, layout->n_fields * sizeof *about);
    for (size_t k = 0; k < layout->n_sites; ++k)
        for (size_t x = 0; x < 3; ++x)
            about[layout->position[k] + x] -= r[x];
}

/* Forces on a site of the first molecule, and fields at its dipole or its axes, for each field of its record */
static void interact_sites(const struct ph_site_pair *pair, struct ph_two_molecules *two, double *first, double *energy)
{
    const struct ph_kernel_i i = run_kernel(pair, two);
    for (size_t x = 0; x < 3; ++x) {
        first[pair->position_i + x] += i.force[x];
        if (pair->dipole_i != pair->position_i)
            first[pair->dipole_i + x] += i.field[x];
    }
    *energy += i.radial_energy + i.electric_energy;
}

/* The same with an angular form */
static void interact_angular(const struct ph_site_pair *pair, struct ph_two_molecules *two, double *first,
                             double *energy)
{
    const struct ph_angular_term *term = &pair->angular;
    struct ph_angular_i i = {.energy = 0.0};
    struct ph_angular_j j = {.r = {NULL}};
    for (size_t x = 0; x < 3; ++x) {
        i.r[x] = two->about[0][pair->position_i + x];
        j.r[x] = two->rows[pair->position_j + x];
        j.force[x] = two->results[pair->position_j + x];
        for (size_t m = 0; m < term->n_i; ++m)
            i.axis[m][x] = two->about[0][pair->axis_i[m] + x];
        for (size_t m = 0; m < term->n_j; ++m) {
            j.axis[m][x] = two->rows[pair->axis_j[m] + x];
            j.field[m][x] = two->results[pair->axis_j[m] + x];
        }
    }
    pair->angular_kernel[false](term, pair->truncate, &pair->term, PH_LANES, &j, &i);
    for (size_t x = 0; x < 3; ++x) {
        first[pair->position_i + x] += i.force[x];
        for (size_t m = 0; m < term->n_i; ++m)
            first[pair->axis_i[m] + x] += i.field[m][x];
    }
    *energy += i.energy;
}

/* torque = sum arm x F + mu x E, and so with the axes of angular forms */
static void add_torque(const struct ph_layout *layout, const double *about, const double *results, double torque[3])
{
    for (size_t k = 0; k < layout->n_sites; ++k) {
        ph_vec3_add_cross(about + layout->position[k], results + layout->position[k], torque);
        if (layout->has_dipole[k])
            ph_vec3_add_cross(about + layout->dipole[k], results + layout->dipole[k], torque);
        for (size_t m = 0; m < layout->n_axes[k]; ++m)
            ph_vec3_add_cross(about + layout->axis[k][m], results + layout->axis[k][m], torque);
    }
}

void ph_two_molecules_forces(struct ph_two_molecules *two, const double displacement[3], struct ph_two_forces *out)
{
    double first[PH_PAIR_FIELDS], second[PH_PAIR_FIELDS];
    const struct ph_layout *layout = two->layout[1];
    for (size_t f = 0; f < two->layout[0]->n_fields; ++f) /* few of many: they are cheaper one by one */
        first[f] = 0.0;
    move_second(two, displacement);
    for (size_t f = 0; f < layout->n_fields; ++f)
        for (size_t l = 0; l < PH_LANES; ++l)
            two->results[f][l] = 0.0;
    *out = (struct ph_two_forces){.energy = 0.0};
    for (size_t p = 0; p < two->pairs->n; ++p) {
        const struct ph_site_pair *pair = &two->pairs->pair[p];
        (pair->angular.kind != PH_ANGULAR_NONE ? interact_angular : interact_sites)(pair, two, first, &out->energy);
    }
    for (size_t f = 0; f < layout->n_fields; ++f)
        second[f] = two->results[f][0];
    for (size_t k = 0; k < layout->n_sites; ++k)
        for (size_t x = 0; x < 3; ++x)
            out->force[x] += second[layout->position[k] + x];
    add_torque(two->layout[0], two->about[0], first, out->torque[0]);
    add_torque(layout, two->about[1], second, out->torque[1]);
}
