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

/* The number of tiles that these pairs are cut into. More threads find nothing to do in the pair loop. */
size_t ph_pairs_tiles(const struct ph_system *system, const struct ph_interactions *interactions);

/* Looks, before lists are updated, whether they still hold: begins, which returns false if there is nothing to look at,
 * then molecules begin .. end - 1, for all molecules, by any thread. Without it the update looks itself. */
bool ph_pairs_begin_look(void *term, const struct ph_system *system);
void ph_pairs_look(void *term, size_t begin, size_t end);
size_t ph_pairs_lists_made(const void *term); /* until now */

/* Draws lists of near pairs from the lists of `from` from now on. `from` has the same skin and a longer cutoff, and
 * must be used with them. Does nothing if it has no lists. */
void ph_pairs_draw(void *near, void *from);

/* Where ranks share the system: returns the molecules of this rank. NULL for a single rank, and before the first list
 * build unless it began distributed. */
const struct ph_owned *ph_pairs_owned(const void *term);
/* Restores the list as it was built and thinned out, and the list drawn from it, see ph_force_field_restore_part. */
enum ph_status ph_pairs_restore_part(void *term, const struct ph_system *system, const struct ph_force_memory *memory,
                                     struct ph_error *err);
/* Releases places of a row, written before a list build, that are no longer in use. */
void ph_pairs_vacate(const void *term, double *row);
/* As ph_force_field_visit_pairs */
void ph_pairs_visit_listed(const void *term, const struct ph_system *system,
                           void (*visit)(size_t i, size_t j, const double d[3], void *context), void *context);
bool ph_pairs_refused(const void *term); /* true if the last update of lists returned an earlier failure */
void ph_pairs_give_back(void *term);     /* see ph_force_field_give_back */

/* As ph_force_field_flux, of the pairs alone */
struct ph_pair_flux;
enum ph_status ph_pairs_flux(void *term, const struct ph_system *system, const struct ph_rates *motion,
                             struct ph_pair_flux *out, struct ph_error *err);

/* For measurements, see ph_force_field_leave_out: lists are empty until they are made anew. */
void ph_pairs_leave_out_neighbours(void *term);

#endif
