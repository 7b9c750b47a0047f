/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_ENGINE_CURVE_TABLE_H
#define PH_ACCEL_ENGINE_CURVE_TABLE_H

/* Tables and formulas of the user's own in the memory of a machine */

#include "accel/machines/machine.h"

/* Copies all curves that entries and forms name, and has them name the copies. Returns the copies, one array to be
 * released, or NULL: there are none, or *status, as where memory is allocated. */
void *ph_curve_table_make(const struct ph_machine *machine, size_t n_entries, struct ph_site_entry entry[],
                          size_t n_forms, struct ph_angular_entry form[], enum ph_status *status, struct ph_error *err);

#endif
