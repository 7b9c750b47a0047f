/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_MEMORY_H
#define PH_BASE_MEMORY_H

/* Memory for code that reads and writes files in many small functions. These return only whether they succeeded, and
 * skip missing items. Their callers check whether memory was refused meanwhile. So lack of memory is not reported as a
 * damaged file or a missing item. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

void *ph_allocate(size_t count, size_t size); /* zeroed; free() releases it; NULL without memory */
void *ph_reallocate(void *memory, size_t count, size_t size);
char *ph_copy_text(const char *text);

/* How often this thread was refused memory, by these functions or by ph_count_refusal; only changes matter. */
unsigned long ph_refusals(void);
/* The status; or PH_ERR_MEMORY, naming this file, if memory was refused since ph_refusals() was `before`. */
enum ph_status ph_status_since(unsigned long before, enum ph_status status, const char *file, struct ph_error *err);
void ph_count_refusal(void); /* for functions that meet PH_ERR_MEMORY but can only return false */

/* Would the system refuse 256 MB now? Asks it for pages, not the allocator, which may clear or mark them all. For
 * handlers of signals too. */
bool ph_memory_is_short(void);

#endif
