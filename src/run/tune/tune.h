/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_TUNE_TUNE_H
#define PH_RUN_TUNE_TUNE_H

/* The cheapest scheme and step that conserve the energy of the user's own system to a tolerance, found by pilot runs.
 *
 * First the system is brought to a state as in the production. If the input asks for equilibration, the thermostat
 * does this. A start on a lattice or at random relaxes at constant energy, and a start from a file stays as it is.
 * Then every scheme is screened. It runs for the same physical time from the same states, with one step after the
 * other. The screening looks for the longest step whose error (defined in run/tune/pilot.h) is within the tolerance. */

/* Schemes that are clearly more expensive than the best so far are dropped early. Long steps look better in short
 * runs than they are: the energy does not only oscillate, it also walks slowly. So the cheapest must keep the
 * tolerance for eight times as long, with a shorter step if need be, until one is cheaper than all others in their
 * short runs. */

#include "dynamics/schemes/scheme.h"
#include "input/input.h"
#include "rigid/flow.h"
#include "run/build/methods.h"
#include "run/build/notes.h"
#include "run/tune/pilot.h"

struct ph_tune_options {
    double tolerance; /* of the error of the energy per molecule, in energy units of the input */
    double time;      /* over which the tolerance is to be kept; 0: 240 time scales of the system */
    bool all;         /* every scheme there is */
    size_t n_schemes; /* 0: the default candidates */
    const struct ph_scheme *const *schemes;
    size_t n_flows; /* 0: exact, and the flow of the input */
    const struct ph_flow *const *flows;
    void (*progress)(const char *text, bool lasting, void *data); /* may be NULL; `lasting`: worth a line of a log */
    void *data;
};

/* In the order of the report */
enum ph_tune_outcome {
    PH_TUNE_OPEN,
    PH_TUNE_MET,
    PH_TUNE_SCREENED,     /* met in short runs, more expensive than the best */
    PH_TUNE_EXTRAPOLATED, /* verlet with exact only: more expensive than the best, step and error from its power law */
    PH_TUNE_DEARER,       /* clearly more expensive than the best: dropped early */
    PH_TUNE_MISSED,       /* no step was found */
    PH_TUNE_IMPOSSIBLE,   /* cannot be run on this system at all */
};
const char *ph_tune_outcome_name(enum ph_tune_outcome outcome);

enum { PH_TUNE_TRIALS = 24 };
struct ph_tune_trial {
    double step, error, time; /* time: that the runs covered */
    double wander;            /* see ph_pilot_run */
    bool gave_up;
};

/* One scheme with one flow. Numbers are of the step found: NaN if there is none. */
struct ph_tune_row {
    const struct ph_scheme *scheme;
    const struct ph_flow *flow;
    const struct ph_scheme *inner; /* nested, with one substep; NULL: not */
    enum ph_tune_outcome outcome;
    double step, error, wander;
    double evaluations, gradients; /* per unit of time; of slow forces if nested, */
    double fast;                   /* and of the fast ones; else 0 */
    double seconds;                /* per unit of time, from the costs of evaluations, gradients and lists */
    double gain;                   /* seconds of verlet with exact at the same error, over these */
    size_t n_trials, phase;        /* phase: the first trial of the time that is being tried */
    bool confirmed;                /* long runs were tried */
    struct ph_tune_trial trial[PH_TUNE_TRIALS];
    char why[256]; /* missed or impossible */
};

struct ph_tune_report {
    size_t molecules, states;
    struct ph_fast_part fast;                             /* that nested rows were tried with */
    double tolerance, time, scale;                        /* scale: of time, see ph_pilot_time_scale */
    double production;                                    /* the time that the input asks for; NaN if it does not */
    double temperature_translation, temperature_rotation; /* of the first state; NaN without degrees of freedom */
    char preparation[256];                                /* a sentence on how the states were prepared */
    struct ph_build_notes notes;                          /* on the system, as of a run */
    char advice[PH_ADVICE];                               /* on the best, see ph_methods_advice; "" if none */
    size_t n_rows;
    struct ph_tune_row *rows;       /* owned; by outcome, the cheapest first */
    const struct ph_tune_row *best; /* in rows; NULL if no scheme met the tolerance */
};

/* Free the report also after a failure. */
enum ph_status ph_tune(const struct ph_input *input, const struct ph_tune_options *options,
                       struct ph_tune_report *report, struct ph_error *err);
void ph_tune_report_free(struct ph_tune_report *report);

/* "sbab2", "sbab2/bcss2-3" if nested */
enum { PH_TUNE_NAME = 64 };
const char *ph_tune_row_name(const struct ph_tune_row *row, char name[PH_TUNE_NAME]);

/* The candidates that are tried by default */
size_t ph_tune_candidates(const struct ph_scheme *candidates[], size_t most);

#endif
