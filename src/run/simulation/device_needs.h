/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_DEVICE_NEEDS_H
#define PH_RUN_SIMULATION_DEVICE_NEEDS_H

/* Refuses inputs that need an operation which a state of kind device lacks (ph_state_device_lacks). Runs on the
 * processor are never refused. */

#include "input/input.h"
#include "run/build/methods.h"
#include "state/state.h"

/* The methods and outputs of stage k */
enum ph_status ph_device_check(const struct ph_input *input, size_t k, const struct ph_methods *methods,
                               struct ph_error *err);
/* Forces that something outside the program computes: `where` begins the message, `what` acts. */
enum ph_status ph_device_check_outside(const struct ph_input *input, const char *where, const char *what,
                                       struct ph_error *err);

#endif
