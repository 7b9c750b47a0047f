/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_FORCE_AHEAD_H
#define PH_FORCE_FORCE_AHEAD_H

/* A loop that moves molecules may do the first work of the next evaluation while it has them in its cache: their sites,
 * and whether lists still hold. That saves a parallel region of each step. */

#include "force/force_field.h"

/* Begins. False if there is nothing to do ahead: without lists, with several ranks, or with two time scales. */
bool ph_force_field_begin_ahead(struct ph_force_field *field, const struct ph_system *system);
/* Molecules begin .. end-1 of a species have reached their places. By any thread, for all molecules */
void ph_force_field_go_ahead(const struct ph_force_field *field, const struct ph_system *system, size_t species,
                             size_t begin, size_t end);
/* Before an evaluation: no place has changed since, so that it can use this work. Without this call it is done anew. */
void ph_force_field_stay_ahead(struct ph_force_field *field);

#endif
