/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local unsigned long refusals;

unsigned long ph_refusals(void) { return refusals; }

void ph_count_refusal(void) { ++refusals; }

static void *counted(void *memory)
{
    refusals += memory == NULL;
    return memory;
}

void *ph_allocate(size_t count, size_t size)
{
    return counted(calloc(count > 0 ? count : 1, size)); /* of nothing: memory all the same */
}

void *ph_reallocate(void *memory, size_t count, size_t size)
{
    return counted(size > 0 && count > SIZE_MAX / size ? NULL : realloc(memory, count * size));
}

char *ph_copy_text(const char *text) { return counted(strdup(text)); }
