/* SPDX-License-Identifier: MIT */
#ifndef PH_MODEL_UNITS_H
#define PH_MODEL_UNITS_H

/* The physical constants that the choice of units fixes. md: kJ/mol, nm, e, K, from CODATA 2018 (exact k, e, N_A, and
 * eps0 = 8.8541878128e-12 F/m). */
struct ph_units {
    const char *name;
    double coulomb;   /* energy of two unit charges at unit distance */
    double boltzmann; /* energy per unit of temperature */
};
const struct ph_units *ph_units_find(const char *name); /* NULL if unknown */

static const double ph_kilograms_per_cubic_metre = 1.66053906660; /* density of 1 u per nm^3 */
/* 1 e nm in debye: 1e-9 m * 1.602176634e-19 C over 1e-21 C m^2/s / (299792458 m/s) */
static const double ph_debye_of_e_nm = 48.03204712570;

#endif
