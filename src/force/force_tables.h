/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_FORCE_TABLES_H
#define PH_FORCE_FORCE_TABLES_H

/* Tables of a force field, for a machine that computes the same forces and keeps copies of them. */

#include "force/force_field.h"

struct ph_pair_table;

/* Counts changes of the box, and choices of new parameters. Copies of an older version are out of date. */
struct ph_force_version {
    size_t boxes, choices;
};
struct ph_force_version ph_force_field_version(const struct ph_force_field *field);
/* Returns the table of all pairs, or of near pairs alone; NULL without these. */
const struct ph_pair_table *ph_force_field_pair_table(const struct ph_force_field *field, bool near);
/* Returns the term of the Ewald sum; NULL without one. */
const void *ph_force_field_ewald_term(const struct ph_force_field *field);

#endif
