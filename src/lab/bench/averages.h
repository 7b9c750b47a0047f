/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_BENCH_AVERAGES_H
#define PH_LAB_BENCH_AVERAGES_H

/* Errors of averages in the canonical ensemble: what the length of the step does to them (the bias), and what the
 * length of a run leaves (the statistical error), against force evaluations.
 *
 * Every row is a run of the system of an input with Langevin dynamics by one scheme with one step. The reference is a
 * run without an error of the step (steps are accepted or rejected by Metropolis' rule), or a run with a short step.
 * Errors of means come from analysis/statistics/blocks.h. All runs begin from one state and forget it first. The
 * results depend on the input and the seed alone. */

#include "analysis/statistics/blocks.h"
#include "dynamics/schemes/scheme.h"
#include "rigid/flow.h"

#include <stdint.h>

/* Potential energy per molecule, pressure, temperatures of translation, of rotation, and about each body axis */
enum {
    PH_AVERAGE_POTENTIAL,
    PH_AVERAGE_PRESSURE,
    PH_AVERAGE_TRANSLATION,
    PH_AVERAGE_ROTATION,
    PH_AVERAGE_AXIS,
    PH_AVERAGES = PH_AVERAGE_AXIS + 3
};
extern const char *const ph_average_names[PH_AVERAGES]; /* as in documents */

enum { PH_AVERAGE_BUDGETS = 8 };

struct ph_averages_row {
    const struct ph_scheme *scheme;
    double per_evaluation; /* time; the step is so many times longer as the scheme has evaluations and gradients */
    bool metropolis;       /* of the reference alone */
    bool middle;           /* langevin-middle instead of langevin, for schemes with ph_scheme_drift_in_the_middle */
    /* To be filled in */
    double step, rate;                                 /* rate: evaluations and gradients per unit of time */
    double sampled, acceptance;                        /* time; NaN without Metropolis' rule */
    struct ph_mean mean[PH_AVERAGES];                  /* NaN where there is no such quantity */
    double bias[PH_AVERAGES], bias_error[PH_AVERAGES]; /* mean - reference; the error counts both */
    /* Root of bias^2 and of the square of the statistical error, after so many evaluations as options say. Of the
     * square of the bias its own error is taken off, down to 0. */
    double total[PH_AVERAGES][PH_AVERAGE_BUDGETS];
    char failure[256]; /* "" if none: the numbers failed */
};

struct ph_averages_options {
    const char *input;
    double time;      /* of a run; a tenth of it more at the beginning is not sampled */
    double reference; /* how many times longer the reference is */
    size_t samples;   /* of a run, at most */
    uint64_t seed;
    size_t n;
    struct ph_averages_row *rows; /* row 0 is the reference */
    size_t n_budgets;
    double budgets[PH_AVERAGE_BUDGETS];
    /* May be NULL: part of row k that is done, 1 at its end */
    void (*progress)(size_t k, double part, void *data);
    void *data;
};

/* What the runs had in common */
struct ph_averages_about {
    size_t molecules;
    double temperature, friction[2], interval; /* between samples, about */
    const char *flow;
};

/* Returns the thermostat of a row. */
const char *ph_averages_bath(const struct ph_averages_row *row);

/* The time per evaluation of an input as it stands, for options left out */
enum ph_status ph_averages_usual(const char *input, double *per_evaluation, struct ph_error *err);

enum ph_status ph_bench_averages(const struct ph_averages_options *options, struct ph_averages_about *about,
                                 struct ph_error *err);

#endif
