/* SPDX-License-Identifier: MIT */
#include "force/longrange/ewald.h"

#include "base/vec3.h"
#include "force/longrange/ewald_inside.h"
#include "force/longrange/quadrupole_sites.h"
#include "force/longrange/split.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* ---- Self-energy of a molecule ---- */

/* Multiplies a factor by the part that pairs lack, which takes long and is needed for few sites with dipoles or charges
 * alone. */
static double times_lack(double factor, const struct ph_split *split, int n, double r)
{
    return factor == 0.0 ? 0.0 : factor * ph_split_lack(split, n, r);
}

static double quadrupoles(const struct ph_site *one, const struct ph_site *other, const double d[3], double r,
                          const struct ph_split *split)
{
    double m1[6], m2[6], b[3] = {0.0};
    const bool first = ph_site_tensor(one, m1), second = ph_site_tensor(other, m2);
    if (!first && !second)
        return 0.0;
    for (int n = 0; n < 3; ++n)
        b[n] = ph_split_lack(split, n + 2, r);
    return ph_quadrupoles_energy(one, other, d, b);
}

/* Of two sites of one molecule, or half of it for a site with itself */
static double self_energy(const struct ph_site *one, const struct ph_site *other, const struct ph_split *split)
{
    double d[3];
    for (int k = 0; k < 3; ++k)
        d[k] = other->position[k] - one->position[k];
    const double r = ph_vec3_norm(d), di = ph_vec3_dot(one->dipole, d), dj = ph_vec3_dot(other->dipole, d);
    const double charges = times_lack(one->charge * other->charge, split, 0, r);
    const double mixed = times_lack(other->charge * di - one->charge * dj, split, 1, r);
    const double dipoles =
        times_lack(ph_vec3_dot(one->dipole, other->dipole), split, 1, r) - times_lack(di * dj, split, 2, r);
    return (one == other ? 0.5 : 1.0) * (charges + mixed + dipoles + quadrupoles(one, other, d, r, split));
}

static double self_energy_of(const struct ph_species *species, const struct ph_split *split)
{
    double sum = 0.0;
    for (size_t i = 0; i < species->n_sites; ++i)
        for (size_t j = i; j < species->n_sites; ++j)
            sum += self_energy(&species->site[i], &species->site[j], split);
    return sum;
}

/* ---- Set-up ---- */

static enum ph_status check_charges(const struct ph_system *system, const struct ph_interactions *interactions,
                                    struct ph_error *err)
{
    const double eps = interactions->epsilon_rf;
    if (interactions->ewald.slab && isfinite(eps))
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.electrostatics.permittivity is %g, but geometry: slab has empty space above "
                            "and below it: it must be .inf.",
                            eps);
    for (size_t s = 0; s < system->n_species; ++s) {
        const double charge = ph_species_charge(&system->species[s]);
        if (charge != 0.0 && isfinite(eps))
            return ph_error_set(
                err, PH_ERR_INPUT,
                "Molecules of model %s have a charge of %g: the dipole moment of a box of ions depends on where it is "
                "cut, so an Ewald sum with ions needs interactions.electrostatics.permittivity: .inf (a conductor "
                "around); it is %g.",
                system->species[s].name, charge, eps);
    }
    return PH_OK;
}

/* The quadrupole of site k of a layout, which may have axes for other interactions too */
static struct ph_charged_tensor tensor_of(const struct ph_site *site, const struct ph_layout *layout, size_t k)
{
    struct ph_charged_tensor tensor = {.n_axes = 0};
    if (!ph_angular_is_multipole(&site->angular))
        return tensor;
    size_t which[PH_AXES_MAX];
    tensor.n_axes = ph_angular_axes(&site->angular, which);
    ph_angular_tensor(&site->angular, tensor.s);
    for (int x = 0; x < 4; ++x)
        tensor.s[x] /= 3.0;
    for (size_t x = 0; x < tensor.n_axes; ++x)
        tensor.axis[x] = layout->axis[k][layout->n_axes[k] == 3 ? which[x] : x];
    return tensor;
}

/* Finds the sites that take part, of all processes */
static struct ph_wave_most find_sites(const struct ph_system *system, const struct ph_pair_table *table,
                                      struct ph_ewald *ewald)
{
    struct ph_wave_most most = {.n = 0};
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_layout *layout = &table->layout[s];
        struct ph_charged_sites *charged = &ewald->species[s];
        charged->first_of_all = most.n;
        for (size_t k = 0; k < layout->n_sites; ++k) {
            const struct ph_site *site = &system->species[s].site[layout->site[k]];
            const double charge = site->charge;
            double m[6];
            const bool quadrupole = ph_site_tensor(site, m);
            if (charge == 0.0 && !layout->has_dipole[k] && !quadrupole)
                continue;
            ewald->charged.dipoles = ewald->charged.dipoles || layout->has_dipole[k] || quadrupole;
            ewald->charged.quadrupoles = ewald->charged.quadrupoles || quadrupole;
            most.tensor = fmax(most.tensor, sqrt(ph_tensor_product(m, m)));
            charged->tensor[charged->n] = tensor_of(site, layout, k);
            most.charge = fmax(most.charge, fabs(charge));
            most.dipole = fmax(most.dipole, ph_vec3_norm(site->dipole));
            ewald->charge[s * PH_SITES_MAX + charged->n] = charge;
            charged->site[charged->n++] = k;
        }
        most.n += charged->n * (system->first[s + 1] - system->first[s]);
    }
    return most;
}

static void destroy(void *term)
{
    struct ph_ewald *ewald = term;
    ph_waves_clear(&ewald->waves);
    ph_mesh_destroy(ewald->mesh);
    ph_wave_sites_clear(&ewald->charged);
    free(ewald->turn);
    free(ewald->species);
    free(ewald);
}

/* Sets the energy that the wave k = 0 leaves. A net charge Q needs a uniform background of charge -Q, or the energy
 * would be infinite. As k goes to 0, (C Q^2/2V) 4 pi/k^2 (g(k^2) - 1) remains of the smooth part of the sum, whose g =
 * 1 is 1/r of the background. This limit is 2 pi C Q^2/V times the slope of g; with Gauss' split -pi C Q^2/(2 V
 * a^2). */
static void set_uniform(const struct ph_system *system, struct ph_ewald *ewald)
{
    const struct ph_interactions *interactions = &ewald->interactions;
    const struct ph_split split = ph_split_of(interactions);
    const double charge = ph_system_charge(system);
    double slope;
    ph_split_wave(&split, 0.0, &slope);
    ewald->background = 2.0 * pi * interactions->coulomb * charge * charge / system->box.volume * slope;
    ewald->surface = ph_surface_of(&system->box, interactions, charge);
    for (size_t s = 0; s < system->n_species; ++s)
        ewald->species[s].unwrapped =
            ewald->surface.slab && (charge != 0.0 || ph_species_charge(&system->species[s]) != 0.0);
}

static enum ph_status init(const struct ph_term_setup *setup, struct ph_ewald *ewald, struct ph_error *err)
{
    const struct ph_system *system = setup->system;
    const struct ph_interactions *interactions = setup->interactions;
    ewald->species = calloc(system->n_species, sizeof *ewald->species);
    if (!ewald->species)
        return ph_no_memory(err, "the Ewald sum");
    const struct ph_wave_most most = find_sites(system, &setup->sites->table, ewald);
    ewald->sites = setup->sites;
    ewald->interactions = *interactions;
    ewald->interactions.overrides = NULL;
    set_uniform(system, ewald);
    const struct ph_split split = ph_split_of(interactions);
    for (size_t s = 0; s < system->n_species; ++s) {
        const double n = (double)(system->first[s + 1] - system->first[s]);
        ewald->constant -= interactions->coulomb * n * self_energy_of(&system->species[s], &split);
        ewald->mass += n * system->species[s].mass;
    }
    return interactions->electrostatics == PH_ELECTROSTATICS_MESH
               ? ph_mesh_create(&system->box, interactions, &ewald->charged, &ewald->mesh, err)
               : ph_waves_init(&system->box, interactions, &most, &ewald->charged, &ewald->waves, err);
}

/* Fails around a dielectric for ions, since the dipole moment of a box of ions depends on where it is cut. */
static enum ph_status create(const struct ph_term_setup *setup, void **out, struct ph_error *err)
{
    if (!ph_is_ewald(setup->interactions))
        return PH_OK;
    enum ph_status status = check_charges(setup->system, setup->interactions, err);
    if (status != PH_OK)
        return status;
    struct ph_ewald *ewald = calloc(1, sizeof *ewald + setup->system->n_species * PH_SITES_MAX * sizeof(double));
    if (!ewald)
        return ph_no_memory(err, "the Ewald sum");
    status = init(setup, ewald, err);
    if (status == PH_OK)
        *out = ewald;
    else
        destroy(ewald);
    return status;
}

static enum ph_status box_changed(void *term, const struct ph_system *system, struct ph_error *err)
{
    (void)err;
    struct ph_ewald *ewald = term;
    set_uniform(system, ewald);
    if (ewald->mesh)
        ph_mesh_set_box(&system->box, ewald->mesh);
    else
        ph_waves_set_box(&system->box, &ewald->interactions, &ewald->waves);
    return PH_OK;
}

const struct ph_interactions *ph_ewald_interactions(const void *term)
{
    return &((const struct ph_ewald *)term)->interactions;
}

struct ph_ewald_parts ph_ewald_parts(const void *term)
{
    const struct ph_ewald *ewald = term;
    struct ph_ewald_parts parts = {.waves = ewald->mesh ? NULL : &ewald->waves,
                                   .constant = ewald->constant,
                                   .background = ewald->background,
                                   .surface = ewald->surface,
                                   .mass = ewald->mass,
                                   .dipoles = ewald->charged.dipoles,
                                   .quadrupoles = ewald->charged.quadrupoles};
    if (ewald->mesh)
        parts.mesh = ph_mesh_parts(ewald->mesh);
    return parts;
}

size_t ph_ewald_sites(const void *term, size_t species, const size_t **site, const double **charge)
{
    const struct ph_ewald *ewald = term;
    *site = ewald->species[species].site;
    *charge = ewald->charge + species * PH_SITES_MAX;
    return ewald->species[species].n;
}

const struct ph_charged_tensor *ph_ewald_tensors(const void *term, size_t species)
{
    return ((const struct ph_ewald *)term)->species[species].tensor;
}

/* An ion that has left its slab */
static enum ph_status explain(const void *term, const struct ph_system *system, size_t broken, struct ph_error *err)
{
    (void)broken;
    const struct ph_ewald *ewald = term;
    const struct ph_surface *surface = &ewald->surface;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t i = ewald->species[s].begin; i < ewald->species[s].end && ewald->species[s].unwrapped; ++i) {
            const double r[3] = {system->r[0][i], system->r[1][i], system->r[2][i]};
            const double z = ph_vec3_dot(r, surface->normal) + system->image[2][i] * surface->height;
            if (z < -0.4 * surface->height || z > 1.4 * surface->height)
                return ph_error_set(err, PH_ERR_NUMBERS,
                                    "Molecule %u of %s has left the slab: it is at a height of %g, further than half "
                                    "the height of the box, %g, beyond its faces, where interactions.electrostatics."
                                    "geometry: slab has copies of what is on the other side. Put the slab at half the "
                                    "height, or take a higher box.",
                                    system->id[i], system->species[s].name, z, surface->height);
        }
    return PH_OK;
}

static void count(const void *term, struct ph_force_counts *counts)
{
    const struct ph_ewald *ewald = term;
    if (ewald->mesh)
        counts->mesh = ph_mesh_times(ewald->mesh);
}

const struct ph_term_kind ph_term_ewald = {
    .name = "reciprocal space of the Ewald sum",
    .create = create,
    .destroy = destroy,
    .evaluate = ph_ewald_evaluate,
    .rates = ph_ewald_add_rates,
    .box_changed = box_changed,
    .explain = explain,
    .count = count,
};
