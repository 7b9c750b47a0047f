/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_SYSTEM_COROUTINE_H
#define PH_BASE_SYSTEM_COROUTINE_H

/* Coroutines are coroutines: functions that take turns in one thread. Each has a stack of its own, pauses where it has
 * to wait for something, and continues from there when it is resumed. Nothing else interrupts it, so that coroutines
 * need no locks. */

#include "base/error.h"

struct ph_coroutine; /* opaque */

/* Begins with the first ph_coroutine_resume. */
enum ph_status ph_coroutine_create(void (*function)(void *data), void *data, struct ph_coroutine **out,
                                   struct ph_error *err);
/* Frees a coroutine that has ended, or not begun; accepts NULL. */
void ph_coroutine_destroy(struct ph_coroutine *coroutine);

/* Continues the coroutine. Returns true when it pauses, false when it ends. Coroutines do not resume coroutines. */
bool ph_coroutine_resume(struct ph_coroutine *coroutine);
/* Within a coroutine: returns to the caller of ph_coroutine_resume */
void ph_coroutine_pause(void);

/* Coroutines that are made switch as they do on processors with shadow stacks, see coroutine.c: for tests */
extern bool ph_coroutines_by_context;

#endif
