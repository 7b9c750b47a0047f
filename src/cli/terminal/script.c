/* SPDX-License-Identifier: MIT */
#include "cli/terminal/script.h"

#include "base/system/installed.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *ph_cli_find_script(const char *variable, const char *name, char path[PATH_MAX])
{
    char beside[PATH_MAX], built[PATH_MAX]; /* the program as installed, and in the build tree */
    const char *const places[] = {ph_beside_program(POLHODE_TOOLS_BESIDE, beside) ? beside : NULL,
                                  ph_beside_program(POLHODE_TOOLS_BUILT, built) ? built : NULL,
                                  POLHODE_TOOLS_INSTALLED};
    const char *chosen = getenv(variable);
    if (chosen && chosen[0]) {
        snprintf(path, PATH_MAX, "%s", chosen);
        return access(path, R_OK) == 0 ? path : NULL;
    }
    for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
        const int length = places[k] ? snprintf(path, PATH_MAX, "%s/%s", places[k], name) : 0;
        if (length > 0 && length < PATH_MAX && access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}
