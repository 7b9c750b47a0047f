/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_FORCE_FIELD_H
#define PH_FORCE_FORCE_FIELD_H

/* Forces, torques, energies and the virial of a whole system. */

#include "force/energy.h"
#include "force/interactions.h"
#include "force/owned.h"
#include "model/state_sums.h"
#include "model/system.h"

#include <stdbool.h>

struct ph_force_field; /* opaque */

double ph_energy_total(const struct ph_energy *energy);

/* Reads species and box of the system; species must stay the same, a new box is announced by
 * ph_force_field_box_changed. Copies what it needs of the interactions. Fails for a cutoff beyond half the box, missing
 * pair interactions and the like, naming the numbers. */
enum ph_status ph_force_field_create(const struct ph_system *system, const struct ph_interactions *interactions,
                                     struct ph_force_field **out, struct ph_error *err);
void ph_force_field_destroy(struct ph_force_field *field);

/* Fills system->f and system->t (space frame). The energy may be NULL: then only forces are computed, faster. Wraps
 * positions into the box when the pair list is made anew. PH_ERR_NUMBERS names molecules that overlap or are not
 * finite. */
enum ph_status ph_force_field_evaluate(struct ph_force_field *field, struct ph_system *system, struct ph_energy *energy,
                                       struct ph_error *err);

/* Several processes share a system. Whether one may have its own molecules alone, and those around them: not where
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
/* As ph_force_field_evaluate for these molecules: the state of others may be old, f and t of others are not filled. The
 * energy is that of all. `state` are all rows of the state, r and q and more, which new owners get when owners change.
 * A failure of numbers may be told later, by the next of these functions. */
enum ph_status ph_force_field_evaluate_owned(struct ph_force_field *field, struct ph_system *system,
                                             const struct ph_rows *state, struct ph_energy *energy,
                                             struct ph_error *err);
/* What failed in this process while it moved its molecules, of several: all are told by the next of these functions. */
void ph_force_field_fail(struct ph_force_field *field, const struct ph_error *failure);
/* Whether the last evaluation, of forces or of their rates, was not begun, since something had failed before it, which
 * it told: it does not count. (One process alone would have been told in time not to ask for it.) */
bool ph_force_field_refused(const struct ph_force_field *field);
/* Entries of all molecules from those who have moved them: the one way back to a whole state */
enum ph_status ph_force_field_collect(struct ph_force_field *field, const struct ph_rows *rows, struct ph_error *err);
/* The same for the first process alone: others keep what they have. Lists have been made. */
enum ph_status ph_force_field_collect_first(struct ph_force_field *field, const struct ph_rows *rows,
                                            struct ph_error *err);
/* The same block by block, so that nobody has all; blocks come in the order of numbers. */
enum ph_status ph_force_field_read(struct ph_force_field *field, const struct ph_rows *rows,
                                   const struct ph_readers *readers, ph_rows_reader *block, void *data,
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
                                   const struct ph_rows *rows, ph_rows_reader *add, void *data, size_t bytes,
                                   void *found, struct ph_error *err);
/* Sums of the state as ph_state_sum adds them up, though no process has it whole. Lists have been made. */
enum ph_status ph_force_field_sum_state(struct ph_force_field *field, const struct ph_system *system,
                                        struct ph_state_sums *sums, struct ph_error *err);

/* Parts of the forces, for nested schemes: FAST as interactions.fast says, SLOW what is left of ALL. A field without a
 * fast part has ALL only.
 *
 * Fills system->f and system->t with those of a part, whose forces are as much a gradient as those of all. The field
 * keeps the fast ones: where these are pairs that are near, slow is the sum of all terms less what was kept, so no pair
 * has a second formula, and the state must be that of the last evaluation of FAST (ph_force_field_slow_needs_fast). */
enum ph_force_part { PH_FORCES_ALL, PH_FORCES_FAST, PH_FORCES_SLOW };
enum ph_status ph_force_field_evaluate_part(struct ph_force_field *field, enum ph_force_part part,
                                            struct ph_system *system, struct ph_error *err);
/* The same for molecules of this process, as ph_force_field_evaluate_owned; not where slow needs fast and there is no
 * long list, so that the short one has owners of its own (ph_force_field_parted) */
enum ph_status ph_force_field_evaluate_part_owned(struct ph_force_field *field, enum ph_force_part part,
                                                  struct ph_system *system, const struct ph_rows *state,
                                                  struct ph_error *err);
bool ph_force_field_slow_needs_fast(const struct ph_force_field *field);
/* Puts the fast forces that were kept into the system again. */
void ph_force_field_recall_fast(const struct ph_force_field *field, struct ph_system *system);
/* Makes forces of ALL those that are SLOW, where slow needs fast: to the last bit what an evaluation would give. */
void ph_force_field_take_off_fast(const struct ph_force_field *field, struct ph_system *system);
/* Whether those kept are as an evaluation now would give them, to the last bit: not if lists were made since, which
 * puts centres into the box. */
bool ph_force_field_keeps_fast(const struct ph_force_field *field);

/* What evaluations of the parts cost, in evaluations of ALL: by the pairs in the lists as they are, and if waves are
 * slow, by what pairs and waves were expected to take when a mesh was chosen, or half and half. Counts, no clock. Where
 * processes share the lists, as all of them have counted last by the second, which all call; before, those of this one.
 */
struct ph_part_costs {
    double fast, slow;
};
struct ph_part_costs ph_force_field_part_costs(const struct ph_force_field *field);
void ph_force_field_count_pairs(struct ph_force_field *field);

/* How force and torque (space frame) of every molecule change when its centre moves with `velocity` and its orientation
 * turns with angular velocity `omega` (space frame): d/ds at s = 0, of the same energy, fields included. The state must
 * be that of the last evaluation. */
enum ph_status ph_force_field_derivative(struct ph_force_field *field, const struct ph_system *system,
                                         double *const velocity[3], double *const omega[3], double *const force_rate[3],
                                         double *const torque_rate[3], struct ph_error *err);

/* The same for molecules of this process, after ph_force_field_evaluate_owned: velocities of others may be old. */
enum ph_status ph_force_field_derivative_owned(struct ph_force_field *field, const struct ph_system *system,
                                               const struct ph_rows *state, double *const velocity[3],
                                               double *const omega[3], double *const force_rate[3],
                                               double *const torque_rate[3], struct ph_error *err);
/* After these, by who wants rates now and then: where molecules are shared among processes, so that each may have
 * little memory, what pairs were worked out with is given back. */
void ph_force_field_give_back(struct ph_force_field *field);

/* The next evaluation makes the pair list anew. */
void ph_force_field_forget(struct ph_force_field *field);

/* system->box was changed, and the molecules were moved with it: the field is then as one made for the new box, but
 * that an Ewald sum keeps its screening and its reciprocal vectors (as integers) or its grid, so that the energy is a
 * smooth function of the box, and that the pair list is kept while it holds. Fails where the cutoff does not fit any
 * more. */
enum ph_status ph_force_field_box_changed(struct ph_force_field *field, const struct ph_system *system,
                                          struct ph_error *err);

/* Whether an Ewald sum, whose choices were made for another box, is expected to miss its tolerance in this one; and to
 * choose again. The energy jumps then, by something of the size of its error. All processes call these. */
bool ph_force_field_is_rough(const struct ph_force_field *field, const struct ph_system *system);
enum ph_status ph_force_field_choose_again(struct ph_force_field *field, const struct ph_system *system,
                                           struct ph_error *err);
/* The choices of an Ewald sum as they are now; NULL without one */
const struct ph_ewald_choice *ph_force_field_ewald(const struct ph_force_field *field);

/* The caller's force is now that of these interactions; all else stays as it is. */
enum ph_status ph_force_field_set_caller(struct ph_force_field *field, const struct ph_system *system,
                                         const struct ph_interactions *interactions, struct ph_error *err);

struct ph_force_memory ph_force_field_memory(const struct ph_force_field *field);
/* Restores these in the field; the caller keeps the arrays. The system is left as it was. */
enum ph_status ph_force_field_restore(struct ph_force_field *field, struct ph_system *system,
                                      const struct ph_force_memory *memory, struct ph_error *err);

/* The same where each process has been given molecules of a range of numbers, as for ph_force_field_begin, at whose
 * places alone the arrays are known: state, the rows of all that goes with molecules, and in `memory` places and boxes
 * of the list and of that of near pairs, or NULL. Molecules go to their owners with the list: then the arrays are used
 * up. All processes call it. (force_field_parts.c) */
enum ph_status ph_force_field_restore_part(struct ph_force_field *field, const struct ph_system *system,
                                           const struct ph_rows *state, const struct ph_force_memory *memory,
                                           struct ph_error *err);

struct ph_force_counts ph_force_field_counts(const struct ph_force_field *field);

/* For measurements, on a field that has been evaluated: from now on, and for neighbours until lists are made anew,
 * evaluations leave something out. What an evaluation takes less is the time of that. Forces are 0. */
enum ph_leave_out {
    PH_LEAVE_OUT_KERNELS,    /* pairs are gathered and scattered, but not computed */
    PH_LEAVE_OUT_NEIGHBOURS, /* lists are empty: what remains is what surrounds them */
};
void ph_force_field_leave_out(struct ph_force_field *field, enum ph_leave_out what);

#endif
