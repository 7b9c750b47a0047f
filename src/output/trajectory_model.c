/* SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "output/elements.h"
#include "output/trajectory_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 16, RESIDUE = 8 }; /* letters of a name that VMD reads */

/* A kind of particle: sites of one name in one species are alike. */
struct kind {
    const char *name; /* not owned; of the site, or of the model of one site */
    float mass, radius;
    int32_t number;
};

struct model {
    bool bodies;
    size_t n; /* particles */
    size_t n_kinds, n_bonds;
    struct kind *kinds;
    int32_t *species, *molecule, (*bonds)[2];
    double *mass, *charge;
};

static void model_free(struct model *model)
{
    free(model->kinds);
    free(model->species);
    free(model->molecule);
    free(model->bonds);
    free(model->mass);
    free(model->charge);
}

/* Half of sigma; sites without one get a part of the largest of their molecule, so that they are seen. */
static float radius_of(const struct ph_species *species, const struct ph_site *site)
{
    double largest = 0.0;
    for (size_t a = 0; a < species->n_sites; ++a)
        largest = fmax(largest, species->site[a].radial.sigma);
    return (float)(0.5 * (site->radial.sigma > 0.0 ? site->radial.sigma : 0.4 * largest));
}

static int32_t kind_of(struct model *model, size_t first, const struct ph_species *species, const struct ph_site *site)
{
    const char *name = model->bodies ? site->name : species->name;
    for (size_t k = first; k < model->n_kinds; ++k)
        if (strcmp(model->kinds[k].name, name) == 0)
            return (int32_t)k;
    struct kind *kind = &model->kinds[model->n_kinds];
    kind->name = name;
    kind->mass = (float)(model->bodies ? site->mass : species->mass);
    kind->radius = radius_of(species, site);
    kind->number = ph_element_number(site->name);
    return (int32_t)model->n_kinds++;
}

static void add_molecules(struct model *model, const struct ph_system *system, size_t s, size_t *row)
{
    const struct ph_species *species = &system->species[s];
    const size_t lines = model->bodies ? species->n_sites : 1, first_kind = model->n_kinds;
    for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
        for (size_t a = 0; a < lines; ++a, ++*row) {
            const struct ph_site *site = &species->site[a];
            const int32_t kind = kind_of(model, first_kind, species, site);
            model->species[*row] = kind;
            model->molecule[*row] = (int32_t)i;
            model->mass[*row] = model->bodies ? site->mass : species->mass;
            model->charge[*row] = site->charge;
            if (a > 0) { /* bonds are only for display: every site is bound to the first */
                model->bonds[model->n_bonds][0] = (int32_t)(*row - a);
                model->bonds[model->n_bonds++][1] = (int32_t)*row;
            }
        }
}

static bool make_model(const struct ph_system *system, struct model *model)
{
    *model = (struct model){.bodies = ph_trajectory_has_bodies(system), .n = ph_trajectory_particles(system)};
    const size_t n = model->n + 1;
    model->kinds = ph_allocate(system->n_species * PH_SITES_MAX + 1, sizeof *model->kinds);
    model->species = ph_allocate(n, sizeof *model->species);
    model->molecule = ph_allocate(n, sizeof *model->molecule);
    model->bonds = ph_allocate(n, sizeof *model->bonds);
    model->mass = ph_allocate(n, sizeof *model->mass);
    model->charge = ph_allocate(n, sizeof *model->charge);
    if (!model->kinds || !model->species || !model->molecule || !model->bonds || !model->mass || !model->charge)
        return false;
    size_t row = 0;
    for (size_t s = 0; s < system->n_species; ++s)
        add_molecules(model, system, s, &row);
    return true;
}

static bool put_doubles(hid_t file, const char *path, size_t n, const double *numbers, const char *unit)
{
    return ph_h5_put_data(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, (hsize_t[]){n}, numbers) &&
           ph_h5_note_unit(file, path, unit);
}

static bool put_integers(hid_t file, const char *path, size_t n, const int32_t *numbers)
{
    return ph_h5_put_data(file, path, H5T_STD_I32LE, H5T_NATIVE_INT32, 1, (hsize_t[]){n}, numbers);
}

static bool put_particles(hid_t file, const struct model *model, bool physical)
{
    return put_integers(file, "particles/trajectory/species", model->n, model->species) &&
           put_doubles(file, "particles/trajectory/mass", model->n, model->mass, physical ? "u" : NULL) &&
           put_doubles(file, "particles/trajectory/charge", model->n, model->charge, physical ? "e" : NULL);
}

static bool put_bonds(hid_t file, const struct model *model)
{
    if (model->n_bonds == 0)
        return true;
    if (!ph_h5_put_data(file, "connectivity/bonds", H5T_STD_I32LE, H5T_NATIVE_INT32, 2, (hsize_t[]){model->n_bonds, 2},
                        model->bonds))
        return false;
    hobj_ref_t group;
    const hid_t space = H5Screate(H5S_SCALAR);
    bool good = H5Rcreate(&group, file, "particles/trajectory", H5R_OBJECT, -1) >= 0;
    const hid_t attribute = H5Acreate_by_name(file, "connectivity/bonds", "particles_group", H5T_STD_REF_OBJ, space,
                                              H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    good = good && attribute >= 0 && H5Awrite(attribute, H5T_STD_REF_OBJ, &group) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

static bool put_body(hid_t file, const struct ph_species *species, size_t first_particle, bool physical)
{
    char path[PH_H5_PATH], names[PH_SITES_MAX][PH_NAME];
    const int64_t first = (int64_t)first_particle;
    double position[PH_SITES_MAX][3], mass[PH_SITES_MAX], charge[PH_SITES_MAX];
    int32_t kind[PH_SITES_MAX];
    const size_t n = species->n_sites;
    for (size_t a = 0; a < n; ++a) {
        memcpy(position[a], species->site[a].position, sizeof position[a]);
        memcpy(names[a], species->site[a].name, PH_NAME);
        mass[a] = species->site[a].mass;
        charge[a] = species->site[a].charge;
        size_t like = 0;
        while (strcmp(species->site[like].name, species->site[a].name) != 0)
            ++like;
        kind[a] = (int32_t)like;
    }
    snprintf(path, sizeof path, "rigid_bodies/%s", species->name);
    const hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    const char *length = physical ? "nm" : NULL, *weight = physical ? "u" : NULL, *electric = physical ? "e" : NULL;
    const bool good =
        group >= 0 && put_doubles(group, "inertia", 3, species->inertia, physical ? "u nm+2" : NULL) &&
        ph_h5_put_data(group, "mass", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, NULL, &species->mass) &&
        ph_h5_note_unit(group, "mass", weight) &&
        ph_h5_put_data(group, "sites/position_body", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, (hsize_t[]){n, 3},
                       position) &&
        ph_h5_note_unit(group, "sites/position_body", length) && put_doubles(group, "sites/mass", n, mass, weight) &&
        put_doubles(group, "sites/charge", n, charge, electric) && put_integers(group, "sites/species", n, kind) &&
        ph_h5_put_words(group, "sites/name", n, PH_NAME, names[0]) &&
        ph_h5_note_integers(group, ".", "first_particle", H5T_STD_I64LE, 0, &first);
    if (group >= 0)
        H5Gclose(group);
    return good;
}

/* VMD's reader looks names up by kind, residues by number, and counts bonds from 1. It takes 15 letters of a name. */
#define AT(name) "parameters/vmd_structure/" name

static bool put_kinds(hid_t file, const struct model *model)
{
    const size_t n = model->n_kinds;
    char(*name)[PH_NAME] = ph_allocate(n + 1, sizeof *name), (*brief)[LETTERS] = ph_allocate(n + 1, sizeof *brief);
    float *real = ph_allocate(2 * n + 1, sizeof *real);
    int32_t *whole = ph_allocate(2 * n + 1, sizeof *whole);
    bool good = name && brief && real && whole;
    for (size_t k = 0; k < n && good; ++k) {
        const struct kind *kind = &model->kinds[k];
        snprintf(name[k], PH_NAME, "%s", kind->name);
        snprintf(brief[k], LETTERS, "%.15s", kind->name);
        real[k] = kind->mass;
        real[n + k] = kind->radius;
        whole[k] = (int32_t)k;
        whole[n + k] = kind->number;
    }
    good = good && ph_h5_put_words(file, "parameters/species_names", n, PH_NAME, name[0]) &&
           put_integers(file, AT("indexOfSpecies"), n, whole) && put_integers(file, AT("atomicnumber"), n, whole + n) &&
           ph_h5_put_words(file, AT("name"), n, LETTERS, brief[0]) &&
           ph_h5_put_words(file, AT("type"), n, LETTERS, brief[0]) &&
           ph_h5_put_data(file, AT("mass"), H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 1, (hsize_t[]){n}, real) &&
           ph_h5_put_data(file, AT("radius"), H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 1, (hsize_t[]){n}, real + n);
    free(name);
    free(brief);
    free(real);
    free(whole);
    return good;
}

static bool put_vmd_residues(hid_t file, const struct model *model, const struct ph_system *system)
{
    char(*names)[RESIDUE] = ph_allocate(system->n + 1, sizeof *names);
    char(*chains)[2] = ph_allocate(system->n + 1, sizeof *chains);
    bool good = names && chains;
    for (size_t i = 0; i < system->n && good; ++i) {
        snprintf(names[i], RESIDUE, "%.7s", system->species[ph_system_species_of(system, i)].name);
        chains[i][0] = 'A';
    }
    good = good && put_integers(file, AT("resid"), model->n, model->molecule) &&
           ph_h5_put_words(file, AT("resname"), system->n, RESIDUE, names[0]) &&
           ph_h5_put_words(file, AT("chain"), system->n, 2, chains[0]) &&
           put_doubles(file, AT("charge"), model->n, model->charge, NULL);
    free(names);
    free(chains);
    return good;
}

static bool put_vmd_bonds(hid_t file, const struct model *model)
{
    if (model->n_bonds == 0)
        return true;
    int32_t *from = ph_allocate(2 * model->n_bonds, sizeof *from), *to = from ? from + model->n_bonds : NULL;
    for (size_t k = 0; k < model->n_bonds && from; ++k) {
        from[k] = model->bonds[k][0] + 1;
        to[k] = model->bonds[k][1] + 1;
    }
    const bool good = from && put_integers(file, AT("bond_from"), model->n_bonds, from) &&
                      put_integers(file, AT("bond_to"), model->n_bonds, to);
    free(from);
    return good;
}

bool ph_trajectory_put_model(hid_t file, const struct ph_system *system, bool physical)
{
    struct model model;
    bool good = make_model(system, &model) && put_particles(file, &model, physical) && put_bonds(file, &model) &&
                put_kinds(file, &model) && put_vmd_residues(file, &model, system) && put_vmd_bonds(file, &model);
    for (size_t s = 0, particle = 0; s < system->n_species && model.bodies && good; ++s) {
        const size_t n = system->first[s + 1] - system->first[s];
        good = n == 0 || put_body(file, &system->species[s], particle, physical);
        particle += n * system->species[s].n_sites;
    }
    model_free(&model);
    return good;
}
