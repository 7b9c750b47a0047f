/* SPDX-License-Identifier: MIT */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>

enum { ALIGNMENT = 64 };

void *ph_array_create(size_t count, size_t size)
{
    if (size > 0 && count > (SIZE_MAX - ALIGNMENT) / size)
        return NULL;
    const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *memory = aligned_alloc(ALIGNMENT, bytes > 0 ? bytes : ALIGNMENT);
    if (memory)
        memset(memory, 0, bytes > 0 ? bytes : ALIGNMENT);
    return memory;
}
