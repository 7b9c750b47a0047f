/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_ARRAYS_H
#define PH_RUN_ARRAYS_H

/* The state of a system as arrays with one row per molecule, in the order of their numbers: as polhode.h has them. */

#include "model/system.h"

#include <stdbool.h>

void ph_arrays_read(const struct ph_system *system, enum ph_array which, double *to);

/* PH_ERR_INPUT for impossible values, naming the molecule; the system is then unchanged. */
enum ph_status ph_arrays_write(const double *from, enum ph_array which, struct ph_system *system, struct ph_error *err);

/* Where the system has the quantity; false if it has no such memory, or not in the order of the numbers */
bool ph_arrays_view(const struct ph_system *system, enum ph_array which, struct ph_view *view);

/* The quantity was written where the system has it. PH_ERR_INPUT as before; else quaternions get length 1, and centres
 * come into the box. */
enum ph_status ph_arrays_accept(enum ph_array which, struct ph_system *system, struct ph_error *err);

/* All of the state that the arrays have */
enum ph_status ph_arrays_write_all(const struct ph_arrays *arrays, struct ph_system *system, struct ph_error *err);

#endif
