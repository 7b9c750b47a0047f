/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_ENERGY_H
#define PH_FORCE_ENERGY_H

/* Results of the terms of a force field besides forces and torques */

#include <stddef.h>

/* Energies by term, and the molecular virial tensor, the sum over pairs of R_ij F_ij^T with R_ij the distance of
 * centres, such that the pressure tensor is (sum p p^T/m + virial)/V. External fields do not enter. */
struct ph_energy {
    double radial, electric;  /* pairs: Mie and the like, charges and dipoles */
    double waves;             /* reciprocal space of an Ewald sum, with self and surface terms */
    double long_range, field; /* tail; external */
    double bias;              /* of PLUMED; unlike external fields it enters the virial */
    double virial[3][3];
};
double ph_energy_total(const struct ph_energy *energy); /* the sum over all terms */

enum { PH_LIST_BOXES = 18 }; /* numbers of the boxes of a list */

/* Data that a resumed run needs to sum in the same order as an uninterrupted one, and the anchors of tethers: positions
 * of all centres, arrays of n, NULL where there are none. The field owns the arrays. */
struct ph_force_memory {
    double *built_at[3], *thinned_at[3]; /* when the list was made, and when it was last thinned out; */
    const double *boxes; /* edges of the box at these two times, PH_LIST_BOXES numbers. NULL: the present one */
    double *anchor[3];
    double *near_built_at[3], *near_thinned_at[3]; /* the same of the short list of a fast part */
    const double *near_boxes;
};

/* Processor seconds of the calling thread that evaluations on a mesh took */
struct ph_mesh_times {
    double spread, transform, gather;
};

/* For reports: pairs of molecules in the list (of this process, where several share it), site pairs evaluated for them,
 * lists made so far */
struct ph_force_counts {
    size_t molecule_pairs, site_pairs, lists_made, lists_thinned;
    size_t near_pairs; /* of molecules in the short list of a fast part (of this process, too); 0 without */
    struct ph_mesh_times mesh;
};

/* A motion of all molecules, and how forces change along it: arrays of n, in space */
struct ph_rates {
    double *const *velocity, *const *omega; /* given: of centres, and of rotation */
    double *const *force, *const *torque;   /* terms add to these */
};

#endif
