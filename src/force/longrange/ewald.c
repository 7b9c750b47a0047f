/* SPDX-License-Identifier: MIT */
#include "force/longrange/ewald.h"

#include "base/threads.h"
#include "base/vec3.h"
#include "force/longrange/mesh.h"
#include "force/longrange/split.h"
#include "force/longrange/surface.h"
#include "force/longrange/waves.h"
#include "force/term.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* Sites of one species that have a charge or a dipole, by their number in its layout */
struct charged_sites {
    size_t n, first; /* site k of molecule i of the species is number first + (i - first molecule) n + k of the sum */
    size_t site[PH_SITES_MAX];
};

/* Molecules of one species that a thread takes at a time, and what they add to sums, which are put together in the
 * order of the turns: the same bits for any number of threads. */
struct turn {
    size_t species, begin, end;
    struct ph_moments moments;
    double virial[3][3], force[3];
};

struct ewald {
    const struct ph_sites *sites;        /* not owned */
    struct ph_interactions interactions; /* overrides not kept */
    struct ph_wave_sites charged;
    struct ph_waves waves; /* of a direct sum, or */
    struct ph_mesh *mesh;  /* owned; NULL for a direct sum */
    double constant;       /* minus the self-energy of all molecules in reciprocal space */
    double background;     /* energy of the net charge with what neutralises it */
    struct ph_surface surface;
    double mass; /* of all molecules */
    size_t n_turns;
    struct turn *turn;             /* owned */
    struct charged_sites *species; /* owned */
    double charge[];               /* of a site, [species * PH_SITES_MAX + k] */
};

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
    ph_mesh_destroy(ewald->mesh);
    ph_wave_sites_clear(&ewald->charged);
    free(ewald->turn);
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

/* Cuts all molecules into turns; only counts them if there is no memory yet */
static void find_turns(const struct ph_system *system, struct ewald *ewald)
{
    size_t n = 0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t from = system->first[s]; from < system->first[s + 1]; from += PH_TURN, ++n)
            if (ewald->turn)
                ewald->turn[n] =
                    (struct turn){.species = s, .begin = from, .end = ph_turn_end(from, system->first[s + 1])};
    ewald->n_turns = n;
}

static enum ph_status init(const struct ph_term_setup *setup, struct ewald *ewald, struct ph_error *err)
{
    const struct ph_system *system = setup->system;
    const struct ph_interactions *interactions = setup->interactions;
    find_turns(system, ewald);
    ewald->species = calloc(system->n_species, sizeof *ewald->species);
    ewald->turn = calloc(ewald->n_turns + 1, sizeof *ewald->turn);
    if (!ewald->species || !ewald->turn)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the Ewald sum.");
    find_turns(system, ewald);
    size_t n_sites;
    const bool dipoles = find_sites(system, &setup->sites->table, ewald, &n_sites);
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
    enum ph_status status = ph_wave_sites_init(n_sites, dipoles, &ewald->charged, err);
    if (status == PH_OK && interactions->electrostatics == PH_ELECTROSTATICS_MESH)
        status = ph_mesh_create(&system->box, interactions, &ewald->charged, &ewald->mesh, err);
    else if (status == PH_OK)
        status = ph_waves_init(&system->box, interactions, &ewald->charged, &ewald->waves, err);
    for (size_t s = 0; s < system->n_species && status == PH_OK; ++s) {
        const struct charged_sites *charged = &ewald->species[s];
        for (size_t j = 0; j < charged->n * (system->first[s + 1] - system->first[s]); ++j)
            ewald->charged.charge[charged->first + j] = ewald->charge[s * PH_SITES_MAX + j % charged->n];
    }
    return status;
}

/* Fails around a dielectric for ions, since the dipole moment of a box of ions depends on where it is cut. */
static enum ph_status create(const struct ph_term_setup *setup, void **out, struct ph_error *err)
{
    if (!ph_is_ewald(setup->interactions))
        return PH_OK;
    enum ph_status status = check_charges(setup->system, setup->interactions, err);
    if (status != PH_OK)
        return status;
    struct ewald *ewald = calloc(1, sizeof *ewald + setup->system->n_species * PH_SITES_MAX * sizeof(double));
    if (!ewald)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the Ewald sum.");
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
    struct ewald *ewald = term;
    set_uniform(system, ewald);
    if (ewald->mesh)
        ph_mesh_set_box(&system->box, ewald->mesh);
    else
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

static void place_turn(struct ewald *ewald, const struct ph_system *system, struct turn *turn)
{
    struct ph_wave_sites *sites = &ewald->charged;
    turn->moments = (struct ph_moments){.second = 0.0};
    for (size_t i = turn->begin; i < turn->end; ++i)
        for (size_t k = 0; k < ewald->species[turn->species].n; ++k) {
            const struct visit v = visit(ewald, system, turn->species, i, k);
            for (int x = 0; x < 3; ++x) {
                sites->r[x][v.number] = v.r[x];
                sites->mu[x][v.number] = v.mu[x];
            }
            ph_surface_add(&ewald->surface, sites->charge[v.number], v.r, v.arm, v.mu, &turn->moments);
        }
}

static struct ph_moments all_moments(const struct ewald *ewald)
{
    struct ph_moments sum = {.second = 0.0};
    for (size_t t = 0; t < ewald->n_turns; ++t) {
        ph_vec3_add(1.0, ewald->turn[t].moments.first, sum.first);
        sum.second += ewald->turn[t].moments.second;
    }
    return sum;
}

/* Takes off every molecule its share, by its mass, of the force on all: an acceleration of the whole */
static void remove_net(const struct ewald *ewald, const struct ph_system *system, double *const force[3])
{
    double net[3] = {0.0};
    for (size_t t = 0; t < ewald->n_turns; ++t)
        ph_vec3_add(1.0, ewald->turn[t].force, net);
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            for (int x = 0; x < 3; ++x)
                force[x][i] -= net[x] * (system->species[s].mass / ewald->mass);
}

static void push_turn(struct ewald *ewald, struct ph_system *system, const struct ph_moments *moments,
                      struct turn *turn)
{
    struct ph_wave_sites *sites = &ewald->charged;
    memset(turn->virial, 0, sizeof turn->virial);
    memset(turn->force, 0, sizeof turn->force);
    for (size_t i = turn->begin; i < turn->end; ++i) {
        double force[3] = {0.0}, torque[3] = {0.0};
        for (size_t k = 0; k < ewald->species[turn->species].n; ++k) {
            const struct visit v = visit(ewald, system, turn->species, i, k);
            const size_t j = v.number;
            double push[3], field[3], around[3] = {0.0}, pull[3] = {0.0};
            ph_surface_add_field(&ewald->surface, moments->first, v.r, around);
            ph_surface_add_pull(&ewald->surface, v.mu, pull);
            for (int x = 0; x < 3; ++x) {
                field[x] = sites->field[x][j] += around[x];
                push[x] = sites->charge[j] * field[x] + (sites->pull[x][j] += pull[x]);
            }
            /* A strain moves centres, but it neither turns molecules nor stretches them. */
            for (int x = 0; x < 3; ++x)
                for (int y = 0; y < 3; ++y)
                    turn->virial[x][y] -= v.arm[x] * push[y] + v.mu[x] * field[y];
            ph_vec3_add(1.0, push, force);
            ph_vec3_add_cross(v.arm, push, torque);
            ph_vec3_add_cross(v.mu, field, torque);
        }
        ph_vec3_add(1.0, force, turn->force);
        for (int x = 0; x < 3; ++x) {
            system->f[x][i] += force[x];
            system->t[x][i] += torque[x];
        }
    }
}

static void place_all(struct ewald *ewald, const struct ph_system *system)
{
    if (system->n < PH_WORTH_THREADS) {
        for (size_t t = 0; t < ewald->n_turns; ++t)
            place_turn(ewald, system, &ewald->turn[t]);
        return;
    }
#pragma omp parallel for schedule(dynamic)
    for (size_t t = 0; t < ewald->n_turns; ++t)
        place_turn(ewald, system, &ewald->turn[t]);
}

static void push_all(struct ewald *ewald, struct ph_system *system, const struct ph_moments *moments)
{
    if (system->n < PH_WORTH_THREADS) {
        for (size_t t = 0; t < ewald->n_turns; ++t)
            push_turn(ewald, system, moments, &ewald->turn[t]);
        return;
    }
#pragma omp parallel for schedule(dynamic)
    for (size_t t = 0; t < ewald->n_turns; ++t)
        push_turn(ewald, system, moments, &ewald->turn[t]);
}

static enum ph_status evaluate(void *term, struct ph_system *system, struct ph_energy *energy, struct ph_error *err)
{
    (void)err;
    struct ewald *ewald = term;
    double virial[3][3], sum;
    place_all(ewald, system);
    const struct ph_moments moments = all_moments(ewald);
    if (ewald->mesh) {
        sum = ph_mesh_evaluate(ewald->mesh, energy ? virial : NULL);
    } else {
        sum = ph_waves_energy(&ewald->waves, virial);
        ph_waves_forces(&ewald->waves);
    }
    push_all(ewald, system, &moments);
    if (ewald->interactions.ewald.remove_net_force)
        remove_net(ewald, system, system->f);
    if (!energy)
        return PH_OK;
    double of_surface[3][3];
    const double surface = ph_surface_energy(&ewald->surface, &moments, of_surface);
    for (int x = 0; x < 3; ++x)
        for (int y = 0; y < 3; ++y) {
            for (size_t t = 0; t < ewald->n_turns; ++t)
                virial[x][y] += ewald->turn[t].virial[x][y];
            energy->virial[x][y] += virial[x][y] + of_surface[x][y] + (x == y ? ewald->background : 0.0);
        }
    energy->waves += sum + surface + ewald->background + ewald->constant;
    return PH_OK;
}

/* ---- Rates ---- */

/* How a site moves with its molecule */
struct motion {
    double r[3], arm[3], mu[3];
};

static struct motion motion(const struct ph_rates *rates, size_t i, const struct visit *v)
{
    const double turn[3] = {rates->omega[0][i], rates->omega[1][i], rates->omega[2][i]};
    struct motion m;
    ph_vec3_cross(turn, v->arm, m.arm);
    ph_vec3_cross(turn, v->mu, m.mu);
    for (int x = 0; x < 3; ++x)
        m.r[x] = rates->velocity[x][i] + m.arm[x];
    return m;
}

static void place_rates(struct ewald *ewald, const struct ph_system *system, const struct ph_rates *rates,
                        struct turn *turn)
{
    struct ph_wave_sites *sites = &ewald->charged;
    turn->moments = (struct ph_moments){.second = 0.0};
    for (size_t i = turn->begin; i < turn->end; ++i)
        for (size_t k = 0; k < ewald->species[turn->species].n; ++k) {
            const struct visit v = visit(ewald, system, turn->species, i, k);
            const struct motion m = motion(rates, i, &v);
            for (int x = 0; x < 3; ++x) {
                sites->r_rate[x][v.number] = m.r[x];
                sites->mu_rate[x][v.number] = m.mu[x];
            }
            ph_surface_add(&ewald->surface, sites->charge[v.number], m.r, m.arm, m.mu, &turn->moments);
        }
}

static void push_rates(struct ewald *ewald, const struct ph_system *system, const struct ph_moments *moments,
                       const struct ph_rates *rates, struct turn *turn)
{
    const struct ph_wave_sites *sites = &ewald->charged;
    memset(turn->force, 0, sizeof turn->force);
    for (size_t i = turn->begin; i < turn->end; ++i)
        for (size_t k = 0; k < ewald->species[turn->species].n; ++k) {
            const struct visit v = visit(ewald, system, turn->species, i, k);
            const struct motion m = motion(rates, i, &v);
            const size_t j = v.number;
            double push[3], field[3], push_rate[3], field_rate[3], torque[3] = {0.0}, around[3] = {0.0},
                                                                   pull[3] = {0.0};
            ph_surface_add_field(&ewald->surface, moments->first, m.r, around);
            ph_surface_add_pull(&ewald->surface, m.mu, pull);
            for (int x = 0; x < 3; ++x) {
                field[x] = sites->field[x][j];
                push[x] = sites->charge[j] * field[x] + sites->pull[x][j];
                field_rate[x] = sites->field_rate[x][j] + around[x];
                push_rate[x] = sites->charge[j] * field_rate[x] + sites->pull_rate[x][j] + pull[x];
            }
            ph_vec3_add_cross(m.arm, push, torque);
            ph_vec3_add_cross(v.arm, push_rate, torque);
            ph_vec3_add_cross(m.mu, field, torque);
            ph_vec3_add_cross(v.mu, field_rate, torque);
            ph_vec3_add(1.0, push_rate, turn->force);
            for (int x = 0; x < 3; ++x) {
                rates->force[x][i] += push_rate[x];
                rates->torque[x][i] += torque[x];
            }
        }
}

static enum ph_status add_rates(void *term, const struct ph_system *system, const struct ph_rates *rates,
                                struct ph_error *err)
{
    struct ewald *ewald = term;
    enum ph_status status = ph_wave_sites_prepare_rates(&ewald->charged, err);
    if (status == PH_OK)
        status = ewald->mesh ? ph_mesh_prepare_rates(ewald->mesh, err) : ph_waves_prepare_rates(&ewald->waves, err);
    if (status != PH_OK)
        return status;
#pragma omp parallel for schedule(dynamic)
    for (size_t t = 0; t < ewald->n_turns; ++t)
        place_rates(ewald, system, rates, &ewald->turn[t]);
    const struct ph_moments moments = all_moments(ewald);
    if (ewald->mesh)
        ph_mesh_rates(ewald->mesh);
    else
        ph_waves_rates(&ewald->waves);
#pragma omp parallel for schedule(dynamic)
    for (size_t t = 0; t < ewald->n_turns; ++t)
        push_rates(ewald, system, &moments, rates, &ewald->turn[t]);
    if (ewald->interactions.ewald.remove_net_force)
        remove_net(ewald, system, rates->force);
    return PH_OK;
}

struct ph_ewald_parts ph_ewald_parts(const void *term)
{
    const struct ewald *ewald = term;
    struct ph_ewald_parts parts = {.waves = ewald->mesh ? NULL : &ewald->waves,
                                   .constant = ewald->constant,
                                   .background = ewald->background,
                                   .surface = ewald->surface,
                                   .mass = ewald->mass,
                                   .dipoles = ewald->charged.dipoles};
    if (ewald->mesh)
        parts.mesh = ph_mesh_parts(ewald->mesh);
    return parts;
}

size_t ph_ewald_sites(const void *term, size_t species, const size_t **site, const double **charge)
{
    const struct ewald *ewald = term;
    *site = ewald->species[species].site;
    *charge = ewald->charge + species * PH_SITES_MAX;
    return ewald->species[species].n;
}

static void count(const void *term, struct ph_force_counts *counts)
{
    const struct ewald *ewald = term;
    if (ewald->mesh)
        counts->mesh = ph_mesh_times(ewald->mesh);
}

const struct ph_term_kind ph_term_ewald = {
    .name = "reciprocal space of the Ewald sum",
    .whole = true,
    .create = create,
    .destroy = destroy,
    .evaluate = evaluate,
    .rates = add_rates,
    .box_changed = box_changed,
    .count = count,
};
