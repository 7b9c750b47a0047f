/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_SCHEME_JACOBIAN_H
#define PH_LAB_SCHEME_JACOBIAN_H

#include "lab/scheme_trial.h"

/* Largest element by which one step of length h from the start of the problem changes the symplectic two-form */
enum ph_status ph_symplectic_residual(struct ph_trial *trial, double h, double *residual, struct ph_error *err);

#endif
