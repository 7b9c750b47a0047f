/* SPDX-License-Identifier: MIT */
#include "cli/script.h"

#include "base/installed.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *ph_cli_find_script(const char *variable, const char *name, char path[PATH_MAX])
{
    char beside[PATH_MAX];
    const char *const places[] = {ph_beside_program(POLHODE_TOOLS_BESIDE, beside) ? beside : POLHODE_TOOLS_DIR,
                                  POLHODE_TOOLS_DIR, POLHODE_TOOLS_INSTALLED};
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
