/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_TRANSFER_H
#define PH_ACCEL_FUNCTIONS_TRANSFER_H

/* Tables of the host in the memory of a machine */

#include "accel/machines/machine.h"

/* A copy of an array, to be released; *status as where memory is allocated */
static inline void *ph_copy_there(const struct ph_machine *machine, const void *here, size_t bytes,
                                  enum ph_status *status, struct ph_error *err)
{
    void *there = machine->allocate(bytes, status, err);
    if (there)
        *status = machine->copy_to(there, here, bytes, err);
    return there;
}

#endif
