/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_MINIMISE_H
#define PH_RUN_MINIMISE_H

/* Finds a minimum of the potential energy near a start, before the dynamics begin. Molecules of random and imported
 * starts may overlap. After minimising, a normal step can follow their motion. */

#include "force/force_field.h"
#include "input/input.h"
#include "run/build/build.h"

#include <stdbool.h>
#include <stdint.h>

struct ph_minimise_options {
    int64_t max_steps; /* force evaluations; as many again, at most, to take overlapping molecules apart */
    double force;      /* it is done when no force is larger, nor any torque over ph_species_gyration */
    bool pinned;       /* centres do not move, and forces on them do not count */
    void (*progress)(int64_t step, double force, double torque, void *data); /* the largest now; may be NULL */
    void *data;
};

struct ph_minimise_result {
    int64_t steps, apart;               /* taken downhill; before these, to take overlapping molecules apart */
    double energy_before, energy_after; /* the first is infinite where molecules overlap beyond all numbers */
    double force, torque;               /* largest, at the end */
    bool converged;
};

/* Changes r, q and images; momenta stay. At the end, forces and torques hold the values of the force field. A minimum
 * that is not reached is no error: `converged` says so. Every rank calls this
 * with the whole system, and has it whole afterwards. The result does not depend on the number of threads and ranks. */
enum ph_status ph_minimise(struct ph_system *system, struct ph_force_field *field,
                           const struct ph_minimise_options *options, struct ph_minimise_result *result,
                           struct ph_error *err);

/* As system.start.minimise asks, if it does; adds a sentence to the notes. */
enum ph_status ph_minimise_start(const struct ph_input *input, struct ph_system *system, struct ph_force_field *field,
                                 struct ph_build_notes *notes, struct ph_error *err);

#endif
