/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_FREE_ENERGY_INSERTION_H
#define PH_LAB_FREE_ENERGY_INSERTION_H

/* Test molecules: the mean of exp(-u/kT) over the orientations of a molecule that is put somewhere into a frame, with u
 * its energy with all molecules there and with external fields. Only pairs count, and a reaction field is a pair
 * interaction.
 *
 * A molecule whose only site is in its centre, and turns nothing but a dipole mu, has u = u0 - mu.E. The mean over
 * orientations is then exact: exp(-u0/kT) sinh(x)/x with x = mu |E|/kT. Of other molecules `orientations` random ones
 * are taken at each place.
 *
 * Charges are points. As in lab/virial.h, molecules whose radial terms alone exceed 1000 kT are forbidden. */

#include "base/random.h"
#include "force/pairs/pair_table.h"

struct ph_insertion_task {
    const struct ph_system *system; /* its species and numbers of molecules; none of this is owned */
    const struct ph_pair_table *table;
    const struct ph_interactions *interactions;
    size_t species; /* of the test molecule */
    size_t n;       /* molecules of a frame, the first ones of the system */
    double kT;
    size_t orientations;
};

/* Returns true if the mean over orientations is exact, or there is none to take. */
bool ph_insertion_is_exact(const struct ph_insertion_task *task);

struct ph_insertion;                                                            /* of one thread */
struct ph_insertion *ph_insertion_create(const struct ph_insertion_task *task); /* NULL without memory */
void ph_insertion_destroy(struct ph_insertion *insertion);

/* The molecules are here from now on: three numbers for each centre, four for each orientation (NULL: all points).
 * Centres may lie outside the box.
 * False: no memory. */
bool ph_insertion_frame(struct ph_insertion *insertion, const struct ph_box *box, const double *centre,
                        const double *orientation);

/* The mean over orientations of exp(-u/kT) of a test molecule whose centre is at r, inside the box */
double ph_insertion_weight(struct ph_insertion *insertion, const double r[3], struct ph_random *random);

/* The energy of a test molecule of one orientation; INFINITY if it is forbidden */
double ph_insertion_energy(struct ph_insertion *insertion, const double r[3], const double q[4]);

#endif
