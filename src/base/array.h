/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_ARRAY_H
#define PH_BASE_ARRAY_H

/* Memory for loops over lanes: cache-line aligned, zeroed, with room for a last full block of lanes. */

#include "base/lanes.h"

#include <stddef.h>

/* n rounded up to a multiple of PH_LANES */
PH_INLINE size_t ph_padded(size_t n) { return (n + PH_LANES - 1) / PH_LANES * PH_LANES; }

/* `count` elements of `size` bytes, zeroed and aligned to 64 bytes; free() releases it. NULL without memory, and for
 * sizes that overflow. Zero elements give a valid pointer. */
void *ph_array_create(size_t count, size_t size);

/* Gives memory that is no longer needed back to the system, as far as it is whole pages and the system takes them. Its
 * contents are undefined afterwards. It may be used again. */
void ph_array_release(void *begin, size_t bytes);

#endif
