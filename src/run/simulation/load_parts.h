/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_LOAD_PARTS_H
#define PH_RUN_SIMULATION_LOAD_PARTS_H

/* The state of a checkpoint that the processes of a team read together: each reads molecules of a range of numbers
 * (base/ranges.h), and never has room for more; when the list is made again they go to their owners. All call these,
 * with a system that was reserved. Bits are those of one process. */

#include "force/force_field.h"
#include "output/checkpoint/checkpoint.h"

/* `in_order`: molecules lie in the order of their numbers. Otherwise they cannot be read in parts. */
enum ph_status ph_load_parts_system(const struct ph_checkpoint *checkpoint, struct ph_system *system, bool *in_order,
                                    struct ph_error *err);
/* Then what goes with them: anchors; residuals, NULL without; and if `lists` is true, the list, as it was */
enum ph_status ph_load_parts_memory(const struct ph_checkpoint *checkpoint, bool lists, double *const *residuals,
                                    struct ph_system *system, struct ph_force_field *field, struct ph_error *err);

#endif
