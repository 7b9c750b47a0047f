/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_MOTION_OPTIONS_H
#define PH_DYNAMICS_MOTION_OPTIONS_H

/* Options and counts of a motion by a one-step integrator. */

#include "dynamics/integrator.h"

struct ph_motion_options {
    const struct ph_integrator *integrator;
    double step; /* h, of any sign */
    bool pinned; /* centres do not move */
};

/* Counts since creation. Asking for the energy counts as an evaluation only if the forces were not known. */
struct ph_motion_counts {
    size_t steps, evaluations;
    size_t most_iterations; /* evaluations in one step of an implicit method, the most there were */
};

#endif
