/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LOOPS_TWO_MOLECULES_H
#define PH_FORCE_PAIRS_LOOPS_TWO_MOLECULES_H

/* Two molecules in open space, from the kernels of the force field, but without its lists and threads: their energy,
 * for integrals over the potential, which evaluate it millions of times, and their forces, for sums over pairs that
 * need the force of each pair by itself. */

#include "force/pairs/pair_table.h"

enum { PH_PAIR_FIELDS = 6 * PH_SITES_MAX };

/* Each thread has its own; the table is shared. */
struct ph_two_molecules {
    const struct ph_species *species[2];                 /* not owned */
    const struct ph_layout *layout[2];                   /* of the table */
    const struct ph_site_pairs *pairs;                   /* of the table */
    double about[2][PH_PAIR_FIELDS];                     /* fields of each molecule about its centre, turned */
    PH_ALIGNED double rows[PH_PAIR_FIELDS][PH_LANES];    /* of the second one, in the first lane */
    PH_ALIGNED double results[PH_PAIR_FIELDS][PH_LANES]; /* forces and fields; energies do not need them */
};

/* Molecules of species a and b of the table; both start with the orientation 1. */
void ph_two_molecules_init(const struct ph_system *system, const struct ph_pair_table *table, size_t a, size_t b,
                           struct ph_two_molecules *two);

/* Turns one of them (0 or 1) to the orientation q. */
void ph_two_molecules_turn(struct ph_two_molecules *two, int which, const double q[4]);

/* Computes radial and electric energy with the centre of the second at `displacement` from the centre of the first; not
 * finite, or beyond 1e100, if sites are in one place */
void ph_two_molecules_energy(struct ph_two_molecules *two, const double displacement[3], double *radial,
                             double *electric);

/* Takes the fields of one of them (0 or 1) from a record of its sites in space, with its centre at r. */
void ph_two_molecules_set(struct ph_two_molecules *two, int which, const double *record, const double r[3]);

/* The interaction of the two: energy, force on the second (the opposite acts on the first), torques about the centres
 */
struct ph_two_forces {
    double energy, force[3], torque[2][3];
};
void ph_two_molecules_forces(struct ph_two_molecules *two, const double displacement[3], struct ph_two_forces *out);

#endif
