/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_FORCE_PARTS_H
#define PH_FORCE_FORCE_PARTS_H

/* Two time scales, for nested schemes: what the parts of the forces cost, and fast forces that are kept.
 *
 * Forces of a part are as much a gradient as those of all. The field keeps the fast ones: where these are pairs that
 * are near, slow is the sum of all terms less what was kept, so no pair has a second formula, and the state must be
 * that of the last evaluation of FAST (ph_force_field_slow_needs_fast). */

#include "force/force_field.h"

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
 * processes share the lists, as all of them have counted last (ph_force_field_count_pairs); before, those of this one.
 */
struct ph_part_costs {
    double fast, slow;
};
struct ph_part_costs ph_force_field_part_costs(const struct ph_force_field *field);

#endif
