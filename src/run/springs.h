/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SPRINGS_H
#define PH_RUN_SPRINGS_H

/* Springs that take overlapping molecules apart. Between two sites with a radial interaction acts a spring of constant
 * 1 that ends at `nearest` times the mean of their sigmas. */

#include "model/system.h"

/* Wraps all molecules into the box. Fills f and t with the forces and torques (space frame) of the springs alone. */
enum ph_status ph_springs_evaluate(struct ph_system *system, double nearest, struct ph_error *err);

#endif
