/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_ENGINE_ENGINE_H
#define PH_ACCEL_ENGINE_ENGINE_H

/* A system on a machine: the backend of the dynamics. State, lists and forces stay there; only requested data are
 * transferred to the host. */

#include "accel/machines/machine.h"
#include "force/interactions.h"
#include "state/backend.h"

/* `name` is how messages call the backend. PH_ERR_INPUT for features that a machine does not have, with the key first
 * in the message; PH_ERR_MEMORY if the memory of the machine does not suffice. */
enum ph_status ph_engine_create(const struct ph_machine *machine, const char *name, const struct ph_system *system,
                                const struct ph_interactions *interactions, bool compensated, struct ph_backend **out,
                                struct ph_error *err);

/* Lists made so far, and partners of all molecules in the present one; 0 without lists. For reports and tests */
struct ph_engine_counts {
    size_t lists_made, partners;
};
enum ph_status ph_engine_count(struct ph_backend *backend, struct ph_engine_counts *counts, struct ph_error *err);

/* Returns the transfers since this engine was made. Call it from the thread that made it; engines of one thread count
 * together. */
struct ph_transfer_counts ph_engine_transfer_counts(const struct ph_backend *backend);

#endif
