/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_MEMORY_H
#define PH_BASE_MEMORY_H

/* Memory for those who read and write files, in many small functions that know of themselves only whether they
 * succeeded, and leave out what they do not find. "There is no memory" must not become "the file is damaged" or "there
 * is no such thing" on its way up: whoever calls them looks whether memory was refused meanwhile. */

#include "base/error.h"

#include <stddef.h>

void *ph_allocate(size_t count, size_t size); /* zeroed; free() releases it; NULL without memory */
void *ph_reallocate(void *memory, size_t count, size_t size);
char *ph_copy_text(const char *text);

/* How often this thread was refused memory, by these or as it counted itself; whether it has changed is what matters.
 */
unsigned long ph_refusals(void);
/* The status; PH_ERR_MEMORY, for this file, if memory was refused since there had been so many refusals. */
enum ph_status ph_status_since(unsigned long before, enum ph_status status, const char *file, struct ph_error *err);
void ph_count_refusal(void); /* where PH_ERR_MEMORY comes out, and nothing can be returned but false */

#endif
