/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_MOTION_IMPLICIT_H
#define PH_DYNAMICS_MOTION_IMPLICIT_H

#include "base/error.h"

struct ph_motion;

/* One step whose forces and torques are unknowns */
enum ph_status ph_motion_step_implicit(struct ph_motion *motion, struct ph_error *err);

#endif
