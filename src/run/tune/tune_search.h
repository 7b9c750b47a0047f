/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_TUNE_TUNE_SEARCH_H
#define PH_RUN_TUNE_TUNE_SEARCH_H

/* The longest step of one scheme that is within the tolerance; for tune.c alone. */

#include "run/tune/tune_start.h"

struct ph_tune_search {
    const struct ph_tune_options *options;
    struct ph_tune_report *report;
    struct ph_tune_start *start;
    struct ph_pilot_costs *costs; /* owned; of each row's flow */
    double goal;                  /* the tolerance less a margin, since errors of runs from other states differ */
    double time;                  /* of runs in this phase, */
    size_t states;                /* and from how many states */
    double best;                  /* seconds per unit of time */
};

void ph_tune_say(const struct ph_tune_search *search, bool lasting, const char *text);

/* Seconds per unit of time; without lists, which cost all schemes the same, so that noise in them decides nothing */
double ph_tune_cost(const struct ph_tune_search *search, const struct ph_tune_row *row, double step);

/* The trial of this phase whose error is nearest to the goal, `but` this one; NULL if all failed */
const struct ph_tune_trial *ph_tune_nearest(const struct ph_tune_row *row, double goal,
                                            const struct ph_tune_trial *but);

/* The least that the step within the tolerance can cost, as far as trials can tell */
double ph_tune_kind_guess(const struct ph_tune_search *search, const struct ph_tune_row *row);

double ph_tune_round_step(double step); /* three digits, downwards */

enum ph_status ph_tune_try(struct ph_tune_search *search, struct ph_tune_row *row, double step, struct ph_error *err);

/* More trials of a row that has one, until it is no longer open */
enum ph_status ph_tune_search_row(struct ph_tune_search *search, struct ph_tune_row *row, struct ph_error *err);

/* Fills in all results that follow from step and error */
void ph_tune_set_step(const struct ph_tune_search *search, struct ph_tune_row *row, double step, double error);

#endif
