/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_FLUID_H
#define PH_FORCE_LONGRANGE_FLUID_H

/* A model of a fluid for errors of an Ewald sum, without any configuration. It holds the arrangement of charges in
 * molecules, and the strength of the forces that errors are compared with. B(k) and s(k) are as in mesh_error.c. B is
 * the mean of |rho(k)|^2 of a molecule over orientations, summed over all molecules. s B is the mean of |rho(k)|^2 of
 * all molecules together. */

/* Molecules in a fluid are correlated. At long waves their charges screen each other as in a plasma,
 *   s(k) = 1/(1 + 4 pi B(k)/(V k^2 T) c(k a)),   a = (V/N)^(1/3),   T = k_B T/coulomb,
 * which is 1/(1 + 3y) for dipoles and k^2/(k^2 + kappa^2) for ions; c ends this at waves shorter than a molecule's
 * room.
 *
 * Without it, errors would be too large by a factor of 3 (dipoles) to 100 (a salt). Its strength matters little, and
 * one value serves all: the fraction without c is 8 at k = 3/a (found: Stockmayer 7, water 18, molten NaCl 60). */

/* The force that an error is compared with comes from near neighbours: <F^2> = A (B(k*)/N)^2/a^4 with k* = X/a,
 * A = 0.35 and X = 6. In a gas, where they are nearer than a, it is larger than that, and the error smaller than
 * expected. */

#include "force/interactions.h"
#include "force/longrange/split.h"
#include "model/box.h"
#include "model/species.h"

enum { PH_FLUID_TABLE = 512 };

struct ph_fluid {
    double n, n_sites; /* molecules that have a site with a charge, a dipole or a quadrupole; such sites */
    /* sums over sites of q^2, mu^2, M:M (quadrupole_sites.h), in a unit of charges that is a power of two */
    double charge2, dipole2, tensor2;
    double volume, a;
    double screening;               /* 4 pi/(V T) */
    double step;                    /* of the table */
    double between[PH_FLUID_TABLE]; /* part of B from pairs of sites of one molecule, at k = 0, step, 2 step, ... */
};

/* Species s has first[s+1] - first[s] molecules. */
void ph_fluid_init(const struct ph_box *box, size_t n_species, const struct ph_species *species, const size_t *first,
                   struct ph_fluid *fluid);

double ph_fluid_density(const struct ph_fluid *fluid, double k2);     /* B(k) */
double ph_fluid_correlation(const struct ph_fluid *fluid, double k2); /* s(k) */
/* (4 pi/(k^2 V))^2/N times the density of modes, V/(2 pi)^3 */
double ph_fluid_modes(const struct ph_fluid *fluid, double k2);
/* Square of the rms force on a molecule; 0 without charges and dipoles */
double ph_fluid_force2(const struct ph_fluid *fluid);

/* Mean squares of errors of forces. Errors of pairs come from the polynomials of Bessel's split, or from the truncation
 * of the interactions with Gauss' split. Errors of waves are for a direct sum without the waves from k on. */
double ph_fluid_pairs_error2(const struct ph_fluid *fluid, const struct ph_interactions *interactions,
                             const struct ph_split *split);
double ph_fluid_polynomials_error2(const struct ph_fluid *fluid, const struct ph_split *split);
double ph_fluid_waves_error2(const struct ph_fluid *fluid, const struct ph_split *split, double k);

#endif
