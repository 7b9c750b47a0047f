/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_TERMINAL_PROGRESS_H
#define PH_CLI_TERMINAL_PROGRESS_H

/* A line on the terminal: how much is done, and how long the rest will take */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Returns the width of the terminal: as it reports, else the variable COLUMNS, else 80. At least 2. */
size_t ph_cli_columns(void);

void ph_cli_print_duration(FILE *out, double seconds); /* "2.5 h" */

struct ph_cli_progress {
    double began, shown; /* seconds; when this part began, and when the last line was written */
    double fraction;     /* the last one */
    int part;            /* from 1 on; each pass through the file is a part */
    bool any;
};

struct ph_cli_progress ph_cli_progress_begin(void);
/* `data` is the progress; not for two threads at a time. Writes the line a few times a second. */
void ph_cli_progress_show(double fraction, void *data);
/* From now on a terminal shows which formula of the user's own a compiler works on, and wipes it in the end. */
void ph_cli_watch_compilers(void);
void ph_cli_progress_end(const struct ph_cli_progress *progress); /* wipes the line */

#endif
