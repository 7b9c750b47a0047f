/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_ANGULAR_PAIRS_H
#define PH_FORCE_PAIRS_ANGULAR_PAIRS_H

/* Angular forms in the table of pairs, and in the loops over it. */

#include "force/pairs/pair_table.h"

/* Site k of the layout of a species */
struct ph_site_place {
    const struct ph_species *species;
    const struct ph_layout *layout;
    size_t k;
};

/* Of two sites at most: one of shapes, and all of multipoles, with room for forms to come */
enum { PH_MULTIPOLE_PAIRS = 8, PH_ANGULAR_PAIRS = 1 + PH_MULTIPOLE_PAIRS };

/* Adds the angular interactions of two sites to the table, if they have any. `base` has cutoff and switch. `split` is
 * that of an Ewald sum whose pairs end by themselves, or NULL. */
enum ph_status ph_angular_pair_add(const struct ph_interactions *interactions, const struct ph_split_pairs *split,
                                   const struct ph_site_place *i, const struct ph_site_place *j,
                                   enum ph_truncate truncate, const struct ph_pair_term *base,
                                   struct ph_site_pairs *pairs, struct ph_error *err);

/* The energy of two sites with given fields of their molecules, for messages: infinite within a wall */
double ph_angular_pair_energy(const struct ph_site_pair *pair, const double *fields_i, const double *fields_j);

#endif
