/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_TERMINAL_SCRIPT_H
#define PH_CLI_TERMINAL_SCRIPT_H

#include <limits.h>

/* Finds a script that comes with the program. Looks where the environment variable says, beside the program as it is
 * installed, in the source tree, and where it was to be installed. NULL: at none of them; then `path` is one where it
 * was looked for. */
const char *ph_cli_find_script(const char *variable, const char *name, char path[PATH_MAX]);

#endif
