/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_BATH_VIEW_H
#define PH_ACCEL_FUNCTIONS_BATH_VIEW_H

/* Data of baths and observables in the memory of a machine, for the bodies of accel/functions/bath_functions.h. */

#include "model/state_sums.h"
#include "state/backend.h"

/* Sums over molecules are made in two steps, each by halves. First a group of molecules with neighbouring numbers
 * becomes one part. Then parts become one number, in PH_PART_SUMS sums of every PH_PART_SUMS-th part first. */
enum { PH_SUM_GROUP = 128, PH_PART_SUMS = 1024 };

/* Constants of a species for sums */
struct ph_sum_kind {
    double half_inverse[PH_BATH_GROUPS]; /* of its mass and moments of inertia, 0 where there is none */
    double dipole[3];                    /* of the whole molecule, body frame */
};

/* Half steps of a bath that are done together: the one after a step, and the one before the next */
enum { PH_BATH_HALVES = 2 };

struct ph_bath_view {
    struct ph_noise_kind *noise; /* of each species */
    struct ph_sum_kind *kind;    /* of each species */
    uint32_t *id;                /* number of each molecule, by which noise is drawn */
    double *parts;               /* PH_STATE_SUMS times so many as there are groups of neighbours */
    double *numbers;             /* PH_BATH_NUMBERS, as in state/scaling.h */
    double *factor;              /* of momenta: of each group, in each half step */
};

#endif
