/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_RANKS_FORCE_RANKS_H
#define PH_FORCE_RANKS_FORCE_RANKS_H

/* A force field whose molecules are shared among ranks. Used by the code that distributes the state (state/ranks.c).
 *
 * Each rank may move only its local molecules. An evaluation needs the present state of these alone and fills f and t
 * of these alone; the state of other molecules may be out of date. When molecules migrate, the new owners get all rows.
 * The energy is always the energy of the whole system. A rank may report a numerical failure later, at the next call of
 * one of these functions.
 *
 * Each list build puts local molecules together: rows keep their length, but only the first part of each species is
 * used. A reader of all molecules collects rows, which then hold molecules at the places of their numbers until the
 * next call of ph_force_field_owned. */

#include "force/force_field.h"

/* Returns true if lists tell which molecules interact. Without a cutoff all do. Then owners never change, and each rank
 * must hold all molecules until the first evaluation. */
bool ph_force_field_has_lists(const struct ph_force_field *field);
/* Returns the molecules that this rank moves until the next evaluation. NULL for all molecules: for a single rank, and
 * before the first evaluation unless it began distributed. */
const struct ph_owned *ph_force_field_owned(const struct ph_force_field *field);
bool ph_force_field_has_owners(const struct ph_force_field *field); /* true if that is not NULL */
/* Returns true if collected rows of remote molecules are still valid. False if molecules are distributed (owned.h) and
 * this rank has moved its own since. */
bool ph_force_field_shows_all(const struct ph_force_field *field);
/* Records a failure of this rank while it moved its molecules. All ranks return it from the next of these functions. */
void ph_force_field_fail(struct ph_force_field *field, const struct ph_error *failure);
/* Returns true if the last evaluation of forces or of their rates returned an earlier error without evaluating
 * anything. It does not count, because a single process would have seen the error before it. */
bool ph_force_field_refused(const struct ph_force_field *field);
/* Collects the entries of all molecules from their owners on every rank. No other function restores a whole state. */
enum ph_status ph_force_field_collect(struct ph_force_field *field, const struct ph_column_set *rows,
                                      struct ph_error *err);
/* Collects them on rank 0 only; other ranks keep their rows unchanged. Needs a list build before. */
enum ph_status ph_force_field_collect_first(struct ph_force_field *field, const struct ph_column_set *rows,
                                            struct ph_error *err);
/* Passes them to readers block by block in the order of numbers, so that no rank needs memory for all. */
enum ph_status ph_force_field_read(struct ph_force_field *field, const struct ph_column_set *rows,
                                   const struct ph_readers *readers, ph_columns_reader *block, void *data,
                                   struct ph_error *err);
/* Collects the arrays of ph_force_field_memory on all ranks; `first`: on rank 0, after ph_force_field_collect_first */
enum ph_status ph_force_field_collect_memory(struct ph_force_field *field, bool first, struct ph_error *err);
/* Visits every pair of molecules within the cutoff (counted between any of their sites), and some pairs beyond it, each
 * on one rank. visit gets their places and the vector from the centre of the second to the centre of the first, for
 * each image within reach. Needs lists, and an evaluation before. */
void ph_force_field_visit_pairs(const struct ph_force_field *field, const struct ph_system *system,
                                void (*visit)(size_t i, size_t j, const double d[3], void *context), void *context);
/* Computes a result from rows of all molecules though no rank holds them whole. Rank 0 calls add(block, data) for each
 * block in the order of numbers, then broadcasts the `bytes` at `found`. Needs a list build before. */
enum ph_status ph_force_field_find(struct ph_force_field *field, const struct ph_system *system,
                                   const struct ph_column_set *rows, ph_columns_reader *add, void *data, size_t bytes,
                                   void *found, struct ph_error *err);
/* Computes the sums of ph_state_sum though no rank holds the whole state. Needs a list build before. */
enum ph_status ph_force_field_sum_state(struct ph_force_field *field, const struct ph_system *system,
                                        struct ph_state_sums *sums, struct ph_error *err);
/* Counts the pairs in the lists of all ranks, for ph_force_field_part_costs. Every rank must call this. */
void ph_force_field_count_pairs(struct ph_force_field *field);

/* Begins with a distributed system, before the first evaluation: each rank holds only its range of molecule numbers
 * (base/ranges.h), at the places of their numbers. Arrays are known at these places only. `state` has all rows that
 * migrate with molecules. `memory` may have positions and boxes of the list and of the list of near pairs; then that
 * list is built again, which migrates the molecules to their owners and uses the arrays up. Every rank must call this.
 * (force_field_parts.c) */
enum ph_status ph_force_field_restore_part(struct ph_force_field *field, const struct ph_system *system,
                                           const struct ph_column_set *state, const struct ph_force_memory *memory,
                                           struct ph_error *err);

#endif
