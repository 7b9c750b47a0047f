/* SPDX-License-Identifier: MIT */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

enum { ALIGNMENT = 64, WORTH_PAGES = 1 << 20 };

/* Whole pages begin .. end of some memory, counted in bytes from where it begins */
struct pages {
    size_t begin, end;
};

/* Gives whole pages back to the system, and returns their range. Linux promises that they are zero at the next use. */
static struct pages empty_pages(void *memory, size_t bytes)
{
#ifdef __linux__
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), begin = (page - (uintptr_t)memory % page) % page;
    const size_t whole = bytes > begin ? (bytes - begin) / page * page : 0;
    if (whole > 0 && madvise((char *)memory + begin, whole, MADV_DONTNEED) == 0)
        return (struct pages){begin, begin + whole};
#else
    (void)memory;
    (void)bytes;
#endif
    return (struct pages){0, 0};
}

void *ph_array_create(size_t count, size_t size)
{
    if (size > 0 && count > (SIZE_MAX - ALIGNMENT) / size)
        return NULL;
    const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char *memory = aligned_alloc(ALIGNMENT, bytes > 0 ? bytes : ALIGNMENT);
    if (memory) {
        const struct pages whole = empty_pages(memory, bytes >= WORTH_PAGES ? bytes : 0);
        memset(memory, 0, whole.begin);
        memset(memory + whole.end, 0, (bytes > 0 ? bytes : ALIGNMENT) - whole.end);
    }
    return memory;
}

void ph_array_release(void *begin, size_t bytes) { (void)empty_pages(begin, bytes); }
