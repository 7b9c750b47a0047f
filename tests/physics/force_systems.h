/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_FORCE_SYSTEMS_H
#define PH_TESTS_FORCE_SYSTEMS_H

/* Molecules and configurations for the tests of forces. */

#include "support.h"

#include "base/random.h"
#include "base/rotation.h"
#include "force/force_field.h"
#include "model/start.h"
#include "state/state.h"

#include <stdio.h>
#include <stdlib.h>

static const struct ph_radial lennard_jones = {PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0};

enum molecule { ATOM, POLAR, WATER, ROD, CHIRAL, MOLECULES };

static inline struct ph_site site_at(const char *name, double mass, double charge, struct ph_radial radial,
                                     double epsilon, double sigma, double x, double y, double z)
{
    struct ph_site site = {.mass = mass, .charge = charge, .position = {x, y, z}, .radial = radial};
    snprintf(site.name, sizeof site.name, "%s", name);
    site.radial.epsilon *= epsilon;
    site.radial.sigma *= sigma;
    return site;
}

static inline void set_dipole(struct ph_site *site, double x, double y, double z)
{
    site->dipole[0] = x;
    site->dipole[1] = y;
    site->dipole[2] = z;
}

/* One site; one site with a dipole along no axis; three sites with charges; a linear rotor of two sites with charges
 * and dipoles; four sites of everything. All radial interactions have one form. */
static inline struct ph_species make_molecule(enum molecule kind, struct ph_radial radial)
{
    static const char *const names[] = {"atom", "polar", "water", "rod", "chiral"};
    const struct ph_radial none = {.kind = PH_RADIAL_NONE};
    struct ph_species species = {.n_sites = 1};
    snprintf(species.name, sizeof species.name, "%s", names[kind]);
    static const double inertia[3] = {1.0, 1.88, 2.88};
    bool given = false;
    switch (kind) {
    case ATOM: species.site[0] = site_at("A", 1.0, 0.0, radial, 1.1, 1.05, 0, 0, 0); break;
    case POLAR:
        species.site[0] = site_at("A", 1.5, 0.0, radial, 0.9, 1.0, 0, 0, 0);
        set_dipole(&species.site[0], 0.3, -0.5, 1.1);
        given = true;
        break;
    case WATER:
        species.n_sites = 3;
        species.site[0] = site_at("O", 16.0, -0.9, radial, 1.2, 0.95, 0, 0, 0);
        species.site[1] = site_at("H", 1.0, 0.5, none, 0, 0, 0.25, 0.01, 0.19);
        species.site[2] = site_at("H", 1.0, 0.5, none, 0, 0, -0.25, 0, 0.19);
        break;
    case ROD:
        species.n_sites = 2;
        species.site[0] = site_at("A", 0.5, 0.35, radial, 0.7, 0.8, 0, 0, 0.3);
        species.site[1] = site_at("B", 0.7, -0.25, radial, 0.6, 0.85, 0, 0, -0.2);
        set_dipole(&species.site[0], 0, 0, 0.8);
        set_dipole(&species.site[1], 0, 0, -0.3);
        break;
    default:
        species.n_sites = 4;
        species.site[0] = site_at("A", 2.0, 0.3, radial, 0.5, 0.7, 0.1, 0.2, -0.15);
        species.site[1] = site_at("B", 1.0, -0.4, radial, 0.4, 0.75, -0.25, 0.1, 0.1);
        species.site[2] = site_at("C", 0.5, 0.0, none, 0, 0, 0.0, -0.3, 0.2);
        species.site[3] = site_at("D", 0.0, 0.1, none, 0, 0, 0.2, -0.1, 0.1);
        set_dipole(&species.site[0], 0.2, 0.5, -0.3);
        set_dipole(&species.site[2], -0.4, 0.1, 0.6);
        break;
    }
    assert_ok(ph_species_complete(&species, NULL, given ? inertia : NULL, &err));
    return species;
}

/* Bent and 2.4 long, with charges, neutral, and a dipole: in a box of 3.4 with a cutoff of half of that its ends meet
 * its own images. */
static inline struct ph_species make_long_molecule(struct ph_radial radial)
{
    const struct ph_radial none = {.kind = PH_RADIAL_NONE};
    struct ph_species species = {.name = "long", .n_sites = 3};
    species.site[0] = site_at("A", 1.0, 0.6, radial, 0.8, 0.5, 1.2, 0.2, 0.1);
    species.site[1] = site_at("B", 2.0, -1.1, none, 0, 0, 0.0, -0.3, 0.0);
    species.site[2] = site_at("C", 1.5, 0.5, radial, 0.6, 0.6, -1.2, 0.1, -0.1);
    set_dipole(&species.site[2], -0.4, 0.1, 0.6);
    assert_ok(ph_species_complete(&species, NULL, NULL, &err));
    return species;
}

/* Molecules at random places, no two centres nearer than `apart`, turned at random; in open space in a ball */
static inline struct ph_system *make_at_random(size_t n_species, const struct ph_species species[],
                                               const size_t count[], const struct ph_box *box, double apart,
                                               uint64_t seed)
{
    size_t n = 0;
    for (size_t s = 0; s < n_species; ++s)
        n += count[s];
    const struct ph_start start = {
        .kind = PH_START_RANDOM, .seed = seed, .minimum_distance = apart, .radius = 1.3 * apart * cbrt((double)n)};
    struct ph_system *system;
    assert_ok(ph_system_create(n_species, species, count, box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    ph_start_turn(seed, system);
    return system;
}

/* n long molecules, turned at random, far enough from each other */
static inline struct ph_system *make_long_system(size_t n, struct ph_radial radial, const struct ph_box *box,
                                                 uint64_t seed)
{
    const struct ph_species species = make_long_molecule(radial);
    return make_at_random(1, &species, &n, box, 1.0, seed);
}

static const double cube_edges[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double brick_edges[3][3] = {{1.25, 0, 0}, {0, 1, 0}, {0, 0, 0.9}};
static const double tilted_edges[3][3] = {{1.2, 0.1, -0.05}, {0.4, 1.1, 0.2}, {-0.3, 0.35, 1.15}};

static inline struct ph_box make_box(const double (*shape)[3], double length)
{
    if (!shape)
        return ph_box_open();
    double edge[3][3];
    for (int k = 0; k < 9; ++k)
        edge[k / 3][k % 3] = length * shape[k / 3][k % 3];
    struct ph_box box;
    assert_ok(ph_box_init_periodic((const double(*)[3])edge, &box, &err));
    return box;
}

/* counts of each kind of molecule at random places, no two centres nearer than `apart`, turned at random */
static inline struct ph_system *make_system(const size_t counts[MOLECULES], struct ph_radial radial,
                                            const struct ph_box *box, double apart, uint64_t seed)
{
    struct ph_species species[MOLECULES];
    size_t count[MOLECULES], n_species = 0;
    for (int kind = 0; kind < MOLECULES; ++kind)
        if (counts[kind] > 0) {
            species[n_species] = make_molecule((enum molecule)kind, radial);
            count[n_species++] = counts[kind];
        }
    return make_at_random(n_species, species, count, box, apart, seed);
}

/* Distance of the pair of sites that is nearest to where a derivative of its energy may jump: there no finite
 * difference is right. */
static inline double distance_from_jumps(const struct ph_system *system, const struct ph_interactions *in)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < system->n; ++i)
        for (size_t j = 0; j < i; ++j) {
            const struct ph_species *s = &system->species[ph_system_species_of(system, i)];
            const struct ph_species *t = &system->species[ph_system_species_of(system, j)];
            for (size_t a = 0; a < s->n_sites; ++a)
                for (size_t b = 0; b < t->n_sites; ++b) {
                    const double qi[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
                    const double qj[4] = {system->q[0][j], system->q[1][j], system->q[2][j], system->q[3][j]};
                    double x[3], y[3], d[3];
                    ph_quat_rotate(qi, s->site[a].position, x);
                    ph_quat_rotate(qj, t->site[b].position, y);
                    for (int k = 0; k < 3; ++k)
                        d[k] = system->r[k][i] + x[k] - system->r[k][j] - y[k];
                    ph_box_minimum_image(&system->box, d);
                    const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                    const double sigma = 0.5 * (s->site[a].radial.sigma + t->site[b].radial.sigma);
                    nearest = fmin(nearest, fabs(r - in->cutoff));
                    nearest = fmin(nearest, fabs(r - in->cutoff + in->switch_width));
                    if (s->site[a].radial.kind == PH_RADIAL_WCA)
                        nearest = fmin(nearest, fabs(r - 1.12246204830937298143 * sigma));
                }
        }
    return nearest;
}

/* A configuration clear of jumps by a margin */
static inline struct ph_system *make_clear_system(const size_t counts[MOLECULES], struct ph_radial radial,
                                                  const struct ph_box *box, const struct ph_interactions *in,
                                                  double apart, double margin)
{
    for (uint64_t seed = 1; seed < 20000; ++seed) {
        struct ph_system *system = make_system(counts, radial, box, apart, seed);
        if (distance_from_jumps(system, in) > margin)
            return system;
        ph_system_destroy(system);
    }
    fail_msg("no configuration found");
    return NULL;
}

static inline struct ph_force_field *make_field(const struct ph_system *system,
                                                const struct ph_interactions *interactions)
{
    struct ph_force_field *field;
    assert_ok(ph_force_field_create(system, interactions, &field, &err));
    return field;
}

static inline void put_away(struct ph_force_field *field, struct ph_system *system)
{
    ph_force_field_destroy(field);
    ph_system_destroy(system);
}

/* The system as a state of this process, for those who change it through that */
static inline struct ph_state *make_state(struct ph_system *system, struct ph_force_field *field)
{
    struct ph_state *state;
    assert_ok(ph_state_create(system, field, &(struct ph_state_options){.flow = NULL}, &state, &err));
    return state;
}

static inline struct ph_energy evaluate(struct ph_force_field *field, struct ph_system *system)
{
    struct ph_energy energy;
    assert_ok(ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, &energy, &err));
    return energy;
}

/* The same with a field of its own */
static inline struct ph_energy evaluate_once(struct ph_system *system, const struct ph_interactions *interactions)
{
    struct ph_force_field *field = make_field(system, interactions);
    const struct ph_energy energy = evaluate(field, system);
    ph_force_field_destroy(field);
    return energy;
}

/* A number in (-1, 1), the same for the same seed and index */
static inline double random_number(uint64_t seed, uint64_t index)
{
    struct ph_random random = ph_random_stream(seed, PH_RANDOM_TEST, index);
    return 2.0 * ph_random_uniform(&random) - 1.0;
}

/* Two molecules in open space, the second at d, with quaternions that need no norm */
static inline struct ph_system *make_two(const struct ph_species *one, const struct ph_species *other,
                                         const double d[3], const double q[2][4])
{
    const struct ph_species species[] = {*one, *other};
    const struct ph_box box = ph_box_open();
    struct ph_system *system;
    assert_ok(ph_system_create(2, species, (const size_t[]){1, 1}, &box, &system, &err));
    for (size_t i = 0; i < 2; ++i) {
        const double norm = sqrt(q[i][0] * q[i][0] + q[i][1] * q[i][1] + q[i][2] * q[i][2] + q[i][3] * q[i][3]);
        for (size_t k = 0; k < 4; ++k)
            system->q[k][i] = q[i][k] / norm;
        for (size_t k = 0; k < 3; ++k)
            system->r[k][i] = i == 1 ? d[k] : 0.0;
    }
    return system;
}

#endif
