/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_BENCH_ACCURACY_H
#define PH_LAB_BENCH_ACCURACY_H

/* Energy error in a polar fluid against force evaluations per unit of time; counts, not seconds, and so the same on any
 * machine. The fluid is `stockmayer-c6` of ph_workloads, equilibrated; errors as in run/pilot.h. */

#include "dynamics/scheme.h"
#include "rigid/flow.h"
#include "run/pilot.h"

enum { PH_ACCURACY_RATES = 11, PH_ACCURACY_LEVELS = 4 };
extern const double ph_accuracy_rates[PH_ACCURACY_RATES];   /* evaluations and gradient passes per unit of time */
extern const double ph_accuracy_levels[PH_ACCURACY_LEVELS]; /* 1e-4, 1e-6, 1e-9, 1e-12 */

struct ph_accuracy_row {
    const struct ph_scheme *scheme;
    const struct ph_flow *flow;
    double error[PH_ACCURACY_RATES];   /* per molecule; infinite where the run failed (overlap, NaN or infinity) */
    double needed[PH_ACCURACY_LEVELS]; /* passes per unit of time, by power laws between rates; NaN out of reach */
    bool beyond[PH_ACCURACY_LEVELS];   /* that of the last rates was followed beyond them */
};

struct ph_accuracy_options {
    size_t molecules;
    int states; /* independent ones, from which each run is repeated */
    double time;
    size_t n;
    struct ph_accuracy_row *rows; /* scheme and flow are given, the rest is filled in */
    void (*progress)(const struct ph_accuracy_row *row, size_t k, void *data); /* after every row; may be NULL */
    void *data;
};

/* Also says what evaluations and gradient passes take here, with the exact flow. */
enum ph_status ph_bench_accuracy(const struct ph_accuracy_options *options, struct ph_pilot_costs *costs,
                                 struct ph_error *err);

#endif
