/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_TERMINAL_MANUAL_H
#define PH_CLI_TERMINAL_MANUAL_H

/* Makes manual pages, and completion of words by shells, from the tables of commands and of their options. */

#include "cli/cli.h"

struct ph_exit_status {
    int number;
    const char *meaning;
};
extern const struct ph_exit_status ph_exit_statuses[]; /* ended by NULL */

/* manual.c: the page of a command, or of the program with all n if it is NULL */
void ph_cli_manual(FILE *out, size_t n, const struct ph_command *commands, const struct ph_command *command);

/* completion.c: a script for bash */
void ph_cli_completion(FILE *out, size_t n, const struct ph_command *commands);

#endif
