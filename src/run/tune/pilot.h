/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_TUNE_PILOT_H
#define PH_RUN_TUNE_PILOT_H

/* Short runs from kept states of one system measure how well a scheme conserves energy at a given step.
 *
 * The error is the standard deviation of the total energy over a run, divided by the number of molecules. It is the
 * root mean square about the mean of the run, with squares averaged over the kept states. The mean is the reference,
 * because a symplectic scheme conserves H + h^p E_p(x) + ... So the energy follows -h^p E_p, and the value of E_p at
 * the start says nothing about the scheme. A drift counts in full. The error falls with the square root of the number
 * of molecules: compare at the same number. */

#include "dynamics/baths/thermostat.h"
#include "dynamics/dynamics.h"

struct ph_pilot; /* opaque */

/* Moves `system`, which is not owned and must outlive the pilot, with forces of its own. */
enum ph_status ph_pilot_create(struct ph_system *system, const struct ph_interactions *interactions, bool compensated,
                               struct ph_pilot **out, struct ph_error *err);
void ph_pilot_destroy(struct ph_pilot *pilot);

/* Returns the time that forces need to change momenta by their own size, or torques angular momenta. It is the shortest
 * ratio of root mean squares of all species. 0 if nothing moves, infinite without forces. Evaluates the forces. */
enum ph_status ph_pilot_time_scale(struct ph_pilot *pilot, double *scale, struct ph_error *err);

/* Moves the system by velocity Verlet. Steps follow the time scale and the largest force, so that overlaps of a start
 * are harmless. Uses the thermostat, or constant energy if it is NULL. Ends after `scales` time scales, measured on the
 * way, or after `time`, whichever comes first. Returns the time that has passed. */
enum ph_status ph_pilot_relax(struct ph_pilot *pilot, double scales, double time, const struct ph_thermostat *bath,
                              double *relaxed, struct ph_error *err);

/* Keeps the present state of the system as one more to begin runs from. */
enum { PH_PILOT_STATES = 32 };
enum ph_status ph_pilot_keep(struct ph_pilot *pilot, struct ph_error *err);
size_t ph_pilot_states(const struct ph_pilot *pilot);

struct ph_pilot_run {
    double error; /* per molecule; infinite if the numbers failed */
    /* Growth of the error in longer runs, per root of time: with too long steps the energy does not only oscillate but
     * walks at random. A rough estimate from the halves of the runs: 0 if the halves have the same error as the
     * whole. */
    double wander;
    long steps;                       /* from each state */
    long spent;                       /* evaluations, equivalent ones if nested, and gradient passes in total */
    struct ph_state_counts counts;    /* in total, */
    double fast_cost;                 /* and cost of a fast evaluation in full evaluations, if nested */
    bool gave_up;                     /* the energy was off by more than `limit`; the error is the error up to there */
    size_t states;                    /* that were begun from */
    double variance[PH_PILOT_STATES]; /* of each run's energy per molecule: `error` is the root of their mean */
    char failure[256];                /* "" if none */
};

/* Runs of at least `time`, in whole steps, from the first `states` of the kept states, with scheme, flow, step and
 * inner scheme of the options. Ends a run where the energy per molecule is off by `limit`. Returns an error only if no
 * run is possible; numbers that fail are a result. */
enum ph_status ph_pilot_measure(struct ph_pilot *pilot, size_t states, struct ph_dynamics_options options, double time,
                                double limit, struct ph_pilot_run *run, struct ph_error *err);

/* Measures seconds by the wall clock, the least of several. Times an evaluation with its free flow and kick, a gradient
 * pass (NaN if these forces have none), and a list build. Every scheme has as many free flows and kicks as
 * evaluations. */
struct ph_pilot_costs {
    double evaluation, gradient, list;
    double fast; /* as `evaluation`, of the fast part of the forces; NaN without one */
};
enum ph_status ph_pilot_time_costs(struct ph_pilot *pilot, const struct ph_flow *flow, struct ph_pilot_costs *costs,
                                   struct ph_error *err);
/* Lists made per unit of time in runs so far */
double ph_pilot_lists_per_time(const struct ph_pilot *pilot);

#endif
