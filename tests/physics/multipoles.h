/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_MULTIPOLES_H
#define PH_TESTS_MULTIPOLES_H

/* Molecules with point quadrupoles */

#include "angular_reference.h"

static inline struct ph_angular quadrupole(double q)
{
    return (struct ph_angular){PH_ANGULAR_QUADRUPOLE, {[PH_QUADRUPOLE_Q] = q}};
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

#endif
