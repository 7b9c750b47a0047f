/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_EWALD_H
#define PH_FORCE_LONGRANGE_EWALD_H

/* What an Ewald sum adds to the screened interactions of pairs: the sum over waves, without what molecules do to
 * themselves, and the field of a polarised sphere in a continuum.
 * P. P. Ewald, Ann. Phys. 369 (1921) 253; in a continuum, with dipoles: S. W. de Leeuw, J. W. Perram, E. R. Smith,
 * Proc. R. Soc. London A 373 (1980) 27; forces and stress of multipoles: A. Aguado, P. A. Madden, J. Chem. Phys. 119
 * (2003) 7471. */

#include "force/pairs/pair_table.h"

struct ph_ewald; /* opaque */

/* Fills in what of interactions->ewald is left open. Fails for an open box, no cutoff, or a tolerance out of range. */
enum ph_status ph_ewald_settle(const struct ph_box *box, struct ph_interactions *interactions, struct ph_error *err);

/* The interactions are settled. Fails for a box with a net charge; and around a dielectric for ions, since the dipole
 * moment of a box of ions depends on where it is cut. */
enum ph_status ph_ewald_create(const struct ph_system *system, const struct ph_interactions *interactions,
                               const struct ph_pair_table *table, struct ph_ewald **out, struct ph_error *err);
void ph_ewald_destroy(struct ph_ewald *ewald);

/* Adds forces and torques to system->f and system->t, and the virial; returns the energy. `site` has a record of
 * positions and dipoles for each molecule, laid out as the table says. */
double ph_ewald_add(struct ph_ewald *ewald, const struct ph_pair_table *table, struct ph_system *system,
                    const double *site, double virial[3][3]);

/* Adds the rates of forces and torques while molecules move with `velocity` and turn with `omega`, where the last
 * call of ph_ewald_add left them. */
enum ph_status ph_ewald_add_rates(struct ph_ewald *ewald, const struct ph_pair_table *table,
                                  const struct ph_system *system, const double *site, double *const velocity[3],
                                  double *const omega[3], double *const force_rate[3], double *const torque_rate[3],
                                  struct ph_error *err);

#endif
