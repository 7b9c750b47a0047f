/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_BATH_VIEW_H
#define PH_ACCEL_BATH_VIEW_H

/* What baths have in the memory of a machine, for the bodies of accel/bath_bodies.h. */

#include "dynamics/backend.h"

/* Sums over molecules are made in two steps, each by halves: a group of neighbours by their numbers becomes one part,
 * and parts become one number, in PH_PART_SUMS sums of every PH_PART_SUMS-th first. */
enum { PH_SUM_GROUP = 128, PH_PART_SUMS = 1024 };

struct ph_bath_view {
    uint64_t seed, index;          /* of noise */
    double factor[PH_BATH_GROUPS]; /* of momenta */
    struct ph_noise_kind *noise;   /* of each species */
    double *half_inverse;          /* of each species: of its mass and moments of inertia, 0 where there is none */
    uint32_t *id;                  /* number of each molecule, by which noise is drawn */
    double *parts;                 /* PH_BATH_GROUPS times so many as there are groups of neighbours */
    double *heat;                  /* of noise, since it was written */
};

#endif
