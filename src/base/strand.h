/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_STRAND_H
#define PH_BASE_STRAND_H

/* Functions that take turns in one thread: each has a stack of its own, pauses where it has to wait for something, and
 * goes on from there when it is resumed. Nothing else interrupts it, so that strands need no locks. */

#include "base/error.h"

struct ph_strand; /* opaque */

/* Begins with the first ph_strand_resume. */
enum ph_status ph_strand_create(void (*function)(void *data), void *data, struct ph_strand **out, struct ph_error *err);
/* Of one that has ended, or not begun; accepts NULL. */
void ph_strand_destroy(struct ph_strand *strand);

/* Goes on until it pauses: true; or ends: false. Strands do not resume strands. */
bool ph_strand_resume(struct ph_strand *strand);
/* Within a strand: back to who has resumed it */
void ph_strand_pause(void);

/* Strands that are made switch as they do on processors with shadow stacks, see strand.c: for tests */
extern bool ph_strands_by_context;

#endif
