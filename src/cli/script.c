/* SPDX-License-Identifier: MIT */
#include "cli/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An installation may have been moved, or made with another prefix than it was configured for. */
static void beside_program(char folder[PATH_MAX])
{
    const char *way = POLHODE_TOOLS_BESIDE;
    const ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    const size_t used = slash ? (size_t)(slash + 1 - folder) : 0;
    snprintf(folder + used, PATH_MAX - used, "%s", used > 0 ? way : "");
}

const char *ph_cli_find_script(const char *variable, const char *name, char path[PATH_MAX])
{
    char beside[PATH_MAX];
    beside_program(beside);
    const char *const places[] = {beside, POLHODE_TOOLS_DIR, POLHODE_TOOLS_INSTALLED};
    const char *chosen = getenv(variable);
    if (chosen && chosen[0]) {
        snprintf(path, PATH_MAX, "%s", chosen);
        return access(path, R_OK) == 0 ? path : NULL;
    }
    for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
        const int length = snprintf(path, PATH_MAX, "%s/%s", places[k], name);
        if (length > 0 && length < PATH_MAX && access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}
