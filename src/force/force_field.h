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

/* Creates a field for the species and the box of the system. Species must not change; announce a new box with
 * ph_force_field_box_changed. Copies the interactions that it needs. Fails, naming the numbers, for example if the
 * cutoff exceeds half the box or a pair interaction is missing. */
enum ph_status ph_force_field_create(const struct ph_system *system, const struct ph_interactions *interactions,
                                     struct ph_force_field **out, struct ph_error *err);
void ph_force_field_destroy(struct ph_force_field *field);

/* Parts of the forces: FAST as selected by interactions.fast, SLOW the rest of ALL (force_parts.h). A field without a
 * fast part has ALL only. */
enum ph_force_part { PH_FORCES_ALL, PH_FORCES_FAST, PH_FORCES_SLOW };

/* Fills system->f and system->t (space frame) with the forces and torques of a part. The energy may be NULL: then only
 * forces are computed, which is faster. With energies the part must be ALL. Wraps positions into the box whenever it
 * rebuilds the pair list. PH_ERR_NUMBERS names molecules that overlap or are not finite.
 *
 * `local` is NULL for one process. Several ranks always share the molecules: then it has all rows of the state (r, q
 * and more), and f and t of the molecules of this rank alone are filled (ranks/force_ranks.h). */
enum ph_status ph_force_field_evaluate(struct ph_force_field *field, struct ph_system *system, enum ph_force_part part,
                                       const struct ph_column_set *local, struct ph_energy *energy,
                                       struct ph_error *err);

/* Computes how force and torque (space frame) of every molecule change when its centre moves with a velocity and its
 * orientation turns with an angular velocity (space frame): d/ds at s = 0, of the same energy, fields included. The
 * state and the molecules must be the same as at the last evaluation. */
enum ph_status ph_force_field_rates(struct ph_force_field *field, const struct ph_system *system,
                                    const struct ph_column_set *local, const struct ph_rates *rates,
                                    struct ph_error *err);
/* Releases the scratch memory of the pair rates, for callers that compute rates only now and then. Does nothing unless
 * molecules are shared among ranks, where each rank may have little memory. */
void ph_force_field_give_back(struct ph_force_field *field);

/* Computes how pairs carry energy, for molecules that move with these velocities and angular velocities (space frame);
 * see pairs/loops/flux.h. The state must be that of the last evaluation, with pair lists. Terms of the field that are
 * no pairs are left out: the caller refuses them. */
struct ph_pair_flux;
enum ph_status ph_force_field_flux(struct ph_force_field *field, const struct ph_system *system,
                                   const struct ph_column_set *local, const struct ph_rates *motion,
                                   struct ph_pair_flux *out, struct ph_error *err);

/* Makes the next evaluation rebuild the pair list. */
void ph_force_field_forget(struct ph_force_field *field);

/* Adapts the field to a new system->box, after the molecules were moved with it. The field is then as if created for
 * the new box, with two exceptions. An Ewald sum keeps its screening and its reciprocal vectors (as integers) or its
 * grid, so that the energy is a smooth function of the box. The pair list is kept while it is valid. Fails if the
 * cutoff no longer fits. */
enum ph_status ph_force_field_box_changed(struct ph_force_field *field, const struct ph_system *system,
                                          struct ph_error *err);

/* ph_force_field_is_rough returns true if an Ewald sum, whose parameters were chosen for another box, is expected to
 * miss its tolerance in this one. ph_force_field_choose_again chooses new parameters; the energy then jumps by about
 * the size of its error. Every rank must call these. */
bool ph_force_field_is_rough(const struct ph_force_field *field, const struct ph_system *system);
enum ph_status ph_force_field_choose_again(struct ph_force_field *field, const struct ph_system *system,
                                           struct ph_error *err);
/* Returns the present parameters of the Ewald sum; NULL without one */
const struct ph_ewald_choice *ph_force_field_ewald(const struct ph_force_field *field);

/* Replaces the caller's force by the force in these interactions; the rest of the field stays as it is. */
enum ph_status ph_force_field_set_caller(struct ph_force_field *field, const struct ph_system *system,
                                         const struct ph_interactions *interactions, struct ph_error *err);

struct ph_force_memory ph_force_field_memory(const struct ph_force_field *field);
/* Restores this memory in the field; the caller keeps the arrays. Leaves the system unchanged. */
enum ph_status ph_force_field_restore(struct ph_force_field *field, struct ph_system *system,
                                      const struct ph_force_memory *memory, struct ph_error *err);

struct ph_force_counts ph_force_field_counts(const struct ph_force_field *field);

#endif
