/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_H5MD_DISK_H
#define PH_TESTS_H5MD_DISK_H

/* A disk that stops after a number of changes: the program that includes this sees these functions instead of those of
 * the C library. Either the process ends at that instant, as if killed, or every further change fails as on a full
 * disk. Include it once in a program. */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DISK_KILLED = 77 }; /* exit status */

static struct {
    bool limited, full, stopped;
    long left;
} disk;

static inline void disk_stops_after(long changes, bool full)
{
    disk.limited = true;
    disk.full = full;
    disk.stopped = false;
    disk.left = changes;
}

static inline void disk_works(void) { disk.limited = false; }

static inline bool disk_stopped(void) { return disk.stopped; }

/* May this change happen? */
static inline bool disk_changes(void)
{
    if (!disk.limited || disk.left-- > 0)
        return true;
    if (!disk.full)
        _exit(DISK_KILLED);
    disk.stopped = true;
    errno = ENOSPC;
    return false;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t n, off_t offset)
{
    if (!disk_changes())
        return -1;
    return syscall(SYS_pwrite64, descriptor, bytes, n, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t n)
{
    if (descriptor > STDERR_FILENO && !disk_changes())
        return -1;
    return syscall(SYS_write, descriptor, bytes, n);
}

int ftruncate(int descriptor, off_t length)
{
    if (!disk_changes())
        return -1;
    return (int)syscall(SYS_ftruncate, descriptor, length);
}

int link(const char *from, const char *to)
{
    if (!disk_changes())
        return -1;
    return (int)syscall(SYS_linkat, -100, from, -100, to, 0);
}

int rename(const char *from, const char *to)
{
    if (!disk_changes())
        return -1;
    return (int)syscall(SYS_renameat2, -100, from, -100, to, 0);
}

#endif
