/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_SCHEME_JACOBIAN_H
#define PH_LAB_CERTIFY_SCHEME_JACOBIAN_H

#include "lab/certify/trial.h"

/* One step of whatever is tested, from `start` to `end`; a step that cannot be made gives NaN. */
struct ph_step_map {
    enum ph_status (*step)(void *data, const struct ph_trial_body start[], struct ph_trial_body end[],
                           struct ph_error *err);
    void *data;
};

/* Largest element by which it changes the symplectic two-form, from a state of n molecules; and by which part the
 * volume of phase space, |det J| - 1, unless `volume` is NULL */
enum ph_status ph_two_form_residual(size_t n, bool pinned, const struct ph_trial_body start[],
                                    const struct ph_step_map *map, double *residual, double *volume,
                                    struct ph_error *err);

/* The same for one step of length h from the start of the problem */
enum ph_status ph_symplectic_residual(struct ph_trial *trial, double h, double *residual, double *volume,
                                      struct ph_error *err);

#endif
