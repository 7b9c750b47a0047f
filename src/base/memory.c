/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Thread_local unsigned long refusals;

unsigned long ph_refusals(void) { return refusals; }

void ph_count_refusal(void) { ++refusals; }

enum ph_status ph_status_since(unsigned long before, enum ph_status status, const char *file, struct ph_error *err)
{
    if (before == refusals || status == PH_ERR_MEMORY)
        return status;
    return ph_error_set(err, PH_ERR_MEMORY, "%s: not enough memory for its contents.", file);
}

static void *counted(void *memory)
{
    refusals += memory == NULL;
    return memory;
}

void *ph_allocate(size_t count, size_t size)
{
    return counted(calloc(count > 0 ? count : 1, size)); /* never of size 0 */
}

void *ph_reallocate(void *memory, size_t count, size_t size)
{
    return counted(size > 0 && count > SIZE_MAX / size ? NULL : realloc(memory, count * size));
}

char *ph_copy_text(const char *text) { return counted(strdup(text)); }

bool ph_memory_is_short(void)
{
    const size_t some = (size_t)1 << 28;
    void *probe = mmap(NULL, some, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe != MAP_FAILED)
        munmap(probe, some);
    return probe == MAP_FAILED;
}
