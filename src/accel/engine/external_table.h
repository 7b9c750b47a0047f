/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_ENGINE_EXTERNAL_TABLE_H
#define PH_ACCEL_ENGINE_EXTERNAL_TABLE_H

/* External fields in the memory of a machine, for accel/functions/external_functions.h. */

#include "accel/machines/machine.h"
#include "force/interactions.h"

/* `external` is all zero before; ph_external_table_release is safe after a failure, too. */
enum ph_status ph_external_table_make(const struct ph_machine *machine, const char *name,
                                      const struct ph_system *system, const struct ph_interactions *interactions,
                                      struct ph_external_view *external, struct ph_error *err);
void ph_external_table_release(const struct ph_machine *machine, struct ph_external_view *external);

#endif
