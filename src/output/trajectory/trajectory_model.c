/* SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "output/reader/elements.h"
#include "output/trajectory/trajectory_parts.h"

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

/* Lines of particles, and of bonds, follow each other in the order of species, then of molecules, then of sites. There
 * may be very many, so none of these is held: each is found from its number. */
struct model {
    const struct ph_system *system; /* not owned */
    bool bodies;
    size_t n; /* particles */
    size_t n_kinds, n_bonds;
    struct kind *kinds;
    int32_t (*kind)[PH_SITES_MAX]; /* of the sites of each species */
};

static void model_free(struct model *model)
{
    free(model->kinds);
    free(model->kind);
}

/* Half of sigma; sites without one get a part of the largest of their molecule, so that they are seen. */
static float radius_of(const struct ph_species *species, const struct ph_site *site)
{
    double largest = 0.0;
    for (size_t a = 0; a < species->n_sites; ++a)
        largest = fmax(largest, ph_site_size(&species->site[a]));
    const double size = ph_site_size(site);
    return (float)(0.5 * (size > 0.0 ? size : 0.4 * largest));
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

/* Particles of a molecule */
static size_t lines_of(const struct model *model, size_t s)
{
    return model->bodies ? model->system->species[s].n_sites : 1;
}

static bool make_model(const struct ph_system *system, struct model *model)
{
    *model = (struct model){
        .system = system, .bodies = ph_trajectory_has_bodies(system), .n = ph_trajectory_particles(system)};
    model->kinds = ph_allocate(system->n_species * PH_SITES_MAX + 1, sizeof *model->kinds);
    model->kind = ph_allocate(system->n_species, sizeof *model->kind);
    for (size_t s = 0; s < system->n_species && model->kinds && model->kind; ++s) {
        const size_t first_kind = model->n_kinds, n = system->first[s + 1] - system->first[s];
        for (size_t a = 0; a < lines_of(model, s) && n > 0; ++a) {
            const int32_t kind = kind_of(model, first_kind, &system->species[s], &system->species[s].site[a]);
            model->kind[s][a] = kind;
        }
        model->n_bonds += n * (lines_of(model, s) - 1);
    }
    return model->kinds && model->kind;
}

/* ---- Lines ---- */

/* Site a of molecule i, which is of species s; its line */
struct particle {
    size_t s, i, a, line;
};

/* Finds line k of all lines, or bond k of all bonds: the first site of a molecule is bound to each other site. */
static struct particle find(const struct model *model, bool bonds, size_t k)
{
    const struct ph_system *system = model->system;
    for (size_t s = 0, line = 0; s < system->n_species; ++s) {
        const size_t n = system->first[s + 1] - system->first[s], lines = lines_of(model, s), each = lines - bonds;
        if (k < n * each) {
            const size_t i = k / each, a = k % each + bonds;
            return (struct particle){s, system->first[s] + i, a, line + i * lines + a};
        }
        k -= n * each;
        line += n * lines;
    }
    return (struct particle){.s = 0}; /* none: k is too large */
}

static const struct ph_site *site_of(const struct model *model, const struct particle *particle)
{
    return &model->system->species[particle->s].site[particle->a];
}

static void fill_species(const void *what, size_t k, void *to)
{
    const struct model *model = what;
    const struct particle p = find(model, false, k);
    *(int32_t *)to = model->kind[p.s][p.a];
}

static void fill_molecule(const void *what, size_t k, void *to) { *(int32_t *)to = (int32_t)find(what, false, k).i; }

static void fill_mass(const void *what, size_t k, void *to)
{
    const struct model *model = what;
    const struct particle p = find(model, false, k);
    *(double *)to = model->bodies ? site_of(model, &p)->mass : model->system->species[p.s].mass;
}

static void fill_charge(const void *what, size_t k, void *to)
{
    const struct particle p = find(what, false, k);
    *(double *)to = site_of(what, &p)->charge;
}

/* Bonds are only for display: every site is bound to the first. */
static void fill_bond(const void *what, size_t k, void *to)
{
    const struct particle p = find(what, true, k);
    int32_t *bond = to;
    bond[0] = (int32_t)(p.line - p.a);
    bond[1] = (int32_t)p.line;
}

/* VMD counts from 1. */
static void fill_bond_from(const void *what, size_t k, void *to)
{
    int32_t bond[2];
    fill_bond(what, k, bond);
    *(int32_t *)to = bond[0] + 1;
}

static void fill_bond_to(const void *what, size_t k, void *to)
{
    int32_t bond[2];
    fill_bond(what, k, bond);
    *(int32_t *)to = bond[1] + 1;
}

static void fill_residue(const void *what, size_t i, void *to)
{
    const struct ph_system *system = ((const struct model *)what)->system;
    char name[RESIDUE] = "";
    snprintf(name, sizeof name, "%.7s", system->species[ph_system_species_of(system, i)].name);
    memcpy(to, name, sizeof name);
}

static void fill_chain(const void *what, size_t i, void *to)
{
    (void)what, (void)i;
    memcpy(to, "A", 2);
}

static bool put_double_lines(hid_t file, const char *path, const struct model *model,
                             void (*fill)(const void *what, size_t k, void *to), const char *unit)
{
    const struct ph_h5_lines lines = {
        H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, model->n, 0, sizeof(double), fill, model,
    };
    return ph_h5_put_lines(file, path, &lines) && ph_h5_note_unit(file, path, unit);
}

static bool put_integer_lines(hid_t file, const char *path, size_t n, const struct model *model,
                              void (*fill)(const void *what, size_t k, void *to))
{
    const struct ph_h5_lines lines = {H5T_STD_I32LE, H5T_NATIVE_INT32, n, 0, sizeof(int32_t), fill, model};
    return ph_h5_put_lines(file, path, &lines);
}

static bool put_word_lines(hid_t file, const char *path, size_t size, const struct model *model,
                           void (*fill)(const void *what, size_t k, void *to))
{
    const hid_t type = ph_h5_word(size);
    const struct ph_h5_lines lines = {type, type, model->system->n, 0, size, fill, model};
    const bool good = ph_h5_put_lines(file, path, &lines);
    H5Tclose(type);
    return good;
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
    return put_integer_lines(file, "particles/trajectory/species", model->n, model, fill_species) &&
           put_double_lines(file, "particles/trajectory/mass", model, fill_mass, physical ? "u" : NULL) &&
           put_double_lines(file, "particles/trajectory/charge", model, fill_charge, physical ? "e" : NULL);
}

static bool put_bonds(hid_t file, const struct model *model)
{
    if (model->n_bonds == 0)
        return true;
    const struct ph_h5_lines lines = {
        H5T_STD_I32LE, H5T_NATIVE_INT32, model->n_bonds, 2, 2 * sizeof(int32_t), fill_bond, model,
    };
    if (!ph_h5_put_lines(file, "connectivity/bonds", &lines))
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

/* True if a site of these has axes of its own: it is an ellipsoid, sticky or a point quadrupole. */
static bool has_axes(const struct ph_species *species)
{
    for (size_t a = 0; a < species->n_sites; ++a)
        if (species->site[a].angular.kind != PH_ANGULAR_NONE)
            return true;
    return false;
}

/* The axes x, y, z of an angular form as rows, in the body frame, and the half axes along them; 0 where there are none
 */
static void take_shape(const struct ph_site *site, double axes[3][3], double half[3])
{
    const double *given = ph_angular_half_axes(&site->angular);
    const size_t n = sizeof(double[3]);
    memset(axes, 0, 3 * n);
    memset(half, 0, n);
    if (site->angular.kind != PH_ANGULAR_NONE)
        memcpy(axes, site->axis, 3 * n);
    if (given)
        memcpy(half, given, n);
}

static bool put_shapes(hid_t file, const char *axes_path, const char *half_path, size_t n, const void *axes,
                       const void *half, bool physical)
{
    return ph_h5_put_data(file, axes_path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, (hsize_t[]){n, 3, 3}, axes) &&
           ph_h5_put_data(file, half_path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, (hsize_t[]){n, 3}, half) &&
           ph_h5_note_unit(file, half_path, physical ? "nm" : NULL);
}

static bool put_body(hid_t file, const struct ph_species *species, size_t first_particle, bool physical)
{
    char path[PH_H5_PATH], names[PH_SITES_MAX][PH_NAME];
    const int64_t first = (int64_t)first_particle;
    double position[PH_SITES_MAX][3], mass[PH_SITES_MAX], charge[PH_SITES_MAX];
    double axes[PH_SITES_MAX][3][3], half[PH_SITES_MAX][3];
    int32_t kind[PH_SITES_MAX];
    const size_t n = species->n_sites;
    for (size_t a = 0; a < n; ++a) {
        memcpy(position[a], species->site[a].position, sizeof position[a]);
        memcpy(names[a], species->site[a].name, PH_NAME);
        mass[a] = species->site[a].mass;
        charge[a] = species->site[a].charge;
        take_shape(&species->site[a], axes[a], half[a]);
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
        (!has_axes(species) || put_shapes(group, "sites/axes", "sites/half_axes", n, axes, half, physical)) &&
        ph_h5_note_integers(group, ".", "first_particle", H5T_STD_I64LE, 0, &first);
    if (group >= 0)
        H5Gclose(group);
    return good;
}

/* VMD's reader looks names up by kind and residues by number. It takes 15 letters of a name. */
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

static bool put_vmd_residues(hid_t file, const struct model *model)
{
    return put_integer_lines(file, AT("resid"), model->n, model, fill_molecule) &&
           put_word_lines(file, AT("resname"), RESIDUE, model, fill_residue) &&
           put_word_lines(file, AT("chain"), sizeof "A", model, fill_chain) &&
           put_double_lines(file, AT("charge"), model, fill_charge, NULL);
}

static bool put_vmd_bonds(hid_t file, const struct model *model)
{
    return model->n_bonds == 0 || (put_integer_lines(file, AT("bond_from"), model->n_bonds, model, fill_bond_from) &&
                                   put_integer_lines(file, AT("bond_to"), model->n_bonds, model, fill_bond_to));
}

/* Writes inertia and shapes by kinds if molecules are particles; otherwise they are in rigid_bodies. */
static bool put_particle_shapes(hid_t file, const struct model *model, bool physical)
{
    if (model->bodies)
        return true;
    const size_t n = model->n_kinds;
    double(*inertia)[3] = ph_allocate(n + 1, sizeof *inertia), (*half)[3] = ph_allocate(n + 1, sizeof *half);
    double(*axes)[3][3] = ph_allocate(n + 1, sizeof *axes);
    bool good = inertia && half && axes, shaped = false;
    for (size_t s = 0; s < model->system->n_species && good; ++s) {
        const struct ph_species *species = &model->system->species[s];
        if (model->system->first[s + 1] == model->system->first[s])
            continue;
        const int32_t kind = model->kind[s][0];
        memcpy(inertia[kind], species->inertia, sizeof *inertia);
        take_shape(&species->site[0], axes[kind], half[kind]);
        shaped = shaped || has_axes(species);
    }
    good =
        good &&
        ph_h5_put_data(file, "parameters/inertia", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, (hsize_t[]){n, 3}, inertia) &&
        ph_h5_note_unit(file, "parameters/inertia", physical ? "u nm+2" : NULL) &&
        (!shaped || put_shapes(file, "parameters/axes", "parameters/half_axes", n, axes, half, physical));
    free(inertia);
    free(half);
    free(axes);
    return good;
}

bool ph_trajectory_put_model(hid_t file, const struct ph_system *system, bool physical)
{
    struct model model;
    bool good = make_model(system, &model) && put_particles(file, &model, physical) && put_bonds(file, &model) &&
                put_kinds(file, &model) && put_particle_shapes(file, &model, physical) &&
                put_vmd_residues(file, &model) && put_vmd_bonds(file, &model);
    for (size_t s = 0, particle = 0; s < system->n_species && model.bodies && good; ++s) {
        const size_t n = system->first[s + 1] - system->first[s];
        good = n == 0 || put_body(file, &system->species[s], particle, physical);
        particle += n * system->species[s].n_sites;
    }
    model_free(&model);
    return good;
}
