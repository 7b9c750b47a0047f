/* SPDX-License-Identifier: MIT */
#ifndef PH_MODEL_STATE_SUMS_H
#define PH_MODEL_STATE_SUMS_H

/* Sums over all molecules of a state, for observables. */

#include "model/system.h"

struct ph_state_sums {
    double kinetic[3][3];       /* p p^T / 2m */
    double axis[3];             /* m_k^2 / 2 I_k */
    double momentum[3];         /* p */
    double angular_momentum[3]; /* r x p + Q m, about the origin, with unwrapped positions */
    double dipole[3], force[3];
};

/* Number of sums, for loops that treat the struct as a row of doubles */
enum { PH_STATE_SUMS = sizeof(struct ph_state_sums) / sizeof(double) };

/* Sums in the order of the molecules' numbers: the same for any number of threads */
void ph_state_sum(const struct ph_system *system, struct ph_state_sums *sums);
/* Adds more molecules to the sums */
void ph_state_sum_add(const struct ph_system *system, struct ph_state_sums *sums);

#endif
