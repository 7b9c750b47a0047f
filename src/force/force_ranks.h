/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_FORCE_RANKS_H
#define PH_FORCE_FORCE_RANKS_H

/* A force field whose molecules are shared among processes: for those who know where molecules are (state/ranks.c).
 *
 * Who moves the system need not move all of it in each process. Evaluations for local molecules need the present state
 * of these alone; the state of others may be old, f and t of others are not filled, and new owners get all rows when
 * owners change. The energy is that of all. A failure of numbers may be told later, by the next of these functions. */

#include "force/force_field.h"

/* Whether a process may have its own molecules alone, and those around them: not where
 * terms ask for all, nor without lists */
bool ph_force_field_parted(const struct ph_force_field *field);
/* Then, before the first evaluation: each has been given those of a range of numbers (base/ranges.h), at the places of
 * their numbers, and no others. */
enum ph_status ph_force_field_begin(struct ph_force_field *field, const struct ph_system *system, struct ph_error *err);
/* Who moves the system need not move all of it in each process. Molecules that this one moves, until the next
 * evaluation: NULL for all, for a process alone and before the first, unless it begins with a part. */
const struct ph_owned *ph_force_field_owned(const struct ph_force_field *field);
bool ph_force_field_has_owners(const struct ph_force_field *field); /* that would not be NULL */
/* Whether what was collected of others is still there: false where molecules are apart (owned.h) and this process has
 * gone on with its own */
bool ph_force_field_shows_all(const struct ph_force_field *field);
/* What failed in this process while it moved its molecules, of several: all are told by the next of these functions. */
void ph_force_field_fail(struct ph_force_field *field, const struct ph_error *failure);
/* Whether the last evaluation, of forces or of their rates, was not begun, since something had failed before it, which
 * it told: it does not count. (One process alone would have been told in time not to ask for it.) */
bool ph_force_field_refused(const struct ph_force_field *field);
/* Entries of all molecules from those who have moved them: the one way back to a whole state */
enum ph_status ph_force_field_collect(struct ph_force_field *field, const struct ph_column_set *rows,
                                      struct ph_error *err);
/* The same for the first process alone: others keep what they have. Lists have been made. */
enum ph_status ph_force_field_collect_first(struct ph_force_field *field, const struct ph_column_set *rows,
                                            struct ph_error *err);
/* The same block by block, so that nobody has all; blocks come in the order of numbers. */
enum ph_status ph_force_field_read(struct ph_force_field *field, const struct ph_column_set *rows,
                                   const struct ph_readers *readers, ph_columns_reader *block, void *data,
                                   struct ph_error *err);
/* The same for what ph_force_field_memory gives, for all or after that for the first */
enum ph_status ph_force_field_collect_memory(struct ph_force_field *field, bool first, struct ph_error *err);
/* Every pair of molecules within the cutoff, sites of both counted, and some beyond, in one process each: their places,
 * and from the centre of the second to that of the first, for each image that is seen. After an evaluation, of a field
 * that is parted */
void ph_force_field_visit_pairs(const struct ph_force_field *field, const struct ph_system *system,
                                void (*visit)(size_t i, size_t j, const double d[3], void *context), void *context);
/* What is found from rows of all molecules, block by block in the order of their numbers, though no process has them
 * whole: the first process calls add(block, data), then all get the `bytes` that it has at `found`. Lists have been
 * made. */
enum ph_status ph_force_field_find(struct ph_force_field *field, const struct ph_system *system,
                                   const struct ph_column_set *rows, ph_columns_reader *add, void *data, size_t bytes,
                                   void *found, struct ph_error *err);
/* Sums of the state as ph_state_sum adds them up, though no process has it whole. Lists have been made. */
enum ph_status ph_force_field_sum_state(struct ph_force_field *field, const struct ph_system *system,
                                        struct ph_state_sums *sums, struct ph_error *err);
/* Pairs in the lists of all processes, for ph_force_field_part_costs. All processes call this. */
void ph_force_field_count_pairs(struct ph_force_field *field);

/* The same where each process has been given molecules of a range of numbers, as for ph_force_field_begin, at whose
 * places alone the arrays are known: state, the rows of all that goes with molecules, and in `memory` places and boxes
 * of the list and of that of near pairs, or NULL. Molecules go to their owners with the list: then the arrays are used
 * up. All processes call it. (force_field_parts.c) */
enum ph_status ph_force_field_restore_part(struct ph_force_field *field, const struct ph_system *system,
                                           const struct ph_column_set *state, const struct ph_force_memory *memory,
                                           struct ph_error *err);

#endif
