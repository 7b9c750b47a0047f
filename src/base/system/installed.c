/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dladdr */
#include "base/system/installed.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static bool beside(const char *file, const char *way, char folder[PATH_MAX])
{
    char path[2 * PATH_MAX];
    const char *slash = strrchr(file, '/');
    if (!slash)
        return false;
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - file), file, way);
    return realpath(path, folder) != NULL;
}

bool ph_own_program(char program[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", program, PATH_MAX - 1);
    program[length > 0 ? length : 0] = '\0';
    if (length > 0)
        return true;
    const char *started = (const char *)getauxval(AT_EXECFN); /* no /proc, as in a bare chroot */
    return started && realpath(started, program);
}

bool ph_beside_program(const char *way, char folder[PATH_MAX])
{
    char program[PATH_MAX];
    return ph_own_program(program) && beside(program, way, folder);
}

bool ph_beside_library(const char *way, char folder[PATH_MAX])
{
    static const char here = 0; /* something in the file that this code was loaded from */
    char file[PATH_MAX];        /* itself, where a link leads to it */
    Dl_info info;
    return dladdr(&here, &info) != 0 && info.dli_fname && realpath(info.dli_fname, file) && beside(file, way, folder);
}
