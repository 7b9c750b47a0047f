/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_MULTIPOLES_H
#define PH_TESTS_MULTIPOLES_H

/* Molecules with point quadrupoles */

#include "angular_reference.h"

static inline struct ph_angular quadrupole(double q)
{
    return (struct ph_angular){PH_ANGULAR_QUADRUPOLE, {[PH_QUADRUPOLE_Q] = q}};
}

/* Any quadrupole, with these moments along the axes of its site */
static inline struct ph_angular quadrupole_of(double x, double y, double z)
{
    return (struct ph_angular){PH_ANGULAR_QUADRUPOLE, {[PH_QUADRUPOLE_MOMENTS] = x, y, z}};
}

/* The rotation that turns z to u */
static inline void turn_to(const double u[3], double q[4])
{
    q[0] = 1.0 + u[2];
    q[1] = -u[1];
    q[2] = u[0];
    q[3] = 0.0;
}

/* Two Lennard-Jones centres and a quadrupole between them */
static inline struct ph_species make_2cljq(double length, double q)
{
    struct ph_species species = {.name = "2cljq", .n_sites = 3};
    const struct ph_angular form = quadrupole(q);
    species.site[0] = angular_site(&form);
    species.site[0].mass = 0.0;
    species.site[1] = site_at("B", 0.5, 0.0, lennard_jones, 1, 1, 0, 0, 0.5 * length);
    species.site[2] = site_at("B", 0.5, 0.0, lennard_jones, 1, 1, 0, 0, -0.5 * length);
    assert_ok(ph_species_complete(&species, NULL, NULL, &err));
    return species;
}

/* A 2CLJQ rotor, a body whose first site has a charge, a dipole, a quadrupole with three other axes and a Lennard-Jones
 * centre, an ellipsoid with a quadrupole, and water */
static inline struct ph_system *make_multipole_mixture(size_t each, const struct ph_box *box, double apart,
                                                       uint64_t seed)
{
    struct ph_species species[4] = {
        make_2cljq(0.505, 1.4), make_molecule(CHIRAL, lennard_jones), {.name = "rod", .n_sites = 2}};
    const struct ph_angular form = quadrupole_of(0.9, -0.2, -0.7), other = quadrupole(0.9), rod = classic(1.5, 2, 2, 1);
    static const double turn[3][3] = {{0, 0.6, 0.8}, {1, 0, 0}, {0, 0.8, -0.6}};
    species[1].site[0].angular = form;
    memcpy(species[1].site[0].axis, turn, sizeof turn);
    species[2].site[0] = angular_site(&rod);
    species[2].site[1] = angular_site(&other);
    species[2].site[1].mass = 0.0;
    species[2].site[1].position[2] = 0.1;
    snprintf(species[2].site[1].name, sizeof species[2].site[1].name, "Q");
    assert_ok(ph_species_complete(&species[2], NULL, (const double[]){0.5, 0.5, 0.0}, &err));
    species[3] = make_molecule(WATER, lennard_jones);
    return make_at_random(4, species, (const size_t[]){each, each, each, each}, box, apart, seed);
}

#endif
