/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_PAIRS_H
#define PH_FORCE_PAIRS_PAIRS_H

#include "force/energy.h"
#include "force/interactions.h"
#include "force/owned.h"
#include "model/system.h"

/* Are truncation and cutoff possible in this box? */
enum ph_status ph_pairs_check_cutoff(const struct ph_system *system, const struct ph_interactions *interactions,
                                     struct ph_error *err);

/* The skin of the pair list: given, or chosen */
double ph_pairs_skin(const struct ph_interactions *interactions);

/* Lists of near pairs are drawn from those of `from`, which has the same skin and a longer cutoff, and which is used
 * with them from then on; not if that has no lists. */
void ph_pairs_draw(void *near, void *from);

/* Where processes share the system: molecules of this one, NULL for a process alone and before lists are made, unless
 * it begins with a part; rows of
 * all molecules from their owners, and what ph_force_field_memory gives; a failure that this process has found alone,
 * which all are told when they meet next. */
const struct ph_owned *ph_pairs_owned(const void *term);
bool ph_pairs_has_owners(const void *term);
/* Whether a process may have molecules of its own alone; before the first list: it has those of a range of numbers. */
bool ph_pairs_parted(const void *term);
enum ph_status ph_pairs_begin(void *term, const struct ph_system *system, struct ph_error *err);
/* After that: the list as it was made and thinned out, and that which is drawn from it, see
 * ph_force_field_restore_part */
enum ph_status ph_pairs_restore_part(void *term, const struct ph_system *system, const struct ph_force_memory *memory,
                                     struct ph_error *err);
/* A row of numbers of molecules, written when lists were others: what it has at places that are not in use any more */
void ph_pairs_vacate(const void *term, double *row);
bool ph_pairs_show_all(const void *term); /* see ph_force_field_shows_all */
enum ph_status ph_pairs_collect(void *term, const struct ph_column_set *rows, struct ph_error *err);
/* As ph_force_field_read and, with block NULL, ph_force_field_collect_first say */
enum ph_status ph_pairs_read(void *term, const struct ph_column_set *rows, const struct ph_readers *readers,
                             ph_columns_reader *block, void *data, struct ph_error *err);
enum ph_status ph_pairs_collect_memory(void *term, double *const anchor[3], bool first, struct ph_error *err);
/* As ph_force_field_visit_pairs */
void ph_pairs_visit_listed(const void *term, const struct ph_system *system,
                           void (*visit)(size_t i, size_t j, const double d[3], void *context), void *context);
void ph_pairs_fail(void *term, const struct ph_error *failure);
bool ph_pairs_refused(const void *term); /* that the last update of lists has told of such a failure */
void ph_pairs_give_back(void *term);     /* see ph_force_field_give_back */

/* For measurements, see ph_force_field_leave_out: lists are empty until they are made anew. */
void ph_pairs_leave_out_neighbours(void *term);

#endif
