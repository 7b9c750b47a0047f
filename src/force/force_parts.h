/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_FORCE_PARTS_H
#define PH_FORCE_FORCE_PARTS_H

/* Two time scales, for nested schemes: the cost of each part of the forces, and a store of the fast forces.
 *
 * The forces of each part are a gradient, as the total forces are. The field stores the fast forces. If the fast part
 * is near pairs, the slow part is the sum of all terms minus the stored forces, so that no pair needs a second formula.
 * Then the state must be the same as at the last evaluation of FAST (ph_force_field_slow_needs_fast). */

#include "force/force_field.h"

bool ph_force_field_slow_needs_fast(const struct ph_force_field *field);
/* Copies the stored fast forces into the system. */
void ph_force_field_recall_fast(const struct ph_force_field *field, struct ph_system *system);
/* Subtracts the stored fast forces from forces of ALL, where slow needs fast. The result equals an evaluation of SLOW
 * to the last bit. */
void ph_force_field_take_off_fast(const struct ph_force_field *field, struct ph_system *system);
/* Returns true if the stored forces equal an evaluation now, to the last bit. False after a list build, because it
 * wraps centres into the box. */
bool ph_force_field_keeps_fast(const struct ph_force_field *field);

/* Cost of evaluating each part, in units of an evaluation of ALL. It follows from the number of pairs in the present
 * lists. If waves are slow, it follows from the times expected for pairs and waves when the mesh was chosen, or is one
 * half each. It uses counts, no clock. Where ranks share the lists, it uses the last count over all ranks
 * (ph_force_field_count_pairs), and before that the count of this rank. */
struct ph_part_costs {
    double fast, slow;
};
struct ph_part_costs ph_force_field_part_costs(const struct ph_force_field *field);

#endif
