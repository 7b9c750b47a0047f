/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SIMULATION_SIMULATION_H
#define PH_RUN_SIMULATION_SIMULATION_H

/* A whole run: builds what an input describes, moves it, writes trajectory and checkpoints, and resumes from them.
 *
 * Bits do not depend on interruptions: what is written, and when outermost flows of the scheme are joined, follows from
 * the number of the step alone, and a checkpoint holds everything else. */

#include "dynamics/dynamics.h"
#include "input/input.h"
#include "run/build/build.h"
#include "run/build/methods.h"
#include "run/observables.h"

#include <stdint.h>

/* polhode.h has the rest: resume, destroy, advance, and views of step, end, time and notes. */

/* A new run. `texts` were kept by ph_input_read_keeping; the simulation takes them over and leaves them empty. `file`
 * is the trajectory, NULL for that of the input. Evaluates the start, so that what cannot be evaluated fails here;
 * writes nothing. */
enum ph_status ph_simulation_create(struct ph_texts *texts, const struct ph_input *input, const char *file,
                                    struct ph_simulation **out, struct ph_error *err);

/* The same with the trajectory of the input, and the state of these arrays: those for system.start.kind: given. NULL:
 * the state is that of the input. */
enum ph_status ph_simulation_create_given(struct ph_texts *texts, const struct ph_input *input,
                                          const struct ph_arrays *arrays, struct ph_simulation **out,
                                          struct ph_error *err);

/* How large the trajectory will grow from now on, at most: without compression; and what its disk has */
struct ph_forecast {
    double bytes, free; /* free: negative if not known */
    bool packed;        /* frames are compressed, so that it may become less */
};
enum ph_status ph_simulation_forecast(const struct ph_simulation *simulation, struct ph_forecast *forecast,
                                      struct ph_error *err);

/* Progress of a run, for display. Numbers are those of the last row of the time series, or of the start. */
struct ph_progress {
    int64_t step, first_step, end, production; /* now; where this process began; the last; first of the production */
    double time;                               /* now */
    double energy_error;                       /* per molecule, of what is conserved, since the stage began */
    struct ph_observables observables;
    int64_t observed_step;
    const char *stage; /* name of the one that goes on; NULL where the input lists none */
    bool heated;       /* it has a thermostat, and comes before the production */
    const char *event; /* NULL, or what has just happened, for a line of its own */
};

struct ph_watch {
    void (*progress)(const struct ph_progress *progress, void *data); /* after every step; may be NULL */
    bool (*stop)(void *data); /* asked after every step: end early, with a checkpoint; may be NULL */
    void *data;
    int64_t seldom; /* more than 1: both after so many steps, or when something is due, on a backend that is not cpu */
};

/* As ph_simulation_resume without more steps, with another dynamics.backend from there on; NULL: as it was */
enum ph_status ph_simulation_resume_on(const char *backend, const char *file, struct ph_simulation **out,
                                       struct ph_error *err);

/* A run that was resumed is to have more steps than were planned; or to end at a step, or at once where that is past.
 */
void ph_simulation_lengthen(struct ph_simulation *simulation, int64_t steps);
void ph_simulation_end_at(struct ph_simulation *simulation, int64_t step);

/* Opens the trajectory (a new one fails if it exists, unless `overwrite`) and runs to the end, or until it is stopped:
 * *stopped says so. On failure the last checkpoint is the last good one, and the message names it. */
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
