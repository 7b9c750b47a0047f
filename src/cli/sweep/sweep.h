/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_SWEEP_SWEEP_H
#define PH_CLI_SWEEP_SWEEP_H

/* Within 'polhode sweep': runs with their progress on the terminal, and the summary. */

#include "run/sweep/sweep.h"

/* Does all unfinished runs: `together` of them at once where they have a machine, one after the other else. A run that
 * fails because of its numbers or its input is noted, and the sweep does not fail. */
enum ph_status ph_sweep_do(struct ph_sweep *sweep, size_t together, bool quiet, bool *stopped, struct ph_error *err);

/* Writes DIR/sweep.csv and DIR/sweep.json, and prints the table for people or the document. */
enum ph_status ph_sweep_summarise(const struct ph_sweep *sweep, bool json, struct ph_error *err);

#endif
