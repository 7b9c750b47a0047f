/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_TUNE_TUNE_START_H
#define PH_RUN_TUNE_TUNE_START_H

/* Initial states of the runs of `tune`; for tune.c alone. */

#include "run/tune/tune.h"

/* Owned are system, interactions and pilot; clear also after a failure. */
struct ph_tune_start {
    struct ph_system *system;
    struct ph_interactions interactions;
    struct ph_pilot *pilot;
    double kinetic; /* of a molecule, in the first state */
};

enum ph_status ph_tune_prepare(const struct ph_input *input, const struct ph_tune_options *options,
                               struct ph_tune_start *start, struct ph_tune_report *report, struct ph_error *err);
void ph_tune_start_clear(struct ph_tune_start *start);

#endif
