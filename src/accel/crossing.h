/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_CROSSING_H
#define PH_ACCEL_CROSSING_H

/* Tables of the host in the memory of a machine */

#include "accel/machine.h"

/* A copy of an array, to be released; NULL if *status is no longer PH_OK: PH_ERR_MEMORY, without a message, where
 * memory does not suffice. Does nothing if it was none before. */
static inline void *ph_copy_there(const struct ph_machine *machine, const void *here, size_t bytes,
                                  enum ph_status *status, struct ph_error *err)
{
    void *there = *status == PH_OK ? machine->allocate(bytes) : NULL;
    if (there)
        *status = machine->copy_to(there, here, bytes, err);
    else if (*status == PH_OK)
        *status = PH_ERR_MEMORY;
    return there;
}

#endif
