/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_ENGINE_MEETING_H
#define PH_ACCEL_ENGINE_MEETING_H

/* Many small systems on one machine. Runs take turns in one thread (base/strand.h), each with an engine and memory of
 * its own. What they ask the machine for is kept until all of them wait for it; then all who ask for the same task have
 * it done in one launch, and all go on. So nothing of a run depends on the others, and its bits are those that it has
 * alone. Systems need not be alike, but those that are share more launches. */

#include "accel/machines/machine.h"

/* So many runs at most at once */
enum { PH_MEETING_MOST = 256 };

struct ph_meeting {
    /* The next run to begin, where `active` others are under way; false: none now. */
    bool (*next)(size_t active, size_t *run, void *data);
    /* From its beginning to its end. Its engine has the machine that ph_meeting_machine returns within this call. */
    void (*run)(size_t run, void *data);
    void *data;
};

/* Until there is no run under way and none to begin; up to `most` at once, 1 .. PH_MEETING_MOST. PH_ERR_MEMORY: there
 * was none for the first. */
enum ph_status ph_meeting_hold(size_t most, const struct ph_meeting *meeting, struct ph_error *err);

/* Within a meeting a machine that does tasks of this one when all have asked for theirs; else this machine itself */
const struct ph_machine *ph_meeting_machine(const struct ph_machine *machine);

#endif
