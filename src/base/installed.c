/* SPDX-License-Identifier: MIT */
#include "base/installed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ph_beside_program(const char *way, char folder[PATH_MAX])
{
    char program[PATH_MAX], path[2 * PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash)
        return false;
    *slash = '\0';
    snprintf(path, sizeof path, "%s/%s", program, way);
    return realpath(path, folder) != NULL;
}
