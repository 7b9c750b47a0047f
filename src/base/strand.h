/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_STRAND_H
#define PH_BASE_STRAND_H

/* Strands are coroutines: functions that take turns in one thread. Each has a stack of its own, pauses where it has to
 * wait for something, and continues from there when it is resumed. Nothing else interrupts it, so that strands need no
 * locks. */

#include "base/error.h"

struct ph_strand; /* opaque */

/* Begins with the first ph_strand_resume. */
enum ph_status ph_strand_create(void (*function)(void *data), void *data, struct ph_strand **out, struct ph_error *err);
/* Frees a strand that has ended, or not begun; accepts NULL. */
void ph_strand_destroy(struct ph_strand *strand);

/* Continues the strand. Returns true when it pauses, false when it ends. Strands do not resume strands. */
bool ph_strand_resume(struct ph_strand *strand);
/* Within a strand: returns to the caller of ph_strand_resume */
void ph_strand_pause(void);

/* Strands that are made switch as they do on processors with shadow stacks, see strand.c: for tests */
extern bool ph_strands_by_context;

#endif
