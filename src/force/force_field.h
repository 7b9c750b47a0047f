/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_FORCE_FIELD_H
#define PH_FORCE_FORCE_FIELD_H

/* Forces, torques, energies and the virial of a whole system. */

#include "force/interactions.h"
#include "model/system.h"

#include <stdbool.h>

struct ph_force_field; /* opaque */

/* Energies by term, and the molecular virial tensor, the sum over pairs of R_ij F_ij^T with R_ij the distance of
 * centres, such that the pressure tensor is (sum p p^T/m + virial)/V. External fields do not enter. */
struct ph_energy {
    double radial, electric, long_range, field; /* pairs: Mie and the like, charges and dipoles; tail; external */
    double virial[3][3];
};

double ph_energy_total(const struct ph_energy *energy);

/* Reads species and box of the system, which must stay the same; copies what it needs of the interactions. Fails for a
 * cutoff beyond half the box, missing pair interactions and the like, naming the numbers. */
enum ph_status ph_force_field_create(const struct ph_system *system, const struct ph_interactions *interactions,
                                     struct ph_force_field **out, struct ph_error *err);
void ph_force_field_destroy(struct ph_force_field *field);

/* Fills system->f and system->t (space frame). The energy may be NULL: then only forces are computed, faster. Wraps
 * positions into the box when the neighbour list is made anew. PH_ERR_NUMBERS names molecules that overlap or are not
 * finite. */
enum ph_status ph_force_field_evaluate(struct ph_force_field *field, struct ph_system *system, struct ph_energy *energy,
                                       struct ph_error *err);

/* The next evaluation makes the neighbour list anew. The order of summation depends on when lists were made: forgetting
 * them at a checkpoint, in the run that goes on and in the one that resumes, makes both give the same bits. */
void ph_force_field_forget(struct ph_force_field *field);

/* For reports: pairs of molecules in the list, site pairs evaluated for them, lists made so far */
struct ph_force_counts {
    size_t molecule_pairs, site_pairs, lists_made;
};
struct ph_force_counts ph_force_field_counts(const struct ph_force_field *field);

#endif
