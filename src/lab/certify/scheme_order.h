/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_CERTIFY_SCHEME_ORDER_H
#define PH_LAB_CERTIFY_SCHEME_ORDER_H

#include "lab/certify/trial.h"
#include "lab/power_law.h"

/* The true motion before and after the middle of single steps, from long steps to short ones */
enum { PH_SINGLE_STEPS = 48 };
struct ph_single_steps {
    const struct ph_trial_problem *problem;
    double step[PH_SINGLE_STEPS];
    struct ph_trial_body before[PH_SINGLE_STEPS][PH_MIDDLES][PH_TRIAL_MOST];
    struct ph_trial_body after[PH_SINGLE_STEPS][PH_MIDDLES][PH_TRIAL_MOST];
};
enum ph_status ph_single_steps_init(const struct ph_trial_problem *problem, struct ph_single_steps *steps,
                                    struct ph_error *err);

/* `inner`: of a nested scheme, or NULL.
 *
 * The order from errors of one step; resolved if it is at half of the middles, and then the median of these */
enum ph_status ph_order_of_one_step(const struct ph_scheme *scheme, const struct ph_scheme *inner,
                                    const struct ph_flow *flow, const struct ph_single_steps *steps,
                                    struct ph_order *order, struct ph_error *err);

/* Errors at the end of the problem, from long steps to short ones */
enum ph_status ph_errors_at_the_end(const struct ph_scheme *scheme, const struct ph_scheme *inner,
                                    const struct ph_flow *flow, const struct ph_trial_problem *problem,
                                    struct ph_errors *errors, struct ph_error *err);

/* The longest step such that shorter steps have errors below `bound`, between two that were tried; NaN if there is
 * none */
double ph_step_for_error(const struct ph_errors *errors, double bound);

#endif
