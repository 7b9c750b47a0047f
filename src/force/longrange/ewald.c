/* SPDX-License-Identifier: MIT */
#include "force/longrange/ewald.h"

#include "base/library.h"
#include "base/vec3.h"
#include "force/longrange/split.h"
#include "force/longrange/surface.h"
#include "force/longrange/waves.h"
#include "force/term.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846, root_pi = 1.77245385090551602730;

/* Sites of one species that have a charge or a dipole, by their number in its layout */
struct charged_sites {
    size_t n, first; /* site k of molecule i of the species is number first + (i - first molecule) n + k of the sum */
    size_t site[PH_SITES_MAX];
};

struct ewald {
    const struct ph_sites *sites;        /* not owned */
    struct ph_interactions interactions; /* overrides not kept */
    struct ph_waves waves;
    double constant;   /* minus the self-energy of all molecules in reciprocal space */
    double background; /* energy of the net charge with what neutralises it */
    struct ph_surface surface;
    size_t n_species;
    struct charged_sites *species; /* owned */
    double charge[];               /* of a site, [species * PH_SITES_MAX + k] */
};

/* ---- Choices ---- */

/* x = a r from which on the force between screened charges is less than a part y of that between bare ones, erfc(x) +
 * 2 x exp(-x^2)/sqrt(pi): bisection, once per run */
static double far_enough(double y)
{
    double low = 0.0, high = 10.0;
    for (int k = 0; k < 60; ++k) {
        const double x = 0.5 * (low + high);
        if (ph_library_erfc(x) + 2.0 * x * ph_library_exp(-x * x) / root_pi > y)
            low = x;
        else
            high = x;
    }
    return high;
}

static void settle_gauss(double rc, struct ph_ewald_choice *choice)
{
    const double x = far_enough(choice->tolerance);
    if (choice->screening == 0.0)
        choice->screening = x / rc;
    if (choice->k_max == 0.0)
        choice->k_max = 2.0 * choice->screening * x;
}

static bool settle_bessel(double rc, struct ph_ewald_choice *choice, struct ph_error *err)
{
    (void)err;
    if (choice->smoothness == 0)
        choice->smoothness = 6;
    if (choice->shape == 0.0)
        choice->shape = 20.0;
    if (choice->k_max == 0.0)
        choice->k_max = choice->shape / rc;
    return true;
}

enum ph_status ph_ewald_settle(const struct ph_box *box, struct ph_interactions *interactions, struct ph_error *err)
{
    struct ph_ewald_choice *choice = &interactions->ewald;
    if (box->kind == PH_BOX_OPEN)
        return ph_error_set(err, PH_ERR_INPUT, "An Ewald sum needs a periodic box.");
    if (interactions->electrostatics == PH_ELECTROSTATICS_MESH || choice->split == PH_SPLIT_BESSEL)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.electrostatics: method: mesh and split: bessel are not there yet.");
    if (interactions->truncation == PH_TRUNCATE_NONE)
        return ph_error_set(err, PH_ERR_INPUT, "An Ewald sum needs interactions.cutoff, for its sum over pairs.");
    if (choice->tolerance == 0.0)
        choice->tolerance = 1e-6;
    if (!(choice->tolerance >= 1e-15 && choice->tolerance <= 1e-2))
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.electrostatics.tolerance is %g; it must lie between 1e-15 and 0.01.",
                            choice->tolerance);
    if (choice->split == PH_SPLIT_GAUSS)
        settle_gauss(interactions->cutoff, choice);
    else if (!settle_bessel(interactions->cutoff, choice, err))
        return PH_ERR_INPUT;
    double trace = 0.0;
    for (int a = 0; a < 3; ++a)
        trace += choice->waves[a][a];
    for (int a = 0; a < 3 && trace == 0.0; ++a)
        for (int b = 0; b < 3; ++b)
            choice->waves[a][b] =
                4.0 * pi * pi * ph_vec3_dot(box->inverse[a], box->inverse[b]) / (choice->k_max * choice->k_max);
    return PH_OK;
}

/* ---- Self-energy of a molecule ---- */

/* Of two sites of one molecule, or half of it for a site with itself */
static double self_energy(const struct ph_site *one, const struct ph_site *other, const struct ph_split *split)
{
    double d[3];
    for (int k = 0; k < 3; ++k)
        d[k] = other->position[k] - one->position[k];
    const double r = ph_vec3_norm(d), di = ph_vec3_dot(one->dipole, d), dj = ph_vec3_dot(other->dipole, d);
    const double charges = one->charge * other->charge * ph_split_lack(split, 0, r);
    const double mixed = (other->charge * di - one->charge * dj) * ph_split_lack(split, 1, r);
    const double dipoles =
        ph_vec3_dot(one->dipole, other->dipole) * ph_split_lack(split, 1, r) - di * dj * ph_split_lack(split, 2, r);
    return (one == other ? 0.5 : 1.0) * (charges + mixed + dipoles);
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

/* Finds the sites that take part; true if there are dipoles among them */
static bool find_sites(const struct ph_system *system, const struct ph_pair_table *table, struct ewald *ewald,
                       size_t *n_sites)
{
    bool dipoles = false;
    *n_sites = 0;
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_layout *layout = &table->layout[s];
        struct charged_sites *charged = &ewald->species[s];
        charged->first = *n_sites;
        for (size_t k = 0; k < layout->n_sites; ++k) {
            const double charge = system->species[s].site[layout->site[k]].charge;
            if (charge == 0.0 && !layout->has_dipole[k])
                continue;
            dipoles = dipoles || layout->has_dipole[k];
            ewald->charge[s * PH_SITES_MAX + charged->n] = charge;
            charged->site[charged->n++] = k;
        }
        *n_sites += charged->n * (system->first[s + 1] - system->first[s]);
    }
    return dipoles;
}

static void destroy(void *term)
{
    struct ewald *ewald = term;
    ph_waves_clear(&ewald->waves);
    free(ewald->species);
    free(ewald);
}

/* What the wave k = 0 leaves. A net charge Q needs a uniform background of charge -Q, or the energy would be infinite:
 * as k goes to 0, (C Q^2/2V) 4 pi/k^2 (g(k^2) - 1) remains of the smooth part of the sum, whose g = 1 is 1/r of the
 * background, and this is 2 pi C Q^2/V times the slope of g; with Gauss' split -pi C Q^2/(2 V a^2). */
static void set_uniform(const struct ph_system *system, struct ewald *ewald)
{
    const struct ph_interactions *interactions = &ewald->interactions;
    const struct ph_split split = ph_split_of(interactions);
    const double charge = ph_system_charge(system);
    double slope;
    ph_split_wave(&split, 0.0, &slope);
    ewald->background = 2.0 * pi * interactions->coulomb * charge * charge / system->box.volume * slope;
    ewald->surface = ph_surface_of(&system->box, interactions, charge);
}

/* Fails around a dielectric for ions, since the dipole moment of a box of ions depends on where it is cut. */
static enum ph_status create(const struct ph_term_setup *setup, void **out, struct ph_error *err)
{
    const struct ph_system *system = setup->system;
    const struct ph_interactions *interactions = setup->interactions;
    const size_t n = system->n_species;
    if (interactions->electrostatics != PH_ELECTROSTATICS_EWALD)
        return PH_OK;
    enum ph_status status = check_charges(system, interactions, err);
    if (status != PH_OK)
        return status;
    struct ewald *ewald = calloc(1, sizeof *ewald + n * PH_SITES_MAX * sizeof(double));
    if (ewald)
        ewald->species = calloc(n, sizeof *ewald->species);
    if (!ewald || !ewald->species) {
        free(ewald);
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the Ewald sum.");
    }
    size_t n_sites;
    const bool dipoles = find_sites(system, &setup->sites->table, ewald, &n_sites);
    ewald->sites = setup->sites;
    ewald->interactions = *interactions;
    ewald->interactions.overrides = NULL;
    ewald->n_species = n;
    set_uniform(system, ewald);
    const struct ph_split split = ph_split_of(interactions);
    for (size_t s = 0; s < n; ++s)
        ewald->constant -= interactions->coulomb * (double)(system->first[s + 1] - system->first[s]) *
                           self_energy_of(&system->species[s], &split);
    status = ph_waves_init(&system->box, interactions, n_sites, dipoles, &ewald->waves, err);
    if (status != PH_OK) {
        destroy(ewald);
        return status;
    }
    for (size_t s = 0; s < n; ++s) {
        const struct charged_sites *charged = &ewald->species[s];
        for (size_t j = 0; j < charged->n * (system->first[s + 1] - system->first[s]); ++j)
            ewald->waves.sites.charge[charged->first + j] = ewald->charge[s * PH_SITES_MAX + j % charged->n];
    }
    *out = ewald;
    return PH_OK;
}

static enum ph_status box_changed(void *term, const struct ph_system *system, struct ph_error *err)
{
    (void)err;
    struct ewald *ewald = term;
    set_uniform(system, ewald);
    ph_waves_set_box(&system->box, &ewald->interactions, &ewald->waves);
    return PH_OK;
}

/* ---- Forces ---- */

/* One site of one molecule: its number in the sum, its position, its arm from the centre, its dipole */
struct visit {
    size_t number;
    const double *r;
    double arm[3], mu[3];
};

static struct visit visit(const struct ewald *ewald, const struct ph_system *system, size_t s, size_t i, size_t k)
{
    const struct ph_pair_table *table = &ewald->sites->table;
    const struct charged_sites *charged = &ewald->species[s];
    const struct ph_layout *layout = &table->layout[s];
    const double *record = ewald->sites->place + i * table->record, *mu = record + layout->dipole[charged->site[k]];
    const bool dipole = layout->has_dipole[charged->site[k]];
    struct visit v = {.number = charged->first + (i - system->first[s]) * charged->n + k,
                      .r = record + layout->position[charged->site[k]]};
    for (int x = 0; x < 3; ++x) {
        v.arm[x] = v.r[x] - system->r[x][i];
        v.mu[x] = dipole ? mu[x] : 0.0;
    }
    return v;
}

static void place_sites(struct ewald *ewald, const struct ph_system *system, struct ph_moments *moments)
{
    struct ph_wave_sites *sites = &ewald->waves.sites;
    for (size_t s = 0; s < ewald->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            for (size_t k = 0; k < ewald->species[s].n; ++k) {
                const struct visit v = visit(ewald, system, s, i, k);
                for (int x = 0; x < 3; ++x) {
                    sites->r[x][v.number] = v.r[x];
                    sites->mu[x][v.number] = v.mu[x];
                }
                ph_surface_add(&ewald->surface, sites->charge[v.number], v.r, v.arm, v.mu, moments);
            }
}

static enum ph_status evaluate(void *term, struct ph_system *system, struct ph_energy *energy, struct ph_error *err)
{
    (void)err;
    struct ewald *ewald = term;
    struct ph_wave_sites *sites = &ewald->waves.sites;
    struct ph_moments moments = {.second = 0.0};
    double of_waves[3][3], of_surface[3][3];
    place_sites(ewald, system, &moments);
    const double sum = ph_waves_energy(&ewald->waves, of_waves);
    ph_waves_forces(&ewald->waves);
    const double surface = ph_surface_energy(&ewald->surface, &moments, of_surface);
    for (size_t s = 0; s < ewald->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            double force[3] = {0.0}, torque[3] = {0.0};
            for (size_t k = 0; k < ewald->species[s].n; ++k) {
                const struct visit v = visit(ewald, system, s, i, k);
                const size_t j = v.number;
                double push[3], field[3], around[3] = {0.0}, pull[3] = {0.0};
                ph_surface_add_field(&ewald->surface, moments.first, v.r, around);
                ph_surface_add_pull(&ewald->surface, v.mu, pull);
                for (int x = 0; x < 3; ++x) {
                    field[x] = sites->field[x][j] += around[x];
                    push[x] = sites->charge[j] * field[x] + (sites->pull[x][j] += pull[x]);
                }
                /* A strain moves centres, but it neither turns molecules nor stretches them. */
                for (int x = 0; x < 3; ++x)
                    for (int y = 0; y < 3; ++y)
                        of_waves[x][y] -= v.arm[x] * push[y] + v.mu[x] * field[y];
                ph_vec3_add(1.0, push, force);
                ph_vec3_add_cross(v.arm, push, torque);
                ph_vec3_add_cross(v.mu, field, torque);
            }
            for (int x = 0; x < 3; ++x) {
                system->f[x][i] += force[x];
                system->t[x][i] += torque[x];
            }
        }
    if (!energy)
        return PH_OK;
    for (int x = 0; x < 3; ++x)
        for (int y = 0; y < 3; ++y)
            energy->virial[x][y] += of_waves[x][y] + of_surface[x][y] + (x == y ? ewald->background : 0.0);
    energy->waves += sum + surface + ewald->background + ewald->constant;
    return PH_OK;
}

static enum ph_status add_rates(void *term, const struct ph_system *system, const struct ph_rates *rates,
                                struct ph_error *err)
{
    struct ewald *ewald = term;
    double *const *omega = rates->omega;
    struct ph_wave_sites *sites = &ewald->waves.sites;
    const enum ph_status status = ph_waves_prepare_rates(&ewald->waves, err);
    if (status != PH_OK)
        return status;
    struct ph_moments moment_rates = {.second = 0.0};
    for (size_t s = 0; s < ewald->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            for (size_t k = 0; k < ewald->species[s].n; ++k) {
                const struct visit v = visit(ewald, system, s, i, k);
                const double turn[3] = {omega[0][i], omega[1][i], omega[2][i]};
                double arm_rate[3], mu_rate[3];
                ph_vec3_cross(turn, v.arm, arm_rate);
                ph_vec3_cross(turn, v.mu, mu_rate);
                for (int x = 0; x < 3; ++x) {
                    sites->r_rate[x][v.number] = rates->velocity[x][i] + arm_rate[x];
                    sites->mu_rate[x][v.number] = mu_rate[x];
                }
                const double r_rate[3] = {sites->r_rate[0][v.number], sites->r_rate[1][v.number],
                                          sites->r_rate[2][v.number]};
                ph_surface_add(&ewald->surface, sites->charge[v.number], r_rate, arm_rate, mu_rate, &moment_rates);
            }
    ph_waves_rates(&ewald->waves);
    for (size_t s = 0; s < ewald->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            for (size_t k = 0; k < ewald->species[s].n; ++k) {
                const struct visit v = visit(ewald, system, s, i, k);
                const size_t j = v.number;
                const double turn[3] = {omega[0][i], omega[1][i], omega[2][i]}, q = sites->charge[j];
                const double r_rate[3] = {sites->r_rate[0][j], sites->r_rate[1][j], sites->r_rate[2][j]};
                double push[3], field[3], push_rate[3], field_rate[3], arm_rate[3], mu_rate[3], torque[3] = {0.0};
                double around[3] = {0.0}, pull[3] = {0.0};
                ph_vec3_cross(turn, v.arm, arm_rate);
                ph_vec3_cross(turn, v.mu, mu_rate);
                ph_surface_add_field(&ewald->surface, moment_rates.first, r_rate, around);
                ph_surface_add_pull(&ewald->surface, mu_rate, pull);
                for (int x = 0; x < 3; ++x) {
                    field[x] = sites->field[x][j];
                    push[x] = q * field[x] + sites->pull[x][j];
                    field_rate[x] = sites->field_rate[x][j] + around[x];
                    push_rate[x] = q * field_rate[x] + sites->pull_rate[x][j] + pull[x];
                }
                ph_vec3_add_cross(arm_rate, push, torque);
                ph_vec3_add_cross(v.arm, push_rate, torque);
                ph_vec3_add_cross(mu_rate, field, torque);
                ph_vec3_add_cross(v.mu, field_rate, torque);
                for (int x = 0; x < 3; ++x) {
                    rates->force[x][i] += push_rate[x];
                    rates->torque[x][i] += torque[x];
                }
            }
    return PH_OK;
}

const struct ph_term_kind ph_term_ewald = {
    .name = "reciprocal space of the Ewald sum",
    .create = create,
    .destroy = destroy,
    .evaluate = evaluate,
    .rates = add_rates,
    .box_changed = box_changed,
};
