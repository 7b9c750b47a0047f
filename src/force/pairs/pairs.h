/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_PAIRS_H
#define PH_FORCE_PAIRS_PAIRS_H

#include "force/interactions.h"
#include "model/system.h"

/* Are truncation and cutoff possible in this box? */
enum ph_status ph_pairs_check_cutoff(const struct ph_system *system, const struct ph_interactions *interactions,
                                     struct ph_error *err);

/* The skin of the pair list: given, or chosen */
double ph_pairs_skin(const struct ph_interactions *interactions);

/* For measurements, see ph_force_field_leave_out: lists are empty until they are made anew. */
void ph_pairs_leave_out_neighbours(void *term);

#endif
