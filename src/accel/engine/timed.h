/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_ENGINE_TIMED_H
#define PH_ACCEL_ENGINE_TIMED_H

/* Where the time of steps on a machine goes. A timed machine does what another does, and takes the time before and
 * after each task. Tasks follow each other there, so that the rest of the time is that between tasks. */

#include "accel/machines/machine.h"

enum ph_timed_part {
    PH_TIMED_FORCES,   /* of pairs */
    PH_TIMED_WAVES,    /* reciprocal space: mesh or waves */
    PH_TIMED_EXTERNAL, /* external fields */
    PH_TIMED_SLOTS,    /* wrapping, cells, slots */
    PH_TIMED_PARTNERS, /* search for partners */
    PH_TIMED_MOTION,   /* drift and kick */
    PH_TIMED_BATHS,
    PH_TIMED_SUMS,
    PH_TIMED_PARTS
};

struct ph_timed {
    struct {
        size_t launches;
        double seconds;
    } part[PH_TIMED_PARTS];
};

const char *ph_timed_name(enum ph_timed_part part);

/* This machine, timed; for one engine at a time in each thread. Begins to count anew. */
const struct ph_machine *ph_timed_machine(const struct ph_machine *machine);

/* Counts so far, after all tasks have ended. `all`: the seconds from the first task to the end of the last one */
enum ph_status ph_timed_read(struct ph_timed *timed, double *all, struct ph_error *err);
/* Begins to count anew */
void ph_timed_restart(void);
/* Frees what measurements need, when the engine is gone */
void ph_timed_release(void);

#endif
