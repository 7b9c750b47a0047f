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

/* Parts of the forces: FAST as interactions.fast says, SLOW what is left of ALL (force_parts.h). A field without a fast
 * part has ALL only. */
enum ph_force_part { PH_FORCES_ALL, PH_FORCES_FAST, PH_FORCES_SLOW };

/* Fills system->f and system->t (space frame) with those of a part. The energy may be NULL: then only forces are
 * computed, faster; with energies the part is ALL. Wraps positions into the box when the pair list is made anew.
 * PH_ERR_NUMBERS names molecules that overlap or are not finite.
 *
 * `local` is NULL for all molecules. Where several processes share a system it may be all rows of the state, r and q
 * and more, of molecules of this process: then f and t of these are filled (force_ranks.h). */
enum ph_status ph_force_field_evaluate(struct ph_force_field *field, struct ph_system *system, enum ph_force_part part,
                                       const struct ph_column_set *local, struct ph_energy *energy,
                                       struct ph_error *err);

/* How force and torque (space frame) of every molecule change when its centre moves with a velocity and its orientation
 * turns with an angular velocity (space frame): d/ds at s = 0, of the same energy, fields included. The state must be
 * that of the last evaluation, for the same molecules. */
enum ph_status ph_force_field_rates(struct ph_force_field *field, const struct ph_system *system,
                                    const struct ph_column_set *local, const struct ph_rates *rates,
                                    struct ph_error *err);
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

struct ph_force_counts ph_force_field_counts(const struct ph_force_field *field);

#endif
