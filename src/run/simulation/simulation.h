/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_SIMULATION_H
#define PH_RUN_SIMULATION_SIMULATION_H

/* A whole run: builds the system of an input, moves it, writes trajectory and checkpoints, and resumes from them.
 *
 * Interruptions do not change a bit of the result. The step number alone decides about output and about joining
 * outermost flows of the scheme; a checkpoint holds everything else. */

#include "dynamics/dynamics.h"
#include "input/input.h"
#include "run/build/build.h"
#include "run/build/methods.h"
#include "run/observables.h"

#include <stdint.h>

/* polhode.h has the rest: resume, destroy, advance, and views of step, end, time and notes. */

/* Names the trajectory of a new run: `file`, or else output.file of the input, or else the name of the input with
 * another ending, in the current folder. */
enum ph_status ph_simulation_name(const struct ph_input *input, const char *file, char name[PH_PATH],
                                  struct ph_error *err);

/* Creates a new run. The simulation takes over `texts`, kept by ph_input_read_keeping, and leaves them empty. `file` is
 * the trajectory, NULL for the name in the input. Evaluates the start, so that a state with invalid forces fails here;
 * writes nothing. */
enum ph_status ph_simulation_create(struct ph_texts *texts, const struct ph_input *input, const char *file,
                                    struct ph_simulation **out, struct ph_error *err);

/* Creates a run with the trajectory of the input and the state in these arrays, as for system.start.kind: given. NULL:
 * the state of the input. */
enum ph_status ph_simulation_create_given(struct ph_texts *texts, const struct ph_input *input,
                                          const struct ph_arrays *arrays, struct ph_simulation **out,
                                          struct ph_error *err);

/* Estimates the growth of the trajectory from now on, at most (without compression), and the free space on its disk */
struct ph_forecast {
    double bytes, free; /* free: negative if not known */
    bool packed;        /* frames are compressed, so that it may become less */
};
enum ph_status ph_simulation_forecast(const struct ph_simulation *simulation, struct ph_forecast *forecast,
                                      struct ph_error *err);

/* Progress of a run, for display. Observables are from the last row of the time series, or from the start. */
struct ph_progress {
    int64_t step, first_step, end, production; /* now; first of this process; last; first of the production */
    double time;                               /* now */
    double energy_error;                       /* of the conserved quantity per molecule, since the stage began */
    struct ph_observables observables;
    int64_t observed_step;
    const char *stage; /* name of the present stage; NULL where the input lists none */
    bool heated;       /* the stage has a thermostat, and comes before the production */
    const char *event; /* NULL, or a message about the last step, for a line of its own */
};

struct ph_watch {
    void (*progress)(const struct ph_progress *progress, void *data); /* after every step; may be NULL */
    bool (*stop)(void *data); /* called after every step; true: end early, with a checkpoint; may be NULL */
    void *data;
    int64_t steps_per_check; /* more than 1: call both only after so many steps, or when output is due, on a backend
                              * other than cpu */
};

/* Resumes as ph_simulation_resume without more steps, on another dynamics.backend from there on; NULL: as it was */
enum ph_status ph_simulation_resume_on(const char *backend, const char *file, struct ph_simulation **out,
                                       struct ph_error *err);

/* Set the end of a resumed run: add steps to the plan; or end at a step, at once if that is past */
void ph_simulation_lengthen(struct ph_simulation *simulation, int64_t steps);
void ph_simulation_end_at(struct ph_simulation *simulation, int64_t step);

/* Opens the trajectory (a new one fails if it exists, unless `overwrite`) and runs to the end, or until the watch stops
 * it: *stopped says so. On failure the last checkpoint is the last good one, and the message names it. */
enum ph_status ph_simulation_run(struct ph_simulation *simulation, bool overwrite, const struct ph_watch *watch,
                                 bool *stopped, struct ph_error *err);

/* Views; the simulation keeps ownership. */
const struct ph_input *ph_simulation_input(const struct ph_simulation *simulation);
const struct ph_system *ph_simulation_system(const struct ph_simulation *simulation);
const struct ph_interactions *ph_simulation_interactions(const struct ph_simulation *simulation);
const struct ph_degrees *ph_simulation_degrees(const struct ph_simulation *simulation);
const struct ph_methods *ph_simulation_methods(const struct ph_simulation *simulation);
const char *ph_simulation_file(const struct ph_simulation *simulation);
struct ph_state_counts ph_simulation_counts(const struct ph_simulation *simulation);
double ph_simulation_evaluations(const struct ph_simulation *simulation); /* equivalent ones, see dynamics.h */
/* The backend of the run; NULL: the processor */
const struct ph_backend *ph_simulation_backend(const struct ph_simulation *simulation);

#endif
