/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_TERMINAL_LOG_H
#define PH_CLI_TERMINAL_LOG_H

/* The log of --log FILE: a copy of messages, progress and the summary, for runs without a terminal. */

#include "base/error.h"

#include <stdio.h>

/* Begins a log: appends a line with time, version, machine and job, and the command. From now on stderr also writes to
 * it. Refuses a file that is not a log, so that a slip damages nothing. On several ranks rank 0 keeps the log, and all
 * ranks must call this. */
enum ph_status ph_cli_log_begin(const char *file, int argc, char *const *argv, struct ph_error *err);

/* Appends the exit status and ends the log, if there is one. Returns the status. */
int ph_cli_log_end(int status);

/* Standard error without the log, for lines that are overwritten; stderr if there is no log. */
FILE *ph_cli_screen(void);

/* A line of progress to the log alone; nothing without a log */
FILE *ph_cli_log(void);

/* Appends a text that went to stdout. */
void ph_cli_log_text(const char *text);

#endif
