/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_ENGINE_BATCH_H
#define PH_ACCEL_ENGINE_BATCH_H

/* Runs many small systems in one batch on one machine. Runs take turns in one thread (base/system/coroutine.h), each
 * with its own engine and memory. The batch collects their jobs until all runs wait. Then one launch does the same task
 * for all runs that need it, and all runs continue. So no run depends on another, and each gives the same bits as
 * alone. Systems need not be alike, but similar ones share more launches. */

#include "accel/machines/machine.h"

/* Largest number of runs at once */
enum { PH_BATCH_MOST = 256 };

struct ph_batch {
    /* Returns the next run to begin while `active` runs are in progress; false: none now. */
    bool (*next)(size_t active, size_t *run, void *data);
    /* Does a whole run. Its engine uses the machine that ph_batch_machine returns within this call. */
    void (*run)(size_t run, void *data);
    void *data;
};

/* Does runs until none is in progress and none is left to begin; up to `most` at once, 1 .. PH_BATCH_MOST.
 * PH_ERR_MEMORY: no memory for the first run. */
enum ph_status ph_batch_run(size_t most, const struct ph_batch *batch, struct ph_error *err);

/* Within a batch, returns a machine that collects jobs of all runs for this one; else returns this machine itself */
const struct ph_machine *ph_batch_machine(const struct ph_machine *machine);

#endif
