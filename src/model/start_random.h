/* SPDX-License-Identifier: MIT */
#ifndef PH_MODEL_START_RANDOM_H
#define PH_MODEL_START_RANDOM_H

#include "model/start.h"

/* Centres uniform in the box, or in a sphere of start->radius in open space, one after the other where no earlier one
 * is nearer than start->minimum_distance. Not wrapped. PH_ERR_INPUT if they do not fit. */
enum ph_status ph_start_random(const struct ph_start *start, struct ph_system *system, struct ph_error *err);

#endif
