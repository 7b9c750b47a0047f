/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_INTEGRATORS_MOTION_IMPLICIT_H
#define PH_DYNAMICS_INTEGRATORS_MOTION_IMPLICIT_H

#include "base/error.h"

#include <stddef.h>

struct ph_motion;

/* Creates the data of such a step, for n molecules; NULL without memory. Destroy accepts NULL. */
struct ph_unknowns;
struct ph_unknowns *ph_unknowns_create(size_t n);
void ph_unknowns_destroy(struct ph_unknowns *unknowns);

/* One step whose forces and torques are unknowns */
enum ph_status ph_motion_step_implicit(struct ph_motion *motion, struct ph_error *err);

#endif
