/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SWEEP_SWEEP_PLAN_H
#define PH_RUN_SWEEP_SWEEP_PLAN_H

/* The runs of a sweep: keys of the input and, for each run, their values. Every --vary and every --table is one axis;
 * the runs are all combinations, the last axis fastest. */

#include "base/error.h"
#include "input/place.h"

#include <stddef.h>

enum { PH_SWEEP_KEYS_MAX = 7, PH_SWEEP_RUNS_MAX = 9999 };

struct ph_sweep_plan {
    size_t n_keys, n_runs;
    char keys[PH_SWEEP_KEYS_MAX][PH_PATH];
    char *(*values)[PH_SWEEP_KEYS_MAX]; /* owned, and each text in it; "key=value" */
};

/* The plan of one run without keys. Free it in any case. */
enum ph_status ph_sweep_begin(struct ph_sweep_plan *plan, struct ph_error *err);
void ph_sweep_free(struct ph_sweep_plan *plan);

/* "dynamics.step=0.001,0.002" or "system.start.seed=1..4"; commas inside brackets and quotes belong to a value */
enum ph_status ph_sweep_vary(struct ph_sweep_plan *plan, const char *text, struct ph_error *err);

/* A CSV file: a line of keys, then a line for each run; empty lines do not count, values with commas are in quotes */
enum ph_status ph_sweep_table(struct ph_sweep_plan *plan, const char *file, struct ph_error *err);

/* The value alone */
const char *ph_sweep_value(const struct ph_sweep_plan *plan, size_t run, size_t key);

#endif
