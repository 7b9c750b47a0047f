/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_BENCH_ACCURACY_H
#define PH_LAB_BENCH_ACCURACY_H

/* Energy error in a fluid against force evaluations per unit of time; counts, not seconds, and so the same on any
 * machine. Errors as in run/tune/pilot.h. */

#include "dynamics/schemes/scheme.h"
#include "rigid/flow.h"
#include "run/tune/pilot.h"

enum { PH_ACCURACY_RATES = 11, PH_ACCURACY_LEVELS = 4, PH_ACCURACY_FLUIDS = 2 };
extern const double ph_accuracy_levels[PH_ACCURACY_LEVELS]; /* 1e-4, 1e-6, 1e-9, 1e-12 */

/* The simulated fluid; times and rates in its units */
struct ph_accuracy_fluid {
    const char *name, *summary;
    size_t molecules;                /* by default */
    const char *input;               /* YAML with %zu where the number of molecules stands, see ph_input_parse */
    double time;                     /* of a run */
    double melt, between;            /* with a bath: before the first state, and between states */
    double rates[PH_ACCURACY_RATES]; /* evaluations and gradient passes per unit of time */
};
extern const struct ph_accuracy_fluid ph_accuracy_fluids[PH_ACCURACY_FLUIDS]; /* the first is the polar fluid */

struct ph_accuracy_row {
    const struct ph_scheme *scheme;
    const struct ph_flow *flow;
    /* Per molecule; infinite where the run failed (overlap, NaN or infinity); NaN where it was not measured: beyond
     * `most`, and where a lower rate had reached the last level. */
    double error[PH_ACCURACY_RATES];
    /* Passes per unit of time, by power laws between rates; the first rate if it or fewer suffice; NaN out of reach */
    double needed[PH_ACCURACY_LEVELS];
    double spread[PH_ACCURACY_LEVELS]; /* the standard error of `needed` over the states; NaN from a single one, and at
                                          the first rate */
    bool beyond[PH_ACCURACY_LEVELS];   /* the power law of the last two rates was continued beyond them */
};

/* Two time scales (accuracy_nested.c): outer and inner scheme, one substep; near pairs as nested inputs have them by
 * default. Costs are equivalent evaluations of all forces per unit of time, as counted: slow ones, and fast ones by
 * their pairs. */
enum { PH_NESTED_STEPS = 7, PH_NESTED_LEVELS = 3, PH_NESTED_ROWS = 4 };
extern const double ph_nested_levels[PH_NESTED_LEVELS]; /* 1e-3, 3e-4, 1e-4 */
struct ph_nested_row {
    const struct ph_scheme *outer, *inner;
    double step[PH_NESTED_STEPS], error[PH_NESTED_STEPS], cost[PH_NESTED_STEPS];
    double needed[PH_NESTED_LEVELS]; /* NaN out of reach */
};
/* The pilot's forces have a fast part. */
enum ph_status ph_bench_nested(struct ph_pilot *pilot, double time, struct ph_nested_row rows[PH_NESTED_ROWS],
                               struct ph_error *err);

struct ph_accuracy_options {
    const struct ph_accuracy_fluid *fluid;
    size_t molecules; /* 0: the default of the fluid */
    int states;       /* independent states; each run is repeated from each */
    double most;      /* passes per unit of time: rates beyond are left out */
    size_t n;
    struct ph_accuracy_row *rows; /* scheme and flow are given, the rest is filled in */
    struct ph_nested_row *nested; /* PH_NESTED_ROWS to be filled in; NULL: none */
    void (*progress)(const struct ph_accuracy_row *row, size_t k, void *data); /* after every row; may be NULL */
    void *data;
};

/* `costs` gets the times of evaluations and gradient passes here, with the exact flow. */
enum ph_status ph_bench_accuracy(const struct ph_accuracy_options *options, struct ph_pilot_costs *costs,
                                 struct ph_error *err);

#endif
