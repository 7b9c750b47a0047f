/* SPDX-License-Identifier: MIT */
/* Waters at the places of an ice */
#include "base/numerics/matrix.h"
#include "base/rotation.h"
#include "base/vec3.h"
#include "model/ice/ice.h"

#include <math.h>
#include <stdlib.h>

/* The parts of a water in its body frame */
struct water {
    int bisector, across, normal; /* body axes: of the dipole, from one hydrogen to the other, of the plane */
    double sign;                  /* of the dipole along its axis */
    double oxygen[3];
};

/* A water has the dipole along a principal axis. Its plane is normal to the axis of the largest moment. */
static bool find_water(const struct ph_species *species, struct water *water)
{
    double dipole[3];
    ph_species_dipole(species, dipole);
    const double size = ph_vec3_norm(dipole);
    if (species->degrees != 3 || !(size > 0.0) || !(species->mass > 17.0 && species->mass < 21.0))
        return false;
    water->bisector = water->normal = 0;
    for (int k = 1; k < 3; ++k) {
        if (fabs(dipole[k]) > fabs(dipole[water->bisector]))
            water->bisector = k;
        if (species->inertia[k] > species->inertia[water->normal])
            water->normal = k;
    }
    water->across = 3 - water->bisector - water->normal;
    water->sign = dipole[water->bisector] > 0.0 ? 1.0 : -1.0;
    size_t heaviest = 0;
    for (size_t a = 1; a < species->n_sites; ++a)
        if (species->site[a].mass > species->site[heaviest].mass)
            heaviest = a;
    for (int k = 0; k < 3; ++k)
        water->oxygen[k] = species->n_sites > 0 ? species->site[heaviest].position[k] : 0.0;
    return water->bisector != water->normal && fabs(dipole[water->bisector]) > 0.999 * size;
}

enum ph_status ph_ice_check_water(const struct ph_species *species, struct ph_error *err)
{
    struct water water;
    if (find_water(species, &water))
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT,
                        "'%s' is no water: an ice is made of molecules of 17 to 21 u that have their dipole along a "
                        "principal axis in their plane, such as tip4p-ice.",
                        species->name);
}

/* The orientation that turns the hydrogens as nearly as a rigid molecule can towards these two directions */
static void attitude(const struct water *water, const double hydrogen[2][3], double q[4])
{
    double column[3][3], rotation[3][3];
    for (int k = 0; k < 3; ++k) {
        column[water->bisector][k] = water->sign * (hydrogen[0][k] + hydrogen[1][k]);
        column[water->across][k] = hydrogen[0][k] - hydrogen[1][k];
    }
    const double along = ph_vec3_norm(column[water->bisector]), across = ph_vec3_norm(column[water->across]);
    for (int k = 0; k < 3; ++k) {
        column[water->bisector][k] /= along;
        column[water->across][k] /= across;
    }
    const int first = (water->normal + 1) % 3, second = (water->normal + 2) % 3;
    ph_vec3_cross(column[first], column[second], column[water->normal]);
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
            rotation[j][k] = column[k][j];
    ph_quat_from_matrix((const double(*)[3])rotation, q);
}

static void place(const struct ph_ice_cell *cell, const size_t cells[3], const double edge[3][3], const bool *donor,
                  const struct water *water, struct ph_system *system)
{
    for (size_t i = 0; i < system->n; ++i) {
        const size_t vertex = system->id[i], number = vertex / cell->n;
        const double *site = cell->site[vertex % cell->n];
        const double at[3] = {site[0] + (double)(number % cells[0]), site[1] + (double)(number / cells[0] % cells[1]),
                              site[2] + (double)(number / cells[0] / cells[1])};
        double hydrogen[2][3], q[4], oxygen[3];
        ph_ice_hydrogens(cell, edge, donor, vertex, hydrogen);
        attitude(water, (const double(*)[3])hydrogen, q);
        ph_quat_rotate(q, water->oxygen, oxygen);
        for (int k = 0; k < 3; ++k)
            system->r[k][i] = at[0] * edge[0][k] + at[1] * edge[1][k] + at[2] * edge[2][k] - oxygen[k];
        for (int k = 0; k < 4; ++k)
            system->q[k][i] = q[k];
    }
}

enum ph_status ph_ice_place(const struct ph_ice_form *form, const size_t cells[3], uint64_t seed,
                            struct ph_system *system, struct ph_error *err)
{
    struct ph_ice_cell cell;
    struct water water;
    ph_ice_make(form, &cell);
    enum ph_status status = ph_ice_check_water(&system->species[0], err);
    if (status != PH_OK)
        return status;
    find_water(&system->species[0], &water);
    if (system->n_species != 1 || system->n != cell.n * cells[0] * cells[1] * cells[2])
        return ph_error_set(err, PH_ERR_INPUT, "%zu x %zu x %zu cells of ice %s hold %zu molecules, not %zu.", cells[0],
                            cells[1], cells[2], form->name, cell.n * cells[0] * cells[1] * cells[2], system->n);
    double edge[3][3];
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
            edge[j][k] = system->box.edge[j][k] / (double)cells[j];
    bool *donor = calloc(PH_ICE_BONDS * system->n, sizeof *donor);
    if (!donor)
        return ph_no_memory(err, "the hydrogens of %zu molecules", system->n);
    status = ph_ice_protons(&cell, cells, (const double(*)[3])edge, seed, donor, err);
    if (status == PH_OK)
        place(&cell, cells, (const double(*)[3])edge, donor, &water, system);
    free(donor);
    return status;
}
